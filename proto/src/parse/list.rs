//! Parses lists: their length, their elements, and unique ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gsar_core::ClaimId;

use super::field::Shown;
use super::path::Path;
use crate::violations::Violations;

/// The maximum number of invalid elements to parse, since a response cannot contain more violations.
const MAX_WRONG: usize = 100;

/// Returns the list, or adds a violation if it is too long.
pub(super) fn at_most<T>(
    path: Path<'_>,
    items: Vec<T>,
    max: usize,
    violations: &mut Violations,
) -> Option<Vec<T>> {
    if items.len() > max {
        let given = items.len();
        violations.add(path, format_args!("has {given} elements; at most {max} are allowed"));
        return None;
    }
    Some(items)
}

/// Parses every element. Returns `None` if one is invalid, for which `read` must have added a violation.
pub(super) fn each<'a, T, U>(
    path: Path<'a>,
    items: Vec<T>,
    violations: &mut Violations,
    mut read: impl FnMut(Path<'a>, T, &mut Violations) -> Option<U>,
) -> Option<Vec<U>> {
    let mut read_items = Vec::with_capacity(items.len());
    let mut wrong = 0;
    for (index, item) in items.into_iter().enumerate() {
        match read(path.element(index), item, violations) {
            Some(item) => read_items.push(item),
            None => wrong += 1,
        }
        if wrong == MAX_WRONG {
            break;
        }
    }
    (wrong == 0).then_some(read_items)
}

/// Adds a violation for every duplicate id, and returns `Some` if there is none. Empty and over-long ids are reported by
/// [`super::field::id`].
pub(super) fn unique_ids<'a>(
    path: Path<'_>,
    ids: impl ExactSizeIterator<Item = &'a str>,
    violations: &mut Violations,
) -> Option<()> {
    let mut first_uses = HashMap::with_capacity(ids.len());
    let mut repeated = 0;
    for (index, id) in ids.enumerate() {
        if id.is_empty() || id.len() > ClaimId::MAX_BYTES {
            continue;
        }
        match first_uses.entry(id) {
            Entry::Vacant(free) => {
                free.insert(index);
            }
            Entry::Occupied(first) => {
                let shown = Shown(id);
                let first = path.element(*first.get()).last();
                violations.add(
                    path.element(index).field("id"),
                    format_args!("`{shown}` is already the id of {first}; give each its own id"),
                );
                repeated += 1;
            }
        }
        if repeated == MAX_WRONG {
            break;
        }
    }
    (repeated == 0).then_some(())
}
