//! The pipeline of one evaluation: prepare, retrieve, judge, decide, record.

use std::num::NonZero;
use std::sync::Arc;

use gsar_core::Reason;
use gsar_core::evidence::EvidenceItem;
use gsar_core::policy::UndefinedScore;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use metrics::counter;
use prost::Message as _;
use tonic::Status;
use tracing::{Instrument as _, Span};

use super::call_chain::{ChainResult, call_chain};
use super::decide::{Case, decide};
use super::prepare::{PreparedRequest, Settings};
use super::record::{self, RequestKey};
use super::retrieval::{Corpus, GatheredEvidence, insufficient_retrieval};
use super::stopwatch::Stopwatch;
use super::{
    ChosenPolicy, Engine, PolicyChoice, PolicyUse, answer, claims, dry_run, named_evidence,
    own_report, redact, unjudged, warnings,
};
use crate::call::{Call, Step};
use crate::compute_pool::compute_briefly;
use crate::config::EvidenceRetention;
use crate::judge::{Example, Notice, Question};
use crate::ledger::{Content, NewEvent};
use crate::telemetry::{self, metrics as names, traces};

struct DecidedReport {
    answer: v1::EvaluateResponse,
    policy: ChosenPolicy,
    contents: Vec<Content>,
}

struct AnswerContext {
    provenance: v1::Provenance,
    watch: Stopwatch,
    notices: Vec<Notice>,
}

impl Engine {
    /// Evaluates a report and records the answer before returning it.
    ///
    /// # Errors
    /// The errors of the API contract. A decision is never an error.
    pub async fn evaluate(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
    ) -> Result<v1::EvaluateResponse, Status> {
        let policy = PolicyChoice::Named(PolicyUse::Decide);
        let should_redact = request.options.as_ref().is_some_and(|options| options.redact);
        let answer = self.evaluate_with(call, request, policy, |_| None).await?;
        self.redact_if(call, answer, should_redact).await
    }

    /// Evaluates an investigation's report. Records the investigation's event together with the answer.
    ///
    /// # Errors
    /// Those of [`Engine::evaluate`], and FAILED_PRECONDITION if the step is already recorded.
    pub(crate) async fn evaluate_with(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        policy: PolicyChoice,
        build_event: impl FnOnce(&v1::EvaluateResponse) -> Option<NewEvent> + Send,
    ) -> Result<v1::EvaluateResponse, Status> {
        let is_dry_run = request.options.as_ref().is_some_and(|options| options.dry_run);
        let Some(ledger) = self.ledger.as_ref().filter(|_| !is_dry_run) else {
            return self.evaluate_unrecorded(call, request, policy).await;
        };
        // The key is looked up before the request is checked, so that a recorded answer stays available
        // when the configuration changes.
        let key = RequestKey::new(&request);
        if let Some(recorded_answer) = record::replay(ledger.as_ref(), &key).await? {
            return Ok(recorded_answer);
        }
        let report = record::encoded_report(&request);
        let recorded_request = record::RecordedRequest::new(&request, report);
        let store_contents = self.evidence_retention == EvidenceRetention::Full;
        let digest = recorded_request.report_digest();
        let DecidedReport { answer, policy, contents } =
            self.decide_report(call, request, digest, store_contents, policy).await?;
        call.enter(Step::Record);
        let event = build_event(&answer);
        let recording = record::record(
            ledger.as_ref(),
            key,
            recorded_request,
            contents,
            &policy,
            answer,
            event,
        );
        recording.instrument(traces::step_span("record")).await
    }

    pub(super) async fn redact_if(
        &self,
        call: &Call,
        answer: v1::EvaluateResponse,
        should_redact: bool,
    ) -> Result<v1::EvaluateResponse, Status> {
        if !should_redact {
            return Ok(answer);
        }
        let redactor = self.redactor.clone();
        compute_briefly(call, answer.encoded_len(), move || redact::answer(&redactor, &answer))
            .await
    }

