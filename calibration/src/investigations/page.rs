//! Formats the measurements as Markdown, and as JSON for later comparison.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::graph::OriginAccuracy;
use super::measures::{Accuracy, Mean};
use super::sidecar::{BestReport, ReportDecision};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Measurements {
    pub(super) runs: usize,
    pub(super) incidents: usize,
    /// The number of lines that do not ask for a cause.
    pub(super) passed_over: usize,
    pub(super) as_written: Accuracy,
    pub(super) recorded_seconds: Option<Mean>,
    pub(super) goes_out: Option<Mean>,
    pub(super) out_right: Option<Mean>,
    pub(super) right_out: Option<Mean>,
    pub(super) wrong_held: Option<Mean>,
    /// The share of investigations whose best report is correct. `alone` is the share whose report with the best
    /// standalone score is correct. Both cover only incidents with several reports.
    pub(super) driven: Option<Mean>,
    pub(super) alone: Option<Mean>,
    pub(super) put_back: usize,
    /// The seconds per decision. `investigation_seconds` covers investigations with several reports.
    pub(super) seconds: Option<Mean>,
    pub(super) investigation_seconds: Option<Mean>,
    pub(super) explored: Vec<Explored>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Explored {
    pub(super) wrong: u32,
    pub(super) explored: Mean,
    pub(super) one_pass: Mean,
    pub(super) difference: Mean,
}

impl Measurements {
    pub(super) fn add_decisions(&mut self, incidents: &[Vec<ReportDecision>]) {
        let share = |of: &dyn Fn(&&ReportDecision) -> bool,
                     hit: &dyn Fn(&&ReportDecision) -> bool| {
            let of_incident = |decided: &Vec<ReportDecision>| {
                let counted: Vec<&ReportDecision> = decided.iter().filter(of).collect();
                let hits = counted.iter().copied().filter(hit).count();
                (!counted.is_empty()).then(|| hits as f64 / counted.len() as f64)
            };
            Mean::of(&incidents.iter().filter_map(of_incident).collect::<Vec<_>>())
        };
        self.goes_out = share(&|_| true, &|one| one.proceeds);
        self.out_right = share(&|one| one.proceeds, &|one| one.is_right);
        self.right_out = share(&|one| one.is_right, &|one| one.proceeds);
        self.wrong_held = share(&|one| !one.is_right, &|one| !one.proceeds);
        let took: Vec<f64> = incidents.iter().flatten().map(|one| one.took.as_secs_f64()).collect();
        self.seconds = Mean::of(&took);
    }

    pub(super) fn add_best_reports(&mut self, chosen: &[BestReport]) {
        let share = |hit: &dyn Fn(&BestReport) -> bool| {
            Mean::of(&chosen.iter().map(|of| f64::from(u8::from(hit(of)))).collect::<Vec<_>>())
        };
        self.driven = share(&|of| of.driven);
        self.alone = share(&|of| of.alone);
        self.put_back = chosen.iter().map(|of| of.put_back).sum();
        self.investigation_seconds =
            Mean::of(&chosen.iter().map(|of| of.took.as_secs_f64()).collect::<Vec<_>>());
    }

    pub(super) fn add_exploration(&mut self, wrong: u32, named: &[OriginAccuracy]) {
        let mean = |of: &dyn Fn(&OriginAccuracy) -> f64| {
            Mean::of(&named.iter().map(of).collect::<Vec<_>>())
        };
        if let (Some(explored), Some(one_pass), Some(difference)) = (
            mean(&|of| of.explored),
            mean(&|of| of.one_pass),
            mean(&|of| of.explored - of.one_pass),
        ) {
            self.explored.push(Explored { wrong, explored, one_pass, difference });
        }
    }

    pub(super) fn worse_than(&self, baseline: &Self, max_drop: f64, seconds: f64) -> Vec<String> {
        let shares = [
            ("AC@1 as written", baseline.as_written.ac1, self.as_written.ac1),
            ("AC@1 of the best report of an investigation", baseline.driven, self.driven),
            ("AC@1 of the report with the best score", baseline.alone, self.alone),
            ("the share of wrong answers held back", baseline.wrong_held, self.wrong_held),
            ("the share of right answers that proceed", baseline.right_out, self.right_out),
        ];
        let mut worse = Vec::new();
        for (name, before, after) in shares {
            let Some(before) = before else { continue };
            let Some(after) = after.filter(|after| after.of >= before.of) else {
                let over = after.map_or(0, |after| after.of);
                worse.push(format!("{name} has {over} incidents instead of {}", before.of));
                continue;
            };
            if before.value - after.value > max_drop {
                worse.push(format!("{name} fell from {:.3} to {:.3}", before.value, after.value));
            }
        }
        for then in &baseline.explored {
            let now = self.explored.iter().find(|now| now.wrong == then.wrong);
            let Some(now) = now.filter(|now| now.explored.of >= then.explored.of) else {
                worse.push(format!("fewer graphs explored with {} % wrong answers", then.wrong));
                continue;
            };
            if then.explored.value - now.explored.value <= max_drop {
                continue;
            }
            worse.push(format!(
                "AC@1 of explored graphs with {} % wrong answers fell from {:.3} to {:.3}",
                then.wrong, then.explored.value, now.explored.value
            ));
        }
        let took = [
            ("a decision", baseline.seconds, self.seconds),
            ("an investigation", baseline.investigation_seconds, self.investigation_seconds),
        ];
        for (name, before, after) in took {
            let (Some(before), Some(after)) = (before, after) else { continue };
            if after.value - before.value > seconds {
                worse.push(format!(
                    "{name} takes {:.1} s instead of {:.1}",
                    after.value, before.value
                ));
            }
        }
        worse
    }

    pub(super) fn page(&self) -> String {
        let mut page = format!(
            "{} runs of {} incidents; {} lines skipped because they ask for no cause. Means over incidents with 95 % intervals.\n\n",
            self.runs, self.incidents, self.passed_over
        );
        page.push_str("| | share | incidents |\n|---|---|---|\n");
        let written = &self.as_written;
        for (name, mean) in [
            ("AC@1, as written", written.ac1),
            ("AC@3, as written", written.ac3),
            ("majority@k, several runs", written.majority),
            ("pass@k, several runs", written.pass),
            ("F1 of the named causes", written.f1),
            ("runs with an answer", written.answered),
            ("invalid tool calls", written.invalid),
            ("reports that proceed", self.goes_out),
            ("right among those that proceed", self.out_right),
            ("right ones that proceed", self.right_out),
            ("wrong ones held back", self.wrong_held),
            (
                "AC@1 of the best report of an investigation, with contradictions carried forward",
                self.driven,
            ),
            ("AC@1 of the report with the best score alone", self.alone),
        ] {
            let Some(mean) = mean else { continue };
            let _ = writeln!(page, "| {name} | {} | {} |", share(mean), mean.of);
        }
        let _ = writeln!(page, "\nContradictions put back: {}.", self.put_back);
        for (name, mean) in [
            ("per recorded run", self.recorded_seconds),
            ("per decision", self.seconds),
            ("per investigation of several reports", self.investigation_seconds),
        ] {
            let Some(mean) = mean else { continue };
            let _ = writeln!(
                page,
                "Seconds {name}: {:.2} [{:.2}, {:.2}].",
                mean.value, mean.low, mean.high
            );
        }
        if !self.explored.is_empty() {
            page.push_str("\n| wrong answers | AC@1, exploration | one pass | difference | graphs |\n|---:|---|---|---|---|\n");
        }
        for of in &self.explored {
            let Explored { wrong, explored, one_pass, difference } = of;
            let (explored, one_pass, difference_share) =
                (share(*explored), share(*one_pass), share(*difference));
            let _ = writeln!(
                page,
                "| {wrong} % | {explored} | {one_pass} | {difference_share} | {} |",
                difference.of
            );
        }
        page
    }
}

fn share(mean: Mean) -> String {
    let percent = |value: f64| 100.0 * value;
    format!("{:.1} % [{:.1}, {:.1}]", percent(mean.value), percent(mean.low), percent(mean.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(ac1: f64, seconds: f64) -> Measurements {
        let mean = |value| Some(Mean { value, low: value, high: value, of: 10 });
        Measurements {
            as_written: Accuracy { ac1: mean(ac1), ..Accuracy::default() },
            seconds: mean(seconds),
            ..Measurements::default()
        }
    }

    #[test]
    fn reports_what_is_worse_than_the_baseline() {
        let worse = |now: &Measurements| now.worse_than(&with(0.50, 1.0), 0.02, 30.0).len();
        assert_eq!(worse(&with(0.481, 31.0)), 0);
        assert_eq!(worse(&with(0.9, 0.1)), 0);
        assert_eq!(worse(&with(0.479, 1.0)), 1);
        assert_eq!(worse(&with(0.479, 31.1)), 2);
        assert_eq!(worse(&Measurements::default()), 1);
    }

    #[test]
    fn json_round_trips() {
        let measured = with(0.25, 2.0);
        let text = serde_json::to_string(&measured).unwrap();
        assert_eq!(serde_json::from_str::<Measurements>(&text).unwrap(), measured);
        assert!(measured.page().contains("| AC@1, as written | 25.0 % [25.0, 25.0] | 10 |"));
    }
}
