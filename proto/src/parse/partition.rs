//! Parses partitions with texts and citations: a report, its evidence and its judged claims.

use core::fmt;

use gsar_core::evidence::{Citation, EvidenceId, EvidenceItem, Target};
use gsar_core::fixed_point::Millionths;
use gsar_core::verify::claim_cycle;
use gsar_core::{ClaimId, Class, JudgedClaim, Leaning, Role};

use super::field::{Excerpt, byte_range, decimal, enumeration, id, optional, text};
use super::limits::Limits;
use super::list::{limit_length, parse_each, parse_list, unique_ids};
use super::path::Path;
use super::report::{ParsedReport, read_claim};
use super::{evidence, report};
use crate::enums::Enumeration as _;
use crate::v1;
use crate::violations::Violations;

/// A parsed partition.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedPartition {
    /// The report, whose synthesis may be empty.
    pub report: ParsedReport,
    /// The cited evidence, with unique ids.
    pub evidence: Vec<EvidenceItem>,
    /// The judged claims, with unique ids and without circular citations.
    pub judged: Vec<JudgedClaim>,
}

/// Parses the field `judged`.
pub fn judged_partition(
    message: v1::JudgedPartition,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedPartition> {
    let path = Path::root("judged");
    let report_message = message.report.unwrap_or_default();
    let claims =
        read_judged_claims(&path, message.claims, &report_message.synthesis, limits, violations);
    let report = report::read(path.field("report"), report_message, limits, violations);
    let evidence = evidence::read(path.field("evidence"), message.evidence, limits, violations);
    Some(ParsedPartition { report: report?, evidence: evidence?, judged: claims? })
}

fn read_judged_claims(
    partition: &Path<'_>,
    claims: Vec<v1::JudgedClaim>,
    synthesis: &str,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<JudgedClaim>> {
    let path = partition.field("claims");
    let claims = limit_length(path, claims, limits.max_claims, violations)?;
    let unique = unique_ids(path, claims.iter().map(|claim| claim.id.as_str()), violations);
    let mut references = Vec::new();
    let claims = parse_each(path, claims, violations, |path, claim, violations| {
        let judged = read_judged_claim(path, claim, synthesis, limits, violations)?;
        note_self_citations(path, &judged, violations)?;
        references.extend(cited_claims(&judged).map(|(_, cited)| Reference {
            path,
            citing: judged.claim.id.clone(),
            cited: cited.clone(),
        }));
        Some(judged)
    });
    note_cycle(&references, violations)?;
    unique?;
    claims
}

/// A citation of a claim by another claim.
struct Reference<'a> {
    /// The path of the citing claim.
    path: Path<'a>,
    citing: ClaimId,
    cited: ClaimId,
}

/// Returns the claims that a claim cites, with the index of each citation.
fn cited_claims(judged: &JudgedClaim) -> impl Iterator<Item = (usize, &ClaimId)> {
    judged.citations.iter().enumerate().filter_map(|(index, citation)| match &citation.target {
        Target::Claim(cited) => Some((index, cited)),
        Target::Evidence { .. } => None,
    })
}

fn note_self_citations(
    path: Path<'_>,
    judged: &JudgedClaim,
    violations: &mut Violations,
) -> Option<()> {
    let list = path.field("citations");
    let mut self_citations =
        cited_claims(judged).filter(|(_, cited)| **cited == judged.claim.id).peekable();
    let no_self_citations = self_citations.peek().is_none().then_some(());
    for (index, _) in self_citations {
        violations
            .add(list.element(index).field("claim_id"), "is the claim itself; cite its evidence");
    }
    no_self_citations
}

/// Adds a violation for the first cycle of citations, at the first claim in the cycle.
fn note_cycle(references: &[Reference<'_>], violations: &mut Violations) -> Option<()> {
    let Some(cycle) =
        claim_cycle(references.iter().map(|reference| (&reference.citing, &reference.cited)))
    else {
        return Some(());
    };
    let first = *cycle.first()?;
    let path = references.iter().find(|reference| reference.citing == *first)?.path;
    violations.add(path.field("citations"), Cycle(&cycle));
    None
}

struct Cycle<'a>(&'a [&'a ClaimId]);

impl fmt::Display for Cycle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_SHOWN: usize = 5;
        f.write_str("form a cycle: ")?;
        for claim in self.0.iter().take(MAX_SHOWN) {
            write!(f, "`{}` cites ", Excerpt(claim.as_str()))?;
        }
        match (self.0.len().checked_sub(MAX_SHOWN), self.0.first()) {
            (Some(remaining @ 1..), _) => write!(f, "{remaining} more claims")?,
            (_, Some(first)) => write!(f, "`{}`", Excerpt(first.as_str()))?,
            (_, None) => {}
        }
        f.write_str("; remove one of these citations")
    }
}

fn read_judged_claim(
    path: Path<'_>,
    message: v1::JudgedClaim,
    synthesis: &str,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<JudgedClaim> {
    let v1::JudgedClaim {
        id,
        text: claim_text,
        span,
        class,
        r#type,
        citations,
        note,
        impact: _,
        considered: _,
        votes: _,
        agreement: _,
        rules: _,
        role,
        second_look: _,
        undecided,
        judge: _,
    } = message;
    let claim = v1::Claim { id, text: claim_text, span };
    let claim = read_claim(path, claim, synthesis, limits, violations);
    let undecided =
        optional(undecided, |leaning| read_leaning(path.field("undecided"), leaning, violations));
    let class = match class {
        0 if undecided != Some(None) => Some(Class::Ungrounded),
        number => enumeration(path.field("class"), number, violations),
    };
    if let (Some(Some(_)), Some(class)) = (undecided, class)
        && class != Class::Ungrounded
    {
        let description = format_args!(
            "is {} for an undecided claim; omit it, and set undecided.class instead",
            class.wire_name()
        );
        violations.add(path.field("class"), description);
    }
    let evidence_type = enumeration(path.field("type"), r#type, violations);
    let role = match role {
        0 => Some(Role::default()),
        number => enumeration(path.field("role"), number, violations),
    };
    let list = path.field("citations");
    let max = limits.max_citations;
    let citations = parse_list(list, citations, max, violations, |path, citation, violations| {
        read_citation(path, citation, limits, violations)
    });
    let note = text(path.field("note"), note, limits.max_claim_bytes, violations);
    Some(JudgedClaim {
        claim: claim?,
        class: class?,
        evidence_type: evidence_type?,
        citations: citations?,
        note: note?,
        role: role?,
        rules: Vec::new(),
        undecided: undecided?,
    })
}

fn read_leaning(
    path: Path<'_>,
    message: v1::Leaning,
    violations: &mut Violations,
) -> Option<Leaning> {
    let v1::Leaning { class, likelihood } = message;
    let class = enumeration(path.field("class"), class, violations);
    let likelihood = optional(likelihood, |likelihood| {
        decimal(path.field("likelihood"), likelihood, Millionths::ONE, violations)
    });
    Some(Leaning { class: class?, likelihood: likelihood? })
}

pub(super) fn read_citation(
    path: Path<'_>,
    message: v1::Citation,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Citation> {
    let v1::Citation { evidence_id, claim_id, field_path, quote, bytes } = message;
    let max = limits.max_claim_bytes;
    let quote = text(path.field("quote"), quote, max, violations);
    let field_path = text(path.field("field_path"), field_path, max, violations);
    let bytes = optional(bytes, |bytes| byte_range(path.field("bytes"), bytes, violations));
    let target = read_target(path, evidence_id, claim_id, field_path, violations);
    Some(Citation { target: target?, quote: quote?, bytes: bytes? })
}

fn read_target(
    path: Path<'_>,
    evidence_id: String,
    claim_id: String,
    field_path: Option<String>,
    violations: &mut Violations,
) -> Option<Target> {
    match (evidence_id.is_empty(), claim_id.is_empty()) {
        (false, true) => {
            let id = id(path.field("evidence_id"), evidence_id, EvidenceId::new, violations);
            Some(Target::Evidence { id: id?, field_path: field_path? })
        }
        (true, false) => {
            if field_path.is_none_or(|field_path| !field_path.is_empty()) {
                violations.add(
                    path.field("field_path"),
                    "requires evidence_id; leave it empty with claim_id",
                );
                return None;
            }
            id(path.field("claim_id"), claim_id, ClaimId::new, violations).map(Target::Claim)
        }
        (true, true) => {
            violations.add(path, "has no target; give evidence_id or claim_id");
            None
        }
        (false, false) => {
            violations.add(path, "has two targets; give either evidence_id or claim_id");
            None
        }
    }
}
