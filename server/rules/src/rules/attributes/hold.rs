//! How a figure of the evidence is tied to the attribute and the subject that a claim names.

use gsar_core::evidence::EvidenceKind;
use gsar_core::text::figures::{Dimension, Figure, Unit};
use gsar_core::text::tokens::words;

use super::concepts::Spoken;
use super::reach::{
    Tie, contents, headings, is_about_kind, is_bare, is_negligible, is_of_named, keys_of, needed,
    said_in, tie,
};
use super::slots::Slot;
use crate::claim::reading::Role;
use crate::evidence::observations::{Field, NONE};
use crate::evidence::values::Value;
use crate::matching::magnitudes::is_covered;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::{Key, key};

/// How a value is tied to the attribute and the subject of a claim.
pub(crate) struct Hold {
    /// Whether a key states the attribute.
    pub(crate) is_keyed: bool,
    /// Whether all that is needed stands at the value itself or names what it is of.
    pub(crate) is_close: bool,
    /// Whether a line has no other figure of the dimension.
    pub(crate) is_alone: bool,
    /// Whether the attribute is a bound itself.
    pub(crate) is_bound: bool,
    /// The unit that a heading or a rate states, where the key has none.
    pub(crate) unit: Option<Unit>,
}

/// One figure of the evidence beside one of the claim.
struct Place<'a, 'e, 'c> {
    case: &'a Case<'a, 'e, 'c>,
    slot: &'a Slot,
    spoken: &'a [Spoken],
    field: u32,
    found: &'a Field,
    tie: Tie,
}

/// How a value is tied to a claim's quantity; `None` for not at all.
pub(crate) fn hold(
    case: &Case<'_, '_, '_>,
    slot: &Slot,
    spoken: &[Spoken],
    field: u32,
    value: &Value<'_>,
) -> Option<Hold> {
    let found = case.corpus.field(field)?;
    let place = Place { case, slot, spoken, field, found, tie: tie(case, field)? };
    match value.key.and_then(|name| place.under_key(name)) {
        Some(keyed) => keyed.tied,
        None => place.in_prose(value),
    }
}

/// What a key that states the attribute gives.
struct Keyed {
    /// How the value is tied; `None` where it is of another subject.
    tied: Option<Hold>,
}

