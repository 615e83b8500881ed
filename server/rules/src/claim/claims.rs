//! Splitting a report into claims.
//!
//! Assertions become claims; headings, questions, recommendations, tables and code do not. A sentence is split
//! where two statements are joined: at "; ", ", and", ", while", ", where" and the like, when both sides have a
//! predicate and something to check; and before a word that links a cause to an observation, so that the
//! observation and the link are two claims. Every claim keeps its exact bytes.

use std::ops::Range;

use gsar_core::text::figures::figures;
use gsar_core::text::polarity::{MarkerKind, markers};
use gsar_core::text::sentences::{SentenceKind, sentences};
use gsar_core::text::tokens::{Shape, Word, words};
use gsar_core::{Claim, ClaimId};

use crate::claim::tails;

/// The claims of a report, named `c1`, `c2` and so on.
#[must_use]
pub fn split(report: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    for sentence in sentences(report) {
        if sentence.kind != SentenceKind::Assertion {
            continue;
        }
        for span in split_at(report, sentence.span, Joints::All) {
            let text = report.get(span.clone()).unwrap_or("");
            if let Ok(id) = ClaimId::new(format!("c{}", found.len() + 1))
                && !text.is_empty()
            {
                found.push(Claim { id, text: text.to_owned(), span: Some(span) });
            }
        }
    }
    found
}

/// Where a sentence may be split.
struct Joint {
    /// The left part ends at the start, the right begins at the end.
    span: Range<usize>,
    strength: Strength,
}

/// How sure a joint is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// A semicolon or a dash: what stands on either side is a statement, however short.
    Mark,
    /// A word that joins clauses as well as things: both sides need a predicate.
    Word,
    /// What goes on need not have a predicate; what it belongs to does.
    Tail,
}

/// At which joints a sentence is split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joints {
    /// Where a word or mark joins statements.
    Plain,
    /// Also where a sentence goes on without one.
    All,
}

/// The statements of a sentence that is one claim.
pub(crate) fn clauses(report: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    split_at(report, sentence, Joints::Plain)
}

fn split_at(report: &str, sentence: Range<usize>, which: Joints) -> Vec<Range<usize>> {
    let Some(text) = report.get(sentence.clone()) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut start = 0;
    let may = may_join(text) || which == Joints::All && text.contains(':');
    for joint in if may { joints(text, which) } else { Vec::new() } {
        let span = joint.span;
        let (left, right) =
            (text.get(start..span.start).unwrap_or(""), text.get(span.end..).unwrap_or(""));
        let parts_are_whole = match joint.strength {
            Strength::Mark => words(left).nth(1).is_some() && words(right).nth(1).is_some(),
            Strength::Word => is_statement(left) && is_statement(right),
            Strength::Tail => is_statement(left),
        };
        if span.start <= start || !parts_are_whole {
            continue;
        }
        parts.push(start..span.start);
        start = span.end;
    }
    parts.push(start..text.len());
    parts
        .into_iter()
        .map(|part| bare(text, part))
        .filter(|part| !part.is_empty())
        .map(|part| sentence.start + part.start..sentence.start + part.end)
        .collect()
}

/// Whether a text has any mark or word at which it could be split.
fn may_join(text: &str) -> bool {
    const CUES: [&str; 14] = [
        "although", "and", "as a", "because", "but", "due to", "hence", "ing", "since", "though",
        "thus", "until", "whereas", "while",
    ];
    const LONG_CUES: [&str; 3] = ["owing to", "therefore", "consequently"];
    text.contains([',', ';', '—', '–'])
        || text.contains(" - ")
        || CUES.iter().chain(&LONG_CUES).any(|cue| text.contains(cue))
}

/// Words that join two statements after a comma.
const JOINING: [&str; 13] = [
    "and", "as", "but", "since", "so", "then", "until", "when", "where", "whereas", "which",
    "while", "yet",
];

/// Words that begin a clause of their own without a comma.
const SUBORDINATING: [&str; 4] = ["although", "though", "whereas", "while"];

