//! Listening sockets passed by the service manager (`LISTEN_FDS`).

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use listenfd::ListenFd;
use rustix::net::sockopt::socket_acceptconn;

use crate::config::Listen;

/// The passed sockets that have not been taken yet.
#[derive(Debug, Default)]
pub(super) struct PassedSockets {
    unix: Vec<(PathBuf, UnixListener)>,
    tcp: Vec<(SocketAddr, TcpListener)>,
}

/// An error in a passed descriptor.
#[derive(Debug, thiserror::Error)]
#[error("LISTEN_FDS: {0}")]
pub struct PassedError(String);

impl PassedSockets {
    pub(super) fn from_environment() -> Result<Self, PassedError> {
        let mut listen_fds = ListenFd::from_env();
        let mut sockets = Self::default();
        for index in 0..listen_fds.len() {
            sockets.add(&mut listen_fds, index).map_err(|reason| {
                PassedError(format!(
                    "descriptor 3 + {index}: {reason}; pass listening stream sockets (ListenStream= with Accept=no)"
                ))
            })?;
        }
        Ok(sockets)
    }

    fn add(&mut self, listen_fds: &mut ListenFd, index: usize) -> io::Result<()> {
        if let Ok(listener) = listen_fds.take_unix_listener(index) {
            let Some(listener) = listener else { return Ok(()) };
            let address = listener.local_addr()?;
            let path =
                address.as_pathname().ok_or_else(|| io::Error::other("the socket has no path"))?;
            check_listening(&listener)?;
            listener.set_nonblocking(true)?;
            self.unix.push((path.to_owned(), listener));
        } else if let Some(listener) = listen_fds.take_tcp_listener(index)? {
            check_listening(&listener)?;
            listener.set_nonblocking(true)?;
            self.tcp.push((listener.local_addr()?, listener));
        }
        Ok(())
    }

    pub(super) fn contains(&self, listen: &Listen) -> bool {
        match listen {
            Listen::Unix(path) => self.unix.iter().any(|(bound, _)| bound == path),
            Listen::Tcp(address) | Listen::Tls(address) => {
                self.tcp.iter().any(|(bound, _)| bound == address)
            }
        }
    }

    pub(super) fn take_unix(&mut self, path: &Path) -> Option<UnixListener> {
        let index = self.unix.iter().position(|(bound, _)| bound == path)?;
        Some(self.unix.swap_remove(index).1)
    }

    pub(super) fn take_tcp(&mut self, address: SocketAddr) -> Option<TcpListener> {
        let index = self.tcp.iter().position(|(bound, _)| *bound == address)?;
        Some(self.tcp.swap_remove(index).1)
    }

    /// Returns an error if a socket was not taken, because its clients would wait forever.
    pub(super) fn check_all_taken(&self) -> Result<(), PassedError> {
        let unix = self.unix.iter().map(|(path, _)| Listen::Unix(path.clone()));
        let tcp = self.tcp.iter().map(|(address, _)| Listen::Tcp(*address));
        let unused: Vec<String> = unix.chain(tcp).map(|listen| listen.to_string()).collect();
        if unused.is_empty() {
            return Ok(());
        }
        Err(PassedError(format!(
            "{} was passed but is not among listen, admin and gateway.address; add it there, or remove it from the socket unit",
            unused.join(", ")
        )))
    }
}

fn check_listening(socket: impl std::os::fd::AsFd) -> io::Result<()> {
    if socket_acceptconn(socket)? {
        return Ok(());
    }
    Err(io::Error::other("the socket does not listen"))
}
