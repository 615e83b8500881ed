//! This module has a judged partition read by a second reader, and asks the judge once more where the two disagree or a
//! quote is missing. What is read, and what a reading does, are core's rules; nothing is decided here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use gsar_core::policy::{SecondLook, VerificationMode};
use gsar_core::second_look::{Reading, SecondLookVerdict};
use gsar_core::sheets::{Sheet, sheets};
use gsar_core::verify::{
    EvidenceSet, Objection, VerifiedPartition, apply_turn, objections, verify,
};
use gsar_core::{ClaimId, Class, JudgedClaim, role};
use gsar_proto::v1;
use metrics::counter;
use tonic::Status;
use tracing::Instrument as _;

use super::decide::Case;
use super::judging::{call_to_proto, count_call};
use crate::call::{Call, Step};
use crate::compute::compute;
use crate::judge::{self, Judge, JudgeError, ModelCall, Notice, Question, Votes, calls_of};
use crate::telemetry::{metrics as names, traces};

/// The most bytes of evidence on a sheet.
const MAX_SHEET: usize = 24 << 10;
/// The most sheets of one evaluation that are read at once.
const SHEETS_AT_ONCE: usize = 4;
/// Kept of a call's time for deciding and recording.
const MAX_RESERVE: Duration = Duration::from_secs(1);

/// A partition after second looks and the extra turn.
#[derive(Default)]
pub(super) struct Reviewed {
    pub(super) judged: Vec<JudgedClaim>,
    /// The partition before the extra turn, where there was one.
    pub(super) first: Option<Vec<JudgedClaim>>,
    pub(super) readings: Vec<Reading>,
    /// Why claims that were to be read were not.
    pub(super) unread: Option<String>,
}

/// One partition under review: who judges and reads it, and where that is recorded.
pub(super) struct Review<'a> {
    pub(super) call: &'a Call,
    pub(super) case: &'a Arc<Case>,
    /// The judge of the partition, where it can be asked once more.
    pub(super) judge: Option<&'a Arc<dyn Judge>>,
    pub(super) votes: &'a [Votes],
    pub(super) notices: &'a mut Vec<Notice>,
    pub(super) provenance: &'a mut v1::Provenance,
}

/// What came of reading.
#[derive(Default)]
struct Read {
    readings: Vec<Reading>,
    unread: Option<String>,
}

/// The claims to ask the judge about: those that lost every citation, and those on which the reader disagrees.
fn disputed(
    judged: &[JudgedClaim],
    verified: &VerifiedPartition,
    readings: &[Reading],
) -> Vec<Objection> {
    let mut asked = objections(judged, &verified.corrections);
    for reading in readings {
        let said = judged.iter().find(|said| said.claim.id == reading.claim);
        let Some(said) = said.filter(|said| reading.disagrees(said.class)) else { continue };
        let finding = match reading.verdict {
            SecondLookVerdict::Refuted => {
                format!("The reader says that it is refuted: {}", reading.words)
            }
            SecondLookVerdict::NotShown | SecondLookVerdict::Shown => {
                format!("The reader does not find it shown: {}", reading.words)
            }
        };
        match asked.iter_mut().find(|objection| objection.judged.claim.id == reading.claim) {
            Some(objection) => objection.findings.push(finding),
            None => asked.push(Objection { judged: said.clone(), findings: vec![finding] }),
        }
    }
    asked
}