/// Words with which a subordinate clause opens a sentence, up to its comma.
const LEADING: [&str; 6] = ["although", "as", "since", "though", "when", "while"];

/// Verbs that, after "and" or "but", say a second thing of the same subject.
const RESUMING: [&str; 44] = [
    "are",
    "became",
    "began",
    "came",
    "cannot",
    "climbed",
    "crashed",
    "did",
    "does",
    "dropped",
    "ended",
    "exited",
    "failed",
    "fell",
    "finished",
    "gave",
    "had",
    "has",
    "have",
    "hit",
    "is",
    "keeps",
    "kept",
    "logged",
    "lost",
    "peaked",
    "reached",
    "recovered",
    "remained",
    "remains",
    "restarted",
    "returned",
    "rose",
    "runs",
    "shows",
    "showed",
    "started",
    "stayed",
    "stood",
    "stopped",
    "took",
    "was",
    "went",
    "were",
];

/// Cues that add a cause or an effect to a statement that is complete without them.
const LINKING: [&str; 15] = [
    "as a consequence",
    "as a result",
    "because",
    "because of",
    "causing",
    "consequently",
    "due to",
    "hence",
    "leading to",
    "owing to",
    "resulting from",
    "resulting in",
    "therefore",
    "thus",
    "triggering",
];

fn joints(text: &str, which: Joints) -> Vec<Joint> {
    let links = |span: &Range<usize>| {
        let cue = text.get(span.clone()).unwrap_or("");
        LINKING.iter().any(|linking| cue.eq_ignore_ascii_case(linking))
    };
    let causes: Vec<usize> = markers(text)
        .into_iter()
        .filter(|marker| marker.kind == MarkerKind::Cause && links(&marker.span))
        .map(|marker| marker.span.start)
        .collect();
    let mut found = Vec::new();
    let mut before: Option<Word<'_>> = None;
    let mut leading = words(text).next().is_some_and(|word| LEADING.iter().any(|cue| word.is(cue)));
    for word in words(text) {
        if is_shielded(text, word.span.start) {
            before = Some(word);
            continue;
        }
        let gap_start = before.as_ref().map_or(0, |word| word.span.end);
        let gap = text.get(gap_start..word.span.start).unwrap_or("");
        let mark = gap.find([',', ';', '—', '–']).map(|at| gap_start + at);
        let gap_end = gap_start + gap.len() - gap.trim_start().len();
        let joined_before = before.as_ref().is_some_and(|word| word.is("and") || word.is("but"));
        let mut joint = |span: Range<usize>, strength| found.push(Joint { span, strength });
        if causes.contains(&word.span.start) {
            joint(mark.unwrap_or(gap_end)..word.span.start, Strength::Word);
        } else if gap.contains(" - ") {
            joint(gap_start..word.span.start, Strength::Mark);
        } else if gap.contains(';') || gap.contains(['—', '–']) && gap.contains(' ') {
            joint(mark.unwrap_or(gap_start)..word.span.start, Strength::Mark);
        } else if let Some(mark) = mark
            && JOINING.iter().any(|joining| word.is(joining))
        {
            let keeps_word = word.is("which") || word.is("where");
            joint(mark..if keeps_word { word.span.start } else { word.span.end }, Strength::Word);
        } else if which == Joints::All
            && gap.trim_start().starts_with(',')
            && (tails::is_distance(text, word.span.start)
                || tails::is_about_some(text, word.span.start))
        {
            joint(gap_start..word.span.start, Strength::Tail);
        } else if which == Joints::All
            && (gap.trim_start().starts_with(',') && tails::points_back(&word)
                || gap.contains(": ")
                    && tails::is_colon_between(text.get(..gap_start).unwrap_or("")))
            || mark.is_some() && std::mem::take(&mut leading)
        {
            joint(gap_start..word.span.start, Strength::Word);
        } else if mark.is_some() && (word.is("before") || word.is("after")) {
            joint(mark.unwrap_or(gap_start)..word.span.start, Strength::Word);
        } else if SUBORDINATING.iter().any(|joining| word.is(joining)) {
            let start = before
                .as_ref()
                .filter(|word| word.is("even"))
                .map_or(gap_start, |word| word.span.start);
            joint(start..word.span.end, Strength::Word);
        } else if joined_before && RESUMING.iter().any(|verb| word.is(verb)) {
            let start = before.as_ref().map_or(gap_start, |word| word.span.start);
            joint(start..word.span.start, Strength::Word);
        }
        before = Some(word);
    }
    found
}

