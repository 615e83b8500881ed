//! This module checks that a claim does not deny what its quote states, nor state what it denies. See the table of
//! `agreement`.

use alloc::format;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::times;
use crate::claim::{Class, JudgedClaim};
use crate::text::figures::{
    Agreement, Code, CodeKind, Dimension, Figure, Unit, agree, agree_codes, agree_times, figures,
    spelled,
};
use crate::text::part;
use crate::text::polarity::{MarkerKind, is_blank_answer, is_denial, is_denied, quantifier};
use crate::text::tokens::{Shape, Word, content_words, words};

/// Makes a claim ungrounded whose polarity is the reverse of the quoted words that match it best.
pub(super) fn check(judged: &mut JudgedClaim, cited: &Cited<'_>, findings: &mut Findings) {
    let text = &judged.claim.text;
    let proposes = judged.class == Class::Complementary && speaks_of_what_may_be(text);
    if !is_supported(judged) || cited.quotes.is_empty() || proposes {
        return;
    }
    if let Some(denied) = denied_though_stated(text, cited) {
        let sentence = format!("The quote states what the claim denies: \"{}\".", denied.trim());
        findings.reclass(judged, CorrectionCode::NegationConflict, Class::Ungrounded, sentence);
        return;
    }
    // Without a denial on either side there is nothing to turn around.
    if !is_denied(text) && !cited.quotes.iter().any(|quote| is_denied(quote)) {
        return;
    }
    // "No line says X" is about the whole item, not about one of its lines.
    let about_all = quantifier(text).is_some_and(|marker| marker.kind == MarkerKind::None);
    if about_all || speaks_of_failure(text) {
        return;
    }
    let clauses: Vec<Clause<'_>> = statements(text).map(Clause::of).collect();
    let mut conflict = None;
    for quoted in cited.quotes.iter().flat_map(|quote| clauses_of_quote(quote)) {
        let quoted = Clause::of(quoted);
        let best = clauses
            .iter()
            .filter(|clause| clause.matches(&quoted))
            .max_by_key(|clause| clause.shared_with(&quoted));
        match best {
            Some(_) if is_blank_answer(quoted.text) || speaks_of_failure(quoted.text) => {}
            Some(clause) if clause.denied == quoted.denied => return,
            Some(_) => conflict = conflict.or(Some(quoted.text)),
            None => {}
        }
    }
    if let Some(quoted) = conflict {
        let sentence =
            format!("Claim and quote say the reverse of each other: \"{}\".", quoted.trim());
        findings.reclass(judged, CorrectionCode::NegationConflict, Class::Ungrounded, sentence);
    }
}

/// The clause of a claim that says "not" of figures, times or words that a quote states without denial.
fn denied_though_stated<'c>(text: &'c str, cited: &Cited<'_>) -> Option<&'c str> {
    let stating: Vec<&str> = cited
        .quotes
        .iter()
        .zip(&cited.records)
        .filter(|(quote, record)| !is_denied(quote) && !is_denied(record))
        .map(|(quote, _)| *quote)
        .filter(|quote| !is_blank_answer(quote) && !quote.contains("non-"))
        .collect();
    if stating.is_empty() {
        return None;
    }
    statements(text).filter(|clause| says_not(clause)).find(|clause| {
        let denied = denied_part(clause);
        stating.iter().any(|quote| is_stated(denied, quote))
    })
}

/// Whether a quote states a figure, a time, a code or most words of a clause that denies them.
fn is_stated(clause: &str, quote: &str) -> bool {
    let [read, quoted] = [clause, quote].map(figures);
    let same_figure = read.figures.iter().any(|figure| {
        let counts_one = figure.unit == Unit::COUNT && figure.value.mantissa == 1;
        let same = |other| agree(figure, other) == Agreement::Same;
        !counts_one
            && !is_total(clause, figure)
            && !is_limit(clause, figure)
            && quoted.figures.iter().any(same)
    });
    let same_time = read.times.iter().any(|time| {
        let same = |other| agree_times(time, other) == Agreement::Same;
        !times::is_bound(clause, time) && quoted.times.iter().any(same)
    });
    let same_code = read.codes.iter().any(|code| {
        let is_it = |other: &Code| {
            let [code, other] =
                [(clause, code), (quote, other)].map(|(text, code)| part(text, code.span.clone()));
            agree_codes(code, other) == Agreement::Same
        };
        is_answer(code.kind)
            && quoted.codes.iter().any(|other| other.kind == code.kind && is_it(other))
    });
    // A failure that a quote states may be what the clause puts as a denial, unless it denies that very word.
    let head = clause.split(" (").next().unwrap_or(clause);
    let denied: Vec<u64> =
        words(head).skip_while(|word| !is_denial(word)).map(|word| word.stem()).collect();
    let comparable = failures(quote).next().is_none()
        || failures(quote).any(|word| denied.contains(&word.stem()));
    let [clause, quote] = [clause, quote].map(Clause::of);
    let shared = clause.shared_with(&quote);
    comparable
        && (same_code
            || same_figure
            || same_time
            || (shared >= 3 && shared * 2 >= clause.words.len()))
}