impl Review<'_> {
    /// Reads a partition, asks its judge once more where that is needed, and reads what it cites then: at most four
    /// calls of a judge that is one model.
    ///
    /// # Errors
    /// It takes too long.
    pub(super) async fn run(mut self, judged: Vec<JudgedClaim>) -> Result<Reviewed, Status> {
        let mode = self.case.policy.verification;
        if mode == VerificationMode::Off {
            return Ok(Reviewed { judged, ..Reviewed::default() });
        }
        self.warn_unread();
        let (verified, sheets) = self.verify_and_lay_out(judged.clone(), None).await?;
        let mut read = self.read(sheets).await;
        let asked = match mode {
            VerificationMode::Enforce => disputed(&judged, &verified, &read.readings),
            VerificationMode::Observe | VerificationMode::Off => Vec::new(),
        };
        let Some(judge) = self.judge.filter(|_| !asked.is_empty()) else {
            let Read { readings, unread } = read;
            return Ok(Reviewed { judged, first: None, readings, unread });
        };
        let ids: Vec<ClaimId> = asked.iter().map(|one| one.judged.claim.id.clone()).collect();
        let revised = self.reconsider(judge, asked, &judged).await;
        let cites_anew = |id: &ClaimId| {
            let of = |said: &[JudgedClaim]| {
                said.iter().find(|said| said.claim.id == *id).map(|said| said.citations.clone())
            };
            of(&revised) != of(&judged)
        };
        let only = ids.into_iter().filter(cites_anew).collect();
        let (_, sheets) = self.verify_and_lay_out(revised.clone(), Some(only)).await?;
        let again = self.read(sheets).await;
        read.readings.retain(|earlier| again.readings.iter().all(|now| now.claim != earlier.claim));
        read.readings.extend(again.readings);
        let unread = read.unread.or(again.unread);
        Ok(Reviewed { judged: revised, first: Some(judged), readings: read.readings, unread })
    }

    /// Says where a policy has claims read that nobody reads.
    fn warn_unread(&mut self) {
        let is_wanted = self.case.policy.second_look != SecondLook::Off;
        let reads = |judge: &&Arc<dyn Judge>| judge.can_take_second_look();
        if is_wanted && self.case.reader.is_none() && self.judge.is_some_and(|judge| reads(&judge))
        {
            let sentence =
                "nobody reads what the judge supports a second time: judges.second_look is off";
            self.notices.push(Notice { code: "NO_SECOND_LOOK", sentence: sentence.to_owned() });
        }
    }

    /// The partition verified, and the sheets on which its claims are read: those of `only`, where that is given.
    async fn verify_and_lay_out(
        &self,
        judged: Vec<JudgedClaim>,
        only: Option<Vec<ClaimId>>,
    ) -> Result<(VerifiedPartition, Vec<Sheet>), Status> {
        let reader = self.case.reader.as_ref();
        let mode = reader.map_or(SecondLook::Off, |_| self.case.policy.second_look);
        let room = reader.and_then(|reader| reader.capabilities().max_evidence_bytes);
        let room = room.unwrap_or(MAX_SHEET).min(MAX_SHEET);
        let case = Arc::clone(self.case);
        compute(self.call, move |budget| {
            let mut judged = judged;
            role::assign_root_causes(&case.question.synthesis, &mut judged);
            let Case { policy, question, .. } = case.as_ref();
            let evidence = EvidenceSet::new(&question.evidence).with_budget(budget);
            let verified =
                verify(VerificationMode::Enforce, policy, &question.claims, judged, &evidence);
            let is_wanted = |judged: &&JudgedClaim| {
                only.as_ref().is_none_or(|only| only.contains(&judged.claim.id))
            };
            let claims = verified.claims.iter().map(|claim| &claim.judged).filter(is_wanted);
            let sheets = sheets(mode, claims, &question.synthesis, &evidence, room);
            (verified, sheets)
        })
        .await
    }

    /// Has sheets read.
    async fn read(&mut self, sheets: Vec<Sheet>) -> Read {
        let Some(reader) = self.case.reader.clone().filter(|_| !sheets.is_empty()) else {
            return Read::default();
        };
        self.call.enter(Step::Judge);
        let questions = sheets.into_iter().map(|sheet| self.question(sheet));
        let asked = questions.map(|question| {
            let reader = Arc::clone(&reader);
            async move {
                let answer = reader.judge(&question).await;
                (question, answer)
            }
        });
        let asked: Vec<_> = asked.collect();
        let span = traces::judge(reader.name());
        let answers: Vec<_> = stream::iter(asked)
            .buffered(SHEETS_AT_ONCE)
            .collect()
            .instrument(span.clone())
            .instrument(traces::step("second_look"))
            .await;
        let mut read = Read::default();
        let mut calls = Vec::new();
        let mut code = "";
        for (question, answer) in answers {
            match answer {
                Ok(answer) => {
                    calls.extend(answer.calls);
                    add_new(self.notices, answer.notices);
                    let readings =
                        answer.judged.into_iter().map(|said| reading(said, reader.name()));
                    let before = read.readings.len();
                    read.readings.extend(readings);
                    let given = read.readings.get(before..).unwrap_or_default();
                    if let Some(why) = answer.abstained {
                        read.unread.get_or_insert(format!("the reader abstained: {why}"));
                    } else {
                        read.unread = read.unread.or_else(|| without_verdict(&question, given));
                    }
                }
                Err(JudgeError::DeadlinePassed { calls: made, .. }) => {
                    calls.extend(made);
                    code = "DEADLINE_EXCEEDED";
                    read.unread.get_or_insert("the deadline passed".to_owned());
                }
                Err(JudgeError::Failed { code: failed, reason, calls: made, .. }) => {
                    calls.extend(made);
                    code = failed;
                    read.unread.get_or_insert(format!("{reason} ({failed})"));
                }
            }
        }
        let result = if read.unread.is_some() { "failed" } else { "judged" };
        traces::record_judge_result(&span, result, code);
        for reading in &read.readings {
            let verdict = reading.verdict.name();
            counter!(names::SECOND_LOOKS, "reader" => reader.name().to_owned(), "verdict" => verdict)
                .increment(1);
        }
        if let Some(why) = &read.unread {
            let sentence = format!("what the judge supports was not read a second time: {why}");
            add_new(self.notices, vec![Notice { code: "SECOND_LOOK_FAILED", sentence }]);
        }
        let detail = read.unread.clone().unwrap_or_default();
        self.record(reader.name(), result, detail, code, calls);
        self.call.enter(Step::Decide);
        read
    }

    fn question(&self, sheet: Sheet) -> Arc<Question> {
        let Sheet { statements, evidence } = sheet;
        let asked = &self.case.question;
        Arc::new(Question {
            synthesis: "".into(),
            claims: statements.iter().map(|statement| statement.claim.clone()).collect(),
            objections: Vec::new(),
            statements,
            evidence: Arc::new(evidence),
            examples: Arc::default(),
            cacheable: false,
            explain: false,
            samples: None,
            sample: 0,
            bypass_cache: asked.bypass_cache,
            deadline: asked.deadline.map(with_reserve),
            call: asked.call.clone(),
        })
    }

    /// Adds to the provenance what the reader did.
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

    /// Asks the judge once more. A turn that fails changes nothing.
    async fn reconsider(
        &mut self,
        judge: &Arc<dyn Judge>,
        asked: Vec<Objection>,
        first: &[JudgedClaim],
    ) -> Vec<JudgedClaim> {
        self.call.enter(Step::Judge);
        let ids: Vec<ClaimId> = asked.iter().map(|one| one.judged.claim.id.clone()).collect();
        let objected = asked.into_iter().map(|Objection { judged: said, findings }| {
            let votes = self.votes.iter().find(|votes| votes.claim == said.claim.id);
            let votes = votes.map(|votes| votes.votes.clone()).unwrap_or_default();
            judge::Objection { verdict: said, findings, votes }
        });
        let question = &self.case.question;
        let turn = Question {
            deadline: question.deadline.map(with_reserve),
            ..question.about(objected.collect())
        };
        let mut answer = judge.judge(&turn).await;
        let calls = std::mem::take(calls_of(&mut answer));
        calls.iter().for_each(|call| count_call(judge.name(), call));
        if let Some(link) = self.provenance.judges.last_mut() {
            link.calls.extend(calls.into_iter().map(call_to_proto));
        }
        let (result, judged) = match answer {
            Ok(answer) if answer.abstained.is_none() => {
                add_new(self.notices, answer.notices);
                let ids: Vec<&ClaimId> = ids.iter().collect();
                ("answered", apply_turn(first, &ids, &answer.judged))
            }
            Ok(_) => {
                self.notices.push(turn_failed("it abstained"));
                ("abstained", first.to_vec())
            }
            Err(error) => {
                self.notices.push(turn_failed(&error.to_string()));
                ("failed", first.to_vec())
            }
        };
        counter!(names::EXTRA_TURNS, "judge" => judge.name().to_owned(), "result" => result)
            .increment(1);
        self.call.enter(Step::Decide);
        judged
    }
}

