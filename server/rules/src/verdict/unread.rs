//! Words of a claim that no rule reads: what they say is not shown by a place that fits the rest.
//!
//! "Almost failed" is no failure, "for the third time" needs two times before, "at 09:14 CET" is another hour.

use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::Reading;
use crate::verdict::ruling::Basis;

/// Whether a claim says something that no rule reads.
pub(crate) fn says_more(reading: &Reading<'_>) -> bool {
    let all: Vec<Word<'_>> = words(reading.text).collect();
    // "Restarted on Monday only": that it was at no other place or time.
    if all.last().is_some_and(|word| word.is("only")) {
        return true;
    }
    if is_told_of_people(&all) {
        return true;
    }
    (0..all.len()).any(|at| {
        is_short_of(reading, &all, at) || is_nth_time(&all, at) || is_on_purpose(&all, at)
    })
}

/// Whether a claim may mean more, or something else, than the place that says otherwise: what it counts is a part,
/// what it states is a sum or a pace, or its subject was named before.
pub(crate) fn may_mean_more(reading: &Reading<'_>, basis: Basis) -> bool {
    let all: Vec<Word<'_>> = words(reading.text).collect();
    let is_read = basis == Basis::Derived;
    (0..all.len()).any(|at| {
        basis != Basis::Measured && counts_the_rest(reading, &all, at)
            || !is_read && (is_sum(&all, at) || is_pace(reading, &all, at))
    }) || points_back(reading, &all)
}

/// "The other two shards", "another 40 messages": some of those that there are.
fn counts_the_rest(reading: &Reading<'_>, all: &[Word<'_>], at: usize) -> bool {
    const REST: [&str; 6] = ["additional", "another", "extra", "further", "other", "remaining"];
    let starts = |word: &Word<'_>| {
        reading.figures.figures.iter().any(|figure| figure.span.start == word.span.start)
    };
    is_any(all.get(at), &REST) && all.get(at + 1).is_some_and(starts)
}

/// "In total", "altogether", "all told".
fn is_sum(all: &[Word<'_>], at: usize) -> bool {
    const SUMS: [&str; 8] =
        ["altogether", "combined", "cumulatively", "jointly", "sum", "summed", "together", "total"];
    is_any(all.get(at), &SUMS)
        || is_any(all.get(at), &["in"]) && is_any(all.get(at + 1), &["all"])
        || is_any(all.get(at), &["all"]) && is_any(all.get(at + 1), &["told"])
}

/// "12 GB every ten minutes", "40 an hour", "300 per day".
fn is_pace(reading: &Reading<'_>, all: &[Word<'_>], at: usize) -> bool {
    const STRETCHES: [&str; 10] =
        ["minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "second", "seconds"];
    let Some(word) = all.get(at) else { return false };
    let follows_figure = reading.figures.figures.iter().any(|figure| {
        let gap = reading.text.get(figure.span.end..word.span.start);
        gap.is_some_and(|gap| words(gap).count() <= 2)
    });
    let is_every = is_any(Some(word), &["every", "each"])
        && (is_any(all.get(at + 1), &STRETCHES) || is_any(all.get(at + 2), &STRETCHES));
    let is_per = is_any(Some(word), &["a", "an", "per"])
        && is_any(all.get(at + 1), &["minute", "hour", "day", "week"]);
    follows_figure && (is_every || is_per)
}

/// "The same step", "it", "they": what was named before, where nothing was taken over from there.
fn points_back(reading: &Reading<'_>, all: &[Word<'_>]) -> bool {
    let is_taken_over = reading.terms.iter().any(|term| term.span.is_empty());
    let is_pronoun = is_any(all.first(), &["it", "they"]);
    is_any(all.first(), &["the"]) && is_any(all.get(1), &["same"]) || is_pronoun && !is_taken_over
}