/// Whether a place lies in quotation marks, back-ticks or brackets.
fn is_shielded(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("");
    let odd = |mark: char| before.matches(mark).count() % 2 == 1;
    odd('"') || odd('`') || before.matches(['(', '“']).count() > before.matches([')', '”']).count()
}

/// Whether a clause says something of its own: it has a predicate, and a figure, name, state or negation.
fn is_statement(clause: &str) -> bool {
    let orders = words(clause).next().is_some_and(|word| word.is("before") || word.is("after"));
    has_predicate(clause) && (orders || has_content(clause))
}

fn has_predicate(clause: &str) -> bool {
    words(clause).any(|word| is_predicate(&word))
}

/// Whether a report states things with a word.
pub(crate) fn is_predicate(word: &Word<'_>) -> bool {
    let text = word.text;
    PREDICATES.iter().any(|predicate| word.is(predicate))
        || text.len() > 4
            && text.is_ascii()
            && text.to_ascii_lowercase().ends_with("ed")
            && word.shape() == Shape::Plain
}

fn has_content(clause: &str) -> bool {
    const LEAST_WORDS: usize = 3;
    let read = figures(clause);
    !read.is_empty()
        || !read.codes.is_empty()
        || words(clause).any(|word| word.shape() != Shape::Plain)
        || markers(clause).iter().any(|marker| marker.kind == MarkerKind::Negation)
        || words(clause).filter(|word| !gsar_core::text::tokens::is_stop_word(word.text)).count()
            >= LEAST_WORDS
}

/// Verbs that a report states things with and that do not end in "ed".
const PREDICATES: [&str; 223] = [
    "accepts",
    "accounts",
    "agrees",
    "allows",
    "am",
    "amounts",
    "answers",
    "appears",
    "applies",
    "are",
    "asks",
    "became",
    "began",
    "begin",
    "begins",
    "belongs",
    "blocks",
    "breaks",
    "brings",
    "builds",
    "came",
    "can",
    "cannot",
    "carries",
    "causes",
    "changes",
    "climb",
    "climbs",
    "comes",
    "compares",
    "contain",
    "contains",
    "contributes",
    "corresponds",
    "costs",
    "could",
    "counts",
    "covers",
    "crosses",
    "deals",
    "declines",
    "depends",
    "describes",
    "did",
    "differs",
    "does",
    "drops",
    "drove",
    "eats",
    "ed",
    "ends",
    "equals",
    "exceeds",
    "exits",
    "expects",
    "expires",
    "explains",
    "fails",
    "fall",
    "falls",
    "feeds",
    "fell",
    "fills",
    "fire",
    "fires",
    "fits",
    "flags",
    "follows",
    "found",
    "gave",
    "gets",
    "give",
    "gives",
    "goes",
    "got",
    "grew",
    "grow",
    "grows",
    "had",
    "handles",
    "hangs",
    "happens",
    "has",
    "have",
    "held",
    "hit",
    "hold",
    "holds",
    "indicates",
    "involves",
    "is",
    "issues",
    "joins",
    "keep",
    "keeps",
    "kept",
    "lacks",
    "lasts",
    "lay",
    "lead",
    "leads",
    "leave",
    "leaves",
    "led",
    "let",
    "lets",
    "lie",
    "lies",
    "listens",
    "lists",
    "logs",
    "looks",
    "loses",
    "lost",
    "made",
    "makes",
    "mark",
    "marks",
    "matches",
    "may",
    "means",
    "meets",
    "might",
    "mounts",
    "must",
    "names",
    "need",
    "needs",
    "occupies",
    "occurs",
    "opens",
    "outnumbers",
    "owns",
    "passes",
    "peaks",
    "picks",
    "plays",
    "points",
    "pushes",
    "puts",
    "quotes",
    "ran",
    "reaches",
    "reads",
    "receives",
    "records",
    "recovers",
    "refers",
    "refuses",
    "rejects",
    "relies",
    "remain",
    "remains",
    "reports",
    "represents",
    "requests",
    "requires",
    "resolves",
    "rests",
    "resumes",
    "retries",
    "returns",
    "reveals",
    "rise",
    "rises",
    "rolls",
    "rose",
    "run",
    "runs",
    "said",
    "sat",
    "saw",
    "say",
    "says",
    "seems",
    "sees",
    "sends",
    "sent",
    "serves",
    "set",
    "sets",
    "shall",
    "shares",
    "should",
    "show",
    "shows",
    "shrinks",
    "sits",
    "sleeps",
    "speaks",
    "spends",
    "spent",
    "stands",
    "starts",
    "states",
    "stay",
    "stays",
    "stem",
    "stems",
    "stood",
    "stops",
    "suffers",
    "suggests",
    "supports",
    "survives",
    "swings",
    "takes",
    "tells",
    "throws",
    "took",
    "tracks",
    "tries",
    "turns",
    "uses",
    "waits",
    "wants",
    "was",
    "went",
    "were",
    "will",
    "would",
    "writes",
    "wrote",
];

