//! Parses a recorded partition back into core types. The current limits do not apply, and unknown values mean that the
//! record is corrupt.

use core::fmt;
use core::ops::Range;

use gsar_core::coverage::Coverage;
use gsar_core::evidence::{Citation, EvidenceId, Target};
use gsar_core::fixed_point::Millionths;
use gsar_core::report::Uncovered;
use gsar_core::second_look::{SecondLookResult, SecondLookVerdict};
use gsar_core::verify::{
    Correction, CorrectionCode, CorrectionOutcome, VerdictStatus, VerifiedClaim, VerifiedPartition,
};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim, Leaning, Role};

use crate::enums::Enumeration;
use crate::v1;

/// The partition in a recorded response.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPartition {
    /// The verified claims and the corrections.
    pub verified: VerifiedPartition,
    /// The coverage of the synthesis, or `None` if it was not computed.
    pub coverage: Option<Coverage>,
    /// The second looks at claims.
    pub second_looks: Vec<SecondLookResult>,
}

/// An error from parsing a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorruptRecord {
    /// The field.
    pub field: &'static str,
    /// The value of the field.
    pub found: String,
}

impl fmt::Display for CorruptRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, found } = self;
        write!(f, "invalid {field} in the recorded response: {found}")
    }
}

impl core::error::Error for CorruptRecord {}

fn corrupt(field: &'static str, found: impl fmt::Display) -> CorruptRecord {
    CorruptRecord { field, found: found.to_string() }
}

/// Parses the partition in a recorded response. `enforced` is `true` if its corrections were applied.
///
/// # Errors
/// Returns a [`CorruptRecord`] error if a field has an unknown value.
pub fn recorded_partition(
    response: &v1::EvaluateResponse,
    enforced: bool,
) -> Result<RecordedPartition, CorruptRecord> {
    let corrections: Vec<Correction> =
        response.corrections.iter().map(correction).collect::<Result<_, _>>()?;
    let claims = response.claims.iter().map(|claim| {
        let judged = judged_claim(claim)?;
        let status = match enforced {
            true => verdict_status(&judged.claim.id, &corrections),
            false => VerdictStatus::AsJudged,
        };
        Ok(VerifiedClaim { judged, status })
    });
    let claims = claims.collect::<Result<_, _>>()?;
    let coverage = response.coverage.as_ref().map(coverage).transpose()?;
    let second_looks = response.claims.iter().filter_map(second_look).collect::<Result<_, _>>()?;
    Ok(RecordedPartition {
        verified: VerifiedPartition { claims, corrections },
        coverage,
        second_looks,
    })
}

fn second_look(message: &v1::JudgedClaim) -> Option<Result<SecondLookResult, CorruptRecord>> {
    let v1::SecondLook { verdict, words, reader } = message.second_look.as_ref()?;
    let parse = || {
        Ok(SecondLookResult {
            claim: claim_id(&message.id)?,
            verdict: parse_enumeration::<SecondLookVerdict>(
                "claims.second_look.verdict",
                *verdict,
            )?,
            explanation: words.clone(),
            judge: reader.clone(),
        })
    };
    Some(parse())
}

fn verdict_status(claim: &ClaimId, corrections: &[Correction]) -> VerdictStatus {
    let has_correction = |predicate: &dyn Fn(&Correction) -> bool| {
        corrections.iter().any(|correction| correction.claim == *claim && predicate(correction))
    };
    let is_contradiction = |correction: &Correction| {
        correction.code == CorrectionCode::NoValidCitation
            && correction.from.0 == Class::Contradicted
    };
    if has_correction(&|correction| correction.code == CorrectionCode::ClaimDropped) {
        VerdictStatus::Dropped
    } else if has_correction(&is_contradiction) {
        VerdictStatus::UnverifiedContradiction
    } else {
        VerdictStatus::AsJudged
    }
}

