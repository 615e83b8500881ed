//! Counts the claims of each evidence type.

use gsar_core::{Class, EvidenceType};

use super::cell::Row;
use crate::statistics::{Counts, Share, wilson};

#[derive(Clone, Debug)]
pub(crate) struct TypeCounts {
    pub(crate) evidence_type: EvidenceType,
    /// The number of claims counted in each class, in the order of [`Class::ALL`].
    pub(crate) counted: [usize; Class::ALL.len()],
    /// The share of claims counted in their gold class.
    pub(crate) right: Share,
}

impl TypeCounts {
    /// Counts the claims of each evidence type that occurs among the judged claims.
    pub(crate) fn all(rows: &[Row]) -> Vec<Self> {
        let claims = rows.iter().flat_map(|row| row.claims.iter().zip(&row.types));
        let judged =
            claims.filter_map(|((gold, counted), found)| Some((*gold, (*counted)?, (*found)?)));
        let judged: Vec<(Class, Class, EvidenceType)> = judged.collect();
        let count_type = |evidence_type| {
            let claims_of_type =
                || judged.iter().filter(move |(.., found)| *found == evidence_type);
            let counts: Counts =
                claims_of_type().map(|(gold, counted, _)| gold == counted).collect();
            let counted = Class::ALL
                .map(|class| claims_of_type().filter(|(_, found, _)| *found == class).count());
            Self { evidence_type, counted, right: Share::new(counts, wilson(counts)) }
        };
        EvidenceType::ALL
            .map(count_type)
            .into_iter()
            .filter(|counts| counts.right.counts.of > 0)
            .collect()
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
        let [only] = &counts[..] else { panic!("expected one type") };
        assert_eq!((only.evidence_type, only.counted), (EvidenceType::ToolMatch, [2, 0, 0, 0]));
        assert_eq!(only.right.counts, Counts { hits: 1, of: 2 });
    }
}
