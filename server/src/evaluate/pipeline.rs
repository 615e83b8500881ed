//! One evaluation, top to bottom: policy, fields, evidence, judge, assessment, record, answer.

use std::num::NonZero;
use std::sync::Arc;

use gsar_core::evidence::EvidenceItem;
use gsar_core::policy::{SecondLook, UndefinedScore};
use gsar_core::safety::Confidence;
use gsar_core::{Claim, Reason};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use metrics::counter;
use tonic::Status;
use tracing::{Instrument as _, Span};

use super::decide::{Case, decide};
use super::judging::{Judged, ask};
use super::reader::Reader;
use super::record::{self, Keyed};
use super::retrieval::{Corpus, Gathered, insufficient};
use super::stopwatch::Stopwatch;
use super::{
    ChosenPolicy, Engine, PolicyChoice, PolicyUse, answer, claims, dry_run, own_report, redacted,
    unjudged, warnings,
};
use crate::call::{Call, Step};
use crate::compute::compute_briefly;
use crate::config::EvidenceKept;
use crate::judge::{Example, Judge, Notice, Question};
use crate::ledger::{Content, NewEvent};
use crate::telemetry::safety::Outcomes;
use crate::telemetry::{self, metrics as names, traces};

/// What the reports of a request share: every field of it was checked, its evidence read, attested and digested.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) policy: ChosenPolicy,
    evidence: Arc<Vec<EvidenceItem>>,
    /// The digests of the evidence.
    digests: Vec<v1::EvidenceDigest>,
    /// The contents of the evidence, where the ledger keeps them.
    pub(super) contents: Vec<Content>,
    corpus: Corpus,
    gate: Option<parse::ParsedGate>,
    judges: Vec<Arc<dyn Judge>>,
    /// Who reads what a judge supports a second time.
    reader: Reader,
    pub(super) options: v1::EvaluateOptions,
    /// Whether the metrics of decisions count it.
    is_counted: bool,
    /// Whether several reports are judged by the evidence.
    has_several: bool,
}

/// What is recorded of a request beside its answer: the policy, and contents of the evidence where they are kept.
type Recorded = (ChosenPolicy, Vec<Content>);

/// A request whose every field was checked.
struct Checked<R> {
    shared: Shared,
    corpus_id: String,
    reports: R,
}

