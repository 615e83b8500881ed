//! One evaluation, top to bottom: policy, fields, evidence, judge, assessment, record, answer.

use std::num::NonZero;
use std::sync::Arc;

use gsar_core::Reason;
use gsar_core::assess::without_partition;
use gsar_core::open_points::open_without_partition;
use gsar_core::policy::UndefinedScore;
use gsar_core::safety::Confidence;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use metrics::counter;
use tonic::Status;

use super::decide::{Case, decide};
use super::judging::{Judged, ask};
use super::offload::offload;
use super::record::{self, Keyed};
use super::retrieval::{Gathered, insufficient};
use super::stopwatch::Stopwatch;
use super::{ChosenPolicy, Engine, PolicyUse, answer, claims};
use crate::api::admission::{Call, Step};
use crate::config::EvidenceKept;
use crate::judge::{Judge, Question};
use crate::ledger::Content;
use crate::telemetry::metrics as names;

/// A request whose every field was checked.
struct Checked {
    policy: ChosenPolicy,
    report: parse::ParsedReport,
    evidence: Vec<gsar_core::evidence::EvidenceItem>,
    gate: Option<parse::ParsedGate>,
    judges: Vec<Arc<dyn Judge>>,
}

/// An answer that is not recorded yet.
struct Decided {
    answer: v1::EvaluateResponse,
    policy: ChosenPolicy,
    /// The contents of the evidence that came with the request, where they are kept.
    contents: Vec<Content>,
}

impl Engine {
    /// Evaluates a report; the answer is recorded before it is given.
    ///
    /// # Errors
    /// The contract's errors; never a decision.
    pub async fn evaluate(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
    ) -> Result<v1::EvaluateResponse, Status> {
        let Some(ledger) = &self.ledger else {
            return self.evaluate_unrecorded(call, request, PolicyUse::Decide).await;
        };
        let keyed = Keyed::of(&request);
        if let Some(before) = record::replay(ledger, &keyed).await? {
            return Ok(before);
        }
        let report = record::encoded_report(&request);
        let report_digest = record::digest(&report);
        let kept = record::Kept::of(&request, report);
        let whole = self.evidence_kept == EvidenceKept::Full;
        let Decided { mut answer, policy, contents } =
            self.decide_report(call, request, report_digest, whole, PolicyUse::Decide).await?;
        call.enter(Step::Record);
        if let Some(provenance) = &mut answer.provenance {
            provenance.recorded = true;
        }
        record::record(ledger, keyed, kept, contents, &policy, answer).await
    }

    /// Evaluates a report without recording it.
    ///
    /// # Errors
    /// As [`Engine::evaluate`].
    pub(super) async fn evaluate_unrecorded(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        wanted: PolicyUse,
    ) -> Result<v1::EvaluateResponse, Status> {
        let report_digest = record::digest(&record::encoded_report(&request));
        let decided = self.decide_report(call, request, report_digest, false, wanted).await;
        decided.map(|decided| decided.answer)
    }

