//! `gsar search`: searches a corpus for relevant passages.

use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

use super::{is_json, note, print_answer, require_records};
use crate::arguments::{Call, Method, Search};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::hits;
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Search, terminal: &Terminal) -> Result<Status, Failure> {
    let Call { output, connection } = &arguments.call;
    let output = *output;
    require_records(connection, "corpus to search")?;
    let request = v1::SearchRequest {
        corpus_id: arguments.corpus.clone(),
        query: arguments.query.clone(),
        most: arguments.most,
        filter: Some(v1::SearchFilter {
            kinds: arguments.kind.iter().map(|kind| kind.number()).collect(),
            lanes: arguments.lane.iter().map(|lane| lane.number()).collect(),
            entities: arguments.entity.clone(),
            window: None,
        }),
        method: match arguments.method {
            None => v1::SearchMethod::Unspecified,
            Some(Method::Lexical) => v1::SearchMethod::Lexical,
            Some(Method::Vector) => v1::SearchMethod::Vector,
            Some(Method::Hybrid) => v1::SearchMethod::Hybrid,
        }
        .into(),
    };
    with_client(connection, async |client, _| {
        let answer = client.search(request).await?;
        if answer.hits.is_empty() && !is_json(output) {
            note("no passage matches the query");
        }
        let text = || hits(&answer, &arguments.query, terminal.columns);
        print_answer(output, &answer, text)?;
        Ok(Status::Proceed)
    })
    .await
}
