//! The second look at supported claims: verdicts of a second reader and their effect on a class.
//!
//! A reader sees a statement with its quotes in their context, but neither the judge's verdict nor the rest of the evidence.
//! [`crate::sheets`] builds what the reader sees, [`crate::verify`] applies the result. A reading never makes a class less
//! strict.

use crate::claim::{Class, JudgedClaim};
use crate::ids::ClaimId;
use crate::policy::SecondLook;
use crate::report::ClaimKind;

/// A reader's verdict on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecondLookVerdict {
    /// The quotes, in their context, show the whole statement.
    Shown,
    /// At least one part is not shown, and none is refuted.
    NotShown,
    /// The quotes refute at least one part.
    Refuted,
}

impl SecondLookVerdict {
    /// Every verdict, least strict first.
    pub const ALL: [Self; 3] = [Self::Shown, Self::NotShown, Self::Refuted];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::NotShown => "not_shown",
            Self::Refuted => "refuted",
        }
    }
}

/// The result of reading a claim a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The claim.
    pub claim: ClaimId,
    /// The verdict.
    pub verdict: SecondLookVerdict,
    /// The reader's explanation; may be empty.
    pub words: String,
    /// The name of the reader.
    pub reader: String,
}

impl Reading {
    /// Returns `true` if the reading disagrees with a judge's class, so that the judge is called again.
    ///
    /// A complementary claim need not be shown but must not be refuted. A contradicted claim cannot become stricter.
    #[must_use]
    pub fn disagrees(&self, class: Class) -> bool {
        match class {
            Class::Grounded => self.verdict != SecondLookVerdict::Shown,
            Class::Complementary => self.verdict == SecondLookVerdict::Refuted,
            Class::Ungrounded | Class::Contradicted => false,
        }
    }

    /// The stricter of the judge's class and the reading.
    #[must_use]
    pub fn applied(&self, class: Class) -> Class {
        match (self.disagrees(class), self.verdict) {
            (true, SecondLookVerdict::Refuted) => Class::Contradicted,
            (true, _) => Class::Ungrounded,
            (false, _) => class,
        }
    }
}

/// Returns `true` if a claim needs a second look: grounded and contradicted claims, and complementary statements, since a
/// false statement could be among them.
#[must_use]
pub fn needs_second_look(mode: SecondLook, judged: &JudgedClaim) -> bool {
    let is_in_scope = match mode {
        SecondLook::Off => false,
        SecondLook::Headline => judged.role.is_headline(),
        SecondLook::All => true,
    };
    let is_readable = match judged.class {
        Class::Grounded | Class::Contradicted => true,
        Class::Complementary => ClaimKind::of(&judged.claim.text) == ClaimKind::Statement,
        Class::Ungrounded => false,
    };
    is_in_scope && is_readable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_never_makes_a_class_less_strict() {
        for class in Class::ALL {
            for verdict in SecondLookVerdict::ALL {
                let reading = Reading {
                    claim: ClaimId::new("c1").unwrap(),
                    verdict,
                    words: String::new(),
                    reader: String::new(),
                };
                assert!(reading.applied(class) >= class, "{class:?} {verdict:?}");
                assert_eq!(reading.applied(class) != class, reading.disagrees(class));
            }
        }
    }
}
