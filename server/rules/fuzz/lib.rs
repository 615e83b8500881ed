//! What the targets share: items of evidence, claims, and what must hold of every judgement.

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target};
use gsar_core::{Claim, ClaimId};
use gsar_rules::Observations;

/// One item of what a tool printed; JSON where it looks like it, well-formed or not.
pub fn item(text: &str) -> Option<EvidenceItem> {
    let json = text.trim_start().starts_with(['{', '[']);
    Some(EvidenceItem {
        id: EvidenceId::new("e1").ok()?,
        kind: EvidenceKind::ToolOutput,
        lane: Lane::Logs,
        tool: "kubectl".to_owned(),
        query: "kubectl get all".to_owned(),
        content: if json { Content::Json(text.to_owned()) } else { Content::Text(text.to_owned()) },
        collected_at: None,
        exhaustive: true,
        attested: true,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    })
}

/// Claims with the given texts.
pub fn claims<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<Claim> {
    let texts = texts.into_iter().enumerate();
    texts
        .filter_map(|(number, text)| {
            let id = ClaimId::new(format!("c{number}")).ok()?;
            Some(Claim { id, text: text.to_owned(), span: None })
        })
        .collect()
}

/// Judges the claims: each gets one verdict, and every quotation stands in the item it cites.
pub fn judge(evidence: &[EvidenceItem], claims: &[Claim]) {
    let observations = Observations::read(evidence);
    let Ok(judged) = observations.judge(claims, || true) else {
        panic!("interrupted, though told to go on")
    };
    assert_eq!(judged.len(), claims.len());
    for citation in judged.iter().flat_map(|claim| &claim.citations) {
        if let Target::Evidence { id, .. } = &citation.target {
            let cited = evidence.iter().find(|item| item.id == *id);
            let cited = cited.unwrap_or_else(|| panic!("no item {id}"));
            assert!(
                cited.content.as_str().contains(&citation.quote),
                "not in {id}: {:?}",
                citation.quote
            );
        }
    }
}
