//! Claims of cause: "X because Y", "X due to Y", "the scheduler blames X on Y".
//!
//! Borne out only where a tool states the cause: a message about the very thing whose state the effect is, or a
//! chain of errors with the effect before the cause. That both are true is not enough. Another cause that the same
//! message states for the same effect contradicts the claim.

mod chains;
mod side;
#[cfg(test)]
mod tests;

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use self::chains::{is_consequence, is_stated, is_tie, sentence_around};
use self::side::{Side, side};
use crate::claim::causes::{Linked, linked};
use crate::evidence::observations::{NONE, ValueKind};
use crate::evidence::values::same_time;
use crate::matching::candidates::is_line;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::affairs::{self, Sort};
use crate::vocabulary::event_words::any;
use crate::vocabulary::polarity;

/// The most messages that are weighed for one claim.
const MOST: usize = 4_000;

/// Whether a claim ties a cause to an effect.
pub(crate) fn ties(text: &str) -> bool {
    linked(text).is_some()
}

/// Decides a claim that ties a cause to an effect.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let blocks = |kind| matches!(kind, MarkerKind::Hedge | MarkerKind::All);
    if reading.markers.iter().any(|marker| blocks(marker.kind)) || !reading.quotations.is_empty() {
        return None;
    }
    let linked = linked(reading.text)?;
    let (effect, cause) = (side(case, &linked.effect)?, side(case, &linked.cause)?);
    let weigher = Weigher { case, linked: &linked, effect: &effect, cause: &cause };
    let messages = weigher.messages();
    if let Some(field) = messages.iter().copied().find(|field| weigher.states(*field)) {
        let cites = vec![Cite::Field(field)];
        return Some(Ruling::grounded(Basis::Stated, cites, note::says(case, field)));
    }
    let other = weigher.states_another(&messages)?;
    let cites = vec![Cite::Field(other)];
    Some(Ruling::contradicted(Basis::Stated, cites, note::says(case, other)))
}

struct Weigher<'w, 'a, 'e, 'c> {
    case: &'w Case<'a, 'e, 'c>,
    linked: &'w Linked,
    effect: &'w Side<'w>,
    cause: &'w Side<'w>,
}

impl Weigher<'_, '_, '_, '_> {
    /// The texts that have something of the cause or show the effect, in the order of the evidence.
    fn messages(&self) -> Vec<u32> {
        let corpus = self.case.corpus;
        let wanted = self.cause.all() | self.effect.all();
        let mut fields: Vec<u32> = self
            .case
            .marks
            .marked_fields()
            .iter()
            .copied()
            .filter(|field| self.case.marks.field(*field) & wanted != 0)
            .take(MOST)
            .collect();
        for group in self.cause.groups.iter().chain(&self.effect.groups) {
            let leads = (0..64)
                .filter(|number| group.affairs >> number & 1 == 1)
                .flat_map(affairs::leads)
                .flat_map(|lead| corpus.by_word.of(*lead).take(MOST));
            fields.extend(
                leads.filter(|field| self.case.cache.affairs(corpus, *field) & group.affairs != 0),
            );
        }
        fields.sort_unstable();
        fields.dedup();
        fields.retain(|field| self.is_message(*field));
        fields
    }

    /// Whether a field is a sentence of a tool, and not what somebody asked or inferred.
    fn is_message(&self, field: u32) -> bool {
        const LEAST_WORDS: usize = 3;
        let corpus = self.case.corpus;
        let item = corpus.item(corpus.item_of(field));
        corpus.field(field).is_some_and(|found| found.kind == ValueKind::Text)
            && item.is_some_and(|item| item.lane.is_hard() && item.lane != Lane::Synthetic)
            && words(corpus.value(field)).nth(LEAST_WORDS - 1).is_some()
    }

    /// Whether a message states the cause of the effect.
    fn states(&self, field: u32) -> bool {
        self.has_cause(field) && self.has_effect(field) && self.is_tied(field)
    }

    fn has_cause(&self, field: u32) -> bool {
        let case = self.case;
        let here = case.marks.field(field);
        let around = self.around(field);
        let text = self.text(field);
        let denies = case.cache.polarity(case.corpus, field).denies
            && self
                .place_of(text, self.cause, true)
                .is_none_or(|at| polarity::denies(sentence_around(text, at)));
        let groups =
            self.cause.groups.iter().all(|group| self.shows(field, group.affairs, group.terms));
        let names = self.cause.strict & !(here | around) & !self.written(field, self.cause.strict);
        let itself = here & self.cause.all() != 0 || !self.cause.groups.is_empty();
        groups
            && itself
            && names == 0
            && self.cause.words & !here == 0
            && !(self.cause.groups.is_empty() && denies)
            && self.has_figures(self.cause, &[field])
    }

    /// The names and headings around a message, and the words of the request.
    fn around(&self, field: u32) -> u64 {
        let corpus = self.case.corpus;
        let object = corpus.field(field).map_or(NONE, |field| field.object);
        self.case.marks.around(corpus, object) | self.case.marks.tool(corpus.item_of(field))
    }

