//! The grammar of a statement as far as pointing back needs it: what opens it, its subject, its verb, its names.

use std::ops::Range;

use gsar_core::text::figures::{CodeKind, MONTHS};
use gsar_core::text::tokens::{Shape, Word, words};

use super::is_name;
use crate::claim::reading::{Reading, Role};
use crate::evidence::moments::DAY;
use crate::rules::instants::times;
use gsar_core::report::is_predicate;

/// Nouns that say of what sort a named thing is.
const SORTS: [&str; 61] = [
    "alert",
    "api",
    "backend",
    "bastion",
    "broker",
    "bucket",
    "cache",
    "certificate",
    "claim",
    "client",
    "cluster",
    "commit",
    "consumer",
    "container",
    "cronjob",
    "daemonset",
    "database",
    "deployment",
    "device",
    "disk",
    "function",
    "gateway",
    "group",
    "host",
    "image",
    "incident",
    "index",
    "instance",
    "job",
    "key",
    "listener",
    "monitor",
    "mount",
    "namespace",
    "node",
    "order",
    "partition",
    "pod",
    "pool",
    "process",
    "proxy",
    "queue",
    "quota",
    "release",
    "replica",
    "request",
    "revision",
    "run",
    "server",
    "service",
    "span",
    "statefulset",
    "table",
    "token",
    "topic",
    "trace",
    "user",
    "version",
    "volume",
    "worker",
    "writer",
];

/// Whether a word is a noun for a sort of thing.
pub(crate) fn is_sort(word: &str) -> bool {
    SORTS.iter().any(|sort| word.eq_ignore_ascii_case(sort))
}

/// Plural nouns that are verbs as well: "the runs failed".
const NOUNS_TOO: [&str; 22] = [
    "accounts", "builds", "changes", "counts", "drops", "exits", "flags", "issues", "limits",
    "lists", "logs", "marks", "matches", "names", "needs", "points", "records", "reports",
    "requests", "runs", "shares", "uses",
];

