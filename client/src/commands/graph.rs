//! `gsar graph`: builds and shows dependency graphs.

use std::path::PathBuf;

use gsar_client::graph::{GraphBuilder, GraphParseError};
use gsar_client::input::{InputError, read_text};
use gsar_client::v1;

use super::{print, print_answer, print_json, print_raw, require_records};
use crate::arguments::{Call, Connection, Graph, GraphFormat};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{entity_look, graph, graph_page};
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Graph, terminal: &Terminal) -> Result<Status, Failure> {
    match arguments {
        Graph::Show { id, format, connection } => show(id, *format, connection, terminal).await,
        Graph::Look { id, entity, ask, bytes, skip, call } => {
            let request = v1::LookAtEntityRequest {
                investigation_id: id.clone(),
                entity: entity.clone(),
                max_bytes: bytes.unwrap_or(0),
                ask_model: *ask,
                skip: *skip,
            };
            look(request, call, terminal).await
        }
        Graph::Read { kubernetes, traces, edges, alerts, changed } => {
            let mut builder = GraphBuilder::default();
            add(kubernetes, |text| builder.add_kubernetes(text))?;
            add(traces, |text| builder.add_traces(text))?;
            add(edges, |text| builder.add_lines(text))?;
            print_json(&builder.into_graph(alerts.clone(), changed.clone()))?;
            Ok(Status::Proceed)
        }
    }
}

fn add(
    paths: &[PathBuf],
    mut parse: impl FnMut(&str) -> Result<(), GraphParseError>,
) -> Result<(), Failure> {
    for path in paths {
        parse(&read_text(path)?).map_err(|GraphParseError { line, message }| {
            InputError::Content { path: path.clone(), line, message }
        })?;
    }
    Ok(())
}

async fn look(
    request: v1::LookAtEntityRequest,
    call: &Call,
    terminal: &Terminal,
) -> Result<Status, Failure> {
    require_records(&call.connection, "investigation to look into")?;
    with_client(&call.connection, async |client, _| {
        let answer = client.look_at_entity(request).await?;
        print_answer(call.output, &answer, || entity_look(&answer, terminal.columns))?;
        Ok(Status::Proceed)
    })
    .await
}

async fn show(
    id: &str,
    format: GraphFormat,
    connection: &Connection,
    terminal: &Terminal,
) -> Result<Status, Failure> {
    require_records(connection, "investigation to show")?;
    with_client(connection, async |client, _| {
        let request =
            v1::GetInvestigationRequest { investigation_id: id.to_owned(), ..Default::default() };
        let investigation = client.get_investigation(request).await?.investigation;
        let Some(state) = investigation.and_then(|investigation| investigation.graph) else {
            return Err(Failure::Usage(format!(
                "investigation `{id}` has no graph\n  start an investigation with gsar drive --graph FILE"
            )));
        };
        match format {
            GraphFormat::Human => print(&graph::lines(&state, terminal.columns))?,
            GraphFormat::Json => print_json(&state)?,
            GraphFormat::Dot => print_raw(&graph::dot(&state))?,
            GraphFormat::Mermaid => print_raw(&graph::mermaid(&state))?,
            GraphFormat::Html => print_raw(&graph_page::page(id, &state))?,
        }
        Ok(Status::Proceed)
    })
    .await
}
