//! States of affairs, as reports put them and as tools do: "does not resolve" for `no such host`.
//!
//! Unlike a synonym, an affair is a phrase with its denial in it, so that "is not bound" and `unbound` are one. A
//! phrase is a row of stems; `*` stands for up to three words between. A phrase that is itself denied ("has not
//! expired") is not found. Tables only; what an affair proves is decided elsewhere.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::LazyLock;

use gsar_core::text::tokens::words;

use crate::vocabulary::affair_table::AFFAIRS;
use crate::vocabulary::lexicon::AsIs;
use crate::vocabulary::words::{Key, key};

/// What an affair may be to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Why something did not succeed; of one attempt, one only.
    Fault,
    /// Why a scheduler found no place; tools list all that apply.
    Unplaced,
    /// What became of something.
    Effect,
}

/// An affair that a text speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Its number in the table.
    pub(crate) affair: usize,
    /// The bytes of its phrase.
    pub(crate) span: Range<usize>,
    /// The words of its phrase, without those between.
    pub(crate) words: Vec<Range<usize>>,
}

/// The affairs that a report speaks of, in order.
pub(crate) fn claimed(text: &str) -> Vec<Mention> {
    find(text, &PHRASES.claimed)
}

/// The affairs that a tool's text shows, in order.
pub(crate) fn shown(text: &str) -> Vec<Mention> {
    find(text, &PHRASES.shown)
}

/// Affairs that one stretch of a report may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// One bit for each.
    pub(crate) affairs: u64,
    /// The bytes of the stretch.
    pub(crate) span: Range<usize>,
    /// The words of its phrases.
    pub(crate) words: Vec<Range<usize>>,
}

impl Group {
    /// Whether a word belongs to a phrase, and does not only stand between its words.
    pub(crate) fn has(&self, word: &Range<usize>) -> bool {
        self.words.iter().any(|own| own.start <= word.start && word.end <= own.end)
    }
}

/// The affairs that a report speaks of, those of one stretch together; the longest phrase counts.
pub(crate) fn groups(text: &str) -> Vec<Group> {
    let all = claimed(text);
    let inside = |one: &Range<usize>, other: &Range<usize>| {
        other.start <= one.start && one.end <= other.end && one != other
    };
    let mut found: Vec<Group> = Vec::new();
    for mention in &all {
        if all.iter().any(|other| inside(&mention.span, &other.span)) {
            continue;
        }
        match found.last_mut().filter(|group| mention.span.start < group.span.end) {
            Some(group) => {
                group.affairs |= 1 << mention.affair;
                group.span.end = group.span.end.max(mention.span.end);
                group.words.extend(mention.words.iter().cloned());
            }
            None => found.push(Group {
                affairs: 1 << mention.affair,
                span: mention.span.clone(),
                words: mention.words.clone(),
            }),
        }
    }
    found
}

/// Affairs as bits, one for each.
pub(crate) fn mask(mentions: &[Mention]) -> u64 {
    mentions.iter().fold(0, |bits, mention| bits | 1 << mention.affair)
}

/// The affairs of one sort, one bit each.
pub(crate) fn all_of(sort: Sort) -> u64 {
    let numbered = AFFAIRS.iter().enumerate().filter(|(_, affair)| affair.0 == sort);
    numbered.fold(0, |bits, (number, _)| bits | 1 << number)
}

/// The first words of the phrases under which tools show an affair.
pub(crate) fn leads(affair: usize) -> &'static [Key] {
    PHRASES.leads.get(affair).map_or(&[], Vec::as_slice)
}

#[derive(Debug)]
enum Step {
    Word(Key),
    Gap,
}

type Table = HashMap<Key, Vec<(usize, Vec<Step>)>, BuildHasherDefault<AsIs>>;

/// Phrases by their first word.
struct Phrases {
    claimed: Table,
    shown: Table,
    leads: Vec<Vec<Key>>,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut phrases =
        Phrases { claimed: Table::default(), shown: Table::default(), leads: Vec::new() };
    for (number, (_, claimed, shown)) in AFFAIRS.iter().enumerate() {
        add(&mut phrases.claimed, number, claimed);
        let mut leads = add(&mut phrases.shown, number, shown);
        leads.sort_unstable();
        leads.dedup();
        phrases.leads.push(leads);
    }
    phrases
});

/// Enters the phrases of an affair; returns their first words.
fn add(table: &mut Table, number: usize, phrases: &str) -> Vec<Key> {
    let mut leads = Vec::new();
    for phrase in phrases.split('|') {
        let mut steps = phrase.split_ascii_whitespace().map(|word| match word {
            "*" => Step::Gap,
            word => Step::Word(key(word)),
        });
        if let Some(Step::Word(first)) = steps.next() {
            table.entry(first).or_default().push((number, steps.collect()));
            leads.push(first);
        }
    }
    leads
}

