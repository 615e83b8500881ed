//! Which server a call goes to: one that runs, or one that is started for this call.
//!
//! Reads the file system to see whether a socket is there; the environment is handed in.

mod one_call;

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub use one_call::{OneCallServer, StartError};

use crate::endpoint::{Endpoint, EndpointError};
use crate::tls::TlsFiles;

/// The name of the server's binary.
pub const SERVER_BINARY: &str = "gsar-server";

/// What finding a server depends on, beside the caller's wish.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `GSAR_ENDPOINT`.
    pub endpoint: Option<String>,
    /// `GSAR_TLS_CA`, `GSAR_TLS_CERTIFICATE` and `GSAR_TLS_KEY`.
    pub tls: TlsFiles,
    /// `GSAR_TOKEN_FILE`.
    pub token_file: Option<PathBuf>,
    /// The sockets that are tried, in order.
    pub default_sockets: Vec<PathBuf>,
    /// The binary that is running.
    pub current_executable: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
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

    /// The server's binary beside the one that is running.
    #[must_use]
    pub fn server_binary(&self) -> Option<PathBuf> {
        let beside = self.current_executable.as_ref()?.parent()?.join(SERVER_BINARY);
        beside.is_file().then_some(beside)
    }
}

/// What the caller asks for.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The endpoint named on the command line.
    pub endpoint: Option<String>,
    /// The data directory of a server that is started for this call; with it, no running server is asked.
    pub data_dir: Option<PathBuf>,
    /// The judge of a server that is started for this call; with it, no running server is asked.
    pub judge: Option<ChosenJudge>,
    /// The files for TLS named on the command line.
    pub tls: TlsFiles,
    /// The file with a token named on the command line.
    pub token_file: Option<PathBuf>,
}

/// The only judge of a server that is started for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenJudge {
    /// Its name, such as `ollama:qwen3:8b`.
    pub name: String,
    /// Its base URL; `None` for the provider's default.
    pub url: Option<String>,
}

/// Where the calls go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a server that runs.
    Running {
        /// Where it listens.
        endpoint: Endpoint,
        /// How it was found.
        found: EndpointSource,
        /// The files for TLS, where it listens with TLS.
        tls: TlsFiles,
        /// The file with a token, where one is named.
        token_file: Option<PathBuf>,
    },
    /// To a server that is started for this call and stopped after it.
    OneCall {
        /// Its binary.
        binary: PathBuf,
        /// Its data directory; `None` for a private one that goes with it.
        data_dir: Option<PathBuf>,
        /// Its judge; `None` for those of its configuration.
        judge: Option<ChosenJudge>,
    },
}

/// How an endpoint was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointSource {
    /// `--endpoint`.
    Flag,
    /// `GSAR_ENDPOINT`.
    Variable,
    /// The default socket is there.
    DefaultSocket,
}

impl EndpointSource {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Flag => "--endpoint",
            Self::Variable => "GSAR_ENDPOINT",
            Self::DefaultSocket => "the default socket",
        }
    }
}

/// Why there is no server to ask.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// An endpoint that is none.
    #[error("{}: {error}", found.words())]
    Endpoint {
        /// Where it was given.
        found: EndpointSource,
        /// What is wrong with it.
        error: EndpointError,
    },
    /// Files for TLS, and a server without.
    #[error(
        "--tls-ca, --tls-certificate and --tls-key are for a server with TLS, and {asked} is none; write --endpoint \
         grpcs://host:port, or leave them out"
    )]
    WithoutTls {
        /// The server that would be asked.
        asked: String,
    },
    /// None runs and none can be started.
    #[error(
        "no server runs here and {SERVER_BINARY} is not installed beside gsar\n  \
         looked for a socket at {}\n  \
         start a server, or name one with --endpoint unix:///path, grpc://host:port or grpcs://host:port",
        sockets.join(" and ")
    )]
    Nowhere {
        /// The sockets that were tried.
        sockets: Vec<String>,
    },
}

/// Finds a server: the endpoint wished for, else `GSAR_ENDPOINT`, else the first default socket on which
/// somebody listens, else the server's binary beside this one.
///
/// # Errors
/// [`TargetError`] when an endpoint is none, there is no server at all, or files for TLS are named for one without.
pub fn find(wish: &Wish, environment: &Environment) -> Result<Target, TargetError> {
    let target = looked_for(wish, environment)?;
    let asked = match &target {
        Target::Running { endpoint: Endpoint::Tls(_), .. } => return Ok(target),
        Target::Running { endpoint, .. } => endpoint.to_string(),
        Target::OneCall { .. } => "the one started for this call".to_owned(),
    };
    if wish.tls == TlsFiles::default() {
        Ok(target)
    } else {
        Err(TargetError::WithoutTls { asked })
    }
}

