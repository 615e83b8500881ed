//! Scores lines on a server.

use gsar_core::fixed_point::Fraction;
use gsar_core::{Class, EvidenceType, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use tonic::Code;

use super::answer::Answer;
use super::line::{Line, LineError, Overrides};
use super::policies::{Policies, ResolvedPolicy, unknown_policy};
use crate::client::Client;
use crate::error::{ClientError, Refusal};

/// A line to be scored on a server.
#[derive(Clone, Debug)]
pub struct LineRequest {
    number: u64,
    id: String,
    policy: String,
    request: v1::ScoreRequest,
}

impl LineRequest {
    /// Parses a line. For an invalid line, returns the same answer as [`Answer::offline`].
    pub fn parse(
        policies: &Policies,
        number: u64,
        text: &Result<String, String>,
    ) -> Result<Self, Answer> {
        let parse_line = || {
            let text = text.as_ref().map_err(|reason| LineError(reason.clone()))?;
            let line = Line::parse(text)?;
            let policy = match policies.resolve(&line)? {
                ResolvedPolicy::Known(policy) => policy.name.clone(),
                ResolvedPolicy::Unknown(name) => name,
            };
            let request = request(&line, &policy);
            Ok(Self { number, id: line.raw_id(), policy, request })
        };
        parse_line().map_err(|error| Answer::Refused { number, error })
    }

    /// Scores the line on the server. A line that the server rejects is an answer, not an error.
    pub async fn send(self, client: &Client) -> Result<Answer, ClientError> {
        let Self { number, id, policy, request } = self;
        match client.score(request).await {
            Ok(answer) => Ok(to_answer(id, number, &answer)),
            Err(error) => match error.refusal().filter(|refusal| is_about_the_line(refusal)) {
                Some(refusal) if refusal.code == Code::NotFound => {
                    Ok(Answer::Refused { number, error: unknown_policy(&policy) })
                }
                Some(refusal) => {
                    Ok(Answer::Refused { number, error: LineError(refusal.one_line()) })
                }
                None => Err(error),
            },
        }
    }
}

fn is_about_the_line(refusal: &Refusal) -> bool {
    matches!(refusal.code, Code::InvalidArgument | Code::NotFound | Code::FailedPrecondition)
}

fn to_answer(id: String, number: u64, answer: &v1::ScoreResponse) -> Answer {
    let score = answer.score.as_ref();
    let score =
        score.and_then(|score| Fraction::new(score.numerator.into(), score.denominator.into()));
    let tier = answer.decision.as_ref().and_then(|decision| Tier::from_number(decision.tier));
    let Some(tier) = tier else {
        let error = LineError("the server returned an unknown decision".to_owned());
        return Answer::Refused { number, error };
    };
    Answer::Decided { id, score, tier, hypothetical: answer.hypothetical }
}

fn request(line: &Line<'_>, policy: &str) -> v1::ScoreRequest {
    let mut counts = Vec::new();
    for class in Class::ALL {
        for (evidence_type, count) in EvidenceType::ALL.into_iter().zip(line.tally.of_class(class))
        {
            if *count > 0 {
                counts.push(v1::ClaimCount {
                    class: class.number(),
                    r#type: evidence_type.number(),
                    count: *count,
                    undecided: false,
                });
            }
        }
    }
    v1::ScoreRequest {
        partition: Some(v1::score_request::Partition::Counts(v1::PartitionCounts { counts })),
        policy: policy.to_owned(),
        policy_overrides: (!line.overrides.is_empty()).then(|| overrides_on_wire(&line.overrides)),
        ..Default::default()
    }
}

fn overrides_on_wire(overrides: &Overrides) -> v1::PolicyOverrides {
    v1::PolicyOverrides {
        rho: overrides.rho.map(|value| value.to_f64()),
        tau_proceed: overrides.tau_proceed.map(|value| value.to_f64()),
        tau_regenerate: overrides.tau_regenerate.map(|value| value.to_f64()),
        weights: overrides
            .weights
            .iter()
            .map(|(evidence_type, weight)| v1::TypeWeight {
                r#type: evidence_type.number(),
                weight: weight.to_f64(),
            })
            .collect(),
        ..Default::default()
    }
}
