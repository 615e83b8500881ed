//! This module knows the keys of policy files that earlier versions read and that do nothing any more. A file that has
//! them is read, with a warning for each.

/// Why a key does nothing.
const READ_INSTEAD: &str =
    "does nothing any more: what a claim means is read in a second look (second_look); remove it";

/// The keys of the table `findings`, and of others.
const KEYS: [&str; 10] = [
    "findings.absence",
    "findings.bearing",
    "findings.citations",
    "findings.figures",
    "findings.names",
    "findings.negation",
    "findings.rules",
    "findings.second_opinion",
    "findings.times",
    "guards.absence_needs_search",
];

/// What to say of a key that did something in an earlier version; `None` for any other.
pub(super) fn retired(field: &str) -> Option<&'static str> {
    KEYS.contains(&field).then_some(READ_INSTEAD)
}
