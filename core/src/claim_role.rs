//! Assigns the root cause role to claims that follow a `Root cause` label.

use core::ops::Range;

use crate::claim::{JudgedClaim, Role};
use crate::report::ClaimKind;
use crate::text::part;
use crate::text::polarity::{MarkerKind, markers};

/// The maximum distance between a label and its claim, in bytes.
const MAX_LABEL: usize = 200;
const LABEL: &str = "root cause";

/// Assigns the root cause role to unhedged statements that follow a label (`Root cause: …`) or a heading with this
/// text.
pub fn assign_root_causes(report: &str, claims: &mut [JudgedClaim]) {
    let mut spans: Vec<Range<usize>> =
        claims.iter().filter_map(|judged| judged.claim.span.clone()).collect();
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    for judged in claims.iter_mut().filter(|judged| judged.role == Role::Observation) {
        let text = &judged.claim.text;
        let is_labelled = begins_with_label(text)
            || judged.claim.span.as_ref().is_some_and(|span| follows_label(report, span, &spans));
        let is_hedged = || markers(text).iter().any(|marker| marker.kind == MarkerKind::Hedge);
        if is_labelled && ClaimKind::classify(text) == ClaimKind::Statement && !is_hedged() {
            judged.role = Role::RootCause;
        }
    }
}

fn begins_with_label(text: &str) -> bool {
    let stripped = text.trim_start_matches(['*', '_', '#', '-', ' ']);
    stripped.get(..LABEL.len()).is_some_and(|start| start.eq_ignore_ascii_case(LABEL))
        && stripped
            .get(LABEL.len()..)
            .is_some_and(|rest| rest.trim_start_matches(['*', '_']).starts_with(':'))
}

fn follows_label(report: &str, span: &Range<usize>, spans: &[Range<usize>]) -> bool {
    let index = spans.partition_point(|other_span| other_span.start < span.start);
    let before =
        index.checked_sub(1).and_then(|at| spans.get(at)).map_or(0, |other_span| other_span.end);
    let end = report.floor_char_boundary(span.start);
    let start = report.ceil_char_boundary(before.max(end.saturating_sub(MAX_LABEL))).min(end);
    part(report, start..end).to_ascii_lowercase().contains(LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Claim, Class, EvidenceType};
    use crate::ids::ClaimId;

    fn roles(report: &str, claims: &[&str]) -> Vec<Role> {
        let judged_claim = |text: &&str| {
            let start = report.find(text);
            let claim = Claim {
                span: start.map(|start| start..start + text.len()),
                ..Claim::new(ClaimId::new(*text).unwrap(), *text)
            };
            JudgedClaim::new(claim, Class::Grounded, EvidenceType::ToolMatch)
        };
        let mut claims: Vec<JudgedClaim> = claims.iter().map(judged_claim).collect();
        assign_root_causes(report, &mut claims);
        claims.into_iter().map(|judged| judged.role).collect()
    }

    #[test]
    fn the_first_statement_after_the_label_is_the_root_cause() {
        use Role::{Observation, RootCause};
        let report = "## Summary\nOrders failed.\n\n## Root cause\nThe pool was full. It had 20 connections.";
        let claims = ["Orders failed.", "The pool was full.", "It had 20 connections."];
        assert_eq!(roles(report, &claims), [Observation, RootCause, Observation]);
        assert_eq!(roles("**Root cause:** a full pool", &["a full pool"]), [RootCause]);
        assert_eq!(roles("x", &["Root cause: a full pool"]), [RootCause]);
        for statement in ["The pool may have been full.", "Was the pool full?", "Check the pool."] {
            assert_eq!(
                roles(&format!("Root cause: {statement}"), &[statement]),
                [Observation],
                "{statement}"
            );
        }
    }
}
