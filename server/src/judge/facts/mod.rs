//! The judge `rules/2`. It decides claims that repeat a line verbatim or state one value, and leaves all
//! others undecided. It is deterministic and uses no model.
//!
//! `gsar-extraction` implements the facts and the rules. This module turns the outcomes of the rules into
//! judged claims. A compound claim is grounded if all its statements are grounded, and contradicted if one of
//! them is contradicted. A model's inferences and the claims of earlier reports are not evidence.

mod cache;
mod explain;
mod observations;
pub(super) mod ruling;
#[cfg(test)]
mod testing;

use async_trait::async_trait;
use gsar_core::budget::Budget;

pub use cache::FactsCache;
pub use observations::{MAX_BYTES, Observations};

use super::summarize_verdicts::summarize;
use super::{Capabilities, Judge, JudgeError, Judgement, Question};
use crate::compute_pool::try_compute;

/// The judge `rules/2`.
#[derive(Clone, Debug)]
pub struct FactsJudge {
    facts: FactsCache,
}

impl FactsJudge {
    /// The name of the judge.
    pub const NAME: &'static str = "rules/2";

    /// Creates a judge. `facts` caches extracted facts.
    #[must_use]
    pub const fn new(facts: FactsCache) -> Self {
        Self { facts }
    }

    /// Judges a question on the calling thread.
    ///
    /// # Errors
    /// Returns [`JudgeError::DeadlinePassed`] if the budget is exhausted or the deadline passes.
    pub fn judge_now(&self, question: &Question, budget: &Budget) -> Result<Judgement, JudgeError> {
        if question.is_late() {
            return Err(JudgeError::deadline_passed(question));
        }
        let facts = self.facts.read(question, budget);
        facts.with_dependent(|_, observations| judge(question, observations, budget))
    }
}

#[async_trait]
impl Judge for FactsJudge {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_local(&self) -> bool {
        true
    }

    fn reports_roles(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::english(MAX_BYTES)
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let (judge, question_clone) = (self.clone(), question.clone());
        let result =
            try_compute(question, move |budget| judge.judge_now(&question_clone, budget)).await;
        result.unwrap_or_else(|_| Err(JudgeError::deadline_passed(question)))
    }
}

fn judge(
    question: &Question,
    observations: &Observations<'_>,
    budget: &Budget,
) -> Result<Judgement, JudgeError> {
    let claims = &question.claims;
    let verdicts = observations.judge(claims, budget)?;
    let considered = if question.explain { observations.considered(claims) } else { Vec::new() };
    let judgement = summarize(question, observations.gaps().to_vec(), verdicts);
    Ok(Judgement { considered, ..judgement })
}
