//! Compares each claim's gold class with the class it was counted in.

use gsar_core::Class;

use super::cell::{Cell, Row};
use crate::statistics::{Counts, Share};

#[derive(Clone, Debug)]
pub(crate) struct ClassCounts {
    pub(crate) class: Class,
    /// Of the claims with this gold class, the number counted in each class, in the order of [`Class::ALL`],
    /// followed by the number that were not judged.
    pub(crate) counted: [usize; Class::ALL.len() + 1],
    pub(crate) recall: Share,
    /// Of the claims counted in this class, the share that also have it as their gold class.
    pub(crate) precision: Share,
}

impl ClassCounts {
    /// Counts the claims of each class. Returns an empty list if no report was sent with claims.
    pub(crate) fn of(cell: &Cell) -> Vec<Self> {
        let rows: Vec<&Row> = cell.rows.iter().filter(|row| row.claims_were_sent).collect();
        if rows.iter().all(|row| row.claims.is_empty()) {
            return Vec::new();
        }
        let claims = || rows.iter().flat_map(|row| &row.claims);
        let count_class = |class: Class| {
            let mut counted = [0; Class::ALL.len() + 1];
            let columns = Class::ALL.map(Some).into_iter().chain([None]);
            for (count, column) in counted.iter_mut().zip(columns) {
                *count = claims().filter(|claim| **claim == (class, column)).count();
            }
            let hit = (class, Some(class));
            Self {
                class,
                counted,
                recall: share(&rows, |(gold, _)| gold == class, hit),
                precision: share(&rows, |(_, counted)| counted == Some(class), hit),
            }
        };
        Class::ALL.map(count_class).into()
    }
}

type Claim = (Class, Option<Class>);

fn share(rows: &[&Row], is_included: impl Fn(Claim) -> bool, hit: Claim) -> Share {
    let counts = rows.iter().map(|row| {
        let matching = row.claims.iter().filter(|claim| is_included(**claim));
        matching.map(|claim| *claim == hit).collect::<Counts>()
    });
    Share::by_claim(&counts.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Counts;
    use crate::trace::{Origin, tests::header};

    fn cell(claims: &[Claim], claims_were_sent: bool) -> Cell {
        let row = Row::unjudged(claims.to_vec(), claims_were_sent);
        Cell { header: header(), origin: Origin::default(), rows: vec![row] }
    }

    #[test]
    fn recall_is_per_gold_class_and_precision_per_counted_class() {
        let [grounded, ungrounded] = [Class::Grounded, Class::Ungrounded];
        let claims = [
            (grounded, Some(grounded)),
            (grounded, Some(ungrounded)),
            (grounded, None),
            (ungrounded, Some(ungrounded)),
        ];
        let classes = ClassCounts::of(&cell(&claims, true));
        let counts = |class| classes.iter().find(|counts| counts.class == class).unwrap();
        assert_eq!(counts(grounded).counted.iter().sum::<usize>(), 3);
        assert_eq!(counts(grounded).counted.last(), Some(&1));
        assert_eq!(counts(grounded).recall.counts, Counts { hits: 1, of: 3 });
        assert_eq!(counts(grounded).precision.counts, Counts { hits: 1, of: 1 });
        assert_eq!(counts(ungrounded).recall.counts, Counts { hits: 1, of: 1 });
        assert_eq!(counts(ungrounded).precision.counts, Counts { hits: 1, of: 2 });
        assert_eq!(counts(Class::Contradicted).recall.value, None);
    }

    #[test]
    fn reports_sent_without_claims_have_no_class_counts() {
        let claims = [(Class::Grounded, None)];
        assert!(ClassCounts::of(&cell(&claims, false)).is_empty());
    }
}
