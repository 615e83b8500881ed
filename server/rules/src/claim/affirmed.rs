//! A denying statement without its denial: "the pod did not restart" says that "the pod did restart" is false.
//!
//! Only a denial that governs the whole statement is taken out; where it belongs to a part of it ("the pod that was not
//! ready", "not only", "no longer"), the statement says more than that the other is false.

use std::ops::Range;

use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::reading::Reading;

/// How a statement denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// One thing is not so: "was not", "cannot".
    Not,
    /// At no time, of nothing: "never", "no".
    AtAll,
    /// Of none of some that are spoken of: "none of the three", "neither".
    OfThese,
}

/// A statement without its denial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Affirmed {
    pub(crate) text: String,
    pub(crate) denial: Denial,
}

/// Takes the denial out of a statement that has one.
pub(crate) fn affirmed(reading: &Reading<'_>) -> Option<Affirmed> {
    let text = reading.text;
    let mut denials = reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation);
    let (denial, None) = (denials.next()?, denials.next()) else { return None };
    let cue = denial.span.clone();
    let before = text.get(..cue.start)?;
    let is_explained = text.get(cue.end..)?.contains([':', ';', '–', '—']);
    let is_governing = !is_explained
        && !words(text).any(|word| is_among(word.text, &NARROWING))
        && !words(before).any(|word| is_among(word.text, &SUBORDINATE))
        && !words(text.get(cue.end..)?).take(1).any(|word| is_among(word.text, &DENIED_IN_PART));
    if !is_governing {
        return None;
    }
    let (kept, taken, denial) = without_cue(text, cue)?;
    let after = without_any(text.get(taken.end..)?);
    let text = format!("{}{kept}{after}", text.get(..taken.start)?);
    Some(Affirmed { text, denial })
}

/// Words with which a statement says something of the rest, of another time or of one case too.
const NARROWING: [&str; 31] = [
    "again", "alone", "already", "although", "another", "anymore", "apart", "because", "besides",
    "but", "else", "except", "further", "if", "just", "longer", "merely", "nor", "only", "other",
    "others", "rather", "second", "still", "unless", "until", "whereas", "whether", "while",
    "without", "yet",
];

/// Words that open a clause of their own, before the denial.
const SUBORDINATE: [&str; 9] =
    ["that", "which", "who", "whose", "where", "when", "as", "since", "after"];

/// Words after "not" that are denied in place of the statement.
const DENIED_IN_PART: [&str; 9] =
    ["necessarily", "quite", "exactly", "entirely", "fully", "even", "so", "to", "long"];

fn is_among(word: &str, table: &[&str]) -> bool {
    table.iter().any(|entry| word.eq_ignore_ascii_case(entry))
}

/// What stands for the denial when it is taken out, and the bytes that go.
fn without_cue(text: &str, cue: Range<usize>) -> Option<(&str, Range<usize>, Denial)> {
    let written = text.get(cue.clone())?;
    let lower = written.to_ascii_lowercase();
    let stem = lower.strip_suffix("n't").or_else(|| lower.strip_suffix("n\u{2019}t"));
    if let Some(stem) = stem {
        let kept = match stem {
            "ca" => "can",
            "wo" => "will",
            _ => written.get(..stem.len())?,
        };
        return Some((kept, cue, Denial::Not));
    }
    match lower.as_str() {
        "not" => Some(("", cue, Denial::Not)),
        "cannot" => Some(("can", cue, Denial::Not)),
        "never" | "no" => Some(("", cue, Denial::AtAll)),
        "none of" | "neither" => {
            Some(("", cue.start..end_of_number(text, cue.end), Denial::OfThese))
        }
        _ => None,
    }
}

/// The end of "of the three" after "none", "of the two" after "neither".
fn end_of_number(text: &str, from: usize) -> usize {
    const JOINING: [&str; 17] = [
        "of", "the", "these", "those", "its", "their", "two", "three", "four", "five", "six",
        "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let rest = text.get(from..).unwrap_or("");
    words(rest)
        .take_while(|word| {
            is_among(word.text, &JOINING) || word.text.bytes().all(|byte| byte.is_ascii_digit())
        })
        .last()
        .map_or(from, |word| from + word.span.end)
}

/// The rest of a statement without "any" and "at all", which only a denial allows.
fn without_any(rest: &str) -> String {
    let mut kept = String::with_capacity(rest.len());
    let mut from = 0;
    let mut previous: Option<Range<usize>> = None;
    for word in words(rest) {
        let at = previous.take().filter(|at| {
            rest.get(at.clone()).is_some_and(|at| at.eq_ignore_ascii_case("at")) && word.is("all")
        });
        let start = at.map(|at| at.start).or_else(|| {
            (word.is("any") || word.is("ever") || word.is("either")).then_some(word.span.start)
        });
        if let Some(start) = start {
            kept.push_str(rest.get(from..start).unwrap_or(""));
            from = word.span.end;
        }
        previous = Some(word.span);
    }
    kept.push_str(rest.get(from..).unwrap_or(""));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::observations::Corpus;

    fn read(text: &str) -> Option<(String, Denial)> {
        let corpus = Corpus::read(&[]);
        affirmed(&Reading::of(text, &corpus)).map(|found| {
            let words: Vec<&str> = found.text.split_whitespace().collect();
            (words.join(" "), found.denial)
        })
    }

    #[test]
    fn a_denial_of_the_whole_is_taken_out() {
        for (text, positive, denial) in [
            ("The pod was not evicted", "The pod was evicted", Denial::Not),
            ("The job couldn't be started", "The job could be started", Denial::Not),
            ("The job can't be started", "The job can be started", Denial::Not),
            ("Secrets cannot be listed", "Secrets can be listed", Denial::Not),
            ("web-1 never logged any error at all", "web-1 logged error", Denial::AtAll),
            ("No login failed in shop", "login failed in shop", Denial::AtAll),
            (
                "None of the three pods in shop was evicted",
                "pods in shop was evicted",
                Denial::OfThese,
            ),
            ("Neither of the two nodes is ready", "nodes is ready", Denial::OfThese),
        ] {
            assert_eq!(read(text), Some((positive.to_owned(), denial)), "{text}");
        }
    }

    #[test]
    fn a_denial_of_a_part_stays() {
        for text in [
            "The pod was evicted",
            "The pod that was not ready was evicted",
            "Not only web-1 was evicted",
            "The pod is no longer running",
            "No other pod was evicted",
            "The pod was not evicted until 14:02",
            "No pod was evicted and none was restarted",
            "Writing failed for lack of space",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
