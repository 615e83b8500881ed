//! Formats the result of a certification.

use std::fmt::Write as _;
use std::path::Path;

use gsar_core::policy::Policy;

use super::graded::GradedReports;
use super::sequence::{Goal, Step, Tested, fewest_proceeds};
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
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{text}");
    };
    line(format!(
        "Policy `{}`, judge {}, {} graded reports; wrong is a report with a claim that people call ungrounded or contradicted.",
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
        None => line(format!("Not shown: {goal_text}, at no threshold.")),
    }
    if let Some(failed) = tested.failed {
        line(format!("The first threshold that fails is {}.", failed.threshold));
        line(step_line(&failed, graded));
    }
    line(format!("At the policy's own tau_proceed = {}:", base.tau_proceed));
    line(step_line(&graded.at(base.tau_proceed), graded));
    line(needed(tested, goal));
    match (tested.passed, written) {
        (Some(_), Some(path)) => line(format!("Written to {}.", path.display())),
        (Some(_), None) => line("Nothing was written; name a file with --out.".to_owned()),
        (None, _) => line(
            "Nothing was written. The reports of deployment have to be like these, and so has the share of wrong ones."
                .to_owned(),
        ),
    }
    page
}

fn step_line(step: &Step, graded: &GradedReports) -> String {
    let Step { proceeds, wrong, .. } = *step;
    let of = Counts { hits: wrong, of: proceeds };
    let between = clopper_pearson(of, 0.05).map_or(String::new(), |exact| {
        format!(
            " ({:.1} to {:.1} % by its exact 95 % interval)",
            exact.low * 100.0,
            exact.high * 100.0
        )
    });
    let share = f64::from(proceeds) * 100.0 / graded.len().max(1) as f64;
    format!(
        "  {proceeds} of {} reports go out ({share:.1} %), {wrong} of them wrong{between}.",
        graded.len()
    )
}

fn needed(tested: &Tested, goal: Goal) -> String {
    let half = Goal { risk: goal.risk / 2.0, ..goal };
    let fewest = |wrong, goal| {
        fewest_proceeds(wrong, goal)
            .map_or_else(|| "more than any number of".to_owned(), |n| n.to_string())
    };
    let mut text = format!(
        "Without an error {} reports that go out are needed, with one {}; for half of the risk {} and {}.",
        fewest(0, goal),
        fewest(1, goal),
        fewest(0, half),
        fewest(1, half)
    );
    let at = tested.passed.or(tested.failed);
    if let Some(Step { proceeds, wrong, .. }) = at.filter(|at| at.wrong > 0) {
        let share = f64::from(wrong) / f64::from(proceeds.max(1));
        if share >= goal.risk {
            text.push_str(" At the share of wrong ones seen here no number of reports is enough: raise the threshold or the judge.");
        }
    }
    text
}
