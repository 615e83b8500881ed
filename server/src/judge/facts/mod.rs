//! This module is the judge `rules/2`: it decides lines repeated word for word and single values of single things, cites
//! the records that decide, and leaves all other claims undecided. Deterministic; no model, no network.
//!
//! Facts and rules are in `gsar-extraction`; here their outcomes become judged claims. A claim that joins several
//! statements is grounded where each is, and contradicted where one is. What
//! a language model inferred, and what an earlier report said, is not evidence.

mod explain;
mod kept;
mod observations;
pub(super) mod ruling;
#[cfg(test)]
mod testing;

use gsar_core::Class;

pub use kept::Kept;
pub use observations::{Interrupted, MAX_BYTES, Observations};

use super::embedded::judgement;
use super::{Capabilities, Judge, JudgeError, Judgement, Pending, Question};

/// The judge.
#[derive(Clone, Debug)]
pub struct FactsJudge {
    kept: Kept,
}

impl FactsJudge {
    /// Its name.
    pub const NAME: &'static str = "rules/2";

    /// The judge, which keeps there what it read off evidence that will be asked about again.
    #[must_use]
    pub const fn new(kept: Kept) -> Self {
        Self { kept }
    }

    /// Judges at once, on the calling thread.
    ///
    /// # Errors
    /// [`JudgeError::DeadlinePassed`] when the question's deadline passes before the last claim.
    pub fn judge_now(&self, question: &Question) -> Result<Judgement, JudgeError> {
        if question.is_late() {
            let claims = question.claims.len();
            return Err(JudgeError::DeadlinePassed { judged: 0, claims });
        }
        self.kept.read(question).with_dependent(|_, observations| judge(question, observations))
    }
}

impl Judge for FactsJudge {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_local(&self) -> bool {
        true
    }

    fn tells_roles(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: Class::ALL.to_vec(),
            languages: vec!["en"],
            max_evidence_bytes: Some(MAX_BYTES),
        }
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        Box::pin(async move { self.judge_now(question) })
    }
}

fn judge(question: &Question, observations: &Observations<'_>) -> Result<Judgement, JudgeError> {
    let claims = &question.claims;
    let judged = observations.judge(claims, || !question.is_late()).map_err(|stopped| {
        JudgeError::DeadlinePassed { judged: stopped.judged, claims: stopped.claims }
    })?;
    let considered = if question.explain { observations.considered(claims) } else { Vec::new() };
    let judgement = judgement(question, observations.gaps().to_vec(), judged);
    Ok(Judgement { considered, ..judgement })
}
