//! `gsar check`: runs declared checks and records the results as evidence.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use gsar_client::CheckRunner;
use gsar_client::input::{InputError, read_text};
use gsar_core::check::{CheckDeclaration, CheckRun, checks_from_toml};
use gsar_core::evidence::{EvidenceKind, Lane, VerificationResult};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::{render, v1};
use v1::evidence_item::Content;
use v1::put_evidence_request::Part;

use super::{instant, is_json, print, print_answer, require_records};
use crate::arguments::Check;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{check_run, stored};
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Check, terminal: &Terminal) -> Result<Status, Failure> {
    if arguments.corpus.is_some() {
        require_records(&arguments.connection, "place to store a corpus")?;
    }
    let declarations = read_declarations(&arguments.file)?;
    let selected = select_checks(declarations, &arguments.names)?;
    let runner =
        CheckRunner { directory: arguments.directory.clone(), sandbox: arguments.sandbox.clone() };
    let (mut items, mut status) = (Vec::new(), Status::Proceed);
    for declaration in &selected {
        let started_at = Instant::now();
        let run = runner.run(declaration).await.map_err(|error| {
            let words = runner.sandbox.iter().chain(declaration.command());
            let program = words.into_iter().next().map(String::as_str).unwrap_or_default();
            let name = declaration.name();
            Failure::Usage(format!("check {name}: `{program}` failed to start: {error}"))
        })?;
        if run.result() == VerificationResult::Failed {
            status = Status::Error;
        }
        let item = evidence_item(&run);
        let text = || check_run(&run, started_at.elapsed(), terminal.columns);
        print_answer(arguments.output, &item, text)?;
        if let Some(folder) = &arguments.save {
            save(folder, &item.id, &run)?;
        }
        items.push(item);
    }
    if let Some(corpus) = &arguments.corpus {
        store(arguments, corpus, items, terminal).await?;
    }
    Ok(status)
}

pub(super) fn read_declarations(path: &Path) -> Result<Vec<CheckDeclaration>, Failure> {
    checks_from_toml(&read_text(path)?).map_err(|error| {
        InputError::Unusable { path: path.to_owned(), message: error.to_string() }.into()
    })
}

fn select_checks(
    declarations: Vec<CheckDeclaration>,
    names: &[String],
) -> Result<Vec<CheckDeclaration>, Failure> {
    let is_declared =
        |name: &&String| declarations.iter().any(|check| check.name() == name.as_str());
    if let Some(unknown) = names.iter().find(|name| !is_declared(name)) {
        let names: Vec<&str> = declarations.iter().map(CheckDeclaration::name).collect();
        let names = names.join(", ");
        return Err(Failure::Usage(format!(
            "check `{unknown}` is not declared; expected one of {names}"
        )));
    }
    let is_selected = |check: &CheckDeclaration| {
        names.is_empty() || names.iter().any(|name| name == check.name())
    };
    Ok(declarations.into_iter().filter(is_selected).collect())
}

fn evidence_item(run: &CheckRun) -> v1::EvidenceItem {
    let now = jiff::Timestamp::now();
    let id = format!("check-{}-{}", run.declaration.name(), now.strftime("%Y%m%dT%H%M%S%.3fZ"));
    v1::EvidenceItem {
        id,
        kind: EvidenceKind::Verification.number(),
        lane: Lane::Verification.number(),
        content: Some(Content::CheckRun(Box::new(render::check_run(run)))),
        collected_at: Some(instant(now)),
        ..v1::EvidenceItem::default()
    }
}

fn save(folder: &Path, id: &str, run: &CheckRun) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let mut file = std::fs::File::create_new(folder.join(format!("{id}.json")))?;
    file.write_all(run.to_json().as_bytes())?;
    Ok(file.write_all(b"\n")?)
}

async fn store(
    arguments: &Check,
    corpus: &str,
    items: Vec<v1::EvidenceItem>,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let head = v1::CorpusHead { corpus_id: corpus.to_owned(), time_to_live: None };
    let parts = std::iter::once(Part::Corpus(head)).chain(items.into_iter().map(Part::Item));
    let messages: Vec<v1::PutEvidenceRequest> =
        parts.map(|part| v1::PutEvidenceRequest { part: Some(part) }).collect();
    with_client(&arguments.connection, async |client, _| {
        let answer = client.put_evidence(messages.into_iter()).await?;
        if !is_json(arguments.output) {
            print(&stored(&answer, terminal.columns))?;
        }
        Ok(Status::Proceed)
    })
    .await
    .map(drop)
}
