//! Builds the request for a row.

use anyhow::{Context as _, Result};
use gsar_proto::v1;

use crate::replay::{Judgements, KnownCase};
use crate::rows::Row;

#[derive(Clone, Copy, Debug)]
pub(super) struct RequestOptions<'a> {
    /// If empty, the server uses its default.
    pub(super) policy: &'a str,
    pub(super) whole: bool,
}

/// Builds the request. The claims get the ids `c1`, `c2` and so on, and their spans in the report.
pub(super) fn request(row: &Row, options: RequestOptions<'_>) -> v1::EvaluateRequest {
    let RequestOptions { policy, whole } = options;
    let synthesis = row.text();
    let mut from = 0;
    let claims = if whole { &[][..] } else { row.claims.as_slice() };
    let claims = claims.iter().enumerate().map(|(at, claim)| {
        let rest = synthesis.get(from..).unwrap_or_default();
        let span = rest.find(&claim.text).map(|found| {
            let start = from + found;
            from = start + claim.text.len();
            v1::ByteRange { start: start as u64, end: from as u64 }
        });
        v1::Claim { id: format!("c{}", at + 1), text: claim.text.clone(), span }
    });
    let claims = claims.collect();
    v1::EvaluateRequest {
        report: Some(v1::Report { id: id(&row.id), synthesis, claims, ..Default::default() }),
        evidence: row.evidence.iter().map(crate::rows::Item::message).collect(),
        policy: policy.to_owned(),
        ..Default::default()
    }
}

fn id(name: &str) -> String {
    name.get(..name.floor_char_boundary(256)).unwrap_or_default().to_owned()
}

pub(super) fn known_case(row: &Row) -> Result<KnownCase> {
    let judgements = row.claims.iter().map(|claim| {
        let judged = claim.judged.as_ref();
        let judged = judged.with_context(|| {
            format!("row {}: `{}` has no stored judgement; omit --stored", row.id, claim.text)
        })?;
        Ok((claim.text.as_str(), judged))
    });
    let judgements: Vec<_> = judgements.collect::<Result<_>>()?;
    Ok(KnownCase {
        items: row.evidence.iter().map(|item| (item.id.clone(), item.text.clone())).collect(),
        judgements: Judgements::new(judgements),
        reports: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Gold, GoldClaim, Item};
    use gsar_core::Class;

    #[test]
    fn claims_have_their_spans_in_the_report() {
        let claim = |text: &str| GoldClaim::unjudged(text, Gold(Class::Grounded));
        let mut row = Row {
            id: "é".repeat(200),
            report: String::new(),
            claims: vec![claim("It is up."), claim("It is up."), claim("Yes.")],
            evidence: vec![Item::text("e1".to_owned(), "up".to_owned())],
        };
        let options = RequestOptions { policy: "paper", whole: false };
        let spans = |row: &Row| -> Vec<Option<(u64, u64)>> {
            let report = request(row, options).report.unwrap();
            report
                .claims
                .iter()
                .map(|claim| claim.span.map(|span| (span.start, span.end)))
                .collect()
        };
        assert_eq!(spans(&row), [Some((0, 9)), Some((10, 19)), Some((20, 24))]);
        assert_eq!(request(&row, options).report.unwrap().id.len(), 256);
        row.report = "Well: It is up. No. It is up.".to_owned();
        assert_eq!(spans(&row), [Some((6, 15)), Some((20, 29)), None]);
        let whole = request(&row, RequestOptions { whole: true, ..options }).report.unwrap();
        assert_eq!((whole.claims.len(), whole.synthesis), (0, row.report));
    }
}
