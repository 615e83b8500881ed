//! Parses search requests.

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;

use super::field::{enumeration, optional, statement, text};
use super::limits::Limits;
use super::list::parse_list;
use super::path::Path;
use super::time::window;
use crate::v1;
use crate::violations::Violations;

/// The maximum number of passages in a response.
const MAX_PASSAGES: u32 = 200;
/// The default number of passages in a response.
const DEFAULT_PASSAGES: usize = 10;
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
    /// The kinds of items. An empty list means all kinds.
    pub kinds: Vec<EvidenceKind>,
    /// The lanes of items. An empty list means all lanes.
    pub lanes: Vec<Lane>,
    /// Names that must all occur in the passage or in its item's tool.
    pub entities: Vec<String>,
    /// The search method. If it is unspecified, the best available method is used.
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
    let (list, kinds) = (path.field("kinds"), filter.kinds);
    let kinds = parse_list(list, kinds, MAX_VALUES, violations, enumeration);
    let (list, lanes) = (path.field("lanes"), filter.lanes);
    let lanes = parse_list(list, lanes, MAX_VALUES, violations, enumeration);
    let (list, names) = (path.field("entities"), filter.entities);
    let entities = parse_list(list, names, MAX_VALUES, violations, |path, name, violations| {
        text(path, name, max_bytes, violations)
    });
    let window =
        optional(filter.window, |message| window(path.field("window"), message, violations));
    Some(ParsedSearch {
        corpus_id: request.corpus_id,
        query: query?,
        most: usize::try_from(request.most)
            .ok()
            .filter(|most| *most > 0)
            .unwrap_or(DEFAULT_PASSAGES),
        kinds: kinds?,
        lanes: lanes?,
        entities: entities?,
        window: window?,
        method: method.ok()?,
    })
}
