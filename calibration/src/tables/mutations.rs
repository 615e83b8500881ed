//! Formats mutations by kind, and false alarms on the original claims.

use gsar_core::Class;

use super::markdown::{heading, share, table};
use crate::mutation::Kind;
use crate::mutation_trial::{Original, Outcome, Trial};
use crate::statistics::{Share, per_case};

pub(crate) fn mutations(trial: &Trial, parts: &str, seed: u64, requested: usize) -> String {
    let Trial { incidents, possible, mutated, originals } = trial;
    let mut page = format!(
        "# Mutations\n\n{} of {requested} requested, seed {seed}, out of {possible} from {} true claims of {incidents} incidents ({parts}).\n",
        mutated.len(),
        originals.len(),
    );
    page.push_str(
        "Intervals: 95 %, from 1,000 draws of whole incidents; none below five incidents. Caught: not called grounded,\nwhich means little if the original claim is not called grounded either.\n",
    );
    heading(&mut page, "By kind");
    let mut rows: Vec<Vec<String>> = Kind::ALL
        .into_iter()
        .map(|kind| line(kind.name(), mutated, |outcome| outcome.kind == kind))
        .collect();
    rows.push(line("all", mutated, |_| true));
    let head = [
        "kind",
        "number",
        "caught",
        "caught, if the original is called grounded",
        "called contradicted",
    ];
    table(&mut page, &head, &rows);

    heading(&mut page, "Original claims");
    let share_called = |class| {
        let is_so = move |original: &Original| original.class == class;
        share(&Share::by_claim(&per_case(originals, |original| original.case, |_| true, is_so)))
    };
    let rows = [
        vec!["false alarms: called contradicted".to_owned(), share_called(Class::Contradicted)],
        vec!["called grounded".to_owned(), share_called(Class::Grounded)],
    ];
    table(&mut page, &["", "share"], &rows);
    page
}

fn line(name: &str, outcomes: &[Outcome], of: impl Fn(&Outcome) -> bool) -> Vec<String> {
    let caught = |outcome: &Outcome| outcome.class != Class::Grounded;
    let contradicted = |outcome: &Outcome| outcome.class == Class::Contradicted;
    vec![
        name.to_owned(),
        outcomes.iter().filter(|outcome| of(outcome)).count().to_string(),
        format_share(outcomes, &of, caught),
        format_share(
            outcomes,
            |outcome| of(outcome) && outcome.original == Class::Grounded,
            caught,
        ),
        format_share(outcomes, &of, contradicted),
    ]
}

fn format_share(
    outcomes: &[Outcome],
    of: impl Fn(&Outcome) -> bool,
    hit: impl Fn(&Outcome) -> bool,
) -> String {
    share(&Share::by_claim(&per_case(outcomes, |outcome| outcome.case, of, hit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_caught_mutations_by_kind() {
        let outcome = |kind, class| Outcome { kind, case: 0, original: Class::Grounded, class };
        let unseen =
            Outcome { original: Class::Ungrounded, ..outcome(Kind::Order, Class::Ungrounded) };
        let trial = Trial {
            incidents: 1,
            possible: 9,
            mutated: vec![
                outcome(Kind::Unit, Class::Contradicted),
                outcome(Kind::Unit, Class::Ungrounded),
                outcome(Kind::Unit, Class::Grounded),
                outcome(Kind::Order, Class::Grounded),
                unseen,
            ],
            originals: vec![Original { case: 0, class: Class::Contradicted }],
        };
        let page = mutations(&trial, "tune", 1, 1_000);
        for line in [
            "5 of 1000 requested, seed 1, out of 9 from 1 true claims of 1 incidents (tune).",
            "| unit | 3 | 66.7 % 2/3 | 66.7 % 2/3 | 33.3 % 1/3 |",
            "| order | 2 | 50.0 % 1/2 | 0.0 % 0/1 | 0.0 % 0/2 |",
            "| value | 0 | – | – | – |",
            "| false alarms: called contradicted | 100.0 % 1/1 |",
        ] {
            assert!(page.contains(line), "{page}");
        }
    }
}
