//! This module prints what became of replayed judgements, as Markdown. It counts outcomes and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::Replayed;
use super::errors::ErrorKind;
use super::outcome::{Given, Outcome};
use super::stored::Case;
use crate::arguments::ReplayPart;
use crate::statistics::{Share, per_case};
use crate::tables::markdown::{heading, share, table};

/// The most bytes of a quote or claim in a list.
const MAX_SHOWN: usize = 300;

pub(super) fn opening(part: ReplayPart, seed: u64) -> String {
    format!(
        "# Replay of stored judgements\n\nPart {}, seed {seed}. Intervals: 95 %, from 1,000 draws of whole cases.\n",
        part.name()
    )
}

pub(super) fn section(
    page: &mut String,
    path: &Path,
    cases: &[Case],
    replayed: &[Replayed],
    list: bool,
) {
    let reports = |kind: &str| {
        let of_case =
            |case: &Case| case.reports.iter().filter(|report| report.kind == kind).count();
        cases.iter().map(of_case).sum::<usize>()
    };
    heading(
        page,
        &format!(
            "{}: {} cases with {} faithful, {} overreaching and {} contradicted reports",
            path.display(),
            cases.len(),
            reports("faithful"),
            reports("overreaching"),
            reports("contradicted"),
        ),
    );
    let head: Vec<&str> =
        std::iter::once("").chain(replayed.iter().map(|one| one.rendering.name())).collect();
    let row = |name: &str, cell: &dyn Fn(&[Outcome]) -> String| {
        let cells = replayed.iter().map(|one| cell(&one.outcomes));
        std::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>()
    };
    let mut rows = vec![
        row("right verdicts broken", &|outcomes| shown(outcomes, is_right, Outcome::is_broken)),
        row("right verdicts disputed", &|outcomes| shown(outcomes, is_right, Outcome::is_disputed)),
    ];
    for kind in ErrorKind::ALL {
        let of = |outcome: &Outcome| outcome.given == Given::Error(kind);
        rows.push(row(&format!("missed: {}", kind.name()), &|outcomes| {
            shown(outcomes, of, Outcome::is_missed)
        }));
    }
    table(page, &head, &rows);

    heading(page, "What each check costs and catches");
    page.push_str("Right verdicts that it takes away or blocks / errors that it stops.\n\n");
    let decided = |outcome: &Outcome| lost(outcome) || outcome.is_stopped();
    let codes: BTreeSet<String> = replayed
        .iter()
        .flat_map(|one| one.outcomes.iter().filter(|outcome| decided(outcome)).map(Outcome::codes))
        .collect();
    let rows: Vec<_> = codes
        .iter()
        .map(|code| {
            row(code, &|outcomes| {
                let of_code = || outcomes.iter().filter(|outcome| outcome.codes() == *code);
                let costs = of_code().filter(|outcome| lost(outcome)).count();
                let catches = of_code().filter(|outcome| outcome.is_stopped()).count();
                format!("{costs} / {catches}")
            })
        })
        .collect();
    table(page, &head, &rows);

    if list {
        for one in replayed {
            heading(
                page,
                &format!("Right verdicts broken or disputed as {}", one.rendering.name()),
            );
            for outcome in one.outcomes.iter().filter(|outcome| lost(outcome)) {
                list_outcome(page, cases, outcome);
            }
        }
    }
}

fn lost(outcome: &Outcome) -> bool {
    outcome.is_broken() || outcome.is_disputed()
}

fn is_right(outcome: &Outcome) -> bool {
    outcome.given == Given::Right
}

fn shown(
    outcomes: &[Outcome],
    of: impl Fn(&Outcome) -> bool,
    hit: impl Fn(&Outcome) -> bool,
) -> String {
    share(&Share::by_claim(&per_case(outcomes, |outcome| outcome.case, of, hit)))
}

fn list_outcome(page: &mut String, cases: &[Case], outcome: &Outcome) {
    let case = cases.get(outcome.case).map_or("", |case| &case.name);
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "- {} | {case}\n  {} -> {}: {}\n  quote: {}",
        outcome.codes(),
        outcome.said.name(),
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
