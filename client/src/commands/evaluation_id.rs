//! Resolves prefixes of evaluation ids.

use gsar_client::Client;
use gsar_proto::v1;

use crate::failure::Failure;

/// The length of a full id, a UUID.
const WHOLE: usize = 36;
/// Maximum number of recent evaluations to search.
const MAX_SEEN: u32 = 10_000;
/// The page size of the search.
const PAGE: u32 = 1_000;

/// Resolves a full id or an unambiguous prefix of one. A prefix that matches nothing is returned as it is, and the server
/// reports it as not found.
///
/// # Errors
/// [`Failure::Usage`] if several ids match; otherwise, errors of listing evaluations.
pub(super) async fn whole(client: &Client, given: &str) -> Result<String, Failure> {
    if given.len() >= WHOLE || given.is_empty() {
        return Ok(given.to_owned());
    }
    let mut found: Vec<String> = Vec::new();
    let mut request = v1::ListEvaluationsRequest { page_size: PAGE, ..Default::default() };
    for _ in 0..MAX_SEEN / PAGE {
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
