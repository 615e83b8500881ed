//! Where a server listens, as people write it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where a server listens: `unix:///path`, `grpc://host:port` or `grpcs://host:port`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// A Unix socket, by its absolute path.
    Unix(PathBuf),
    /// A host and port, without TLS.
    Tcp(String),
    /// A host and port, with TLS.
    Tls(String),
}

/// Why a text is no endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` is no endpoint: {reason}; write unix:///path/to/socket, grpc://host:port or grpcs://host:port"
)]
pub struct EndpointError {
    given: String,
    reason: &'static str,
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(given: &str) -> Result<Self, EndpointError> {
        let refused = |reason| EndpointError { given: given.to_owned(), reason };
        match given.split_once("://") {
            Some(("unix", path)) if Path::new(path).is_absolute() => Ok(Self::Unix(path.into())),
            Some(("unix", _)) => Err(refused("the path of the socket is not absolute")),
            Some((scheme @ ("grpc" | "grpcs"), address)) => {
                let address = address.strip_suffix('/').unwrap_or(address);
                let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
                let bare_ipv6 =
                    host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
                if host.is_empty() || bare_ipv6 || host.contains(['/', '?', '#', '@', ' ']) {
                    Err(refused("it names no host"))
                } else if port.parse::<u16>().is_ok_and(|port| port > 0) {
                    let address = address.to_owned();
                    Ok(if scheme == "grpcs" { Self::Tls(address) } else { Self::Tcp(address) })
                } else {
                    Err(refused("it names no port from 1 to 65535"))
                }
            }
            Some(_) => Err(refused("its scheme is none of unix, grpc and grpcs")),
            None => Err(refused("it has no scheme")),
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
    fn endpoints_are_read_and_written() {
        for given in [
            "unix:///run/gsar/gsar.sock",
            "grpc://localhost:50051",
            "grpc://[::1]:50051",
            "grpcs://localhost:50051",
        ] {
            assert_eq!(given.parse::<Endpoint>().unwrap().to_string(), given);
        }
        assert_eq!("grpc://gsar:1/".parse(), Ok(Endpoint::Tcp("gsar:1".to_owned())));
    }

    #[test]
    fn what_is_no_endpoint_says_why() {
        for (given, reason) in [
            ("localhost:50051", "it has no scheme"),
            ("/run/gsar.sock", "it has no scheme"),
            ("http://localhost:50051", "its scheme is none of unix, grpc and grpcs"),
            ("unix://gsar.sock", "the path of the socket is not absolute"),
            ("grpcs://localhost", "it names no port from 1 to 65535"),
            ("grpc://localhost", "it names no port from 1 to 65535"),
            ("grpc://localhost:0", "it names no port from 1 to 65535"),
            ("grpc://localhost:99999", "it names no port from 1 to 65535"),
            ("grpc://:50051", "it names no host"),
            ("grpc://::1", "it names no host"),
            ("grpc://a/b:1", "it names no host"),
        ] {
            assert_eq!(given.parse::<Endpoint>().unwrap_err().reason, reason, "{given}");
        }
    }
}