/// "Nobody noticed that", "everyone agreed that": what people knew or thought.
pub(crate) fn is_told_of_people(all: &[Word<'_>]) -> bool {
    const PEOPLE: [&str; 8] =
        ["anybody", "anyone", "everybody", "everyone", "nobody", "somebody", "someone", "people"];
    is_any(all.first(), &PEOPLE)
        || is_any(all.first(), &["no", "every"]) && is_any(all.get(1), &["one", "engineer", "user"])
}

fn is_any(word: Option<&Word<'_>>, listed: &[&str]) -> bool {
    word.is_some_and(|word| listed.iter().any(|entry| word.is(entry)))
}

/// "Almost fired", "barely recovered", "hardly ever": before a figure or a whole such a word only rounds it.
fn is_short_of(reading: &Reading<'_>, all: &[Word<'_>], at: usize) -> bool {
    const SHORT: [&str; 9] = [
        "almost",
        "barely",
        "effectively",
        "hardly",
        "nearly",
        "practically",
        "scarcely",
        "seemingly",
        "supposedly",
    ];
    const WHOLE: [&str; 37] = [
        "a",
        "all",
        "always",
        "an",
        "any",
        "as",
        "at",
        "certain",
        "constant",
        "constantly",
        "continuous",
        "continuously",
        "doubled",
        "empty",
        "every",
        "everything",
        "exactly",
        "exhausted",
        "flat",
        "full",
        "fully",
        "half",
        "identical",
        "immediately",
        "linear",
        "never",
        "no",
        "none",
        "nothing",
        "one",
        "quadrupled",
        "the",
        "to",
        "tripled",
        "twice",
        "unchanged",
        "zero",
    ];
    if !is_any(all.get(at), &SHORT) {
        return false;
    }
    let Some(next) = all.get(at + 1) else { return true };
    let rounds = reading
        .figures
        .figures
        .iter()
        .map(|figure| &figure.span)
        .chain(reading.figures.times.iter().map(|time| &time.span))
        .any(|span| span.start <= next.span.start && next.span.start < span.end);
    !rounds && !is_any(Some(next), &WHOLE) && !next.text.starts_with(|c: char| c.is_ascii_digit())
}

/// "For the third time", "a second time", "once more".
fn is_nth_time(all: &[Word<'_>], at: usize) -> bool {
    const ORDINALS: [&str; 10] = [
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "umpteenth",
    ];
    let next = all.get(at + 1);
    is_any(all.get(at), &ORDINALS) && is_any(next, &["time", "occasion"])
        || is_any(all.get(at), &["once"]) && is_any(next, &["more", "again"])
        || is_any(all.get(at), &["yet"]) && is_any(next, &["again"])
}

/// "On purpose", "by design", "as root".
fn is_on_purpose(all: &[Word<'_>], at: usize) -> bool {
    let next = all.get(at + 1);
    if is_any(all.get(at), &["as"]) && is_any(next, &["root", "usual", "expected", "planned"]) {
        return true;
    }
    is_any(all.get(at), &["on"]) && is_any(next, &["purpose"])
        || is_any(all.get(at), &["by"]) && is_any(next, &["design", "mistake", "accident"])
}

/// Whether a time of the claim is told in a zone that no cited line names, nor any offset from UTC.
pub(crate) fn is_in_other_zone<'l>(
    reading: &Reading<'_>,
    lines: impl Iterator<Item = &'l str>,
) -> bool {
    const ZONES: [&str; 20] = [
        "AEST", "AKST", "BST", "CDT", "CEST", "CET", "CST", "EDT", "EEST", "EET", "EST", "IST",
        "JST", "MDT", "MSK", "MST", "PDT", "PST", "SGT", "WEST",
    ];
    let Some(zone) = words(reading.text).find(|word| ZONES.contains(&word.text)) else {
        return false;
    };
    let follows_time = reading.figures.times.iter().any(|time| {
        let gap = reading.text.get(time.span.end..zone.span.start);
        gap.is_some_and(|gap| gap.trim_matches([' ', '(']).is_empty())
    });
    let names_zone =
        |line: &str| line.contains("+0") || line.contains("-0") || line.contains(zone.text);
    follows_time && !lines.into_iter().any(names_zone)
}
