//! This module is the judge `local/1`: the rules over facts and a trained cross-encoder, each with a vote on every claim.
//! It runs here, without a network and without a key.
//!
//! For each claim the passages of evidence that bear on it are chosen and written as one premise ([`Passages`]), the
//! cross-encoder says how likely each class is, and [`decision`] makes one class of that and of what the rules say.
//! Citations are the records that the rules rest on, else those of the premise that have most of the claim's words.

mod decision;

use std::path::PathBuf;
use std::time::Instant;

use gsar_core::report::ClaimKind;
use gsar_core::{Class, JudgedClaim};
use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair, Probabilities, ScoreError};
use gsar_embedding::Runtime;
use gsar_extraction::passages::{MAX_PREMISE, Passages, Premise};

use self::decision::{Decided, decide, percent};
use super::embedded::judgement;
use super::facts::{Kept, MAX_BYTES, Observations};
use super::{Capabilities, Judge, JudgeError, Judgement, Pending, Question};

/// The most records that are cited for what the model decides.
const MAX_CITED: usize = 2;

/// Where the model comes from and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalOptions {
    /// The folder of the model; `None` for the shipped one.
    pub model: Option<PathBuf>,
    /// The shared library of ONNX Runtime; `None` for `ORT_DYLIB_PATH`, else the one in the user's cache.
    pub onnxruntime: Option<PathBuf>,
    /// Sessions of the model, each with a thread and a copy of the weights.
    pub workers: usize,
}

/// The judge.
#[derive(Clone, Debug)]
pub struct LocalJudge {
    encoder: CrossEncoder,
    kept: Kept,
}

impl LocalJudge {
    /// Its name.
    pub const NAME: &'static str = "local/1";

    /// Loads ONNX Runtime and the model, and tries it. Blocks, about half a second.
    ///
    /// # Errors
    /// What is missing or does not fit, with the fix.
    pub fn open(options: &LocalOptions, kept: Kept) -> Result<Self, String> {
        let runtime =
            Runtime::load(options.onnxruntime.as_deref()).map_err(|error| error.to_string())?;
        let model = match &options.model {
            Some(folder) => Model::open(folder),
            None => Model::shipped(),
        };
        let model = model.map_err(|error| error.to_string())?;
        let options = Options { workers: options.workers, ..Options::default() };
        let encoder =
            CrossEncoder::start(&runtime, &model, &options).map_err(|error| error.to_string())?;
        Ok(Self { encoder, kept })
    }

    async fn judged(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let claims = &question.claims;
        let late = |judged| JudgeError::DeadlinePassed { judged, claims: claims.len() };
        if question.is_late() {
            return Err(late(0));
        }
        let read = self.kept.read(question);
        let (ruled, premises) = read
            .with_dependent(|_, observations| {
                let ruled = observations.judge(claims, || !question.is_late());
                ruled.map(|ruled| (ruled, premises(question, observations)))
            })
            .map_err(|stopped| late(stopped.judged))?;
        let scored = self.score(question, &premises).await?;
        Ok(read.with_dependent(|_, observations| {
            voted(question, observations, ruled, &premises, &scored)
        }))
    }

    /// What the model says of each claim; `None` for those that it is not asked about.
    async fn score(
        &self,
        question: &Question,
        premises: &[Premise],
    ) -> Result<Vec<Option<Probabilities>>, JudgeError> {
        let asked: Vec<bool> = question
            .claims
            .iter()
            .map(|claim| {
                ClaimKind::of(&claim.text) == ClaimKind::Statement
                    && self.encoder.room_beside(&claim.text).is_some()
            })
            .collect();
        let pairs = question.claims.iter().zip(premises).zip(&asked).filter(|(_, asked)| **asked);
        let pairs: Vec<Pair> =
            pairs.map(|((claim, premise), _)| Pair::new(&*claim.text, &*premise.text)).collect();
        let mut scored = self.scored(question, pairs).await?.into_iter();
        Ok(asked.into_iter().map(|asked| if asked { scored.next() } else { None }).collect())
    }

    /// What the model says of pairs, by the deadline of the question.
    async fn scored(
        &self,
        question: &Question,
        pairs: Vec<Pair>,
    ) -> Result<Vec<Probabilities>, JudgeError> {
        let scores = self.encoder.score(pairs);
        let scored = match question.deadline.map(tokio_deadline) {
            None => scores.await,
            Some(deadline) => {
                let claims = question.claims.len();
                let late = |_| JudgeError::DeadlinePassed { judged: 0, claims };
                tokio::time::timeout_at(deadline, scores).await.map_err(late)?
            }
        };
        scored.map_err(|error| failed(&error))
    }
}

/// One judgement of what the rules and the model say.
fn voted(
    question: &Question,
    observations: &Observations<'_>,
    ruled: Vec<JudgedClaim>,
    premises: &[Premise],
    scored: &[Option<Probabilities>],
) -> Judgement {
    let claims = &question.claims;
    let mut considered =
        if question.explain { observations.considered(claims) } else { Vec::new() };
    let mut judged = Vec::with_capacity(claims.len());
    for (at, ((claim, ruled), (premise, scored))) in
        claims.iter().zip(ruled).zip(premises.iter().zip(scored)).enumerate()
    {
        let Some(scored) = scored else {
            judged.push(ruled);
            continue;
        };
        if let Some(lines) = considered.get_mut(at) {
            lines.extend(explained(premise, scored));
        }
        judged.push(match decide(ruled.class, scored) {
            Decided::AsRuled => ruled,
            Decided::ByModel { class, note } => {
                let records = premise.records.get(..MAX_CITED.min(premise.records.len()));
                observations.judged_as(claim, class, records.unwrap_or_default(), note)
            }
        });
    }
    let gaps = observations.gaps().to_vec();
    Judgement { considered, ..judgement(question, gaps, judged) }
}

fn tokio_deadline(deadline: Instant) -> tokio::time::Instant {
    tokio::time::Instant::from_std(deadline)
}

fn premises(question: &Question, observations: &Observations<'_>) -> Vec<Premise> {
    let passages = Passages::new(observations.facts());
    question.claims.iter().map(|claim| passages.premise(&claim.text, MAX_PREMISE)).collect()
}

fn failed(error: &ScoreError) -> JudgeError {
    JudgeError::Failed {
        judge: LocalJudge::NAME.to_owned(),
        code: "MODEL_FAILED",
        reason: error.to_string(),
        calls: Vec::new(),
    }
}

/// What the model read and said, for a person.
fn explained(premise: &Premise, scored: &Probabilities) -> Vec<String> {
    let of = |class: Class| format!("{} {} %", class.name(), percent(scored.of(class)));
    let likelihoods: Vec<String> = Class::ALL.into_iter().map(of).collect();
    vec![
        format!("the model read {:?}", premise.text),
        format!("the model says {}", likelihoods.join(", ")),
    ]
}

impl Judge for LocalJudge {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: Class::ALL.to_vec(),
            languages: vec!["en"],
            max_evidence_bytes: Some(MAX_BYTES),
        }
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        Box::pin(self.judged(question))
    }
}
