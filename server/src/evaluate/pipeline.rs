//! One evaluation, top to bottom: policy, fields, evidence, judge, assessment, record, answer.

use std::num::NonZero;
use std::sync::Arc;

use gsar_core::evidence::EvidenceItem;
use gsar_core::policy::UndefinedScore;
use gsar_core::{Claim, Reason};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use metrics::counter;
use tonic::Status;

use super::decide::{Case, decide};
use super::judging::{Judged, ask};
use super::record::{self, Keyed};
use super::retrieval::{Gathered, insufficient};
use super::stopwatch::Stopwatch;
use super::{ChosenPolicy, Engine, PolicyChoice, PolicyUse, answer, claims, unjudged, warnings};
use crate::call::{Call, Step};
use crate::config::EvidenceKept;
use crate::judge::{Judge, Notice, Question};
use crate::ledger::{Content, NewEvent};
use crate::offload::offload;
use crate::telemetry::{self, metrics as names};

/// A request whose every field was checked.
struct Checked {
    policy: ChosenPolicy,
    report: parse::ParsedReport,
    evidence: Vec<EvidenceItem>,
    corpus_id: String,
    gate: Option<parse::ParsedGate>,
    judges: Vec<Arc<dyn Judge>>,
    options: v1::EvaluateOptions,
}

/// An answer that is not recorded yet.
struct Decided {
    answer: v1::EvaluateResponse,
    policy: ChosenPolicy,
    /// The contents of the evidence that came with the request, where they are kept.
    contents: Vec<Content>,
}

/// What an answer says beside what was decided.
struct Circumstances {
    provenance: v1::Provenance,
    watch: Stopwatch,
    notices: Vec<Notice>,
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
        let policy = PolicyChoice::Named(PolicyUse::Decide);
        self.evaluate_with(call, request, policy, |_| None).await
    }

    /// Evaluates a report of a driven investigation; what the answer means for it is recorded together with it.
    ///
    /// # Errors
    /// As [`Engine::evaluate`], and FAILED_PRECONDITION where the step is taken.
    pub(crate) async fn evaluate_with(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        policy: PolicyChoice,
        event: impl FnOnce(&v1::EvaluateResponse) -> Option<NewEvent> + Send,
    ) -> Result<v1::EvaluateResponse, Status> {
        let Some(ledger) = &self.ledger else {
            return self.evaluate_unrecorded(call, request, policy).await;
        };
        // Before the checks: what was acknowledged under a key stays so, whatever the configuration allows by now.
        let keyed = Keyed::of(&request);
        if let Some(before) = record::replay(ledger, &keyed).await? {
            return Ok(before);
        }
        let report = record::encoded_report(&request);
        let report_digest = record::digest(&report);
        let kept = record::Kept::of(&request, report);
        let whole = self.evidence_kept == EvidenceKept::Full;
        let Decided { mut answer, policy, contents } =
            self.decide_report(call, request, report_digest, whole, policy).await?;
        call.enter(Step::Record);
        if let Some(provenance) = &mut answer.provenance {
            provenance.recorded = true;
        }
        let event = event(&answer);
        record::record(ledger, keyed, kept, contents, &policy, answer, event).await
    }

    /// Evaluates a report without recording it.
    ///
    /// # Errors
    /// As [`Engine::evaluate`].
    pub(super) async fn evaluate_unrecorded(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        policy: PolicyChoice,
    ) -> Result<v1::EvaluateResponse, Status> {
        let report_digest = record::digest(&record::encoded_report(&request));
        let decided = self.decide_report(call, request, report_digest, false, policy).await;
        decided.map(|decided| decided.answer)
    }

    async fn decide_report(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        report_digest: String,
        whole: bool,
        policy: PolicyChoice,
    ) -> Result<Decided, Status> {
        let mut around = Circumstances {
            provenance: record::provenance(report_digest, record::now()),
            watch: Stopwatch::start(),
            notices: Vec::new(),
        };
        call.enter(Step::Admit);
        let mut checked = self.check(request, policy)?;
        let contents = admit(call, &mut checked, whole, &mut around).await;
        let (claims, gathered) = self.collect(call, &mut checked, &mut around).await?;
        let (question, judged) = judge(call, &mut checked, claims, gathered, &mut around).await?;
        let answer = self.decide_judged(call, &mut checked, question, judged, &mut around).await;
        let Checked { policy, report, .. } = checked;
        let answer = finish(&policy, &report, answer, around);
        Ok(Decided { answer, policy, contents })
    }

    fn check(&self, request: v1::EvaluateRequest, policy: PolicyChoice) -> Result<Checked, Status> {
        let mut violations = Violations::default();
        let (name, overrides) = (&request.policy, request.policy_overrides);
        let policy = match policy {
            PolicyChoice::Pinned(policy) => Some(policy),
            PolicyChoice::Named(wanted) => {
                self.choose_policy(name, overrides, wanted, &mut violations)?
            }
        };
        let report = parse::required("report", request.report, &mut violations)
            .and_then(|report| parse::report(report, &self.limits, &mut violations));
        let evidence = parse::evidence(request.evidence, &self.limits, &mut violations);
        let options = request.options.unwrap_or_default();
        check_samples(&options, &mut violations);
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
        let checked = policy.zip(report).zip(judges).map(|((policy, report), judges)| Checked {
            policy,
            report,
            evidence,
            corpus_id,
            gate,
            judges,
            options,
        });
        violations.finish(checked)
    }

    /// The claims to judge, and the evidence to judge them by.
    async fn collect(
        &self,
        call: &Call,
        checked: &mut Checked,
        around: &mut Circumstances,
    ) -> Result<(Vec<Claim>, Gathered), Status> {
        let is_read = checked.policy.policy.guards.min_coverage.is_some();
        let inline = std::mem::take(&mut checked.evidence);
        let (claims, inline) = claims::of(call, &checked.report, inline, is_read).await;
        claims::check_number(&claims, &checked.report, self.limits.max_claims)?;
        let number = inline.len();
        let mut gathered =
            self.gather(call, &checked.corpus_id, inline, &claims, &checked.judges).await?;
        if let Some(retrieval) = gathered.retrieval.take() {
            counter!(names::RETRIEVALS, "method" => retrieval.method.clone()).increment(1);
            let found = gathered.evidence.iter().skip(number);
            around.provenance.evidence.extend(found.map(|item| record::digest_of(item).0));
            around.provenance.retrieval = Some(retrieval);
            around.watch.lap(Step::Retrieve);
        }
        if let Some(gate) = &mut checked.gate {
            gate.link(&gathered.evidence);
        }
        Ok((claims, gathered))
    }

    async fn decide_judged(
        &self,
        call: &Call,
        checked: &mut Checked,
        question: Arc<Question>,
        judged: Judged,
        around: &mut Circumstances,
    ) -> v1::EvaluateResponse {
        call.enter(Step::Decide);
        around.provenance.judges = judged.links;
        around.notices = judged.notices;
        let policy = &checked.policy.policy;
        let confidence = checked.report.confidence;
        let gate = checked.gate.take();
        let answer = match judged.outcome {
            Ok(mut judgement) => {
                let case = Case {
                    policy: Arc::clone(policy),
                    explain: question.explain,
                    question,
                    second_opinion: self.second_opinion.clone(),
                    gate,
                    confidence,
                };
                let link = around.provenance.judges.last_mut();
                let judge = judged.judge.as_ref();
                let answer = decide(call, case, judge, &mut judgement, link).await;
                around.notices.append(&mut judgement.notices);
                answer
            }
            Err(reason) => unjudged::answer(policy, reason, gate.as_ref(), confidence),
        };
        around.watch.lap(Step::Decide);
        answer
    }
}

