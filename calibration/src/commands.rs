//! This module has one function per command: read, ask, count, print.

use anyhow::{Result, ensure};

use crate::ablation;
use crate::arguments::{Arguments, Claims, Command, Incidents, Mutations, WantedServer};
use crate::audit;
use crate::certification;
use crate::comparison;
use crate::data_set::{DataSet, incident_data, labelled_data};
use crate::drift;
use crate::fitting;
use crate::generated::try_generated;
use crate::graded;
use crate::investigations::investigations;
use crate::manuals;
use crate::measured::measure;
use crate::premises::premises;
use crate::replay::{drive, replay};
use crate::report;
use crate::retrieval::find_all;
use crate::run::run as judge_rows;
use crate::session::with_server;
use crate::tables;
use crate::trial::try_mutations;

/// Does what the arguments ask for and returns the page to print.
pub async fn run(arguments: Arguments) -> Result<String> {
    let server = &arguments.server;
    match arguments.command {
        Command::Run(wanted) => judge_rows(server, &wanted).await,
        Command::Graded(wanted) => graded::graded(&wanted),
        Command::Ablate(wanted) => ablation::ablate(&wanted),
        Command::Audit(wanted) => audit::audit(&wanted),
        Command::Certify(wanted) => certification::certify(&wanted),
        Command::Report(wanted) => report::report(&wanted),
        Command::Fit(wanted) => fitting::fit(&wanted),
        Command::Drift(wanted) => drift::drift(&wanted),
        Command::Compare(wanted) => comparison::compare(&wanted),
        Command::Claims(Claims { folders, split, worst }) => {
            let data_set = labelled_data(&folders, split.as_deref())?;
            table("Labelled claims", server, data_set, worst).await
        }
        Command::Incidents(Incidents { folder, worst }) => {
            table("Incidents", server, incident_data(&folder)?, worst).await
        }
        Command::Mutations(Mutations { folder, seed, number, part }) => {
            let mut data_set = incident_data(&folder)?;
            let parts: Vec<_> = data_set.cases.iter().map(|case| part.hold(case.part)).collect();
            data_set.reports.retain(|report| parts.get(report.case) == Some(&true));
            ensure!(!data_set.reports.is_empty(), "there are no incidents of part {}", part.name());
            let trial = with_server(server, async |client| {
                try_mutations(&client, data_set, seed, number).await
            });
            Ok(tables::mutations(&trial.await?, part.name(), seed, number))
        }
        Command::Retrieval(wanted) => {
            let found = with_server(server, async |client| find_all(&client, &wanted).await);
            Ok(tables::retrieval(&found.await?))
        }
        Command::Replay(wanted) => replay(server, &wanted).await,
        Command::Look(wanted) => replay(server, &wanted.into()).await,
        Command::Drive(wanted) => drive(server, &wanted).await,
        Command::Investigations(wanted) => investigations(server, &wanted).await,
        Command::Generated(wanted) => try_generated(server, &wanted).await,
        Command::Premises(wanted) => premises(&wanted),
        Command::Completions(wanted) => manuals::completions(&wanted),
        Command::Man(wanted) => manuals::pages(&wanted),
    }
}

async fn table(
    title: &str,
    server: &WantedServer,
    data_set: DataSet,
    worst: usize,
) -> Result<String> {
    let measured = with_server(server, async |client| measure(&client, data_set).await).await?;
    Ok(tables::measured(title, &measured, worst))
}
