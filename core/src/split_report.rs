//! Splits a report into claims.

use std::collections::BTreeSet;

use crate::budget::Budget;
use crate::claim::Claim;
use crate::ids::ClaimId;
use crate::report::{Assertion, Document, UNITS_PER_BYTE, statements};

/// Splits a report into claims `c1`, `c2` and so on. The result is incomplete if the budget is exceeded.
#[must_use]
pub fn split(report: &str, budget: &Budget) -> Vec<Claim> {
    claims(&Document::parse(report, &[], budget).assertions, &[], budget)
}

/// Splits assertions into claims `c1`, `c2` and so on, skipping the ids in `existing`.
#[must_use]
pub fn claims(assertions: &[Assertion], existing: &[Claim], budget: &Budget) -> Vec<Claim> {
    let used_ids: BTreeSet<&str> = existing.iter().map(|claim| claim.id.as_str()).collect();
    let mut ids = (1_u64..).map(|n| format!("c{n}")).filter(|id| !used_ids.contains(id.as_str()));
    let mut claims = Vec::new();
    for assertion in assertions {
        if !budget.spend(assertion.text.text().len() * UNITS_PER_BYTE) {
            break;
        }
        for (text, span) in statements(assertion) {
            if let Some(id) = ids.next().and_then(|id| ClaimId::new(id).ok()) {
                claims.push(Claim { id, text, span: Some(span) });
            }
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(report: &str) -> Vec<String> {
        split(report, &Budget::unlimited()).into_iter().map(|claim| claim.text).collect()
    }

    #[test]
    fn several_statements_in_a_sentence_are_separate_claims() {
        assert_eq!(
            texts(
                "Node wk-4 reports no memory pressure, and the events of namespace shop contain no eviction."
            ),
            [
                "Node wk-4 reports no memory pressure",
                "the events of namespace shop contain no eviction"
            ]
        );
        assert_eq!(
            texts(
                "The pod was created at 13:40; this revision sets a limit of 1Gi, where revision 41 had 512Mi."
            ),
            [
                "The pod was created at 13:40",
                "this revision sets a limit of 1Gi",
                "where revision 41 had 512Mi"
            ]
        );
    }

    #[test]
    fn clauses_without_a_comma_are_separate_claims() {
        for (report, expected) in [
            (
                "Both pods are Running and have not restarted although one shares the node.",
                &["Both pods are Running", "have not restarted", "one shares the node"][..],
            ),
            (
                "Since no probe failed at 14:02, the probes are set up well.",
                &["Since no probe failed at 14:02", "the probes are set up well"],
            ),
            ("The pod was killed; out of memory", &["The pod was killed", "out of memory"]),
            ("Pods and nodes are ready and well.", &["Pods and nodes are ready and well"]),
        ] {
            assert_eq!(texts(report), expected);
        }
    }

    #[test]
    fn independently_checkable_parts_are_separate_claims() {
        for (report, expected) in [
            (
                "18:42:01: redis-b lost its master, 71 seconds after the sync had begun.",
                &["18:42:01: redis-b lost its master", "71 seconds after the sync had begun"][..],
            ),
            (
                "Nine of the sixteen requests were turned away with 503, all of them after ten seconds in the queue.",
                &[
                    "Nine of the sixteen requests were turned away with 503",
                    "all of them after ten seconds in the queue",
                ],
            ),
            (
                "Only the pod on that node became slow: its p99 peaked at 4.6 s.",
                &["Only the pod on that node became slow", "its p99 peaked at 4.6 s"],
            ),
            (
                "CPU stayed above 97 % until 18:55, its connections were pinned at 1,000.",
                &["CPU stayed above 97 % until 18:55", "its connections were pinned at 1,000"],
            ),
            (
                "18:47:58 UTC: the autoscaler set the size to 20, and roughly ten minutes later to 24.",
                &[
                    "18:47:58 UTC: the autoscaler set the size to 20",
                    "roughly ten minutes later to 24",
                ],
            ),
            ("The log was: probe failed at 14:02.", &["The log was: probe failed at 14:02"]),
            (
                "At 14:02, five minutes after the deploy of 2.4, the pod failed.",
                &["At 14:02, five minutes after the deploy of 2.4, the pod failed"],
            ),
        ] {
            assert_eq!(texts(report), expected);
        }
    }

    #[test]
    fn lists_and_quotations_are_not_split() {
        for sentence in [
            "Pods a-1, b-2, and c-3 were restarted",
            "The log says \"probe failed, and retry was refused at 14:02\"",
            "Latency rose (p99 was 2 s, and p50 was 1 s) at 14:02",
        ] {
            assert_eq!(texts(sentence), [sentence]);
        }
    }

    #[test]
    fn h25_a_cause_is_a_separate_claim() {
        assert_eq!(
            texts("The checkout pods restarted 4 times because the limit was lowered to 512Mi."),
            ["The checkout pods restarted 4 times", "because the limit was lowered to 512Mi"]
        );
        assert_eq!(texts("The deploy caused the outage."), ["The deploy caused the outage"]);
    }

    #[test]
    fn every_assertion_is_a_claim() {
        let report = "# Timeline\n\nWhy did it fail? The pod was killed at 14:02.\n\n## Recommendations\n\n- Raise the limit to 1Gi.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(
            texts(report),
            [
                "Why did it fail?",
                "The pod was killed at 14:02",
                "Raise the limit to 1Gi.",
                "Action: a: 1; b: 2"
            ]
        );
    }

    #[test]
    fn ids_of_given_claims_are_skipped() {
        let existing = split("The pod was killed.", &Budget::unlimited());
        let document =
            Document::parse("The pod restarted. It is ready.", &[], &Budget::unlimited());
        let new_claims = claims(&document.assertions, &existing, &Budget::unlimited());
        let ids: Vec<&str> = new_claims.iter().map(|claim| claim.id.as_str()).collect();
        assert_eq!(ids, ["c2", "c3"]);
    }

    proptest! {
        #[test]
        fn claim_spans_lie_within_the_report(report in "(\\PC|[ ,;.\n]|because|, and |was 5|# |`|\\|){0,60}") {
            for claim in split(&report, &Budget::unlimited()) {
                prop_assert!(!claim.text.trim().is_empty());
                prop_assert!(report.get(claim.span.clone().unwrap()).is_some());
            }
        }

        #[test]
        // The words have no vowels, so that none of them is a function word. Function words alone do not form a claim.
        fn claims_cover_everything_that_prose_asserts(report in "((was|is|had) [0-9]{1,2}( [bcdfgkmp]{3,8}){1,3}(, and |; | because |[.] )){1,8}") {
            let claims = split(&report, &Budget::unlimited());
            if let Some(coverage) = crate::coverage::coverage(&report, &claims, &[], &Budget::unlimited()) {
                prop_assert_eq!(coverage.covered, coverage.sentences, "{:?}", coverage);
                prop_assert!(coverage.words.is_empty(), "{:?}", coverage.words);
            }
        }
    }
}
