//! Determines the name of a record, and matches the words that name an attribute.

use std::borrow::Cow;

use crate::facts::{Cell, Facts, Form, RecordId};
use crate::text::figures::Unit;
use crate::text::tokens::{Word, words};

/// Kinds of entities. A key with such a name contains an entity's name. Before a name, these words add nothing.
const KINDS: [&str; 31] = [
    "alert", "bucket", "check", "cluster", "container", "database", "deployment", "device", "disk",
    "endpoint", "host", "index", "instance", "job", "machine", "metric", "namespace", "node",
    "partition", "pod", "pool", "process", "queue", "server", "service", "shard", "table",
    "target", "topic", "volume", "worker",
];

/// Keys that contain attributes without describing them.
const PLAIN_KEYS: [&str; 12] = [
    "metadata", "status", "state", "resources", "info", "data", "details", "properties",
    "attributes", "result", "results", "items",
];

/// Words in the last part of an attribute's name that statements can omit.
const OPTIONAL_WORDS: [&str; 6] = ["count", "counts", "total", "number", "current", "value"];

/// Attributes that statements can omit: "cart-1 is Running".
const STATES: [&str; 7] = ["status", "state", "phase", "health", "condition", "result", "outcome"];

const MAX_PARENTS: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Name<'f, 'a> {
    pub(super) text: &'f str,
    pub(super) kind: Option<&'f str>,
    pub(super) cell: Option<&'f Cell<'a>>,
}

pub(super) fn is_kind(word: &str) -> bool {
    KINDS.iter().any(|kind| kind.eq_ignore_ascii_case(word))
}

/// Returns the name of a record or its nearest named parent, or `None` if there is none or several.
pub(super) fn record_name<'f, 'a>(record: RecordId, facts: &'f Facts<'a>) -> Option<Name<'f, 'a>> {
    let mut next = Some(record);
    for _ in 0..MAX_PARENTS {
        let id = next?;
        let record = facts.record(id)?;
        match own_name(&record.cells) {
            // `spec.nodeName` in a pod names the node, not the pod.
            OwnName::ByKind(_) if is_within_named(record.parent, facts) => return None,
            OwnName::One(name) | OwnName::ByKind(name) => return Some(name),
            OwnName::Several => return None,
            OwnName::None => {}
        }
        let group = facts.group(record.group)?;
        // A list's key applies to all entries and names none of them.
        let key =
            record.path.last().filter(|key| !is_plain_key(key) && group.scope.last() != Some(key));
        if let Some(key) = key {
            return Some(Name { text: key, kind: None, cell: None });
        }
        let first = record.cells.first().filter(|first| !first.attribute.is_empty());
        match first.filter(|_| group.form == Form::Rows && record.parent.is_none()) {
            Some(first) => {
                return Some(Name { text: first.text.trim(), kind: None, cell: Some(first) });
            }
            None => next = record.parent,
        }
    }
    None
}

/// Returns `true` if a record or one of its parents has a `name` cell.
fn is_within_named(record: Option<RecordId>, facts: &Facts<'_>) -> bool {
    record.is_some_and(|record| {
        let mut ancestors = facts.with_parents(record).take(MAX_PARENTS);
        ancestors.any(|record| matches!(own_name(&record.cells), OwnName::One(_)))
    })
}

enum OwnName<'f, 'a> {
    One(Name<'f, 'a>),
    /// A cell whose key is a kind of entity.
    ByKind(Name<'f, 'a>),
    Several,
    None,
}

fn own_name<'f, 'a>(cells: &'f [Cell<'a>]) -> OwnName<'f, 'a> {
    let is_name = |cell: &&Cell<'_>| match cell.attribute.as_slice() {
        [name] => name.eq_ignore_ascii_case("name"),
        [outer, name] => outer == "metadata" && name == "name",
        _ => false,
    };
    let name = |cell: &'f Cell<'a>, kind| Name { text: cell.text.trim(), kind, cell: Some(cell) };
    let mut name_cells = cells.iter().filter(is_name);
    match (name_cells.next(), name_cells.next()) {
        (Some(cell), None) => {
            let is_kind_cell =
                |cell: &&Cell<'_>| matches!(cell.attribute.as_slice(), [key] if key == "kind");
            let kind = cells.iter().find(is_kind_cell).map(|cell| &*cell.text);
            return OwnName::One(name(cell, kind));
        }
        (Some(_), Some(_)) => return OwnName::Several,
        (None, _) => {}
    }
    let mut by_kind = cells.iter().filter_map(|cell| Some((cell, kind_of_key(cell)?)));
    match (by_kind.next(), by_kind.next()) {
        (Some((cell, kind)), None) => OwnName::ByKind(name(cell, Some(kind))),
        (Some(_), Some(_)) => OwnName::Several,
        (None, _) => OwnName::None,
    }
}

/// Returns the kind of entity that a cell names: `pod`, `pod_name`, `alertname`.
fn kind_of_key<'f>(cell: &'f Cell<'_>) -> Option<&'f str> {
    let [key] = cell.attribute.as_slice() else { return None };
    let split =
        key.len().checked_sub("name".len()).filter(|position| key.is_char_boundary(*position));
    let stem = match split.and_then(|position| key.split_at_checked(position)) {
        Some((stem, ending)) if ending.eq_ignore_ascii_case("name") => stem,
        _ => key,
    };
    let stem = stem.trim_end_matches(['_', '-', '.', ' ']);
    is_kind(stem).then_some(stem)
}

