//! The judge `local/1`. It runs in this process.
//!
//! Claims that the rules support are grounded. For each other claim, the relevant passages are joined into a
//! premise ([`Passages`]), a cross-encoder scores each class, and [`decision`] applies the threshold. Claims
//! below the threshold stay undecided.

mod decision;

use std::path::PathBuf;

use async_trait::async_trait;
use gsar_core::budget::Budget;
use gsar_core::fixed_point::Millionths;
use gsar_core::{Claim, Class, JudgedClaim, Leaning};
use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair, Probabilities};
use gsar_embedding::Runtime;
use gsar_extraction::passages::{MAX_PREMISE, Passages, Premise};

use self::decision::{leaning, percent};
use super::facts::ruling::{
    apply_rules, non_statement_verdict, undecided_verdict, ungrounded_verdict,
};
use super::facts::{FactsCache, MAX_BYTES, Observations};
use super::summarize_verdicts::summarize;
use super::{Capabilities, Judge, JudgeError, Judgement, Question};
use crate::compute_pool::try_compute;

/// Options for the local judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalOptions {
    /// The model's folder. If `None`, the bundled model is used.
    pub model: Option<PathBuf>,
    /// The ONNX Runtime library. If `None`, `ORT_DYLIB_PATH` is used, or else the library in the user's
    /// cache.
    pub onnxruntime: Option<PathBuf>,
    /// The number of model sessions. Each session has its own thread and its own copy of the weights.
    pub workers: usize,
}

/// The judge `local/1`.
#[derive(Clone, Debug)]
pub struct LocalJudge {
    encoder: CrossEncoder,
    ungrounded_from: Option<Millionths>,
    facts: FactsCache,
}

/// The leaning if there is no evidence for any class.
const NO_LEANING: Leaning = Leaning { class: Class::Ungrounded, likelihood: None };

enum Screening {
    Decided(JudgedClaim),
    NeedsModel(Premise),
    /// The claim stays undecided, because the rules refute it or it is too long for the model.
    Open(Leaning, String),
}

struct ScreeningResults {
    screenings: Vec<Screening>,
    gaps: Vec<String>,
    considered: Vec<Vec<String>>,
}

impl LocalJudge {
    /// The name of the judge.
    pub const NAME: &'static str = "local/1";

    /// Loads ONNX Runtime and the model, and runs the model once. Blocks for about half a second.
    ///
    /// # Errors
    /// Returns a message that states the cause and the fix.
    pub fn open(options: &LocalOptions, facts: FactsCache) -> Result<Self, String> {
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
        Ok(Self { encoder, ungrounded_from: model.ungrounded_from(), facts })
    }

    /// Applies the rules to all claims. The result is incomplete if the budget is exhausted.
    fn screen_all(&self, question: &Question, budget: &Budget) -> ScreeningResults {
        self.facts.read(question, budget).with_dependent(|_, observations| {
            let claims = &question.claims;
            let passages = Passages::new(observations.facts(), budget);
            let screenings = claims
                .iter()
                .take_while(|claim| budget.spend(claim.text.len()))
                .map(|claim| self.screen(claim, observations, &passages, budget))
                .collect();
            let considered =
                if question.explain { observations.considered(claims) } else { Vec::new() };
            ScreeningResults { screenings, gaps: observations.gaps().to_vec(), considered }
        })
    }

    fn screen(
        &self,
        claim: &Claim,
        observations: &Observations<'_>,
        passages: &Passages<'_, '_>,
        budget: &Budget,
    ) -> Screening {
        if let Some(verdict) = non_statement_verdict(claim) {
            return Screening::Decided(verdict);
        }
        match apply_rules(claim, observations) {
            Some(ruling) if ruling.is_support() => {
                Screening::Decided(ruling.into_verdict(claim, observations))
            }
            Some(ruling) => {
                let leaning = Leaning { class: Class::Contradicted, likelihood: None };
                Screening::Open(leaning, ruling.note().to_owned())
            }
            None if self.encoder.room_beside(&claim.text).is_none() => {
                Screening::Open(NO_LEANING, "it is too long for the model".to_owned())
            }
            None => Screening::NeedsModel(passages.premise(&claim.text, MAX_PREMISE, budget)),
        }
    }

