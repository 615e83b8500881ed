//! Summarizes a replay.

use std::collections::BTreeMap;

use serde::Serialize;

use super::errors::ErrorKind;
use super::outcome::{JudgementKind, Outcome, ReportDecision};
use crate::arguments::Rendering;
use crate::statistics::{Counts, Share, per_case};

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) rendering: &'static str,
    /// The share of correct verdicts that verification changed.
    pub(crate) broken: Share,
    pub(crate) missed: BTreeMap<&'static str, Share>,
    pub(crate) reports: BTreeMap<String, BTreeMap<&'static str, usize>>,
    /// Faithful reports that did not proceed.
    pub(crate) held_back: Vec<HeldBack>,
    /// The share of the reports' claims that have no stored judgement.
    pub(crate) unmatched: Share,
}

#[derive(Debug, Serialize)]
pub(crate) struct HeldBack {
    pub(crate) case: String,
    pub(crate) tier: &'static str,
    pub(crate) reasons: Vec<String>,
    pub(crate) findings: BTreeMap<String, usize>,
}

impl Summary {
    pub(crate) fn new(
        rendering: Rendering,
        outcomes: &[Outcome],
        reports: &[ReportDecision],
    ) -> Self {
        let right = |outcome: &Outcome| outcome.judgement_kind == JudgementKind::Right;
        let missed = ErrorKind::ALL.map(|kind| {
            let of = |outcome: &Outcome| outcome.judgement_kind == JudgementKind::Error(kind);
            (kind.name(), share(outcomes, of, Outcome::is_missed))
        });
        let mut tiers: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
        for report in reports {
            let of_kind = tiers.entry(report.kind.clone()).or_default();
            *of_kind.entry(report.tier.name()).or_default() += 1;
        }
        let held_back = |report: &&ReportDecision| {
            report.kind == "faithful" && report.tier != gsar_core::Tier::Proceed
        };
        let unmatched = Counts {
            hits: count(reports.iter().map(|report| report.unmatched.len()).sum()),
            of: count(reports.iter().map(|report| report.claims).sum()),
        };
        Self {
            rendering: rendering.name(),
            broken: share(outcomes, right, Outcome::is_broken),
            missed: missed.into(),
            reports: tiers,
            held_back: reports.iter().filter(held_back).map(HeldBack::new).collect(),
            unmatched: Share::new(unmatched, None),
        }
    }
}

fn share(
    outcomes: &[Outcome],
    of: impl Fn(&Outcome) -> bool,
    hit: impl Fn(&Outcome) -> bool,
) -> Share {
    Share::by_claim(&per_case(outcomes, |outcome| outcome.case, of, hit))
}

impl HeldBack {
    fn new(report: &ReportDecision) -> Self {
        let mut findings: BTreeMap<String, usize> = BTreeMap::new();
        for finding in &report.findings {
            *findings.entry(finding.code.clone()).or_default() += 1;
        }
        Self {
            case: report.case.clone(),
            tier: report.tier.name(),
            reasons: report.reasons.iter().map(|(code, _)| code.clone()).collect(),
            findings,
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::{Class, Tier};

    fn outcome(judgement_kind: JudgementKind, judged_class: Class, class: Class) -> Outcome {
        let (text, quote, findings) = (String::new(), String::new(), Vec::new());
        Outcome { case: 0, text, judgement_kind, judged_class, quote, class, findings }
    }

    #[test]
    fn counts_correct_verdicts_and_errors_separately() {
        let error = JudgementKind::Error(ErrorKind::Figure);
        let (grounded, ungrounded) = (Class::Grounded, Class::Ungrounded);
        let outcomes = [
            outcome(JudgementKind::Right, grounded, grounded),
            outcome(JudgementKind::Right, grounded, ungrounded),
            outcome(error, grounded, grounded),
            outcome(error, grounded, ungrounded),
            outcome(error, grounded, grounded),
        ];
        let summary = Summary::new(Rendering::Text, &outcomes, &[]);
        let hits = |share: &Share| (share.counts.hits, share.counts.of);
        assert_eq!(hits(&summary.broken), (1, 2));
        assert_eq!(hits(&summary.missed["figure"]), (2, 3));
        assert_eq!(hits(&summary.missed["name"]), (0, 0));
    }

    #[test]
    fn lists_held_back_faithful_reports() {
        let decision = |kind: &str, tier| ReportDecision {
            case: "a/1".to_owned(),
            kind: kind.to_owned(),
            tier,
            reasons: vec![("SCORE_BELOW_PROCEED".to_owned(), "words of the report".to_owned())],
            findings: Vec::new(),
            claims: 4,
            unmatched: vec!["words".to_owned()],
        };
        let reports = [
            decision("faithful", Tier::Proceed),
            decision("faithful", Tier::Replan),
            decision("contradicted", Tier::Replan),
        ];
        let summary = Summary::new(Rendering::Json, &[], &reports);
        let [held_back] = &summary.held_back[..] else { panic!("expected one report") };
        assert_eq!(
            (held_back.tier, &held_back.reasons[..]),
            ("replan", &["SCORE_BELOW_PROCEED".to_owned()][..])
        );
        assert_eq!(summary.unmatched.counts, Counts { hits: 3, of: 12 });
        assert_eq!(summary.reports["faithful"], [("proceed", 1), ("replan", 1)].into());
        let json = serde_json::to_string(&summary).unwrap();
        assert!(!json.contains("words"), "a summary contains no rows: {json}");
    }
}
