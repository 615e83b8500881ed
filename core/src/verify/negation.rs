//! A claim does not deny what its quote states, nor state what it denies. See the table of `agreement`.

use alloc::format;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::times;
use crate::claim::{Class, JudgedClaim};
use crate::text::figures::{Agreement, Unit, agree, agree_times, figures};
use crate::text::part;
use crate::text::polarity::{MarkerKind, is_blank_answer, is_denial, is_denied, quantifier};
use crate::text::tokens::{content_words, words};

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
    let clauses: Vec<Clause<'_>> = clauses(text).map(Clause::of).collect();
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
        .copied()
        .filter(|quote| !is_denied(quote) && !is_blank_answer(quote) && !speaks_of_failure(quote))
        .filter(|quote| !quote.contains("non-"))
        .collect();
    if stating.is_empty() {
        return None;
    }
    statements(text).filter(|clause| says_not(clause)).find(|clause| {
        let read = figures(clause);
        let clause = Clause::of(clause);
        stating.iter().any(|quote| {
            let quoted = figures(quote);
            let same_figure = read.figures.iter().any(|figure| {
                let counts_one = figure.unit == Unit::COUNT && figure.value.mantissa == 1;
                let same = |other| agree(figure, other) == Agreement::Same;
                !counts_one && quoted.figures.iter().any(same)
            });
            let same_time = read.times.iter().any(|time| {
                !times::is_bound(clause.text, time)
                    && quoted.times.iter().any(|other| agree_times(time, other) == Agreement::Same)
            });
            let shared = clause.shared_with(&Clause::of(quote));
            same_figure || same_time || (shared >= 3 && shared * 2 >= clause.words.len())
        })
    })
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
            return !degree && !bound;
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
    const FAILURE: [&str; 45] = [
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
    words(text).any(|word| FAILURE.iter().any(|entry| word.is(entry)))
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
