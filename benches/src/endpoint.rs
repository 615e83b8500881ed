//! This module parses addresses as `gsar-server` writes them: `unix:///path/to.sock` or `grpc://address:port`.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A Unix domain socket.
    Unix(PathBuf),
    /// A TCP address.
    Tcp(SocketAddr),
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let tcp = || text.strip_prefix("grpc://")?.parse().ok().map(Self::Tcp);
        let unix = || {
            text.strip_prefix("unix://")
                .filter(|path| path.starts_with('/'))
                .map(|path| Self::Unix(path.into()))
        };
        unix().or_else(tcp).ok_or_else(|| {
            format!("`{text}` is neither unix:///path/to.sock nor grpc://address:port")
        })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Tcp(address) => write!(f, "grpc://{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_read_as_they_are_written() {
        for text in ["unix:///run/gsar.sock", "grpc://127.0.0.1:4317"] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
        for text in ["unix://relative.sock", "http://127.0.0.1:1", "grpc://localhost"] {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }
}
