//! Labels: the image, namespace, node, port, version or the like of one thing.
//!
//! The claim names the attribute and, beside it, the value. A thing that has values of that attribute and not the
//! claimed one refutes it.

use gsar_core::text::tokens::{Word, is_stop_word, words};

use super::Found;
use super::reach::{headings, is_about_kind, keys_of, needed, tie};
use crate::claim::reading::{Role, Term};
use crate::verdict::note;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::{Key, key};

struct Entry {
    /// Words of a report before the value.
    said: &'static [&'static str],
    /// Keys that state it.
    keys: &'static [&'static str],
}

const ENTRIES: [Entry; 14] = [
    Entry { said: &["image"], keys: &["image"] },
    Entry { said: &["version", "tag"], keys: &["version", "image", "tag"] },
    Entry { said: &["namespace"], keys: &["namespace"] },
    Entry {
        said: &["node", "placed", "scheduled", "host"],
        keys: &["node", "nodename", "node_name", "host"],
    },
    Entry { said: &["port"], keys: &["port", "containerport", "targetport", "nodeport"] },
    Entry { said: &["claim", "pvc", "persistentvolumeclaim"], keys: &["claimname", "claim"] },
    Entry { said: &["configmap"], keys: &["configmapname", "configmap"] },
    Entry { said: &["secret"], keys: &["secretname", "secret"] },
    Entry { said: &["user", "account"], keys: &["user", "username", "account", "service account"] },
    Entry { said: &["revision"], keys: &["revision"] },
    Entry { said: &["region"], keys: &["region"] },
    Entry { said: &["zone"], keys: &["zone", "az", "availability_zone"] },
    Entry { said: &["cluster"], keys: &["cluster", "cluster_name"] },
    Entry { said: &["storageclass", "class"], keys: &["storageclass", "storageclassname"] },
];

/// A label that a claim states.
pub(crate) struct Slot {
    entry: &'static Entry,
    /// The place of the value's term.
    place: usize,
    /// The terms that name the attribute.
    bits: u64,
}

/// The labels of a claim.
pub(crate) fn slots(case: &Case<'_, '_, '_>) -> Vec<Slot> {
    let reading = case.reading;
    let claim: Vec<Word<'_>> = words(reading.text).collect();
    let mut found: Vec<Slot> = Vec::new();
    for (at, word) in claim.iter().enumerate() {
        let said = key(word.text);
        let Some(entry) =
            ENTRIES.iter().find(|entry| entry.said.iter().any(|noun| key(noun) == said))
        else {
            continue;
        };
        let Some(value) = value_after(&claim, at, reading.text) else { continue };
        let place = reading.terms.iter().position(|term| term.span == value.span);
        let Some(place) = place else { continue };
        let Some(term) = reading.terms.get(place) else { continue };
        if is_label(term, entry) && !found.iter().any(|slot| slot.place == place) {
            let bits = reading.bits(|term| term.span == word.span);
            found.push(Slot { entry, place, bits });
        }
    }
    found
}

/// The word that an attribute's noun is followed by: "image nginx", "namespace is shop", "placed on the node wk-2".
fn value_after<'c>(claim: &[Word<'c>], at: usize, text: &str) -> Option<Word<'c>> {
    const LINKING: [&str; 7] = ["called", "named", "tag", "number", "node", "version", "image"];
    let noun = claim.get(at)?;
    let next =
        claim.iter().skip(at + 1).take(4).find(|word| {
            !is_stop_word(word.text) && !LINKING.iter().any(|linking| word.is(linking))
        })?;
    let gap = text.get(noun.span.end..next.span.start)?;
    (!gap.contains([',', ';', '(', ':'])).then(|| next.clone())
}

fn is_label(term: &Term<'_>, entry: &Entry) -> bool {
    match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => entry.said.contains(&"image"),
        Role::Kind | Role::Common | Role::Demand(_) => false,
    }
}

/// What the evidence says to a label.
pub(crate) fn weigh(case: &Case<'_, '_, '_>, slot: &Slot, naming: u64) -> Found {
    const MOST: usize = 3_000;
    let Some(term) = case.reading.terms.get(slot.place) else { return Found::Open };
    if term.negated {
        return Found::Open;
    }
    let needed = needed(case, naming | slot.bits | 1 << slot.place);
    if needed == 0 && case.reading.bits(|term| term.role == Role::Kind) == 0 {
        return Found::Open;
    }
    let mut differing: Option<u32> = None;
    let mut agreeing: Option<u32> = None;
    for name in slot.entry.keys {
        let wanted: Vec<Key> = name.split(' ').map(key).collect();
        let Some(first) = wanted.first() else { continue };
        for field in case.corpus.by_word.of(*first).take(MOST) {
            if !is_stated(case, field, name, &wanted) {
                continue;
            }
            let Some(tie) = tie(case, field) else { continue };
            if needed & !tie.all != 0 || !is_about_kind(case, &tie) {
                continue;
            }
            let side = if holds_word(case.corpus.value(field), term.text) {
                &mut agreeing
            } else {
                &mut differing
            };
            if side.is_none_or(|before| field < before) {
                *side = Some(field);
            }
        }
    }
    match (agreeing, differing) {
        (Some(field), None) => Found::Agrees(field),
        // Ports and versions are names that tools write in many ways: they never refute.
        (None, Some(field))
            if !matches!(term.role, Role::Code(_)) && !is_elsewhere(case, slot, field, needed) =>
        {
            Found::Differs(field, note::says(case, field))
        }
        _ => Found::Open,
    }
}

/// Whether the item has the claimed label too, and no name tells of which thing: it may have several.
fn is_elsewhere(case: &Case<'_, '_, '_>, slot: &Slot, field: u32, needed: u64) -> bool {
    let named = case.reading.bits(Term::is_strict) & needed != 0;
    let item = case.corpus.item_of(field);
    !named
        && case.marks.marked_fields().iter().any(|other| {
            case.marks.field(*other) >> slot.place & 1 == 1 && case.corpus.item_of(*other) == item
        })
}

/// Whether a field's key is that of the attribute, and its value a label.
fn is_stated(case: &Case<'_, '_, '_>, field: u32, name: &str, wanted: &[Key]) -> bool {
    let corpus = case.corpus;
    let Some(found) = corpus.field(field) else { return false };
    let written = corpus.name(field);
    let is_key = written.eq_ignore_ascii_case(name)
        || wanted.len() > 1
            && wanted.iter().all(|word| keys_of(written).contains(word))
            && words(written).count() == wanted.len();
    let value = corpus.value(field);
    let distinguished = headings(corpus, found).contains(&key("selector"));
    is_key && !distinguished && !value.is_empty() && !value.contains(' ') && !value.starts_with('<')
}

/// Whether a text has a name as a whole: not as a part of a longer one.
fn holds_word(text: &str, wanted: &str) -> bool {
    let joins = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let mut from = 0;
    let lower = text.to_ascii_lowercase();
    let wanted = wanted.to_ascii_lowercase();
    let bare =
        wanted.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let wanted = bare.unwrap_or(&wanted);
    while let Some(at) = lower.get(from..).and_then(|rest| rest.find(wanted)).map(|at| from + at) {
        let before = lower.get(..at).and_then(|before| before.chars().next_back());
        let after = lower.get(at + wanted.len()..).and_then(|after| after.chars().next());
        let begins = before.is_none_or(|c| !joins(c) || c == 'v' && bare.is_some());
        if begins && after.is_none_or(|c| !joins(c)) {
            return true;
        }
        from = at + 1;
    }
    false
}
