//! Accepts connections, and pauses while the process is out of file descriptors.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use rustix::io::Errno;

/// The pause after a failure. Meanwhile, new connections wait in the kernel.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns a listener's connections. If descriptors or memory run out, logs it once and pauses. Skips failures
/// of single connections.
pub(super) fn accept_connections<C>(
    incoming: impl Stream<Item = io::Result<C>>,
) -> impl Stream<Item = io::Result<C>> {
    let is_short = Arc::new(AtomicBool::new(false));
    let tried = incoming.then(move |accepted| {
        let is_short = Arc::clone(&is_short);
        async move {
            match accepted {
                Ok(connection) => {
                    is_short.store(false, Ordering::Relaxed);
                    Some(Ok(connection))
                }
                Err(error) if is_shortage(&error) => {
                    if !is_short.swap(true, Ordering::Relaxed) {
                        tracing::warn!(%error, "failed to accept connections; raise the limit of open files");
                    }
                    tokio::time::sleep(PAUSE).await;
                    None
                }
                Err(_) => None,
            }
        }
    });
    tried.filter_map(std::future::ready)
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
        let failed = |errno: Errno| Err(io::Error::from(errno));
        let tries = [failed(Errno::MFILE), failed(Errno::CONNABORTED), failed(Errno::NFILE), Ok(7)];
        let all: Vec<io::Result<i32>> = accept_connections(stream::iter(tries)).collect().await;
        assert!(matches!(all.as_slice(), [Ok(7)]), "{all:?}");
    }
}