/// The longest text that is searched, in bytes.
const LONGEST: usize = 4_000;

fn find(text: &str, table: &Table) -> Vec<Mention> {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or("");
    let all: Vec<(Key, Range<usize>)> =
        words(text).map(|word| (key(word.text), word.span)).collect();
    let mut found: Vec<Mention> = Vec::new();
    for at in 0..all.len() {
        let Some((first, from)) = all.get(at) else { break };
        let Some(phrases) = table.get(first) else { continue };
        if is_denied(text, &all, at) {
            continue;
        }
        for (affair, steps) in phrases {
            let Some(words) = follow(text, &all, at, steps) else { continue };
            let span = from.start..words.last().map_or(from.end, |last| last.end);
            let covered = |other: &Mention| {
                other.affair == *affair
                    && other.span.start <= span.start
                    && span.end <= other.span.end
            };
            if !found.iter().any(covered) {
                found.push(Mention { affair: *affair, span, words });
            }
        }
    }
    found
}

/// The words of a phrase whose first stands at a place.
fn follow(
    text: &str,
    all: &[(Key, Range<usize>)],
    at: usize,
    steps: &[Step],
) -> Option<Vec<Range<usize>>> {
    const WIDEST: usize = 3;
    let mut place = at;
    let mut words = vec![all.get(at)?.1.clone()];
    let mut steps = steps.iter();
    while let Some(step) = steps.next() {
        let (wanted, width) = match step {
            Step::Word(wanted) => (wanted, 0),
            Step::Gap => match steps.next()? {
                Step::Word(wanted) => (wanted, WIDEST),
                Step::Gap => return None,
            },
        };
        let before = place;
        place = (before + 1..=before + 1 + width)
            .find(|next| all.get(*next).is_some_and(|(key, _)| key == wanted))?;
        let word = all.get(place)?.1.clone();
        let gap = text.get(all.get(before)?.1.end..word.start)?;
        if gap.contains([',', ';', ':', '(']) {
            return None;
        }
        words.push(word);
    }
    Some(words)
}

/// Whether one of the two words before a place denies it.
fn is_denied(text: &str, all: &[(Key, Range<usize>)], at: usize) -> bool {
    let word = |back: usize| {
        let (_, span) = all.get(at.checked_sub(back)?)?;
        text.get(span.clone())
    };
    [word(1), word(2)].into_iter().flatten().any(|word| {
        ["not", "no", "never", "without", "cannot", "nor", "neither", "none"]
            .iter()
            .any(|denial| word.eq_ignore_ascii_case(denial))
            || word.to_ascii_lowercase().ends_with("n't")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn meet(report: &str, tool: &str) -> bool {
        let shown = shown(tool);
        claimed(report)
            .iter()
            .any(|claimed| shown.iter().any(|shown| shown.affair == claimed.affair))
    }

    #[test]
    fn there_is_a_bit_for_each_affair() {
        assert!(AFFAIRS.len() <= 64);
    }

    #[test]
    fn reports_and_tools_mean_the_same_affair() {
        for (report, tool) in [
            (
                "the name of its registry does not resolve",
                "dial tcp: lookup registry: no such host",
            ),
            ("its volume claim is not bound", "pod has unbound immediate PersistentVolumeClaims"),
            ("no node matches its selector", "1 node(s) didn't match Pod's node affinity/selector"),
            ("there was no room left on the disk", "write failed: No space left on device"),
            ("the pod cannot be scheduled", "0/3 nodes are available"),
            ("the variable is missing", "env var DSN is not set"),
            ("the request ran into a timeout", "context deadline exceeded"),
        ] {
            assert!(meet(report, tool), "{report}");
        }
    }

    #[test]
    fn a_denied_phrase_is_another_affair() {
        for (report, tool) in [
            ("the certificate had not expired", "certificate expired"),
            ("the certificate has expired", "the certificate has not expired"),
            ("the name resolves", "no such host"),
            ("the volume claim is bound", "pod has unbound immediate PersistentVolumeClaims"),
            ("the connection was refused", "context deadline exceeded"),
        ] {
            assert!(!meet(report, tool), "{report}");
        }
    }

    proptest! {
        #[test]
        fn searching_never_panics(text in "(\\PC|not |found |no |space |left |, ){0,30}") {
            for mention in claimed(&text).into_iter().chain(shown(&text)) {
                prop_assert!(text.get(mention.span).is_some());
            }
        }
    }
}
