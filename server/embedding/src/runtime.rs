//! Finds, checks and loads the ONNX Runtime library.
//!
//! The library is global state, because ONNX Runtime allows only one environment per process.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::logging::LogLevel;

use crate::user_cache::{self, Manifest};

const FETCHED_VERSION: &str = "1.27.0";
/// The minimum version that the `ort` crate supports.
const MIN_VERSION: &str = "1.24";
const VARIABLE: &str = "ORT_DYLIB_PATH";
/// The library folder in packages, relative to the executable's folder.
const INSTALLED: &str = "../lib/gsar/onnxruntime";

static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);

/// The loaded ONNX Runtime. Clones share it.
#[derive(Clone, Debug)]
pub struct Runtime {
    environment: Environment,
    library: Arc<Path>,
}

/// An error from loading ONNX Runtime.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// The file is missing.
    #[error("ONNX Runtime: file {} not found ({origin}); {}", file.display(), fix(*origin))]
    Missing {
        /// The file.
        file: PathBuf,
        /// The source of its path.
        origin: Origin,
    },
    /// No library is configured, and there is no cache folder.
    #[error(
        "ONNX Runtime: no library is configured and neither XDG_CACHE_HOME nor HOME is an absolute path; set {VARIABLE} to the shared library of version {MIN_VERSION} or later"
    )]
    NoCacheFolder,
    /// The file is not a loadable shared library.
    #[error("ONNX Runtime: {} ({origin}) is not a loadable library: {found}; {}", file.display(), fix(*origin))]
    NotALibrary {
        /// The file.
        file: PathBuf,
        /// The source of its path.
        origin: Origin,
        /// The cause.
        found: String,
    },
    /// The version of the library is too old.
    #[error("ONNX Runtime: {} ({origin}) is version {found}, but {MIN_VERSION} or later is required; {}", file.display(), fix(*origin))]
    TooOld {
        /// The file.
        file: PathBuf,
        /// The source of its path.
        origin: Origin,
        /// The library's version.
        found: String,
    },
    /// The library changed since it was fetched.
    #[error("ONNX Runtime: {} ({origin}) has sha256 {found}, but the manifest has {expected}; run `make onnxruntime`", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
        /// The source of its path.
        origin: Origin,
        /// The SHA-256 in the manifest.
        expected: String,
        /// The SHA-256 of the file.
        found: String,
    },
    /// This process has already loaded another library.
    #[error("ONNX Runtime: this process has already loaded {}, so it cannot load {}; configure only one library", loaded.display(), requested.display())]
    OtherLoaded {
        /// The loaded library.
        loaded: PathBuf,
        /// The requested library.
        requested: PathBuf,
    },
    /// The library was loaded but failed to start.
    #[error("ONNX Runtime: {} failed to start: {reason}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// The error from the library.
        reason: String,
    },
}

/// The source of a library path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller.
    Given,
    /// The variable `ORT_DYLIB_PATH`.
    Variable,
    /// This program's installation.
    Installed,
    /// `make onnxruntime`.
    Cache,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Given => "set in the configuration",
            Self::Variable => "set by ORT_DYLIB_PATH",
            Self::Installed => "installed with this program",
            Self::Cache => "in the user's cache",
        })
    }
}

fn fix(origin: Origin) -> &'static str {
    match origin {
        Origin::Given | Origin::Variable => {
            "set it to the shared library of version 1.24 or later, or unset it and run `make onnxruntime`"
        }
        Origin::Installed => "reinstall the package, or set ORT_DYLIB_PATH",
        Origin::Cache => "run `make onnxruntime`, or set ORT_DYLIB_PATH",
    }
}

