//! A claim-premise pair.

use gsar_embedding::{Key, Question};

/// A claim and the evidence to compare it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The claim.
    pub claim: String,
    /// The evidence text, truncated if it does not fit.
    pub premise: String,
}

impl Pair {
    /// Creates a pair.
    #[must_use]
    pub fn new(claim: impl Into<String>, premise: impl Into<String>) -> Self {
        Self { claim: claim.into(), premise: premise.into() }
    }
}

impl Question for Pair {
    fn bytes(&self) -> usize {
        self.claim.len().saturating_add(self.premise.len())
    }

    fn key(&self, model_digest: &[u8; 32]) -> Key {
        Key::for_pair(model_digest, &self.claim, &self.premise)
    }
}
