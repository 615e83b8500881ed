//! Checks and prepares a request once for all its reports.

use std::sync::Arc;

use gsar_core::evidence::EvidenceItem;
use gsar_core::policy::SecondLook;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, v1};
use tonic::Status;

use super::retrieval::Corpus;
use super::second_look_judge::SecondReader;
use super::stopwatch::Stopwatch;
use super::{ChosenPolicy, Engine, PolicyChoice, PolicyUse, dry_run, record};
use crate::call::{Call, Step};
use crate::compute_pool::compute_briefly;
use crate::evidence_size::content_bytes;
use crate::judge::{Judge, Question};
use crate::ledger::Content;

pub(super) struct Settings {
    pub(super) policy: ChosenPolicy,
    pub(super) judges: Vec<Arc<dyn Judge>>,
    pub(super) second_reader: SecondReader,
    pub(super) options: v1::EvaluateOptions,
    /// `true` if metrics count the decisions.
    pub(super) is_counted: bool,
}

#[derive(Clone)]
pub(super) struct PreparedRequest {
    pub(super) settings: Arc<Settings>,
    pub(super) evidence: Arc<Vec<EvidenceItem>>,
    pub(super) digests: Vec<v1::EvidenceDigest>,
    pub(super) corpus: Corpus,
    pub(super) gate: Option<parse::ParsedGate>,
    /// `true` if several reports share the evidence.
    pub(super) has_several_reports: bool,
}

struct CheckedRequest<R> {
    settings: Settings,
    evidence: Vec<EvidenceItem>,
    gate: Option<parse::ParsedGate>,
    corpus_id: String,
    reports: R,
}

impl Engine {
    /// Prepares a request and parses its reports. With `store_contents`, also returns the evidence contents
    /// to record.
    pub(super) async fn prepare<R>(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        store_contents: bool,
        policy: PolicyChoice,
        parse_reports: impl FnOnce(&mut Violations) -> Option<R>,
        watch: &mut Stopwatch,
    ) -> Result<(PreparedRequest, Vec<Content>, R), Status> {
        call.enter(Step::Admit);
        let CheckedRequest { settings, mut evidence, gate, corpus_id, reports } =
            self.check(request, policy, parse_reports)?;
        evidence.iter_mut().for_each(|item| call.attestation.attest(item));
        let evidence = Arc::new(evidence);
        let items = Arc::clone(&evidence);
        let bytes = content_bytes(&items);
        let digest = move || record::digest_evidence(&items, store_contents);
        let (digests, contents) = compute_briefly(call, bytes, digest).await;
        watch.lap(Step::Admit);
        let corpus = self.corpus(call, &corpus_id, &evidence, &settings.judges).await?;
        let settings = Arc::new(settings);
        let prepared = PreparedRequest {
            settings,
            evidence,
            digests,
            corpus,
            gate,
            has_several_reports: false,
        };
        Ok((prepared, contents, reports))
    }

    fn check<R>(
        &self,
        request: v1::EvaluateRequest,
        policy: PolicyChoice,
        parse_reports: impl FnOnce(&mut Violations) -> Option<R>,
    ) -> Result<CheckedRequest<R>, Status> {
        let mut violations = Violations::default();
        let (name, overrides) = (&request.policy, request.policy_overrides);
        let is_self_test = matches!(policy, PolicyChoice::Named(PolicyUse::Any));
        let policy = match policy {
            PolicyChoice::Pinned(policy) => Some(policy),
            PolicyChoice::Named(policy_use) => {
                self.choose_policy(name, overrides, policy_use, &mut violations)?
            }
        };
        let reports = parse_reports(&mut violations);
        let evidence = parse::evidence(request.evidence, &self.limits, &mut violations);
        let options = request.options.unwrap_or_default();
        check_samples(&options, &mut violations);
        dry_run::check(&options, &request.idempotency_key, &mut violations);
        let judges = self.judges("options.judge", &options.judge, &mut violations);
        let gate =
            request.gate.and_then(|gate| parse::gate_inputs(gate, &self.limits, &mut violations));
        for (field, value) in [
            ("investigation_id", request.investigation_id),
            ("idempotency_key", request.idempotency_key),
        ] {
            parse::name(field, value, &mut violations);
        }
        let corpus_id = request.corpus_id;
        let checked_request = policy.zip(reports).zip(judges).map(|((policy, reports), judges)| {
            let second_reader = match policy.policy.second_look {
                SecondLook::Off => SecondReader::Off,
                SecondLook::Headline | SecondLook::All => self.second_reader.clone(),
            };
            let is_counted = !is_self_test && !options.dry_run;
            let settings = Settings { policy, judges, second_reader, options, is_counted };
            CheckedRequest { settings, evidence, gate, corpus_id, reports }
        });
        violations.finish(checked_request)
    }
}

fn check_samples(options: &v1::EvaluateOptions, violations: &mut Violations) {
    let samples = options.samples;
    let max = Question::MAX_SAMPLES;
    if samples > max {
        let description = format!(
            "{samples} samples are too many; expected 1 to {max}, or 0 for the configured number"
        );
        violations.add("options.samples", description);
    }
}
