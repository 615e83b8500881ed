//! This module is the judge `rules/1`: [`gsar_rules`] behind the trait of all judges.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::Class;
use gsar_core::evidence::EvidenceItem;
use gsar_rules::Observations;
use moka::sync::Cache;

use super::embedded::judgement;
use super::{Capabilities, Judge, JudgeError, Judgement, Pending, Question};

/// How long it keeps what nobody asks for.
const IDLE: Duration = Duration::from_secs(600);

/// Evidence, and what was read off it.
type Evidence = Arc<Vec<EvidenceItem>>;

self_cell::self_cell! {
    struct Prepared {
        owner: Evidence,
        #[not_covariant]
        dependent: Observations,
    }
}

/// The judge. It keeps what it read off evidence that will be asked again.
#[derive(Clone)]
pub struct Rules {
    /// By the address of the evidence, which stays the same while it is here.
    prepared: Cache<usize, Arc<Prepared>>,
}

impl Rules {
    /// The name of this version of the rules.
    pub const NAME: &'static str = gsar_rules::NAME;

    /// Keeps what it read off so many bytes of evidence; that takes several times as much memory.
    #[must_use]
    pub fn keeping(bytes: u64) -> Self {
        let weigh = |_: &usize, prepared: &Arc<Prepared>| {
            let items = prepared.borrow_owner().iter();
            let bytes: usize = items.map(|item| item.content.as_str().len()).sum();
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self {
            prepared: Cache::builder()
                .max_capacity(bytes)
                .weigher(weigh)
                .time_to_idle(IDLE)
                .build(),
        }
    }

    /// Judges at once, on the calling thread.
    ///
    /// # Errors
    /// [`JudgeError::DeadlinePassed`] when the question's deadline passes before the last claim.
    pub fn judge_now(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let claims = &question.claims;
        if question.is_late() {
            return Err(JudgeError::DeadlinePassed { judged: 0, claims: claims.len() });
        }
        if !question.is_kept {
            return judge(question, &Observations::read(&question.evidence));
        }
        let prepared = self.prepared.get_with(Arc::as_ptr(&question.evidence).addr(), || {
            let evidence = Arc::clone(&question.evidence);
            Arc::new(Prepared::new(evidence, |evidence| Observations::read(evidence)))
        });
        prepared.with_dependent(|_, observations| judge(question, observations))
    }
}

impl Judge for Rules {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: vec![Class::Grounded, Class::Ungrounded, Class::Contradicted],
            languages: vec!["en"],
            max_evidence_bytes: Some(gsar_rules::MOST_BYTES),
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
    let gaps = observations.gaps().to_vec();
    let judgement = judgement(question, gaps, judged);
    Ok(Judgement { considered, ..judgement })
}
