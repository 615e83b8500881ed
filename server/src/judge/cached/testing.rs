//! Test questions, answers and judges.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use gsar_core::evidence::{Citation, Content, EvidenceId, EvidenceItem, Lane, Target};
use gsar_core::fixed_point::Millionths;
use gsar_core::time::Timestamp;
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use tokio::sync::Semaphore;

use super::CacheLimits;
use super::key::Key;
use crate::judge::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Notice, Question};

pub(in crate::judge) const LIMITS: CacheLimits = CacheLimits {
    memory_bytes: 1 << 20,
    disk_bytes: 1 << 20,
    time_to_live: Duration::from_secs(3_600),
    store_timeout: Duration::from_secs(3_600),
};

pub(in crate::judge) fn key(number: u8) -> Key {
    Key::from_number(number)
}

pub(super) fn claim(id: &str, text: &str) -> Claim {
    Claim { span: Some(0..11), ..Claim::new(ClaimId::new(id).unwrap(), text) }
}

pub(super) fn item(id: &str, text: &str) -> EvidenceItem {
    let (id, content) = (EvidenceId::new(id).unwrap(), Content::Text(text.to_owned()));
    EvidenceItem {
        tool: "kubectl logs".to_owned(),
        collected_at: Some(Timestamp::from_micros(7)),
        ..EvidenceItem::new(id, Lane::Logs, content)
    }
}

pub(super) fn question() -> Question {
    Question {
        synthesis: "Pods crash.".into(),
        claims: [claim("c1", "Pods crash.")].into(),
        evidence: Arc::new(vec![item("e1", "pods crash")]),
        ..Question::default()
    }
}

pub(super) fn call() -> ModelCall {
    ModelCall {
        judge: String::new(),
        sample: 0,
        purpose: "judge",
        model: "m-1".to_owned(),
        prompt: "00ff".to_owned(),
        rung: "structured",
        fixes: vec!["fence"],
        input_tokens: 100,
        output_tokens: 10,
        cost_micros: Some(42),
        attempts: 2,
        from_cache: false,
        answer: "{}".to_owned(),
    }
}

pub(in crate::judge) fn judgement() -> Judgement {
    let claim = claim("c1", "Pods crash.");
    let item =
        Target::Evidence { id: EvidenceId::new("e1").unwrap(), field_path: "/status".to_owned() };
    let citations = vec![
        Citation { target: item, quote: "crash".to_owned(), bytes: Some(5..10) },
        Citation {
            target: Target::Claim(ClaimId::new("c2").unwrap()),
            quote: String::new(),
            bytes: None,
        },
    ];
    Judgement {
        judged: vec![JudgedClaim {
            citations,
            note: "It says so.".to_owned(),
            ..JudgedClaim::new(claim, Class::Grounded, EvidenceType::ToolMatch)
        }],
        votes: Vec::new(),
        considered: vec![vec!["e1".to_owned()]],
        score: Some(Millionths::new(900_000)),
        explanation: "One claim.".to_owned(),
        gaps: vec!["no logs".to_owned()],
        contradictions: vec!["none".to_owned()],
        abstained: None,
        calls: vec![call()],
        notices: vec![Notice { code: "SOME_CODE", sentence: "A sentence.".to_owned() }],
    }
}

pub(super) fn failure() -> JudgeError {
    JudgeError::Failed {
        judge: "scripted".to_owned(),
        code: "PROVIDER_DOWN",
        reason: "no answer".to_owned(),
        calls: vec![call()],
    }
}

pub(super) type Answer = fn(&Question) -> Result<Judgement, JudgeError>;

/// A judge that acquires a permit for each question, and then returns the next scripted answer or a default
/// judgement.
pub(super) struct ScriptedJudge {
    script: Mutex<Vec<Answer>>,
    pub(super) permits: Semaphore,
    pub(super) call_count: AtomicUsize,
}

impl ScriptedJudge {
    pub(super) fn new(permits: usize, script: &[Answer]) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script.iter().rev().copied().collect()),
            permits: Semaphore::new(permits),
            call_count: AtomicUsize::new(0),
        })
    }

    pub(super) fn call_count(&self) -> usize {
        self.call_count.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Judge for ScriptedJudge {
    fn name(&self) -> &str {
        "scripted"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        self.call_count.fetch_add(1, Ordering::SeqCst);
        self.permits.acquire().await.unwrap().forget();
        let answer = self.script.lock().unwrap().pop();
        answer.map_or_else(|| Ok(judgement()), |answer| answer(question))
    }
}

pub(in crate::judge) fn serialized(judgement: &Judgement) -> Vec<u8> {
    super::json::to_json(judgement).unwrap()
}
