//! Server addresses.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A server address: `unix:///path`, `grpc://host:port` or `grpcs://host:port`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The absolute path of a Unix socket.
    Unix(PathBuf),
    /// A host and port, without TLS.
    Tcp(String),
    /// A host and port, with TLS.
    Tls(String),
}

/// An error from parsing an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid endpoint `{text}`: {reason}; expected unix:///path/to/socket, grpc://host:port or grpcs://host:port"
)]
pub struct EndpointError {
    text: String,
    reason: &'static str,
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let error = |reason| EndpointError { text: text.to_owned(), reason };
        match text.split_once("://") {
            Some(("unix", path)) if Path::new(path).is_absolute() => Ok(Self::Unix(path.into())),
            Some(("unix", _)) => Err(error("the socket path is not absolute")),
            Some((scheme @ ("grpc" | "grpcs"), address)) => {
                let address = address.strip_suffix('/').unwrap_or(address);
                let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
                let is_bare_ipv6 =
                    host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
                if host.is_empty() || is_bare_ipv6 || host.contains(['/', '?', '#', '@', ' ']) {
                    Err(error("missing or invalid host"))
                } else if port.parse::<u16>().is_ok_and(|port| port > 0) {
                    let address = address.to_owned();
                    Ok(if scheme == "grpcs" { Self::Tls(address) } else { Self::Tcp(address) })
                } else {
                    Err(error("missing or invalid port"))
                }
            }
            Some(_) => Err(error("unknown scheme")),
            None => Err(error("missing scheme")),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Tcp(address) => write!(f, "grpc://{address}"),
            Self::Tls(address) => write!(f, "grpcs://{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_round_trip() {
        for text in [
            "unix:///run/gsar/gsar.sock",
            "grpc://localhost:50051",
            "grpc://[::1]:50051",
            "grpcs://localhost:50051",
        ] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
        assert_eq!("grpc://gsar:1/".parse(), Ok(Endpoint::Tcp("gsar:1".to_owned())));
    }

    #[test]
    fn invalid_endpoints_are_explained() {
        for (text, reason) in [
            ("localhost:50051", "missing scheme"),
            ("/run/gsar.sock", "missing scheme"),
            ("http://localhost:50051", "unknown scheme"),
            ("unix://gsar.sock", "the socket path is not absolute"),
            ("grpcs://localhost", "missing or invalid port"),
            ("grpc://localhost", "missing or invalid port"),
            ("grpc://localhost:0", "missing or invalid port"),
            ("grpc://localhost:99999", "missing or invalid port"),
            ("grpc://:50051", "missing or invalid host"),
            ("grpc://::1", "missing or invalid host"),
            ("grpc://a/b:1", "missing or invalid host"),
        ] {
            assert_eq!(text.parse::<Endpoint>().unwrap_err().reason, reason, "{text}");
        }
    }
}
