//! This module replays stored judgements: what verification and decision make of a judge that is right, and of
//! the same judge where it errs. It judges nothing itself, and shows no single row but those of the tune part.

mod errors;
mod nearest;
mod offline;
mod outcome;
mod page;
mod rendering;
mod stored;

use anyhow::{Result, ensure};
use gsar_core::Class;

use crate::arguments::{Rendering, Replay, ReplayPart};
use crate::statistics::Random;
use errors::made_errors;
use outcome::{Finding, Given, Outcome};
use stored::{Case, Judgement, stored_cases};

/// A claim with what is said of it.
#[derive(Clone, Debug)]
struct Question {
    case: usize,
    text: String,
    judgement: Judgement,
    given: Given,
}

impl Question {
    fn outcome(&self, class: Class, disputed: bool, findings: Vec<Finding>) -> Outcome {
        Outcome {
            case: self.case,
            text: self.text.clone(),
            given: self.given,
            said: self.judgement.class,
            quote: self.judgement.citations.first().map_or("", |first| &first.quote).to_owned(),
            class,
            disputed,
            findings,
        }
    }
}

/// What became of the claims of one source of judgements in one rendering.
struct Replayed {
    rendering: Rendering,
    outcomes: Vec<Outcome>,
}

/// Replays stored judgements and returns the page to print.
///
/// # Errors
/// Files that cannot be used, and a server that does not answer.
pub(crate) async fn replay(_endpoint: Option<String>, wanted: &Replay) -> Result<String> {
    ensure!(
        !wanted.list || wanted.part == ReplayPart::Tune,
        "--list shows single rows, and only those of the tune part may be looked at; leave out --part"
    );
    ensure!(wanted.offline, "give --offline: there is no replay through a server yet");
    let renderings =
        if wanted.renderings.is_empty() { &Rendering::ALL[..] } else { &wanted.renderings };
    let mut page = page::opening(wanted.part, wanted.seed);
    for path in &wanted.judgements {
        let cases = stored_cases(path, wanted.part)?;
        let questions = questions(&cases, wanted.seed);
        let mut replayed = Vec::new();
        for rendering in renderings {
            let mut outcomes = Vec::new();
            for (case, of_case) in cases.iter().zip(&questions) {
                outcomes.extend(offline::verified(case, of_case, *rendering)?);
            }
            replayed.push(Replayed { rendering: *rendering, outcomes });
        }
        page::section(&mut page, path, &cases, &replayed, wanted.list);
    }
    Ok(page)
}

/// For each case its right verdicts and the errors made of them.
fn questions(cases: &[Case], seed: u64) -> Vec<Vec<Question>> {
    let mut random = Random::new(seed);
    let of_case = |(place, case): (usize, &Case)| {
        let right = case.claims.iter().filter(|claim| claim.right == Some(true));
        let right = right.map(|claim| Question {
            case: place,
            text: claim.text.clone(),
            judgement: claim.judgement.clone(),
            given: Given::Right,
        });
        let errors = made_errors(case, &mut random).into_iter().map(|error| Question {
            case: place,
            text: error.text,
            judgement: error.judgement,
            given: Given::Error(error.kind),
        });
        right.chain(errors).collect()
    };
    cases.iter().enumerate().map(of_case).collect()
}
