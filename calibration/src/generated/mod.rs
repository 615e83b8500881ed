//! This module puts generated claims to a server, each alone with its evidence, and keeps what is said of them. It
//! judges nothing and counts nothing.

mod items;
mod page;
mod summary;

use anyhow::{Context as _, Result};
use gsar_client::Client;
use gsar_core::Class;
use gsar_datasets::generated::Expected;
use gsar_proto::v1;
use serde_json::json;

use crate::arguments::{Generated, Of, Output, WantedServer};
use crate::asking::{Question, ask, verdict};
use crate::data_set::{Case, Part};
use crate::session::with_server;
use items::{Item, items};
use summary::Summary;

/// The most items that go out before their answers are read, so that answers do not pile up.
const IN_ONE_GO: usize = 500;

/// What was said of a claim.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// The place of its item, from 0.
    item: usize,
    /// Its place among the claims of the item, from 0.
    claim: usize,
    /// The shape or form of the item.
    form: &'static str,
    /// What it is about, where that is counted.
    family: Option<&'static str>,
    /// What the evidence says of it.
    expected: Expected,
    /// What the server says.
    class: Class,
}

impl Outcome {
    /// Whether the server says what must never be said: grounded of what is not shown, contradicted of what is.
    fn is_mistake(&self) -> bool {
        match self.class {
            Class::Grounded => self.expected != Expected::Shown,
            Class::Contradicted => self.expected != Expected::Refuted,
            _ => false,
        }
    }
}

/// What was said of the claims of one generator.
struct Trial {
    of: Of,
    items: Vec<Item>,
    outcomes: Vec<Outcome>,
}

/// Generates, asks, and returns what is to be printed.
pub(crate) async fn try_generated(server: &WantedServer, wanted: &Generated) -> Result<String> {
    let generators: &[Of] = if wanted.of.is_empty() { &Of::ALL } else { &wanted.of };
    let work = async |client: Client| {
        let mut trials = Vec::new();
        for of in generators {
            let items = items(*of, wanted.seed, wanted.count)?;
            let outcomes = outcomes(&client, &items).await?;
            trials.push(Trial { of: *of, items, outcomes });
        }
        Ok(trials)
    };
    let trials = with_server(server, work).await?;
    match wanted.output {
        Output::Table => Ok(page::page(wanted, &trials)),
        Output::Json => {
            let generators: Vec<_> = trials
                .iter()
                .map(|trial| json!({"of": trial.of.name(), "summary": Summary::new(&trial.outcomes)}))
                .collect();
            let page =
                json!({"seed": wanted.seed, "count": wanted.count, "generators": generators});
            Ok(serde_json::to_string_pretty(&page)? + "\n")
        }
    }
}

/// Asks about every claim of the items, each in a call of its own so that none leans on another.
async fn outcomes(client: &Client, items: &[Item]) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for (go, items) in items.chunks(IN_ONE_GO).enumerate() {
        let cases: Vec<Case> = items.iter().map(case).collect();
        let places: Vec<(usize, usize)> = items
            .iter()
            .enumerate()
            .flat_map(|(item, of)| (0..of.claims.len()).map(move |claim| (item, claim)))
            .collect();
        let questions = places.iter().map(|(item, claim)| question(items, *item, *claim));
        let answers = ask(client, &cases, questions.collect::<Result<_>>()?).await?;
        for ((place, claim), answer) in places.into_iter().zip(answers) {
            let item = items.get(place).context("an answer about no item")?;
            let (_, expected) = item.claims.get(claim).context("an answer about no claim")?;
            outcomes.push(Outcome {
                item: go * IN_ONE_GO + place,
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

/// The id of the one claim of a call.
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