impl Runtime {
    /// Loads `library` if given. Otherwise, loads the first library found in `ORT_DYLIB_PATH`, this
    /// program's installation and the user's cache. An unusable `library` or `ORT_DYLIB_PATH` is an error.
    ///
    /// Later calls return the loaded library. The first call takes about 0.2 s.
    ///
    /// # Errors
    ///
    /// Returns a [`RuntimeError`]. The process can retry with another file, except after
    /// [`RuntimeError::OtherLoaded`] and [`RuntimeError::Refused`].
    pub fn load(library: Option<&Path>) -> Result<Self, RuntimeError> {
        let program = std::env::current_exe().ok();
        let (file, origin) = locate(library, |name| std::env::var_os(name), program.as_deref())?;
        let file = file
            .canonicalize()
            .map_err(|_missing| RuntimeError::Missing { file: file.clone(), origin })?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*loaded {
            return if *runtime.library == *file {
                Ok(runtime.clone())
            } else {
                Err(RuntimeError::OtherLoaded {
                    loaded: runtime.library.to_path_buf(),
                    requested: file,
                })
            };
        }
        check(&file, origin)?;
        let environment = start(&file, origin)?;
        tracing::debug!(library = %file.display(), "ONNX Runtime is loaded");
        Ok(loaded.insert(Self { environment, library: file.into() }).clone())
    }

    /// Returns the environment for creating sessions.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the path of the loaded library.
    #[must_use]
    pub fn library(&self) -> &Path {
        &self.library
    }
}

fn locate(
    argument: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
    program: Option<&Path>,
) -> Result<(PathBuf, Origin), RuntimeError> {
    if let Some(file) = argument {
        return Ok((file.to_owned(), Origin::Given));
    }
    if let Some(file) = variable(VARIABLE).filter(|file| !file.is_empty()) {
        return Ok((file.into(), Origin::Variable));
    }
    let name = format!("libonnxruntime{}", std::env::consts::DLL_SUFFIX);
    let installed = program.and_then(Path::parent).map(|folder| folder.join(INSTALLED).join(&name));
    if let Some(file) = installed.filter(|file| file.exists()) {
        return Ok((file, Origin::Installed));
    }
    let folder = user_cache::folder(variable).ok_or(RuntimeError::NoCacheFolder)?;
    Ok((folder.join("onnxruntime").join(FETCHED_VERSION).join(name), Origin::Cache))
}

/// Rejects files that would crash the dynamic loader or that changed since they were fetched.
fn check(file: &Path, origin: Origin) -> Result<(), RuntimeError> {
    let not_a_library =
        |found: String| RuntimeError::NotALibrary { file: file.to_owned(), origin, found };
    if !file.is_file() {
        return Err(not_a_library("it is not a file".to_owned()));
    }
    let content = std::fs::read(file).map_err(|error| not_a_library(error.to_string()))?;
    if content.is_empty() {
        return Err(not_a_library("it is empty".to_owned()));
    }
    if let Some(expected) = length_from_header(&content)
        && expected > content.len() as u64
    {
        return Err(not_a_library(format!(
            "it is truncated: {} of {expected} bytes",
            content.len()
        )));
    }
    let (Some(folder), Some(name)) =
        (file.parent(), file.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(());
    };
    let manifest = Manifest::read(folder)
        .map_err(|error| not_a_library(format!("its manifest.json cannot be read: {error}")))?;
    let Some(expected) = manifest.as_ref().and_then(|manifest| manifest.sha256(name)) else {
        return Ok(());
    };
    let found = user_cache::to_hex(&user_cache::sha256(&content));
    if found == expected {
        return Ok(());
    }
    Err(RuntimeError::Changed {
        file: file.to_owned(),
        origin,
        expected: expected.to_owned(),
        found,
    })
}

