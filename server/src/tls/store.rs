//! This module keeps what was last read off the files of `[tls]`, replaced all at once or not at all.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use metrics::gauge;
use rustls::ServerConfig;

use super::TlsProblem;
use super::files::{Contents, read};
use crate::config::{Listen, Problems, Tls};
use crate::telemetry::metrics as names;

/// The certificate in force, with its key and the clients that may connect.
#[derive(Debug)]
pub struct TlsStore {
    files: Tls,
    current: RwLock<Contents>,
}

impl TlsStore {
    /// Checks the files where a listener needs them, and notes everything that is wrong.
    pub fn check(files: &Tls, listen: &[Listen], problems: &mut Problems) -> Option<Self> {
        files.check(listen, problems);
        let needs_them = listen.iter().any(|listen| matches!(listen, Listen::Tls(_)));
        if !needs_them || problems.concern(&["tls"]) {
            return None;
        }
        match read(files) {
            Ok(contents) => {
                warn_of_end(&contents);
                Some(Self { files: files.clone(), current: RwLock::new(contents) })
            }
            Err(wrong) => {
                for TlsProblem { key, description } in wrong {
                    problems.add(&["tls", key], description);
                }
                None
            }
        }
    }

    /// Reads the files again, for handshakes from now on. What was in force stays in force when anything is wrong.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn reload(&self) -> Result<(), Vec<TlsProblem>> {
        let contents = read(&self.files)?;
        warn_of_end(&contents);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = contents;
        self.publish_end();
        Ok(())
    }

    /// What a handshake needs that begins now.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner).config)
    }

    /// Says on /metrics when the certificate ends.
    pub(super) fn publish_end(&self) {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(not_after) = current.not_after {
            #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are below 2^53")]
            gauge!(names::TLS_NOT_AFTER).set(not_after as f64);
        }
    }
}

/// Says in the log that a certificate has ended.
fn warn_of_end(contents: &Contents) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if let Some(not_after) = contents.not_after.filter(|not_after| *not_after < now) {
        tracing::warn!(
            seconds_ago = now - not_after,
            "the certificate in tls.certificate has expired, and clients refuse it; replace it and send SIGHUP"
        );
    }
}
