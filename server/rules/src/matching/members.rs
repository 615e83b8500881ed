//! The members of lists that have words of a claim.
//!
//! A word counts as shown by a member when a value of it has the word, or when its key has it and the value says
//! yes: `ready: true`, `READY 1/1`. A key alone only names what the member could show.

use gsar_core::text::tokens::words;

use crate::claim::reading::{Role, Term};
use crate::evidence::lists::{List, Lists};
use crate::evidence::observations::{Corpus, Field, NONE, ValueKind, is_naming};
use crate::matching::candidates::{Target, is_line};
use crate::matching::fit;
use crate::matching::magnitudes::bits_in;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::{Key, exact, key, parts};

/// The most places of one word; a commoner word is not counted.
const MOST_PLACES: u32 = 4_000;

/// One thing of a list with the terms of the claim that it has.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) target: Target,
    /// Terms that its values show.
    pub(crate) shown: u64,
    /// Those of them that a short value shows, or a name.
    pub(crate) short: u64,
    /// Those of them that are all of a value.
    pub(crate) exact: u64,
    /// Names among them that stand where the member is named: `service: checkout`.
    pub(crate) borne: u64,
    /// Terms that it says are not so: `ready: false`, `RESTARTS 0`, `DiskPressure False`.
    pub(crate) denied: u64,
    /// Terms that name what it has in words: `statement: SELECT 1`.
    pub(crate) titled: u64,
    /// Names that are all of a value, each with the key under which they stand.
    pub(crate) keyed: Vec<(u64, Key)>,
    /// Terms that its keys name.
    pub(crate) named: u64,
    /// The field with most of them.
    pub(crate) field: Option<u32>,
}

impl Member {
    /// A member without any word of the claim.
    pub(crate) fn without_words(target: Target) -> Self {
        Self {
            target,
            shown: 0,
            short: 0,
            exact: 0,
            borne: 0,
            denied: 0,
            titled: 0,
            keyed: Vec::new(),
            named: 0,
            field: None,
        }
    }

    /// Its fields.
    pub(crate) fn fields<'c>(&self, corpus: &'c Corpus<'_>) -> impl Iterator<Item = u32> + use<'c> {
        fit::fields(corpus, self.target)
    }
}

/// What is found in each list that has words of the claim, in the order of the items' ids; `None` when a word is too
/// common to be counted.
pub(crate) fn of_each_list<T>(
    case: &Case<'_, '_, '_>,
    mut weigh: impl FnMut(&List, &[Member]) -> Option<T>,
) -> Option<Vec<T>> {
    let lists = case.cache.lists(case.corpus);
    let mut found: Vec<(u32, T)> = Vec::new();
    for (number, members) in members(case, lists)? {
        let Some(list) = lists.list(number) else { continue };
        found.extend(weigh(list, &members).map(|finding| (list.item, finding)));
    }
    found.sort_by_key(|(item, _)| case.corpus.item(*item).map(|item| &item.id));
    Some(found.into_iter().map(|(_, finding)| finding).collect())
}

/// The lists that have words of the claim, each with the members that have them; `None` when a word is too common
/// to be counted.
pub(crate) fn members(case: &Case<'_, '_, '_>, lists: &Lists) -> Option<Vec<(u32, Vec<Member>)>> {
    let counts = |role: Role| !matches!(role, Role::Kind | Role::Demand(_));
    let too_common = case.reading.terms.iter().any(|term| {
        counts(term.role)
            && term.keys.iter().any(|key| case.corpus.by_word.count(*key) >= MOST_PLACES)
    });
    if too_common {
        return None;
    }
    let mut found: Vec<(u32, u32, Member)> = Vec::new();
    let described = places_of_compounds(case);
    for field in case.marks.marked_fields().iter().chain(&described) {
        let bits = bits_of(case, *field);
        let member = |target| Member { target, field: Some(*field), ..bits.clone() };
        let as_line = lists.of_field(*field);
        if as_line != NONE {
            found.push((as_line, *field, member(Target::Line(*field))));
        }
        let Some(object) = case.corpus.field(*field).map(|field| field.object) else { continue };
        for (number, _) in case.corpus.around(object) {
            let list = lists.of_object(number);
            if list != NONE {
                found.push((list, number, member(Target::Object(number))));
            }
        }
    }
    // A field may be reached by its words and by a compound.
    found.sort_by_key(|(list, place, member)| (*list, *place, member.field));
    let mut grouped: Vec<(u32, Vec<Member>)> = Vec::new();
    for (list, _, member) in found {
        match grouped.last_mut() {
            Some((last, members)) if *last == list => match members.last_mut() {
                Some(before) if before.target == member.target => before.add(&member),
                _ => members.push(member),
            },
            _ => grouped.push((list, vec![member])),
        }
    }
    Some(grouped)
}

impl Member {
    fn add(&mut self, other: &Self) {
        if other.shown.count_ones() > (other.shown & self.shown).count_ones() {
            self.field = if self.shown.count_ones() >= other.shown.count_ones() {
                self.field
            } else {
                other.field
            };
        }
        self.shown |= other.shown;
        self.short |= other.short;
        self.exact |= other.exact;
        self.borne |= other.borne;
        self.denied |= other.denied;
        self.titled |= other.titled;
        self.keyed.extend(&other.keyed);
        self.named |= other.named;
    }
}

