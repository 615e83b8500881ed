//! Selects the passages relevant to a claim and renders them as a premise, which is the input of the local model.
//!
//! A passage is a record with its context: a row with column names, an object with the keys above it, a line,
//! a change with its signs, or a whole series. The passages cover as many of the claim's words as possible,
//! and rare words weigh more. The remaining space is filled with neighbors of the selected passages.
//!
//! ```
//! use gsar_extraction::facts::{Facts, Item};
//! use gsar_extraction::passages::Passages;
//!
//! let budget = gsar_extraction::budget::Budget::unlimited();
//! let content = "NAME    READY  RESTARTS\ncart-1  1/1    0\ncart-2  0/1    7\n";
//! let facts = Facts::extract([Item { tool: "kubectl get pods", query: "", content, exhaustive: true }], &budget);
//! let premise = Passages::new(&facts, &budget).premise("Pod cart-2 restarted 7 times.", 1_500, &budget);
//! assert_eq!(premise.text, "[kubectl get pods]\nNAME cart-1; READY 1/1; RESTARTS 0\nNAME cart-2; READY 0/1; RESTARTS 7\n");
//! ```

mod changes;
mod render;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::facts::{Facts, Form, ItemId, RecordId};
use crate::heap_size::{MAP_ENTRY, allocation_size};

use terms::{claim_terms, passage_terms, tool_terms};

/// The maximum length of a premise in bytes, as in the training data of the built-in `local/1` model.
pub const MAX_PREMISE: usize = 700;
const MAX_CANDIDATES: usize = 256;
/// The cost of indexing a passage in budget units.
const UNITS_FOR_PASSAGE: usize = 512;
const PASSAGE_BYTES: usize = size_of::<Passage>() + allocation_size(size_of::<RecordId>());
/// The estimated memory for a new term, in bytes.
const TERM_BYTES: usize =
    MAP_ENTRY + size_of::<(u64, Vec<usize>)>() + allocation_size(3 * size_of::<usize>());
const UNITS_FOR_PREMISE: usize = 64 << 10;
/// The maximum number of shared query words that count toward a passage.
const MAX_TOOL_OVERLAP: u32 = 4;

/// The evidence for a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Premise {
    /// The passages in evidence order, with a heading for each item.
    pub text: String,
    /// The records that share words with the claim, best match first.
    pub records: Vec<RecordId>,
}

/// Evidence that is split into passages and indexed for any number of claims.
#[derive(Debug)]
pub struct Passages<'f, 'a> {
    facts: &'f Facts<'a>,
    /// The passages in evidence order.
    passages: Vec<Passage>,
    postings: BTreeMap<u64, Vec<usize>>,
    /// The terms in each item's tool and query.
    tools: BTreeMap<ItemId, Vec<u64>>,
}

#[derive(Debug)]
struct Passage {
    item: ItemId,
    /// One record, the samples in a series, or a line with its clauses.
    records: Vec<RecordId>,
}

impl<'f, 'a> Passages<'f, 'a> {
    /// Splits facts into passages. The index is incomplete if the budget is exhausted.
    #[must_use]
    pub fn new(facts: &'f Facts<'a>, budget: &Budget) -> Self {
        let passages = split(facts);
        let mut postings: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, passage) in passages.iter().enumerate() {
            if !budget.spend(UNITS_FOR_PASSAGE) {
                break;
            }
            let terms = passage_terms(facts, &passage.records);
            let is_new = |term: &&u64| !postings.contains_key(*term);
            let entries = terms.iter().filter(is_new).count() * TERM_BYTES;
            let bytes = PASSAGE_BYTES + terms.len() * size_of::<usize>() + entries;
            if !budget.allocate(bytes) {
                break;
            }
            for term in terms {
                postings.entry(term).or_default().push(index);
            }
        }
        let mut tools = BTreeMap::new();
        for passage in &passages {
            tools.entry(passage.item).or_insert_with(|| tool_terms(facts, passage.item));
        }
        Self { facts, passages, postings, tools }
    }

    /// Returns the evidence relevant to a claim, at most `max_bytes` long. The premise is empty if the budget is
    /// exhausted.
    #[must_use]
    pub fn premise(&self, claim: &str, max_bytes: usize, budget: &Budget) -> Premise {
        let claim_terms = claim_terms(claim);
        let indices = claim_terms.iter().filter_map(|term| self.postings.get(term)).map(Vec::len);
        if !budget.spend(UNITS_FOR_PREMISE + 16 * indices.sum::<usize>()) {
            return Premise::default();
        }
        let mut terms: Vec<(&[usize], u32)> = claim_terms
            .iter()
            .filter_map(|term| self.postings.get(term))
            .map(|indices| (indices.as_slice(), self.weight(indices.len())))
            .collect();
        terms.sort_by_key(|(_, weight)| core::cmp::Reverse(*weight));
        let ranked = rank(&terms, |index| self.tool_overlap(index, &claim_terms));
        let mut writer = render::PremiseWriter::new(self.facts, max_bytes);
        let mut records = Vec::new();
        for index in &ranked {
            let Some(passage) = self.passages.get(*index) else { continue };
            if writer.add(*index, passage.item, &passage.records, claim) {
                records.extend(passage.records.iter().copied());
            }
        }
        self.add_neighbors(&ranked, claim, &mut writer);
        Premise { text: writer.text(), records }
    }

    /// Returns the weight of a term that occurs in `count` passages: log2(4 × passages / count), at least one.
    fn weight(&self, count: usize) -> u32 {
        let ratio = self.passages.len().saturating_mul(4) / count.max(1);
        ratio.max(2).ilog2()
    }

    fn tool_overlap(&self, index: usize, claim_terms: &[u64]) -> u32 {
        let tool = self.passages.get(index).and_then(|passage| self.tools.get(&passage.item));
        let shared_count =
            tool.into_iter().flatten().filter(|term| claim_terms.contains(term)).count();
        u32::try_from(shared_count).unwrap_or(u32::MAX).min(MAX_TOOL_OVERLAP)
    }

    fn add_neighbors(
        &self,
        ranked: &[usize],
        claim: &str,
        writer: &mut render::PremiseWriter<'_, 'a>,
    ) {
        const REACH: usize = 12;
        for distance in 1..=REACH {
            for index in ranked.iter().take(4) {
                let item = self.passages.get(*index).map(|passage| passage.item);
                for neighbor in [index.checked_add(distance), index.checked_sub(distance)] {
                    let Some(neighbor) = neighbor else { continue };
                    if let Some(passage) = self.passages.get(neighbor)
                        && Some(passage.item) == item
                    {
                        writer.add(neighbor, passage.item, &passage.records, claim);
                    }
                }
            }
        }
    }
}

