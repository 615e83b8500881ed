//! This module is the question to the encoder: a claim and a premise. It knows nothing of scores.

use gsar_embedding::{Key, Question};

/// A claim, and the evidence that it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The statement.
    pub claim: String,
    /// The evidence as text. What does not fit behind the claim is cut off.
    pub premise: String,
}

impl Pair {
    /// The pair of both.
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
        Key::of_two(model_digest, &self.claim, &self.premise)
    }
}