/// Says which evidence of a request is attested, and takes digests and contents of all.
async fn admit(
    call: &Call,
    checked: &mut Checked,
    whole: bool,
    around: &mut Circumstances,
) -> Vec<Content> {
    let mut evidence = std::mem::take(&mut checked.evidence);
    evidence.iter_mut().for_each(|item| call.attestation.attest(item));
    let bytes = evidence.iter().map(|item| item.content.as_str().len()).sum();
    let (evidence, digests, contents) =
        offload(call, bytes, move || record::digested(evidence, whole)).await;
    checked.evidence = evidence;
    around.provenance.evidence = digests;
    around.watch.lap(Step::Admit);
    contents
}

/// Has the claims judged.
async fn judge(
    call: &Call,
    checked: &mut Checked,
    claims: Vec<Claim>,
    gathered: Gathered,
    around: &mut Circumstances,
) -> Result<(Arc<Question>, Judged), Status> {
    call.enter(Step::Judge);
    let question = Arc::new(Question {
        synthesis: checked.report.synthesis.as_str().into(),
        claims: claims.into(),
        objections: Vec::new(),
        evidence: gathered.evidence,
        is_kept: gathered.is_kept,
        explain: checked.options.explain,
        samples: NonZero::new(checked.options.samples),
        sample: 0,
        bypass_cache: checked.options.bypass_cache,
        deadline: Some(call.deadline),
        call: Some(call.clone()),
    });
    let judged = if knows_nothing(&checked.policy, &question) {
        Judged::by_nobody(Reason::NoEvidence)
    } else {
        let asked = Arc::clone(&question);
        let languages = offload(call, question.synthesis.len(), move || asked.languages()).await;
        ask(std::mem::take(&mut checked.judges), &question, &languages).await?
    };
    around.watch.lap(Step::Judge);
    Ok((question, judged))
}

/// Counts an answer and adds all that it says beside what was decided.
fn finish(
    policy: &ChosenPolicy,
    report: &parse::ParsedReport,
    mut answer: v1::EvaluateResponse,
    around: Circumstances,
) -> v1::EvaluateResponse {
    let Circumstances { mut provenance, watch, notices } = around;
    answer::count(&policy.policy, answer.decision.as_ref());
    let decided = answer.decision.take();
    answer.decision =
        decided.map(|decided| answer::govern(&policy.policy, decided, &mut answer.shadow));
    telemetry::gate::of_answer(answer.gate.as_ref(), answer.shadow.as_ref());
    answer.evaluation_id = uuid::Uuid::now_v7().to_string();
    answer.warnings = warnings::of(policy, report, &provenance.judges, notices);
    let cut = provenance.retrieval.as_ref();
    answer.warnings.extend(cut.and_then(|cut| insufficient(cut, &answer.claims)));
    provenance.policy = Some(policy.applied());
    provenance.verification = render::verification_mode(policy.policy.verification).into();
    provenance.timings = watch.into_timings();
    answer.provenance = Some(provenance);
    answer
}

fn check_samples(options: &v1::EvaluateOptions, violations: &mut Violations) {
    let given = options.samples;
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
