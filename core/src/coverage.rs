//! How much of a synthesis its claims cover.
//!
//! Counted are the distinct assertive sentences: headings, questions, recommendations, table rows, code
//! and repeated sentences are not. A sentence is covered when the span of a claim overlaps it, when a
//! claim without span says the same, or when such a claim shares at least 0.6 of its content words, all
//! its figures and times, and its polarity.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::claim::Claim;
use crate::duplicates::key;
use crate::text::figures::{Agreement, Figures, agree, agree_times, figures};
use crate::text::part;
use crate::text::polarity::is_negated;
use crate::text::sentences::{SentenceKind, sentences};
use crate::text::tokens::content_words;

/// How many assertive sentences of a synthesis there are, and how many its claims cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Sentences covered by a claim.
    pub covered: u32,
    /// Distinct assertive sentences.
    pub sentences: u32,
    /// Where the uncovered ones stand: half-open byte ranges of the synthesis, in order.
    pub uncovered: Vec<Range<usize>>,
}

/// Measures how much of a synthesis the claims cover; nothing where there is no synthesis.
///
/// Work is bounded: beyond some thousands of claims and sentences that share their words, sentences are
/// matched by equal wording alone, so that a count may come out low but never high.
#[must_use]
pub fn coverage(synthesis: &str, claims: &[Claim]) -> Option<Coverage> {
    if synthesis.trim().is_empty() {
        return None;
    }
    let sentences = distinct_sentences(synthesis);
    let spans = Spans::of(claims);
    let mut unplaced: Option<Unplaced<'_>> = None;
    let mut coverage = Coverage { covered: 0, sentences: 0, uncovered: Vec::new() };
    for sentence in &sentences {
        coverage.sentences = coverage.sentences.saturating_add(1);
        let covered = sentence.places.iter().any(|place| spans.overlap(place))
            || unplaced.get_or_insert_with(|| Unplaced::of(claims)).cover(synthesis, sentence);
        if covered {
            coverage.covered = coverage.covered.saturating_add(1);
        } else {
            coverage.uncovered.extend(sentence.places.first().cloned());
        }
    }
    coverage.uncovered.sort_unstable_by_key(|place| place.start);
    Some(coverage)
}

/// An assertion and every place where it stands.
struct Assertion {
    key: String,
    places: Vec<Range<usize>>,
}

/// The assertions of a text, each once, sorted by key.
fn distinct_sentences(synthesis: &str) -> Vec<Assertion> {
    let mut all: Vec<Assertion> = sentences(synthesis)
        .into_iter()
        .filter(|sentence| sentence.kind == SentenceKind::Assertion)
        .map(|sentence| Assertion {
            key: key(part(synthesis, sentence.span.clone())),
            places: Vec::from([sentence.span]),
        })
        .collect();
    all.sort_by(|a, b| a.key.cmp(&b.key));
    all.dedup_by(|later, kept| {
        let same = later.key == kept.key;
        if same {
            kept.places.append(&mut later.places);
        }
        same
    });
    all
}

/// Where a claim stands. A span far longer than its claim says where a report stands, not where the claim
/// does, and is not believed: one claim must not cover every sentence.
fn place(claim: &Claim) -> Option<Range<usize>> {
    let longest = claim.text.len().saturating_mul(2).saturating_add(64);
    claim.span.clone().filter(|span| span.len() <= longest)
}

/// Where claims stand: starts in order, each with the furthest end up to there.
struct Spans(Vec<(usize, usize)>);

impl Spans {
    fn of(claims: &[Claim]) -> Self {
        let placed = claims.iter().filter_map(place).filter(|span| !span.is_empty());
        let mut spans: Vec<(usize, usize)> = placed.map(|span| (span.start, span.end)).collect();
        spans.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut spans {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Self(spans)
    }

    fn overlap(&self, sentence: &Range<usize>) -> bool {
        let before_end = self.0.partition_point(|(start, _)| *start < sentence.end);
        before_end
            .checked_sub(1)
            .and_then(|last| self.0.get(last))
            .is_some_and(|(_, furthest)| *furthest > sentence.start)
    }
}

/// The claims that do not say where they stand, by their words.
struct Unplaced<'a> {
    claims: Vec<UnplacedClaim<'a>>,
    /// Keys of claims, sorted.
    keys: Vec<String>,
    /// Content words and the claims that hold them, sorted.
    words: Vec<(u64, u32)>,
    /// How many entries of `words` may still be visited.
    budget: usize,
    shared: Vec<u32>,
}

