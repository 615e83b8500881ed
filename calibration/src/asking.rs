//! Sends evaluation requests to a server concurrently.

use anyhow::{Context as _, Result};
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::Client;
use gsar_core::{Class, EvidenceType, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

use crate::data_set::{Case, Label};

const MAX_CONCURRENT: usize = 8;

/// A report to evaluate against the evidence of a case.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) case: usize,
    pub(crate) report: v1::Report,
}

impl Question {
    pub(crate) fn claim(label: &Label) -> Self {
        Self::claims(label.case, String::new(), std::slice::from_ref(label))
    }

    /// Creates a question without claims, so that the server splits the report.
    pub(crate) fn whole(case: usize, synthesis: String) -> Self {
        Self { case, report: v1::Report { synthesis, ..Default::default() } }
    }

    pub(crate) fn claims(case: usize, synthesis: String, labels: &[Label]) -> Self {
        let claims = labels.iter().map(|label| v1::Claim {
            id: label.id.clone(),
            text: label.text.clone(),
            span: label.span,
        });
        Self {
            case,
            report: v1::Report { synthesis, claims: claims.collect(), ..Default::default() },
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ServerVerdict {
    /// The class after verification; `None` if the claim is undecided.
    pub(crate) class: Option<Class>,
    pub(crate) evidence_type: EvidenceType,
    pub(crate) cited: Vec<String>,
    pub(crate) note: String,
}

pub(crate) async fn ask(
    client: &Client,
    cases: &[Case],
    questions: Vec<Question>,
) -> Result<Vec<v1::EvaluateResponse>> {
    let answers = questions.into_iter().map(|Question { case, report }| async move {
        let case = cases.get(case).context("unknown case")?;
        let evidence = case.evidence.clone();
        let request = v1::EvaluateRequest { report: Some(report), evidence, ..Default::default() };
        client.evaluate(request).await.with_context(|| format!("case {}", case.name))
    });
    futures_util::stream::iter(answers).buffered(MAX_CONCURRENT).try_collect().await
}

impl ServerVerdict {
    /// Returns the class. Undecided claims count as ungrounded.
    pub(crate) fn counted(&self) -> Class {
        self.class.unwrap_or(Class::Ungrounded)
    }
}

pub(crate) fn verdict(answer: &v1::EvaluateResponse, claim: &str) -> Result<ServerVerdict> {
    let unjudged = || {
        let reasons = decision(answer).into_iter().flat_map(|decision| &decision.reasons);
        let reasons: Vec<&str> = reasons.map(|reason| reason.sentence.as_str()).collect();
        format!("claim {claim} was not judged: {}", reasons.join("; "))
    };
    let judged = answer.claims.iter().find(|judged| judged.id == claim);
    let judged = judged.with_context(unjudged)?;
    Ok(ServerVerdict {
        class: match judged.undecided {
            Some(_) => None,
            None => Some(Class::from_number(judged.class).with_context(unjudged)?),
        },
        evidence_type: EvidenceType::from_number(judged.r#type).with_context(unjudged)?,
        cited: judged.citations.iter().map(|citation| citation.evidence_id.clone()).collect(),
        note: judged.note.clone(),
    })
}

fn decision(answer: &v1::EvaluateResponse) -> Option<&v1::Decision> {
    let shadow = answer.shadow.as_ref().and_then(|shadow| shadow.decision.as_ref());
    shadow.or(answer.decision.as_ref())
}

pub(crate) fn tier(answer: &v1::EvaluateResponse) -> Result<Tier> {
    let decision = decision(answer).context("the answer has no decision")?;
    Tier::from_number(decision.tier).context("the decision has no tier")
}
