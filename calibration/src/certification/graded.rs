//! The graded reports that support a certificate.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};
use gsar_core::Tier;
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::Policy;
use gsar_core::score::Ratio;

use super::sequence::Step;
use crate::partition::Partition;
use crate::trace::Trace;

#[derive(Debug)]
pub(crate) struct GradedReports {
    pub(crate) judge: String,
    pub(crate) prompts: BTreeSet<String>,
    reports: Vec<Report>,
}

#[derive(Debug)]
struct Report {
    /// The highest threshold at which the report proceeds; `None` if it never does.
    score: Option<Ratio>,
    is_wrong: bool,
}

impl GradedReports {
    /// Decides the traces' reports under `loosest`, the policy with the lowest threshold.
    pub(crate) fn of(traces: &[Trace], loosest: &Policy) -> Result<Self> {
        let (mut judges, mut prompts) = (BTreeSet::new(), BTreeSet::new());
        let mut reports = Vec::new();
        for row in traces.iter().flat_map(|trace| &trace.rows) {
            let judge = row.judge();
            if !judge.is_empty() {
                judges.insert(judge.to_owned());
            }
            let calls = row.deciding_judge().into_iter().flat_map(|link| &link.calls);
            prompts.extend(calls.map(|call| call.prompt.clone()));
            let decision = Partition::of(row)?.map(|partition| partition.decide(loosest));
            let decision = decision.filter(|decision| decision.tier == Tier::Proceed);
            reports.push(Report {
                score: decision.and_then(|decision| decision.guarded_score),
                is_wrong: row.is_wrong(),
            });
        }
        ensure!(!reports.is_empty(), "no graded reports");
        let judges: Vec<String> = judges.into_iter().collect();
        match judges.as_slice() {
            [judge] => Ok(Self { judge: judge.clone(), prompts, reports }),
            [] => bail!("no judge decided any of the reports"),
            several => bail!(
                "these reports were decided by {}; a certificate requires that one judge decided all of them",
                several.join(" and ")
            ),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.reports.len()
    }

    pub(crate) fn step_at(&self, threshold: Millionths) -> Step {
        let proceeds =
            |report: &&Report| report.score.is_some_and(|score| score.compare(threshold).is_ge());
        let proceeding = self.reports.iter().filter(proceeds);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Step {
            threshold,
            proceeds: count(proceeding.clone().count()),
            wrong: count(proceeding.filter(|report| report.is_wrong).count()),
        }
    }
}