fn is_plain_key(key: &str) -> bool {
    PLAIN_KEYS.iter().any(|plain| plain.eq_ignore_ascii_case(key))
}

#[derive(Debug, Default)]
pub(super) struct AttributeWords<'f> {
    required: Vec<Word<'f>>,
    optional: Vec<Word<'f>>,
}

impl<'f> AttributeWords<'f> {
    pub(super) fn new(attribute: &'f [Cow<'_, str>]) -> Self {
        let mut result = Self::default();
        let Some((last, outer)) = attribute.split_last() else { return result };
        let (own_words, unit_words) = without_unit(last);
        result.optional.extend(unit_words);
        let (optional, required): (Vec<_>, Vec<_>) = own_words
            .into_iter()
            .partition(|word| OPTIONAL_WORDS.iter().any(|optional_word| word.is(optional_word)));
        match required.is_empty() {
            true => result.required.extend(optional),
            false => {
                result.required.extend(required);
                result.optional.extend(optional);
            }
        }
        for key in outer {
            let words = parts(key).flat_map(words);
            if is_plain_key(key) {
                result.optional.extend(words)
            } else {
                result.required.extend(words)
            }
        }
        result
    }

    pub(super) fn from_name(name: &'f str, optional: &'f str) -> Self {
        Self {
            required: parts(name).flat_map(words).collect(),
            optional: words(optional).collect(),
        }
    }

    pub(super) fn match_all(&self, expected: &ExpectedWords<'_>) -> bool {
        let attribute_words = self.required.iter().chain(&self.optional).cloned();
        let attribute_words: Vec<Keyed<'_>> = attribute_words.map(Keyed::new).collect();
        let (required, _) =
            attribute_words.split_at_checked(self.required.len()).unwrap_or_default();
        let is_expected =
            |attribute_word: &Keyed<'_>| expected.0.iter().any(|word| word.is_same(attribute_word));
        let is_attribute_word = |word: &Keyed<'_>| {
            attribute_words.iter().any(|attribute_word| word.is_same(attribute_word))
        };
        !required.is_empty()
            && required.iter().all(is_expected)
            && expected.0.iter().all(is_attribute_word)
    }
}

/// Returns `true` if an attribute is an entity's state, which statements can omit.
pub(super) fn is_state(attribute: &[Cow<'_, str>]) -> bool {
    let is_state_word = |word: &Word<'_>| STATES.iter().any(|state| word.is(state));
    words_of(attribute).any(|word| is_state_word(&word))
        && matches!(AttributeWords::new(attribute).required.as_slice(), [only] if is_state_word(only))
}

/// The words of a statement that must name an attribute.
#[derive(Debug)]
pub(super) struct ExpectedWords<'a>(Vec<Keyed<'a>>);

impl<'a> ExpectedWords<'a> {
    pub(super) fn new(statement_words: &[&'a Word<'a>]) -> Self {
        let expected = statement_words.iter().flat_map(|word| parts(word.text)).flat_map(words);
        Self(expected.map(Keyed::new).collect())
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if these are the words of an attribute.
    pub(super) fn match_attribute(&self, attribute: &[Cow<'_, str>]) -> bool {
        // Most attributes do not contain the first word. Checking this costs less than comparing all their words.
        let has_first = self
            .0
            .first()
            .is_some_and(|first| words_of(attribute).any(|word| Keyed::new(word).is_same(first)));
        has_first && AttributeWords::new(attribute).match_all(self)
    }
}

fn words_of<'f>(attribute: &'f [Cow<'_, str>]) -> impl Iterator<Item = Word<'f>> {
    attribute.iter().flat_map(|key| parts(key)).flat_map(words)
}

/// A word with the hashes of its forms.
#[derive(Debug)]
struct Keyed<'a> {
    word: Word<'a>,
    key: u64,
    verb_key: Option<u64>,
}

impl<'a> Keyed<'a> {
    fn new(word: Word<'a>) -> Self {
        Self { key: word.key(), verb_key: word.verb_key(), word }
    }

    /// Returns `true` if two words are equal apart from case, number and verb form: "restarted", "Restarts".
    fn is_same(&self, other: &Keyed<'_>) -> bool {
        self.key == other.key && self.word.same(&other.word)
            || self.verb_key.is_some() && self.verb_key == other.verb_key
    }
}

/// Splits off the last word of a key if it is a unit: `memory_mib`, `latency (ms)`.
fn without_unit(key: &str) -> (Vec<Word<'_>>, Vec<Word<'_>>) {
    let mut key_words: Vec<Word<'_>> = parts(key).flat_map(words).collect();
    let has_unit = key_words.len() > 1
        && (Unit::from_field_name(key).is_some()
            || key_words.last().is_some_and(|last| Unit::from_name(last.text).is_some()));
    let unit = if has_unit { key_words.pop() } else { None };
    (key_words, unit.into_iter().collect())
}

/// Splits an identifier at `_`, `-`, `.`, `/` and before capitals.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    core::iter::from_fn(move || {
        rest = rest.trim_start_matches(['_', '-', '.', '/']);
        if rest.is_empty() {
            return None;
        }
        let mut previous = ' ';
        let end = rest
            .char_indices()
            .find(|(index, c)| {
                let is_cut = matches!(c, '_' | '-' | '.' | '/')
                    || *index > 0 && c.is_ascii_uppercase() && previous.is_ascii_lowercase();
                previous = *c;
                is_cut
            })
            .map_or(rest.len(), |(index, _)| index);
        let (part, following) = rest.split_at_checked(end)?;
        rest = following;
        Some(part)
    })
}