    fn decide(&self, claim: &Claim, probabilities: &Probabilities) -> JudgedClaim {
        match leaning(probabilities, self.ungrounded_from) {
            None => {
                let likelihood = percent(probabilities.ungrounded);
                let note =
                    format!("according to the model, no evidence supports it ({likelihood} %)");
                ungrounded_verdict(claim, note)
            }
            Some(leaning) => {
                let likelihood = percent(probabilities.of(leaning.class));
                let class = leaning.class.name();
                let note = format!(
                    "the model leans towards {class} ({likelihood} %), which is too little to decide"
                );
                undecided_verdict(claim, leaning, note)
            }
        }
    }

    async fn score(
        &self,
        question: &Question,
        pairs: Vec<Pair>,
    ) -> Result<Vec<Probabilities>, JudgeError> {
        let scoring = self.encoder.score(pairs);
        let result = match question.deadline {
            None => scoring.await,
            Some(deadline) => {
                let result = tokio::time::timeout_at(deadline.into(), scoring).await;
                result.map_err(|_| JudgeError::deadline_passed(question))?
            }
        };
        result.map_err(|error| JudgeError::Failed {
            judge: Self::NAME.to_owned(),
            code: "MODEL_FAILED",
            reason: error.to_string(),
            calls: Vec::new(),
        })
    }
}

fn explain_score(premise: &Premise, probabilities: &Probabilities) -> Vec<String> {
    let score = |class: Class| format!("{} {} %", class.name(), percent(probabilities.of(class)));
    let likelihoods: Vec<String> = Class::ALL.into_iter().map(score).collect();
    vec![
        format!("the model read {:?}", premise.text),
        format!("the model says {}", likelihoods.join(", ")),
    ]
}

#[async_trait]
impl Judge for LocalJudge {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_local(&self) -> bool {
        true
    }

    fn reports_roles(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::english(MAX_BYTES)
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let claims = &question.claims;
        let (judge, question_clone) = (self.clone(), question.clone());
        let result =
            try_compute(question, move |budget| judge.screen_all(&question_clone, budget)).await;
        let ScreeningResults { screenings, gaps, considered } =
            result.map_err(|_| JudgeError::deadline_passed(question))?;
        let pairs =
            screenings.iter().zip(claims.iter()).filter_map(|(screening, claim)| match screening {
                Screening::NeedsModel(premise) => Some(Pair::new(&*claim.text, &*premise.text)),
                Screening::Decided(_) | Screening::Open(..) => None,
            });
        let mut scores = self.score(question, pairs.collect()).await?.into_iter();
        let mut explanations = Vec::with_capacity(claims.len());
        let mut verdicts = Vec::with_capacity(claims.len());
        for (claim, screening) in claims.iter().zip(screenings) {
            let mut lines = Vec::new();
            verdicts.push(match screening {
                Screening::Decided(verdict) => verdict,
                Screening::Open(leaning, note) => undecided_verdict(claim, leaning, note),
                Screening::NeedsModel(premise) => match scores.next() {
                    Some(probabilities) => {
                        lines = explain_score(&premise, &probabilities);
                        self.decide(claim, &probabilities)
                    }
                    None => {
                        undecided_verdict(claim, NO_LEANING, "the model did not answer".to_owned())
                    }
                },
            });
            explanations.push(lines);
        }
        // `considered` is empty unless an explanation was requested.
        let considered = considered.into_iter().zip(explanations);
        let considered =
            considered.map(|(lines, explanation)| [lines, explanation].concat()).collect();
        Ok(Judgement { considered, ..summarize(question, gaps, verdicts) })
    }
}
