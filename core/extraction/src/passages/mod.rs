//! This module chooses the passages of evidence that bear on a claim and writes them as one text: the premise that a
//! trained model reads beside the claim. It knows of no model and decides nothing.
//!
//! A passage is a record with what holds for it: a row with the names of its columns, an object with the keys that lead
//! to it, a line as it stands, the lines of a change with their signs, a whole series. Passages are chosen so that together they have as many of the claim's
//! words as possible, rare words before common ones; what room is left goes to the neighbours of those chosen.
//!
//! ```
//! use gsar_extraction::facts::{Facts, Item};
//! use gsar_extraction::passages::Passages;
//!
//! let budget = gsar_extraction::budget::Budget::unlimited();
//! let content = "NAME    READY  RESTARTS\ncart-1  1/1    0\ncart-2  0/1    7\n";
//! let facts = Facts::read([Item { tool: "kubectl get pods", query: "", content, exhaustive: true }], &budget);
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
use crate::memory::{MAP_ENTRY, of_bytes};

use terms::{claim_terms, passage_terms, tool_terms};

/// The most bytes of a premise: what the shipped model of `local/1` is trained on.
pub const MAX_PREMISE: usize = 700;
/// The most passages whose words are weighed against each other for one claim.
const MAX_CANDIDATES: usize = 256;
/// What indexing a passage takes.
const UNITS_FOR_PASSAGE: usize = 512;
/// The bytes of a passage with one record.
const BYTES_OF_PASSAGE: usize = size_of::<Passage>() + of_bytes(size_of::<RecordId>());
/// The bytes of a term that one passage has.
const BYTES_OF_TERM: usize =
    MAP_ENTRY + size_of::<(u64, Vec<usize>)>() + of_bytes(3 * size_of::<usize>());
/// What writing the passages of a claim takes.
const UNITS_FOR_PREMISE: usize = 64 << 10;
/// The most words of what was asked that speak for a passage.
const MAX_OF_TOOL: u32 = 4;

/// What is said beside a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Premise {
    /// The passages, in the order of the evidence, under the tool that answered each.
    pub text: String,
    /// The records shown that have words of the claim, those with most of them first.
    pub records: Vec<RecordId>,
}

/// Evidence, cut into passages once for any number of claims.
#[derive(Debug)]
pub struct Passages<'f, 'a> {
    facts: &'f Facts<'a>,
    /// In the order of the evidence.
    passages: Vec<Passage>,
    postings: BTreeMap<u64, Vec<usize>>,
    /// The terms of the tools that answered.
    tools: BTreeMap<ItemId, Vec<u64>>,
}

#[derive(Debug)]
struct Passage {
    item: ItemId,
    /// Its records: one, or the samples of a series, or a line with its clauses.
    records: Vec<RecordId>,
}

