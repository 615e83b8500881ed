//! A server with a scripted judge.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gsar_core::JudgedClaim;
use gsar_proto::v1;
use gsar_server::config::{AllowOverrides, Config};
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};

use super::cases::Case;
use crate::support::TestServer;
use crate::support::judges::capabilities;

type Answer = Box<dyn Fn(&Question) -> Judgement + Send>;

#[derive(Clone, Default)]
struct ScriptedJudge {
    answer: Arc<Mutex<Option<Answer>>>,
    /// `true` if the judge can reconsider its verdicts. It then repeats them.
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
        capabilities()
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
        let judgement = answer.as_ref().expect("an answer must be set")(question);
        Ok(judgement)
    }
}

pub fn judgement(judged: Vec<JudgedClaim>) -> Judgement {
    Judgement { judged, ..Judgement::default() }
}

/// Lets callers use any policy and any override.
pub fn allow_any_policy(config: &mut Config) {
    config.policies.allow_overrides = AllowOverrides::Any;
    config.policies.allowed = vec!["paper".to_owned()];
    config.ledger.durable = false;
}

pub struct ScriptedServer {
    server: TestServer,
    judge: ScriptedJudge,
}

impl ScriptedServer {
    pub async fn start() -> Self {
        Self::start_configured(false, |config| config.ledger.enabled = false).await
    }

    pub async fn start_reconsidering() -> Self {
        Self::start_configured(true, |config| config.ledger.enabled = false).await
    }

    /// Starts a server with a ledger. Its callers may use any policy and any override.
    pub async fn start_recording(can_reconsider: bool) -> Self {
        Self::start_configured(can_reconsider, allow_any_policy).await
    }

    async fn start_configured(can_reconsider: bool, change: impl FnOnce(&mut Config)) -> Self {
        let judge = ScriptedJudge { can_reconsider, ..ScriptedJudge::default() };
        let configure = |config: &mut Config| {
            config.judges.chain = vec!["scripted/1".to_owned()];
            change(config);
        };
        let server = TestServer::with_judges(vec![Arc::new(judge.clone())], configure).await;
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
        self.server.evaluate(request).await.unwrap()
    }

    pub async fn verdict(
        &self,
        policy: &str,
        case: &Case,
        judged: Vec<JudgedClaim>,
    ) -> GuardedVerdict {
        GuardedVerdict::from_answer(&self.evaluate_case(policy, case, judged).await)
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
