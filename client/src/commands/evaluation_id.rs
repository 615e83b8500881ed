//! Expands prefixes of evaluation ids.

use gsar_client::Client;
use gsar_proto::v1;

use crate::failure::Failure;

/// The length of a UUID.
const FULL_LENGTH: usize = 36;
/// The number of recent evaluations to search.
const MAX_SEARCHED: u32 = 10_000;
const PAGE_SIZE: u32 = 1_000;

/// Expands an unambiguous prefix to a full id. Returns a prefix without a match unchanged, so that the server reports it
/// as not found.
pub(super) async fn expand(client: &Client, given: &str) -> Result<String, Failure> {
    if given.len() >= FULL_LENGTH || given.is_empty() {
        return Ok(given.to_owned());
    }
    let mut found: Vec<String> = Vec::new();
    let mut request = v1::ListEvaluationsRequest { page_size: PAGE_SIZE, ..Default::default() };
    for _ in 0..MAX_SEARCHED / PAGE_SIZE {
        let page = client.list_evaluations(request.clone()).await?;
        let ids = page.evaluations.into_iter().map(|summary| summary.evaluation_id);
        found.extend(ids.filter(|id| id.starts_with(given)));
        if page.next_page_token.is_empty() || found.len() > 1 {
            break;
        }
        request.page_token = page.next_page_token;
    }
    match found.as_slice() {
        [] => Ok(given.to_owned()),
        [id] => Ok(id.clone()),
        [one, other, ..] => {
            let message = format!(
                "`{given}` is ambiguous: it matches {one} and {other}; give a longer prefix"
            );
            Err(Failure::Usage(message))
        }
    }
}
