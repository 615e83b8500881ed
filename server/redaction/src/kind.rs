//! Kinds of redacted values.

use std::fmt;
use std::sync::Arc;

/// The kind of a hidden value. Placeholders include the kind's name, so that readers know what was hidden.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A PEM private key.
    PrivateKey,
    /// A password, token, API key or URL user information.
    Secret,
    /// A match of an operator-defined pattern.
    Custom(Arc<str>),
    /// A payment card number.
    Card,
    /// An e-mail address.
    Email,
    /// An IPv4 or IPv6 address.
    Ip,
    /// A telephone number.
    Phone,
    /// Text that resembles a placeholder but was not issued by this redaction.
    Lookalike,
}

impl Kind {
    /// Returns the name used in placeholders: capital letters, digits and underscores.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::PrivateKey => "PRIVATE_KEY",
            Self::Secret => "SECRET",
            Self::Custom(name) => name,
            Self::Card => "CARD",
            Self::Email => "EMAIL",
            Self::Ip => "IP",
            Self::Phone => "PHONE",
            Self::Lookalike => "TEXT",
        }
    }

    /// Names that operator-defined patterns cannot use.
    pub(crate) const BUILT_IN: [&'static str; 7] =
        ["PRIVATE_KEY", "SECRET", "CARD", "EMAIL", "IP", "PHONE", "TEXT"];

    /// Returns `true` for credentials, which are hidden in all texts of a request.
    pub(crate) fn is_credential(&self) -> bool {
        matches!(self, Self::PrivateKey | Self::Secret)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
