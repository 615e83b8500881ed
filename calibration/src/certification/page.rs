//! Formats the result of a certification.

use std::fmt::Write as _;
use std::path::Path;

use gsar_core::policy::Policy;

use super::graded::GradedReports;
use super::sequence::{Goal, Step, Tested, min_proceeds};
use crate::statistics::{Counts, clopper_pearson};

pub(super) fn page(
    base: &Policy,
    graded: &GradedReports,
    tested: &Tested,
    goal: Goal,
    written: Option<&Path>,
) -> String {
    let mut page = String::new();
    let mut line = |text: String| {
        let _ = writeln!(page, "{text}");
    };
    line(format!(
        "Policy `{}`, judge {}, {} graded reports; a report is wrong if a claim is labelled ungrounded or contradicted.",
        base.name,
        graded.judge,
        graded.len()
    ));
    let goal_text = format!(
        "P(wrong | proceed) at most {:.1} % with {:.1} % confidence",
        goal.risk * 100.0,
        (1.0 - goal.miss) * 100.0
    );
    match tested.passed {
        Some(passed) => {
            line(format!("Shown: {goal_text} at tau_proceed = {}.", passed.threshold));
            line(step_line(&passed, graded));
        }
        None => line(format!("Not shown at any threshold: {goal_text}.")),
    }
    if let Some(failed) = tested.failed {
        line(format!("The first threshold that fails is {}.", failed.threshold));
        line(step_line(&failed, graded));
    }
    line(format!("At the policy's own tau_proceed = {}:", base.tau_proceed));
    line(step_line(&graded.step_at(base.tau_proceed), graded));
    line(needed_reports(tested, goal));
    match (tested.passed, written) {
        (Some(_), Some(path)) => line(format!("Written to {}.", path.display())),
        (Some(_), None) => line("Nothing was written; use --out FILE.".to_owned()),
        (None, _) => line(
            "Nothing was written. The certificate assumes reports like those in deployment, with the same share of wrong ones."
                .to_owned(),
        ),
    }
    page
}

fn step_line(step: &Step, graded: &GradedReports) -> String {
    let Step { proceeds, wrong, .. } = *step;
    let counts = Counts { hits: wrong, of: proceeds };
    let interval = clopper_pearson(counts, 0.05).map_or(String::new(), |exact| {
        format!(" (exact 95 % interval {:.1} to {:.1} %)", exact.low * 100.0, exact.high * 100.0)
    });
    let share = f64::from(proceeds) * 100.0 / graded.len().max(1) as f64;
    format!(
        "  {proceeds} of {} reports proceed ({share:.1} %), of which {wrong} are wrong{interval}.",
        graded.len()
    )
}

fn needed_reports(tested: &Tested, goal: Goal) -> String {
    let half = Goal { risk: goal.risk / 2.0, ..goal };
    let needed = |wrong, goal| {
        min_proceeds(wrong, goal)
            .map_or_else(|| "more than 10 million".to_owned(), |n| n.to_string())
    };
    let mut text = format!(
        "Proceeding reports needed with no error: {}, with one: {}; for half the risk: {} and {}.",
        needed(0, goal),
        needed(1, goal),
        needed(0, half),
        needed(1, half)
    );
    let at = tested.passed.or(tested.failed);
    if let Some(Step { proceeds, wrong, .. }) = at.filter(|at| at.wrong > 0) {
        let share = f64::from(wrong) / f64::from(proceeds.max(1));
        if share >= goal.risk {
            text.push_str(" With this share of wrong reports no number is enough: raise the threshold or use a better judge.");
        }
    }
    text
}
