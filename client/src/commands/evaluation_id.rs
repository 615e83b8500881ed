//! This module finds the id that the beginning of one stands for. It prints nothing.

use gsar_client::Client;
use gsar_proto::v1;

use crate::failure::Failure;

/// The bytes of a whole id, which is a UUID.
const WHOLE: usize = 36;
/// The most evaluations among which the beginning of an id is looked for: the latest.
const MAX_SEEN: u32 = 10_000;
/// As many are asked for at once.
const PAGE: u32 = 1_000;

/// The id of a recorded evaluation, whole or as far as it begins no other one. What begins none is given back, for the
/// server to refuse.
///
/// # Errors
/// [`Failure::Usage`] where several begin so, and what listing them comes to.
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
                "`{given}` begins the ids of several evaluations, {one} and {other} among them; give more of it"
            );
            Err(Failure::Usage(message))
        }
    }
}
