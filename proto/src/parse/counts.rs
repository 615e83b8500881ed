//! Parses partitions given as counts of claims by class and type.

use gsar_core::tally::{MAX_CLAIMS, Tally};
use gsar_core::{Class, EvidenceType};

use super::field::enumeration;
use super::list::{limit_length, parse_each};
use super::path::Path;
use crate::enums::Enumeration;
use crate::v1;
use crate::violations::Violations;

/// Counts of claims, decided and undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParsedCounts {
    /// Decided claims, by class.
    pub decided: Tally,
    /// Undecided claims, by their most likely class.
    pub undecided: Tally,
}

/// Parses the field `counts`.
pub fn counts(message: v1::PartitionCounts, violations: &mut Violations) -> ParsedCounts {
    let message_path = Path::root("counts");
    let path = message_path.field("counts");
    let mut parsed = ParsedCounts::default();
    let max_groups = 2 * Class::ALL.len() * EvidenceType::ALL.len();
    let Some(counts) = limit_length(path, message.counts, max_groups, violations) else {
        return parsed;
    };
    let total: u64 = counts.iter().map(|count| u64::from(count.count)).sum();
    if total > MAX_CLAIMS {
        violations
            .add(path, format_args!("add up to {total} claims; at most {MAX_CLAIMS} are allowed"));
    }
    let mut earlier_groups: Vec<((Class, EvidenceType, bool), Path<'_>)> =
        Vec::with_capacity(counts.len());
    parse_each(path, counts, violations, |path, count, violations| {
        let v1::ClaimCount { class, r#type, count, undecided } = count;
        let class = enumeration::<Class>(path.field("class"), class, violations);
        let evidence_type = enumeration(path.field("type"), r#type, violations);
        let (class, evidence_type): (Class, EvidenceType) = (class?, evidence_type?);
        let group = (class, evidence_type, undecided);
        if let Some((_, first)) = earlier_groups.iter().find(|(earlier, _)| *earlier == group) {
            let (class, evidence_type) = (class.wire_name(), evidence_type.wire_name());
            let undecided = if undecided { "undecided " } else { "" };
            let first = first.last();
            violations.add(
                path,
                format_args!(
                    "{undecided}{class} {evidence_type} is already counted in {first}; merge the counts"
                ),
            );
            return None;
        }
        earlier_groups.push((group, path));
        let tally = if undecided { &mut parsed.undecided } else { &mut parsed.decided };
        tally.add(class, evidence_type, count);
        Some(())
    });
    parsed
}
