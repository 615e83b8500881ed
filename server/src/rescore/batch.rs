//! Decides the tiers of many recorded evaluations under another policy, from their recorded verification
//! results. Records nothing.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use gsar_core::Policy;
use gsar_core::assess::Assessment;
use gsar_core::budget::Budget;
use gsar_core::policy::VerificationMode;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::{parse, render, v1};
use prost::Message as _;
use tonic::Status;

use super::{Evidence, RecordedEvaluation, is_partitioned, not_rescored, recorded_decision};
use crate::call::{Call, Step};
use crate::compute_pool::compute;
use crate::evaluate::{ChosenPolicy, Engine, answer, summary};
use crate::ledger::{Cursor, Entry, PageRequest, Reports, Selection};

pub(crate) const MAX_DECIDED: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();
const MAX_CHANGED: usize = 1_000;
const PAGE_SIZE: NonZeroUsize = NonZeroUsize::new(500).unwrap();
/// The reason why the evidence is not available.
const NOT_LOADED: &str =
    "RescoreEvaluations does not load it; Rescore loads it for a single evaluation";

impl Engine {
    /// Decides the tiers of the newest matching evaluations under a policy.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if evaluations are not recorded, UNAVAILABLE if reading fails.
    pub(crate) async fn rescore_evaluations(
        &self,
        call: &Call,
        selection: Selection,
        policy: ChosenPolicy,
        limit: NonZeroUsize,
    ) -> Result<v1::RescoreEvaluationsResponse, Status> {
        let ledger = self.required_ledger()?;
        call.enter(Step::Decide);
        let mut batch = Batch::new(policy.policy.clone());
        let mut request = PageRequest { selection, cursor: Cursor::NEWEST, limit: PAGE_SIZE };
        let mut remaining = limit;
        let has_more = loop {
            request.limit = remaining.min(PAGE_SIZE);
            let page = ledger.entries(request.clone(), Reports::Include).await?;
            let rest = remaining.get().saturating_sub(page.evaluations.len());
            batch = compute(call, move |budget| batch.with_page(page.evaluations, budget)).await?;
            match (page.next, NonZeroUsize::new(rest)) {
                (Some(next), Some(rest)) => (request.cursor, remaining) = (next, rest),
                (next, _) => break next.is_some(),
            }
        };
        Ok(batch.into_response(&policy, has_more))
    }
}

struct Batch {
    policy: Arc<Policy>,
    /// The recorded policies by their TOML. `None` if this version cannot parse the policy.
    recorded_policies: HashMap<String, Option<Arc<Policy>>>,
    decided: u32,
    unreadable: u32,
    changes: BTreeMap<(i32, i32), u32>,
    changed: Vec<v1::RescoredEvaluation>,
    not_rescored: Vec<v1::NotRescored>,
}

struct Outcome {
    tier: i32,
    guarded_score: Option<v1::Score>,
    not_rescored: Vec<v1::NotRescored>,
}

impl Batch {
    fn new(policy: Arc<Policy>) -> Self {
        Self {
            policy,
            recorded_policies: HashMap::new(),
            decided: 0,
            unreadable: 0,
            changes: BTreeMap::new(),
            changed: Vec::new(),
            not_rescored: Vec::new(),
        }
    }

    fn with_page(mut self, page: Vec<Entry>, budget: &Budget) -> Self {
        for entry in page {
            match self.outcome(&entry, budget) {
                Some((recorded_tier, outcome)) => self.count(entry, recorded_tier, outcome),
                None => self.unreadable += 1,
            }
        }
        self
    }

    fn count(&mut self, entry: Entry, recorded_tier: i32, outcome: Outcome) {
        self.decided += 1;
        for field in outcome.not_rescored {
            if self.not_rescored.iter().all(|existing| existing.field != field.field) {
                self.not_rescored.push(field);
            }
        }
        if recorded_tier == outcome.tier {
            return;
        }
        *self.changes.entry((recorded_tier, outcome.tier)).or_default() += 1;
        if self.changed.len() < MAX_CHANGED {
            self.changed.push(v1::RescoredEvaluation {
                evaluation: Some(summary(entry.summary)),
                tier: outcome.tier,
                guarded_score: outcome.guarded_score,
            });
        }
    }

    /// Returns the recorded tier and the new outcome. Returns `None` if this version cannot parse the
    /// evaluation.
    fn outcome(&mut self, entry: &Entry, budget: &Budget) -> Option<(i32, Outcome)> {
        let answer = v1::EvaluateResponse::decode(entry.response.as_slice()).ok()?;
        let recorded_policy = self.recorded_policy(&entry.policy_toml)?;
        let recorded_tier = recorded_decision(&answer).tier;
        if !is_partitioned(&answer) {
            let decision = answer::decision_or_shadow(&answer);
            let reasons = decision.map_or(&[][..], |decision| &decision.reasons);
            let not_rescored = not_rescored::for_abstention(&self.policy, &answer, reasons);
            return Some((
                recorded_tier,
                Outcome { tier: recorded_tier, guarded_score: None, not_rescored },
            ));
        }
        let is_enforced = recorded_policy.verification == VerificationMode::Enforce;
        let partition = parse::recorded_partition(&answer, is_enforced).ok()?;
        let report = v1::Report::decode(entry.report.as_deref()?).ok()?;
        let evaluation = RecordedEvaluation {
            report,
            policy: recorded_policy,
            partition,
            evidence: Evidence::Heads(Vec::new(), NOT_LOADED),
            answer,
        };
        let (Assessment { decision, .. }, not_rescored) =
            evaluation.assessment(&self.policy, budget);
        let guarded_score = decision.guarded_score.map(render::score);
        Some((recorded_tier, Outcome { tier: decision.tier.number(), guarded_score, not_rescored }))
    }

    fn recorded_policy(&mut self, toml: &str) -> Option<Arc<Policy>> {
        if let Some(policy) = self.recorded_policies.get(toml) {
            return policy.clone();
        }
        let policy = Policy::from_toml(toml).ok().map(Arc::new);
        self.recorded_policies.insert(toml.to_owned(), policy.clone());
        policy
    }

    fn into_response(
        self,
        policy: &ChosenPolicy,
        has_more: bool,
    ) -> v1::RescoreEvaluationsResponse {
        let change = |((before, after), evaluations)| v1::TierChange { before, after, evaluations };
        v1::RescoreEvaluationsResponse {
            policy: Some(policy.applied()),
            hypothetical: policy.is_hypothetical,
            decided: self.decided,
            unreadable: self.unreadable,
            has_more,
            changes: self.changes.into_iter().map(change).collect(),
            changed: self.changed,
            not_rescored: self.not_rescored,
        }
    }
}