/// Whether a code is what something returned, and no name of what did.
const fn is_answer(kind: CodeKind) -> bool {
    matches!(kind, CodeKind::HttpStatus | CodeKind::ExitCode | CodeKind::Version)
}

/// What a clause denies: from the last word on that joins or relates before "not", as in "took 13 s and belongs to a request
/// that did not time out".
fn denied_part(clause: &str) -> &str {
    const JOINTS: [&str; 7] = ["and", "or", "that", "which", "who", "whose", "as"];
    let mut from = 0;
    for word in words(clause).take_while(|word| !is_denial(word)) {
        if JOINTS.iter().any(|joint| word.is(joint)) {
            from = word.span.end;
        }
    }
    part(clause, from..clause.len())
}

/// Whether a figure is a limit that something did not reach, or the time for which it did not happen: "its target of 20",
/// "for 34 days".
fn is_limit(text: &str, figure: &Figure) -> bool {
    const LIMITS: [&str; 14] = [
        "limit",
        "target",
        "threshold",
        "maximum",
        "max",
        "minimum",
        "quota",
        "ceiling",
        "cap",
        "budget",
        "timeout",
        "deadline",
        "default",
        "allowed",
    ];
    const PERIODS: [&str; 8] = ["for", "in", "since", "until", "before", "during", "after", "over"];
    let is_one = |word: Word<'_>| LIMITS.iter().any(|limit| word.is(limit));
    let before: Vec<Word<'_>> = words(part(text, 0..figure.span.start)).collect();
    let after = words(part(text, figure.span.end..text.len())).take(2);
    let period = figure.unit.dimension == Dimension::Duration
        && before.last().is_some_and(|word| PERIODS.iter().any(|entry| word.is(entry)));
    period || before.into_iter().rev().take(2).any(is_one) || after.into_iter().any(is_one)
}

/// Whether a figure is that of all of which a part is counted: "eight of its 96 subtasks".
fn is_total(text: &str, figure: &Figure) -> bool {
    let mut before: Vec<Word<'_>> = words(part(text, 0..figure.span.start)).collect();
    let article = ["the", "its", "their", "all"];
    before.pop_if(|word| article.iter().any(|entry| word.is(entry)));
    let of = before.pop().is_some_and(|word| word.is("of"));
    of && before
        .last()
        .is_some_and(|word| word.shape() == Shape::Number || spelled(word.text).is_some())
}

/// Whether a clause denies its verb: "did not", "isn't", and neither a degree ("not quite") nor a bound.
fn says_not(clause: &str) -> bool {
    const DEGREES: [&str; 16] = [
        "quite",
        "only",
        "just",
        "even",
        "yet",
        "more",
        "less",
        "fewer",
        "much",
        "longer",
        "later",
        "earlier",
        "all",
        "every",
        "necessarily",
        "merely",
    ];
    const BOUNDS: [&str; 8] =
        ["exceed", "above", "over", "past", "beyond", "below", "under", "exceeded"];
    let mut spoken = words(clause).peekable();
    while let Some(word) = spoken.next() {
        let contracted = is_denial(&word) && word.text.contains(['\'', '\u{2019}']);
        if word.is("not") || word.is("cannot") || contracted {
            let degree =
                spoken.peek().is_some_and(|next| DEGREES.iter().any(|entry| next.is(entry)));
            let bound = words(clause).any(|word| BOUNDS.iter().any(|entry| word.is(entry)));
            // "Not answered within five seconds" may have been answered later.
            let late = spoken.take(2).any(|word| word.is("within"));
            return !degree && !bound && !late;
        }
    }
    false
}

/// Whether a text says what should or could be, not what was.
fn speaks_of_what_may_be(text: &str) -> bool {
    const MODAL: [&str; 8] =
        ["should", "would", "could", "ought", "might", "must", "can", "cannot"];
    words(text).any(|word| MODAL.iter().any(|modal| word.is(modal)))
}

/// Whether a text holds a word that denies without denial: "the probe failed" and "the probe did not
/// succeed" do not turn each other around.
fn speaks_of_failure(text: &str) -> bool {
    failures(text).next().is_some()
}

fn failures(text: &str) -> impl Iterator<Item = Word<'_>> {
    const FAILURE: [&str; 46] = [
        "stale",
        "trouble",
        "problem",
        "problems",
        "little",
        "insufficient",
        "instead",
        "rather",
        "fail",
        "fails",
        "failed",
        "failing",
        "failure",
        "failures",
        "error",
        "errors",
        "denied",
        "refused",
        "rejected",
        "unknown",
        "missing",
        "timeout",
        "timeouterror",
        "timed",
        "unable",
        "exceeded",
        "lost",
        "lack",
        "lacks",
        "lacked",
        "stop",
        "stops",
        "stopped",
        "undefined",
        "unavailable",
        "unhealthy",
        "unreachable",
        "unset",
        "absent",
        "empty",
        "invalid",
        "forbidden",
        "rarely",
        "hardly",
        "few",
        "only",
    ];
    words(text).filter(|word| FAILURE.iter().any(|entry| word.is(entry)))
}

