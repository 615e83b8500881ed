//! The second look: a reader checks the supported claims against their quotes. The judge then reconsiders
//! claims that the reader disputes or that lost their citations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use gsar_core::policy::{SecondLook, VerificationMode};
use gsar_core::second_look::{SecondLookResult, SecondLookVerdict};
use gsar_core::second_look_input::{Sheet, sheets};
use gsar_core::verify::{
    EvidenceSet, Objection, VerifiedPartition, apply_follow_up, objections, verify,
};
use gsar_core::{ClaimId, Class, JudgedClaim, claim_role};
use gsar_proto::v1;
use metrics::counter;
use tonic::Status;
use tracing::Instrument as _;

use super::call_chain::{call_to_proto, count_call};
use super::decide::Case;
use crate::call::{Call, Step};
use crate::compute_pool::compute;
use crate::judge::{
    self, Judge, JudgeError, ModelCall, Notice, Question, Votes, calls_mut, push_unique,
};
use crate::telemetry::{metrics as names, traces};

const MAX_SHEET_BYTES: usize = 24 << 10;
const MAX_CONCURRENT_SHEETS: usize = 4;
const MAX_RESERVE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct ReviewOutcome {
    pub(super) verdicts: Vec<JudgedClaim>,
    /// The partition before the judge reconsidered, if it did.
    pub(super) before_follow_up: Option<Vec<JudgedClaim>>,
    pub(super) sheets: SheetResults,
}

pub(super) struct Review<'a> {
    pub(super) call: &'a Call,
    pub(super) case: &'a Arc<Case>,
    /// The judge, if it can reconsider.
    pub(super) judge: Option<&'a Arc<dyn Judge>>,
    pub(super) votes: &'a [Votes],
    pub(super) notices: &'a mut Vec<Notice>,
    pub(super) provenance: &'a mut v1::Provenance,
}

#[derive(Default)]
pub(super) struct SheetResults {
    pub(super) second_looks: Vec<SecondLookResult>,
    pub(super) second_look_error: Option<String>,
}

/// Returns objections to claims that lost all citations or that the reader disputes.
fn all_objections(
    verdicts: &[JudgedClaim],
    verified: &VerifiedPartition,
    second_looks: &[SecondLookResult],
) -> Vec<Objection> {
    let mut objections = objections(verdicts, &verified.corrections);
    for second_look in second_looks {
        let verdict = verdicts.iter().find(|verdict| verdict.claim.id == second_look.claim);
        let Some(verdict) = verdict.filter(|verdict| second_look.disagrees(verdict.class)) else {
            continue;
        };
        let finding = match second_look.verdict {
            SecondLookVerdict::Refuted => {
                format!("The reader says that it is refuted: {}", second_look.explanation)
            }
            SecondLookVerdict::NotShown | SecondLookVerdict::Shown => {
                format!("The reader does not find it shown: {}", second_look.explanation)
            }
        };
        match objections.iter_mut().find(|objection| objection.judged.claim.id == second_look.claim)
        {
            Some(objection) => objection.findings.push(finding),
            None => objections.push(Objection { judged: verdict.clone(), findings: vec![finding] }),
        }
    }
    objections
}

