//! Selects the server to call: a running one, or a temporary one started for this process.

mod temporary;

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub use temporary::{StartError, TemporaryServer};

use crate::endpoint::{Endpoint, EndpointError};
use crate::tls::TlsFiles;

/// The name of the server's binary.
pub const SERVER_BINARY: &str = "gsar-server";

/// The parts of the process environment that determine the server to call.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `GSAR_ENDPOINT`.
    pub endpoint: Option<String>,
    /// `GSAR_TLS_CA`, `GSAR_TLS_CERTIFICATE` and `GSAR_TLS_KEY`.
    pub tls: TlsFiles,
    /// `GSAR_TOKEN_FILE`.
    pub token_file: Option<PathBuf>,
    /// The sockets to try, in order.
    pub default_sockets: Vec<PathBuf>,
    /// The current executable.
    pub current_executable: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process.
    #[must_use]
    pub fn from_env() -> Self {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let file = |name: &str| {
            std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let tls = TlsFiles {
            ca: file("GSAR_TLS_CA"),
            certificate: file("GSAR_TLS_CERTIFICATE"),
            key: file("GSAR_TLS_KEY"),
        };
        let sockets = [runtime.filter(|path| path.is_absolute()), Some(PathBuf::from("/run"))];
        Self {
            endpoint: std::env::var("GSAR_ENDPOINT").ok().filter(|value| !value.is_empty()),
            tls,
            token_file: file("GSAR_TOKEN_FILE"),
            default_sockets: sockets
                .into_iter()
                .flatten()
                .map(|path| path.join("gsar/gsar.sock"))
                .collect(),
            current_executable: std::env::current_exe().ok(),
        }
    }

    /// Returns the path of the server's binary next to the current executable, if it exists.
    #[must_use]
    pub fn server_binary(&self) -> Option<PathBuf> {
        let binary = self.current_executable.as_ref()?.parent()?.join(SERVER_BINARY);
        binary.is_file().then_some(binary)
    }
}

/// Options for selecting a server and connecting to it.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    /// The endpoint given on the command line.
    pub endpoint: Option<String>,
    /// The data directory of a temporary server. If set, running servers are ignored.
    pub data_dir: Option<PathBuf>,
    /// The judge of a temporary server. If set, running servers are ignored.
    pub judge: Option<JudgeSpec>,
    /// The TLS files given on the command line.
    pub tls: TlsFiles,
    /// The token file given on the command line.
    pub token_file: Option<PathBuf>,
}

/// The only judge of a temporary server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeSpec {
    /// The name, such as `ollama:qwen3:8b`.
    pub name: String,
    /// The base URL, which defaults to the provider's.
    pub url: Option<String>,
}

/// The server to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A running server.
    Running {
        /// The endpoint.
        endpoint: Endpoint,
        /// The source of the endpoint.
        origin: EndpointSource,
        /// The TLS files, which are empty if the endpoint does not use TLS.
        tls: TlsFiles,
        /// The token file, if any.
        token_file: Option<PathBuf>,
    },
    /// A temporary server, started and stopped by this process.
    Temporary {
        /// The server's binary.
        binary: PathBuf,
        /// The data directory, which defaults to a temporary one.
        data_dir: Option<PathBuf>,
        /// The only judge, which defaults to those of the server's configuration.
        judge: Option<JudgeSpec>,
    },
}

/// The source of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointSource {
    /// `--endpoint`.
    Flag,
    /// `GSAR_ENDPOINT`.
    Variable,
    /// A default socket.
    DefaultSocket,
}

impl EndpointSource {
    /// Returns the name of the source for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "--endpoint",
            Self::Variable => "GSAR_ENDPOINT",
            Self::DefaultSocket => "the default socket",
        }
    }
}

