//! This module checks absences: one is shown by a search, by words that deny, or by a short list, and by nothing
//! else.
//!
//! "The logs do not mention X" over an item that never looked for X is no finding. An item that is a search or lists
//! everything in its scope shows an absence; so do quoted words that deny, count zero or are empty, a quoted command or
//! filter that names what was looked for, and the entries of a list short enough to be read as a whole. A claim typed as
//! negative evidence that reports no absence ("the pod was not restarted") needs words about what it denies.

use alloc::string::String;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::bearing::{hold_enough, stems};
use super::corrections::{CorrectionCode, Findings};
use super::evidence_set::Sources;
use super::negation::statements;
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::evidence::EvidenceItem;
use crate::policy::PolicyValues;
use crate::text::figures::figures;
use crate::text::part;
use crate::text::polarity::{is_denial, reports_absence};
use crate::text::tokens::words;

/// Makes an absence without a search behind it ungrounded.
pub(super) fn check(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    if !policy.guards.absence_needs_search || judged.class != Class::Grounded || cited.deny() {
        return;
    }
    let text = judged.claim.text.as_str();
    // A claim that rests on claims alone may have its type from one of them, whose own citations were checked.
    let typed = judged.evidence_type == EvidenceType::NegEvidence && !cited.items.is_empty();
    let reported = statements(text).any(is_reported);
    if !typed && !reported {
        return;
    }
    let shows = |position: &usize| sources.item(*position).is_some_and(EvidenceItem::shows_absence);
    let shown = cited.items.iter().any(shows)
        || cited.quotes.iter().any(|quote| is_search(quote))
        || quotes_short_list(cited, sources)
        || (!reported && (quotes_speak_of(text, cited) || hold_enough(text, cited, sources)));
    if !shown {
        let sentence = String::from(
            "An absence needs a cited search, or an item that lists everything in its scope.",
        );
        findings.reclass(judged, CorrectionCode::AbsenceNotShown, Class::Ungrounded, sentence);
    }
}

/// Whether a clause says that something was not found, and no bound that nothing passed: "never above 120 in the range
/// shown".
fn is_reported(clause: &str) -> bool {
    const BOUNDS: [&str; 12] = [
        "above", "below", "over", "under", "beyond", "exceed", "exceeds", "exceeded", "left",
        "more", "less", "than",
    ];
    let mut before = 0;
    for word in words(clause).take_while(|word| !is_denial(word)) {
        before = word.span.start;
    }
    let denied = part(clause, before..clause.len());
    let bounded = words(denied).any(|word| BOUNDS.iter().any(|bound| word.is(bound)));
    reports_absence(denied) && !seems(clause) && !bounded
}

/// Whether a clause says how something seems: "does not appear to have grown" reports nothing absent.
fn seems(clause: &str) -> bool {
    const APPEARING: [&str; 3] = ["appear", "appears", "appeared"];
    let mut before = false;
    words(clause).any(|word| {
        let seems = before && word.is("to");
        before = APPEARING.iter().any(|entry| word.is(entry));
        seems
    })
}

/// Whether quoted words are a command, a filter or a query.
fn is_search(quote: &str) -> bool {
    const SEARCHES: [&str; 13] = [
        "grep",
        "jq",
        "select",
        "where",
        "query",
        "filter",
        "tag_filter",
        "kubectl",
        "journalctl",
        "search",
        "find",
        "awk",
        "logcli",
    ];
    quote.trim_start().starts_with("$ ")
        || words(quote).any(|word| SEARCHES.iter().any(|search| word.is(search)))
}

/// Whether entries are quoted from a list that is short enough to be read as a whole.
fn quotes_short_list(cited: &Cited<'_>, sources: &Sources<'_>) -> bool {
    const MAX_ENTRIES: usize = 24;
    const MAX_BYTES: usize = 6_000;
    let is_short = |position: &usize| {
        let content = sources.content(*position);
        content.len() <= MAX_BYTES
            && content.lines().filter(|line| !line.trim().is_empty()).count() <= MAX_ENTRIES
    };
    cited.quotes.len() > 1 && !cited.items.is_empty() && cited.items.iter().all(is_short)
}

