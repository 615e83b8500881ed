//! Tests for coverage.

use super::*;
use crate::budget::Budget;
use crate::ids::ClaimId;
use crate::text::part;
use proptest::prelude::*;

fn claim(id: usize, text: &str, span: Option<Range<usize>>) -> Claim {
    Claim { id: ClaimId::new(format!("c{id}")).unwrap(), text: text.to_string(), span }
}

fn measure_coverage(synthesis: &str, claims: &[Claim]) -> Coverage {
    let coverage = coverage(synthesis, claims, &[], &Budget::unlimited()).unwrap();
    assert_eq!(coverage.sentences as usize - coverage.covered as usize, coverage.uncovered.len());
    coverage
}

fn coverage_without_spans(synthesis: &str, texts: &[&str]) -> Coverage {
    let claims: Vec<_> = texts.iter().enumerate().map(|(id, text)| claim(id, text, None)).collect();
    measure_coverage(synthesis, &claims)
}

fn count_assertions(synthesis: &str, texts: &[&str]) -> (u32, u32) {
    let coverage = coverage_without_spans(synthesis, texts);
    (coverage.covered, coverage.sentences)
}

const REPORT: &str = "# Summary\nThe checkout pods restarted 3 times. p99 latency rose to 1.8 s at 14:02. Why?\nWe recommend a higher limit.\nThe checkout pods restarted 3 times.";

#[test]
fn counts_distinct_assertions() {
    assert_eq!(count_assertions(REPORT, &["Checkout pods restarted 3 times"]), (1, 4));
    assert_eq!(
        count_assertions(
            REPORT,
            &["pods of checkout restarted 3 times", "at 14:02 p99 latency rose to 1800 ms"]
        ),
        (2, 4)
    );
    assert_eq!(coverage(" \n", &[], &[], &Budget::unlimited()), None);
    assert_eq!(count_assertions("# Summary\n", &[]), (0, 0));
}

#[test]
fn h06_a_sentence_without_a_claim_is_uncovered() {
    let result = coverage_without_spans(
        REPORT,
        &["The checkout pods restarted 3 times.", "Why?", "We recommend a higher limit."],
    );
    assert_eq!(part(REPORT, result.uncovered[0].clone()), "p99 latency rose to 1.8 s at 14:02.");
    assert_eq!(result.words, ["p99", "rose", "1.8", "14:02"]);
}

#[test]
fn h06_a_claim_with_a_different_figure_time_or_polarity_does_not_cover_a_sentence() {
    for claim_text in [
        "p99 latency rose to 2.8 s at 14:02",
        "p99 latency rose to 1.8 s at 15:02",
        "p99 latency did not rise to 1.8 s at 14:02",
        "p99 rose",
    ] {
        assert_eq!(
            count_assertions("p99 latency rose to 1.8 s at 14:02.", &[claim_text]),
            (0, 1),
            "{claim_text}"
        );
    }
}

#[test]
fn a_span_covers_only_the_words_of_its_claim() {
    let synthesis = "The pod restarted 3 times. Node wk-4 lost 4 TB.";
    let coverage_with = |text, span| measure_coverage(synthesis, &[claim(1, text, Some(span))]);
    assert_eq!(coverage_with("unrelated words", 0..10).covered, 0);
    assert_eq!(coverage_with("The pod restarted 3 times", 0..26).covered, 1);
    let result = coverage_with("The pod restarted 3 times", 0..synthesis.len());
    assert_eq!(
        (result.covered, result.words.as_slice()),
        (1, &["wk-4", "lost", "4", "TB"].map(String::from)[..3])
    );
    assert_eq!(coverage_with("The pod did not restart 3 times", 0..26).covered, 0);
    assert_eq!(coverage_with("The pod restarted 3 times", 500..600).covered, 0);
}

#[test]
fn a_question_does_not_cover_a_statement() {
    assert_eq!(count_assertions("payments-db lost 4 TB.", &["payments-db lost 4 TB?"]), (0, 1));
    let report = "Restore the primary that lost 4 TB.";
    let document = Document::parse(report, &[], &Budget::unlimited());
    let claims = [claim(1, report, Some(0..report.len()))];
    let uncovered: Vec<&str> =
        not_covered(&document, &claims).iter().map(|assertion| assertion.text.text()).collect();
    assert_eq!(uncovered, ["the primary lost 4 TB"]);
}

#[test]
fn an_assertion_is_covered_only_if_claims_state_it_verbatim() {
    let report = "The pod restarted 3 times, and node wk-4 lost 4 TB. p99 rose after the deploy.";
    let document = Document::parse(report, &[], &Budget::unlimited());
    let count_uncovered = |texts: &[&str]| -> usize {
        let claims: Vec<_> =
            texts.iter().enumerate().map(|(id, text)| claim(id, text, None)).collect();
        not_covered(&document, &claims).len()
    };
    assert_eq!(
        count_uncovered(&[
            "The pod restarted 3 times",
            "node wk-4 lost 4 TB",
            "p99 rose after the deploy"
        ]),
        0
    );
    assert_eq!(count_uncovered(&["The pod restarted 3 times", "p99 rose after the deploy"]), 1);
    assert_eq!(
        count_uncovered(&[
            "The pod restarted 3 times",
            "node wk-4 lost 4 TB",
            "p99 rose before the deploy"
        ]),
        1
    );
    assert_eq!(count_uncovered(&["3 times the pod restarted"]), 2);
}

#[test]
fn h06_a_claim_cannot_cover_the_whole_report() {
    let synthesis = "The cart pod restarted 7 times. The memory limit is 512Mi. \
        The cache warm-up ended at 14:07. Node wk-4 has no memory pressure. \
        The alert fired at 14:08.";
    let result = measure_coverage(
        synthesis,
        &[claim(1, "The cart pod restarted 7 times.", Some(0..synthesis.len()))],
    );
    assert_eq!((result.covered, result.sentences), (1, 5));
}

proptest! {
    #[test]
    fn uncovered_spans_are_disjoint_and_visible(synthesis in "(\\PC|[A-Za-z]{1,6} |[.!?\n#|`] ){0,60}", spans in prop::collection::vec((0_usize..80, 0_usize..80), 0..4)) {
        let claims: Vec<_> = spans.into_iter().enumerate().map(|(id, (a, b))| {
            let boundary = |index: usize| synthesis.floor_char_boundary(index);
            claim(id, "pods restarted", Some(boundary(a.min(b))..boundary(a.max(b))))
        }).collect();
        if let Some(coverage) = coverage(&synthesis, &claims, &[], &Budget::unlimited()) {
            prop_assert_eq!(coverage.covered as usize + coverage.uncovered.len(), coverage.sentences as usize);
            let mut end = 0;
            for uncovered in coverage.spans {
                prop_assert!(uncovered.span.start >= end && !uncovered.span.is_empty());
                let text = synthesis.get(uncovered.span.clone()).unwrap();
                prop_assert!(!text.contains(char::is_whitespace));
                end = uncovered.span.end;
            }
        }
    }

    #[test]
    fn claims_split_from_the_text_cover_it(texts in prop::collection::vec("[a-z]{3,8} [a-z]{3,8} [0-9]{1,3} ms", 1..6)) {
        let synthesis = texts.join(". ");
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let (covered, sentences) = count_assertions(&synthesis, &texts);
        prop_assert_eq!(covered, sentences);
    }
}
