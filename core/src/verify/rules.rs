//! This module asks the rules of `gsar-extraction` what the cited records say of a claim that a judge grounds. A rule
//! that refutes is a finding; one that supports changes nothing.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use gsar_extraction::claim::TypedClaim;
use gsar_extraction::rules::{Held, Outcome, RuleId};

use super::corrections::{CorrectionCode, Findings};
use super::evidence_set::Sources;
use super::resolve::Source;
use crate::claim::{Class, JudgedClaim};
use crate::evidence::Citation;
use crate::text::part;

/// The most bytes of a record that a finding quotes.
const MAX_QUOTED: usize = 200;

/// Makes a grounded claim contradicted that a rule refutes from a record that its quotes hold, where no rule finds it
/// shown in an item that it cites.
pub(super) fn check(
    judged: &mut JudgedClaim,
    citations: &[Citation],
    points_at: &[Source],
    sources: &Sources<'_>,
    findings: &mut Findings,
) {
    if judged.class != Class::Grounded {
        return;
    }
    let quoted = quoted(citations, points_at);
    let claim = TypedClaim::read(&judged.claim.text);
    let mut refuted: Option<(RuleId, String)> = None;
    for (position, spans) in &quoted {
        let content = sources.content(*position);
        let Some(index) = sources.index(*position) else { continue };
        let (outcome, rules) = Held::new(&claim, index).rule();
        match outcome {
            Outcome::Supports(_) => return,
            Outcome::Silent => {}
            Outcome::Refutes(records) => {
                let spans_of = records.iter().filter_map(|id| index.facts().record(*id));
                let mut cited = spans_of.filter(|record| {
                    spans
                        .iter()
                        .any(|span| span.start < record.span.end && record.span.start < span.end)
                });
                if let (Some(record), Some(rule)) = (cited.next(), rules.first()) {
                    let end = record.span.end.min(record.span.start + MAX_QUOTED);
                    let end = content.floor_char_boundary(end);
                    let words = String::from(part(content, record.span.start..end).trim());
                    refuted = refuted.or(Some((*rule, words)));
                }
            }
        }
    }
    if let Some((rule, words)) = refuted {
        let sentence =
            format!("By the rule \"{}\" the cited words say something else: \"{words}\".", rule.0);
        judged.rules.push(String::from(rule.0));
        findings.reclass(judged, CorrectionCode::RefutedByRule, Class::Contradicted, sentence);
    }
}

/// The cited items, each with the bytes that are quoted of it.
fn quoted(citations: &[Citation], points_at: &[Source]) -> Vec<(usize, Vec<Range<usize>>)> {
    let mut found: Vec<(usize, Vec<Range<usize>>)> = Vec::new();
    for (citation, source) in citations.iter().zip(points_at) {
        let Source::Item { position, .. } = source else { continue };
        let spans = match found.iter().position(|(known, _)| known == position) {
            Some(at) => found.get_mut(at).map(|(_, spans)| spans),
            None => {
                found.push((*position, Vec::new()));
                found.last_mut().map(|(_, spans)| spans)
            }
        };
        if let (Some(spans), Some(bytes)) = (spans, &citation.bytes) {
            spans.push(bytes.clone());
        }
    }
    found
}
