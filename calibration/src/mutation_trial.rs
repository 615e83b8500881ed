//! Judges mutations of true claims in faithful reports, and the original claims.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use gsar_client::Client;
use gsar_core::Class;
use gsar_proto::v1;

use crate::asking::{Question, ask, verdict};
use crate::baselines::content;
use crate::data_set::{Case, DataSet, Label, Prose};
use crate::mutation::{Kind, Mutation, Surroundings, draw, mutations};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) kind: Kind,
    pub(crate) case: usize,
    pub(crate) original: Class,
    pub(crate) class: Class,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Original {
    pub(crate) case: usize,
    pub(crate) class: Class,
}

#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) incidents: usize,
    pub(crate) possible: usize,
    pub(crate) mutated: Vec<Outcome>,
    pub(crate) originals: Vec<Original>,
}

struct Candidate<'a> {
    report: &'a Prose,
    claim: usize,
    mutation: Mutation,
}

/// Draws mutations and judges each one together with the unchanged claims in its report.
pub(crate) async fn judge_mutations(
    client: &Client,
    data_set: DataSet,
    seed: u64,
    number: usize,
) -> Result<Trial> {
    let DataSet { cases, reports, .. } = data_set;
    let faithful: Vec<&Prose> = reports.iter().filter(|report| report.kind == "faithful").collect();
    let candidates: Vec<Candidate<'_>> =
        faithful.iter().flat_map(|report| candidates(report, &cases)).collect();
    let possible = candidates.len();
    let drawn = draw(candidates, |candidate| candidate.mutation.kind, number, seed);

    let questions = faithful
        .iter()
        .map(|report| Question::claims(report.case, report.text.clone(), &report.labels));
    let unchanged = ask(client, &cases, questions.collect()).await?;
    let unchanged: BTreeMap<usize, v1::EvaluateResponse> =
        faithful.iter().map(|report| report.case).zip(unchanged).collect();
    let original_class = |label: &Label| {
        let answer = unchanged.get(&label.case).context("a report has no answer")?;
        anyhow::Ok(verdict(answer, &label.id)?.counted())
    };
    let mut originals = Vec::new();
    for label in faithful.iter().flat_map(|report| &report.labels) {
        if label.class == Class::Grounded {
            originals.push(Original { case: label.case, class: original_class(label)? });
        }
    }

    let answers = ask(client, &cases, drawn.iter().map(question).collect()).await?;
    let mut mutated = Vec::with_capacity(drawn.len());
    for (candidate, answer) in drawn.iter().zip(answers) {
        let Candidate { report, claim, mutation } = candidate;
        let label = report.labels.get(*claim).context("unknown claim")?;
        let (original, class) = (original_class(label)?, verdict(&answer, &label.id)?.counted());
        mutated.push(Outcome { kind: mutation.kind, case: label.case, original, class });
    }
    Ok(Trial { incidents: faithful.len(), possible, mutated, originals })
}

/// Returns the mutations of a report's grounded claims, except those that are equal to another of its claims.
fn candidates<'a>(report: &'a Prose, cases: &[Case]) -> Vec<Candidate<'a>> {
    let evidence = cases.get(report.case).into_iter().flat_map(|case| &case.evidence);
    let surroundings = Surroundings::new(evidence.map(content));
    let is_claim = |text: &str| report.labels.iter().any(|label| label.text == text);
    let mut candidates = Vec::new();
    for (claim, label) in report.labels.iter().enumerate() {
        if label.class == Class::Grounded {
            let mutations = mutations(&label.text, &surroundings).into_iter();
            let mutations = mutations.filter(|mutation| !is_claim(&mutation.text));
            candidates.extend(mutations.map(|mutation| Candidate { report, claim, mutation }));
        }
    }
    candidates
}

/// Replaces the claim in the text and in the list, and shifts later spans.
fn question(candidate: &Candidate<'_>) -> Question {
    let Candidate { report, claim, mutation } = candidate;
    let mut labels = report.labels.clone();
    let mut text = report.text.clone();
    if let Some(label) = labels.get_mut(*claim) {
        label.text.clone_from(&mutation.text);
        if let Some(span) = label.span.as_mut() {
            let old_end = span.end;
            span.end = span.start + mutation.text.len() as u64;
            let new_end = span.end;
            let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
            text = [
                report.text.get(..index(span.start)).unwrap_or_default(),
                &mutation.text,
                report.text.get(index(old_end)..).unwrap_or_default(),
            ]
            .concat();
            let later = labels.iter_mut().skip(claim + 1).filter_map(|label| label.span.as_mut());
            for span in later {
                span.start = span.start - old_end + new_end;
                span.end = span.end - old_end + new_end;
            }
        }
    }
    Question::claims(report.case, text, &labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_set::incident_data;

    #[test]
    fn mutated_reports_have_correct_spans() {
        let data_set = incident_data(&gsar_datasets::folder().join("incidents")).unwrap();
        let faithful = data_set.reports.iter().filter(|report| report.kind == "faithful");
        let candidates: Vec<_> =
            faithful.flat_map(|report| candidates(report, &data_set.cases)).collect();
        for kind in Kind::ALL {
            let of_kind = candidates.iter().filter(|candidate| candidate.mutation.kind == kind);
            assert!(of_kind.count() > 0, "no mutation of kind {}", kind.name());
        }
        for candidate in &candidates {
            let report = question(candidate).report;
            assert!(report.synthesis.contains(&candidate.mutation.text));
            for claim in report.claims {
                let span = claim.span.unwrap();
                let text = report.synthesis.get(span.start as usize..span.end as usize);
                assert_eq!(text, Some(claim.text.as_str()));
            }
        }
    }
}
