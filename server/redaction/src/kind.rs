//! The kinds of values that can be found in a text.

use std::fmt;
use std::sync::Arc;

/// The kind of a hidden value. Its name is part of the placeholder, so that a reader knows what was hidden.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A private key in PEM form.
    PrivateKey,
    /// A password, token, API key or the user information of an address.
    Secret,
    /// A match of a pattern of the operator.
    Custom(Arc<str>),
    /// The number of a payment card.
    Card,
    /// An e-mail address.
    Email,
    /// An IPv4 or IPv6 address.
    Ip,
    /// A telephone number.
    Phone,
    /// Text that looks like a placeholder of this redaction but is not.
    Lookalike,
}

impl Kind {
    /// Returns the name in placeholders: capital letters, digits and underscores.
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

    /// The reserved names.
    pub(crate) const BUILT_IN: [&'static str; 7] =
        ["PRIVATE_KEY", "SECRET", "CARD", "EMAIL", "IP", "PHONE", "TEXT"];

    /// Returns `true` if its values are credentials, which are hidden wherever they occur.
    pub(crate) fn is_credential(&self) -> bool {
        matches!(self, Self::PrivateKey | Self::Secret)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
