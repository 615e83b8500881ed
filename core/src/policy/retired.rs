//! Keys of policy files that earlier versions used and that no longer have an effect. They are ignored with a warning.

/// The warning for a retired key.
const WARNING: &str =
    "has no effect any more: a second look (second_look) checks what a claim means; remove it";

/// The retired keys.
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

/// Returns the warning for a retired key; `None` for any other key.
pub(super) fn retired(field: &str) -> Option<&'static str> {
    KEYS.contains(&field).then_some(WARNING)
}