impl Place<'_, '_, '_> {
    /// Whether the key states the attribute, by a concept of it or in the claim's own words.
    fn under_key(&self, name: &str) -> Option<Keyed> {
        let (case, dimension) = (self.case, self.slot.figure.unit.dimension);
        let (own, path) = path(case, self.found, self.field, name);
        let is_of_kind = is_about_kind(case, &self.tie);
        if let Some(stated) =
            self.spoken.iter().find(|spoken| spoken.concept.is_stated(&own, &path))
        {
            let unit = match dimension {
                Dimension::Cores => Some(Unit::CORES),
                _ if is_bare(name) => unit_of_headings(case, self.found),
                _ => None,
            };
            let fits = is_of_kind || !speaks_of_nodes(case);
            let hold = self.keyed(stated.bits, &path, stated.concept.is_bound, unit);
            return Some(Keyed { tied: hold.filter(|_| fits) });
        }
        let said = said_in(case, &own);
        let is_rate = dimension == Dimension::Rate && is_rate_of(case, self.slot, &own);
        let is_stated = if is_rate {
            true
        } else if is_bare(name) {
            is_of_named(case, self.field) && !(counts(name) && self.slot.figure.value.places > 0)
                || dimension == Dimension::Count && counts_noun(case, self.slot, self.tie.near)
        } else {
            said != 0 && is_covered(case, self.field, name)
        };
        let per_second = || Unit::COUNT.per(Unit::named("s")?);
        let unit = is_rate.then(per_second).flatten();
        is_stated
            .then(|| Keyed { tied: self.keyed(said, &path, false, unit).filter(|_| is_of_kind) })
    }

    /// A value under a key that states the attribute, where the rest of the claim stands beside it.
    fn keyed(&self, said: u64, path: &[Key], is_bound: bool, unit: Option<Unit>) -> Option<Hold> {
        let on_path = said_in(self.case, path);
        let is_tied = self.lacks(said, self.tie.all) == 0
            && !is_of_sibling(self.case, self.found, self.field, said | on_path);
        is_tied.then(|| Hold {
            is_keyed: true,
            is_close: self.lacks(said, self.close() | on_path) == 0,
            is_alone: true,
            is_bound,
            unit,
        })
    }

    /// A value in a line, beside words that the claim uses for it.
    fn in_prose(&self, value: &Value<'_>) -> Option<Hold> {
        const LONGEST: usize = 600;
        const LEAST_WORDS: usize = 5;
        const LEAST_SHARED: u32 = 2;
        let (case, text) = (self.case, self.case.corpus.value(self.field));
        let is_line = case.corpus.name(self.field).is_empty();
        let is_prose = is_line || words(text).nth(LEAST_WORDS - 1).is_some();
        if !is_prose || text.len() > LONGEST || !is_about_kind(case, &self.tie) {
            return None;
        }
        let window = keys_of(window(text, &value.figure));
        let stated = self.spoken.iter().find(|spoken| {
            spoken.concept.paths.iter().any(|path| path.iter().all(|word| window.contains(word)))
        });
        let accounted = stated.map_or(0, |stated| stated.bits);
        let shared = said_in_line(case, self.tie.own).count_ones()
            + u32::from(stated.is_some())
            + u32::from(is_alert(case, self.field));
        let is_beside = stated.is_some() || said_in(case, &window) != 0;
        let is_tied =
            self.lacks(accounted, self.tie.all) == 0 && is_beside && shared >= LEAST_SHARED;
        // In a line that has every word, its only figure of the dimension is the one meant.
        let dimension = self.slot.figure.unit.dimension;
        let values = case.cache.values(case.corpus, self.field);
        let alone =
            values.iter().filter(|other| other.figure.unit.dimension == dimension).count() == 1;
        let needed = needed(case, accounted | self.slot.bits);
        let is_meant = stated.is_some() && alone && needed != 0 && needed & !self.tie.own == 0;
        is_tied.then_some(Hold {
            is_keyed: is_meant,
            is_close: is_meant,
            is_alone: alone,
            is_bound: stated.is_some_and(|stated| stated.concept.is_bound),
            unit: None,
        })
    }

    /// What the claim needs and some terms do not have.
    fn lacks(&self, accounted: u64, stands: u64) -> u64 {
        let lacking = needed(self.case, accounted | self.slot.bits) & !stands;
        if is_negligible(self.case, self.field, lacking, stands, accounted) { 0 } else { lacking }
    }

    /// The terms that surely speak of this field. In a document the words of other fields say little of it.
    fn close(&self) -> u64 {
        let corpus = self.case.corpus;
        let record = corpus.object(corpus.record(self.found.object));
        if record.is_some_and(|object| object.parent == NONE) {
            self.tie.own
                | self.case.marks.around(corpus, self.found.object)
                | self.case.marks.tool(corpus.item_of(self.field))
        } else {
            self.tie.all
        }
    }
}

/// Whether a claim without names speaks of a node, whose resources are not those of a pod.
fn speaks_of_nodes(case: &Case<'_, '_, '_>) -> bool {
    case.reading.terms.iter().any(|term| {
        term.role == Role::Kind
            && ["node", "nodes", "host", "hosts", "cluster"]
                .iter()
                .any(|kind| term.text.eq_ignore_ascii_case(kind))
    })
}

