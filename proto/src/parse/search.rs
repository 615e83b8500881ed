//! This module parses searches in a corpus.

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;

use super::field::{enumeration, statement, text};
use super::limits::Limits;
use super::list::{at_most, each};
use super::path::Path;
use super::time::window;
use crate::v1;
use crate::violations::Violations;

/// The most passages of an answer.
const MAX_PASSAGES: u32 = 200;
/// The passages of an answer where the request does not say how many.
const DEFAULT: usize = 10;
/// The most values of one part of a filter.
const MAX_VALUES: usize = 64;

/// A search whose every field was checked; the name of the corpus is checked by who knows corpora.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedSearch {
    /// The corpus as it was named.
    pub corpus_id: String,
    /// What to look for.
    pub query: String,
    /// How many passages at most.
    pub most: usize,
    /// Kinds of items; empty for all.
    pub kinds: Vec<EvidenceKind>,
    /// Lanes of items; empty for all.
    pub lanes: Vec<Lane>,
    /// What a passage or the tool of its item must name.
    pub entities: Vec<String>,
    /// How to find passages; unspecified for the best that serves.
    pub method: v1::SearchMethod,
    /// When the item was collected.
    pub window: Option<Window>,
}

/// Reads a search.
pub fn search(
    request: v1::SearchRequest,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedSearch> {
    let longest = limits.max_claim_bytes;
    let query = statement(Path::root("query"), request.query, longest, violations);
    if request.most > MAX_PASSAGES {
        violations
            .add("most", format_args!("{} is above {MAX_PASSAGES}; ask for less", request.most));
    }
    let method = v1::SearchMethod::try_from(request.method);
    if method.is_err() {
        violations.add("method", format_args!("{} is unknown; give 0 to 3", request.method));
    }
    let filter = request.filter.unwrap_or_default();
    let path = Path::root("filter");
    let kinds =
        at_most(path.field("kinds"), filter.kinds, MAX_VALUES, violations).and_then(|kinds| {
            each(path.field("kinds"), kinds, violations, |path, kind, violations| {
                enumeration(path, kind, violations)
            })
        });
    let lanes =
        at_most(path.field("lanes"), filter.lanes, MAX_VALUES, violations).and_then(|lanes| {
            each(path.field("lanes"), lanes, violations, |path, lane, violations| {
                enumeration(path, lane, violations)
            })
        });
    let entities = at_most(path.field("entities"), filter.entities, MAX_VALUES, violations)
        .and_then(|names| {
            each(path.field("entities"), names, violations, |path, name, violations| {
                text(path, name, longest, violations)
            })
        });
    let window = match filter.window {
        None => Some(None),
        Some(given) => window(path.field("window"), given, violations).map(Some),
    };
    Some(ParsedSearch {
        corpus_id: request.corpus_id,
        query: query?,
        most: usize::try_from(request.most).ok().filter(|most| *most > 0).unwrap_or(DEFAULT),
        kinds: kinds?,
        lanes: lanes?,
        entities: entities?,
        window: window?,
        method: method.ok()?,
    })
}