/// What an answer says beside what was decided.
struct AnswerContext {
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
        let redact = request.options.as_ref().is_some_and(|options| options.redact);
        let answer = self.evaluate_with(call, request, policy, |_| None).await?;
        self.redact_if(call, answer, redact).await
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
        let is_dry = request.options.as_ref().is_some_and(|options| options.dry_run);
        let Some(ledger) = self.ledger.as_ref().filter(|_| !is_dry) else {
            return self.evaluate_unrecorded(call, request, policy).await;
        };
        // Before the checks: what was acknowledged under a key stays so, whatever the configuration allows by now.
        let keyed = Keyed::of(&request);
        if let Some(before) = record::replay(ledger.as_ref(), &keyed).await? {
            return Ok(before);
        }
        let report = record::encoded_report(&request);
        let recorded = record::RecordedRequest::of(&request, report);
        let whole = self.evidence_kept == EvidenceKept::Full;
        let ((policy, contents), mut answer) =
            self.decide_report(call, request, recorded.report_digest(), whole, policy).await?;
        call.enter(Step::Record);
        if let Some(provenance) = &mut answer.provenance {
            provenance.recorded = true;
        }
        let event = event(&answer);
        let recording =
            record::record(ledger.as_ref(), keyed, recorded, contents, &policy, answer, event);
        recording.instrument(traces::step("record")).await
    }

    /// Redacts the answer if `redact` is set.
    pub(super) async fn redact_if(
        &self,
        call: &Call,
        answer: v1::EvaluateResponse,
        redact: bool,
    ) -> Result<v1::EvaluateResponse, Status> {
        if !redact {
            return Ok(answer);
        }
        let redactor = self.redactor.clone();
        compute_briefly(call, move || redacted::answer(&redactor, &answer)).await
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
        decided.map(|(_, answer)| answer)
    }

    async fn decide_report(
        &self,
        call: &Call,
        mut request: v1::EvaluateRequest,
        report_digest: String,
        whole: bool,
        policy: PolicyChoice,
    ) -> Result<(Recorded, v1::EvaluateResponse), Status> {
        let mut watch = Stopwatch::start();
        let report = request.report.take();
        let read = |violations: &mut Violations| {
            parse::required("report", report, violations)
                .and_then(|report| parse::report(report, &self.limits, violations))
        };
        let (mut shared, report) =
            self.prepare(call, request, whole, policy, read, &mut watch).await?;
        let kept = (shared.policy.clone(), std::mem::take(&mut shared.contents));
        let answer = self.decide_shared(call, shared, report, report_digest, watch).await?;
        Ok((kept, answer))
    }

    /// Checks a request, reads its evidence and finds its corpus, once for all of its reports.
    pub(super) async fn prepare<R>(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        whole: bool,
        policy: PolicyChoice,
        read: impl FnOnce(&mut Violations) -> Option<R>,
        watch: &mut Stopwatch,
    ) -> Result<(Shared, R), Status> {
        call.enter(Step::Admit);
        let Checked { mut shared, corpus_id, reports } = self.check(request, policy, read)?;
        admit(call, &mut shared, whole).await;
        watch.lap(Step::Admit);
        let corpus = self.corpus(call, &corpus_id, &shared.evidence, &shared.judges);
        shared.corpus = corpus.await?;
        Ok((shared, reports))
    }

    /// Decides one report of a request.
    pub(super) async fn decide_shared(
        &self,
        call: &Call,
        mut shared: Shared,
        report: parse::ParsedReport,
        report_digest: String,
        watch: Stopwatch,
    ) -> Result<v1::EvaluateResponse, Status> {
        let mut ctx = AnswerContext {
            provenance: record::provenance(report_digest, record::now()),
            watch,
            notices: Vec::new(),
        };
        ctx.provenance.evidence = std::mem::take(&mut shared.digests);
        let (claims, gathered) = self.collect(call, &mut shared, &report, &mut ctx).await?;
        let examples = self.examples(&shared.judges, &claims).await;
        ctx.provenance.examples = examples.iter().map(shown_example).collect();
        let (question, judged) =
            judge(call, &mut shared, &report, claims, gathered, examples, &mut ctx).await?;
        let confidence = report.confidence;
        let answer =
            self.decide_judged(call, &mut shared, confidence, question, judged, &mut ctx).await?;
        Ok(finish(&shared, &report, answer, ctx))
    }

    fn check<R>(
        &self,
        request: v1::EvaluateRequest,
        policy: PolicyChoice,
        read: impl FnOnce(&mut Violations) -> Option<R>,
    ) -> Result<Checked<R>, Status> {
        let mut violations = Violations::default();
        let (name, overrides) = (&request.policy, request.policy_overrides);
        let is_rehearsal = matches!(policy, PolicyChoice::Named(PolicyUse::Any));
        let policy = match policy {
            PolicyChoice::Pinned(policy) => Some(policy),
            PolicyChoice::Named(wanted) => {
                self.choose_policy(name, overrides, wanted, &mut violations)?
            }
        };
        let reports = read(&mut violations);
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
        let checked = policy.zip(reports).zip(judges).map(|((policy, reports), judges)| {
            let reader = match policy.policy.second_look {
                SecondLook::Off => Reader::Off,
                SecondLook::Headline | SecondLook::All => self.reader.clone(),
            };
            let shared = Shared {
                policy,
                evidence: Arc::new(evidence),
                digests: Vec::new(),
                contents: Vec::new(),
                corpus: Corpus::None,
                gate,
                judges,
                reader,
                is_counted: !is_rehearsal && !options.dry_run,
                options,
                has_several: false,
            };
            Checked { shared, corpus_id, reports }
        });
        violations.finish(checked)
    }

    /// The claims to judge, and the evidence to judge them by.
    async fn collect(
        &self,
        call: &Call,
        shared: &mut Shared,
        report: &parse::ParsedReport,
        ctx: &mut AnswerContext,
    ) -> Result<(Vec<Claim>, Gathered), Status> {
        let requires_coverage = shared.policy.policy.guards.min_coverage.is_some();
        let inline = std::mem::take(&mut shared.evidence);
        let claims = claims::of(call, report, &inline, requires_coverage).await?;
        claims::check(&claims, report, &self.limits)?;
        let corpus = std::mem::replace(&mut shared.corpus, Corpus::None);
        let span = match corpus {
            Corpus::None => Span::none(),
            Corpus::Whole { .. } | Corpus::Searched { .. } => traces::step("retrieve"),
        };
        let mut gathered = corpus.gather(call, inline, &claims).instrument(span).await?;
        if let Some(retrieval) = gathered.retrieval.take() {
            counter!(names::RETRIEVALS, "method" => retrieval.method.clone()).increment(1);
            ctx.provenance.evidence.append(&mut gathered.found);
            ctx.provenance.retrieval = Some(retrieval);
            ctx.watch.lap(Step::Retrieve);
        }
        let notice = own_report::mark(call, &report.synthesis, &mut gathered.evidence).await;
        ctx.notices.extend(notice);
        if let Some(gate) = &mut shared.gate {
            gate.link(&gathered.evidence);
        }
        Ok((claims, gathered))
    }

    async fn decide_judged(
        &self,
        call: &Call,
        shared: &mut Shared,
        confidence: Option<Confidence>,
        question: Arc<Question>,
        judged: Judged,
        ctx: &mut AnswerContext,
    ) -> Result<v1::EvaluateResponse, Status> {
        call.enter(Step::Decide);
        ctx.provenance.judges = judged.links;
        ctx.notices.extend(judged.notices);
        let policy = &shared.policy.policy;
        let gate = shared.gate.take();
        let answer = match judged.outcome {
            Ok(mut judgement) => {
                let judge = judged.judge.as_ref();
                let case = Case {
                    reader: judge.and_then(|judge| shared.reader.of(judge)),
                    policy: Arc::clone(policy),
                    explain: question.explain,
                    is_counted: shared.is_counted,
                    question,
                    gate,
                    confidence,
                };
                let provenance = &mut ctx.provenance;
                let deciding = decide(call, case, judge, &mut judgement, provenance);
                let mut answer = deciding.instrument(traces::step("decide")).await?;
                answer::attach_judges(&mut answer.claims, judged.judges);
                ctx.notices.append(&mut judgement.notices);
                answer
            }
            Err(reason) => unjudged::answer(policy, reason, gate.as_ref(), confidence),
        };
        ctx.watch.lap(Step::Decide);
        Ok(answer)
    }
}