    async fn decide_report(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        report_digest: String,
        packs: bool,
        wanted: PolicyUse,
    ) -> Result<Decided, Status> {
        let mut watch = Stopwatch::start();
        let evaluated_at = record::now();
        let options = request.options.clone().unwrap_or_default();
        let mut provenance = record::provenance(report_digest, evaluated_at);
        call.enter(Step::Admit);
        let corpus_id = request.corpus_id.clone();
        let Checked { policy, report, mut evidence, mut gate, judges } =
            self.check(request, wanted)?;
        evidence.iter_mut().for_each(|item| call.attestation.attest(item));
        let bytes = evidence.iter().map(|item| item.content.as_str().len()).sum();
        let (evidence, digests, contents) =
            offload(call, bytes, move || record::digested(evidence, packs)).await;
        provenance.evidence = digests;
        watch.lap(Step::Admit);
        let is_read = policy.policy.guards.min_coverage.is_some();
        let (claims, evidence) = claims::of(call, &report, evidence, is_read).await;
        claims::check_number(&claims, &report, self.limits.max_claims)?;
        let has_synthesis = !report.synthesis.trim().is_empty();
        let inline = evidence.len();
        let Gathered { evidence, is_kept, retrieval } =
            self.gather(call, &corpus_id, evidence, &claims, &judges).await?;
        if let Some(retrieval) = retrieval {
            counter!(names::RETRIEVALS, "method" => retrieval.method.clone()).increment(1);
            let found = evidence.iter().skip(inline);
            provenance.evidence.extend(found.map(|item| record::digest_of(item).0));
            provenance.retrieval = Some(retrieval);
            watch.lap(Step::Retrieve);
        }
        if let Some(gate) = &mut gate {
            gate.link(&evidence);
        }

        call.enter(Step::Judge);
        let question = Arc::new(Question {
            synthesis: report.synthesis,
            claims,
            objections: Vec::new(),
            evidence,
            is_kept,
            explain: options.explain,
            samples: NonZero::new(options.samples),
            sample: 0,
            bypass_cache: options.bypass_cache,
            deadline: Some(call.deadline),
            place: Some(Arc::new(call.clone())),
        });
        let judged = match knows_nothing(&policy, &question) {
            true => Judged::by_nobody(Reason::NoEvidence),
            false => {
                let asked = Arc::clone(&question);
                let languages = offload(call, question.synthesis.len(), move || asked.languages());
                ask(judges, &question, &languages.await).await?
            }
        };
        watch.lap(Step::Judge);

        call.enter(Step::Decide);
        provenance.judges = judged.links;
        let mut notices = judged.notices;
        let mut answer = match judged.outcome {
            Ok(mut judgement) => {
                let case = Case {
                    policy: policy.policy.clone(),
                    question,
                    second_opinion: self.second_opinion.clone(),
                    gate,
                    confidence: report.confidence,
                    explain: options.explain,
                };
                let (judge, link) = (judged.judge.as_ref(), provenance.judges.last_mut());
                let answer = decide(call, case, judge, &mut judgement, link).await;
                notices.append(&mut judgement.notices);
                answer
            }
            Err(reason) => without_judgement(&policy, reason, gate.as_ref(), report.confidence),
        };
        watch.lap(Step::Decide);
        answer::count(&policy.policy, answer.decision.as_ref());
        let decided = answer.decision.take();
        answer.decision =
            decided.map(|decided| answer::govern(&policy.policy, decided, &mut answer.shadow));
        if let Some(gate) = &answer.gate {
            counter!(names::GATE, "exit" => gate.exit().as_str_name()).increment(1);
        }
        answer.evaluation_id = uuid::Uuid::now_v7().to_string();
        answer.warnings = warnings(&policy, &report.generator_model, &provenance.judges);
        answer.warnings.extend(claims::without_synthesis(&policy, has_synthesis));
        answer.warnings.extend(notices.into_iter().map(|notice| v1::Reason {
            code: notice.code.to_owned(),
            sentence: notice.sentence,
            ..v1::Reason::default()
        }));
        let cut = provenance.retrieval.as_ref();
        answer.warnings.extend(cut.and_then(|cut| insufficient(cut, &answer.claims)));
        provenance.policy = Some(policy.applied());
        provenance.verification = render::verification_mode(policy.policy.verification).into();
        provenance.timings = watch.into_timings();
        answer.provenance = Some(provenance);
        Ok(Decided { answer, policy, contents })
    }

    fn check(&self, request: v1::EvaluateRequest, wanted: PolicyUse) -> Result<Checked, Status> {
        let mut violations = Violations::default();
        let policy =
            self.choose_policy(&request.policy, request.policy_overrides, wanted, &mut violations)?;
        let report = parse::required("report", request.report, &mut violations)
            .and_then(|report| parse::report(report, &self.limits, &mut violations));
        let evidence = parse::evidence(request.evidence, &self.limits, &mut violations);
        samples(request.options.as_ref(), &mut violations);
        let judge = request.options.as_ref().map_or("", |options| &options.judge);
        let judges = self.judges("options.judge", judge, &mut violations);
        let gate = request.gate.map(|gate| parse::gate_inputs(gate, &self.limits, &mut violations));
        for (field, value) in [
            ("investigation_id", request.investigation_id),
            ("idempotency_key", request.idempotency_key),
        ] {
            parse::name(field, value, &mut violations);
        }
        let gate = gate.flatten();
        let checked =
            || Some(Checked { policy: policy?, report: report?, evidence, gate, judges: judges? });
        violations.finish(checked())
    }
}

