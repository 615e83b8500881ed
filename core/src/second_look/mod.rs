//! A second look: what a reader is shown of a supported claim, and what its word does.
//!
//! A reader sees a statement with its quotes in their context and nothing else: neither the verdict of the judge nor the
//! rest of the evidence. [`sheets()`] lays out what is to be read, [`crate::verify`] applies what was read. This module
//! calls no judge, and a reading never makes a class less strict.

mod place;
mod sheets;

pub use sheets::{Sheet, Statement, sheets};

use crate::claim::{ClaimId, Class, JudgedClaim};
use crate::policy::SecondLook;
use crate::report::ClaimKind;

/// What a reader says of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The quotes in their context show all of it.
    Shown,
    /// At least one part of it is not shown, and none is refuted.
    NotShown,
    /// At least one part of it is false by them.
    Refuted,
}

impl Verdict {
    /// Every verdict, by rising strictness.
    pub const ALL: [Self; 3] = [Self::Shown, Self::NotShown, Self::Refuted];

    /// The word used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::NotShown => "not_shown",
            Self::Refuted => "refuted",
        }
    }
}

/// What was read of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The claim.
    pub claim: ClaimId,
    /// The verdict.
    pub verdict: Verdict,
    /// The words that decided, as the reader gives them; may be empty.
    pub words: String,
    /// Who read it.
    pub reader: String,
}

impl Reading {
    /// Whether it disagrees with a judge that gave the claim that class, so that the judge is asked once more.
    ///
    /// A complementary claim need not be shown, but must not be refuted. A contradicted claim cannot become stricter.
    #[must_use]
    pub fn disagrees(&self, class: Class) -> bool {
        match class {
            Class::Grounded => self.verdict != Verdict::Shown,
            Class::Complementary => self.verdict == Verdict::Refuted,
            Class::Ungrounded | Class::Contradicted => false,
        }
    }

    /// The class of a claim after the stricter of judge and reader.
    #[must_use]
    pub fn applied(&self, class: Class) -> Class {
        match (self.disagrees(class), self.verdict) {
            (true, Verdict::Refuted) => Class::Contradicted,
            (true, _) => Class::Ungrounded,
            (false, _) => class,
        }
    }
}

/// Whether a claim is read under a policy: what a judge calls grounded or contradicted, and statements that it calls
/// complementary, lest a false statement hide among them.
#[must_use]
pub fn is_read(mode: SecondLook, judged: &JudgedClaim) -> bool {
    let is_wanted = match mode {
        SecondLook::Off => false,
        SecondLook::Headline => judged.role.is_headline(),
        SecondLook::All => true,
    };
    let is_of_class = match judged.class {
        Class::Grounded | Class::Contradicted => true,
        Class::Complementary => ClaimKind::of(&judged.claim.text) == ClaimKind::Statement,
        Class::Ungrounded => false,
    };
    is_wanted && is_of_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_never_makes_a_class_less_strict() {
        for class in Class::ALL {
            for verdict in Verdict::ALL {
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
