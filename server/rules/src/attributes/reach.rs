//! Which fields may state an attribute, and whether one is about the subject of the claim.

use super::super::candidates::{Target, is_line};
use super::super::magnitudes::bits_in;
use super::super::observations::{Corpus, Field, NONE};
use super::super::reading::{Reading, Role, Term};
use super::super::ruling::Case;
use super::super::words::{Key, evidence_keys, key, parts};
use super::concepts::Spoken;
use super::light::is_light;
use gsar_core::evidence::EvidenceKind;
use gsar_core::text::tokens::words;

/// The most fields looked at for one value.
const MOST_FIELDS: usize = 6_000;
/// The most fields under one heading.
const MOST_UNDER_HEADING: u32 = 40;

/// Keys that say nothing of what they hold: `value: 604800000` below `retention.ms`.
pub(crate) fn is_bare(name: &str) -> bool {
    const BARE: [&str; 9] =
        ["value", "current", "count", "total", "number", "amount", "used", "actual", "result"];
    BARE.iter().any(|bare| name.eq_ignore_ascii_case(bare))
}

/// The fields that may state a value: those under the keys of what the claim speaks of, and those with its words.
pub(crate) fn fields(case: &Case<'_, '_, '_>, spoken: &[Spoken]) -> Vec<u32> {
    let corpus = case.corpus;
    let mut found: Vec<u32> = Vec::new();
    for word in spoken.iter().flat_map(|spoken| spoken.concept.paths.iter().flatten()) {
        found.extend(corpus.by_word.of(*word).take(MOST_FIELDS));
        for heading in corpus.by_heading.of(*word).take(MOST_FIELDS) {
            let Some(object) = corpus.object(heading) else { continue };
            let end = object.fields.1.min(object.fields.0 + MOST_UNDER_HEADING);
            found.extend((object.fields.0..end).filter(|field| is_bare(corpus.name(*field))));
        }
    }
    let content =
        case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity));
    found.extend(
        case.marks
            .marked_fields()
            .iter()
            .copied()
            .filter(|field| case.marks.field(*field) & content != 0)
            .take(MOST_FIELDS),
    );
    found.sort_unstable();
    found.dedup();
    found
}

/// The words of a key as the index has them.
pub(crate) fn keys_of(text: &str) -> Vec<Key> {
    let mut keys = Vec::with_capacity(4);
    for word in words(text) {
        keys.push(key(word.text));
        evidence_keys(word.text, |key| keys.push(key));
        if word.text.contains('.') && !word.text.contains('-') {
            keys.extend(parts(word.text).map(key));
        }
    }
    keys
}

/// The words of the headings above a field, up to its record.
pub(crate) fn headings(corpus: &Corpus<'_>, field: &Field) -> Vec<Key> {
    let mut path = Vec::with_capacity(8);
    for (_, object) in corpus.around(field.object) {
        if object.parent == NONE {
            break;
        }
        path.extend_from_slice(corpus.heading_words(object));
        if object.is_record {
            break;
        }
    }
    path
}

/// How a field is tied to the subject of a claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    /// Terms in the field, in its record or in the names and headings around it.
    pub(crate) near: u64,
    /// The same, with the terms of the tool that was asked.
    pub(crate) all: u64,
    /// Terms in the field itself.
    pub(crate) own: u64,
}

/// What of a claim stands at a field and around it.
pub(crate) fn tie(case: &Case<'_, '_, '_>, field: u32) -> Option<Tie> {
    let corpus = case.corpus;
    let found = corpus.field(field)?;
    let item = corpus.item(corpus.item_of(field))?;
    if is_from_alert(case.reading) && item.kind != EvidenceKind::Signal {
        return None;
    }
    let own = case.marks.field(field);
    let target = if is_line(corpus, field) {
        Target::Line(field)
    } else {
        Target::Object(corpus.record(found.object))
    };
    let candidate = case.marks.candidate(corpus, target);
    let near = own | candidate.near | case.marks.around(corpus, found.object);
    let is_named = corpus.around(found.object).any(|(_, around)| around.is_named);
    let tool = case.marks.tool(corpus.item_of(field));
    // A record that bears names is about the one it names, whatever else the tool was asked for.
    let strict = case.reading.bits(|term| term.role == Role::Entity);
    let from_tool = if is_named { tool & !strict } else { tool };
    Some(Tie { near, all: near | from_tool, own })
}

/// Whether a claim tells what the alert says: other evidence says nothing to that.
fn is_from_alert(reading: &Reading<'_>) -> bool {
    const SAYING: [&str; 14] = [
        "says",
        "said",
        "names",
        "reports",
        "reported",
        "gives",
        "gave",
        "puts",
        "speaks",
        "states",
        "mentions",
        "according",
        "claims",
        "describes",
    ];
    let has = |wanted: &str| words(reading.text).any(|word| word.is(wanted));
    has("alert") && SAYING.iter().any(|saying| has(saying))
}

/// The terms that have to stand beside a value, apart from some that are accounted for.
pub(crate) fn needed(case: &Case<'_, '_, '_>, accounted: u64) -> u64 {
    let is_needed = |term: &Term<'_>| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => !is_light(term.text),
        Role::Kind | Role::Demand(_) => false,
    };
    case.reading.bits(is_needed) & !accounted
}

/// Which content words of a claim are among some keys.
pub(crate) fn said_in(case: &Case<'_, '_, '_>, keys: &[Key]) -> u64 {
    let content =
        case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity));
    bits_in(case.reading, keys, content)
}

/// Whether a field is about a thing of the kind that a claim without names speaks of: "the node" is no pod.
pub(crate) fn is_about_kind(case: &Case<'_, '_, '_>, tie: &Tie) -> bool {
    let names = case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let kinds = case.reading.bits(|term| term.role == Role::Kind && !term.span.is_empty());
    names != 0 || kinds == 0 || kinds & tie.all != 0
}
