//! Which fields may state an attribute, and whether one is about the subject of the claim.

use super::concepts::Spoken;
use super::light::is_light;
use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::{Corpus, Field, NONE, is_naming};
use crate::matching::candidates::{Target, is_line};
use crate::matching::magnitudes::bits_in;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::{Key, evidence_keys, key, parts};
use gsar_core::evidence::EvidenceKind;
use gsar_core::text::figures::Unit;
use gsar_core::text::tokens::words;

/// The most fields looked at for one value.
const MOST_FIELDS: usize = 6_000;
/// The most fields under one heading.
const MOST_UNDER_HEADING: u32 = 40;

/// Keys that say nothing of what they hold: `value: 604800000` below `retention.ms`.
pub(crate) fn is_bare(name: &str) -> bool {
    const BARE: [&str; 12] = [
        "value",
        "current",
        "count",
        "total",
        "number",
        "amount",
        "used",
        "actual",
        "result",
        "percentage",
        "percent",
        "share",
    ];
    BARE.iter().any(|bare| name.eq_ignore_ascii_case(bare))
}

/// The fields that may state a value: those under the keys of what the claim speaks of, and those with its words.
pub(crate) fn fields(case: &Case<'_, '_, '_>, spoken: &[Spoken], said: &[Key]) -> Vec<u32> {
    let corpus = case.corpus;
    let mut found: Vec<u32> = Vec::new();
    for word in said {
        found.extend(corpus.by_word.of(*word).take(MOST_FIELDS));
    }
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
    let beside: Vec<u32> = found.iter().flat_map(|field| bare_beside(corpus, *field)).collect();
    found.extend(beside);
    found.sort_unstable();
    found.dedup();
    found
}

/// The bare values beside a field of a small record: `value: "60"` beside `name: TOKEN_EXPIRY`.
fn bare_beside(corpus: &Corpus<'_>, field: u32) -> impl Iterator<Item = u32> {
    const LARGEST: u32 = 8;
    let range = corpus
        .field(field)
        .and_then(|found| corpus.object(corpus.record(found.object)))
        .filter(|record| record.parent != NONE && record.fields.1 - record.fields.0 <= LARGEST)
        .map_or(0..0, |record| record.fields.0..record.fields.1);
    range.filter(move |other| *other != field && is_bare(corpus.name(*other)))
}

/// Whether a bare value belongs to a name of the claim: both stand in one small record.
pub(crate) fn is_of_named(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let corpus = case.corpus;
    let names = case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let Some(found) = corpus.field(field) else { return false };
    let record = corpus.record(found.object);
    let Some(range) =
        corpus.object(record).filter(|record| record.parent != NONE).map(|record| record.fields)
    else {
        return false;
    };
    range.1 - range.0 <= 8
        && (range.0..range.1)
            .any(|other| case.marks.field(other) & names != 0 && is_naming(corpus.name(other)))
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
    /// Terms in the names and headings around it, and of the tool.
    frame: u64,
}

/// What of a claim stands at a field and around it.
pub(crate) fn tie(case: &Case<'_, '_, '_>, field: u32) -> Option<Tie> {
    let corpus = case.corpus;
    let found = corpus.field(field)?;
    let item = corpus.item(corpus.item_of(field))?;
    if case.reading.is_from_alert && item.kind != EvidenceKind::Signal {
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
    let is_meant = case.marks.around(corpus, found.object) & strict != 0;
    let from_tool = if is_named && !is_meant { tool & !strict } else { tool };
    let frame = case.marks.around(corpus, found.object) | tool;
    Some(Tie { near, all: near | from_tool, own, frame })
}

/// The terms that have to stand beside a value, apart from some that are accounted for.
pub(crate) fn needed(case: &Case<'_, '_, '_>, accounted: u64) -> u64 {
    let is_needed = |term: &Term<'_>| match term.role {
        Role::Name if is_resource_kind(term.text) => false,
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => !is_light(term.text) && !is_resource_kind(term.text),
        Role::Demand(_) => is_limit_word(term),
        Role::Kind | Role::Common => false,
    };
    case.reading.bits(is_needed) & !accounted
}

