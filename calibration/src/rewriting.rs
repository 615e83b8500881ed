//! Rewrites a report without a model, by dropping the statements with claims that an instruction names.

use std::ops::Range;

use gsar_core::budget::Budget;
use gsar_core::report::Document;
use gsar_proto::v1;
use v1::instruction::Due;

pub(crate) fn faults(due: &Due) -> &[v1::ClaimFault] {
    match due {
        Due::Regenerate(rewrite) => &rewrite.faults,
        Due::Replan(replan) => &replan.faults,
        _ => &[],
    }
}

pub(crate) fn drop_faulty(text: &str, faults: &[v1::ClaimFault]) -> String {
    let spans: Vec<Range<usize>> = faults
        .iter()
        .filter_map(|fault| fault.claim.as_ref()?.span.as_ref())
        .filter_map(|span| Some(usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?))
        .collect();
    let is_faulty = |statement: &Range<usize>| {
        spans.iter().any(|span| span.start < statement.end && statement.start < span.end)
    };
    let dropped: Vec<Range<usize>> = statements(text).into_iter().filter(is_faulty).collect();
    let is_dropped = |at: usize| dropped.iter().any(|range| range.contains(&at));
    text.char_indices().filter(|(at, _)| !is_dropped(*at)).map(|(_, character)| character).collect()
}

pub(crate) fn statements(text: &str) -> Vec<Range<usize>> {
    let assertions = Document::parse(text, &[], &Budget::unlimited()).assertions;
    assertions.into_iter().filter_map(|assertion| assertion.text.span()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_only_statements_with_faulty_claims() {
        let text = "The pool is 20. A batch job ran, and it filled the disk. Pods restarted.";
        let start = text.find("it filled").unwrap();
        let span = v1::ByteRange { start: start as u64, end: start as u64 + 9 };
        let claim = v1::JudgedClaim { span: Some(span), ..Default::default() };
        let fault = v1::ClaimFault { claim: Some(claim), ..Default::default() };
        let left = drop_faulty(text, &[fault]);
        assert!(left.contains("The pool is 20.") && left.contains("Pods restarted."), "{left}");
        assert!(!left.contains("batch") && !left.contains("disk"), "{left}");
        assert_eq!(drop_faulty(text, &[]), text);
    }
}
