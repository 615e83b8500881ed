//! Redacts secrets and personal data in answers. Recorded answers are not changed.

use std::collections::HashMap;
use std::ops::Range;

use gsar_proto::rewrite_texts::{Rewrite, rewrite};
use gsar_proto::v1;
use gsar_redaction::{Redaction, Redactor};
use tonic::Status;
use uuid::Uuid;

/// Fields that the server itself sets. They are not redacted.
const EXEMPT: [&str; 3] = ["digest", "report_digest", "evaluation_id"];

/// Redacts an answer. Ranges in the report stay unchanged, since the caller has the original report.
///
/// # Errors
/// INTERNAL if the API's descriptors lack the message, which is a bug.
pub(super) fn answer(
    redactor: &Redactor,
    answer: &v1::EvaluateResponse,
) -> Result<v1::EvaluateResponse, Status> {
    let redaction = begin_redaction(redactor, &answer.evaluation_id, &texts(answer));
    let mut rewriter = Rewriter { redaction, report: None };
    let mut redacted = rewrite(answer, &mut rewriter).map_err(redaction_error)?;
    if let Some(provenance) = &mut redacted.provenance {
        provenance.redacted = true;
    }
    Ok(redacted)
}

/// Redacts a record. Ranges are mapped to the redacted texts. A range that extends beyond an item's recorded
/// head is removed.
///
/// # Errors
/// Those of [`answer`].
pub(super) fn record(
    redactor: &Redactor,
    record: &v1::GetEvaluationResponse,
) -> Result<v1::GetEvaluationResponse, Status> {
    let evaluation = record.evaluation.clone().unwrap_or_default();
    let synthesis = record.report.as_ref().map_or("", |report| report.synthesis.as_str());
    let mut searched_texts = texts(&evaluation);
    searched_texts.push(synthesis);
    searched_texts.extend(record.evidence.iter().map(|item| item.head.as_str()));
    let mut redaction = begin_redaction(redactor, &evaluation.evaluation_id, &searched_texts);
    let redacted_synthesis = redaction.hide(synthesis).into_owned();
    let report = Some(OffsetMap { replacements: redaction.replacements(&redacted_synthesis) });
    let mut rewriter = Rewriter { redaction, report };
    let mut redacted = rewrite(record, &mut rewriter).map_err(redaction_error)?;
    if let Some(evaluation) = &mut redacted.evaluation {
        evaluation.provenance.get_or_insert_default().redacted = true;
        let heads = record.evidence.iter().zip(&redacted.evidence);
        let heads: HashMap<&str, Head> = heads
            .map(|(item, redacted)| {
                let replacements = rewriter.redaction.replacements(&redacted.head);
                (
                    item.id.as_str(),
                    Head { length: item.head.len() as u64, offsets: OffsetMap { replacements } },
                )
            })
            .collect();
        map_citations(&mut evaluation.claims, record.evaluation.as_ref(), &heads);
    }
    Ok(redacted)
}

struct Head {
    /// The original length in bytes.
    length: u64,
    offsets: OffsetMap,
}

fn map_citations(
    claims: &mut [v1::JudgedClaim],
    original: Option<&v1::EvaluateResponse>,
    heads: &HashMap<&str, Head>,
) {
    let original = original.map(|answer| answer.claims.as_slice()).unwrap_or_default();
    for (claim, original) in claims.iter_mut().zip(original) {
        for (citation, original) in claim.citations.iter_mut().zip(&original.citations) {
            let head = heads.get(original.evidence_id.as_str());
            citation.bytes = original.bytes.zip(head).and_then(|(bytes, head)| {
                let (start, end) = (head.offsets.start(bytes.start), head.offsets.end(bytes.end));
                (bytes.end <= head.length).then_some(v1::ByteRange { start, end })
            });
        }
    }
}

/// Returns the texts that may contain secrets. Secrets found in them are redacted in all fields.
fn texts(answer: &v1::EvaluateResponse) -> Vec<&str> {
    let claims = answer.claims.iter().map(|claim| claim.text.as_str());
    let citations = answer.claims.iter().flat_map(|claim| &claim.citations);
    claims.chain(citations.map(|citation| citation.quote.as_str())).collect()
}

fn begin_redaction(redactor: &Redactor, id: &str, texts: &[&str]) -> Redaction {
    let salt = Uuid::parse_str(id).map_or(0, |id| id.as_u128());
    redactor.begin(salt, texts.iter().copied())
}

fn redaction_error(error: impl std::fmt::Display) -> Status {
    Status::internal(format!("the answer cannot be redacted: {error}"))
}

struct Rewriter {
    redaction: Redaction,
    report: Option<OffsetMap>,
}

impl Rewrite for Rewriter {
    fn text(&mut self, field: &str, text: &str) -> String {
        if EXEMPT.contains(&field) {
            return text.to_owned();
        }
        self.redaction.hide(text).into_owned()
    }

    fn range(&mut self, message_name: &str, start: u64, end: u64) -> Option<(u64, u64)> {
        let Some(report) = &self.report else { return Some((start, end)) };
        (message_name != "gsar.v1.Citation").then(|| (report.start(start), report.end(end)))
    }
}

/// Maps byte offsets in a text to offsets in its redacted form.
struct OffsetMap {
    /// Each placeholder's range in the redacted text and the length of the text that it replaced, in
    /// ascending order.
    replacements: Vec<(Range<usize>, usize)>,
}

impl OffsetMap {
    fn start(&self, original: u64) -> u64 {
        self.map(original, |range| range.start)
    }

    fn end(&self, original: u64) -> u64 {
        self.map(original, |range| range.end)
    }

    /// Maps an offset. `map_replaced` maps offsets inside a replaced part.
    fn map(&self, original: u64, map_replaced: impl Fn(&Range<usize>) -> usize) -> u64 {
        let original = usize::try_from(original).unwrap_or(usize::MAX);
        // The numbers of bytes inserted and removed by the placeholders so far.
        let (mut inserted, mut removed) = (0, 0);
        for (range, length) in &self.replacements {
            let from = range.start + removed - inserted;
            if original <= from {
                break;
            }
            if original < from + length {
                return map_replaced(range) as u64;
            }
            inserted += range.len();
            removed += length;
        }
        (original + inserted - removed) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_offsets_across_placeholders() {
        let text = "a postgres://shop:hunter22@db/orders b 10.2.0.7 c";
        let redactor = Redactor::new(&[]).unwrap();
        let mut redaction = redactor.begin(7, [text]);
        let redacted = redaction.hide(text).into_owned();
        let offsets = OffsetMap { replacements: redaction.replacements(&redacted) };
        assert_eq!(offsets.replacements.len(), 2, "{redacted}");
        for word in ["a ", "postgres", "db/orders", " b ", " c"] {
            let start = text.find(word).unwrap() as u64;
            assert_eq!(
                part(&redacted, &offsets, start, start + word.len() as u64),
                word,
                "{redacted}"
            );
        }
        // A range that ends within a secret includes the whole placeholder.
        let address = text.find("2.0.7").unwrap() as u64;
        let placeholder = part(&redacted, &offsets, address, address + 2);
        assert!(placeholder.starts_with('[') && placeholder.ends_with(']'), "{redacted}");
    }

    fn part<'h>(redacted: &'h str, offsets: &OffsetMap, start: u64, end: u64) -> &'h str {
        let (start, end) = (offsets.start(start), offsets.end(end));
        redacted.get(usize::try_from(start).unwrap()..usize::try_from(end).unwrap()).unwrap()
    }
}
