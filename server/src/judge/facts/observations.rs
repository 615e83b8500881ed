//! Extracts facts from evidence and judges claims against them.

use gsar_core::budget::Budget;
use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use gsar_core::{Claim, Class, JudgedClaim, Leaning};
use gsar_extraction::facts::{Facts, Item};
use gsar_extraction::rules::Index;

use super::explain;
use super::ruling::{self, non_statement_verdict};
use crate::judge::JudgeError;

/// The maximum total size of the evidence read for a question, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// The budget units spent per claim, in addition to [`UNITS_PER_BYTE`] for each byte of its text.
const UNITS_PER_CLAIM: usize = 1 << 10;
const UNITS_PER_BYTE: usize = 16;

/// The facts extracted from evidence.
#[derive(Debug)]
pub struct Observations<'e> {
    /// The items that were read, in the order of their IDs.
    pub(super) items: Vec<&'e EvidenceItem>,
    pub(super) index: Index<'e>,
    gaps: Vec<String>,
}

impl<'e> Observations<'e> {
    /// Reads the items in the order of their IDs. Skips each item that would raise the total above
    /// [`MAX_BYTES`]. The facts are incomplete if the budget is exhausted.
    #[must_use]
    pub fn read(evidence: &'e [EvidenceItem], budget: &Budget) -> Self {
        let is_evidence =
            |item: &&EvidenceItem| item.lane.is_hard() && item.kind != EvidenceKind::PriorClaim;
        let mut items: Vec<&EvidenceItem> = evidence.iter().filter(is_evidence).collect();
        items.sort_by(|a, b| a.id.cmp(&b.id));
        let mut remaining = MAX_BYTES;
        let mut gaps = Vec::new();
        items.retain(|item| match remaining.checked_sub(item.content.as_str().len()) {
            Some(rest) => {
                remaining = rest;
                true
            }
            None => {
                gaps.push(format!(
                    "{}: not read, since the evidence exceeds {MAX_BYTES} bytes",
                    item.id
                ));
                false
            }
        });
        let facts = Facts::extract(items.iter().copied().map(Item::from), budget);
        Self { items, index: Index::new(facts, budget), gaps }
    }

    /// Returns one sentence per item that was not read.
    #[must_use]
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// Judges each claim.
    ///
    /// # Errors
    /// Returns [`JudgeError::DeadlinePassed`] if the budget is exhausted.
    pub fn judge(&self, claims: &[Claim], budget: &Budget) -> Result<Vec<JudgedClaim>, JudgeError> {
        let mut verdicts = Vec::with_capacity(claims.len());
        for claim in claims {
            if !budget.spend(UNITS_PER_CLAIM + claim.text.len() * UNITS_PER_BYTE) {
                let (judged, claims) = (verdicts.len(), claims.len());
                return Err(JudgeError::DeadlinePassed { judged, claims, calls: Vec::new() });
            }
            verdicts.push(non_statement_verdict(claim).unwrap_or_else(|| self.rule_on(claim)));
        }
        Ok(verdicts)
    }

    pub(in crate::judge) const fn facts(&self) -> &Facts<'e> {
        self.index.facts()
    }

    fn rule_on(&self, claim: &Claim) -> JudgedClaim {
        match ruling::apply_rules(claim, self) {
            Some(ruling) => ruling.into_verdict(claim, self),
            None => {
                let leaning = Leaning { class: Class::Ungrounded, likelihood: None };
                ruling::undecided_verdict(claim, leaning, "no rule decides it".to_owned())
            }
        }
    }

    /// Explains for each claim which records match its names.
    #[must_use]
    pub fn considered(&self, claims: &[Claim]) -> Vec<Vec<String>> {
        claims.iter().map(|claim| explain::matching_records(&claim.text, self)).collect()
    }
}
