//! A server with a scripted judge.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gsar_core::{Class, JudgedClaim};
use gsar_proto::v1;
use gsar_server::config::{AllowOverrides, Config};
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};

use super::cases::Case;
use crate::support::{TestServer, TestServerOptions};

type Answer = Box<dyn Fn(&Question) -> Judgement + Send>;

#[derive(Clone, Default)]
struct ScriptedJudge {
    answer: Arc<Mutex<Option<Answer>>>,
    /// `true` if the judge reconsiders, in which case it repeats its verdicts.
    can_reconsider: bool,
}

#[async_trait]
impl Judge for ScriptedJudge {
    fn name(&self) -> &'static str {
        "scripted/1"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: Class::ALL.to_vec(),
            languages: vec!["en"],
            max_evidence_bytes: None,
        }
    }

    fn can_reconsider(&self) -> bool {
        self.can_reconsider
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        if !question.objections.is_empty() {
            let verdicts = question.objections.iter().map(|objection| objection.verdict.clone());
            return Ok(judgement(verdicts.collect()));
        }
        let answer = self.answer.lock().unwrap();
        let judgement = answer.as_ref().expect("an answer is set")(question);
        Ok(judgement)
    }
}

pub fn judgement(judged: Vec<JudgedClaim>) -> Judgement {
    Judgement { judged, ..Judgement::default() }
}

pub struct ScriptedServer {
    server: TestServer,
    judge: ScriptedJudge,
}

impl ScriptedServer {
    pub async fn start() -> Self {
        Self::start_with_judge(ScriptedJudge::default()).await
    }

    pub async fn start_reconsidering() -> Self {
        Self::start_with_judge(ScriptedJudge { can_reconsider: true, ..ScriptedJudge::default() })
            .await
    }

    async fn start_with_judge(judge: ScriptedJudge) -> Self {
        Self::start_configured(judge, |config| config.ledger.enabled = false).await
    }

    /// Starts a server with a ledger, at which callers may use any policy and override.
    pub async fn start_recording(can_reconsider: bool) -> Self {
        let open = |config: &mut Config| {
            config.policies.allow_overrides = AllowOverrides::Any;
            config.policies.allowed = vec!["paper".to_owned()];
            config.ledger.durable = false;
        };
        Self::start_configured(ScriptedJudge { can_reconsider, ..ScriptedJudge::default() }, open)
            .await
    }

    async fn start_configured(judge: ScriptedJudge, change: impl FnOnce(&mut Config)) -> Self {
        let chain = |config: &mut Config| {
            config.judges.chain = vec!["scripted/1".to_owned()];
            change(config);
        };
        let server = TestServerOptions::default().judge(judge.clone()).start(chain).await;
        Self { server, judge }
    }

    pub fn server(&self) -> &TestServer {
        &self.server
    }

    pub fn set_answer(&self, answer: impl Fn(&Question) -> Judgement + Send + 'static) {
        *self.judge.answer.lock().unwrap() = Some(Box::new(answer));
    }

    pub async fn evaluate(
        &self,
        policy: &str,
        request: &v1::EvaluateRequest,
        answer: impl Fn(&Question) -> Judgement + Send + 'static,
    ) -> v1::EvaluateResponse {
        self.set_answer(answer);
        let request = v1::EvaluateRequest { policy: policy.to_owned(), ..request.clone() };
        self.server.grounding().evaluate(request).await.unwrap().into_inner()
    }

    pub async fn evaluate_case(
        &self,
        policy: &str,
        case: &Case,
        judged: Vec<JudgedClaim>,
    ) -> v1::EvaluateResponse {
        self.evaluate(policy, &case.request, move |_| judgement(judged.clone())).await
    }
}

/// The tier and the guarded score, neither of which a lie may improve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardedVerdict {
    pub tier: i32,
    score: Option<(u64, u64)>,
}

impl GuardedVerdict {
    pub fn from_answer(answer: &v1::EvaluateResponse) -> Self {
        let score = answer.guarded_score.map(|score| (score.numerator, score.denominator));
        Self { tier: answer.decision.as_ref().unwrap().tier, score }
    }

    pub fn is_better_than(&self, other: &Self) -> bool {
        let scores = match (self.score, other.score) {
            (None, _) => std::cmp::Ordering::Less,
            (Some(_), None) => std::cmp::Ordering::Greater,
            (Some((a, b)), Some((c, d))) => {
                (u128::from(a) * u128::from(d)).cmp(&(u128::from(c) * u128::from(b)))
            }
        };
        // A lower tier is less cautious.
        self.tier < other.tier || scores.is_gt()
    }
}