/// Orders passages by the claim terms they add. A term that a chosen passage already covers counts one eighth of its
/// weight. A claim term that occurs in the tool or the query counts one quarter of the minimum weight.
fn rank(terms: &[(&[usize], u32)], tool_overlap: impl Fn(usize) -> u32) -> Vec<usize> {
    let mut terms_by_passage: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut totals: BTreeMap<usize, u32> = BTreeMap::new();
    for (term, (indices, weight)) in terms.iter().enumerate() {
        for index in *indices {
            terms_by_passage.entry(*index).or_default().push(term);
            *totals.entry(*index).or_default() += weight;
        }
    }
    let mut candidates: Vec<usize> = terms_by_passage.keys().copied().collect();
    for (index, total) in &mut totals {
        *total += tool_overlap(*index);
    }
    candidates.sort_by_key(|index| core::cmp::Reverse(totals.get(index).copied().unwrap_or(0)));
    candidates.truncate(MAX_CANDIDATES);
    let mut covered = vec![false; terms.len()];
    let mut chosen = Vec::new();
    while !candidates.is_empty() {
        let gain = |index: &usize| -> u32 {
            let passage_terms = terms_by_passage.get(index).into_iter().flatten();
            passage_terms
                .map(|term| {
                    let weight = terms.get(*term).map_or(0, |(_, weight)| *weight);
                    if covered.get(*term).copied().unwrap_or(false) { weight } else { weight * 8 }
                })
                .sum::<u32>()
                + 2 * tool_overlap(*index)
        };
        let best = candidates
            .iter()
            .enumerate()
            .max_by_key(|(position, index)| (gain(index), core::cmp::Reverse(*position)));
        let Some((position, index)) = best.map(|(position, index)| (position, *index)) else {
            break;
        };
        candidates.remove(position);
        for term in terms_by_passage.get(&index).into_iter().flatten() {
            if let Some(is_covered) = covered.get_mut(*term) {
                *is_covered = true;
            }
        }
        chosen.push(index);
    }
    chosen
}

/// Splits records into passages. A series is one passage, and so is a line with its clauses.
fn split(facts: &Facts<'_>) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut by_line: BTreeMap<RecordId, usize> = BTreeMap::new();
    for group in facts.groups() {
        if group.form == Form::Series {
            passages.push(Passage { item: group.item, records: group.records.clone() });
            continue;
        }
        for id in &group.records {
            let parent = facts.record(*id).and_then(|record| record.parent);
            let line = parent.filter(|_| group.form == Form::Clauses);
            if let Some(passage) = line.and_then(|line| passages.get_mut(*by_line.get(&line)?)) {
                passage.records.push(*id);
                continue;
            }
            by_line.insert(*id, passages.len());
            passages.push(Passage { item: group.item, records: vec![*id] });
        }
    }
    passages.sort_by_key(|passage| {
        let first = passage.records.first().and_then(|id| facts.record(*id));
        (passage.item, first.map_or(0, |record| record.span.start))
    });
    passages
}
