//! The table `[storage]`: a database that several servers share.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Bytes, Duration, Problems};
use crate::storage::postgres::{DatabaseUrl, PostgresOptions};

/// The shared database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// The URL `postgres://user@host:port/database`. Any number of servers can share it. If absent, SQLite
    /// in `data_dir` is used.
    pub url: Option<DatabaseUrl>,
    /// A file with the account's password.
    pub password_file: Option<PathBuf>,
    /// A PEM file with the authorities that sign the database's certificate. Defaults to the system's
    /// authorities.
    pub ca: Option<PathBuf>,
    /// The maximum number of connections to the database.
    pub connections: usize,
    /// The timeout for a statement, and for obtaining a connection.
    pub timeout: Duration,
    /// `true` if the server creates missing tables when it starts. Otherwise run `gsar-server migrate`.
    pub migrate: bool,
}

const MIN_TIMEOUT: std::time::Duration = std::time::Duration::from_millis(100);
const MAX_CONNECTIONS: usize = 1_000;

impl Default for Storage {
    fn default() -> Self {
        Self {
            url: None,
            password_file: None,
            ca: None,
            connections: 8,
            timeout: Duration(std::time::Duration::from_secs(10)),
            migrate: true,
        }
    }
}

impl Storage {
    /// Returns the database options, if a URL is configured.
    #[must_use]
    pub fn options(&self, is_durable: bool) -> Option<PostgresOptions> {
        self.url.clone().map(|url| PostgresOptions {
            url,
            password_file: self.password_file.clone(),
            ca: self.ca.clone(),
            connections: self.connections,
            timeout: self.timeout.0,
            is_durable,
            migrate: self.migrate,
        })
    }

    pub(super) fn check(&self, max_size: Option<Bytes>, problems: &mut Problems) {
        if !(1..=MAX_CONNECTIONS).contains(&self.connections) {
            let description =
                format!("{} is out of range; use 1 to {MAX_CONNECTIONS}", self.connections);
            problems.add(&["storage", "connections"], description);
        }
        if self.timeout.0 < MIN_TIMEOUT {
            problems.add(&["storage", "timeout"], "is below 100ms; use a larger value");
        }
        let Some(url) = &self.url else {
            for (key, is_given) in
                [("password_file", self.password_file.is_some()), ("ca", self.ca.is_some())]
            {
                if is_given {
                    let description = "has no effect without storage.url; remove it";
                    problems.add(&["storage", key], description);
                }
            }
            return;
        };
        if url.has_password() && self.password_file.is_some() {
            problems.add(
                &["storage", "password_file"],
                "is set in addition to a password in storage.url; set only one of them",
            );
        }
        if self.ca.is_some() && !url.is_encrypted() {
            problems.add(
                &["storage", "ca"],
                "has no effect without TLS; add sslmode=require to storage.url",
            );
        }
        if max_size.is_some() {
            let description = "does not work with a shared database; use ledger.max_age";
            problems.add(&["ledger", "max_size"], description);
        }
    }
}
