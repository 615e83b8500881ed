//! The current TLS configuration, which is replaced atomically.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use metrics::gauge;
use rustls::ServerConfig;

use super::TlsProblem;
use super::files::{Contents, read};
use crate::config::{Listen, Problems, Tls};
use crate::telemetry::metrics as names;

/// The server certificate and the client authentication, loaded from files.
#[derive(Debug)]
pub struct TlsStore {
    files: Tls,
    current: RwLock<Contents>,
}

impl TlsStore {
    /// Reads the files if a listener needs them. Adds all errors to `problems`.
    pub fn check(files: &Tls, listen: &[Listen], problems: &mut Problems) -> Option<Self> {
        files.check(listen, problems);
        let is_needed = listen.iter().any(|listen| matches!(listen, Listen::Tls(_)));
        if !is_needed || problems.has_errors_at(&["tls"]) {
            return None;
        }
        match read(files) {
            Ok(contents) => {
                warn_if_expired(&contents);
                Some(Self { files: files.clone(), current: RwLock::new(contents) })
            }
            Err(errors) => {
                for TlsProblem { key, description } in errors {
                    problems.add(&["tls", key], description);
                }
                None
            }
        }
    }

    /// Reloads the files for later handshakes. Keeps the previous contents if there is any error.
    ///
    /// # Errors
    /// Returns all errors in the files.
    pub fn reload(&self) -> Result<(), Vec<TlsProblem>> {
        let contents = read(&self.files)?;
        warn_if_expired(&contents);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = contents;
        self.publish_expiry();
        Ok(())
    }

    pub(super) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner).config)
    }

    pub(super) fn publish_expiry(&self) {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(not_after) = current.not_after {
            #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are below 2^53")]
            gauge!(names::TLS_NOT_AFTER).set(not_after as f64);
        }
    }
}

fn warn_if_expired(contents: &Contents) {
    let now_seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if let Some(not_after) = contents.not_after.filter(|not_after| *not_after < now_seconds) {
        tracing::warn!(
            seconds_ago = now_seconds - not_after,
            "the certificate in tls.certificate has expired, so clients refuse it; replace it and send SIGHUP"
        );
    }
}