/// Whether quoted words hold a word, a name or a figure of the claim.
fn quotes_speak_of(text: &str, cited: &Cited<'_>) -> bool {
    let wanted: Vec<u64> = stems(text).collect();
    let read = figures(text);
    cited.quotes.iter().any(|quote| {
        let same = figures(quote);
        stems(quote).any(|stem| wanted.contains(&stem))
            || !same.is_empty() && !read.is_empty()
            || read.codes.iter().any(|code| {
                super::quotes::find(quote, crate::text::part(text, code.span.clone())).is_some()
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        claims, codes, judged, resting_on, tool, verified, verified_under,
    };
    use super::*;
    use crate::policy::Preset;
    use EvidenceType::{NegEvidence, ToolMatch};

    #[test]
    fn h08_not_mentioned_is_no_evidence_of_absence() {
        let given = claims(&["The logs do not mention a DNS failure"]);
        for claimed in [NegEvidence, ToolMatch] {
            let answer =
                [judged(&given[0], Class::Grounded, claimed, &[("e1", "checkout started")])];
            let result = verified(&given, &answer, &[tool("e1", "checkout started")]);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded, "{claimed:?}");
            assert_eq!(codes(&result), [CorrectionCode::AbsenceNotShown]);
        }
    }

    #[test]
    fn h08_what_rests_on_a_shown_absence_needs_no_search_of_its_own() {
        let given = claims(&["No DNS failure was logged", "checkout resolved its names"]);
        let searched = EvidenceItem { query: String::from("dns"), ..tool("e1", "[]") };
        let absent = judged(&given[0], Class::Grounded, NegEvidence, &[("e1", "")]);
        for class in [Class::Grounded, Class::Complementary] {
            let resting = resting_on(&given[1], class, NegEvidence, &[&given[0]]);
            let result =
                verified(&given, &[absent.clone(), resting], core::slice::from_ref(&searched));
            assert!(!codes(&result).contains(&CorrectionCode::AbsenceNotShown), "{class:?}");
        }
    }

    #[test]
    fn h08_a_search_or_an_exhaustive_item_shows_absence() {
        let given = claims(&["No DNS failure was logged"]);
        let answer = [judged(&given[0], Class::Grounded, NegEvidence, &[("e1", "")])];
        let searched = EvidenceItem {
            query: String::from("{app=\"checkout\"} |= \"dns\""),
            ..tool("e1", "[]")
        };
        let exhaustive = EvidenceItem { exhaustive: true, ..tool("e1", "checkout started") };
        for item in [searched, exhaustive] {
            let result = verified(&given, &answer, &[item]);
            assert_eq!(result.claims[0].judged.class, Class::Grounded, "{:?}", result.corrections);
        }
        let result = verified(&given, &answer, &[tool("e1", "checkout started")]);
        assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
    }

    #[test]
    fn h08_a_quote_that_denies_states_the_absence_itself() {
        let given = claims(&["No resources were found in shop"]);
        let answer = [judged(
            &given[0],
            Class::Grounded,
            ToolMatch,
            &[("e1", "No resources found in shop namespace.")],
        )];
        let result =
            verified(&given, &answer, &[tool("e1", "No resources found in shop namespace.")]);
        assert!(result.corrections.is_empty(), "{:?}", result.corrections);
    }

    #[test]
    fn paper_asks_for_no_search() {
        let given = claims(&["The logs do not mention a DNS failure"]);
        let answer = [judged(&given[0], Class::Grounded, NegEvidence, &[("e1", "the DNS logs")])];
        let result = verified_under(Preset::Paper, &given, &answer, &[tool("e1", "the DNS logs")]);
        assert!(result.corrections.is_empty());
    }

    #[test]
    fn a_bound_and_a_word_that_happens_to_be_denied_report_no_absence() {
        for (claim, quote, missing) in [
            ("The lag never went above 120 messages in the range shown", "lag 114", false),
            (
                "The record that could not be sent belonged to orders",
                "failed to send record to orders",
                false,
            ),
            ("No package exists for tag v4", "tags_pushed_without_package: [v4]", false),
            ("No build failed in the window shown", "build 17 started", true),
        ] {
            let result = verified_single(claim, quote);
            let found = codes(&result).contains(&CorrectionCode::AbsenceNotShown);
            assert_eq!(found, missing, "{claim}: {:?}", result.corrections);
        }
    }

    fn verified_single(claim: &str, quote: &str) -> super::super::Verified {
        super::super::testing::single(claim, Class::Grounded, ToolMatch, quote, quote)
    }
}
