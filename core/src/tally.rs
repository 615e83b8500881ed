//! Claim counts by class and evidence type, which determine the score.

use crate::claim::{Class, EvidenceType};

/// The maximum number of claims in a partition. Up to this limit, a reduced score fits into two 64-bit integers.
pub const MAX_CLAIMS: u64 = 1_800_000;

/// The number of claims by class and evidence type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    // A single table avoids mispredicted branches on the class. INVARIANT: rows are indexed by `class as usize`, and
    // `of_class` destructures them in the order of the variants of `Class`.
    classes: [[u32; 8]; 4],
    unverified_contradictions: [u32; 8],
    dropped: u32,
}

impl Tally {
    /// Creates a tally of the given claims.
    pub fn from_claims(claims: impl IntoIterator<Item = (Class, EvidenceType)>) -> Self {
        let mut tally = Self::default();
        for (class, evidence_type) in claims {
            tally.add(class, evidence_type, 1);
        }
        tally
    }

    /// Adds `count` claims. Saturates at `u32::MAX`.
    pub fn add(&mut self, class: Class, evidence_type: EvidenceType, count: u32) {
        if let Some(counts) = self.classes.get_mut(class as usize) {
            add_to(counts, evidence_type, count);
        }
    }

    /// Adds a contradicted claim without a valid citation. It counts with max(1, rho) times its weight.
    pub fn add_unverified_contradiction(&mut self, evidence_type: EvidenceType) {
        add_to(&mut self.unverified_contradictions, evidence_type, 1);
    }

    /// Adds a claim without a verdict. It counts with max(1, rho) times the largest weight.
    pub fn add_dropped(&mut self) {
        self.dropped = self.dropped.saturating_add(1);
    }

    /// The counts for a class, in the order of [`EvidenceType::ALL`].
    #[must_use]
    pub const fn of_class(&self, class: Class) -> &[u32; 8] {
        let [grounded, complementary, ungrounded, contradicted] = &self.classes;
        match class {
            Class::Grounded => grounded,
            Class::Complementary => complementary,
            Class::Ungrounded => ungrounded,
            Class::Contradicted => contradicted,
        }
    }

    /// The counts of contradicted claims without a valid citation, in the order of [`EvidenceType::ALL`].
    #[must_use]
    pub const fn unverified_contradictions(&self) -> &[u32; 8] {
        &self.unverified_contradictions
    }

    /// The number of claims without a verdict.
    #[must_use]
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// The number of claims in a class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        sum(self.of_class(class))
    }

    /// The number of contradicted claims without a valid citation.
    #[must_use]
    pub fn count_unverified_contradictions(&self) -> u64 {
        sum(&self.unverified_contradictions)
    }

    /// The total number of claims.
    #[must_use]
    pub fn total(&self) -> u64 {
        let classes: u64 = Class::ALL.into_iter().map(|class| self.count(class)).sum();
        classes + self.count_unverified_contradictions() + u64::from(self.dropped)
    }

    /// Returns `true` if a claim is grounded and none is contradicted.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        self.count(Class::Grounded) > 0
            && self.count(Class::Contradicted) == 0
            && self.count_unverified_contradictions() == 0
    }

    pub(crate) fn remove(&mut self, group: Group, count: u32) {
        match group {
            Group::Class(class, evidence_type) => {
                if let Some(counts) = self.classes.get_mut(class as usize) {
                    subtract_from(counts, evidence_type, count);
                }
            }
            Group::UnverifiedContradiction(evidence_type) => {
                subtract_from(&mut self.unverified_contradictions, evidence_type, count);
            }
            Group::Dropped => self.dropped = self.dropped.saturating_sub(count),
        }
    }

    pub(crate) fn count_in_group(&self, group: Group) -> u32 {
        match group {
            Group::Class(class, evidence_type) => count_of(self.of_class(class), evidence_type),
            Group::UnverifiedContradiction(evidence_type) => {
                count_of(&self.unverified_contradictions, evidence_type)
            }
            Group::Dropped => self.dropped,
        }
    }
}

/// A group of claims with equal weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Claims with the same class and evidence type.
    Class(Class, EvidenceType),
    /// Contradicted claims without a valid citation.
    UnverifiedContradiction(EvidenceType),
    /// Claims without a verdict.
    Dropped,
}

fn sum(counts: &[u32; 8]) -> u64 {
    counts.iter().copied().map(u64::from).sum()
}

fn add_to(counts: &mut [u32; 8], evidence_type: EvidenceType, count: u32) {
    if let Some(slot) = counts.get_mut(evidence_type as usize) {
        *slot = slot.saturating_add(count);
    }
}

fn subtract_from(counts: &mut [u32; 8], evidence_type: EvidenceType, count: u32) {
    if let Some(slot) = counts.get_mut(evidence_type as usize) {
        *slot = slot.saturating_sub(count);
    }
}

fn count_of(counts: &[u32; 8], evidence_type: EvidenceType) -> u32 {
    counts.get(evidence_type as usize).copied().unwrap_or(0)
}