    /// The names of some bits that stand in a text as part of a longer one: `billing` in `public.billing`.
    fn written(&self, field: u32, bits: u64) -> u64 {
        let text = self.case.corpus.value(field);
        self.case.reading.terms.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).fold(
            0,
            |found, (place, term)| {
                let stands = text.match_indices(term.text).any(|(at, _)| {
                    let before = text.get(..at).and_then(|text| text.chars().next_back());
                    let after =
                        text.get(at + term.text.len()..).and_then(|text| text.chars().next());
                    let free = |c: Option<char>| {
                        !c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_')
                    };
                    free(before) && free(after)
                });
                found | if stands { 1 << place } else { 0 }
            },
        )
    }

    fn shows(&self, field: u32, affairs: u64, terms: u64) -> bool {
        let case = self.case;
        let literal = terms != 0
            && case.marks.field(field) & terms == terms
            && !case.cache.polarity(case.corpus, field).denies;
        case.cache.affairs(case.corpus, field) & affairs != 0 || literal
    }

    /// The fields that tell of the same thing as a message: its record, and what states the thing with a name that it
    /// stands under.
    fn beside(&self, field: u32) -> Vec<u32> {
        const MOST_BESIDE: usize = 120;
        let corpus = self.case.corpus;
        let Some(object) = corpus.field(field).map(|field| field.object) else { return Vec::new() };
        let mut fields = vec![field];
        for (number, around) in corpus.around(object) {
            let is_nearest = number == corpus.record(object) && around.parent != NONE;
            let own = number == object && !is_line(corpus, field);
            if is_nearest || own || around.is_named {
                let all = (around.fields.0..around.fields.1).take(MOST_BESIDE);
                fields.extend(all.filter(|other| {
                    let within = corpus.field(*other).is_some_and(|other| other.object == number);
                    (own && within || corpus.is_direct(number, *other) && !own || is_nearest)
                        && !is_line(corpus, *other)
                }));
            }
        }
        fields
    }

    fn has_effect(&self, field: u32) -> bool {
        let case = self.case;
        let beside = self.beside(field);
        let there =
            beside.iter().fold(self.around(field), |bits, field| bits | case.marks.field(*field));
        let there = there | self.written(field, self.effect.strict) | self.alarm(field);
        let contrary = if self.effect.groups.is_empty() { self.contrary() } else { 0 };
        let denied =
            beside.iter().any(|field| case.cache.affairs(case.corpus, *field) & contrary != 0);
        !denied
            && (self.effect.strict | self.effect.words) & !there == 0
            && self.effect.groups.iter().all(|group| {
                beside.iter().any(|field| self.shows(*field, group.affairs, group.terms))
            })
            && self.has_figures(self.effect, &beside)
            && self.has_times(&beside)
    }

    /// The affairs that the effect would be with a "not" in it: "can be scheduled" is not what a failure is.
    fn contrary(&self) -> u64 {
        let text = self.case.reading.text.get(self.linked.effect.clone()).unwrap_or("");
        let auxiliary = words(text).find(|word| {
            any(word.text, &["can", "could", "is", "are", "was", "were", "has", "had", "will"])
        });
        auxiliary.map_or(0, |word| {
            let (start, end) = text.split_at_checked(word.span.end).unwrap_or((text, ""));
            affairs::mask(&affairs::claimed(&format!("{start} not{end}")))
        })
    }

    /// The words for an alarm that goes off, where the message is an alarm's.
    fn alarm(&self, field: u32) -> u64 {
        const GOING_OFF: [&str; 12] = [
            "alarmed",
            "alerted",
            "created",
            "fired",
            "fires",
            "firing",
            "opened",
            "opens",
            "paged",
            "raised",
            "triggered",
            "went",
        ];
        let item = self.case.corpus.item(self.case.corpus.item_of(field));
        if item.is_some_and(|item| item.kind == EvidenceKind::Signal) {
            self.case.reading.bits(|term| any(term.text, &GOING_OFF))
        } else {
            0
        }
    }

    fn has_figures(&self, side: &Side<'_>, fields: &[u32]) -> bool {
        side.figures.iter().all(|figure| {
            fields.iter().any(|field| {
                let values = self.case.cache.values(self.case.corpus, *field);
                values.iter().any(|value| is_stated(figure, &value.figure))
            })
        })
    }

    fn has_times(&self, fields: &[u32]) -> bool {
        self.case.reading.figures.times.iter().all(|time| {
            fields.iter().any(|field| {
                let times = self.case.cache.times(self.case.corpus, *field);
                times.iter().any(|stated| same_time(time, stated))
            })
        })
    }

    /// Where a side begins to be told in a text: its first affair or content word.
    fn place_of(&self, text: &str, side: &Side<'_>, last: bool) -> Option<usize> {
        let affairs = side.groups.iter().fold(0, |bits, group| bits | group.affairs);
        let shown = affairs::shown(text);
        let mentions = shown
            .iter()
            .filter(|mention| affairs >> mention.affair & 1 == 1)
            .map(|mention| mention.span.start);
        let names = if last { side.strict } else { 0 };
        let terms = side.all() & !side.strict | names;
        let keys: Vec<_> = self
            .case
            .reading
            .terms
            .iter()
            .enumerate()
            .filter(|(place, _)| terms >> place & 1 == 1)
            .flat_map(|(_, term)| term.keys.iter().copied())
            .collect();
        let told = words(text)
            .filter(|word| keys.contains(&crate::vocabulary::words::key(word.text)))
            .map(|word| word.span.start);
        if last { mentions.chain(told).max() } else { mentions.chain(told).min() }
    }

    /// A message with what looks like its key and is a part of its sentence.
    fn text(&self, field: u32) -> &str {
        let corpus = self.case.corpus;
        if corpus.name(field).contains(' ') { corpus.line(field) } else { corpus.value(field) }
    }

    /// Whether a message ties the cause to the effect: the effect stands before the cause, with a colon or a word of
    /// cause between; or it is the message of something whose state is the effect.
    fn is_tied(&self, field: u32) -> bool {
        let text = self.text(field);
        let Some(cause) = self.place_of(text, self.cause, true) else { return false };
        match self.place_of(text, self.effect, false) {
            Some(effect) if effect < cause => {
                text.get(effect..cause).is_some_and(is_tie) || self.is_of_the_thing(field)
            }
            Some(effect) => text.get(cause..effect).is_some_and(is_consequence),
            None => self.is_of_the_thing(field),
        }
    }

    /// Whether a field is where a thing says why it is as it is.
    fn is_of_the_thing(&self, field: u32) -> bool {
        const SAYING: [&str; 21] = [
            "message",
            "msg",
            "reason",
            "error",
            "err",
            "detail",
            "details",
            "description",
            "note",
            "cause",
            "exception",
            "status_message",
            "statusmessage",
            "last_error",
            "lasterror",
            "state_reason",
            "statereason",
            "stderr",
            "failure",
            "summary",
            "title",
        ];
        let corpus = self.case.corpus;
        let key = corpus.name(field);
        !key.is_empty() && key.split([' ', '.']).any(|part| any(part, &SAYING))
    }

    /// A message that states another cause for the effect, where none states the claimed one.
    fn states_another(&self, messages: &[u32]) -> Option<u32> {
        let [group] = self.cause.groups.as_slice() else { return None };
        let causes = affairs::all_of(Sort::Fault) | affairs::all_of(Sort::Unplaced);
        if group.affairs & causes == 0 || self.effect.strict | self.cause.strict == 0 {
            return None;
        }
        let told: Vec<u32> =
            messages.iter().copied().filter(|field| self.has_effect(*field)).collect();
        let claimed = told.iter().any(|field| {
            self.shows(*field, group.affairs, group.terms)
                && self.cause.words & !self.case.marks.field(*field) == 0
        });
        if claimed {
            return None;
        }
        told.into_iter().find(|field| {
            self.lists_other_places(*field) || self.has_other_fault(*field, group.affairs)
        })
    }

    /// Whether a scheduler lists why it found no place, and the claimed reason, of that sort, is not among them.
    fn lists_other_places(&self, field: u32) -> bool {
        const RESOURCES: [&str; 9] = [
            "cpu",
            "memory",
            "gpu",
            "gpus",
            "storage",
            "cores",
            "ephemeral-storage",
            "resources",
            "ram",
        ];
        let text = self.case.corpus.value(field);
        let unplaced = affairs::all_of(Sort::Unplaced);
        let is_list = crate::matching::fit::holds(text, "nodes are available");
        let of_sort = self.cause.groups.iter().all(|group| group.affairs & unplaced != 0);
        let resources = self.case.reading.bits(|term| any(term.text, &RESOURCES));
        is_list
            && of_sort
            && self.effect.strict != 0
            && self.cause.strict == 0
            && self.cause.words & !resources & !self.case.marks.field(field) == 0
    }

    /// Whether a message about the very subject of the cause has the effect and another fault behind it.
    fn has_other_fault(&self, field: u32, claimed: u64) -> bool {
        let case = self.case;
        let faults = affairs::all_of(Sort::Fault);
        let text = self.text(field);
        let here = case.marks.field(field) | self.written(field, self.cause.strict);
        let subject = self.cause.strict & !here == 0 && self.cause.words & !here == 0;
        let other = affairs::shown(text)
            .into_iter()
            .filter(|mention| {
                faults >> mention.affair & 1 == 1 && claimed >> mention.affair & 1 == 0
            })
            .map(|mention| mention.span.start)
            .max();
        let effect = self.place_of(text, self.effect, false);
        let behind = match (effect, other) {
            (Some(effect), Some(other)) => {
                effect < other && text.get(effect..other).is_some_and(is_tie)
            }
            (None, Some(_)) => self.cause.strict != 0 && self.is_of_the_thing(field),
            _ => false,
        };
        subject && behind && claimed & faults != 0 && !self.linked.ties.is_empty()
    }
}