/// Sorts of resources, which tools leave out as they do "pod" and "node".
pub(crate) fn is_resource_kind(word: &str) -> bool {
    const KINDS: [&str; 12] = [
        "configmap",
        "configmaps",
        "cronjob",
        "ingress",
        "persistentvolume",
        "persistentvolumeclaim",
        "pvc",
        "scaledobject",
        "secret",
        "serviceaccount",
        "servicemonitor",
        "storageclass",
    ];
    // "The old-ReplicaSet pod".
    let set = word.rsplit('-').next().unwrap_or(word);
    KINDS.iter().any(|kind| word.eq_ignore_ascii_case(kind))
        || set.eq_ignore_ascii_case("replicaset")
}

/// "Its maximum of 256": a word for a bound, which the evidence has to show like any other.
pub(crate) fn is_limit_word(term: &Term<'_>) -> bool {
    matches!(term.role, Role::Demand(_))
        && ["maximum", "minimum", "max", "min"]
            .iter()
            .any(|word| term.text.eq_ignore_ascii_case(word))
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
    // A pod names its node; that does not make it one.
    let hosts = case.reading.bits(|term| {
        term.role == Role::Kind
            && ["node", "nodes", "host", "hosts", "cluster", "clusters"]
                .iter()
                .any(|host| term.text.eq_ignore_ascii_case(host))
    });
    let are_hosts = kinds != 0 && kinds & !hosts == 0;
    let here = if are_hosts { tie.frame } else { tie.all };
    names != 0 || kinds == 0 || kinds & here != 0
}

/// Nouns for what a thing holds, whatever it is.
const CONTENTS: [&str; 6] = ["messages", "records", "data", "entries", "items", "rows"];

/// Whether a word tells what was done: "issued" in "are issued". A noun may be the subject itself.
fn is_participle(reading: &Reading<'_>, term: &Term<'_>) -> bool {
    const AUXILIARIES: [&str; 8] = ["is", "are", "was", "were", "be", "been", "has", "have"];
    let before = reading.text.get(..term.span.start).unwrap_or("");
    let follows = words(before)
        .last()
        .is_some_and(|word| AUXILIARIES.iter().any(|auxiliary| word.is(auxiliary)));
    follows
        && (term.text.ends_with("ed") || term.text.ends_with("ing") || term.text.ends_with("en"))
}

/// Sorts of things that tools leave out as they leave out "pod".
fn is_sort(word: &str) -> bool {
    const SORTS: [&str; 18] = [
        "application",
        "call",
        "command",
        "consumer",
        "environment",
        "field",
        "label",
        "metric",
        "option",
        "parameter",
        "probe",
        "process",
        "program",
        "query",
        "request",
        "setting",
        "span",
        "variable",
    ];
    SORTS.iter().any(|sort| word.eq_ignore_ascii_case(sort))
}

/// The terms of a claim that stand for what a thing holds.
pub(crate) fn contents(case: &Case<'_, '_, '_>) -> u64 {
    case.reading.bits(|term| {
        term.role == Role::Word && CONTENTS.iter().any(|noun| term.text.eq_ignore_ascii_case(noun))
    })
}

/// Whether what is missing beside a value is one word that the item does not have at all, while others tie the two:
/// "messages in finance" for the topic `finance`.
pub(crate) fn is_negligible(
    case: &Case<'_, '_, '_>,
    field: u32,
    lacking: u64,
    stands: u64,
    accounted: u64,
) -> bool {
    let words = case.reading.bits(|term| term.role == Role::Word);
    let verbs = case.reading.bits(|term| is_participle(case.reading, term) || is_sort(term.text));
    let names = case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let tied = names & stands != 0 || accounted != 0 && words & stands & !accounted != 0;
    let item = case.corpus.item_of(field);
    let is_unit = case
        .reading
        .terms
        .iter()
        .enumerate()
        .any(|(place, term)| lacking == 1 << place && Unit::named(term.text).is_some());
    if is_unit {
        return false;
    }
    if lacking & !contents(case) == 0 && names & stands != 0 {
        return true;
    }
    lacking.count_ones() == 1
        && lacking & words & verbs == lacking
        && tied
        && !case.marks.marked_fields().iter().any(|other| {
            case.marks.field(*other) & lacking != 0 && case.corpus.item_of(*other) == item
        })
}
