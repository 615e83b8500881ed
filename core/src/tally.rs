//! This module counts the claims of a partition by class and type.
//!
//! Everything a score depends on, independent of the order in which claims came.

use crate::claim::{Class, EvidenceType};

/// The most claims one partition may have: with these, a reduced score fits two unsigned 64-bit numbers
/// whatever the weights.
pub const MAX_CLAIMS: u64 = 1_800_000;

/// How many claims of each class and type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    // By class and type. One table: a branch on the class would be mispredicted at every other claim.
    // INVARIANT (rows): row `class as usize`, the order in which `Class` declares its variants; `of_class`
    // takes the rows apart in that order.
    classes: [[u32; 8]; 4],
    unverified_contradictions: [u32; 8],
    dropped: u32,
}

impl Tally {
    /// The tally of these claims.
    pub fn of(claims: impl IntoIterator<Item = (Class, EvidenceType)>) -> Self {
        let mut tally = Self::default();
        for (class, evidence_type) in claims {
            tally.add(class, evidence_type, 1);
        }
        tally
    }

    /// Adds `count` claims of a class and type; a sum above `u32::MAX` stays there.
    pub fn add(&mut self, class: Class, evidence_type: EvidenceType, count: u32) {
        if let Some(counts) = self.classes.get_mut(class as usize) {
            add_to(counts, evidence_type, count);
        }
    }

    /// Adds a contradicted claim whose citation failed: it counts as ungrounded at max(1, rho) times its
    /// weight, and still blocks.
    pub fn add_unverified_contradiction(&mut self, evidence_type: EvidenceType) {
        add_to(&mut self.unverified_contradictions, evidence_type, 1);
    }

    /// Adds a claim that the judge dropped: it counts as ungrounded at max(1, rho) times the largest
    /// weight, and blocks.
    pub fn add_dropped(&mut self) {
        self.dropped = self.dropped.saturating_add(1);
    }

    /// How many claims of a class there are of each type, in the order of [`EvidenceType::ALL`].
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

    /// How many contradicted claims have a citation that failed, by type in the order of [`EvidenceType::ALL`].
    #[must_use]
    pub const fn unverified_contradictions(&self) -> &[u32; 8] {
        &self.unverified_contradictions
    }

    /// How many claims the judge dropped.
    #[must_use]
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// How many claims of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        sum(self.of_class(class))
    }

    /// How many contradicted claims whose citation failed.
    #[must_use]
    pub fn count_unverified_contradictions(&self) -> u64 {
        sum(&self.unverified_contradictions)
    }

    /// How many claims in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        let classes: u64 = Class::ALL.into_iter().map(|class| self.count(class)).sum();
        classes + self.count_unverified_contradictions() + u64::from(self.dropped)
    }

    /// Takes away `count` claims of a group, or all where it has fewer.
    pub(crate) fn remove(&mut self, group: Group, count: u32) {
        match group {
            Group::Class(class, evidence_type) => {
                if let Some(counts) = self.classes.get_mut(class as usize) {
                    take_from(counts, evidence_type, count);
                }
            }
            Group::UnverifiedContradiction(evidence_type) => {
                take_from(&mut self.unverified_contradictions, evidence_type, count);
            }
            Group::Dropped => self.dropped = self.dropped.saturating_sub(count),
        }
    }

    /// How many claims stand in a group.
    pub(crate) fn in_group(&self, group: Group) -> u32 {
        match group {
            Group::Class(class, evidence_type) => count_of(self.of_class(class), evidence_type),
            Group::UnverifiedContradiction(evidence_type) => {
                count_of(&self.unverified_contradictions, evidence_type)
            }
            Group::Dropped => self.dropped,
        }
    }
}

/// Claims that weigh the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Of a class and type.
    Class(Class, EvidenceType),
    /// Contradicted, with a citation that failed.
    UnverifiedContradiction(EvidenceType),
    /// Dropped by the judge.
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

fn take_from(counts: &mut [u32; 8], evidence_type: EvidenceType, count: u32) {
    if let Some(slot) = counts.get_mut(evidence_type as usize) {
        *slot = slot.saturating_sub(count);
    }
}

fn count_of(counts: &[u32; 8], evidence_type: EvidenceType) -> u32 {
    counts.get(evidence_type as usize).copied().unwrap_or(0)
}
