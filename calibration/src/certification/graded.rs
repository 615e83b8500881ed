//! The graded reports of a certificate, each with the score at which a policy lets it proceed.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};
use gsar_core::Tier;
use gsar_core::fixed::Millionths;
use gsar_core::policy::Policy;
use gsar_core::score::Ratio;

use super::sequence::Step;
use crate::partition::Partition;
use crate::trace::Trace;

/// The graded reports of one judge.
#[derive(Debug)]
pub(crate) struct GradedReports {
    /// The judge that decided them all.
    pub(crate) judge: String,
    /// The prompt templates of the judge.
    pub(crate) prompts: BTreeSet<String>,
    reports: Vec<Report>,
}

#[derive(Debug)]
struct Report {
    /// The score at which it proceeds; `None` if it proceeds at no threshold.
    score: Option<Ratio>,
    /// `true` if people call a claim of it ungrounded or contradicted.
    is_wrong: bool,
}

impl GradedReports {
    /// The reports of traces under the loosest policy, which has the lowest threshold.
    pub(crate) fn of(traces: &[Trace], loosest: &Policy) -> Result<Self> {
        let (mut judges, mut prompts) = (BTreeSet::new(), BTreeSet::new());
        let mut reports = Vec::new();
        for row in traces.iter().flat_map(|trace| &trace.rows) {
            let judge = row.judge();
            if !judge.is_empty() {
                judges.insert(judge.to_owned());
            }
            let calls = row.decided().into_iter().flat_map(|link| &link.calls);
            prompts.extend(calls.map(|call| call.prompt.clone()));
            let decision = Partition::of(row)?.map(|partition| partition.decide(loosest));
            let decision = decision.filter(|decision| decision.tier == Tier::Proceed);
            reports.push(Report {
                score: decision.and_then(|decision| decision.guarded_score),
                is_wrong: row.is_wrong(),
            });
        }
        ensure!(!reports.is_empty(), "there are no graded reports");
        let judges: Vec<String> = judges.into_iter().collect();
        match judges.as_slice() {
            [judge] => Ok(Self { judge: judge.clone(), prompts, reports }),
            [] => bail!("no judge decided any of the reports"),
            several => bail!(
                "{} decided these reports; a certificate is of one judge: give it runs of that one alone",
                several.join(" and ")
            ),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.reports.len()
    }

    /// The reports that proceed at a threshold.
    pub(crate) fn at(&self, threshold: Millionths) -> Step {
        let goes_out =
            |report: &&Report| report.score.is_some_and(|score| score.compare(threshold).is_ge());
        let out = self.reports.iter().filter(goes_out);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Step {
            threshold,
            proceeds: count(out.clone().count()),
            wrong: count(out.filter(|report| report.is_wrong).count()),
        }
    }
}