/// An error from selecting a server.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// An invalid endpoint.
    #[error("{}: {error}", origin.name())]
    Endpoint {
        /// The source of the endpoint.
        origin: EndpointSource,
        /// The error.
        error: EndpointError,
    },
    /// TLS files for a server without TLS.
    #[error(
        "--tls-ca, --tls-certificate and --tls-key require a grpcs:// endpoint, but the server is {server}; use \
         --endpoint grpcs://host:port, or remove them"
    )]
    WithoutTls {
        /// The endpoint of the server.
        server: String,
    },
    /// No server is running, and none can be started.
    #[error(
        "no server is running, and {SERVER_BINARY} is not installed next to gsar\n  \
         tried the sockets {}\n  \
         start a server, or specify one with --endpoint unix:///path, grpc://host:port or grpcs://host:port",
        sockets.join(" and ")
    )]
    NotFound {
        /// The sockets that were tried.
        sockets: Vec<String>,
    },
}

/// Selects a server, in this order: the endpoint of the options, `GSAR_ENDPOINT`, the first default socket in use, and
/// a temporary server if its binary is installed next to the current executable.
pub fn select_target(
    options: &ConnectOptions,
    environment: &Environment,
) -> Result<Target, TargetError> {
    let target = select(options, environment)?;
    let server = match &target {
        Target::Running { endpoint: Endpoint::Tls(_), .. } => return Ok(target),
        Target::Running { endpoint, .. } => endpoint.to_string(),
        Target::Temporary { .. } => "a temporary one".to_owned(),
    };
    if options.tls == TlsFiles::default() {
        Ok(target)
    } else {
        Err(TargetError::WithoutTls { server })
    }
}

fn select(options: &ConnectOptions, environment: &Environment) -> Result<Target, TargetError> {
    let token_file = options.token_file.clone().or_else(|| environment.token_file.clone());
    if options.data_dir.is_none() && options.judge.is_none() {
        for (value, origin) in [
            (&options.endpoint, EndpointSource::Flag),
            (&environment.endpoint, EndpointSource::Variable),
        ] {
            if let Some(value) = value {
                let endpoint: Endpoint =
                    value.parse().map_err(|error| TargetError::Endpoint { origin, error })?;
                let tls = match endpoint {
                    Endpoint::Tls(_) => options.tls.clone().or(&environment.tls),
                    Endpoint::Unix(_) | Endpoint::Tcp(_) => TlsFiles::default(),
                };
                return Ok(Target::Running { endpoint, origin, tls, token_file });
            }
        }
        if let Some(path) = environment.default_sockets.iter().find(|path| is_listened_on(path)) {
            let endpoint = Endpoint::Unix(path.clone());
            let (origin, tls) = (EndpointSource::DefaultSocket, TlsFiles::default());
            return Ok(Target::Running { endpoint, origin, tls, token_file });
        }
    }
    match environment.server_binary() {
        Some(binary) => {
            let (data_dir, judge) = (options.data_dir.clone(), options.judge.clone());
            Ok(Target::Temporary { binary, data_dir, judge })
        }
        None => Err(TargetError::NotFound {
            sockets: environment
                .default_sockets
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        }),
    }
}

