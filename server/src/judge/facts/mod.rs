//! This module is the judge `rules/2`: it holds claims against the facts of the evidence, cites the records that decide
//! and leaves the rest ungrounded. Deterministic; no model, no network.
//!
//! Claims, facts and rules are read in `gsar-extraction`; here their outcomes become judged claims. A claim that joins
//! several statements is what the strictest of them is; each has to name what it is about. Questions and proposals are
//! complementary. What a language model inferred, and what an earlier report said, is no evidence.

mod explain;
mod observations;
mod ruling;

use gsar_core::Class;

pub use observations::{Interrupted, MAX_BYTES, Observations};

use super::embedded::judgement;
use super::{Capabilities, Judge, JudgeError, Judgement, Pending, Question};

/// The judge.
#[derive(Clone, Copy, Debug, Default)]
pub struct FactsJudge;

impl FactsJudge {
    /// Its name.
    pub const NAME: &'static str = "rules/2";
}

impl Judge for FactsJudge {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: Class::ALL.to_vec(),
            languages: vec!["en"],
            max_evidence_bytes: Some(MAX_BYTES),
        }
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        Box::pin(async move { judge_now(question) })
    }
}

fn judge_now(question: &Question) -> Result<Judgement, JudgeError> {
    let claims = &question.claims;
    let late = |judged| JudgeError::DeadlinePassed { judged, claims: claims.len() };
    if question.is_late() {
        return Err(late(0));
    }
    let observations = Observations::read(&question.evidence);
    let judged = observations
        .judge(claims, || !question.is_late())
        .map_err(|stopped| late(stopped.judged))?;
    let considered = if question.explain { observations.considered(claims) } else { Vec::new() };
    let judgement = judgement(question, observations.gaps().to_vec(), judged);
    Ok(Judgement { considered, ..judgement })
}
