//! What a statement leaves to the statements before it: "its p99", "it", "the node", "71 seconds after the sync began".
//!
//! A statement that cannot be decided as it stands is completed to one that can be read by itself: pronouns and
//! "the node" give way to what they stand for, a missing subject is put in front, "N minutes later" is measured
//! from the instant told before. Only texts are made here, out of the report's own words; what they are worth is
//! decided by the rules. Where two things could be meant, nothing is completed.

mod clause;
mod ellipsis;
mod pointing;

use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Role};
pub(crate) use clause::is_sort;
use clause::{names, subject, time_of, window_of};

/// What was told so far, as far as later statements may point at it.
#[derive(Debug, Default)]
pub(crate) struct Discourse {
    /// The statement before, completed.
    told: Option<Told>,
    /// Things by the noun that the report called them with: "node" and "node wk-4"; the last first.
    sorts: Vec<(String, String)>,
    /// The instant that was told last.
    instant: Option<String>,
    /// The stretch of time that was told last: "from 18:43 to 18:55".
    window: Option<String>,
}

/// A statement that was told.
#[derive(Debug)]
struct Told {
    text: String,
    /// What it is about: "the CPU of tp-articles-1".
    subject: Option<String>,
    /// The one thing that "its" would mean.
    owner: Option<String>,
}

/// A statement as it may be read, and whether a finding against it is one against this statement.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Completed {
    pub(crate) text: String,
    /// It repeats the statement before, whose falsehood is not this one's.
    pub(crate) repeats: bool,
    /// A thing was put in for a word that only points.
    pub(crate) is_about_another: bool,
}

impl Completed {
    fn of(text: String, is_about_another: bool) -> Self {
        Self { text, repeats: false, is_about_another }
    }
}

/// The most things by their sort that are kept.
const MOST_SORTS: usize = 32;

impl Discourse {
    /// The ways to complete a statement, the likeliest first; none where it leaves nothing out.
    pub(crate) fn complete(&self, reading: &Reading<'_>) -> Vec<Completed> {
        let Some(told) = &self.told else {
            // "x's p99" may open a report.
            return clause::plain_possessive(reading)
                .map(|text| Completed::of(text, false))
                .into_iter()
                .collect();
        };
        let pointed = pointing::resolved(reading, told, &self.sorts);
        let (pointed, points) =
            pointed.map_or((None, false), |(text, points)| (Some(text), points));
        let text = pointed.as_deref().unwrap_or(reading.text);
        let mut found = ellipsis::completed(text, told, self.instant.as_deref());
        found.iter_mut().for_each(|way| way.is_about_another = points);
        if let Some(window) = self.window.as_deref()
            && let Some(text) = ellipsis::with_window(text, window)
        {
            found.push(Completed::of(text, points));
        }
        if found.is_empty()
            && let Some(text) = pointed.clone()
        {
            found.push(Completed::of(text, points));
        }
        if found.is_empty()
            && let Some(text) = clause::plain_possessive(reading)
        {
            found.push(Completed::of(text, points));
        }
        found
    }

    /// Takes note of a statement, as it was completed.
    pub(crate) fn tell(&mut self, reading: &Reading<'_>) {
        let text = reading.text;
        let named = names(reading);
        let subject = subject(text).filter(|span| !is_pronoun(text, span));
        let in_subject: Vec<_> = subject
            .as_ref()
            .map(|subject| {
                let inside = |span: &&std::ops::Range<usize>| {
                    subject.start <= span.start && span.end <= subject.end
                };
                named.iter().filter(inside).cloned().collect()
            })
            .unwrap_or_default();
        let phrase = |span: &std::ops::Range<usize>| text.get(span.clone()).map(str::to_owned);
        let plain = subject.as_ref().filter(|span| is_plain_thing(text, span));
        let owner = match (in_subject.as_slice(), plain, named.as_slice()) {
            ([one], ..) => phrase(one),
            ([], Some(thing), _) => phrase(thing),
            ([], None, [one]) => phrase(one),
            ([], None, []) => self.told.as_ref().and_then(|told| told.owner.clone()),
            _ => None,
        };
        self.mention(reading);
        // "B two minutes after T": when B was, is not stated.
        self.instant = time_of(text).filter(|_| !ellipsis::puts_in_order(text));
        if let Some(window) = window_of(reading) {
            self.window = Some(window);
        }
        let subject = subject.as_ref().and_then(phrase);
        self.told = Some(Told { text: text.to_owned(), subject, owner });
    }
}

impl Discourse {
    /// Takes note of the things that a statement names.
    pub(crate) fn mention(&mut self, reading: &Reading<'_>) {
        let text = reading.text;
        for name in &names(reading) {
            let Some(phrase) = text.get(name.clone()) else { continue };
            if let Some((sort, _)) = phrase.split_once(' ') {
                let sort = sort.to_ascii_lowercase();
                self.sorts.retain(|(known, _)| *known != sort);
                self.sorts.insert(0, (sort, phrase.to_owned()));
                self.sorts.truncate(MOST_SORTS);
            }
        }
    }
}

/// Whether a subject is a thing by its sort alone: "the job", "this container".
fn is_plain_thing(text: &str, span: &std::ops::Range<usize>) -> bool {
    let phrase = text.get(span.clone()).unwrap_or("");
    words(phrase).last().is_some_and(|word| is_sort(word.text))
        && !words(phrase).any(|word| ["of", "and", "or"].iter().any(|joint| word.is(joint)))
}

/// Whether a subject only points.
fn is_pronoun(text: &str, span: &std::ops::Range<usize>) -> bool {
    const POINTING: [&str; 12] = [
        "it", "they", "this", "that", "these", "those", "which", "both", "there", "neither",
        "none", "one",
    ];
    let phrase = text.get(span.clone()).unwrap_or("");
    let mut all = words(phrase);
    all.next().is_some_and(|word| POINTING.iter().any(|pronoun| word.is(pronoun)))
        && all.next().is_none()
        || phrase.trim().is_empty()
}

/// Whether a term is the name of a thing.
fn is_name(role: Role) -> bool {
    use gsar_core::text::figures::CodeKind;
    matches!(role, Role::Entity | Role::Name | Role::Code(CodeKind::Identifier))
}

#[cfg(test)]
mod tests;
