//! Binding addresses, before anything else is done.

use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tokio::net::{TcpListener, UnixListener, UnixStream};

use crate::config::Listen;

/// An address that is bound.
#[derive(Debug)]
pub enum Bound {
    /// A TCP port.
    Tcp(TcpListener, SocketAddr),
    /// A TCP port for connections over TLS.
    Tls(TcpListener, SocketAddr),
    /// A Unix domain socket, removed when dropped.
    Unix(UnixListener, SocketFile),
}

/// The file of a socket; removed when dropped.
#[derive(Debug)]
pub struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Why an address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("listen {address}: {reason}")]
pub struct ListenError {
    address: String,
    reason: String,
}

impl Bound {
    /// Binds an address. A socket file that nobody answers on is replaced.
    ///
    /// # Errors
    /// [`ListenError`] with the address and the fix.
    pub async fn new(listen: &Listen) -> Result<Self, ListenError> {
        let failed = |reason: String| ListenError { address: listen.to_string(), reason };
        match listen {
            Listen::Tcp(address) | Listen::Tls(address) => {
                let listener =
                    TcpListener::bind(address).await.map_err(|error| failed(in_use(&error)))?;
                let local = listener.local_addr().map_err(|error| failed(error.to_string()))?;
                Ok(match listen {
                    Listen::Tls(_) => Self::Tls(listener, local),
                    _ => Self::Tcp(listener, local),
                })
            }
            Listen::Unix(path) => {
                if UnixStream::connect(path).await.is_ok() {
                    let reason = "another server answers there; stop it or choose another path";
                    return Err(failed(reason.to_owned()));
                }
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
                }
                match std::fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(failed(format!("the stale socket cannot be removed: {error}")));
                    }
                    _ => {}
                }
                let listener = UnixListener::bind(path).map_err(|error| failed(in_use(&error)))?;
                let mode = std::fs::Permissions::from_mode(0o660);
                std::fs::set_permissions(path, mode).map_err(|error| failed(error.to_string()))?;
                Ok(Self::Unix(listener, SocketFile(path.clone())))
            }
        }
    }

    /// The address as it can be connected to, with the port that the system chose.
    #[must_use]
    pub fn address(&self) -> Listen {
        match self {
            Self::Tcp(_, address) => Listen::Tcp(*address),
            Self::Tls(_, address) => Listen::Tls(*address),
            Self::Unix(_, file) => Listen::Unix(file.0.clone()),
        }
    }
}

fn in_use(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AddrInUse {
        "is in use; stop what holds it or choose another".to_owned()
    } else {
        error.to_string()
    }
}
