//! Replays stored judgements. Counts the correct verdicts that verification breaks and the errors it stops.
//! Shows single rows only for the tune part.

mod driving;
mod errors;
mod matching;
mod nearest;
mod offline;
mod online;
mod outcome;
mod page;
mod prompt;
mod provider;
mod rendering;
mod second_looks;
mod stored;
mod summary;

use crate::judgement::Judgement;
use anyhow::{Result, ensure};
use gsar_core::Class;

use serde_json::json;

use crate::arguments::{Drive, Output, Rendering, Replay, ReplayPart, ServerArgs};
use crate::session::with_configured_server;
use crate::statistics::Random;
use errors::inject_errors;
pub(crate) use matching::Judgements;
use online::Replayer;
use outcome::{Finding, JudgementKind, Outcome, ReportDecision};
pub(crate) use provider::{KnownCase, Provider, SecondLook};
use stored::{Case, stored_cases};
use summary::Summary;

#[derive(Clone, Debug)]
struct Question {
    case: usize,
    text: String,
    judgement: Judgement,
    judgement_kind: JudgementKind,
}

impl Question {
    fn outcome(&self, class: Class, findings: Vec<Finding>) -> Outcome {
        Outcome {
            case: self.case,
            text: self.text.clone(),
            judgement_kind: self.judgement_kind,
            judged_class: self.judgement.class,
            quote: self.judgement.citations.first().map_or("", |first| &first.quote).to_owned(),
            class,
            findings,
        }
    }
}

pub(crate) async fn drive(server: &ServerArgs, args: &Drive) -> Result<String> {
    server.reject_with("drive")?;
    let provider = Provider::start(SecondLook::Off).await?;
    let configuration = provider.configuration("")?;
    let work = async |client| {
        let replayer = Replayer { client: &client, provider: &provider };
        let mut driven = Vec::new();
        for file in &args.judgements {
            driven.extend(driving::drive(&replayer, &stored_cases(file, args.part)?).await?);
        }
        Ok(driving::page(args.part, &driven))
    };
    with_configured_server(&configuration, work).await
}

struct Source {
    name: String,
    cases: Vec<Case>,
    replayed: Vec<Replayed>,
}

struct Replayed {
    outcomes: Vec<Outcome>,
    reports: Vec<ReportDecision>,
    summary: Summary,
}

pub(crate) async fn replay(server: &ServerArgs, args: &Replay) -> Result<String> {
    ensure!(
        !args.list || args.part == ReplayPart::Tune,
        "--list shows single rows, which is allowed for the tune part only; omit --part"
    );
    server.reject_with("replay")?;
    let mut sources = if args.offline {
        sources(args, None).await?
    } else {
        let provider = Provider::start(SecondLook::of(&args.second_look)?).await?;
        let configuration = provider.configuration("")?;
        let work = async |client| {
            let replayer = Replayer { client: &client, provider: &provider };
            sources(args, Some(&replayer)).await
        };
        with_configured_server(&configuration, work).await?
    };
    if sources.len() > 1 {
        sources.push(merge(&sources, renderings(args)));
    }
    match args.output {
        Output::Table => Ok(page::page(args.part, args.seed, &sources, args.list)),
        Output::Json => json(args, &sources),
    }
}

fn renderings(args: &Replay) -> &[Rendering] {
    if args.renderings.is_empty() { &Rendering::ALL } else { &args.renderings }
}

/// Replays all judgements through a server, or in this process if there is none.
async fn sources(args: &Replay, replayer: Option<&Replayer<'_>>) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for file in &args.judgements {
        let cases = stored_cases(file, args.part)?;
        let questions = questions(&cases, args.seed);
        let mut replayed = Vec::new();
        for rendering in renderings(args) {
            let (mut outcomes, mut reports) = (Vec::new(), Vec::new());
            if let Some(replayer) = replayer {
                outcomes = replayer.outcomes(&cases, &questions, *rendering).await?;
                reports = replayer.reports(&cases, *rendering).await?;
            } else {
                for (case, of_case) in cases.iter().zip(&questions) {
                    outcomes.extend(offline::verify_case(case, of_case, *rendering)?);
                }
            }
            replayed.push(Replayed::new(*rendering, outcomes, reports));
        }
        sources.push(Source { name: file.display().to_string(), cases, replayed });
    }
    Ok(sources)
}

fn merge(sources: &[Source], renderings: &[Rendering]) -> Source {
    let cases = sources.iter().flat_map(|source| source.cases.clone()).collect();
    let replayed = renderings.iter().enumerate().map(|(index, rendering)| {
        let (mut outcomes, mut reports, mut before) = (Vec::new(), Vec::new(), 0);
        for source in sources {
            if let Some(replayed) = source.replayed.get(index) {
                let merged = replayed.outcomes.iter().cloned();
                outcomes.extend(merged.map(|one| Outcome { case: one.case + before, ..one }));
                reports.extend(replayed.reports.iter().cloned());
            }
            before += source.cases.len();
        }
        Replayed::new(*rendering, outcomes, reports)
    });
    Source { name: "all sources".to_owned(), replayed: replayed.collect(), cases }
}

impl Replayed {
    fn new(rendering: Rendering, outcomes: Vec<Outcome>, reports: Vec<ReportDecision>) -> Self {
        let summary = Summary::new(rendering, &outcomes, &reports);
        Self { outcomes, reports, summary }
    }
}

fn json(args: &Replay, sources: &[Source]) -> Result<String> {
    let sources: Vec<_> = sources
        .iter()
        .map(|source| {
            let renderings: Vec<&Summary> =
                source.replayed.iter().map(|replayed| &replayed.summary).collect();
            json!({"judgements": source.name, "cases": source.cases.len(), "renderings": renderings})
        })
        .collect();
    let page = json!({"part": args.part.name(), "seed": args.seed, "sources": sources});
    Ok(serde_json::to_string_pretty(&page)? + "\n")
}

fn questions(cases: &[Case], seed: u64) -> Vec<Vec<Question>> {
    let mut random = Random::new(seed);
    let of_case = |(index, case): (usize, &Case)| {
        let right = case.claims.iter().filter(|claim| claim.right == Some(true));
        let right = right.map(|claim| Question {
            case: index,
            text: claim.text.clone(),
            judgement: claim.judgement.clone(),
            judgement_kind: JudgementKind::Right,
        });
        let errors = inject_errors(case, &mut random).into_iter().map(|error| Question {
            case: index,
            text: error.text,
            judgement: error.judgement,
            judgement_kind: JudgementKind::Error(error.kind),
        });
        right.chain(errors).collect()
    };
    cases.iter().enumerate().map(of_case).collect()
}