fn reading(said: JudgedClaim, reader: &str) -> Reading {
    let verdict = match said.class {
        Class::Grounded => SecondLookVerdict::Shown,
        Class::Contradicted => SecondLookVerdict::Refuted,
        Class::Ungrounded | Class::Complementary => SecondLookVerdict::NotShown,
    };
    Reading { claim: said.claim.id, verdict, words: said.note, reader: reader.to_owned() }
}

/// Names the claims of a question that have no verdict.
fn without_verdict(question: &Question, readings: &[Reading]) -> Option<String> {
    let has_none = |id: &&ClaimId| readings.iter().all(|reading| reading.claim != **id);
    let ids: Vec<&str> = question
        .claims
        .iter()
        .map(|claim| &claim.id)
        .filter(has_none)
        .map(ClaimId::as_str)
        .collect();
    (!ids.is_empty()).then(|| format!("the reader gave no verdict on {}", ids.join(", ")))
}

fn add_new(notices: &mut Vec<Notice>, new: Vec<Notice>) {
    for notice in new {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
}

fn with_reserve(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline - (left / 10).min(MAX_RESERVE)
}

fn turn_failed(reason: &str) -> Notice {
    Notice {
        code: "EXTRA_TURN_FAILED",
        sentence: format!("the judge gave no answer when it was asked once more: {reason}"),
    }
}
