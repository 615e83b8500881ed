//! This module parses partitions given as counts of claims by class and type.

use gsar_core::tally::{MAX_CLAIMS, Tally};
use gsar_core::{Class, EvidenceType};

use super::field::enumeration;
use super::list::{at_most, each};
use super::path::Path;
use crate::enums::Enumeration;
use crate::v1;
use crate::violations::Violations;

/// Reads the counts of a request, under `counts`.
pub fn counts(message: v1::PartitionCounts, violations: &mut Violations) -> Tally {
    let message_path = Path::root("counts");
    let path = message_path.field("counts");
    let mut tally = Tally::default();
    let pairs = Class::ALL.len() * EvidenceType::ALL.len();
    let Some(counts) = at_most(path, message.counts, pairs, violations) else {
        return tally;
    };
    let total: u64 = counts.iter().map(|count| u64::from(count.count)).sum();
    if total > MAX_CLAIMS {
        violations.add(
            path,
            format_args!("add up to {total} claims; at most {MAX_CLAIMS} are allowed in all"),
        );
    }
    let mut seen: Vec<((Class, EvidenceType), Path<'_>)> = Vec::with_capacity(counts.len());
    each(path, counts, violations, |path, count, violations| {
        let class = enumeration::<Class>(path.field("class"), count.class, violations);
        let evidence_type = enumeration(path.field("type"), count.r#type, violations);
        let pair: (Class, EvidenceType) = (class?, evidence_type?);
        if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == pair) {
            let (class, evidence_type) = (pair.0.wire_name(), pair.1.wire_name());
            let first = first.last();
            violations.add(
                path,
                format_args!(
                    "{class} {evidence_type} is already counted in {first}; give one count"
                ),
            );
            return None;
        }
        seen.push((pair, path));
        tally.add(pair.0, pair.1, count.count);
        Some(())
    });
    tally
}
