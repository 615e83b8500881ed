//! Drives rows through the whole loop. The writer drops faulty claims, and a replan adds retrieved evidence.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use futures_util::StreamExt as _;
use gsar_client::{ActiveInvestigation, Client, ClientError, InvestigationOutcome};
use gsar_proto::json::to_json;
use gsar_proto::v1;
use serde_json::value::RawValue;
use v1::instruction::Due;

use super::answers::{End, Limits, cost, progress_bar};
use super::evidence::{MAX_CONCURRENT, Retrieved};
use super::question::{RequestOptions, request};
use crate::rewriting::{drop_faulty, faults, statements};
use crate::rows::Row;
use crate::trace::{Line, LoopEnd, TraceWriter};

pub(super) async fn drive_rows(
    client: &Client,
    rows: Vec<(Row, Retrieved)>,
    options: RequestOptions<'_>,
    limits: Limits,
    trace: &mut TraceWriter,
) -> Result<End> {
    let start = Instant::now();
    let bar = progress_bar(rows.len());
    // The ids differ between runs, so that no finished investigation of an earlier run is resumed.
    let run = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
    let all = rows.len();
    let driven = rows.into_iter().enumerate().map(async |(number, (row, further))| {
        let id = format!("calibrate-{run}-{number}");
        let gold = row.claims.iter().map(|claim| claim.gold).collect();
        let name = row.id.clone();
        let line = |evaluation, refused, loop_end| Line {
            row: name.clone(),
            gold,
            evaluation,
            refused,
            loop_end,
        };
        match drive(client, id, row, further, options).await {
            Ok((first, spent, end)) => {
                let first = RawValue::from_string(to_json(&first)?)?;
                Ok((line(Some(first), None, Some(end)), spent))
            }
            Err(error) => match error.downcast_ref().and_then(ClientError::refusal) {
                Some(refusal) if refusal.retry_after.is_none() => {
                    Ok((line(None, Some(refusal.to_string()), None), 0))
                }
                _ => Err(error.context(format!("row {name}"))),
            },
        }
    });
    let mut driven = futures_util::stream::iter(driven).buffer_unordered(MAX_CONCURRENT);
    let (mut answered, mut cost_micros, mut budget_exhausted) = (0, 0, false);
    while let Some(line) = driven.next().await {
        let (line, spent) = line?;
        trace.add(&line)?;
        answered += 1;
        cost_micros += spent;
        bar.inc(1);
        budget_exhausted = limits.cost_micros.is_some_and(|max| cost_micros >= max);
        if budget_exhausted {
            break;
        }
    }
    bar.finish_and_clear();
    budget_exhausted &= answered < all;
    Ok(End { answered, took: start.elapsed(), cost_micros, budget_exhausted })
}

/// Returns the first evaluation, the cost in millionths of a dollar, and the end of the loop.
async fn drive(
    client: &Client,
    investigation_id: String,
    row: Row,
    further: Retrieved,
    options: RequestOptions<'_>,
) -> Result<(v1::EvaluateResponse, u64, LoopEnd)> {
    let policy = options.policy.to_owned();
    let start = v1::StartInvestigationRequest { investigation_id, policy, ..Default::default() };
    let mut active = ActiveInvestigation::start(client, start).await?;
    let mut draft = Draft::new(row, options.whole);
    let mut further = further.into_iter();
    let (mut first, mut spent) = (None, 0);
    while let Some(due) = active.due() {
        let left = draft.without(faults(due));
        let more = match due {
            Due::Replan(_) | Due::GatherEvidence(_) => further.next().unwrap_or_default(),
            _ => Vec::new(),
        };
        match left {
            Some(left) => draft = left,
            None if more.is_empty() => {
                active.cancel().await?;
                break;
            }
            // The same report is judged again, with more evidence.
            None => {}
        }
        draft.row.evidence.extend(more);
        let v1::EvaluateRequest { report, evidence, .. } = request(&draft.row, options);
        let submitted = v1::SubmitReportRequest { report, evidence, ..Default::default() };
        let evaluation = active.submit_report(submitted).await?;
        spent += evaluation.as_ref().map_or(0, cost);
        first = first.or(evaluation);
    }
    let InvestigationOutcome { investigation, end } = active.into_outcome();
    let end = LoopEnd {
        end: end.cause,
        replans: investigation.plan,
        judged: investigation.trajectory.len(),
        claims: draft.numbers,
    };
    Ok((first.context("no report was judged")?, spent, end))
}

