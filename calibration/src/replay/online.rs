//! Replays judgements through a real server, which calls the provider as it would call any model.

use anyhow::{Context as _, Result, bail};
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::{Client, Item};
use gsar_core::evidence::Content;
use gsar_core::{Class, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

use super::Question;
use super::matching::Judgements;
use super::outcome::{Finding, JudgementKind, Outcome, ReportDecision};
use super::provider::{KnownCase, Provider};
use super::rendering::render;
use super::stored::{Case, Report};
use crate::arguments::Rendering;
use crate::data_set::ItemLine;

pub(super) const POLICY: &str = "reference";

const MAX_CONCURRENT: usize = 8;

pub(crate) struct Replayer<'a> {
    pub(crate) client: &'a Client,
    pub(crate) provider: &'a Provider,
}

impl Replayer<'_> {
    /// Sends a case's correct verdicts in one call and its errors in another, so that no claim occurs twice in a
    /// call.
    pub(crate) async fn outcomes(
        &self,
        cases: &[Case],
        questions: &[Vec<Question>],
        rendering: Rendering,
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        let is_right = |question: &&Question| question.judgement_kind == JudgementKind::Right;
        for right in [true, false] {
            let questions: Vec<Vec<&Question>> = questions
                .iter()
                .map(|of_case| of_case.iter().filter(|one| is_right(one) == right).collect())
                .collect();
            let known = cases.iter().zip(&questions).map(|(case, questions)| {
                let judgements = questions.iter().map(|one| (one.text.as_str(), &one.judgement));
                known_case(case, rendering, Judgements::new(judgements), Vec::new())
            });
            self.provider.set_cases(known.collect());
            let calls = cases.iter().zip(&questions).filter(|(_, questions)| !questions.is_empty());
            let calls = calls.map(|(case, questions)| self.claims(case, questions, rendering));
            let answered: Vec<Vec<Outcome>> =
                futures_util::stream::iter(calls).buffered(MAX_CONCURRENT).try_collect().await?;
            outcomes.extend(answered.into_iter().flatten());
        }
        Ok(outcomes)
    }

    pub(crate) async fn reports(
        &self,
        cases: &[Case],
        rendering: Rendering,
    ) -> Result<Vec<ReportDecision>> {
        let of_case = |case: &Case| {
            let stored = case.claims.iter().map(|claim| (claim.text.as_str(), &claim.judgement));
            let reports = case.reports.iter().map(|report| report.text.clone()).collect();
            known_case(case, rendering, Judgements::new(stored), reports)
        };
        let known: Vec<KnownCase> = cases.iter().map(of_case).collect();
        self.provider.set_cases(known.clone());
        let reports = cases
            .iter()
            .zip(&known)
            .flat_map(|(case, known)| case.reports.iter().map(move |report| (case, known, report)));
        let calls =
            reports.map(|(case, known, report)| self.report(case, known, report, rendering));
        futures_util::stream::iter(calls).buffered(MAX_CONCURRENT).try_collect().await
    }

    async fn claims(
        &self,
        case: &Case,
        questions: &[&Question],
        rendering: Rendering,
    ) -> Result<Vec<Outcome>> {
        let claims = questions.iter().enumerate().map(|(number, question)| v1::Claim {
            id: format!("c{}", number + 1),
            text: question.text.clone(),
            span: None,
        });
        let report = v1::Report { claims: claims.collect(), ..Default::default() };
        let answer = self.evaluate(case, report, rendering).await?;
        let outcomes = questions.iter().enumerate().map(|(number, question)| {
            outcome(question, &format!("c{}", number + 1), &answer)
                .with_context(|| format!("case {}", case.name))
        });
        outcomes.collect()
    }

    async fn report(
        &self,
        case: &Case,
        known: &KnownCase,
        report: &Report,
        rendering: Rendering,
    ) -> Result<ReportDecision> {
        let sent = v1::Report { synthesis: report.text.clone(), ..Default::default() };
        let answer = self.evaluate(case, sent, rendering).await?;
        let decision = answer.decision.as_ref().context("the answer has no decision")?;
        let is_known = |text: &str| known.judgements.for_split_claim(text, &report.text).is_some();
        let unmatched = answer.claims.iter().filter(|claim| !is_known(&claim.text));
        Ok(ReportDecision {
            case: case.name.clone(),
            kind: report.kind.clone(),
            tier: Tier::from_number(decision.tier).context("the decision has no tier")?,
            reasons: decision
                .reasons
                .iter()
                .map(|reason| (reason.code.clone(), reason.sentence.clone()))
                .collect(),
            findings: answer
                .corrections
                .iter()
                .map(finding)
                .filter(|finding| finding.was_reclassified)
                .collect(),
            claims: answer.claims.len(),
            unmatched: unmatched.map(|claim| claim.text.clone()).collect(),
        })
    }

    async fn evaluate(
        &self,
        case: &Case,
        report: v1::Report,
        rendering: Rendering,
    ) -> Result<v1::EvaluateResponse> {
        let request = v1::EvaluateRequest {
            report: Some(report),
            evidence: case.evidence.iter().map(|item| to_message(item, rendering)).collect(),
            policy: POLICY.to_owned(),
            ..Default::default()
        };
        self.client.evaluate(request).await.with_context(|| format!("case {}", case.name))
    }
}

pub(super) fn known_case(
    case: &Case,
    rendering: Rendering,
    judgements: Judgements,
    reports: Vec<String>,
) -> KnownCase {
    let items = case.evidence.iter().map(|item| {
        let (Content::Text(content) | Content::Json(content)) = render(item, rendering);
        (item.id.clone(), content)
    });
    KnownCase { items: items.collect(), judgements, reports }
}

pub(super) fn to_message(item: &ItemLine, rendering: Rendering) -> v1::EvidenceItem {
    let id = item.id.clone();
    let message = match render(item, rendering) {
        Content::Text(text) => Item::text(id, text),
        Content::Json(json) => Item::json(id, json),
    };
    message.kind(item.kind).lane(item.lane).tool(&item.tool).into()
}

fn outcome(question: &Question, id: &str, answer: &v1::EvaluateResponse) -> Result<Outcome> {
    let Some(claim) = answer.claims.iter().find(|claim| claim.id == id) else {
        let reasons = answer.decision.iter().flat_map(|decision| &decision.reasons);
        let reasons: Vec<&str> = reasons.map(|reason| reason.sentence.as_str()).collect();
        let judges = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
        let judges: Vec<&str> = judges.map(|judge| judge.code.as_str()).collect();
        bail!("claim {id} was not judged: {} ({})", reasons.join("; "), judges.join(", "));
    };
    let class = Class::from_number(claim.class).context("the claim has no class")?;
    let findings = answer.corrections.iter().filter(|found| found.claim_id == id).map(finding);
    Ok(question.outcome(class, findings.collect()))
}

fn finding(found: &v1::Correction) -> Finding {
    Finding {
        code: found.code.clone(),
        sentence: found.sentence.clone(),
        was_reclassified: found.outcome() == v1::CorrectionOutcome::Corrected
            && found.class_before != found.class_after,
    }
}