impl Review<'_> {
    /// Takes the second look, has the judge reconsider disputed claims, and takes another look at their new
    /// citations. A judge that is a single model is called at most four times.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED.
    pub(super) async fn run(mut self, verdicts: Vec<JudgedClaim>) -> Result<ReviewOutcome, Status> {
        let mode = self.case.policy.verification;
        if mode == VerificationMode::Off {
            return Ok(ReviewOutcome { verdicts, ..ReviewOutcome::default() });
        }
        self.warn_without_reader();
        if self.judge.is_none() && self.case.reader.is_none() {
            return Ok(ReviewOutcome { verdicts, ..ReviewOutcome::default() });
        }
        let (verified, sheets) = self.verify(verdicts.clone(), None).await?;
        let mut results = self.read_sheets(sheets).await;
        let objections = match mode {
            VerificationMode::Enforce => {
                all_objections(&verdicts, &verified, &results.second_looks)
            }
            VerificationMode::Observe | VerificationMode::Off => Vec::new(),
        };
        let Some(judge) = self.judge.filter(|_| !objections.is_empty()) else {
            return Ok(ReviewOutcome { verdicts, before_follow_up: None, sheets: results });
        };
        let ids: Vec<ClaimId> =
            objections.iter().map(|objection| objection.judged.claim.id.clone()).collect();
        let revised_verdicts = self.reconsider(judge, objections, &verdicts).await;
        let has_new_citations = |id: &ClaimId| {
            let citations = |verdicts: &[JudgedClaim]| {
                let verdict = verdicts.iter().find(|verdict| verdict.claim.id == *id);
                verdict.map(|verdict| verdict.citations.clone())
            };
            citations(&revised_verdicts) != citations(&verdicts)
        };
        let selected_ids = ids.into_iter().filter(has_new_citations).collect();
        let (_, sheets) = self.verify(revised_verdicts.clone(), Some(selected_ids)).await?;
        let new_results = self.read_sheets(sheets).await;
        let is_replaced = |result: &SecondLookResult| {
            new_results.second_looks.iter().any(|new| new.claim == result.claim)
        };
        results.second_looks.retain(|result| !is_replaced(result));
        results.second_looks.extend(new_results.second_looks);
        results.second_look_error = results.second_look_error.or(new_results.second_look_error);
        Ok(ReviewOutcome {
            verdicts: revised_verdicts,
            before_follow_up: Some(verdicts),
            sheets: results,
        })
    }

    /// Warns if the policy requires a second look that the judge could take, but second looks are turned
    /// off.
    fn warn_without_reader(&mut self) {
        let is_required = self.case.policy.second_look != SecondLook::Off;
        if is_required
            && self.case.reader.is_none()
            && self.judge.is_some_and(|judge| judge.can_take_second_look())
        {
            let sentence = "supported claims get no second look: judges.second_look is off";
            self.notices.push(Notice { code: "NO_SECOND_LOOK", sentence: sentence.to_owned() });
        }
    }

    async fn verify(
        &self,
        verdicts: Vec<JudgedClaim>,
        selected_ids: Option<Vec<ClaimId>>,
    ) -> Result<(VerifiedPartition, Vec<Sheet>), Status> {
        let reader = self.case.reader.as_ref();
        let mode = reader.map_or(SecondLook::Off, |_| self.case.policy.second_look);
        let max_bytes = reader.and_then(|reader| reader.capabilities().max_evidence_bytes);
        let max_bytes = max_bytes.unwrap_or(MAX_SHEET_BYTES).min(MAX_SHEET_BYTES);
        let case = Arc::clone(self.case);
        compute(self.call, move |budget| {
            let mut verdicts = verdicts;
            claim_role::assign_root_causes(&case.question.synthesis, &mut verdicts);
            let Case { policy, question, .. } = case.as_ref();
            let evidence = EvidenceSet::new(&question.evidence).with_budget(budget);
            let verified =
                verify(VerificationMode::Enforce, policy, &question.claims, verdicts, &evidence);
            let is_selected = |verdict: &&JudgedClaim| {
                selected_ids.as_ref().is_none_or(|ids| ids.contains(&verdict.claim.id))
            };
            let claims = verified.claims.iter().map(|claim| &claim.judged).filter(is_selected);
            let sheets = sheets(mode, claims, &question.synthesis, &evidence, max_bytes);
            (verified, sheets)
        })
        .await
    }

    async fn read_sheets(&mut self, sheets: Vec<Sheet>) -> SheetResults {
        let Some(reader) = self.case.reader.clone().filter(|_| !sheets.is_empty()) else {
            return SheetResults::default();
        };
        self.call.enter(Step::Judge);
        let questions = sheets.into_iter().map(|sheet| self.question(sheet));
        let requests = questions.map(|question| {
            let reader = Arc::clone(&reader);
            async move {
                let answer = reader.judge(&question).await;
                (question, answer)
            }
        });
        let requests: Vec<_> = requests.collect();
        let span = traces::judge_span(reader.name());
        let answers: Vec<_> = stream::iter(requests)
            .buffered(MAX_CONCURRENT_SHEETS)
            .collect()
            .instrument(span.clone())
            .instrument(traces::step_span("second_look"))
            .await;
        let mut results = SheetResults::default();
        let mut calls = Vec::new();
        let mut code = "";
        for (question, answer) in answers {
            match answer {
                Ok(answer) => {
                    calls.extend(answer.calls);
                    add_notices(self.notices, answer.notices);
                    let verdicts = answer.judged.into_iter();
                    let second_looks: Vec<SecondLookResult> =
                        verdicts.map(|verdict| to_result(verdict, reader.name())).collect();
                    if let Some(reason) = answer.abstained {
                        results
                            .second_look_error
                            .get_or_insert(format!("the reader abstained: {reason}"));
                    } else {
                        results.second_look_error = results
                            .second_look_error
                            .or_else(|| missing_verdicts(&question, &second_looks));
                    }
                    results.second_looks.extend(second_looks);
                }
                Err(JudgeError::DeadlinePassed { calls: new_calls, .. }) => {
                    calls.extend(new_calls);
                    code = "DEADLINE_EXCEEDED";
                    results.second_look_error.get_or_insert("the deadline passed".to_owned());
                }
                Err(JudgeError::Failed {
                    code: failure_code, reason, calls: new_calls, ..
                }) => {
                    calls.extend(new_calls);
                    code = failure_code;
                    results.second_look_error.get_or_insert(format!("{reason} ({failure_code})"));
                }
            }
        }
        let result = if results.second_look_error.is_some() { "failed" } else { "judged" };
        traces::record_judge_result(&span, result, code);
        for second_look in &results.second_looks {
            let verdict = second_look.verdict.name();
            counter!(names::SECOND_LOOKS, "reader" => reader.name().to_owned(), "verdict" => verdict)
                .increment(1);
        }
        if let Some(error) = &results.second_look_error {
            let sentence = format!("the second look at supported claims failed: {error}");
            add_notices(self.notices, vec![Notice { code: "SECOND_LOOK_FAILED", sentence }]);
        }
        let detail = results.second_look_error.clone().unwrap_or_default();
        self.record(reader.name(), result, detail, code, calls);
        self.call.enter(Step::Decide);
        results
    }

    fn question(&self, sheet: Sheet) -> Arc<Question> {
        let Sheet { statements, evidence } = sheet;
        let case_question = &self.case.question;
        Arc::new(Question {
            claims: statements.iter().map(|statement| statement.claim.clone()).collect(),
            statements,
            evidence: Arc::new(evidence),
            bypass_cache: case_question.bypass_cache,
            deadline: case_question.deadline.map(with_reserve),
            call: case_question.call.clone(),
            ..Question::default()
        })
    }

    fn record(
        &mut self,
        reader: &str,
        result: &str,
        detail: String,
        code: &str,
        calls: Vec<ModelCall>,
    ) {
        calls.iter().for_each(|call| count_call(reader, call));
        let link = self.provenance.second_look.get_or_insert_default();
        reader.clone_into(&mut link.judge);
        if link.result != "failed" {
            result.clone_into(&mut link.result);
            link.detail = detail;
            code.clone_into(&mut link.code);
        }
        link.calls.extend(calls.into_iter().map(call_to_proto));
    }

    /// Sends the objections to the judge. If the judge fails, the verdicts stay unchanged.
    async fn reconsider(
        &mut self,
        judge: &Arc<dyn Judge>,
        objections: Vec<Objection>,
        previous: &[JudgedClaim],
    ) -> Vec<JudgedClaim> {
        self.call.enter(Step::Judge);
        let ids: Vec<ClaimId> =
            objections.iter().map(|objection| objection.judged.claim.id.clone()).collect();
        let objections_with_votes = objections.into_iter().map(|Objection { judged, findings }| {
            let votes = self.votes.iter().find(|votes| votes.claim == judged.claim.id);
            let votes = votes.map(|votes| votes.votes.clone()).unwrap_or_default();
            judge::Objection { verdict: judged, findings, votes }
        });
        let question = &self.case.question;
        let request = Question {
            deadline: question.deadline.map(with_reserve),
            ..question.with_objections(objections_with_votes.collect())
        };
        let mut answer = judge.judge(&request).await;
        let calls = std::mem::take(calls_mut(&mut answer));
        calls.iter().for_each(|call| count_call(judge.name(), call));
        if let Some(link) = self.provenance.judges.last_mut() {
            link.calls.extend(calls.into_iter().map(call_to_proto));
        }
        let (result, verdicts) = match answer {
            Ok(answer) if answer.abstained.is_none() => {
                add_notices(self.notices, answer.notices);
                let ids: Vec<&ClaimId> = ids.iter().collect();
                ("answered", apply_follow_up(previous, &ids, &answer.judged))
            }
            Ok(_) => {
                self.notices.push(reconsideration_failed("it abstained"));
                ("abstained", previous.to_vec())
            }
            Err(error) => {
                self.notices.push(reconsideration_failed(&error.to_string()));
                ("failed", previous.to_vec())
            }
        };
        counter!(names::EXTRA_TURNS, "judge" => judge.name().to_owned(), "result" => result)
            .increment(1);
        self.call.enter(Step::Decide);
        verdicts
    }
}

