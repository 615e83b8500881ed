//! Evaluates reports with idempotency keys, repeats calls, and reads the records.

use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use gsar_client::v1;

use super::{CallResult, Caller};
use crate::cases::{Case, request};
use crate::identity::WORKERS;
use crate::invariants::acknowledged::report_id;
use crate::invariants::answers;
use crate::servers::model;

/// The number of recurring questions, so that some answers come from the judgement cache.
const REPEATED: u64 = 50;

impl Caller {
    /// Evaluates a report under a new key until a server answers, and sometimes again on another server.
    pub(super) async fn evaluate(&mut self) {
        let (principal, home) = self.draw();
        let (key, case, request) = self.new_report();
        self.world.acknowledged().register(key, principal.name, home);
        let mut answers = 0;
        let calls = 1 + self.random.usize(..2);
        while answers < calls && !self.world.is_over() {
            let server = self.server(home);
            let sent = request.clone();
            let result = self
                .call("Evaluate", server, &principal, async |client| client.evaluate(sent).await)
                .await;
            match result {
                CallResult::Answered(answer) => {
                    answers += 1;
                    self.world.count("Evaluate acknowledged");
                    self.check_answer(key, case, &answer);
                }
                CallResult::Refused(refusal) => {
                    self.unexpected_refusal(&format!("Evaluate, key {key}"), &refusal);
                    return;
                }
                CallResult::Failed => self.back_off().await,
            }
        }
    }

    pub(super) fn new_report(&mut self) -> (u64, Case, v1::EvaluateRequest) {
        let key = self.world.new_key();
        let case = *self.random.choice(&Case::DRAWN).unwrap_or(&Case::True);
        let subject = if self.random.u32(..4) == 0 { key % REPEATED } else { key };
        let mut request = request(case, subject);
        request.idempotency_key = report_id(key);
        if let Some(report) = &mut request.report {
            report.id = report_id(key);
        }
        // Two in three requests use the rules instead of the chat model.
        if self.random.u32(..3) > 0 {
            request.options =
                Some(v1::EvaluateOptions { judge: "rules/2".to_owned(), ..Default::default() });
        }
        if self.random.u32(..4) == 0 {
            request.policy = "soak".to_owned();
        }
        (key, case, request)
    }

    pub(super) fn check_answer(&self, key: u64, case: Case, answer: &v1::EvaluateResponse) {
        let noted = self.world.acknowledged().record_answer(key, answer);
        match noted {
            Ok(true) => {
                self.count_judges(answer);
                self.count_clock(answer);
            }
            Ok(false) => {}
            Err(violation) => self.world.record(violation),
        }
        self.world.check(answers::evaluation(&format!("key {key}"), case.tiers(), answer));
    }

    fn count_judges(&self, answer: &v1::EvaluateResponse) {
        let judges = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
        for link in judges.filter(|link| link.judge == model::NAME) {
            let outcome = if link.code.is_empty() { "judged" } else { &link.code };
            self.world.count(&format!("model: {outcome}"));
            let paid =
                link.calls.iter().filter(|call| !call.from_cache).map(v1::ModelCall::cost_micros);
            self.world.paid.fetch_add(paid.sum(), Ordering::Relaxed);
        }
    }

    fn count_clock(&self, answer: &v1::EvaluateResponse) {
        let evaluated = answer.provenance.as_ref().and_then(|provenance| provenance.evaluated_at);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if evaluated.is_some_and(|at| now.as_secs().abs_diff(at.seconds.unsigned_abs()) > 3_600) {
            self.world.count("first answers by a changed clock");
        }
    }

    pub(super) async fn read_again(&mut self) {
        let number = self.random.usize(..);
        let found = self.world.acknowledged().pick(number);
        let Some((key, entry)) = found else { return self.evaluate().await };
        let Some(owner) = WORKERS.iter().find(|worker| worker.name == entry.owner) else { return };
        let server = self.server(entry.server);
        let id = entry.evaluation_id;
        let result = self
            .call("GetEvaluation", server, owner, async |client| client.evaluation(&id).await)
            .await;
        match result {
            CallResult::Answered(recorded) => {
                let compared = self.world.acknowledged().check_record(key, &recorded);
                self.world.check(compared);
            }
            CallResult::Refused(refusal) => {
                let found = format!("key {key}, {id}: {:?} {}", refusal.code, refusal.one_line());
                self.world.record_violation("acknowledged", found);
            }
            CallResult::Failed => self.back_off().await,
        }
    }
}
