//! Counts the verdicts on generated claims.

use gsar_core::Class;
use gsar_datasets::generated::Expected;
use serde::Serialize;

use super::Outcome;
use crate::statistics::{Counts, Share, wilson};

#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) forms: Vec<Line>,
    /// One line per claim topic. May be empty.
    pub(super) families: Vec<Line>,
    pub(super) overall: Line,
}

#[derive(Debug, Serialize)]
pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) items: usize,
    pub(super) refuted: Verdicts,
    pub(super) shown: Verdicts,
    pub(super) undecidable: Verdicts,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Verdicts {
    pub(super) grounded: Share,
    pub(super) contradicted: Share,
}

impl Summary {
    pub(super) fn new(outcomes: &[Outcome]) -> Self {
        let by = |group: &dyn Fn(&Outcome) -> Option<&'static str>| {
            let mut names: Vec<&'static str> = Vec::new();
            for name in outcomes.iter().filter_map(group) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let line = |name| Line::new(name, outcomes, |outcome| group(outcome) == Some(name));
            names.into_iter().map(line).collect::<Vec<_>>()
        };
        let mut families = by(&|outcome| outcome.family);
        families.sort_by_key(|line| line.name);
        Self {
            forms: by(&|outcome| Some(outcome.form)),
            families,
            overall: Line::new("all", outcomes, |_| true),
        }
    }
}

impl Line {
    fn new(name: &'static str, outcomes: &[Outcome], of: impl Fn(&Outcome) -> bool) -> Self {
        let selected: Vec<&Outcome> = outcomes.iter().filter(|outcome| of(outcome)).collect();
        let verdicts = |expected| Verdicts::new(&selected, expected);
        Self {
            name,
            items: selected.iter().filter(|outcome| outcome.claim == 0).count(),
            refuted: verdicts(Expected::Refuted),
            shown: verdicts(Expected::Shown),
            undecidable: verdicts(Expected::Undecidable),
        }
    }
}

impl Verdicts {
    fn new(outcomes: &[&Outcome], expected: Expected) -> Self {
        let share = |class| {
            let of = outcomes.iter().filter(|outcome| outcome.expected == expected);
            let counts: Counts = of.map(|outcome| outcome.class == class).collect();
            Share::new(counts, wilson(counts))
        };
        Self { grounded: share(Class::Grounded), contradicted: share(Class::Contradicted) }
    }
}
