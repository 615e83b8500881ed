//! The verdicts from a second look at supported claims, and the effect of these verdicts on the class.
//!
//! The reader sees a statement and its quotes in context, but not the first verdict.

use crate::claim::{Class, JudgedClaim};
use crate::ids::ClaimId;
use crate::names;
use crate::policy::SecondLook;
use crate::report::ClaimKind;

/// The verdict from a second look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecondLookVerdict {
    /// The quotes, in context, show the whole statement.
    Shown,
    /// The quotes do not show some part of the statement, and refute no part of it.
    NotShown,
    /// The quotes refute some part of the statement.
    Refuted,
}

names!(
    /// The verdicts are listed from least strict to strictest.
    SecondLookVerdict { Shown => "shown", NotShown => "not_shown", Refuted => "refuted" }
);

/// The result of a second look at a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondLookResult {
    /// The claim.
    pub claim: ClaimId,
    /// The verdict.
    pub verdict: SecondLookVerdict,
    /// The explanation; may be empty.
    pub explanation: String,
    /// The name of the reader.
    pub judge: String,
}

impl SecondLookResult {
    /// Returns `true` if the verdict disagrees with the class. In this case, the judge is called again.
    #[must_use]
    pub fn disagrees(&self, class: Class) -> bool {
        match class {
            Class::Grounded => self.verdict != SecondLookVerdict::Shown,
            Class::Complementary => self.verdict == SecondLookVerdict::Refuted,
            Class::Ungrounded | Class::Contradicted => false,
        }
    }

    /// Returns the stricter of the class and the class that the verdict implies.
    #[must_use]
    pub fn applied(&self, class: Class) -> Class {
        match (self.disagrees(class), self.verdict) {
            (true, SecondLookVerdict::Refuted) => Class::Contradicted,
            (true, _) => Class::Ungrounded,
            (false, _) => class,
        }
    }
}

/// Returns `true` if a claim needs a second look. This includes complementary statements.
#[must_use]
pub fn needs_second_look(mode: SecondLook, judged: &JudgedClaim) -> bool {
    let is_in_scope = match mode {
        SecondLook::Off => false,
        SecondLook::Headline => judged.role.is_headline(),
        SecondLook::All => true,
    };
    let is_readable = match judged.class {
        Class::Grounded | Class::Contradicted => true,
        Class::Complementary => ClaimKind::classify(&judged.claim.text) == ClaimKind::Statement,
        Class::Ungrounded => false,
    };
    is_in_scope && is_readable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_look_never_makes_a_class_less_strict() {
        for class in Class::ALL {
            for verdict in SecondLookVerdict::ALL {
                let result = SecondLookResult {
                    claim: ClaimId::new("c1").unwrap(),
                    verdict,
                    explanation: String::new(),
                    judge: String::new(),
                };
                assert!(result.applied(class) >= class, "{class:?} {verdict:?}");
                assert_eq!(result.applied(class) != class, result.disagrees(class));
            }
        }
    }
}
