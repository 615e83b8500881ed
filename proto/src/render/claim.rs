//! Renders claims, their verdicts and corrections.

use gsar_core::evidence::{Citation, Target};
use gsar_core::fixed_point::Millionths;
use gsar_core::second_look::SecondLookResult;
use gsar_core::verify::{Correction, CorrectionCode, CorrectionOutcome};
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim, Leaning};

use super::coverage::byte_range;
use crate::enums::Enumeration;
use crate::v1;

/// Renders a claim in a report.
#[must_use]
pub fn claim(claim: Claim) -> v1::Claim {
    v1::Claim {
        id: claim.id.as_str().to_owned(),
        text: claim.text,
        span: claim.span.as_ref().map(byte_range),
    }
}

/// Renders a judged claim, without impact, considered evidence and votes.
#[must_use]
pub fn judged_claim(judged: JudgedClaim) -> v1::JudgedClaim {
    let claim = claim(judged.claim);
    v1::JudgedClaim {
        id: claim.id,
        text: claim.text,
        span: claim.span,
        class: judged.class.number(),
        r#type: judged.evidence_type.number(),
        citations: judged.citations.into_iter().map(citation).collect(),
        note: judged.note,
        impact: None,
        considered: Vec::new(),
        votes: Vec::new(),
        agreement: None,
        rules: judged.rules,
        role: judged.role.number(),
        second_look: None,
        undecided: judged.undecided.map(leaning),
        judge: String::new(),
    }
}

fn leaning(leaning: Leaning) -> v1::Leaning {
    v1::Leaning {
        class: leaning.class.number(),
        likelihood: leaning.likelihood.map(Millionths::to_f64),
    }
}

/// Renders a second look.
#[must_use]
pub fn second_look(result: &SecondLookResult) -> v1::SecondLook {
    v1::SecondLook {
        verdict: result.verdict.number(),
        words: result.explanation.clone(),
        reader: result.judge.clone(),
    }
}

/// Renders the class of a claim, or unspecified for `None`.
#[must_use]
pub fn class(class: Option<Class>) -> v1::ClaimClass {
    class.map_or(0, Class::number).try_into().unwrap_or_default()
}

/// Renders a citation of evidence or of another claim.
#[must_use]
pub fn citation(citation: Citation) -> v1::Citation {
    let (evidence_id, claim_id, field_path) = match citation.target {
        Target::Evidence { id, field_path } => (id.as_str().to_owned(), String::new(), field_path),
        Target::Claim(id) => (String::new(), id.as_str().to_owned(), String::new()),
    };
    let bytes = citation.bytes.as_ref().map(byte_range);
    v1::Citation { evidence_id, claim_id, field_path, quote: citation.quote, bytes }
}

/// Renders a correction. A dropped claim has no previous class.
#[must_use]
pub fn correction(correction: &Correction) -> v1::Correction {
    let (class_after, type_after) = numbers(correction.to);
    let (class_before, type_before) = match correction.code {
        CorrectionCode::ClaimDropped => (0, 0),
        _ => numbers(correction.from),
    };
    v1::Correction {
        claim_id: correction.claim.as_str().to_owned(),
        code: correction.code.name().to_owned(),
        sentence: correction.sentence.clone(),
        class_before,
        class_after,
        type_before,
        type_after,
        applied: correction.outcome == CorrectionOutcome::Corrected,
        outcome: correction.outcome.number(),
    }
}

fn numbers((class, evidence_type): (Class, EvidenceType)) -> (i32, i32) {
    (class.number(), evidence_type.number())
}