    /// Evaluates a report without recording it.
    ///
    /// # Errors
    /// Those of [`Engine::evaluate`].
    pub(super) async fn evaluate_unrecorded(
        &self,
        call: &Call,
        request: v1::EvaluateRequest,
        policy: PolicyChoice,
    ) -> Result<v1::EvaluateResponse, Status> {
        let report_digest = record::digest(&record::encoded_report(&request));
        let result = self.decide_report(call, request, report_digest, false, policy).await;
        result.map(|report| report.answer)
    }

    async fn decide_report(
        &self,
        call: &Call,
        mut request: v1::EvaluateRequest,
        report_digest: String,
        store_contents: bool,
        policy: PolicyChoice,
    ) -> Result<DecidedReport, Status> {
        let mut watch = Stopwatch::start();
        let report = request.report.take();
        let parse_report = |violations: &mut Violations| {
            parse::required("report", report, violations)
                .and_then(|report| parse::report(report, &self.limits, violations))
        };
        let (prepared, contents, report) =
            self.prepare(call, request, store_contents, policy, parse_report, &mut watch).await?;
        let policy = prepared.settings.policy.clone();
        let answer = self.decide_prepared(call, prepared, report, report_digest, watch).await?;
        Ok(DecidedReport { answer, policy, contents })
    }

    pub(super) async fn decide_prepared(
        &self,
        call: &Call,
        prepared: PreparedRequest,
        report: parse::ParsedReport,
        report_digest: String,
        watch: Stopwatch,
    ) -> Result<v1::EvaluateResponse, Status> {
        let PreparedRequest { settings, evidence, digests, corpus, mut gate, has_several_reports } =
            prepared;
        let mut ctx = AnswerContext {
            provenance: record::provenance(report_digest, record::now()),
            watch,
            notices: Vec::new(),
        };
        ctx.provenance.evidence = digests;

        let requires_coverage = settings.policy.policy.guards.min_coverage.is_some();
        let claims = claims::collect(call, &report, &evidence, requires_coverage).await?;
        claims::check(&claims, &report, &self.limits)?;

        let span = match corpus {
            Corpus::None => Span::none(),
            Corpus::Whole(_) | Corpus::Searched { .. } => traces::step_span("retrieve"),
        };
        let searched_corpus = gate.as_ref().and_then(|_| corpus.searched());
        let gathered_evidence = corpus.gather(call, evidence, &claims).instrument(span).await?;
        let is_reused = gathered_evidence.is_reused
            || (has_several_reports && !gathered_evidence.is_searched());
        let evidence = ctx.add_retrieval(gathered_evidence);
        let (evidence, notice) = own_report::mark(call, &report.synthesis, evidence).await;
        ctx.notices.extend(notice);
        if let Some(gate) = &mut gate {
            let policy = &settings.policy.policy;
            let notice =
                named_evidence::resolve(call, gate, &evidence, searched_corpus, policy).await?;
            ctx.notices.extend(notice);
        }

        let examples = self.examples(&settings.judges, &claims).await;
        ctx.provenance.examples = examples.iter().map(shown_example).collect();
        call.enter(Step::Judge);
        let question = Arc::new(Question {
            synthesis: report.synthesis.as_str().into(),
            claims: claims.into(),
            evidence,
            examples,
            evidence_is_reused: is_reused,
            explain: settings.options.explain,
            samples: NonZero::new(settings.options.samples),
            bypass_cache: settings.options.bypass_cache,
            deadline: Some(call.deadline),
            call: Some(call.clone()),
            ..Question::default()
        });
        let chain_result = judge(call, &settings, &question).await?;
        ctx.watch.lap(Step::Judge);

        call.enter(Step::Decide);
        ctx.provenance.judges = chain_result.links;
        ctx.notices.extend(chain_result.notices);
        let answer = match chain_result.outcome {
            Ok((judge, judgement)) => {
                let case = Case {
                    reader: settings.second_reader.for_judge(&judge),
                    policy: Arc::clone(&settings.policy.policy),
                    explain: question.explain,
                    is_counted: settings.is_counted,
                    question,
                    gate,
                    confidence: report.confidence,
                };
                let deciding = decide(call, case, &judge, judgement, &mut ctx.provenance);
                let (mut answer, notices) =
                    deciding.instrument(traces::step_span("decide")).await?;
                answer::attach_judges(&mut answer.claims, chain_result.judges);
                ctx.notices.extend(notices);
                answer
            }
            Err(unjudged) => unjudged::answer(
                &settings.policy.policy,
                unjudged,
                gate.as_ref(),
                report.confidence,
            ),
        };
        ctx.watch.lap(Step::Decide);
        Ok(finish(&settings, &report, answer, ctx))
    }
}

