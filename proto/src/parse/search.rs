//! Parses search requests.

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;

use super::field::{enumeration, statement, text};
use super::limits::Limits;
use super::list::{limit_length, parse_each};
use super::path::Path;
use super::time::window;
use crate::v1;
use crate::violations::Violations;

/// The maximum number of passages in a response.
const MAX_PASSAGES: u32 = 200;
/// The default number of passages in a response.
const DEFAULT: usize = 10;
/// The maximum number of values in each field of a filter.
const MAX_VALUES: usize = 64;

/// A parsed search request. The caller must check the name of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedSearch {
    /// The name of the corpus.
    pub corpus_id: String,
    /// The query.
    pub query: String,
    /// The maximum number of passages.
    pub most: usize,
    /// The kinds of items; empty means all.
    pub kinds: Vec<EvidenceKind>,
    /// The lanes of items; empty means all.
    pub lanes: Vec<Lane>,
    /// Names that must all occur in the passage or in its item's tool.
    pub entities: Vec<String>,
    /// The search method; unspecified means the best available one.
    pub method: v1::SearchMethod,
    /// The window of collection times.
    pub window: Option<Window>,
}

/// Parses a search request.
pub fn search(
    request: v1::SearchRequest,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedSearch> {
    let max_bytes = limits.max_claim_bytes;
    let query = statement(Path::root("query"), request.query, max_bytes, violations);
    if request.most > MAX_PASSAGES {
        violations
            .add("most", format_args!("{} is above the maximum of {MAX_PASSAGES}", request.most));
    }
    let method = v1::SearchMethod::try_from(request.method);
    if method.is_err() {
        violations.add("method", format_args!("{} is unknown; give 0 to 3", request.method));
    }
    let filter = request.filter.unwrap_or_default();
    let path = Path::root("filter");
    let kinds =
        limit_length(path.field("kinds"), filter.kinds, MAX_VALUES, violations).and_then(|kinds| {
            parse_each(path.field("kinds"), kinds, violations, |path, kind, violations| {
                enumeration(path, kind, violations)
            })
        });
    let lanes =
        limit_length(path.field("lanes"), filter.lanes, MAX_VALUES, violations).and_then(|lanes| {
            parse_each(path.field("lanes"), lanes, violations, |path, lane, violations| {
                enumeration(path, lane, violations)
            })
        });
    let entities = limit_length(path.field("entities"), filter.entities, MAX_VALUES, violations)
        .and_then(|names| {
            parse_each(path.field("entities"), names, violations, |path, name, violations| {
                text(path, name, max_bytes, violations)
            })
        });
    let window = match filter.window {
        None => Some(None),
        Some(message) => window(path.field("window"), message, violations).map(Some),
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