/// The terms that a field shows, and those that its key names.
fn bits_of(case: &Case<'_, '_, '_>, field: u32) -> Member {
    const SHORT: usize = 3;
    let bits = case.marks.field(field);
    let nothing = Member::without_words(Target::Line(field));
    let Some(found) = case.corpus.field(field) else { return nothing };
    let value = bits_in(case.reading, case.corpus.value_words(found), bits);
    let named = bits_in(case.reading, case.corpus.key_words(found), bits);
    let written = case.corpus.value(field);
    let affirms = match found.kind {
        ValueKind::True => true,
        ValueKind::Text => is_complete_share(written),
        ValueKind::False | ValueKind::Nothing | ValueKind::Number => false,
    };
    let is_line = is_line(case.corpus, field);
    let mishaps = case.reading.bits(|term| term.is_mishap);
    let happened = written
        .split(' ')
        .next()
        .and_then(|first| first.parse::<u64>().ok())
        .is_some_and(|times| times > 0);
    let affirmed = match (is_line, affirms, happened) {
        (true, ..) => 0,
        (_, true, _) => named,
        // `RESTARTS 3`: it has restarted.
        (.., true) => named & mishaps,
        _ => 0,
    };
    let length = words(written).take(SHORT + 1).count();
    // `ContainersNotReady` denies what its last part names, and is what it is as a whole.
    let is_compound_denial = length <= 1
        && parts(written)
            .any(|part| ["not", "non", "no"].iter().any(|not| part.eq_ignore_ascii_case(not)));
    let whole = if is_compound_denial {
        bits_in(case.reading, &[key(written), exact(written)], value)
    } else {
        value
    };
    let is_denied = is_denied_beside(case, field);
    let contrary = value & !whole;
    let value = whole;
    // `exitCode: 137` shows "exit code 137".
    let keyed = if value != 0 && !is_line { named } else { 0 };
    let shown = if is_denied { 0 } else { value | affirmed | keyed };
    let denied = match found.kind {
        _ if is_denied => value | contrary,
        ValueKind::False => named,
        ValueKind::Text if is_share(written) && !is_complete_share(written) => named,
        _ if written == "0" || found.kind == ValueKind::Nothing => named & mishaps,
        _ => 0,
    };
    let denied = if is_line { 0 } else { denied | contrary };
    let shown = shown | described(case, found);
    let names = case.reading.bits(|term| term.role == Role::Entity);
    let starts_with_digit = written.starts_with(|first: char| first.is_ascii_digit());
    let borne = if is_naming(case.corpus.name(field)) { shown & names } else { 0 };
    Member {
        borne,
        denied,
        titled: if found.kind == ValueKind::Text && !starts_with_digit { named } else { 0 },
        keyed: if !is_line && length <= 1 && shown & names != 0 {
            vec![(shown & names, exact(case.corpus.name(field)))]
        } else {
            Vec::new()
        },
        shown,
        short: if length <= SHORT && !is_line { shown } else { 0 },
        exact: if length <= 1 && !is_line { shown } else { 0 },
        named,
        ..nothing
    }
}

/// Compound words before a noun that a field has in its parts: "low-storage events" of "low storage space".
fn described(case: &Case<'_, '_, '_>, field: &Field) -> u64 {
    let value = case.corpus.value_words(field);
    case.reading.bits(|term| {
        is_compound(case, term) && term.text.split('-').all(|part| value.contains(&key(part)))
    })
}

/// Whether a term is a compound word before a noun, which the evidence does not know as a name.
fn is_compound(case: &Case<'_, '_, '_>, term: &Term<'_>) -> bool {
    let plain = |part: &str| part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_lowercase());
    term.role == Role::Name
        && term.text.contains('-')
        && term.text.split('-').all(plain)
        && term.keys.iter().all(|key| case.corpus.by_word.count(*key) == 0)
        && case.reading.text.get(term.span.end..).is_some_and(|rest| rest.starts_with(' '))
}

/// Fields that have the first part of a compound and no other word of the claim.
fn places_of_compounds(case: &Case<'_, '_, '_>) -> Vec<u32> {
    let compounds = case.reading.terms.iter().filter(|term| is_compound(case, term));
    let mut places: Vec<u32> = compounds
        .filter_map(|term| term.text.split('-').next())
        .flat_map(|part| case.corpus.by_word.of(key(part)).take(MOST_PLACES as usize))
        .filter(|field| case.marks.field(*field) == 0)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Whether a field only names what the field beside it denies: `type: DiskPressure, status: False`.
fn is_denied_beside(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let corpus = case.corpus;
    if !["type", "condition", "check", "name"]
        .iter()
        .any(|key| corpus.name(field).eq_ignore_ascii_case(key))
    {
        return false;
    }
    let Some(object) = corpus.field(field).and_then(|found| corpus.object(found.object)) else {
        return false;
    };
    let own = corpus.field(field).map(|found| found.object);
    (object.fields.0..object.fields.1).take(40).any(|other| {
        if corpus.field(other).map(|found| found.object) != own {
            return false;
        }
        let is_status = ["status", "result", "value", "state"]
            .iter()
            .any(|key| corpus.name(other).eq_ignore_ascii_case(key));
        let is_false = corpus.field(other).is_some_and(|found| found.kind == ValueKind::False);
        is_status && is_false
    })
}

/// `1/2`: so many of so many.
fn is_share(value: &str) -> bool {
    value.split_once('/').is_some_and(|(part, whole)| {
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(part) && digits(whole)
    })
}

/// `2/2`: all of them.
fn is_complete_share(value: &str) -> bool {
    value.split_once('/').is_some_and(|(part, whole)| {
        part == whole
            && !part.is_empty()
            && part != "0"
            && part.bytes().all(|byte| byte.is_ascii_digit())
    })
}
