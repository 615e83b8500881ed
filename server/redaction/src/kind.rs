//! This module lists the kinds of what can be found in a text.

use std::fmt;
use std::sync::Arc;

/// What a hidden value is. Its name stands in the placeholder, so that a reader knows what was there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A private key in PEM form.
    PrivateKey,
    /// A password, token, API key or the user information of an address.
    Secret,
    /// What a pattern of the operator found.
    Custom(Arc<str>),
    /// The number of a payment card.
    Card,
    /// An e-mail address.
    Email,
    /// An IPv4 or IPv6 address.
    Ip,
    /// A telephone number.
    Phone,
    /// Text that looks like a placeholder of this session and is none.
    Lookalike,
}

impl Kind {
    /// The word in placeholders: capital letters, digits and underscores.
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

    /// The names that are taken.
    pub(crate) const BUILT_IN: [&'static str; 7] =
        ["PRIVATE_KEY", "SECRET", "CARD", "EMAIL", "IP", "PHONE", "TEXT"];

    /// Whether its values give access, so that they are hidden wherever they stand.
    pub(crate) fn gives_access(&self) -> bool {
        matches!(self, Self::PrivateKey | Self::Secret)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