fn to_result(judged_claim: JudgedClaim, reader: &str) -> SecondLookResult {
    let verdict = match judged_claim.class {
        Class::Grounded => SecondLookVerdict::Shown,
        Class::Contradicted => SecondLookVerdict::Refuted,
        Class::Ungrounded | Class::Complementary => SecondLookVerdict::NotShown,
    };
    SecondLookResult {
        claim: judged_claim.claim.id,
        verdict,
        explanation: judged_claim.note,
        judge: reader.to_owned(),
    }
}

fn missing_verdicts(question: &Question, second_looks: &[SecondLookResult]) -> Option<String> {
    let has_no_verdict = |id: &&ClaimId| second_looks.iter().all(|result| result.claim != **id);
    let ids: Vec<&str> = question
        .claims
        .iter()
        .map(|claim| &claim.id)
        .filter(has_no_verdict)
        .map(ClaimId::as_str)
        .collect();
    (!ids.is_empty()).then(|| format!("the reader gave no verdict on {}", ids.join(", ")))
}

fn add_notices(notices: &mut Vec<Notice>, new: Vec<Notice>) {
    new.into_iter().for_each(|notice| push_unique(notices, notice));
}

fn with_reserve(deadline: Instant) -> Instant {
    let remaining = deadline.saturating_duration_since(Instant::now());
    deadline - (remaining / 10).min(MAX_RESERVE)
}

fn reconsideration_failed(reason: &str) -> Notice {
    Notice {
        code: "EXTRA_TURN_FAILED",
        sentence: format!("the judge did not answer when asked to reconsider: {reason}"),
    }
}
