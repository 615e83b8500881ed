//! This module reads where a PostgreSQL database is and how it is reached. It opens nothing.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// The address of a database: `postgres://user@host:port/database`, with several hosts for a cluster that fails over, or
/// `postgres:///database?host=/var/run/postgresql` for a unix socket.
///
/// It is shown without its password. `sslmode` is `disable` or `require`, which verifies the certificate; where it is
/// absent, connections that leave this machine are `require`.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl {
    text: String,
    config: tokio_postgres::Config,
}

/// What stands where the password was.
const HIDDEN: &str = "***";
/// After how long without an answer a connection counts as dead.
const SILENCE: Duration = Duration::from_secs(10);

impl DatabaseUrl {
    /// How it is connected to.
    pub(super) fn config(&self) -> tokio_postgres::Config {
        self.config.clone()
    }

    /// Whether it holds a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Whether connections are encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // What was given is not repeated: it may hold a password.
        const ALLOWED: &str = "give postgres://user@host:port/database, or postgres:///database?host=/folder/of/the/socket";
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(format!("is no address of PostgreSQL; {ALLOWED}"));
        }
        let mut config: tokio_postgres::Config =
            text.parse().map_err(|error: tokio_postgres::Error| {
                format!("cannot be read ({error}); {ALLOWED}")
            })?;
        if config.get_hosts().is_empty() {
            return Err(format!("names no host; {ALLOWED}"));
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            if text.contains("sslmode=prefer") {
                return Err(
                    "sslmode=prefer protects from nobody; give require or disable".to_owned()
                );
            }
            let stays_here = config.get_hosts().iter().all(is_local);
            config.ssl_mode(if stays_here { SslMode::Disable } else { SslMode::Require });
        }
        if config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("gsar-server");
        }
        Ok(Self { text: shown(text), config })
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

/// The text without its passwords: the one before the hosts, and the one among the parameters.
fn shown(text: &str) -> String {
    let (address, parameters) = text.split_once('?').map_or((text, None), |(a, p)| (a, Some(p)));
    let mut shown = match address.split_once("://") {
        Some((scheme, rest)) => match rest.rsplit_once('@') {
            Some((user, hosts)) => match user.split_once(':') {
                Some((name, _)) => format!("{scheme}://{name}:{HIDDEN}@{hosts}"),
                None => address.to_owned(),
            },
            None => address.to_owned(),
        },
        None => address.to_owned(),
    };
    for (at, parameter) in parameters.into_iter().flat_map(|all| all.split('&')).enumerate() {
        shown.push(if at == 0 { '?' } else { '&' });
        match parameter.split_once('=') {
            Some(("password", _)) => shown.push_str(&format!("password={HIDDEN}")),
            _ => shown.push_str(parameter),
        }
    }
    shown
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for DatabaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// How a database is used.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Where it is.
    pub url: DatabaseUrl,
    /// A file with the password; where it is given, the address holds none.
    pub password_file: Option<PathBuf>,
    /// Certificates in PEM of the authorities that sign the certificate of the server; absent: those of the system.
    pub ca: Option<PathBuf>,
    /// The most connections, 1 or more.
    pub connections: usize,
    /// The longest statement, and the longest wait for a connection.
    pub timeout: Duration,
    /// Whether a commit is on the disk of the database before it is acknowledged.
    pub is_durable: bool,
    /// Whether the schema is brought to the latest version when it is opened.
    pub migrate: bool,
}

impl PostgresOptions {
    /// Eight connections, statements of at most ten seconds, migrated when opened.
    #[must_use]
    pub fn new(url: DatabaseUrl) -> Self {
        Self {
            url,
            password_file: None,
            ca: None,
            connections: 8,
            timeout: Duration::from_secs(10),
            is_durable: true,
            migrate: true,
        }
    }
}

impl PostgresOptions {
    /// Checks the files that are named, and reaches for nothing.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn check_files(&self) -> Result<(), String> {
        super::Database::new(self).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<DatabaseUrl, String> {
        text.parse()
    }

    #[test]
    fn no_password_is_ever_shown() {
        for text in [
            "postgres://ada:secret@db.example:5432/gsar",
            "postgres://ada:se@cret@db.example/gsar?sslmode=require",
            "postgresql://ada@db.example/gsar?password=secret&connect_timeout=3",
        ] {
            let Ok(url) = read(text) else { continue };
            assert!(url.has_password(), "{text}");
            for shown in [url.to_string(), format!("{url:?}"), serde_json::to_string(&url).unwrap()]
            {
                assert!(!shown.contains("cret"), "{shown}");
                assert!(shown.contains("***"), "{shown}");
            }
        }
        for wrong in [
            "mysql://ada:secret@h/d",
            "postgres://ada:secret@h:port/d",
            "postgres://ada:secret@h/d?secret=secret",
        ] {
            assert!(!read(wrong).unwrap_err().contains("ada"), "{wrong}");
        }
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_unless_it_is_said_otherwise() {
        for (text, encrypted) in [
            ("postgres://ada@db.example/gsar", true),
            ("postgres://ada@db.example/gsar?sslmode=disable", false),
            ("postgres://ada@127.0.0.1/gsar", false),
            ("postgres://ada@127.0.0.1/gsar?sslmode=require", true),
            ("postgres:///gsar?host=/var/run/postgresql", false),
            ("postgres://ada@localhost,db.example/gsar", true),
        ] {
            assert_eq!(read(text).unwrap().is_encrypted(), encrypted, "{text}");
        }
        assert!(read("postgres://db.example/gsar?sslmode=prefer").unwrap_err().contains("require"));
    }
}
