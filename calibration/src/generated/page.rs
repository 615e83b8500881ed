//! Formats the verdicts on generated claims as Markdown.

use std::fmt::Write as _;

use gsar_datasets::generated::Expected;
use gsar_proto::v1;

use super::summary::{Line, Summary};
use super::{Outcome, Trial};
use crate::arguments::{Generated, Generator};
use crate::baselines::content;
use crate::tables::markdown::{heading, share, table};

pub(super) fn page(args: &Generated, trials: &[Trial]) -> String {
    let mut page = format!(
        "# Generated claims\n\nSeed {}, each claim alone with its evidence. Intervals: 95 %, Wilson.\n",
        args.seed
    );
    for trial in trials {
        let summary = Summary::new(&trial.outcomes);
        heading(&mut page, &format!("{}: {}", trial.generator.title(), trial.items.len()));
        lines(
            &mut page,
            trial.generator,
            trial.generator.groups(),
            &summary.forms,
            Some(&summary.overall),
        );
        if !summary.families.is_empty() {
            page.push('\n');
            lines(&mut page, trial.generator, "attribute", &summary.families, None);
        }
        mistakes(&mut page, trial, args.list);
    }
    page
}

fn lines(
    page: &mut String,
    generator: Generator,
    group: &str,
    lines: &[Line],
    overall: Option<&Line>,
) {
    let counted = lines.iter().chain(overall);
    let mut head = vec![
        group,
        "number",
        "false ones grounded",
        "false ones contradicted",
        "true ones grounded",
        "true ones contradicted",
    ];
    if generator == Generator::Absences {
        head.extend(["open ones grounded", "open ones contradicted"]);
    }
    let rows: Vec<Vec<String>> = counted
        .map(|line| {
            let mut cells = vec![line.name.to_owned(), line.items.to_string()];
            let verdicts = [line.refuted, line.shown, line.undecidable].into_iter();
            let verdicts = verdicts.take((head.len() - cells.len()) / 2);
            cells.extend(
                verdicts
                    .flat_map(|verdicts| [verdicts.grounded, verdicts.contradicted])
                    .map(|counted| share(&counted)),
            );
            cells
        })
        .collect();
    table(page, &head, &rows);
}

fn mistakes(page: &mut String, trial: &Trial, count: usize) {
    for outcome in trial.outcomes.iter().filter(|outcome| outcome.is_mistake()).take(count) {
        let item = trial.items.get(outcome.item);
        let claim = item.and_then(|item| item.claims.get(outcome.claim));
        if let (Some(item), Some((claim, _))) = (item, claim) {
            mistake(page, outcome, claim, &item.evidence);
        }
    }
}

fn mistake(page: &mut String, outcome: &Outcome, claim: &str, evidence: &v1::EvidenceItem) {
    let expected = match outcome.expected {
        Expected::Shown => "true",
        Expected::Refuted => "false",
        Expected::Undecidable => "open",
    };
    let _ = write!(
        page,
        "\n{}, {expected}, called {}: {claim}\n\n```\n$ {}\n{}\n```\n",
        outcome.form,
        outcome.class.name(),
        evidence.tool,
        content(evidence)
    );
}

#[cfg(test)]
mod tests {
    use gsar_core::Class;

    use super::super::items::items;
    use super::*;
    use crate::arguments::Output;

    fn trial(generator: Generator, class: Class) -> Trial {
        let items = items(generator, 1, 26).unwrap();
        let outcomes = items.iter().enumerate().flat_map(|(index, item)| {
            item.claims.iter().enumerate().map(move |(claim, (_, expected))| Outcome {
                item: index,
                claim,
                form: item.form,
                family: item.family,
                expected: *expected,
                class,
            })
        });
        Trial { generator, outcomes: outcomes.collect(), items }
    }

    fn args(list: usize) -> Generated {
        Generated { of: Vec::new(), seed: 1, count: 26, list, output: Output::Table }
    }

    #[test]
    fn writes_shares_as_percentages_with_counts() {
        let swaps = page(&args(0), &[trial(Generator::Swaps, Class::Grounded)]);
        let all = "| all | 26 | 100.0 % [87.1, 100.0] 26/26 | 0.0 % [0.0, 12.9] 0/26 | 100.0 % [87.1, 100.0] 26/26 | 0.0 % [0.0, 12.9] 0/26 |";
        assert!(swaps.contains(all), "{swaps}");
        assert!(swaps.contains("| JSON array | 2 |") && swaps.contains("| attribute |"), "{swaps}");

        let absences = page(&args(0), &[trial(Generator::Absences, Class::Contradicted)]);
        let tail = "| tail of a log, not in it | 2 | – | – | – | – | 0.0 % [0.0, 65.8] 0/2 | 100.0 % [34.2, 100.0] 2/2 |";
        assert!(absences.contains(tail), "{absences}");
    }

    #[test]
    fn limits_the_number_of_mistakes() {
        let trials = [trial(Generator::Rounding, Class::Grounded)];
        for count in [0, 3] {
            let page = page(&args(count), &trials);
            assert_eq!(page.matches(", false, called grounded: ").count(), count, "{page}");
            assert!(!page.contains(", true, called"), "{page}");
        }
    }
}
