//! Formats the outcomes of a replay as Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gsar_core::Tier;

use super::errors::ErrorKind;
use super::outcome::Outcome;
use super::stored::Case;
use super::summary::{HeldBack, Summary};
use super::{Replayed, Source};
use crate::arguments::ReplayPart;
use crate::tables::markdown::{DASH, heading, share, table};

const MAX_UNMATCHED_PERCENT: u32 = 5;

const MAX_SHOWN: usize = 300;

/// Formats a replay. `list` adds single rows from the tune part.
pub(super) fn page(part: ReplayPart, seed: u64, sources: &[Source], list: bool) -> String {
    let mut page = format!(
        "# Replay of stored judgements\n\nPart {}, seed {seed}, policy reference. Intervals: 95 %, from 1,000 draws of whole cases.\n",
        part.name()
    );
    for (index, source) in sources.iter().enumerate() {
        heading(&mut page, &format!("{}: {} cases", source.name, source.cases.len()));
        verdicts(&mut page, &source.replayed);
        reports(&mut page, &source.replayed);
        // The last of several sources is their union.
        if list && (index == 0 || index + 1 < sources.len()) {
            source.replayed.iter().for_each(|one| rows(&mut page, &source.cases, one));
        }
    }
    page
}

fn head(first: &'static str, replayed: &[Replayed]) -> Vec<&'static str> {
    std::iter::once(first).chain(replayed.iter().map(|one| one.summary.rendering)).collect()
}

fn row(name: &str, replayed: &[Replayed], cell: impl Fn(&Summary) -> String) -> Vec<String> {
    let cells = replayed.iter().map(|one| cell(&one.summary));
    std::iter::once(name.to_owned()).chain(cells).collect()
}

fn verdicts(page: &mut String, replayed: &[Replayed]) {
    let mut rows = vec![row("right verdicts broken", replayed, |summary| share(&summary.broken))];
    for kind in ErrorKind::ALL {
        let name = kind.name();
        rows.push(row(&format!("missed: {name}"), replayed, |summary| {
            summary.missed.get(name).map_or(DASH.to_owned(), share)
        }));
    }
    table(page, &head("", replayed), &rows);
}

fn reports(page: &mut String, replayed: &[Replayed]) {
    let kinds: BTreeSet<&String> =
        replayed.iter().flat_map(|one| one.summary.reports.keys()).collect();
    if kinds.is_empty() {
        return;
    }
    heading(page, "Whole reports");
    let mut rows: Vec<_> = kinds
        .into_iter()
        .map(|kind| {
            row(kind, replayed, |summary| summary.reports.get(kind).map_or(DASH.to_owned(), tiers))
        })
        .collect();
    rows.push(row("claims without a stored judgement", replayed, |summary| {
        share(&summary.unmatched)
    }));
    table(page, &head("report", replayed), &rows);
    let too_many = |one: &Replayed| {
        let counts = one.summary.unmatched.counts;
        counts.hits * 100 > counts.of * MAX_UNMATCHED_PERCENT
    };
    if replayed.iter().any(too_many) {
        let _ = writeln!(
            page,
            "\nMore than {MAX_UNMATCHED_PERCENT} % of the claims have no stored judgement, so the decisions on these reports mean little."
        );
    }
    page.push_str("\nFaithful reports held back:\n\n");
    for one in replayed {
        for HeldBack { case, tier, reasons, findings } in &one.summary.held_back {
            let findings: Vec<String> =
                findings.iter().map(|(code, times)| format!("{code} {times}")).collect();
            let (reasons, findings) = (reasons.join(", "), findings.join(", "));
            let _ = writeln!(
                page,
                "- {}, {case}: {tier} for {reasons} ({findings})",
                one.summary.rendering
            );
        }
    }
}

fn tiers(tiers: &BTreeMap<&'static str, usize>) -> String {
    let shown = [Tier::Proceed, Tier::Regenerate, Tier::Replan, Tier::Abstain]
        .into_iter()
        .filter_map(|tier| Some(format!("{} {}", tier.name(), tiers.get(tier.name())?)));
    shown.collect::<Vec<_>>().join(", ")
}

fn rows(page: &mut String, cases: &[Case], one: &Replayed) {
    heading(page, &format!("Right verdicts broken as {}", one.summary.rendering));
    for outcome in one.outcomes.iter().filter(|outcome| outcome.is_broken()) {
        list_outcome(page, cases, outcome);
    }
    let held_back = one
        .reports
        .iter()
        .filter(|report| report.kind == "faithful" && report.tier != Tier::Proceed);
    for report in held_back {
        let _ = writeln!(page, "- {}: faithful report held back", report.case);
        for (code, sentence) in &report.reasons {
            let _ = writeln!(page, "  {code}: {sentence}");
        }
        for finding in &report.findings {
            let _ = writeln!(page, "  {}: {}", finding.code, finding.sentence);
        }
    }
    for report in &one.reports {
        for claim in &report.unmatched {
            let _ = writeln!(page, "- {}: no stored judgement: {}", report.case, cut(claim));
        }
    }
}

fn list_outcome(page: &mut String, cases: &[Case], outcome: &Outcome) {
    let case = cases.get(outcome.case).map_or("", |case| &case.name);
    let _ = writeln!(
        page,
        "- {case}\n  {} -> {}: {}\n  quote: {}",
        outcome.judged_class.name(),
        outcome.class.name(),
        cut(&outcome.text),
        cut(&outcome.quote),
    );
    for finding in &outcome.findings {
        let _ = writeln!(page, "  {}: {}", finding.code, finding.sentence);
    }
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_SHOWN)).unwrap_or_default().replace('\n', "⏎")
}

#[cfg(test)]
mod tests {
    use super::super::outcome::ReportDecision;
    use super::*;
    use crate::arguments::Rendering;

    fn replayed(unmatched: usize) -> Replayed {
        let decision = ReportDecision {
            case: "a/1".to_owned(),
            kind: "faithful".to_owned(),
            tier: Tier::Regenerate,
            reasons: vec![(
                "SCORE_BELOW_PROCEED".to_owned(),
                "a sentence with words of the report".to_owned(),
            )],
            findings: Vec::new(),
            claims: 20,
            unmatched: vec!["words of the report".to_owned(); unmatched],
        };
        Replayed::new(Rendering::Json, Vec::new(), vec![decision])
    }

    fn render(unmatched: usize, list: bool) -> String {
        let source = Source {
            name: "stored".to_owned(),
            cases: Vec::new(),
            replayed: vec![replayed(unmatched)],
        };
        page(ReplayPart::Tune, 1, &[source], list)
    }

    #[test]
    fn lists_held_back_reports_with_reasons() {
        let page = render(0, false);
        assert!(page.contains("- json, a/1: regenerate for SCORE_BELOW_PROCEED ()"), "{page}");
        assert!(!page.contains("words of the report"), "single rows only with --list: {page}");
        assert!(
            render(0, true).contains("SCORE_BELOW_PROCEED: a sentence with words of the report")
        );
    }

    #[test]
    fn warns_about_many_unmatched_claims() {
        assert!(!render(1, false).contains("More than 5 %"));
        let page = render(2, false);
        assert!(page.contains("More than 5 % of the claims have no stored judgement"), "{page}");
    }
}
