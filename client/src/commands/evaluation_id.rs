//! Expands prefixes of evaluation ids.

use gsar_client::Client;
use gsar_proto::v1;

use crate::failure::Failure;

/// The length of a UUID.
const FULL_LENGTH: usize = 36;
/// The maximum number of recent evaluations to search.
const MAX_SEARCHED: u32 = 10_000;
const PAGE_SIZE: u32 = 1_000;

/// Expands an unambiguous prefix to a full id. If no evaluation matches, returns the prefix unchanged, so that the
/// server reports it as not found.
pub(super) async fn expand(client: &Client, prefix: &str) -> Result<String, Failure> {
    if prefix.len() >= FULL_LENGTH || prefix.is_empty() {
        return Ok(prefix.to_owned());
    }
    let mut matches: Vec<String> = Vec::new();
    let mut request = v1::ListEvaluationsRequest { page_size: PAGE_SIZE, ..Default::default() };
    for _ in 0..MAX_SEARCHED / PAGE_SIZE {
        let page = client.list_evaluations(request.clone()).await?;
        let ids = page.evaluations.into_iter().map(|summary| summary.evaluation_id);
        matches.extend(ids.filter(|id| id.starts_with(prefix)));
        if page.next_page_token.is_empty() || matches.len() > 1 {
            break;
        }
        request.page_token = page.next_page_token;
    }
    match matches.as_slice() {
        [] => Ok(prefix.to_owned()),
        [id] => Ok(id.clone()),
        [first, second, ..] => {
            let message = format!(
                "`{prefix}` is ambiguous: it matches {first} and {second}; use a longer prefix"
            );
            Err(Failure::Usage(message))
        }
    }
}
