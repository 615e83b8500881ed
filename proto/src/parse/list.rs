//! Parses lists: their length, their elements, and unique ids.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gsar_core::ClaimId;

use super::field::Excerpt;
use super::path::Path;
use crate::violations::Violations;

/// The maximum number of invalid elements to parse, since a response cannot contain more violations.
const MAX_INVALID: usize = 100;

/// Returns the list, or adds a violation if it is too long.
pub(super) fn limit_length<T>(
    path: Path<'_>,
    items: Vec<T>,
    max: usize,
    violations: &mut Violations,
) -> Option<Vec<T>> {
    if items.len() > max {
        let length = items.len();
        violations.add(path, format_args!("has {length} elements; at most {max} are allowed"));
        return None;
    }
    Some(items)
}

/// Parses every element of a list of at most `max` elements.
pub(super) fn parse_list<'a, T, U>(
    path: Path<'a>,
    items: Vec<T>,
    max: usize,
    violations: &mut Violations,
    read: impl FnMut(Path<'a>, T, &mut Violations) -> Option<U>,
) -> Option<Vec<U>> {
    let items = limit_length(path, items, max, violations)?;
    parse_each(path, items, violations, read)
}

/// Parses every element. Returns `None` if an element is invalid, for which `read` must have added a violation.
pub(super) fn parse_each<'a, T, U>(
    path: Path<'a>,
    items: Vec<T>,
    violations: &mut Violations,
    mut read: impl FnMut(Path<'a>, T, &mut Violations) -> Option<U>,
) -> Option<Vec<U>> {
    let mut parsed = Vec::with_capacity(items.len());
    let mut invalid_count = 0;
    for (index, item) in items.into_iter().enumerate() {
        match read(path.element(index), item, violations) {
            Some(item) => parsed.push(item),
            None => invalid_count += 1,
        }
        if invalid_count == MAX_INVALID {
            break;
        }
    }
    (invalid_count == 0).then_some(parsed)
}

/// Adds a violation for every duplicate id, and returns `Some` if there are no duplicates. Empty ids and ids that are
/// too long are reported by [`super::field::id`].
pub(super) fn unique_ids<'a>(
    path: Path<'_>,
    ids: impl ExactSizeIterator<Item = &'a str>,
    violations: &mut Violations,
) -> Option<()> {
    let mut first_uses = HashMap::with_capacity(ids.len());
    let mut duplicate_count = 0;
    for (index, id) in ids.enumerate() {
        if id.is_empty() || id.len() > ClaimId::MAX_BYTES {
            continue;
        }
        match first_uses.entry(id) {
            Entry::Vacant(vacant) => {
                vacant.insert(index);
            }
            Entry::Occupied(occupied) => {
                let quoted_id = Excerpt(id);
                let first_use = path.element(*occupied.get()).last();
                violations.add(
                    path.element(index).field("id"),
                    format_args!(
                        "`{quoted_id}` is already the id of {first_use}; give each element its own id"
                    ),
                );
                duplicate_count += 1;
            }
        }
        if duplicate_count == MAX_INVALID {
            break;
        }
    }
    (duplicate_count == 0).then_some(())
}