fn samples(options: Option<&v1::EvaluateOptions>, violations: &mut Violations) {
    let given = options.map_or(0, |options| options.samples);
    if given > Question::MAX_SAMPLES {
        let most = Question::MAX_SAMPLES;
        let description = format!(
            "{given} samples are too many; give 1 to {most}, or 0 for as many as configured"
        );
        violations.add("options.samples", description);
    }
}

/// Whether there is nothing to judge by. The method as published scores a report without evidence as well.
fn knows_nothing(policy: &ChosenPolicy, question: &Question) -> bool {
    question.evidence.is_empty() && policy.policy.undefined_score != UndefinedScore::Half
}

/// What core looks at of an investigation.
pub(crate) fn investigation(gate: &parse::ParsedGate) -> gsar_core::assess::Investigation<'_> {
    gsar_core::assess::Investigation {
        gate: gate.input(),
        path: &gate.path,
        changes: &gate.changes,
        onset: gate.onset,
        window: gate.window,
    }
}

fn without_judgement(
    policy: &ChosenPolicy,
    reason: Reason,
    gate: Option<&parse::ParsedGate>,
    confidence: Option<Confidence>,
) -> v1::EvaluateResponse {
    let rules = &policy.policy;
    let hypotheses = gate.map(|gate| gate.hypotheses.as_slice()).unwrap_or_default();
    let open = open_without_partition(&reason, hypotheses, rules);
    let (outcome, status) = match reason {
        Reason::JudgeFailed { .. } => (v1::Outcome::Failed, v1::JudgeStatus::Failed),
        _ => (v1::Outcome::Abstained, v1::JudgeStatus::Abstained),
    };
    let abstain_reason = reason.sentence();
    let investigation = gate.map(investigation);
    let (decision, chain, settled) =
        without_partition(rules, reason, investigation.as_ref(), confidence);
    let settled = answer::settled(rules, &chain, &settled, gate);
    v1::EvaluateResponse {
        outcome: outcome.into(),
        terms: Some(render::terms(&decision.terms, rules)),
        decision: Some(render::decision(&decision)),
        gate: settled.gate,
        chain: settled.chain,
        cap: settled.cap,
        action: settled.action,
        shadow: settled.shadow,
        verification_needed: !open.is_empty(),
        verification_reasons: open.iter().map(render::open_point).collect(),
        judge_status: status.into(),
        abstain_reason,
        ..v1::EvaluateResponse::default()
    }
}

fn warnings(policy: &ChosenPolicy, writer: &str, judges: &[v1::JudgeLink]) -> Vec<v1::Reason> {
    let mut warnings = Vec::new();
    let wrote = |link: &&v1::JudgeLink| {
        link.judge == writer || link.calls.iter().any(|call| call.judge == writer)
    };
    if !writer.is_empty()
        && judges.iter().filter(|link| link.result == "judged").any(|link| wrote(&link))
    {
        warnings.push(v1::Reason {
            code: "SAME_MODEL".to_owned(),
            sentence: format!("{writer} wrote the report and judged it; let another model judge"),
            ..v1::Reason::default()
        });
    }
    if judges.first().is_some_and(|link| link.result == "failed") {
        warnings.push(v1::Reason {
            code: "FALLBACK_JUDGE".to_owned(),
            sentence: "the first judge of the chain failed; provenance.judges says who judged"
                .to_owned(),
            ..v1::Reason::default()
        });
    }
    warnings.extend(policy.policy.warnings().iter().map(|warning| v1::Reason {
        code: "UNWISE_POLICY".to_owned(),
        sentence: warning.to_string(),
        ..v1::Reason::default()
    }));
    warnings
}
