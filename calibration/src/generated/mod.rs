//! Judges each generated claim separately, together with its evidence.

mod items;
mod page;
mod summary;

use anyhow::{Context as _, Result};
use gsar_client::Client;
use gsar_core::Class;
use gsar_datasets::generated::Expected;
use gsar_proto::v1;
use serde_json::json;

use crate::arguments::{Generated, Generator, Output, ServerArgs};
use crate::asking::{Question, ask, verdict};
use crate::data_set::{Case, Part};
use crate::session::with_server;
use items::{Item, items};
use summary::Summary;

/// The number of items per batch. Bounds the memory used for answers.
const BATCH: usize = 500;

#[derive(Clone, Copy, Debug)]
struct Outcome {
    item: usize,
    claim: usize,
    form: &'static str,
    family: Option<&'static str>,
    expected: Expected,
    class: Class,
}

impl Outcome {
    /// Returns `true` if the claim is grounded but not true, or contradicted but not false.
    fn is_mistake(&self) -> bool {
        match self.class {
            Class::Grounded => self.expected != Expected::Shown,
            Class::Contradicted => self.expected != Expected::Refuted,
            _ => false,
        }
    }
}

struct Trial {
    generator: Generator,
    items: Vec<Item>,
    outcomes: Vec<Outcome>,
}

pub(crate) async fn judge_generated(server: &ServerArgs, args: &Generated) -> Result<String> {
    let generators: &[Generator] = if args.of.is_empty() { &Generator::ALL } else { &args.of };
    let work = async |client: Client| {
        let mut trials = Vec::new();
        for generator in generators {
            let items = items(*generator, args.seed, args.count)?;
            let outcomes = outcomes(&client, &items).await?;
            trials.push(Trial { generator: *generator, items, outcomes });
        }
        Ok(trials)
    };
    let trials = with_server(server, work).await?;
    match args.output {
        Output::Table => Ok(page::page(args, &trials)),
        Output::Json => {
            let generators: Vec<_> = trials
                .iter()
                .map(|trial| json!({"of": trial.generator.name(), "summary": Summary::new(&trial.outcomes)}))
                .collect();
            let page = json!({"seed": args.seed, "count": args.count, "generators": generators});
            Ok(serde_json::to_string_pretty(&page)? + "\n")
        }
    }
}

/// Judges every claim in a separate call, so that claims do not influence each other.
async fn outcomes(client: &Client, items: &[Item]) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for (batch, items) in items.chunks(BATCH).enumerate() {
        let cases: Vec<Case> = items.iter().map(case).collect();
        let claims: Vec<(usize, usize)> = items
            .iter()
            .enumerate()
            .flat_map(|(item, generated)| {
                (0..generated.claims.len()).map(move |claim| (item, claim))
            })
            .collect();
        let questions = claims.iter().map(|(item, claim)| question(items, *item, *claim));
        let answers = ask(client, &cases, questions.collect::<Result<_>>()?).await?;
        for ((index, claim), answer) in claims.into_iter().zip(answers) {
            let item = items.get(index).context("no such item")?;
            let (_, expected) = item.claims.get(claim).context("no such claim")?;
            outcomes.push(Outcome {
                item: batch * BATCH + index,
                claim,
                form: item.form,
                family: item.family,
                expected: *expected,
                class: verdict(&answer, CLAIM)?.counted(),
            });
        }
    }
    Ok(outcomes)
}

const CLAIM: &str = "c1";

fn case(item: &Item) -> Case {
    let evidence = vec![item.evidence.clone()];
    Case { name: item.form.to_owned(), part: Part::Tune, evidence }
}

fn question(items: &[Item], item: usize, claim: usize) -> Result<Question> {
    let claims = items.get(item).map(|item| &item.claims);
    let (text, _) = claims.and_then(|claims| claims.get(claim)).context("no such claim")?;
    let claim = v1::Claim { id: CLAIM.to_owned(), text: text.clone(), span: None };
    let report = v1::Report { claims: vec![claim], ..Default::default() };
    Ok(Question { case: item, report })
}