/// Returns the length that the header of a 64-bit little-endian ELF file implies: the end of its section
/// header table. Returns `None` for other files. The dynamic loader maps ranges of the file without
/// checking its length.
fn length_from_header(content: &[u8]) -> Option<u64> {
    let number = |offset: usize, bytes: usize| {
        let field = content.get(offset..offset + bytes)?;
        Some(field.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    if !content.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    // e_shoff, e_shentsize and e_shnum.
    let Some((offset, (size, count))) = number(40, 8).zip(number(58, 2).zip(number(60, 2))) else {
        return Some(64);
    };
    Some(offset.saturating_add(size * count))
}

fn start(file: &Path, origin: Origin) -> Result<Environment, RuntimeError> {
    let not_a_library =
        |found: String| RuntimeError::NotALibrary { file: file.to_owned(), origin, found };
    let builder = ort::init_from(file).map_err(|error| match error {
        ort::LoadDynamicError::Dlopen { error, .. } => not_a_library(error.to_string()),
        ort::LoadDynamicError::MissingApi { .. } => {
            not_a_library("it does not export OrtGetApiBase".to_owned())
        }
        ort::LoadDynamicError::InvalidVersionString => {
            not_a_library("its version is not text".to_owned())
        }
        ort::LoadDynamicError::BadVersion { version_str, .. } => {
            RuntimeError::TooOld { file: file.to_owned(), origin, found: version_str }
        }
    })?;
    let environment = builder
        .with_name("gsar")
        .with_telemetry(false)
        .with_logger(Arc::new(log))
        .build()
        .map_err(|error| RuntimeError::Refused {
            file: file.to_owned(),
            reason: error.to_string(),
        })?;
    environment.set_log_level(LogLevel::Warning);
    Ok(environment)
}

fn log(level: LogLevel, _category: &str, _id: &str, location: &str, message: &str) {
    match level {
        LogLevel::Error | LogLevel::Fatal => tracing::warn!(location, "ONNX Runtime: {message}"),
        _ => tracing::debug!(location, "ONNX Runtime: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_argument_then_variable_then_package_then_cache() {
        let prefix = tempfile::tempdir().unwrap();
        let program = prefix.path().join("bin/gsar-server");
        let installed = prefix.path().join("lib/gsar/onnxruntime");
        for folder in [program.parent().unwrap(), &installed] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let variable_and_home = |name: &str| match name {
            VARIABLE => Some(OsString::from("/by/variable")),
            "HOME" => Some(OsString::from("/home/user")),
            _ => None,
        };
        let locate_library =
            |argument: Option<&str>, variable: &dyn Fn(&str) -> Option<OsString>| {
                locate(argument.map(Path::new), variable, Some(&program))
            };
        let only_home = |name: &str| variable_and_home(name).filter(|_| name != VARIABLE);
        let (file, origin) = locate_library(None, &only_home).unwrap();
        assert_eq!(origin, Origin::Cache);
        assert!(file.starts_with("/home/user/.cache/gsar/onnxruntime/1.27.0"), "{file:?}");
        assert_eq!(locate_library(None, &|_| None).unwrap_err(), RuntimeError::NoCacheFolder);

        let library = installed.join(format!("libonnxruntime{}", std::env::consts::DLL_SUFFIX));
        std::fs::write(&library, "").unwrap();
        let (file, origin) = locate_library(None, &only_home).unwrap();
        assert_eq!(origin, Origin::Installed);
        assert_eq!(file.canonicalize().unwrap(), library.canonicalize().unwrap());
        assert_eq!(
            locate_library(None, &variable_and_home).unwrap(),
            ("/by/variable".into(), Origin::Variable)
        );
        assert_eq!(
            locate_library(Some("given"), &variable_and_home).unwrap(),
            ("given".into(), Origin::Given)
        );
    }

    #[test]
    fn fetched_version_matches_fetch_py() {
        let program = include_str!("../fetch.py");
        assert!(program.contains(&format!("RUNTIME_VERSION = \"{FETCHED_VERSION}\"")));
    }

    #[test]
    fn computes_the_length_of_a_library_from_its_header() {
        let mut library = vec![0_u8; 64];
        library[..6].copy_from_slice(b"\x7fELF\x02\x01");
        library[40..48].copy_from_slice(&1000_u64.to_le_bytes());
        library[58] = 64;
        library[60] = 3;
        assert_eq!(length_from_header(&library), Some(1192));
        library[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(length_from_header(&library), Some(u64::MAX));
        assert_eq!(length_from_header(&library[..50]), Some(64));
        assert_eq!(length_from_header(b"text"), None);
    }
}