fn looked_for(wish: &Wish, environment: &Environment) -> Result<Target, TargetError> {
    let token_file = wish.token_file.clone().or_else(|| environment.token_file.clone());
    if wish.data_dir.is_none() && wish.judge.is_none() {
        for (given, found) in [
            (&wish.endpoint, EndpointSource::Flag),
            (&environment.endpoint, EndpointSource::Variable),
        ] {
            if let Some(given) = given {
                let endpoint: Endpoint =
                    given.parse().map_err(|error| TargetError::Endpoint { found, error })?;
                let tls = match endpoint {
                    Endpoint::Tls(_) => wish.tls.clone().or(&environment.tls),
                    Endpoint::Unix(_) | Endpoint::Tcp(_) => TlsFiles::default(),
                };
                return Ok(Target::Running { endpoint, found, tls, token_file });
            }
        }
        if let Some(path) = environment.default_sockets.iter().find(|path| is_listened_on(path)) {
            let endpoint = Endpoint::Unix(path.clone());
            let (found, tls) = (EndpointSource::DefaultSocket, TlsFiles::default());
            return Ok(Target::Running { endpoint, found, tls, token_file });
        }
    }
    match environment.server_binary() {
        Some(binary) => {
            let (data_dir, judge) = (wish.data_dir.clone(), wish.judge.clone());
            Ok(Target::OneCall { binary, data_dir, judge })
        }
        None => Err(TargetError::Nowhere {
            sockets: environment
                .default_sockets
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        }),
    }
}

/// A socket file that a dead server left behind is nobody's; one that may not be opened is somebody's.
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

    fn flag(endpoint: &str) -> Wish {
        Wish { endpoint: Some(endpoint.to_owned()), ..Wish::default() }
    }

    #[test]
    fn the_flag_comes_first_then_the_variable_then_the_socket_then_the_binary() {
        let Machine { folder, mut environment } = machine();
        let system = folder.path().join("system.sock");
        assert_eq!(
            find(&Wish::default(), &environment),
            Err(TargetError::Nowhere {
                sockets: vec![
                    folder.path().join("user.sock").display().to_string(),
                    system.display().to_string()
                ]
            })
        );
        let binary = folder.path().join(SERVER_BINARY);
        std::fs::write(&binary, "").unwrap();
        let one_call = Target::OneCall { binary, data_dir: None, judge: None };
        assert_eq!(find(&Wish::default(), &environment), Ok(one_call.clone()));

        let listener = UnixListener::bind(&system).unwrap();
        let running = |endpoint: &str, found| {
            let tls = TlsFiles::default();
            Ok(Target::Running {
                endpoint: endpoint.parse().unwrap(),
                found,
                tls,
                token_file: None,
            })
        };
        let socket = format!("unix://{}", system.display());
        assert_eq!(
            find(&Wish::default(), &environment),
            running(&socket, EndpointSource::DefaultSocket)
        );
        drop(listener);
        assert_eq!(find(&Wish::default(), &environment), Ok(one_call), "a dead socket is nobody's");

        environment.endpoint = Some("grpc://gsar:1".to_owned());
        assert_eq!(
            find(&Wish::default(), &environment),
            running("grpc://gsar:1", EndpointSource::Variable)
        );
        assert_eq!(
            find(&flag("grpc://other:2"), &environment),
            running("grpc://other:2", EndpointSource::Flag)
        );
    }

    #[test]
    fn a_data_directory_asks_for_a_server_of_its_own() {
        let Machine { folder, mut environment } = machine();
        environment.endpoint = Some("grpc://gsar:1".to_owned());
        let binary = folder.path().join(SERVER_BINARY);
        std::fs::write(&binary, "").unwrap();
        let data_dir = Some(PathBuf::from("/data"));
        let wish = Wish { data_dir: data_dir.clone(), ..Wish::default() };
        assert_eq!(
            find(&wish, &environment),
            Ok(Target::OneCall { binary, data_dir, judge: None })
        );
    }

    #[test]
    fn files_for_tls_go_with_an_endpoint_that_has_tls() {
        let Machine { folder: _folder, mut environment } = machine();
        let file = |name: &str| Some(PathBuf::from(name));
        environment.tls =
            TlsFiles { ca: file("env-ca"), key: file("env-key"), ..TlsFiles::default() };
        let tls = TlsFiles { ca: file("flag-ca"), ..TlsFiles::default() };
        let wish = Wish { tls, ..flag("grpcs://gsar:1") };
        let Ok(Target::Running { tls, .. }) = find(&wish, &environment) else { panic!("{wish:?}") };
        let merged = TlsFiles { ca: file("flag-ca"), key: file("env-key"), ..TlsFiles::default() };
        assert_eq!(tls, merged);

        assert!(
            find(&flag("grpc://gsar:1"), &environment).is_ok(),
            "variables are for any endpoint"
        );
        let wish = Wish { endpoint: Some("grpc://gsar:1".to_owned()), ..wish };
        let error = find(&wish, &environment).unwrap_err().to_string();
        assert!(error.contains("grpc://gsar:1 is none; write --endpoint grpcs://"), "{error}");
    }

    #[test]
    fn an_endpoint_that_is_none_says_where_it_was_given() {
        let Machine { mut environment, folder: _folder } = machine();
        environment.endpoint = Some("localhost".to_owned());
        let error = find(&Wish::default(), &environment).unwrap_err().to_string();
        assert!(error.starts_with("GSAR_ENDPOINT: `localhost` is no endpoint"), "{error}");
        let error = find(&flag("http://x:1"), &environment).unwrap_err().to_string();
        assert!(error.starts_with("--endpoint: `http://x:1` is no endpoint"), "{error}");
    }
}
