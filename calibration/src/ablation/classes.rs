//! Compares gold classes with the counted classes.

use gsar_core::Class;

use super::cell::{Cell, Row};
use crate::statistics::{Counts, Share};

#[derive(Clone, Debug)]
pub(crate) struct ClassCounts {
    pub(crate) class: Class,
    /// The number counted in each class, in the order of [`Class::ALL`], followed by the number not judged.
    pub(crate) counted: [usize; Class::ALL.len() + 1],
    pub(crate) recall: Share,
    /// The share of claims counted in the class whose gold class it is.
    pub(crate) precision: Share,
}

impl ClassCounts {
    /// Counts every class. Empty if no row has given claims.
    pub(crate) fn of(cell: &Cell) -> Vec<Self> {
        let rows: Vec<&Row> = cell.rows.iter().filter(|row| row.has_given_claims).collect();
        if rows.iter().all(|row| row.claims.is_empty()) {
            return Vec::new();
        }
        let claims = || rows.iter().flat_map(|row| &row.claims);
        let of_class = |class: Class| {
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
        Class::ALL.map(of_class).into()
    }
}

type Claim = (Class, Option<Class>);

fn share(rows: &[&Row], is_of: impl Fn(Claim) -> bool, hit: Claim) -> Share {
    let counts = |row: &&Row| {
        let matching = row.claims.iter().filter(|claim| is_of(**claim));
        matching.fold(Counts::default(), |sum, claim| Counts {
            hits: sum.hits + u32::from(*claim == hit),
            of: sum.of + 1,
        })
    };
    Share::by_claim(&rows.iter().map(counts).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Counts;
    use crate::trace::{Origin, tests::header};

    fn cell(claims: &[Claim], has_given_claims: bool) -> Cell {
        let row = Row::unjudged(claims.to_vec(), has_given_claims);
        Cell { header: header(), origin: Origin::default(), rows: vec![row] }
    }

    #[test]
    fn recall_is_by_gold_class_and_precision_by_counted_class() {
        let [grounded, ungrounded] = [Class::Grounded, Class::Ungrounded];
        let claims = [
            (grounded, Some(grounded)),
            (grounded, Some(ungrounded)),
            (grounded, None),
            (ungrounded, Some(ungrounded)),
        ];
        let classes = ClassCounts::of(&cell(&claims, true));
        let of = |class| classes.iter().find(|of| of.class == class).unwrap();
        assert_eq!(of(grounded).counted.iter().sum::<usize>(), 3);
        assert_eq!(of(grounded).counted.last(), Some(&1));
        assert_eq!(of(grounded).recall.counts, Counts { hits: 1, of: 3 });
        assert_eq!(of(grounded).precision.counts, Counts { hits: 1, of: 1 });
        assert_eq!(of(ungrounded).recall.counts, Counts { hits: 1, of: 1 });
        assert_eq!(of(ungrounded).precision.counts, Counts { hits: 1, of: 2 });
        assert_eq!(of(Class::Contradicted).recall.value, None);
    }

    #[test]
    fn reports_judged_whole_have_no_classes() {
        let claims = [(Class::Grounded, None)];
        assert!(ClassCounts::of(&cell(&claims, false)).is_empty());
    }
}
