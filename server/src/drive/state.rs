//! An investigation's state. It is computed only from the start request and the events, so that a restarted
//! server computes the same state.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gsar_core::Tier;
use gsar_core::belief::Exploration;
use gsar_core::check::CheckDeclaration;
use gsar_core::duplicates::key;
use gsar_core::fixed_point::Fraction;
use gsar_core::outer_loop::{
    Action, ClaimKey, Event, Judgement, OuterLoop, StopCause, SubjectDigest,
};
use gsar_core::time::Timestamp;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, v1};
use prost::Message as _;

use super::turns::Turns;
use super::{budget, graph};
use crate::evaluate::ChosenPolicy;
use crate::ledger::StoredInvestigation;

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) start: v1::StartInvestigationRequest,
    pub(super) started_at: Timestamp,
    pub(super) policy: ChosenPolicy,
    /// The digest of the request that answered each step.
    digests: Vec<[u8; 32]>,
    pub(super) outer_loop: OuterLoop,
    pub(super) action: Action,
    pub(super) turns: Turns,
    pub(super) checks: Arc<BTreeSet<String>>,
    pub(super) exploration: Option<Exploration>,
    /// The number of turns that added to the graph.
    pub(super) graph_additions: u32,
    pub(super) belief_reasons: BTreeMap<String, Vec<v1::Reason>>,
    pub(super) spent: v1::Spent,
    pub(super) reports: Vec<v1::JudgedReport>,
    pub(super) last_judgement: Option<v1::RecordedJudgement>,
    pub(super) last_at: Timestamp,
    pub(super) plan_started_at: Timestamp,
    texts: HashMap<ClaimKey, String>,
}

impl State {
    /// Rebuilds the state from the recorded events.
    ///
    /// # Errors
    /// A message if the record is invalid.
    pub(super) fn replay(stored: &StoredInvestigation) -> Result<Self, String> {
        let start = v1::StartInvestigationRequest::decode(stored.start.start.as_slice());
        let start = start.map_err(|error| error.to_string())?;
        let is_overridden = start.policy_overrides.is_some();
        let policy = ChosenPolicy::from_toml(&stored.start.policy_toml, is_overridden)?;
        let started_at = Timestamp::from_micros(stored.start.started_at_micros);
        let mut state = Self::new(start, started_at, policy);
        for (digest, event) in &stored.events {
            let event = v1::InvestigationEvent::decode(event.as_slice());
            state.apply(*digest, event.map_err(|error| error.to_string())?)?;
        }
        Ok(state)
    }

    pub(super) fn new(
        start: v1::StartInvestigationRequest,
        started_at: Timestamp,
        policy: ChosenPolicy,
    ) -> Self {
        Self {
            outer_loop: OuterLoop::start(policy.policy.investigation.limits),
            action: Action::Synthesize,
            checks: Arc::new(declared_checks(&start)),
            exploration: graph::new_exploration(&start),
            graph_additions: 0,
            belief_reasons: BTreeMap::new(),
            start,
            started_at,
            policy,
            digests: Vec::new(),
            turns: Turns::default(),
            spent: v1::Spent::default(),
            reports: Vec::new(),
            last_judgement: None,
            last_at: started_at,
            plan_started_at: started_at,
            texts: HashMap::new(),
        }
    }

