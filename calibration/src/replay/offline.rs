//! Verifies judgements in this process, without a server.

use crate::judgement::Judgement;
use anyhow::Result;
use gsar_core::evidence::{Citation, EvidenceId, EvidenceItem, Target};
use gsar_core::policy::VerificationMode;
use gsar_core::verify::{self, EvidenceSet, verify};
use gsar_core::{Claim, ClaimId, JudgedClaim, Preset, preset};

use super::Question;
use super::outcome::{Finding, Outcome};
use super::rendering::render;
use super::stored::Case;
use crate::arguments::Rendering;
use crate::data_set::ItemLine;

pub(crate) fn verify_case(
    case: &Case,
    questions: &[Question],
    rendering: Rendering,
) -> Result<Vec<Outcome>> {
    let items: Vec<EvidenceItem> =
        case.evidence.iter().map(|item| core_item(item, rendering)).collect::<Result<_>>()?;
    let evidence = EvidenceSet::new(&items);
    let policy = preset(Preset::Reference);
    let judged: Vec<JudgedClaim> = questions
        .iter()
        .enumerate()
        .map(|(number, question)| judged_claim(number, question))
        .collect::<Result<_>>()?;
    let claims: Vec<Claim> = judged.iter().map(|judged| judged.claim.clone()).collect();
    let verified = verify(VerificationMode::Enforce, &policy, &claims, judged, &evidence);
    let outcomes = questions.iter().zip(verified.claims).map(|(question, claim)| {
        let of_claim =
            verified.corrections.iter().filter(|found| found.claim == claim.judged.claim.id);
        let findings = of_claim.map(|found| Finding {
            code: found.code.name().to_owned(),
            sentence: found.sentence.clone(),
            reclassed: found.outcome == verify::CorrectionOutcome::Corrected
                && found.from.0 != found.to.0,
        });
        question.outcome(claim.judged.class, findings.collect())
    });
    Ok(outcomes.collect())
}

fn core_item(item: &ItemLine, rendering: Rendering) -> Result<EvidenceItem> {
    Ok(EvidenceItem {
        id: EvidenceId::new(item.id.clone())?,
        kind: item.kind,
        lane: item.lane,
        tool: item.tool.clone(),
        query: String::new(),
        content: render(item, rendering),
        collected_at: None,
        exhaustive: false,
        attested: false,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    })
}

fn judged_claim(number: usize, question: &Question) -> Result<JudgedClaim> {
    let Judgement { class, evidence_type, citations } = &question.judgement;
    let citations = citations.iter().map(|citation| {
        let id = EvidenceId::new(citation.evidence.clone())?;
        let field_path = citation.field_path.clone().unwrap_or_default();
        let target = Target::Evidence { id, field_path };
        Ok(Citation { target, quote: citation.quote.clone(), bytes: None })
    });
    Ok(JudgedClaim {
        claim: Claim {
            id: ClaimId::new(format!("c{}", number + 1))?,
            text: question.text.clone(),
            span: None,
        },
        class: *class,
        evidence_type: *evidence_type,
        citations: citations.collect::<Result<_>>()?,
        note: String::new(),
        role: gsar_core::Role::default(),
        rules: Vec::new(),
        undecided: None,
    })
}