fn judged_claim(message: &v1::JudgedClaim) -> Result<JudgedClaim, CorruptRecord> {
    Ok(JudgedClaim {
        claim: Claim {
            id: claim_id(&message.id)?,
            text: message.text.clone(),
            span: message.span.as_ref().map(range).transpose()?,
        },
        class: parse_enumeration("claims.class", message.class)?,
        evidence_type: parse_enumeration("claims.type", message.r#type)?,
        citations: message.citations.iter().map(citation).collect::<Result<_, _>>()?,
        note: message.note.clone(),
        role: Role::from_number(message.role).unwrap_or_default(),
        rules: message.rules.clone(),
        undecided: message.undecided.as_ref().map(leaning).transpose()?,
    })
}

fn leaning(message: &v1::Leaning) -> Result<Leaning, CorruptRecord> {
    let likelihood = message.likelihood.map(Millionths::from_f64).transpose();
    Ok(Leaning {
        class: parse_enumeration("claims.undecided.class", message.class)?,
        likelihood: likelihood.map_err(|error| corrupt("claims.undecided.likelihood", error))?,
    })
}

fn citation(message: &v1::Citation) -> Result<Citation, CorruptRecord> {
    let target = if message.claim_id.is_empty() {
        let id = EvidenceId::new(message.evidence_id.clone());
        let id = id.map_err(|error| corrupt("claims.citations.evidence_id", error))?;
        Target::Evidence { id, field_path: message.field_path.clone() }
    } else {
        Target::Claim(claim_id(&message.claim_id)?)
    };
    let bytes = message.bytes.as_ref().map(range).transpose()?;
    Ok(Citation { target, quote: message.quote.clone(), bytes })
}

fn correction(message: &v1::Correction) -> Result<Correction, CorruptRecord> {
    let code = CorrectionCode::from_name(&message.code);
    let code = code.ok_or_else(|| corrupt("corrections.code", &message.code))?;
    let class = parse_enumeration("corrections.class_after", message.class_after)?;
    let evidence_type: EvidenceType =
        parse_enumeration("corrections.type_after", message.type_after)?;
    let to = (class, evidence_type);
    // A dropped claim has no previous class.
    let from = match code {
        CorrectionCode::ClaimDropped => to,
        _ => (
            parse_enumeration("corrections.class_before", message.class_before)?,
            parse_enumeration("corrections.type_before", message.type_before)?,
        ),
    };
    let outcome =
        CorrectionOutcome::from_number(message.outcome).unwrap_or(CorrectionOutcome::Noted);
    let claim = claim_id(&message.claim_id)?;
    Ok(Correction { claim, code, from, to, sentence: message.sentence.clone(), outcome })
}

fn coverage(message: &v1::Coverage) -> Result<Coverage, CorruptRecord> {
    Ok(Coverage {
        covered: message.covered,
        sentences: message.sentences,
        uncovered: message.uncovered.iter().map(range).collect::<Result<_, _>>()?,
        spans: message.spans.iter().map(uncovered).collect::<Result<_, _>>()?,
        words: message.words.clone(),
    })
}

fn uncovered(message: &v1::UncoveredSpan) -> Result<Uncovered, CorruptRecord> {
    let reason = parse_enumeration("coverage.spans.reason", message.reason)?;
    let span = message.span.as_ref().map(range).transpose()?.unwrap_or_default();
    Ok(Uncovered { span, reason })
}

fn range(message: &v1::ByteRange) -> Result<Range<usize>, CorruptRecord> {
    let offset = |value: u64| usize::try_from(value).map_err(|error| corrupt("span", error));
    Ok(offset(message.start)?..offset(message.end)?)
}

fn claim_id(id: &str) -> Result<ClaimId, CorruptRecord> {
    ClaimId::new(id).map_err(|error| corrupt("claims.id", error))
}

fn parse_enumeration<T: Enumeration>(field: &'static str, number: i32) -> Result<T, CorruptRecord> {
    T::from_number(number).ok_or_else(|| corrupt(field, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render;

    #[test]
    fn rendered_partitions_round_trip() {
        let id = ClaimId::new("c1").unwrap();
        let class_and_type = (Class::Ungrounded, EvidenceType::Inference);
        let judged = JudgedClaim {
            claim: Claim { id: id.clone(), text: "x".to_owned(), span: Some(0..1) },
            class: class_and_type.0,
            evidence_type: class_and_type.1,
            citations: vec![
                Citation { target: Target::Claim(id.clone()), quote: String::new(), bytes: None },
                Citation {
                    target: Target::Evidence {
                        id: EvidenceId::new("e").unwrap(),
                        field_path: "/a".to_owned(),
                    },
                    quote: "q".to_owned(),
                    bytes: Some(3..4),
                },
            ],
            note: "n".to_owned(),
            role: gsar_core::Role::default(),
            rules: vec!["r".to_owned()],
            undecided: None,
        };
        for (code, class, status) in [
            (CorrectionCode::ClaimDropped, class_and_type.0, VerdictStatus::Dropped),
            (
                CorrectionCode::NoValidCitation,
                Class::Contradicted,
                VerdictStatus::UnverifiedContradiction,
            ),
            (CorrectionCode::NoValidCitation, Class::Grounded, VerdictStatus::AsJudged),
        ] {
            let correction = Correction {
                claim: id.clone(),
                code,
                from: (class, class_and_type.1),
                to: class_and_type,
                sentence: "s".to_owned(),
                outcome: CorrectionOutcome::Corrected,
            };
            let response = v1::EvaluateResponse {
                claims: vec![render::judged_claim(judged.clone())],
                corrections: vec![render::correction(&correction)],
                ..v1::EvaluateResponse::default()
            };
            let parsed = recorded_partition(&response, true).unwrap();
            assert_eq!(parsed.verified.corrections, [correction]);
            let claim = VerifiedClaim { judged: judged.clone(), status };
            assert_eq!(parsed.verified.claims, [claim]);
        }
    }

    #[test]
    fn an_unknown_class_is_a_corrupt_record() {
        let claim = v1::JudgedClaim { id: "c1".to_owned(), class: 9, ..Default::default() };
        let response = v1::EvaluateResponse { claims: vec![claim], ..Default::default() };
        let error = recorded_partition(&response, false).unwrap_err();
        assert_eq!(error.field, "claims.class");
    }
}
