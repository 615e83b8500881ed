//! Finds the lowest threshold with a small risk of a wrong proceed. Starts at the highest threshold and
//! applies an exact binomial test at the full significance level to each threshold, until one fails (fixed
//! sequence testing, Angelopoulos et al. 2021, Learn then Test).

use gsar_core::fixed_point::Millionths;

use crate::statistics::tail_at_most;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The maximum of P(wrong | proceed), between 0 and 1.
    pub(crate) risk: f64,
    /// The maximum probability that the guarantee fails, between 0 and 1.
    pub(crate) miss: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) threshold: Millionths,
    pub(crate) proceeds: u32,
    pub(crate) wrong: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tested {
    /// The lowest threshold that passed; `None` if the first one failed.
    pub(crate) passed: Option<Step>,
    /// The first threshold that failed; `None` if all passed.
    pub(crate) failed: Option<Step>,
}

pub(crate) fn test(steps: impl IntoIterator<Item = Step>, goal: Goal) -> Tested {
    let mut tested = Tested { passed: None, failed: None };
    for step in steps {
        let is_shown = tail_at_most(step.wrong, step.proceeds, goal.risk)
            .is_some_and(|chance| chance <= goal.miss);
        if !is_shown {
            tested.failed = Some(step);
            break;
        }
        tested.passed = Some(step);
    }
    tested
}

/// Returns how many reports must proceed to meet the goal if `wrong` of them are wrong.
pub(crate) fn min_proceeds(wrong: u32, goal: Goal) -> Option<u32> {
    const MAX: u32 = 10_000_000;
    let meets = |of: u32| tail_at_most(wrong, of, goal.risk).is_some_and(|tail| tail <= goal.miss);
    let mut upper = wrong.max(1);
    while !meets(upper) {
        upper = upper.checked_mul(2).filter(|upper| *upper <= MAX)?;
    }
    let mut lower = upper / 2;
    while lower + 1 < upper {
        let middle = lower + (upper - lower) / 2;
        if meets(middle) { upper = middle } else { lower = middle }
    }
    Some(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Random;

    const GOAL: Goal = Goal { risk: 0.05, miss: 0.05 };

    #[test]
    fn fifty_nine_correct_reports_are_enough() {
        assert_eq!(min_proceeds(0, GOAL), Some(59));
        assert_eq!(min_proceeds(1, GOAL), Some(93));
        assert_eq!(min_proceeds(0, Goal { risk: 0.01, miss: 0.05 }), Some(299));
        let step = |proceeds, wrong| Step { threshold: Millionths::ONE, proceeds, wrong };
        let passes = |proceeds, wrong| test([step(proceeds, wrong)], GOAL).passed.is_some();
        assert!(passes(59, 0) && !passes(58, 0) && passes(93, 1) && !passes(92, 1));
        assert!(!passes(0, 0));
    }

    #[test]
    fn stops_at_the_first_failure() {
        let step = |percent: u32, proceeds, wrong| Step {
            threshold: Millionths::new(percent * 10_000),
            proceeds,
            wrong,
        };
        let steps = [step(100, 80, 0), step(99, 90, 9), step(98, 400, 0)];
        let tested = test(steps, GOAL);
        assert_eq!((tested.passed, tested.failed), (Some(steps[0]), Some(steps[1])));
    }

    /// The higher a report's score, the less likely it is to be wrong.
    #[test]
    fn the_guarantee_rarely_fails() {
        const DEPLOYMENTS: u64 = 1_000;
        const ROWS: usize = 400;
        for (high, low) in [(0.04, 0.6), (0.02, 0.08), (0.06, 0.3)] {
            let chance = |percent: usize| low + (high - low) * percent as f64 / 100.0;
            // Scores are distributed uniformly from 0 to 100 percent.
            let risk_from = |percent: usize| {
                let chances: Vec<f64> = (percent..=100).map(chance).collect();
                chances.iter().sum::<f64>() / chances.len() as f64
            };
            let (mut missed, mut shown) = (0, 0);
            for deployment in 0..DEPLOYMENTS {
                let mut random = Random::new(deployment);
                let rows: Vec<(usize, bool)> = (0..ROWS)
                    .map(|_| {
                        let percent = random.below(101);
                        (percent, random.below(1_000_000) < (chance(percent) * 1e6) as usize)
                    })
                    .collect();
                // The first threshold is chosen without looking at the reports.
                let steps = (0..=80).rev().map(|percent| {
                    let proceeding = rows.iter().filter(|(score, _)| *score >= percent);
                    Step {
                        threshold: Millionths::new(percent as u32 * 10_000),
                        proceeds: u32::try_from(proceeding.clone().count()).unwrap(),
                        wrong: u32::try_from(proceeding.filter(|(_, wrong)| *wrong).count())
                            .unwrap(),
                    }
                });
                if let Some(passed) = test(steps, GOAL).passed {
                    shown += 1;
                    let percent = passed.threshold.get() as usize / 10_000;
                    missed += u64::from(risk_from(percent) > GOAL.risk);
                }
            }
            // Three standard deviations for 1,000 draws at 5 %.
            let max = 50.0 + 3.0 * (1_000.0_f64 * 0.05 * 0.95).sqrt();
            assert!(
                (missed as f64) <= max,
                "the guarantee failed in {missed} of {DEPLOYMENTS} deployments; {shown} were certified"
            );
        }
    }
}
