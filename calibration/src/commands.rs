//! Dispatches the commands.

use anyhow::{Result, ensure};

use crate::ablation;
use crate::arguments::{Arguments, Claims, Command, Incidents, Mutations, ServerArgs};
use crate::audit;
use crate::certification;
use crate::comparison;
use crate::data_set::{DataSet, incident_data, labelled_data};
use crate::drift;
use crate::fitting;
use crate::generated::judge_generated;
use crate::graded;
use crate::grading;
use crate::investigations::investigations;
use crate::manuals;
use crate::measured::measure;
use crate::mutation_trial::judge_mutations;
use crate::premises::premises;
use crate::replay::{drive, replay};
use crate::report;
use crate::retrieval::measure_retrieval;
use crate::rows;
use crate::run::run as judge_rows;
use crate::session::with_server;
use crate::tables;
use crate::writing;

/// Runs a command and returns the page to print.
pub async fn run(arguments: Arguments) -> Result<String> {
    let server = &arguments.server;
    match arguments.command {
        Command::Run(args) => judge_rows(server, &args).await,
        Command::Rows(args) => rows::native(&args),
        Command::Grade(args) => grading::grade(&args).await,
        Command::Write(args) => writing::write(&args).await,
        Command::Graded(args) => graded::graded(&args),
        Command::Ablate(args) => ablation::ablate(&args),
        Command::Audit(args) => audit::audit(&args),
        Command::Certify(args) => certification::certify(&args),
        Command::Report(args) => report::report(&args),
        Command::Fit(args) => fitting::fit(&args),
        Command::Drift(args) => drift::drift(&args),
        Command::Compare(args) => comparison::compare(&args),
        Command::Claims(Claims { folders, split, worst }) => {
            let data_set = labelled_data(&folders, split.as_deref())?;
            table("Labelled claims", server, data_set, worst).await
        }
        Command::Incidents(Incidents { folder, worst }) => {
            table("Incidents", server, incident_data(&folder)?, worst).await
        }
        Command::Mutations(Mutations { folder, seed, number, part }) => {
            let mut data_set = incident_data(&folder)?;
            let parts: Vec<_> =
                data_set.cases.iter().map(|case| part.contains(case.part)).collect();
            data_set.reports.retain(|report| parts.get(report.case) == Some(&true));
            ensure!(!data_set.reports.is_empty(), "part {} has no incidents", part.name());
            let trial = with_server(server, async |client| {
                judge_mutations(&client, data_set, seed, number).await
            });
            Ok(tables::mutations(&trial.await?, part.name(), seed, number))
        }
        Command::Retrieval(args) => {
            let found = with_server(server, async |client| measure_retrieval(&client, &args).await);
            Ok(tables::retrieval(&found.await?))
        }
        Command::Replay(args) => replay(server, &args).await,
        Command::Look(args) => replay(server, &args.into()).await,
        Command::Drive(args) => drive(server, &args).await,
        Command::Investigations(args) => investigations(server, &args).await,
        Command::Generated(args) => judge_generated(server, &args).await,
        Command::Premises(args) => premises(&args),
        Command::Completions(args) => manuals::completions(&args),
        Command::Man(args) => manuals::pages(&args),
    }
}

async fn table(
    title: &str,
    server: &ServerArgs,
    data_set: DataSet,
    worst: usize,
) -> Result<String> {
    let measured = with_server(server, async |client| measure(&client, data_set).await).await?;
    Ok(tables::measured(title, &measured, worst))
}
