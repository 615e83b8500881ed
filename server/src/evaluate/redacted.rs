//! This module takes secrets and personal data out of answers that leave for others: the same finds are replaced as in
//! questions to chat models. It changes nothing that is kept.

use std::collections::HashMap;
use std::ops::Range;

use gsar_proto::texts::{Rewrite, rewrite};
use gsar_proto::v1;
use gsar_redaction::{Redaction, Redactor};
use tonic::Status;
use uuid::Uuid;

/// Fields set by the server itself, never redacted.
const EXEMPT: [&str; 3] = ["digest", "report_digest", "evaluation_id"];

/// The answer with placeholders. Ranges of its report stay those of the original, which its caller has.
///
/// # Errors
/// The message is not of the contract, a defect of the server.
pub(super) fn answer(
    redactor: &Redactor,
    answer: &v1::EvaluateResponse,
) -> Result<v1::EvaluateResponse, Status> {
    let redaction = begin(redactor, &answer.evaluation_id, &texts(answer));
    let mut redacting = Redacting { redaction, report: None };
    let mut hidden = rewrite(answer, &mut redacting).map_err(broken)?;
    if let Some(provenance) = &mut hidden.provenance {
        provenance.redacted = true;
    }
    Ok(hidden)
}

/// The record with placeholders. Ranges are those of the texts in it; of evidence only the beginning is there, so that
/// ranges behind it are left out.
///
/// # Errors
/// As [`answer`].
pub(super) fn record(
    redactor: &Redactor,
    record: &v1::GetEvaluationResponse,
) -> Result<v1::GetEvaluationResponse, Status> {
    let evaluation = record.evaluation.clone().unwrap_or_default();
    let synthesis = record.report.as_ref().map_or("", |report| report.synthesis.as_str());
    let mut known = texts(&evaluation);
    known.push(synthesis);
    known.extend(record.evidence.iter().map(|item| item.head.as_str()));
    let mut redaction = begin(redactor, &evaluation.evaluation_id, &known);
    let hidden = redaction.hide(synthesis).into_owned();
    let report = Some(Moved { replaced: redaction.replaced_in(&hidden) });
    let mut redacting = Redacting { redaction, report };
    let mut hidden = rewrite(record, &mut redacting).map_err(broken)?;
    if let Some(evaluation) = &mut hidden.evaluation {
        evaluation.provenance.get_or_insert_default().redacted = true;
        let heads = record.evidence.iter().zip(&hidden.evidence);
        let heads: HashMap<&str, Head> = heads
            .map(|(item, hidden)| {
                let replaced = redacting.redaction.replaced_in(&hidden.head);
                (
                    item.id.as_str(),
                    Head { length: item.head.len() as u64, moved: Moved { replaced } },
                )
            })
            .collect();
        cite(&mut evaluation.claims, record.evaluation.as_ref(), &heads);
    }
    Ok(hidden)
}

/// The beginning of an evidence item.
struct Head {
    length: u64,
    moved: Moved,
}

/// Says where citations stand in the beginnings of their items.
fn cite(
    claims: &mut [v1::JudgedClaim],
    original: Option<&v1::EvaluateResponse>,
    heads: &HashMap<&str, Head>,
) {
    let original = original.map(|answer| answer.claims.as_slice()).unwrap_or_default();
    for (claim, original) in claims.iter_mut().zip(original) {
        for (citation, original) in claim.citations.iter_mut().zip(&original.citations) {
            let head = heads.get(original.evidence_id.as_str());
            citation.bytes = original.bytes.zip(head).and_then(|(bytes, head)| {
                let (start, end) = (head.moved.start(bytes.start), head.moved.end(bytes.end));
                (bytes.end <= head.length).then_some(v1::ByteRange { start, end })
            });
        }
    }
}

/// Texts that give secrets away which stand elsewhere as well.
fn texts(answer: &v1::EvaluateResponse) -> Vec<&str> {
    let claims = answer.claims.iter().map(|claim| claim.text.as_str());
    let citations = answer.claims.iter().flat_map(|claim| &claim.citations);
    claims.chain(citations.map(|citation| citation.quote.as_str())).collect()
}

fn begin(redactor: &Redactor, id: &str, texts: &[&str]) -> Redaction {
    let salt = Uuid::parse_str(id).map_or(0, |id| id.as_u128());
    redactor.begin(salt, texts.iter().copied())
}

fn broken(error: impl std::fmt::Display) -> Status {
    Status::internal(format!("the answer cannot be redacted: {error}"))
}

struct Redacting {
    redaction: Redaction,
    /// Where the report's bytes went, where it is in the message.
    report: Option<Moved>,
}

impl Rewrite for Redacting {
    fn text(&mut self, field: &str, text: &str) -> String {
        if EXEMPT.contains(&field) {
            return text.to_owned();
        }
        self.redaction.hide(text).into_owned()
    }

    fn range(&mut self, of: &str, start: u64, end: u64) -> Option<(u64, u64)> {
        let Some(report) = &self.report else { return Some((start, end)) };
        (of != "gsar.v1.Citation").then(|| (report.start(start), report.end(end)))
    }
}

/// Where bytes of a text stand once parts of it were replaced.
struct Moved {
    /// The bytes in the new text, and how long was what they replaced; ascending.
    replaced: Vec<(Range<usize>, usize)>,
}

impl Moved {
    fn start(&self, original: u64) -> u64 {
        self.at(original, |range| range.start)
    }

    fn end(&self, original: u64) -> u64 {
        self.at(original, |range| range.end)
    }

    /// Where an offset stands; `within` says where one within a replaced part does.
    fn at(&self, original: u64, within: impl Fn(&Range<usize>) -> usize) -> u64 {
        let original = usize::try_from(original).unwrap_or(usize::MAX);
        // How far the bytes behind the parts so far stand apart: the new offset less the original one.
        let (mut ahead, mut behind) = (0, 0);
        for (range, length) in &self.replaced {
            let from = range.start + behind - ahead;
            if original <= from {
                break;
            }
            if original < from + length {
                return within(range) as u64;
            }
            ahead += range.len();
            behind += length;
        }
        (original + ahead - behind) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_redaction::Options;

    #[test]
    fn offsets_follow_what_was_replaced() {
        let text = "a postgres://shop:hunter22@db/orders b 10.2.0.7 c";
        let redactor = Redactor::new(&Options::default()).unwrap();
        let mut redaction = redactor.begin(7, [text]);
        let hidden = redaction.hide(text).into_owned();
        let moved = Moved { replaced: redaction.replaced_in(&hidden) };
        assert_eq!(moved.replaced.len(), 2, "{hidden}");
        for word in ["a ", "postgres", "db/orders", " b ", " c"] {
            let at = text.find(word).unwrap() as u64;
            assert_eq!(part(&hidden, &moved, at, at + word.len() as u64), word, "{hidden}");
        }
        // A claim that begins or ends within a secret has all of its placeholder.
        let address = text.find("2.0.7").unwrap() as u64;
        let placeholder = part(&hidden, &moved, address, address + 2);
        assert!(placeholder.starts_with('[') && placeholder.ends_with(']'), "{hidden}");
    }

    fn part<'h>(hidden: &'h str, moved: &Moved, start: u64, end: u64) -> &'h str {
        let (start, end) = (moved.start(start), moved.end(end));
        hidden.get(usize::try_from(start).unwrap()..usize::try_from(end).unwrap()).unwrap()
    }
}
