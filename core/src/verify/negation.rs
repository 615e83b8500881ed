//! A claim does not deny what its quote states, nor state what it denies. See the table of `agreement`.

use alloc::format;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings, is_supported};
use crate::claim::{Class, JudgedClaim};
use crate::text::part;
use crate::text::polarity::{MarkerKind, is_blank_answer, is_denial, is_denied, quantifier};
use crate::text::tokens::{content_words, words};

/// Makes a claim ungrounded whose polarity is the reverse of the quoted words that match it best.
pub(super) fn check(judged: &mut JudgedClaim, cited: &Cited<'_>, findings: &mut Findings) {
    if !is_supported(judged) || cited.quotes.is_empty() {
        return;
    }
    let text = &judged.claim.text;
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

/// Whether a text holds a word that denies without denial: "the probe failed" and "the probe did not
/// succeed" do not turn each other around.
fn speaks_of_failure(text: &str) -> bool {
    const FAILURE: [&str; 38] = [
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
