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
            was_reclassified: found.outcome == verify::CorrectionOutcome::Corrected
                && found.from.0 != found.to.0,
        });
        question.outcome(claim.judged.class, findings.collect())
    });
    Ok(outcomes.collect())
}

fn core_item(item: &ItemLine, rendering: Rendering) -> Result<EvidenceItem> {
    let (id, content) = (EvidenceId::new(item.id.clone())?, render(item, rendering));
    let (kind, tool) = (item.kind, item.tool.clone());
    Ok(EvidenceItem { kind, tool, ..EvidenceItem::new(id, item.lane, content) })
}

fn judged_claim(number: usize, question: &Question) -> Result<JudgedClaim> {
    let Judgement { class, evidence_type, citations } = &question.judgement;
    let citations = citations.iter().map(|citation| {
        let id = EvidenceId::new(citation.evidence.clone())?;
        let field_path = citation.field_path.clone().unwrap_or_default();
        let target = Target::Evidence { id, field_path };
        Ok(Citation { target, quote: citation.quote.clone(), bytes: None })
    });
    let id = ClaimId::new(format!("c{}", number + 1))?;
    let claim = Claim::new(id, question.text.clone());
    let citations = citations.collect::<Result<_>>()?;
    Ok(JudgedClaim { citations, ..JudgedClaim::new(claim, *class, *evidence_type) })
}