#[derive(Clone, Debug)]
struct Draft {
    row: Row,
    /// The numbers of the claims that are left, counted from 1.
    numbers: Vec<usize>,
    whole: bool,
}

impl Draft {
    fn new(mut row: Row, whole: bool) -> Self {
        if whole {
            row.report = row.text();
        }
        Self { numbers: (1..=row.claims.len()).collect(), row, whole }
    }

    /// Drops the faulty claims. Returns `None` if nothing would be left.
    fn without(&self, faults: &[v1::ClaimFault]) -> Option<Self> {
        let Row { id, report, claims, evidence } = &self.row;
        let report = drop_faulty(report, faults);
        let is_faulty = |position: usize| {
            let id = format!("c{position}");
            // Claims that the server split off have ids that the server assigned.
            let mut given = faults.iter().filter(|_| !self.whole);
            given.any(|fault| fault.claim.as_ref().is_some_and(|claim| claim.id == id))
        };
        let (numbers, claims): (Vec<usize>, Vec<_>) = (1..)
            .zip(self.numbers.iter().zip(claims))
            .filter(|(position, _)| !is_faulty(*position))
            .map(|(_, (number, claim))| (*number, claim.clone()))
            .filter(|(_, claim)| self.row.report.is_empty() || report.contains(&claim.text))
            .unzip();
        let is_empty = if self.whole { statements(&report).is_empty() } else { claims.is_empty() };
        let row = Row { id: id.clone(), report, claims, evidence: evidence.clone() };
        (!is_empty).then_some(Self { row, numbers, whole: self.whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Gold, GoldClaim, Item};
    use gsar_core::Class;

    fn draft(report: &str, whole: bool) -> Draft {
        let claim = |text: &str| GoldClaim::unjudged(text, Gold(Class::Grounded));
        let row = Row {
            id: "r".to_owned(),
            report: report.to_owned(),
            claims: vec![claim("It is up."), claim("It is hot."), claim("It is new.")],
            evidence: vec![Item::text("e1".to_owned(), "up".to_owned())],
        };
        Draft::new(row, whole)
    }

    fn fault(id: &str, start: u64, end: u64) -> v1::ClaimFault {
        let span = Some(v1::ByteRange { start, end });
        let claim = v1::JudgedClaim { id: id.to_owned(), span, ..Default::default() };
        v1::ClaimFault { claim: Some(claim), ..Default::default() }
    }

    #[test]
    fn drops_faulty_claims_and_keeps_the_numbers_of_the_others() {
        let first = draft("", false).without(&[fault("c1", 0, 9)]).unwrap();
        assert_eq!(first.numbers, [2, 3]);
        let second = first.without(&[fault("c2", 11, 21)]).unwrap();
        assert_eq!((second.numbers.as_slice(), second.row.report.as_str()), (&[2][..], ""));
        assert_eq!(second.row.claims.first().map(|claim| &*claim.text), Some("It is hot."));
        assert!(second.without(&[fault("c1", 0, 10)]).is_none());
        assert_eq!(second.without(&[]).unwrap().numbers, [2]);
    }

    #[test]
    fn drops_faulty_statements_from_a_report() {
        let whole = draft("", true).without(&[fault("s9", 10, 20)]).unwrap();
        assert_eq!(
            (whole.numbers.as_slice(), whole.row.report.contains("hot")),
            (&[1, 3][..], false)
        );
        let text = "Now it runs. It is up. It is hot. It is new.";
        let given = draft(text, false).without(&[fault("c3", 34, 44)]).unwrap();
        assert_eq!(given.numbers, [1, 2]);
        assert!(given.row.report.starts_with("Now it runs. It is up. It is hot."));
        assert!(draft("It is up.", true).without(&[fault("s1", 0, 9)]).is_none());
    }
}