/// Whether one word of a statement is its verb.
pub(super) fn is_verb(all: &[Word<'_>], at: usize) -> bool {
    const DETERMINERS: [&str; 16] = [
        "a", "an", "the", "its", "their", "this", "that", "these", "those", "no", "first", "last",
        "all", "each", "every", "of",
    ];
    let Some(word) = all.get(at) else { return false };
    if !is_predicate(word) {
        return false;
    }
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    let is_finite = !word.text.ends_with("ed")
        || !before.is_some_and(|before| DETERMINERS.iter().any(|entry| before.is(entry)));
    let is_noun = NOUNS_TOO.iter().any(|noun| word.is(noun))
        && (at + 1..all.len()).any(|later| {
            all.get(later).is_some_and(|later| {
                is_predicate(later) && !NOUNS_TOO.iter().any(|noun| later.is(noun))
            })
        });
    is_finite && !is_noun
}

/// Words that only join a statement to the one before.
const JOINING: [&str; 12] = [
    "and",
    "but",
    "while",
    "whereas",
    "although",
    "though",
    "so",
    "then",
    "also",
    "where",
    "yet",
    "meanwhile",
];

/// Words of a time in front of a statement.
const TIMING: [&str; 15] = [
    "at", "on", "by", "from", "to", "until", "since", "in", "and", "between", "utc", "z", "am",
    "pm", "cet",
];

/// Where a statement begins, after what joins it and the time in front: "but by 10:55 UTC the p99 …".
pub(super) fn lead_in(text: &str) -> usize {
    let all: Vec<Word<'_>> = words(text).collect();
    let joined = all.iter().take_while(|word| JOINING.iter().any(|joint| word.is(joint))).count();
    let mut at = joined;
    let mut has_time = false;
    while let Some(word) = all.get(at) {
        let beside_month = all.get(at + 1).is_some_and(is_month)
            || at.checked_sub(1).and_then(|before| all.get(before)).is_some_and(is_month);
        let is_number = word.text.starts_with(|first: char| first.is_ascii_digit())
            && word.text.bytes().all(|byte| byte.is_ascii_digit() || b":-.TZ".contains(&byte))
            && (word.text.contains(':') || word.text.matches('-').count() == 2 || beside_month);
        let is_timing = TIMING.iter().any(|timing| word.is(timing));
        if !(is_month(word) || is_number || is_timing) {
            break;
        }
        has_time |= is_number;
        at += 1;
    }
    let first = if has_time { at } else { joined };
    let start = all.get(first).map_or(text.len(), |word| word.span.start);
    // "/pgdata": the mark is part of the name.
    let before = text.get(..start).unwrap_or("");
    start - (before.len() - before.trim_end_matches(['/', '`', '"']).len())
}

fn is_month(word: &Word<'_>) -> bool {
    MONTHS.iter().any(|month| {
        let short = month.get(..3).unwrap_or(month);
        word.is(month)
            || word.is(short)
            || word.text == *month
            || word.text.eq_ignore_ascii_case(short)
    })
}

/// What a statement is about: all before its verb.
pub(super) fn subject(text: &str) -> Option<Range<usize>> {
    let start = lead_in(text);
    let all: Vec<Word<'_>> = words(text).collect();
    let first = all.iter().position(|word| word.span.end > start)?;
    let verb = (first + 1..all.len()).find(|at| is_verb(&all, *at))?;
    let end = all.get(verb - 1)?.span.end;
    let span = start..end;
    let phrase = text.get(span.clone())?;
    let is_whole = !phrase.contains([',', ';', ':', '(', ')'])
        && !is_verb(&all, first)
        && words(phrase).count() <= 10;
    is_whole.then_some(span)
}

/// Whether a statement lacks its subject: "stayed above 2 s".
pub(super) fn is_headless(text: &str) -> bool {
    let start = lead_in(text);
    let all: Vec<Word<'_>> = words(text).collect();
    all.iter().position(|word| word.span.start >= start).is_some_and(|first| {
        is_verb(&all, first) && all.get(first).is_some_and(is_past_or_auxiliary)
    })
}

fn is_past_or_auxiliary(word: &Word<'_>) -> bool {
    word.shape() == Shape::Plain && !NOUNS_TOO.iter().any(|noun| word.is(noun)) && !word.is("set")
}

/// The names of a statement, each with the noun before it that says of what sort it is.
pub(super) fn names(reading: &Reading<'_>) -> Vec<Range<usize>> {
    let text = reading.text;
    let mut found: Vec<Range<usize>> = Vec::new();
    for term in &reading.terms {
        let is_quantile = term.text.len() <= 4 && term.text.starts_with(['p', 'P']);
        let is_thing = term.role == Role::Entity || term.text.contains('-');
        let is_measure =
            is_quantile || matches!(term.role, Role::Code(kind) if kind != CodeKind::Identifier);
        if !is_name(term.role) || !is_thing || is_measure || term.span.is_empty() {
            continue;
        }
        let before = text.get(..term.span.start).unwrap_or("");
        let sort = words(before).last().filter(|word| {
            is_sort(word.text) && text.get(word.span.end..term.span.start) == Some(" ")
        });
        let start = sort.map_or(term.span.start, |word| word.span.start);
        found.push(start..term.span.end);
    }
    found
}

/// The one instant that a statement tells.
pub(super) fn time_of(text: &str) -> Option<String> {
    let found = times(text);
    let [time] = found.as_slice() else { return None };
    (time.grain < DAY).then(|| text.get(time.span.clone()).map(str::to_owned)).flatten()
}

/// The stretch of time that a statement tells: "from 18:43 to 18:55".
pub(super) fn window_of(reading: &Reading<'_>) -> Option<String> {
    let [from, until] = reading.figures.times.as_slice() else { return None };
    let text = reading.text;
    let opening = words(text.get(..from.span.start)?).last()?;
    let joint = text.get(from.span.end..until.span.start)?;
    let joins = |wanted: &str| words(joint).all(|word| word.is(wanted) || word.is("utc"));
    let is_window = opening.is("from") && (joins("to") || joins("until"))
        || opening.is("between") && joins("and");
    is_window.then(|| text.get(opening.span.start..until.span.end).map(str::to_owned)).flatten()
}

/// Where the noun phrase ends that begins at a place: "one-minute load average" of "one-minute load average stood at".
pub(super) fn phrase_end(text: &str, start: usize) -> Option<usize> {
    const STOPPING: [&str; 26] = [
        "of", "in", "on", "at", "for", "from", "to", "by", "with", "into", "between", "and", "or",
        "than", "when", "which", "that", "as", "while", "until", "since", "after", "before",
        "over", "above", "below",
    ];
    let all: Vec<Word<'_>> = words(text).collect();
    let first = all.iter().position(|word| word.span.start >= start)?;
    let mut end = None;
    for at in first..all.len() {
        let word = all.get(at)?;
        let gap = text.get(end.unwrap_or(start)..word.span.start).unwrap_or("");
        let stops =
            STOPPING.iter().any(|stop| word.is(stop)) || gap.contains([',', ';', ':', '(', ')']);
        if stops || is_verb(&all, at) || word.is("never") || word.is("not") {
            break;
        }
        end = Some(word.span.end);
    }
    end
}

/// "checkout's timeout was" as "the timeout of checkout was"; `None` where nothing is said so.
pub(super) fn plain_possessive(reading: &Reading<'_>) -> Option<String> {
    let text = reading.text;
    let named = names(reading);
    let (mark, length) =
        ["'s ", "’s "].iter().find_map(|mark| Some((text.find(mark)?, mark.len())))?;
    let owner = named
        .iter()
        .find(|name| name.end == mark || name.end == mark + length - 1)
        .map(|name| name.start..mark)
        .or_else(|| plain_owner(text, mark))?;
    moved(text, &owner, mark + length)
}

/// "The job" of "the job's container".
fn plain_owner(text: &str, mark: usize) -> Option<Range<usize>> {
    let before: Vec<Word<'_>> = words(text.get(..mark)?).collect();
    let [.., determiner, noun] = before.as_slice() else { return None };
    let is_the = ["the", "this", "that"].iter().any(|word| determiner.is(word));
    (is_the && is_sort(noun.text) && noun.span.end == mark).then_some(determiner.span.start..mark)
}

/// Puts an owner behind what it owns, which begins at a place.
pub(super) fn moved(text: &str, owner: &Range<usize>, owned: usize) -> Option<String> {
    let end = phrase_end(text, owned)?;
    let (before, owner) = (text.get(..owner.start)?, text.get(owner.clone())?);
    Some(format!("{before}the {} of {owner}{}", text.get(owned..end)?, text.get(end..)?))
}
