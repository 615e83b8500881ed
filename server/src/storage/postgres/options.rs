//! The address and the options of a PostgreSQL database.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// The address of a database: `postgres://user@host:port/database`, with several hosts for a failover cluster, or
/// `postgres:///database?host=/var/run/postgresql` for a Unix socket.
///
/// `sslmode` is `disable` or `require`, which also verifies the certificate. It defaults to `require` for
/// remote hosts. The password is omitted when the address is displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl {
    text: String,
    config: tokio_postgres::Config,
}

const HIDDEN: &str = "***";
/// The time without a response after which a connection is considered dead.
const DEAD_AFTER: Duration = Duration::from_secs(10);

impl DatabaseUrl {
    pub(super) fn config(&self) -> tokio_postgres::Config {
        self.config.clone()
    }

    /// Returns `true` if the address contains a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Returns `true` if connections are encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Errors must not quote the text, because it may contain a password.
        const ALLOWED: &str = "use postgres://user@host:port/database, or postgres:///database?host=/folder/of/the/socket";
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(format!("is not a PostgreSQL address; {ALLOWED}"));
        }
        let mut config: tokio_postgres::Config =
            text.parse().map_err(|error: tokio_postgres::Error| {
                format!("cannot be read ({error}); {ALLOWED}")
            })?;
        if config.get_hosts().is_empty() {
            return Err(format!("has no host; {ALLOWED}"));
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            if text.contains("sslmode=prefer") {
                return Err(
                    "sslmode=prefer offers no protection; use require or disable".to_owned()
                );
            }
            let is_all_local = config.get_hosts().iter().all(is_local);
            config.ssl_mode(if is_all_local { SslMode::Disable } else { SslMode::Require });
        }
        if config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        config.tcp_user_timeout(DEAD_AFTER).keepalives_idle(DEAD_AFTER);
        if config.get_application_name().is_none() {
            config.application_name("gsar-server");
        }
        Ok(Self { text: redact_passwords(text), config })
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

/// Returns the text without its passwords, which can precede the hosts or be in the parameters.
fn redact_passwords(text: &str) -> String {
    let (address, parameters) = text
        .split_once('?')
        .map_or((text, None), |(address, parameters)| (address, Some(parameters)));
    let mut redacted = match address.split_once("://") {
        Some((scheme, authority)) => match authority.rsplit_once('@') {
            Some((user, hosts)) => match user.split_once(':') {
                Some((name, _)) => format!("{scheme}://{name}:{HIDDEN}@{hosts}"),
                None => address.to_owned(),
            },
            None => address.to_owned(),
        },
        None => address.to_owned(),
    };
    for (index, parameter) in parameters.into_iter().flat_map(|text| text.split('&')).enumerate() {
        redacted.push(if index == 0 { '?' } else { '&' });
        match parameter.split_once('=') {
            Some(("password", _)) => redacted.push_str(&format!("password={HIDDEN}")),
            _ => redacted.push_str(parameter),
        }
    }
    redacted
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

/// Options for a database.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The address.
    pub url: DatabaseUrl,
    /// A file with the password, as an alternative to a password in the address.
    pub password_file: Option<PathBuf>,
    /// A PEM file with the authorities that sign the server's certificate; `None` uses the system's
    /// authorities.
    pub ca: Option<PathBuf>,
    /// The maximum number of connections, 1 or more.
    pub connections: usize,
    /// The timeout for a statement, and for obtaining a connection.
    pub timeout: Duration,
    /// `true` if commits are flushed to disk before they are acknowledged.
    pub is_durable: bool,
    /// `true` if missing tables should be created.
    pub migrate: bool,
}

impl PostgresOptions {
    /// Returns the defaults: eight connections, a timeout of ten seconds, and missing tables are created.
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
    /// Checks the files without connecting. Returns the first problem.
    pub(crate) fn check_files(&self) -> Result<(), String> {
        super::Database::new(self).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DatabaseUrl, String> {
        text.parse()
    }

    #[test]
    fn passwords_are_never_shown() {
        for text in [
            "postgres://ada:secret@db.example:5432/gsar",
            "postgres://ada:se@cret@db.example/gsar?sslmode=require",
            "postgresql://ada@db.example/gsar?password=secret&connect_timeout=3",
        ] {
            let Ok(url) = parse(text) else { continue };
            assert!(url.has_password(), "{text}");
            for formatted in
                [url.to_string(), format!("{url:?}"), serde_json::to_string(&url).unwrap()]
            {
                assert!(!formatted.contains("cret"), "{formatted}");
                assert!(formatted.contains("***"), "{formatted}");
            }
        }
        for invalid in [
            "mysql://ada:secret@h/d",
            "postgres://ada:secret@h:port/d",
            "postgres://ada:secret@h/d?secret=secret",
        ] {
            assert!(!parse(invalid).unwrap_err().contains("ada"), "{invalid}");
        }
    }

    #[test]
    fn encrypts_remote_connections_by_default() {
        for (text, is_encrypted) in [
            ("postgres://ada@db.example/gsar", true),
            ("postgres://ada@db.example/gsar?sslmode=disable", false),
            ("postgres://ada@127.0.0.1/gsar", false),
            ("postgres://ada@127.0.0.1/gsar?sslmode=require", true),
            ("postgres:///gsar?host=/var/run/postgresql", false),
            ("postgres://ada@localhost,db.example/gsar", true),
        ] {
            assert_eq!(parse(text).unwrap().is_encrypted(), is_encrypted, "{text}");
        }
        assert!(
            parse("postgres://db.example/gsar?sslmode=prefer").unwrap_err().contains("require")
        );
    }
}
