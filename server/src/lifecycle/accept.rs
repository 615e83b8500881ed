//! Accepts connections, and pauses while the process is out of file descriptors.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use rustix::io::Errno;

/// The pause after a failure. Meanwhile, new connections wait in the kernel.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns a listener's connections. If descriptors or memory run out, logs one warning and pauses. Skips
/// connections that fail.
pub(super) fn accept_connections<C>(
    incoming: impl Stream<Item = io::Result<C>>,
) -> impl Stream<Item = io::Result<C>> {
    let has_shortage = Arc::new(AtomicBool::new(false));
    let results = incoming.then(move |result| {
        let has_shortage = Arc::clone(&has_shortage);
        async move {
            match result {
                Ok(connection) => {
                    has_shortage.store(false, Ordering::Relaxed);
                    Some(Ok(connection))
                }
                Err(error) if is_shortage(&error) => {
                    if !has_shortage.swap(true, Ordering::Relaxed) {
                        tracing::warn!(%error, "failed to accept connections; raise the limit of open files");
                    }
                    tokio::time::sleep(PAUSE).await;
                    None
                }
                Err(_) => None,
            }
        }
    });
    results.filter_map(std::future::ready)
}

fn is_shortage(error: &io::Error) -> bool {
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    shortages.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn accepts_connections_after_a_shortage() {
        let failure = |errno: Errno| Err(io::Error::from(errno));
        let attempts =
            [failure(Errno::MFILE), failure(Errno::CONNABORTED), failure(Errno::NFILE), Ok(7)];
        let connections: Vec<io::Result<i32>> =
            accept_connections(stream::iter(attempts)).collect().await;
        assert!(matches!(connections.as_slice(), [Ok(7)]), "{connections:?}");
    }
}
