//! Sends stored reports through a real server's whole loop. The rewriter and the planner drop statements
//! with faulty claims and add nothing.

use std::ops::Range;

use anyhow::{Context as _, Result};
use gsar_client::{ActiveInvestigation, InvestigationOutcome};
use gsar_core::Class;
use gsar_proto::v1;

use super::matching::Judgements;
use super::online::{POLICY, Replayer, known_case, to_message};
use super::provider::KnownCase;
use super::stored::{Case, Report};
use crate::arguments::{Rendering, ReplayPart};
use crate::rewriting::{drop_faulty, faults, statements};
use crate::tables::markdown::{DASH, heading, table};

const RENDERING: Rendering = Rendering::Json;

const KINDS: [&str; 3] = ["faithful", "overreaching", "contradicted"];

pub(super) struct DriveOutcome {
    kind: String,
    tiers: Vec<v1::Tier>,
    plan: u32,
    degraded: bool,
    /// The number of statements in the final report that are contradicted according to the stored judgements.
    false_statements: usize,
    statements_kept: (usize, usize),
}

impl DriveOutcome {
    /// Returns `true` if the report proceeded within this number of judged versions.
    fn proceeds_within(&self, judged: usize) -> bool {
        !self.degraded && self.tiers.len() <= judged
    }

    fn proceeds_under_first_plan(&self) -> bool {
        !self.degraded && self.plan == 0
    }
}

pub(super) async fn drive(replayer: &Replayer<'_>, cases: &[Case]) -> Result<Vec<DriveOutcome>> {
    let mut driven = Vec::new();
    for case in cases {
        for (number, report) in case.reports.iter().enumerate() {
            let id = format!("{}/{number}", case.name);
            driven.push(drive_one(replayer, case, report, id).await?);
        }
    }
    Ok(driven)
}

async fn drive_one(
    replayer: &Replayer<'_>,
    case: &Case,
    report: &Report,
    id: String,
) -> Result<DriveOutcome> {
    let start = v1::StartInvestigationRequest {
        investigation_id: id.clone(),
        policy: POLICY.to_owned(),
        ..Default::default()
    };
    let mut active = ActiveInvestigation::start(replayer.client, start).await?;
    let mut text = report.text.clone();
    while let Some(due) = active.due() {
        text = drop_faulty(&text, faults(due));
        if statements(&text).is_empty() {
            active.cancel().await?;
            break;
        }
        replayer.provider.set_cases(vec![known_case_for(case, &text)]);
        let submitted = v1::SubmitReportRequest {
            report: Some(v1::Report { synthesis: text.clone(), ..Default::default() }),
            evidence: case.evidence.iter().map(|item| to_message(item, RENDERING)).collect(),
            ..Default::default()
        };
        active.submit_report(submitted).await.with_context(|| id.clone())?;
    }
    let InvestigationOutcome { investigation, end } = active.into_outcome();
    Ok(DriveOutcome {
        kind: report.kind.clone(),
        tiers: investigation.trajectory.iter().map(v1::JudgedReport::tier).collect(),
        plan: investigation.plan,
        degraded: end.degraded,
        false_statements: false_statements(case, &text),
        statements_kept: (statements(&text).len(), statements(&report.text).len()),
    })
}

fn known_case_for(case: &Case, text: &str) -> KnownCase {
    let stored = case.claims.iter().map(|claim| (claim.text.as_str(), &claim.judgement));
    known_case(case, RENDERING, Judgements::new(stored), vec![text.to_owned()])
}

fn false_statements(case: &Case, text: &str) -> usize {
    let known_case = known_case_for(case, text);
    let is_false = |span: &Range<usize>| {
        let statement = text.get(span.clone()).unwrap_or_default();
        let judgement = known_case.judgements.for_split_claim(statement, text);
        judgement.is_some_and(|judgement| judgement.class == Class::Contradicted)
    };
    statements(text).iter().filter(|span| is_false(span)).count()
}

pub(super) fn page(part: ReplayPart, driven: &[DriveOutcome]) -> String {
    let mut page = format!(
        "# Reports driven through the loop, part {}\n\nPolicy {POLICY}; the judge returns stored answers. Statements with faulty claims are dropped.\n",
        part.name()
    );
    heading(&mut page, "Reports that proceed");
    let head = [
        "report",
        "number",
        "at once",
        "after one rewrite",
        "under the first plan",
        "in the end (M1)",
        "replans per proceed (M2)",
        "judged versions, mean",
        "statements kept",
        "proceed with a false statement",
    ];
    let rows: Vec<Vec<String>> = KINDS
        .into_iter()
        .map(|kind| row(kind, &driven.iter().filter(|one| one.kind == kind).collect::<Vec<_>>()))
        .collect();
    table(&mut page, &head, &rows);
    page
}

fn row(kind: &str, driven: &[&DriveOutcome]) -> Vec<String> {
    let count =
        |matches: &dyn Fn(&DriveOutcome) -> bool| driven.iter().filter(|one| matches(one)).count();
    let proceeding: Vec<&&DriveOutcome> = driven.iter().filter(|one| !one.degraded).collect();
    let mean = |sum: usize, of: usize| {
        let hundredths = (sum * 100).checked_div(of);
        let format_hundredths = |all: usize| format!("{}.{:02}", all / 100, all % 100);
        hundredths.map_or(DASH.to_owned(), format_hundredths)
    };
    let replans =
        proceeding.iter().map(|one| usize::try_from(one.plan).unwrap_or(usize::MAX)).sum();
    let judged = driven.iter().map(|one| one.tiers.len()).sum();
    let statements: usize = proceeding.iter().map(|one| one.statements_kept.0).sum();
    let before: usize = proceeding.iter().map(|one| one.statements_kept.1).sum();
    vec![
        kind.to_owned(),
        driven.len().to_string(),
        count(&|one| one.proceeds_within(1)).to_string(),
        count(&|one| one.proceeds_within(2)).to_string(),
        count(&DriveOutcome::proceeds_under_first_plan).to_string(),
        proceeding.len().to_string(),
        mean(replans, proceeding.len()),
        mean(judged, driven.len()),
        (statements * 100)
            .checked_div(before)
            .map_or(DASH.to_owned(), |share| format!("{share} %")),
        count(&|one| !one.degraded && one.false_statements > 0).to_string(),
    ]
}