/// Says which evidence of a request is attested, and takes digests and contents of all.
async fn admit(call: &Call, shared: &mut Shared, whole: bool) {
    let mut evidence = Arc::unwrap_or_clone(std::mem::take(&mut shared.evidence));
    evidence.iter_mut().for_each(|item| call.attestation.attest(item));
    shared.evidence = Arc::new(evidence);
    let evidence = Arc::clone(&shared.evidence);
    (shared.digests, shared.contents) =
        compute_briefly(call, move || record::digested(&evidence, whole)).await;
}

impl Shared {
    /// For several reports: what is read off the evidence is kept from one to the next.
    pub(super) fn for_several(self, reports: usize) -> Self {
        Self { has_several: reports > 1, ..self }
    }
}

/// Has the claims judged.
async fn judge(
    call: &Call,
    shared: &mut Shared,
    report: &parse::ParsedReport,
    claims: Vec<Claim>,
    gathered: Gathered,
    examples: Arc<[Example]>,
    ctx: &mut AnswerContext,
) -> Result<(Arc<Question>, Judged), Status> {
    call.enter(Step::Judge);
    // What was searched for one report is of that one alone.
    let is_shared = shared.has_several && !is_searched(ctx);
    let question = Arc::new(Question {
        synthesis: report.synthesis.as_str().into(),
        claims: claims.into(),
        objections: Vec::new(),
        statements: Vec::new(),
        evidence: gathered.evidence,
        examples,
        is_kept: gathered.is_kept || is_shared,
        explain: shared.options.explain,
        samples: NonZero::new(shared.options.samples),
        sample: 0,
        bypass_cache: shared.options.bypass_cache,
        deadline: Some(call.deadline),
        call: Some(call.clone()),
    });
    let judged = if has_no_evidence(&shared.policy, &question) {
        Judged::not_asked(Reason::NoEvidence)
    } else {
        let asked = Arc::clone(&question);
        let languages = compute_briefly(call, move || asked.languages()).await;
        let judges = std::mem::take(&mut shared.judges);
        let policy = &shared.policy.policy;
        ask(call, policy, judges, &question, &languages, &shared.reader).await?
    };
    ctx.watch.lap(Step::Judge);
    Ok((question, judged))
}

fn shown_example(example: &Example) -> v1::GradedExample {
    v1::GradedExample {
        evaluation_id: example.evaluation_id.clone(),
        claim_id: example.claim_id.clone(),
    }
}

/// Counts an answer and adds all that it says beside what was decided.
fn finish(
    shared: &Shared,
    report: &parse::ParsedReport,
    mut answer: v1::EvaluateResponse,
    ctx: AnswerContext,
) -> v1::EvaluateResponse {
    let AnswerContext { mut provenance, watch, notices } = ctx;
    let policy = &shared.policy;
    if shared.is_counted {
        answer::count(&policy.policy, answer.decision.as_ref());
    }
    let decided = answer.decision.take();
    answer.decision =
        decided.map(|decided| answer::govern(&policy.policy, decided, &mut answer.shadow));
    if shared.is_counted {
        telemetry::safety::settled(Outcomes {
            gate: answer.gate.as_ref(),
            cap: answer.cap.as_ref(),
            action: answer.action.as_ref(),
            shadow: answer.shadow.as_ref(),
        });
    }
    answer.evaluation_id = crate::wall_clock::new_id().to_string();
    answer.warnings = warnings::of(policy, report, &provenance.judges, notices);
    let cut = provenance.retrieval.as_ref();
    answer.warnings.extend(cut.and_then(|cut| insufficient(cut, &answer.claims)));
    provenance.policy = Some(policy.applied_to(&provenance.judges));
    provenance.verification = render::verification_mode(policy.policy.verification).into();
    provenance.timings = watch.into_timings();
    answer.provenance = Some(provenance);
    if shared.options.dry_run { dry_run::undecided(answer) } else { answer }
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

/// Whether the evidence was searched for what bears on this report.
fn is_searched(ctx: &AnswerContext) -> bool {
    ctx.provenance.retrieval.as_ref().is_some_and(|retrieval| retrieval.method != "whole")
}

/// Whether there is nothing to judge by. The method as published scores a report without evidence as well.
fn has_no_evidence(policy: &ChosenPolicy, question: &Question) -> bool {
    question.evidence.is_empty() && policy.policy.undefined_score != UndefinedScore::Half
}
