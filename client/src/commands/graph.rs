//! `gsar graph`: the graph of an investigation as it was explored.

use gsar_client::v1;

use super::{check_kept, print, print_as_it_is, print_json};
use crate::arguments::{Graph, GraphFormat};
use crate::failure::Failure;
use crate::human::graph;
use crate::session::with_client;
use crate::status::Status;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Graph, terminal: &Terminal) -> Result<Status, Failure> {
    check_kept(&arguments.connection, "investigation to show")?;
    with_client(&arguments.connection, async |client, _| {
        let request = v1::GetInvestigationRequest {
            investigation_id: arguments.id.clone(),
            ..Default::default()
        };
        let found = client.get_investigation(request).await?.investigation;
        let Some(state) = found.and_then(|investigation| investigation.graph) else {
            return Err(Failure::Usage(format!(
                "investigation `{}` has no graph\n  begin one with gsar drive --graph FILE",
                arguments.id
            )));
        };
        match arguments.format {
            GraphFormat::Human => print(&graph::lines(&state, terminal.columns))?,
            GraphFormat::Json => print_json(&state)?,
            GraphFormat::Dot => print_as_it_is(&graph::dot(&state))?,
            GraphFormat::Mermaid => print_as_it_is(&graph::mermaid(&state))?,
        }
        Ok(Status::Proceed)
    })
    .await
}
