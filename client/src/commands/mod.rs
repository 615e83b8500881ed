//! One module per command: sends requests and prints responses.

mod answer_printer;
mod cap;
mod check;
mod doctor;
mod drive;
mod evaluate;
mod evaluation_id;
mod evidence;
mod explain;
mod export;
mod gate;
mod graph;
mod health;
mod judge;
mod ledger;
mod manuals;
mod open;
mod policy;
mod progress;
mod requests;
mod rescore;
mod score;
mod search;
mod watch;

use std::io::Write as _;
use std::time::SystemTime;

use gsar_client::connection::{Environment, Target, select_target};
use gsar_proto::json::{self, Named};
use gsar_proto::v1;

use crate::arguments::{Arguments, Class, Command, Connection, Judge, Only, Output};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::Explain;
use crate::session::connect_options;
use crate::terminal::Terminal;

pub(crate) async fn run(arguments: Arguments, terminal: &Terminal) -> Result<Status, Failure> {
    match arguments.command {
        Command::Evaluate(evaluate) => evaluate::run(&evaluate, terminal).await,
        Command::Check(check) => check::run(&check, terminal).await,
        Command::Drive(drive) => drive::run(&drive, terminal).await,
        Command::Graph(graph) => graph::run(&graph, terminal).await,
        Command::Watch(watch) => watch::run(&watch, terminal).await,
        Command::Explain(explain) => explain::run(&explain, terminal).await,
        Command::Score(score) => score::run(&score, terminal).await,
        Command::Gate(gate) => gate::run(&gate, terminal).await,
        Command::Cap(cap) => cap::run(&cap, terminal).await,
        Command::Policy(policy) => policy::run(&policy, terminal).await,
        Command::Evidence(evidence) => evidence::run(&evidence, terminal).await,
        Command::Search(search) => search::run(&search, terminal).await,
        Command::Ledger(ledger) => ledger::run(&ledger, terminal).await,
        Command::Open(open) => open::run(&open),
        Command::Judge(Judge::Try(trial)) => judge::run(&trial, terminal).await,
        Command::Health(health) => health::run(&health).await,
        Command::Doctor(doctor) => doctor::run(&doctor, terminal).await,
        Command::Completions(completions) => manuals::completions(&completions),
        Command::Man(man) => manuals::pages(&man),
    }
}

/// Prints text, without its styles if standard output does not support them.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

fn print_raw(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints a message as one line of JSON.
fn print_json<T: Named + prost::Message>(message: &T) -> Result<(), Failure> {
    print_raw(&(json::to_json(message)? + "\n"))
}

/// Prints an answer as JSON, or as text for a terminal.
fn print_answer<T: Named + prost::Message>(
    output: Output,
    answer: &T,
    human: impl FnOnce() -> String,
) -> Result<(), Failure> {
    match output {
        Output::Json => print_json(answer),
        Output::Human => print(&human()),
    }
}

/// Fails if the command would start a temporary server without a data directory, since such a server has no records.
fn require_records(connection: &Connection, missing: &str) -> Result<(), Failure> {
    match select_target(&connect_options(connection), &Environment::from_env())? {
        Target::Temporary { data_dir: None, .. } => Err(Failure::Usage(format!(
            "no server is running, so there is no {missing}\n  specify a data directory with --data-dir, or a server with --endpoint"
        ))),
        Target::Temporary { .. } | Target::Running { .. } => Ok(()),
    }
}

fn report(failure: &Failure) {
    let _ = writeln!(anstream::stderr(), "{}", crate::human::errors::failure(failure));
}

fn note(text: &str) {
    // Fails if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{}", crate::human::errors::note(text));
}

fn instant(instant: jiff::Timestamp) -> prost_types::Timestamp {
    SystemTime::from(instant).into()
}

fn is_json(output: Output) -> bool {
    output == Output::Json
}

fn explain(claim: Option<&str>) -> Explain {
    match claim {
        None => Explain::Briefly,
        Some("") => Explain::All,
        Some(id) => Explain::Claim(id.to_owned()),
    }
}

/// Fails if the claim to explain does not exist.
fn check_explained(explain: &Explain, claims: &[v1::JudgedClaim]) -> Result<(), Failure> {
    let Explain::Claim(id) = explain else { return Ok(()) };
    if claims.iter().any(|claim| claim.id == *id) {
        return Ok(());
    }
    let ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).take(20).collect();
    let hint = if ids.is_empty() {
        "the report has no claims".to_owned()
    } else {
        format!("expected one of {}", ids.join(", "))
    };
    Err(Failure::Usage(format!("--explain: unknown claim `{id}`; {hint}")))
}

/// Fails if the server did not redact the answer.
fn check_redacted(answer: Option<&v1::EvaluateResponse>) -> Result<(), Failure> {
    let provenance = answer.and_then(|answer| answer.provenance.as_ref());
    if provenance.is_some_and(|provenance| provenance.redacted) {
        return Ok(());
    }
    Err(Failure::Usage(
        "the server is too old to redact secrets and personal data; update it, or pass --unredacted"
            .to_owned(),
    ))
}

const fn class(class: Class) -> v1::ClaimClass {
    match class {
        Class::Grounded => v1::ClaimClass::Grounded,
        Class::Ungrounded => v1::ClaimClass::Ungrounded,
        Class::Contradicted => v1::ClaimClass::Contradicted,
        Class::Complementary => v1::ClaimClass::Complementary,
    }
}

/// Converts the classes of `--only`. `None` stands for undecided claims.
fn shown_classes(only: &[Only]) -> Vec<Option<v1::ClaimClass>> {
    only.iter()
        .map(|only| match only {
            Only::Grounded => Some(v1::ClaimClass::Grounded),
            Only::Ungrounded => Some(v1::ClaimClass::Ungrounded),
            Only::Contradicted => Some(v1::ClaimClass::Contradicted),
            Only::Complementary => Some(v1::ClaimClass::Complementary),
            Only::Undecided => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_an_unknown_claim_to_explain() {
        let claim = |id: &str| v1::JudgedClaim { id: id.to_owned(), ..Default::default() };
        let claims = [claim("c1"), claim("c2")];
        assert!(check_explained(&explain(None), &claims).is_ok());
        assert!(check_explained(&explain(Some("")), &claims).is_ok());
        assert!(check_explained(&explain(Some("c2")), &claims).is_ok());
        let failure = check_explained(&explain(Some("report.md")), &claims).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "--explain: unknown claim `report.md`; expected one of c1, c2"
        );
    }
}
