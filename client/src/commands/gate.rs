//! `gsar gate`: decides whether an investigation may end.

use super::{print_answer, requests};
use crate::arguments::Gate;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::gate_answer;
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Gate, terminal: &Terminal) -> Result<Status, Failure> {
    let mut request = requests::gate(&arguments.file)?;
    if let Some(policy) = &arguments.policy {
        request.policy.clone_from(policy);
    }
    with_client(&arguments.call.connection, async |client, _| {
        let answer = client.evaluate_gate(request).await?;
        print_answer(arguments.call.output, &answer, || gate_answer(&answer, terminal.columns))?;
        Ok(Status::Proceed)
    })
    .await
}
