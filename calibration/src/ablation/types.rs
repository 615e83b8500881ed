//! Counts the claims of each evidence type.

use gsar_core::{Class, EvidenceType};

use super::cell::Row;
use crate::statistics::{Counts, Share, wilson};

#[derive(Clone, Debug)]
pub(crate) struct TypeCounts {
    pub(crate) evidence_type: EvidenceType,
    /// The number counted in each class, in the order of [`Class::ALL`].
    pub(crate) counted: [usize; Class::ALL.len()],
    /// The share of claims counted in their gold class.
    pub(crate) right: Share,
}

impl TypeCounts {
    /// Counts every evidence type that a judged claim has.
    pub(crate) fn all(rows: &[Row]) -> Vec<Self> {
        let claims = rows.iter().flat_map(|row| row.claims.iter().zip(&row.types));
        let judged =
            claims.filter_map(|((gold, counted), found)| Some((*gold, (*counted)?, (*found)?)));
        let judged: Vec<(Class, Class, EvidenceType)> = judged.collect();
        let of_type = |evidence_type| {
            let of = || judged.iter().filter(move |(.., found)| *found == evidence_type);
            let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            let hits = count(of().filter(|(gold, counted, _)| gold == counted).count());
            let counts = Counts { hits, of: count(of().count()) };
            let counted =
                Class::ALL.map(|class| of().filter(|(_, found, _)| *found == class).count());
            Self { evidence_type, counted, right: Share::new(counts, wilson(counts)) }
        };
        EvidenceType::ALL.map(of_type).into_iter().filter(|of| of.right.counts.of > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_judged_claims_by_type() {
        let [grounded, ungrounded] = [Class::Grounded, Class::Ungrounded];
        let claims = [(grounded, Some(grounded)), (ungrounded, Some(grounded)), (ungrounded, None)];
        let mut row = Row::unjudged(claims.into(), true);
        row.types = vec![Some(EvidenceType::ToolMatch), Some(EvidenceType::ToolMatch), None];
        let counts = TypeCounts::all(&[row]);
        let [of] = &counts[..] else { panic!("one type") };
        assert_eq!((of.evidence_type, of.counted), (EvidenceType::ToolMatch, [2, 0, 0, 0]));
        assert_eq!(of.right.counts, Counts { hits: 1, of: 2 });
    }
}