impl<'f, 'a> Passages<'f, 'a> {
    /// Cuts facts into passages. Not whole where the budget stops it.
    #[must_use]
    pub fn new(facts: &'f Facts<'a>, budget: &Budget) -> Self {
        let passages = split(facts);
        let mut postings: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, passage) in passages.iter().enumerate() {
            if !budget.spend(UNITS_FOR_PASSAGE) {
                break;
            }
            let terms = passage_terms(facts, &passage.records);
            let is_new = |term: &&u64| !postings.contains_key(*term);
            let entries = terms.iter().filter(is_new).count() * BYTES_OF_TERM;
            let bytes = BYTES_OF_PASSAGE + terms.len() * size_of::<usize>() + entries;
            if !budget.allocate(bytes) {
                break;
            }
            for term in terms {
                postings.entry(term).or_default().push(at);
            }
        }
        let mut tools = BTreeMap::new();
        for passage in &passages {
            tools.entry(passage.item).or_insert_with(|| tool_terms(facts, passage.item));
        }
        Self { facts, passages, postings, tools }
    }

    /// What bears on a claim, in at most `max_bytes` bytes. Nothing where the budget does not allow it.
    #[must_use]
    pub fn premise(&self, claim: &str, max_bytes: usize, budget: &Budget) -> Premise {
        let claim_terms = claim_terms(claim);
        let places = claim_terms.iter().filter_map(|term| self.postings.get(term)).map(Vec::len);
        if !budget.spend(UNITS_FOR_PREMISE + 16 * places.sum::<usize>()) {
            return Premise::default();
        }
        let mut terms: Vec<(&[usize], u32)> = claim_terms
            .iter()
            .filter_map(|term| self.postings.get(term))
            .map(|places| (places.as_slice(), self.weight(places.len())))
            .collect();
        terms.sort_by_key(|(_, weight)| core::cmp::Reverse(*weight));
        let ranked = ranked(&terms, |place| self.tool_overlap(place, &claim_terms));
        let mut writer = render::PremiseWriter::new(self.facts, max_bytes);
        let mut records = Vec::new();
        for at in &ranked {
            let Some(passage) = self.passages.get(*at) else { continue };
            if writer.add(*at, passage.item, &passage.records, claim) {
                records.extend(passage.records.iter().copied());
            }
        }
        self.add_neighbours(&ranked, claim, &mut writer);
        Premise { text: writer.text(), records }
    }

    /// A rare word weighs more than a common one: the binary logarithm of four times one over its share, at least one.
    fn weight(&self, count: usize) -> u32 {
        let share = self.passages.len().saturating_mul(4) / count.max(1);
        share.max(2).ilog2()
    }

    /// How many terms of a claim stand in what was asked for a passage.
    fn tool_overlap(&self, place: usize, claim_terms: &[u64]) -> u32 {
        let tool = self.passages.get(place).and_then(|passage| self.tools.get(&passage.item));
        let shared = tool.into_iter().flatten().filter(|term| claim_terms.contains(term)).count();
        u32::try_from(shared).unwrap_or(u32::MAX).min(MAX_OF_TOOL)
    }

    /// Fills what room is left with passages beside those chosen, nearest first.
    fn add_neighbours(
        &self,
        ranked: &[usize],
        claim: &str,
        writer: &mut render::PremiseWriter<'_, 'a>,
    ) {
        const REACH: usize = 12;
        for distance in 1..=REACH {
            for at in ranked.iter().take(4) {
                let item = self.passages.get(*at).map(|passage| passage.item);
                for neighbour in [at.checked_add(distance), at.checked_sub(distance)] {
                    let Some(neighbour) = neighbour else { continue };
                    if let Some(passage) = self.passages.get(neighbour)
                        && Some(passage.item) == item
                    {
                        writer.add(neighbour, passage.item, &passage.records, claim);
                    }
                }
            }
        }
    }
}

/// Places of passages, the one that adds most words of the claim first. A word that is shown already counts an eighth,
/// and so does one of what was asked.
fn ranked(terms: &[(&[usize], u32)], tool_overlap: impl Fn(usize) -> u32) -> Vec<usize> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut totals: BTreeMap<usize, u32> = BTreeMap::new();
    for (term, (places, weight)) in terms.iter().enumerate() {
        for place in *places {
            found.entry(*place).or_default().push(term);
            *totals.entry(*place).or_default() += weight;
        }
    }
    let mut candidates: Vec<usize> = found.keys().copied().collect();
    for (place, total) in &mut totals {
        *total += tool_overlap(*place);
    }
    candidates.sort_by_key(|place| core::cmp::Reverse(totals.get(place).copied().unwrap_or(0)));
    candidates.truncate(MAX_CANDIDATES);
    let mut shown = vec![false; terms.len()];
    let mut chosen = Vec::new();
    while !candidates.is_empty() {
        let gain = |place: &usize| -> u32 {
            let of = found.get(place).into_iter().flatten();
            of.map(|term| {
                let weight = terms.get(*term).map_or(0, |(_, weight)| *weight);
                if shown.get(*term).copied().unwrap_or(false) { weight } else { weight * 8 }
            })
            .sum::<u32>()
                + 2 * tool_overlap(*place)
        };
        let best = candidates
            .iter()
            .enumerate()
            .max_by_key(|(at, place)| (gain(place), core::cmp::Reverse(*at)));
        let Some((at, place)) = best.map(|(at, place)| (at, *place)) else { break };
        candidates.remove(at);
        for term in found.get(&place).into_iter().flatten() {
            if let Some(seen) = shown.get_mut(*term) {
                *seen = true;
            }
        }
        chosen.push(place);
    }
    chosen
}

/// Records as passages: a series is one, and so is a line with its clauses.
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
