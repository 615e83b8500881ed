//! Minimizes an objective over valid policies by pattern search (Hooke and Jeeves 1961) from several
//! starting points.

use gsar_core::EvidenceType;
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{Policy, PolicyValues};

use super::objective::{Objective, Report, distance};
use crate::statistics::Random;

const STEPS: [i64; 5] = [200_000, 100_000, 50_000, 20_000, 10_000];

/// The number of starting points (the base policy and random policies near it).
const STARTS: usize = 6;

/// The maximum difference per value between the base and a starting point, in millionths.
const REACH: usize = 200_000;

#[derive(Clone, Copy, Debug)]
enum Value {
    Weight(EvidenceType),
    Rho,
    Proceed,
    Regenerate,
}

impl Value {
    fn for_objective(objective: Objective) -> Vec<Self> {
        let mut values: Vec<Self> = EvidenceType::ALL.into_iter().map(Self::Weight).collect();
        values.push(Self::Rho);
        if matches!(objective, Objective::Cost(_)) {
            values.extend([Self::Proceed, Self::Regenerate]);
        }
        values
    }

    fn get(self, values: &PolicyValues) -> Millionths {
        match self {
            Self::Weight(evidence_type) => values.weights.get(evidence_type),
            Self::Rho => values.rho,
            Self::Proceed => values.tau_proceed,
            Self::Regenerate => values.tau_regenerate,
        }
    }

    /// Returns the values with this one changed by `by`, or unchanged if the result would be negative.
    fn moved(self, values: &PolicyValues, by: i64) -> PolicyValues {
        let mut values = values.clone();
        let to = i64::from(self.get(&values).get()) + by;
        let Ok(to) = u32::try_from(to).map(Millionths::new) else { return values };
        match self {
            Self::Weight(evidence_type) => values.weights.set(evidence_type, to),
            Self::Rho => values.rho = to,
            Self::Proceed => values.tau_proceed = to,
            Self::Regenerate => values.tau_regenerate = to,
        }
        values
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub(crate) objective: Objective,
    pub(crate) pull: f64,
    pub(crate) seed: u64,
}

impl Search {
    pub(crate) fn best(self, base: &Policy, reports: &[&Report]) -> Policy {
        let values = Value::for_objective(self.objective);
        let mut random = Random::new(self.seed);
        let mut best = (self.loss(base, base, reports), base.clone());
        for start_index in 0..STARTS {
            let start = if start_index == 0 {
                base.clone()
            } else {
                sample_near(base, &values, &mut random)
            };
            let found = self.descend(base, start, &values, reports);
            if found.0 < best.0 {
                best = found;
            }
        }
        best.1
    }

    fn loss(self, base: &Policy, policy: &Policy, reports: &[&Report]) -> f64 {
        let pull = self.pull * distance(base.values(), policy.values());
        self.objective.evaluate(policy, reports.iter().copied()) + pull
    }

    fn descend(
        self,
        base: &Policy,
        start: Policy,
        values: &[Value],
        reports: &[&Report],
    ) -> (f64, Policy) {
        let mut best = (self.loss(base, &start, reports), start);
        for step in STEPS {
            let mut has_moved = true;
            while has_moved {
                has_moved = false;
                for value in values {
                    for by in [step, -step] {
                        let Ok(moved) = Policy::new(value.moved(best.1.values(), by)) else {
                            continue;
                        };
                        let loss = self.loss(base, &moved, reports);
                        if loss < best.0 {
                            best = (loss, moved);
                            has_moved = true;
                        }
                    }
                }
            }
        }
        best
    }
}

/// Draws a random policy near the base, or returns the base if the drawn policy is invalid.
fn sample_near(base: &Policy, values: &[Value], random: &mut Random) -> Policy {
    let mut drawn = base.values().clone();
    for value in values {
        let by = random.between(0, 2 * REACH) as i64 - REACH as i64;
        drawn = value.moved(&drawn, by / 10_000 * 10_000);
    }
    Policy::new(drawn).unwrap_or_else(|_| base.clone())
}

#[cfg(test)]
mod tests {
    use gsar_core::policy::Weights;
    use gsar_core::{Class, Headline, Origin, Preset, Tally, TextFindings, Tier, decide, preset};

    use super::*;
    use crate::fitting::objective::Prices;

    // A wrong proceed costs twice as much as holding back a correct report.
    const PRICES: Prices = Prices { replan: 1.0, regenerate: 1.0, wrong_proceed: 2.0 };

    /// Draws random reports. Those that proceed under `truth` are correct.
    fn random_reports(seed: u64, truth: &Policy, count: usize) -> Vec<Report> {
        let mut random = Random::new(seed);
        let report = |_| {
            let mut tally = Tally::default();
            for _ in 0..random.between(4, 14) {
                let class = match random.below(10) {
                    0..6 => Class::Grounded,
                    6..8 => Class::Ungrounded,
                    8 => Class::Complementary,
                    _ => Class::Contradicted,
                };
                let evidence_type = *random.pick(&EvidenceType::ALL).unwrap();
                tally.add(class, evidence_type, 1);
            }
            let findings = TextFindings {
                coverage: None,
                duplicates: 0,
                headline: Headline::default(),
                second_look_error: None,
            };
            let decision = decide(truth, &tally, Origin::Judge, Some(&findings));
            let faithfulness = if decision.tier == Tier::Proceed { 1.0 } else { 0.5 };
            Report { tally, findings, faithfulness }
        };
        (0..count).map(report).collect()
    }

    fn truth() -> Policy {
        let mut values = preset(Preset::Paper).values().clone();
        let weights = [900_000, 800_000, 900_000, 300_000, 700_000, 500_000, 900_000, 200_000];
        values.weights = Weights::new(weights.map(Millionths::new));
        values.rho = Millionths::new(1_000_000);
        values.tau_proceed = Millionths::new(700_000);
        Policy::new(values).unwrap()
    }

    #[test]
    fn recovers_the_decisions_of_a_hidden_policy() {
        let (base, truth) = (preset(Preset::Paper), truth());
        let reports = random_reports(1, &truth, 1_500);
        let reports: Vec<&Report> = reports.iter().collect();
        let search = Search { objective: Objective::Cost(PRICES), pull: 0.01, seed: 1 };
        let fitted = search.best(&base, &reports);
        let unseen = random_reports(2, &truth, 2_000);
        let agreement_per_mille = |policy: &Policy| {
            let proceeds = |report: &Report| {
                let decision = decide(policy, &report.tally, Origin::Judge, Some(&report.findings));
                decision.tier == Tier::Proceed
            };
            let same = unseen.iter().filter(|report| proceeds(report) != report.is_wrong());
            same.count() * 1_000 / unseen.len()
        };
        let (before, after) = (agreement_per_mille(&base), agreement_per_mille(&fitted));
        assert!(before < 900 && after >= 950, "{before} and {after} out of 1,000");
        assert!(Policy::new(fitted.values().clone()).is_ok());
        assert_eq!(search.best(&base, &reports), fitted, "the search is deterministic");
    }

    #[test]
    fn a_strong_pull_keeps_the_base() {
        let base = preset(Preset::Paper);
        let reports = random_reports(1, &truth(), 50);
        let reports: Vec<&Report> = reports.iter().collect();
        let search = Search { objective: Objective::Cost(PRICES), pull: 1e6, seed: 1 };
        assert_eq!(search.best(&base, &reports), base);
    }
}