/// Whether a word of the claim is the key of another field of the record: the delay of the readiness probe is not
/// that of the liveness probe.
fn is_of_sibling(case: &Case<'_, '_, '_>, found: &Field, field: u32, accounted: u64) -> bool {
    let record = case.corpus.record(found.object);
    let open =
        needed(case, accounted) & !case.marks.around(case.corpus, found.object) & !contents(case);
    if open == 0 {
        return false;
    }
    let values = said_in(case, case.corpus.value_words(found));
    let open = open & !values;
    case.marks.marked_fields().iter().any(|other| {
        *other != field
            && case.marks.field(*other) & open != 0
            && case.corpus.holds(record, *other)
            && case
                .corpus
                .field(*other)
                .is_some_and(|other| said_in(case, case.corpus.key_words(other)) & open != 0)
    })
}

/// Whether a key states the rate that the claim does: `calls_per_sec` for "847 calls per second".
fn is_rate_of(case: &Case<'_, '_, '_>, slot: &Slot, own: &[Key]) -> bool {
    let written = case.reading.text.get(slot.figure.span.clone()).unwrap_or("");
    let said = keys_of(written);
    let by_second = [key("sec"), key("second"), key("s")];
    own.iter().any(|word| by_second.contains(word))
        && own
            .iter()
            .any(|word| said.contains(word) && !by_second.contains(word) && *word != key("per"))
        && words(written).any(|word| by_second.contains(&key(word.text)))
}

/// Whether a field is part of the alert and the claim speaks of the alert.
fn is_alert(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let item = case.corpus.item(case.corpus.item_of(field));
    item.is_some_and(|item| item.kind == EvidenceKind::Signal)
        && words(case.reading.text).any(|word| word.is("alert"))
}

/// The content words of a claim in a line.
fn said_in_line(case: &Case<'_, '_, '_>, own: u64) -> u64 {
    own & case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity))
}

/// Whether the record of a bare count names what the claim counts.
fn counts_noun(case: &Case<'_, '_, '_>, slot: &Slot, near: u64) -> bool {
    let noun = case.reading.noun(&slot.figure.span);
    let words = case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name));
    noun & words != 0 && noun & near == noun
}

/// The words of a value's key, and those with the headings above it.
fn path(case: &Case<'_, '_, '_>, found: &Field, field: u32, name: &str) -> (Vec<Key>, Vec<Key>) {
    let mut own = keys_of(name);
    let headings = headings(case.corpus, found);
    let is_own = name == case.corpus.name(field);
    if is_bare(name) {
        own.extend_from_slice(&headings);
    }
    let mut path = own.clone();
    path.extend_from_slice(&headings);
    if !is_own {
        path.extend_from_slice(case.corpus.key_words(found));
    }
    (own, path)
}

/// Whether a key counts whole things, so that a figure with decimals is none of it.
fn counts(name: &str) -> bool {
    ["count", "number", "total"].iter().any(|counts| name.eq_ignore_ascii_case(counts))
}

fn unit_of_headings(case: &Case<'_, '_, '_>, found: &Field) -> Option<Unit> {
    case.corpus
        .around(found.object)
        .take_while(|(_, object)| object.parent != crate::evidence::observations::NONE)
        .find_map(|(_, object)| Unit::of_field(case.corpus.heading(object)))
}

/// The words around a figure of a text: eight before, five after, within the sentence.
pub(crate) fn window<'t>(text: &'t str, figure: &Figure) -> &'t str {
    const BEFORE: usize = 8;
    const AFTER: usize = 5;
    let before = text.get(..figure.span.start).unwrap_or("");
    let ends = [". ", "; ", "\" ", "! "];
    let from = ends.iter().filter_map(|end| before.rfind(end)).max().map_or(0, |at| at + 2);
    let starts: Vec<usize> = words(before).map(|word| word.span.start).collect();
    let start =
        starts.len().checked_sub(BEFORE).and_then(|at| starts.get(at)).copied().unwrap_or(0);
    let after = text.get(figure.span.end..).unwrap_or("");
    let to = ends.iter().filter_map(|end| after.find(end)).min().unwrap_or(after.len());
    let end = words(after).nth(AFTER - 1).map_or(after.len(), |word| word.span.end).min(to);
    text.get(start.max(from)..figure.span.end + end).unwrap_or(text)
}
