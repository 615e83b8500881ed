//! This module evaluates reports under idempotency keys, asks for them again, and reads them back.

use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use gsar_client::v1;

use super::{Asked, Caller};
use crate::cases::{Case, request};
use crate::identity::WORKERS;
use crate::invariants::Violation;
use crate::invariants::acknowledged::report_id;
use crate::invariants::answers;
use crate::servers::model;

/// Keys of which questions repeat, so that some are answered from the cache of judgements.
const REPEATED: u64 = 50;

impl Caller {
    /// One report under a new key, until a server answers; then, at times, the same again at another server.
    pub(super) async fn evaluate(&mut self) {
        let (principal, home) = self.draw();
        let (key, case, request) = self.new_report();
        self.world.acknowledged().ask(key, principal.name, home);
        let mut answers = 0;
        let wanted = 1 + self.random.usize(..2);
        while answers < wanted && !self.world.is_over() {
            let server = self.server(home);
            let sent = request.clone();
            let asked = self
                .ask("Evaluate", server, &principal, async |client| client.evaluate(sent).await)
                .await;
            match asked {
                Asked::Answered(answer) => {
                    answers += 1;
                    self.world.count("Evaluate acknowledged");
                    self.check_answer(key, case, &answer);
                }
                Asked::Refused(refusal) => {
                    self.not_called_for(&format!("Evaluate, key {key}"), &refusal);
                    return;
                }
                Asked::Failed => self.a_moment().await,
            }
        }
    }

    /// A new key, and a report whose id holds it.
    pub(super) fn new_report(&mut self) -> (u64, Case, v1::EvaluateRequest) {
        let key = self.world.new_key();
        let case = *self.random.choice(&Case::DRAWN).unwrap_or(&Case::True);
        let subject = if self.random.u32(..4) == 0 { key % REPEATED } else { key };
        let mut request = request(case, subject);
        request.idempotency_key = report_id(key);
        if let Some(report) = &mut request.report {
            report.id = report_id(key);
        }
        // Two in three are not worth a chat model.
        if self.random.u32(..3) > 0 {
            request.options =
                Some(v1::EvaluateOptions { judge: "rules/2".to_owned(), ..Default::default() });
        }
        if self.random.u32(..4) == 0 {
            request.policy = "soak".to_owned();
        }
        (key, case, request)
    }

    /// What is known of every answer: its id and bytes, its tier, and that a chat model failed only while it was out.
    pub(super) fn check_answer(&self, key: u64, case: Case, answer: &v1::EvaluateResponse) {
        let noted = self.world.acknowledged().answered(key, answer);
        match noted {
            Ok(true) => {
                self.count_judges(answer);
                self.count_clock(answer);
            }
            Ok(false) => {}
            Err(violation) => self.world.violated(violation),
        }
        self.world.check(answers::evaluation(&format!("key {key}"), case.tiers(), answer));
    }

    /// How the chat model fared, and what it cost.
    fn count_judges(&self, answer: &v1::EvaluateResponse) {
        let judges = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
        for link in judges.filter(|link| link.judge == model::NAME) {
            let of = if link.code.is_empty() { "judged" } else { &link.code };
            self.world.count(&format!("model: {of}"));
            let paid =
                link.calls.iter().filter(|call| !call.from_cache).map(v1::ModelCall::cost_micros);
            self.world.paid.fetch_add(paid.sum(), Ordering::Relaxed);
        }
    }

    /// Whether the server had another hour than this machine, which shows that setting its clock does what it is to.
    fn count_clock(&self, answer: &v1::EvaluateResponse) {
        let evaluated = answer.provenance.as_ref().and_then(|provenance| provenance.evaluated_at);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if evaluated.is_some_and(|at| now.as_secs().abs_diff(at.seconds.unsigned_abs()) > 3_600) {
            self.world.count("first answers by a clock that was set");
        }
    }

    /// Something that was acknowledged before is read by its owner, and found as it was.
    pub(super) async fn read_again(&mut self) {
        let number = self.random.usize(..);
        let found = self.world.acknowledged().any(number);
        let Some((key, entry)) = found else { return self.evaluate().await };
        let Some(owner) = WORKERS.iter().find(|worker| worker.name == entry.owner) else { return };
        let server = self.server(entry.server);
        let id = entry.evaluation_id;
        let asked = self
            .ask("GetEvaluation", server, owner, async |client| client.evaluation(&id).await)
            .await;
        match asked {
            Asked::Answered(recorded) => {
                let compared = self.world.acknowledged().recorded(key, &recorded);
                self.world.check(compared);
            }
            Asked::Refused(refusal) => {
                let found = format!("key {key}, {id}: {:?} {}", refusal.code, refusal.one_line());
                self.world.violated(Violation::new("acknowledged", found));
            }
            Asked::Failed => self.a_moment().await,
        }
    }
}