/// A part without white space, joining marks and the full stop around it.
fn bare(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = text.get(part.clone()).unwrap_or("");
    let start =
        inner.len() - inner.trim_start_matches([' ', ',', ';', '\n', '\r', '\t', '—', '–']).len();
    let kept = inner.get(start..).unwrap_or("");
    let kept = kept.trim_end_matches([' ', ',', ';', '.', '\n', '\r', '\t', '—', '–', ':']);
    part.start + start..part.start + start + kept.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(report: &str) -> Vec<String> {
        split(report).into_iter().map(|claim| claim.text).collect()
    }

    #[test]
    fn two_statements_are_two_claims() {
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
    fn clauses_without_a_comma_are_claims_too() {
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
    fn what_is_checked_by_itself_is_a_claim_of_its_own() {
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
    fn lists_and_quotations_stay_whole() {
        for whole in [
            "Pods a-1, b-2, and c-3 were restarted",
            "The log says \"probe failed, and retry was refused at 14:02\"",
            "Latency rose (p99 was 2 s, and p50 was 1 s) at 14:02",
        ] {
            assert_eq!(texts(whole), [whole]);
        }
    }

    #[test]
    fn h25_a_cause_is_a_claim_of_its_own() {
        assert_eq!(
            texts("The checkout pods restarted 4 times because the limit was lowered to 512Mi."),
            ["The checkout pods restarted 4 times", "because the limit was lowered to 512Mi"]
        );
        assert_eq!(texts("The deploy caused the outage."), ["The deploy caused the outage"]);
    }

    #[test]
    fn only_assertions_are_claims() {
        let report = "# Outage of checkout\n\nWhy did it fail? The pod was killed at 14:02.\n\n## Recommendations\n\n- Raise the limit to 1Gi.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(texts(report), ["The pod was killed at 14:02"]);
    }

    proptest! {
        #[test]
        fn spans_are_exact(report in "(\\PC|[ ,;.\n]|because|, and |was 5){0,60}") {
            let mut end = 0;
            for claim in split(&report) {
                let span = claim.span.unwrap();
                prop_assert_eq!(report.get(span.clone()), Some(claim.text.as_str()));
                prop_assert!(span.start >= end);
                end = span.end;
            }
        }
    }
}