struct Clause<'a> {
    text: &'a str,
    denied: bool,
    words: Vec<u64>,
}

impl<'a> Clause<'a> {
    fn of(text: &'a str) -> Self {
        let mut words: Vec<u64> =
            content_words(text).filter(|word| !is_denial(word)).map(|word| word.stem()).collect();
        words.sort_unstable();
        words.dedup();
        Self { text, denied: is_denied(text), words }
    }

    fn shared_with(&self, other: &Self) -> usize {
        self.words.iter().filter(|word| other.words.binary_search(word).is_ok()).count()
    }

    fn matches(&self, other: &Self) -> bool {
        let shared = self.shared_with(other);
        let shorter = self.words.len().min(other.words.len());
        shared >= 2 && shared * 10 >= shorter * 6
    }
}

/// The clauses of a sentence, cut at commas, semicolons and adversatives.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    const BREAKS: [&str; 7] =
        ["but", "while", "although", "though", "however", "whereas", "because"];
    let mut cuts: Vec<usize> = words(text)
        .filter(|word| BREAKS.iter().any(|breaker| word.is(breaker)))
        .map(|word| word.span.start)
        .collect();
    cuts.extend(text.match_indices([',', ';']).map(|(at, _)| at));
    cuts.push(text.len());
    cuts.sort_unstable();
    let mut start = 0;
    cuts.into_iter().map(move |end| {
        let clause = part(text, start..end);
        start = end;
        clause
    })
}

/// The clause of a sentence that holds a place.
pub(super) fn clause_at(text: &str, place: usize) -> &str {
    let mut end = 0;
    let holding = clauses(text).find(|clause| {
        end += clause.len();
        place < end
    });
    holding.unwrap_or(text)
}

/// The clauses of a claim, cut at colons too: what follows one is said for itself.
pub(super) fn statements(text: &str) -> impl Iterator<Item = &str> {
    clauses(text).flat_map(|clause| clause.split(": "))
}

/// The clauses of a quote, which may run over lines and sentences.
fn clauses_of_quote(quote: &str) -> impl Iterator<Item = &str> {
    quote.split('\n').flat_map(|line| line.split(". ")).flat_map(clauses)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{codes, single};
    use super::*;
    use crate::claim::EvidenceType::ToolMatch;

    #[test]
    fn h24_a_claim_that_turns_its_quote_around_is_ungrounded() {
        for (claim, quote) in [
            ("The checkout pod did not restart", "checkout pod restarted"),
            (
                "The readiness probe succeeded on checkout",
                "readiness probe never succeeded on checkout",
            ),
            ("The connection pool was exhausted", "connection pool not exhausted"),
            ("The connection pool wasn’t exhausted", "connection pool exhausted"),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, quote, quote);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded, "{claim}");
            assert_eq!(codes(&result), [CorrectionCode::NegationConflict], "{claim}");
        }
    }

    #[test]
    fn what_a_quote_does_not_turn_around_is_no_conflict() {
        let log = "level=error order O-1 not found retries=3 at=02:31:55";
        for (claim, content, quote, conflict) in [
            ("Order O-1 was not found after 3 retries", log, "retries=3", false),
            (
                "The probe was not answered within 5 seconds",
                "probe limit 5 seconds",
                "limit 5 seconds",
                false,
            ),
            (
                "Eight of its 96 parts had not acknowledged",
                "parts: 96, acked: 88",
                "parts: 96",
                false,
            ),
            (
                "The lookup took 13 s and belongs to a request that did not stop",
                "took 13 s",
                "took 13 s",
                false,
            ),
            (
                "Runs may not overlap: concurrency policy is Forbid",
                "concurrency policy Forbid",
                "concurrency policy Forbid",
                false,
            ),
            (
                "The queue did not reach 96 messages",
                "queue: 96 messages",
                "queue: 96 messages",
                true,
            ),
            (
                "The broker was not refused 12 calls",
                "broker refused 12 calls",
                "broker refused 12 calls",
                true,
            ),
            (
                "The requests were not answered with HTTP 429",
                "HTTP 429 too many",
                "HTTP 429 too many",
                true,
            ),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, content, quote);
            let found = codes(&result).contains(&CorrectionCode::NegationConflict);
            assert_eq!(found, conflict, "{claim}: {:?}", result.corrections);
        }
    }

    #[test]
    fn h24_clauses_are_compared_with_their_own_kind() {
        for (claim, quote) in [
            (
                "Payments did not restart, but checkout restarted at once",
                "checkout restarted at once",
            ),
            ("The checkout pod did not restart", "checkout pod restarts: 0"),
            ("The pod is not ready", "pod ready: false"),
            ("The checkout pod no longer restarts", "checkout pod no longer restarts"),
            (
                "The checkout pod did not restart",
                "pod payments restarted\ncheckout pod did not restart",
            ),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, quote, quote);
            assert_eq!(
                result.claims[0].judged.class,
                Class::Grounded,
                "{claim}: {:?}",
                result.corrections
            );
        }
    }
}