/// Returns `true` if a server listens on the socket, even if this user may not connect to it.
fn is_listened_on(path: &Path) -> bool {
    match UnixStream::connect(path) {
        Ok(_) => true,
        Err(error) => !matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::ConnectionRefused
                | io::ErrorKind::NotADirectory
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    struct Machine {
        folder: tempfile::TempDir,
        environment: Environment,
    }

    fn machine() -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            endpoint: None,
            tls: TlsFiles::default(),
            token_file: None,
            default_sockets: vec![
                folder.path().join("user.sock"),
                folder.path().join("system.sock"),
            ],
            current_executable: Some(folder.path().join("gsar")),
        };
        Machine { folder, environment }
    }

    fn flag(endpoint: &str) -> ConnectOptions {
        ConnectOptions { endpoint: Some(endpoint.to_owned()), ..ConnectOptions::default() }
    }

    #[test]
    fn selects_flag_then_variable_then_socket_then_binary() {
        let Machine { folder, mut environment } = machine();
        let system = folder.path().join("system.sock");
        assert_eq!(
            select_target(&ConnectOptions::default(), &environment),
            Err(TargetError::NotFound {
                sockets: vec![
                    folder.path().join("user.sock").display().to_string(),
                    system.display().to_string()
                ]
            })
        );
        let binary = folder.path().join(SERVER_BINARY);
        std::fs::write(&binary, "").unwrap();
        let temporary = Target::Temporary { binary, data_dir: None, judge: None };
        assert_eq!(select_target(&ConnectOptions::default(), &environment), Ok(temporary.clone()));

        let listener = UnixListener::bind(&system).unwrap();
        let running = |endpoint: &str, origin| {
            let tls = TlsFiles::default();
            Ok(Target::Running {
                endpoint: endpoint.parse().unwrap(),
                origin,
                tls,
                token_file: None,
            })
        };
        let socket = format!("unix://{}", system.display());
        assert_eq!(
            select_target(&ConnectOptions::default(), &environment),
            running(&socket, EndpointSource::DefaultSocket)
        );
        drop(listener);
        assert_eq!(
            select_target(&ConnectOptions::default(), &environment),
            Ok(temporary),
            "a stale socket is ignored"
        );

        environment.endpoint = Some("grpc://gsar:1".to_owned());
        assert_eq!(
            select_target(&ConnectOptions::default(), &environment),
            running("grpc://gsar:1", EndpointSource::Variable)
        );
        assert_eq!(
            select_target(&flag("grpc://other:2"), &environment),
            running("grpc://other:2", EndpointSource::Flag)
        );
    }

    #[test]
    fn data_directory_selects_a_temporary_server() {
        let Machine { folder, mut environment } = machine();
        environment.endpoint = Some("grpc://gsar:1".to_owned());
        let binary = folder.path().join(SERVER_BINARY);
        std::fs::write(&binary, "").unwrap();
        let data_dir = Some(PathBuf::from("/data"));
        let options = ConnectOptions { data_dir: data_dir.clone(), ..ConnectOptions::default() };
        assert_eq!(
            select_target(&options, &environment),
            Ok(Target::Temporary { binary, data_dir, judge: None })
        );
    }

    #[test]
    fn tls_files_require_a_tls_endpoint() {
        let Machine { folder: _folder, mut environment } = machine();
        let file = |name: &str| Some(PathBuf::from(name));
        environment.tls =
            TlsFiles { ca: file("env-ca"), key: file("env-key"), ..TlsFiles::default() };
        let tls = TlsFiles { ca: file("flag-ca"), ..TlsFiles::default() };
        let options = ConnectOptions { tls, ..flag("grpcs://gsar:1") };
        let Ok(Target::Running { tls, .. }) = select_target(&options, &environment) else {
            panic!("{options:?}")
        };
        let merged = TlsFiles { ca: file("flag-ca"), key: file("env-key"), ..TlsFiles::default() };
        assert_eq!(tls, merged);

        assert!(
            select_target(&flag("grpc://gsar:1"), &environment).is_ok(),
            "variables are ignored without TLS"
        );
        let options = ConnectOptions { endpoint: Some("grpc://gsar:1".to_owned()), ..options };
        let error = select_target(&options, &environment).unwrap_err().to_string();
        assert!(error.contains("the server is grpc://gsar:1; use --endpoint grpcs://"), "{error}");
    }

    #[test]
    fn invalid_endpoint_is_reported_with_its_source() {
        let Machine { mut environment, folder: _folder } = machine();
        environment.endpoint = Some("localhost".to_owned());
        let error =
            select_target(&ConnectOptions::default(), &environment).unwrap_err().to_string();
        assert!(error.starts_with("GSAR_ENDPOINT: invalid endpoint `localhost`"), "{error}");
        let error = select_target(&flag("http://x:1"), &environment).unwrap_err().to_string();
        assert!(error.starts_with("--endpoint: invalid endpoint `http://x:1`"), "{error}");
    }
}