struct UnplacedClaim<'a> {
    text: &'a str,
    /// Its figures, and whether it denies; read when first needed.
    read: Option<(Figures, bool)>,
}

impl<'a> Unplaced<'a> {
    fn of(claims: &'a [Claim]) -> Self {
        const MOST_VISITS: usize = 4_000_000;
        let texts =
            claims.iter().filter(|claim| place(claim).is_none()).map(|claim| claim.text.as_str());
        let claims: Vec<_> = texts.map(|text| UnplacedClaim { text, read: None }).collect();
        let mut keys: Vec<String> = claims.iter().map(|claim| key(claim.text)).collect();
        keys.sort_unstable();
        let mut words: Vec<(u64, u32)> = (0_u32..)
            .zip(&claims)
            .flat_map(|(place, claim)| {
                content_words(claim.text).map(move |word| (word.key(), place))
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        let shared = alloc::vec![0; claims.len()];
        Self { claims, keys, words, budget: MOST_VISITS, shared }
    }

    fn cover(&mut self, synthesis: &str, sentence: &Assertion) -> bool {
        if self.claims.is_empty() {
            return false;
        }
        if self.keys.binary_search(&sentence.key).is_ok() {
            return true;
        }
        let Some(place) = sentence.places.first() else { return false };
        let text = part(synthesis, place.clone());
        let candidates = self.claims_with_most_words(text);
        if candidates.is_empty() {
            return false;
        }
        let (stated, negated) = (figures(text), is_negated(text));
        candidates.into_iter().any(|candidate| {
            self.claims.get_mut(candidate as usize).is_some_and(|claim| {
                let (claimed, denied) =
                    claim.read.get_or_insert_with(|| (figures(claim.text), is_negated(claim.text)));
                *denied == negated && hold_all(claimed, &stated)
            })
        })
    }

    /// The claims that hold at least 0.6 of the distinct content words of a sentence.
    fn claims_with_most_words(&mut self, sentence: &str) -> Vec<u32> {
        let mut wanted: Vec<u64> = content_words(sentence).map(|word| word.key()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut touched: Vec<u32> = Vec::new();
        for word in &wanted {
            let from = self.words.partition_point(|(known, _)| known < word);
            let holding = self.words.iter().skip(from).take_while(|(known, _)| known == word);
            for (_, claim) in holding.take(self.budget) {
                self.budget -= 1;
                if let Some(count) = self.shared.get_mut(*claim as usize) {
                    if *count == 0 {
                        touched.push(*claim);
                    }
                    *count += 1;
                }
            }
        }
        let mut enough = Vec::new();
        for claim in touched {
            if let Some(count) = self.shared.get_mut(claim as usize) {
                if u64::from(*count) * 10 >= wanted.len() as u64 * 6 {
                    enough.push(claim);
                }
                *count = 0;
            }
        }
        enough
    }
}

/// Whether every figure and time of a sentence stands in a claim.
fn hold_all(claimed: &Figures, stated: &Figures) -> bool {
    let times = stated.times.iter().all(|time| {
        claimed.times.iter().any(|other| {
            agree_times(other, time) == Agreement::Same
                || agree_times(time, other) == Agreement::Same
        })
    });
    times
        && stated.figures.iter().all(|figure| {
            claimed.figures.iter().any(|other| {
                agree(other, figure) == Agreement::Same || agree(figure, other) == Agreement::Same
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::ClaimId;
    use proptest::prelude::*;
    use std::format;
    use std::string::ToString;

    fn claim(id: usize, text: &str, span: Option<Range<usize>>) -> Claim {
        Claim { id: ClaimId::new(format!("c{id}")).unwrap(), text: text.to_string(), span }
    }

    fn measured(synthesis: &str, texts: &[&str]) -> (u32, u32) {
        let claims: Vec<_> =
            texts.iter().enumerate().map(|(id, text)| claim(id, text, None)).collect();
        let coverage = coverage(synthesis, &claims).unwrap();
        assert_eq!(
            coverage.sentences as usize - coverage.covered as usize,
            coverage.uncovered.len()
        );
        (coverage.covered, coverage.sentences)
    }

    const REPORT: &str = "# Summary\nThe checkout pods restarted 3 times. p99 latency rose to 1.8 s at 14:02. Why?\nWe recommend a higher limit.\nThe checkout pods restarted 3 times.";

    #[test]
    fn only_distinct_assertions_count() {
        assert_eq!(measured(REPORT, &["Checkout pods restarted 3 times"]), (1, 2));
        assert_eq!(
            measured(
                REPORT,
                &["pods of checkout restarted 3 times", "at 14:02 p99 latency rose to 1800 ms"]
            ),
            (2, 2)
        );
        assert_eq!(coverage(" \n", &[]), None);
        assert_eq!(measured("# Only a heading\n", &[]), (0, 0));
    }

    #[test]
    fn h06_a_sentence_without_its_claim_is_uncovered() {
        let uncovered = coverage(REPORT, &[claim(1, "The checkout pods restarted 3 times.", None)])
            .unwrap()
            .uncovered;
        assert_eq!(part(REPORT, uncovered[0].clone()), "p99 latency rose to 1.8 s at 14:02.");
    }

    #[test]
    fn h06_another_figure_time_or_polarity_covers_nothing() {
        for other in [
            "p99 latency rose to 2.8 s at 14:02",
            "p99 latency rose to 1.8 s at 15:02",
            "p99 latency did not rise to 1.8 s at 14:02",
            "p99 rose",
        ] {
            assert_eq!(
                measured("p99 latency rose to 1.8 s at 14:02.", &[other]),
                (0, 1),
                "{other}"
            );
        }
    }

    #[test]
    fn a_span_covers_what_it_overlaps() {
        let synthesis = "One thing happened. Another thing happened.";
        let with =
            |span| coverage(synthesis, &[claim(1, "unrelated words", Some(span))]).unwrap().covered;
        assert_eq!(with(0..10), 1);
        assert_eq!(with(0..25), 2);
        assert_eq!(with(19..20), 0);
        assert_eq!(with(500..600), 0);
    }

    proptest! {
        #[test]
        fn counts_add_up_on_any_text(synthesis in "(\\PC|[A-Za-z]{1,6} |[.!?\n#] ){0,60}", spans in prop::collection::vec((0_usize..80, 0_usize..80), 0..4)) {
            let claims: Vec<_> = spans.into_iter().enumerate().map(|(id, (a, b))| claim(id, "pods restarted", Some(a.min(b)..a.max(b)))).collect();
            if let Some(coverage) = coverage(&synthesis, &claims) {
                prop_assert_eq!(coverage.covered as usize + coverage.uncovered.len(), coverage.sentences as usize);
                for place in coverage.uncovered {
                    prop_assert!(synthesis.get(place).is_some());
                }
            }
        }

        #[test]
        fn claims_split_from_the_text_cover_it(texts in prop::collection::vec("[a-z]{3,8} [a-z]{3,8} [0-9]{1,3} ms", 1..6)) {
            let synthesis = texts.join(". ");
            let texts: Vec<_> = texts.iter().map(String::as_str).collect();
            let (covered, sentences) = measured(&synthesis, &texts);
            prop_assert_eq!(covered, sentences);
        }
    }

    #[test]
    fn h06_a_span_over_the_whole_report_covers_no_more_than_its_words() {
        let synthesis = "The cart pod restarted 7 times. The memory limit is 512Mi. \
            The cache warm-up ended at 14:07. Node wk-4 has no memory pressure. \
            The alert fired at 14:08.";
        let claim = Claim {
            id: crate::ClaimId::new("c1").unwrap(),
            text: "The cart pod restarted 7 times.".into(),
            span: Some(0..synthesis.len()),
        };
        let coverage = coverage(synthesis, &[claim]).unwrap();
        assert_eq!((coverage.covered, coverage.sentences), (1, 5));
    }
}
