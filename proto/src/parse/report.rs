//! Parses reports and their claims.

use core::ops::Range;

use gsar_core::safety::Confidence;
use gsar_core::{Claim, ClaimId};

use super::cap::confidence;
use super::field::{byte_range, id, optional, short_text, statement, text};
use super::limits::Limits;
use super::list::{limit_length, parse_each, parse_list, unique_ids};
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// A parsed report.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedReport {
    /// The caller's id for the report, which has at most 256 bytes and may be empty.
    pub id: String,
    /// The text, which may be empty if claims are given.
    pub synthesis: String,
    /// The claims, with unique ids. If empty, the server splits the synthesis.
    pub claims: Vec<Claim>,
    /// The name of the model that wrote the report, which has at most 256 bytes and may be empty.
    pub generator_model: String,
    /// The author's self-rated confidence.
    pub confidence: Option<Confidence>,
}

/// Parses the field `report`, which must have a synthesis or claims.
pub fn report(
    message: v1::Report,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedReport> {
    let path = Path::root("report");
    require_content(path, &message, violations);
    read(path, message, limits, violations)
}

/// The maximum number of candidates in a request.
pub const MAX_CANDIDATES: usize = 16;

/// Parses the field `candidates`. Each candidate must have a synthesis or claims.
pub fn candidates(
    messages: Vec<v1::Report>,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<ParsedReport>> {
    let path = Path::root("candidates");
    if messages.is_empty() {
        violations.add(path, format_args!("is empty; give 1 to {MAX_CANDIDATES} reports"));
        return None;
    }
    parse_list(path, messages, MAX_CANDIDATES, violations, |path, message, violations| {
        require_content(path, &message, violations);
        read(path, message, limits, violations)
    })
}

/// Adds a violation if the report has neither a synthesis nor claims.
fn require_content(path: Path<'_>, message: &v1::Report, violations: &mut Violations) {
    if message.claims.is_empty() && message.synthesis.trim().is_empty() {
        violations.add(
            path.field("synthesis"),
            "is empty and there are no claims; give a text, claims, or both",
        );
    }
}

/// Parses a report, whose synthesis may be empty.
pub(super) fn read(
    path: Path<'_>,
    message: v1::Report,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedReport> {
    let v1::Report { id, synthesis, claims, generator_model, confidence: self_rated } = message;
    let id = short_text(path.field("id"), id, violations);
    let claims = read_claims(&path, claims, &synthesis, limits, violations);
    let synthesis = text(path.field("synthesis"), synthesis, limits.max_text_bytes, violations);
    let generator_model = short_text(path.field("generator_model"), generator_model, violations);
    let confidence =
        optional(self_rated, |value| confidence(path.field("confidence"), value, violations));
    Some(ParsedReport {
        id: id?,
        synthesis: synthesis?,
        claims: claims?,
        generator_model: generator_model?,
        confidence: confidence?,
    })
}

fn read_claims(
    path: &Path<'_>,
    claims: Vec<v1::Claim>,
    synthesis: &str,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<Claim>> {
    let path = path.field("claims");
    let claims = limit_length(path, claims, limits.max_claims, violations)?;
    let unique = unique_ids(path, claims.iter().map(|claim| claim.id.as_str()), violations);
    let claims = parse_each(path, claims, violations, |path, claim, violations| {
        read_claim(path, claim, synthesis, limits, violations)
    });
    unique?;
    claims
}

/// Parses a claim. Its span, if any, must lie in the synthesis.
pub(super) fn read_claim(
    path: Path<'_>,
    message: v1::Claim,
    synthesis: &str,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Claim> {
    let v1::Claim { id: claim_id, text, span } = message;
    let id = id(path.field("id"), claim_id, ClaimId::new, violations);
    let text = statement(path.field("text"), text, limits.max_claim_bytes, violations);
    let span = optional(span, |span| read_span(path.field("span"), span, synthesis, violations));
    Some(Claim { id: id?, text: text?, span: span? })
}

fn read_span(
    path: Path<'_>,
    message: v1::ByteRange,
    synthesis: &str,
    violations: &mut Violations,
) -> Option<Range<usize>> {
    let span = byte_range(path, message, violations)?;
    let length = synthesis.len();
    if span.end > length {
        let end = span.end;
        violations
            .add(path, format_args!("ends at byte {end}, but the synthesis has {length} bytes"));
        return None;
    }
    for boundary in [span.start, span.end] {
        if !synthesis.is_char_boundary(boundary) {
            violations.add(
                path,
                format_args!(
                    "byte {boundary} is inside a character; count UTF-8 bytes, not characters"
                ),
            );
            return None;
        }
    }
    Some(span)
}
