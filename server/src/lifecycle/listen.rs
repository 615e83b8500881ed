//! Binds the gRPC addresses, or uses sockets passed by the service manager.

use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, UnixListener, UnixStream};

use super::passed_sockets::PassedSockets;
use crate::config::Listen;

/// A bound address.
#[derive(Debug)]
pub struct Bound {
    pub(super) socket: Socket,
    /// `true` if the service manager passed the socket, so that clients may already be waiting.
    pub(super) was_passed: bool,
}

#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpListener, SocketAddr),
    Tls(TcpListener, SocketAddr),
    Unix(UnixListener, SocketFile),
}

/// The file of a Unix socket. Removed on drop unless the service manager owns it.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    is_owned: bool,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.is_owned {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// An error from binding an address.
#[derive(Debug, thiserror::Error)]
#[error("listen {address}: {reason}")]
pub struct ListenError {
    address: String,
    reason: String,
}

impl Bound {
    /// Uses the socket passed for an address, or binds one. Replaces a stale socket file.
    pub(super) async fn new(
        listen: &Listen,
        passed_sockets: &mut PassedSockets,
    ) -> Result<Self, ListenError> {
        let listen_error = |reason: String| ListenError { address: listen.to_string(), reason };
        let was_passed = passed_sockets.contains(listen);
        let socket = match listen {
            Listen::Tcp(address) | Listen::Tls(address) => {
                let listener = bind_tcp(*address, passed_sockets)
                    .await
                    .map_err(|error| listen_error(bind_error(&error)))?;
                let local_address =
                    listener.local_addr().map_err(|error| listen_error(error.to_string()))?;
                match listen {
                    Listen::Tls(_) => Socket::Tls(listener, local_address),
                    _ => Socket::Tcp(listener, local_address),
                }
            }
            Listen::Unix(path) => bind_unix(path, passed_sockets).await.map_err(listen_error)?,
        };
        Ok(Self { socket, was_passed })
    }

    /// Returns the address, with the port that the system chose.
    #[must_use]
    pub fn address(&self) -> Listen {
        match &self.socket {
            Socket::Tcp(_, address) => Listen::Tcp(*address),
            Socket::Tls(_, address) => Listen::Tls(*address),
            Socket::Unix(_, file) => Listen::Unix(file.path.clone()),
        }
    }
}

async fn bind_unix(path: &Path, passed_sockets: &mut PassedSockets) -> Result<Socket, String> {
    if let Some(listener) = passed_sockets.take_unix(path) {
        let listener = UnixListener::from_std(listener).map_err(|error| error.to_string())?;
        return Ok(Socket::Unix(listener, SocketFile { path: path.to_owned(), is_owned: false }));
    }
    if UnixStream::connect(path).await.is_ok() {
        return Err("another server is listening there; stop it or choose another path".to_owned());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    if std::fs::symlink_metadata(path).is_ok_and(|file| !file.file_type().is_socket()) {
        return Err("the file there is not a socket; choose another path".to_owned());
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(format!("failed to remove the stale socket: {error}"));
        }
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(|error| bind_error(&error))?;
    let mode = std::fs::Permissions::from_mode(0o660);
    std::fs::set_permissions(path, mode).map_err(|error| error.to_string())?;
    Ok(Socket::Unix(listener, SocketFile { path: path.to_owned(), is_owned: true }))
}

/// Returns the socket passed for an address, or binds one.
pub(super) async fn bind_tcp(
    address: SocketAddr,
    passed_sockets: &mut PassedSockets,
) -> io::Result<TcpListener> {
    match passed_sockets.take_tcp(address) {
        Some(listener) => TcpListener::from_std(listener),
        None => TcpListener::bind(address).await,
    }
}

fn bind_error(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AddrInUse {
        "already in use; stop the program that uses it or choose another address".to_owned()
    } else {
        error.to_string()
    }
}