impl AnswerContext {
    fn add_retrieval(&mut self, gathered_evidence: GatheredEvidence) -> Arc<Vec<EvidenceItem>> {
        let GatheredEvidence { evidence, is_reused: _, retrieval, corpus_digests } =
            gathered_evidence;
        if let Some(retrieval) = retrieval {
            counter!(names::RETRIEVALS, "method" => retrieval.method.clone()).increment(1);
            self.provenance.evidence.extend(corpus_digests);
            self.provenance.retrieval = Some(retrieval);
            self.watch.lap(Step::Retrieve);
        }
        evidence
    }
}

async fn judge(
    call: &Call,
    settings: &Settings,
    question: &Arc<Question>,
) -> Result<ChainResult, Status> {
    if lacks_required_evidence(&settings.policy, question) {
        return Ok(ChainResult::without_call(Reason::NoEvidence));
    }
    let question_clone = Arc::clone(question);
    let claim_bytes: usize = question.claims.iter().map(|claim| claim.text.len()).sum();
    let bytes = question.synthesis.len() + claim_bytes;
    let languages = compute_briefly(call, bytes, move || question_clone.languages()).await;
    let Settings { policy, judges, second_reader, .. } = settings;
    call_chain(call, &policy.policy, judges, question, &languages, second_reader).await
}

fn shown_example(example: &Example) -> v1::GradedExample {
    v1::GradedExample {
        evaluation_id: example.evaluation_id.clone(),
        claim_id: example.claim_id.clone(),
    }
}

fn finish(
    settings: &Settings,
    report: &parse::ParsedReport,
    mut answer: v1::EvaluateResponse,
    ctx: AnswerContext,
) -> v1::EvaluateResponse {
    let AnswerContext { mut provenance, watch, notices } = ctx;
    let policy = &settings.policy;
    if settings.is_counted {
        answer::count_decision(&policy.policy, answer.decision.as_ref());
    }
    let decision = answer.decision.take();
    answer.decision = decision
        .map(|decision| answer::apply_rollout(&policy.policy, decision, &mut answer.shadow));
    if settings.is_counted {
        telemetry::safety::record_outcomes(
            answer.gate.as_deref(),
            answer.cap.as_deref(),
            answer.action.as_deref(),
            answer.shadow.as_deref(),
        );
    }
    answer.evaluation_id = crate::wall_clock::new_id().to_string();
    answer.warnings = warnings::collect(policy, report, &provenance.judges, notices);
    let retrieval = provenance.retrieval.as_ref();
    answer
        .warnings
        .extend(retrieval.and_then(|retrieval| insufficient_retrieval(retrieval, &answer.claims)));
    provenance.policy = Some(policy.applied_to(&provenance.judges));
    provenance.verification = render::verification_mode(policy.policy.verification).into();
    provenance.timings = watch.into_timings();
    answer.provenance = Some(provenance);
    if settings.options.dry_run { dry_run::strip_decision(answer) } else { answer }
}

/// Returns `true` if there is no evidence and the policy does not judge such reports. Only a policy with
/// `UndefinedScore::Half` judges them.
fn lacks_required_evidence(policy: &ChosenPolicy, question: &Question) -> bool {
    question.evidence.is_empty() && policy.policy.undefined_score != UndefinedScore::Half
}