    pub(super) fn step(&self) -> u32 {
        u32::try_from(self.digests.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn has_answered(&self, step: u32, digest: &[u8; 32]) -> bool {
        usize::try_from(step).is_ok_and(|step| self.digests.get(step) == Some(digest))
    }

    pub(super) fn has_judged(&self, subject: SubjectDigest) -> bool {
        self.outer_loop.trajectory().iter().any(|step| step.subject == subject)
    }

    pub(super) fn latest_text(&self, key: &ClaimKey) -> String {
        self.texts.get(key).unwrap_or(&key.0).clone()
    }

    /// Applies an event. `digest` is the digest of the request.
    ///
    /// # Errors
    /// A message if the event is invalid. In this case, the state must be discarded.
    pub(super) fn apply(
        &mut self,
        digest: [u8; 32],
        event: v1::InvestigationEvent,
    ) -> Result<(), String> {
        use v1::investigation_event::Event as Kind;
        let time = event.at.map_or(self.last_at, |time| {
            Timestamp::from_micros(time.seconds * 1_000_000 + i64::from(time.nanos) / 1_000)
        });
        let plan = self.outer_loop.replans();
        match event.event.ok_or("an event is empty")? {
            Kind::Turn(turn) => self.add_turn(turn)?,
            Kind::Judged(recorded_judgement) => self.add_judgement(*recorded_judgement)?,
            Kind::Unchanged(repetition) => {
                self.advance(Event::Submitted(parse_subject(&repetition.subject)?))?;
            }
            Kind::JudgeFailed(failure) => {
                self.advance(Event::Submitted(parse_subject(&failure.subject)?))?;
                for _ in 0..failure.judge_failures {
                    self.advance(Event::JudgeFailed { reason: failure.reason.clone() })?;
                }
                self.add_cost(failure.spent, failure.judge_failures);
            }
            Kind::Stopped(stop) => {
                let cause = StopCause::from_name(&stop.cause);
                let cause = cause.ok_or_else(|| format!("unknown cause {}", stop.cause))?;
                self.advance(Event::Stopped(cause))?;
            }
        }
        if self.outer_loop.replans() > plan {
            self.turns.reset_for_plan();
            self.plan_started_at = time;
        }
        self.digests.push(digest);
        self.last_at = time;
        Ok(())
    }

    fn add_turn(&mut self, turn: v1::RecordedTurn) -> Result<(), String> {
        if let Some(exploration) = &mut self.exploration {
            if let Some(additions) = turn.graph_additions.clone() {
                let mut violations = Violations::default();
                graph::apply_additions(exploration, additions, &mut violations);
                violations.finish(Some(())).map_err(|status| status.message().to_owned())?;
                self.graph_additions += 1;
            }
            let all_changes = self.turns.changes.iter().chain(&turn.changes);
            graph::mark_changed(exploration, all_changes, &self.policy.policy);
        }
        for belief in &turn.beliefs {
            self.add_belief(belief)?;
        }
        let v1::AgentCost { tokens, cost_micros } = turn.agent_cost.unwrap_or_default();
        budget::add(&mut self.spent, &v1::Spent { tokens, cost_micros, ..v1::Spent::default() });
        self.turns.add(turn);
        Ok(())
    }

    fn add_belief(&mut self, belief: &v1::RecordedBelief) -> Result<(), String> {
        let exploration =
            self.exploration.as_mut().ok_or("a belief was recorded without a graph")?;
        let entry = graph::replay_belief(exploration, belief)?;
        let mut reasons = belief.reasons.clone();
        reasons.extend(graph::weakening_reasons(&entry));
        self.belief_reasons.insert(belief.entity.clone(), reasons);
        Ok(())
    }

    fn add_judgement(&mut self, recorded_judgement: v1::RecordedJudgement) -> Result<(), String> {
        let is_rewrite = matches!(self.action, Action::Rewrite { .. });
        self.advance(Event::Submitted(parse_subject(&recorded_judgement.subject)?))?;
        for _ in 0..recorded_judgement.judge_failures {
            self.advance(Event::JudgeFailed { reason: String::new() })?;
        }
        let plan = self.outer_loop.replans();
        let classes =
            |recorded_judgement: &v1::RecordedJudgement| -> HashMap<ClaimKey, v1::ClaimClass> {
                recorded_judgement
                    .claims
                    .iter()
                    .map(|claim| (claim_key(&claim.text), claim.class()))
                    .collect()
            };
        let previous_classes = self.last_judgement.as_ref().map(classes).unwrap_or_default();
        let changed_claim = |claim: &v1::StatedClaim| {
            let previous_class = previous_classes.get(&claim_key(&claim.text)).copied()?;
            (previous_class != claim.class()).then(|| v1::ChangedClaim {
                text: claim.text.clone(),
                before: previous_class.into(),
                after: claim.class,
            })
        };
        let changed = recorded_judgement.claims.iter().filter_map(changed_claim).collect();
        let texts = recorded_judgement.claims.iter().map(|claim| claim.text.as_str());
        for text in texts.chain(recorded_judgement.standing.iter().map(String::as_str)) {
            self.texts.insert(claim_key(text), text.to_owned());
        }
        self.advance(Event::Judged(parse_judgement(&recorded_judgement)?))?;
        self.add_cost(recorded_judgement.spent, recorded_judgement.judge_failures);
        let latest_texts =
            |keys: &[ClaimKey]| keys.iter().map(|key| self.latest_text(key)).collect();
        let step = self.outer_loop.trajectory().last().ok_or("nothing was judged")?;
        self.reports.push(v1::JudgedReport {
            evaluation_id: recorded_judgement.evaluation_id.clone(),
            plan,
            tier: step.tier.number(),
            score: recorded_judgement.score,
            is_rewrite,
            put_back: latest_texts(&step.put_back),
            added: if is_rewrite { latest_texts(&step.added) } else { Vec::new() },
            changed,
        });
        self.last_judgement = Some(recorded_judgement);
        Ok(())
    }

    fn advance(&mut self, event: Event) -> Result<(), String> {
        self.action = self.outer_loop.apply(event).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn add_cost(&mut self, spent: Option<v1::Spent>, judge_failures: u32) {
        budget::add(&mut self.spent, &spent.unwrap_or_default());
        self.spent.judge_failures = self.spent.judge_failures.saturating_add(judge_failures);
    }
}

fn claim_key(text: &str) -> ClaimKey {
    ClaimKey(key(text))
}

fn parse_subject(hexadecimal: &str) -> Result<SubjectDigest, String> {
    let hash = blake3::Hash::from_hex(hexadecimal);
    hash.map(|hash| SubjectDigest(*hash.as_bytes())).map_err(|error| error.to_string())
}

fn parse_judgement(recorded_judgement: &v1::RecordedJudgement) -> Result<Judgement, String> {
    let claims_with_class = |class: v1::ClaimClass| -> Vec<ClaimKey> {
        let claims = recorded_judgement.claims.iter().filter(|claim| claim.class() == class);
        claims.map(|claim| claim_key(&claim.text)).collect()
    };
    let partition: Vec<ClaimKey> =
        recorded_judgement.claims.iter().map(|claim| claim_key(&claim.text)).collect();
    let other_statements = recorded_judgement.standing.iter().map(|text| claim_key(text));
    let stated = partition.iter().cloned().chain(other_statements).collect();
    let score = recorded_judgement.score.as_ref();
    Ok(Judgement {
        tier: Tier::from_number(recorded_judgement.tier).ok_or("a judged report has no tier")?,
        score: score
            .and_then(|score| Fraction::new(score.numerator.into(), score.denominator.into())),
        contradictions: claims_with_class(v1::ClaimClass::Contradicted),
        partition,
        stated,
        reasons: recorded_judgement.reasons.iter().map(|reason| reason.sentence.clone()).collect(),
    })
}

fn declared_checks(start: &v1::StartInvestigationRequest) -> BTreeSet<String> {
    let checks = parse::checks(start.checks.clone(), &mut Violations::default());
    checks.unwrap_or_default().iter().map(CheckDeclaration::digest).collect()
}
