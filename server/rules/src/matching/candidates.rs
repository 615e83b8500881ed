//! Where in the evidence a claim may be decided.
//!
//! Each term of a claim is looked up in the index; the fields, headings, names and tools that have it are
//! marked with the term's bit. What gathers most weight is a candidate: a line, a record, a document.

use crate::claim::reading::{Reading, Role};
use crate::evidence::observations::{Corpus, NONE, Place};

/// The most places looked up under one word; beyond that the word is too common to lead anywhere.
const MOST_PLACES: usize = 4_000;
/// The most candidates weighed for one claim.
const MOST_CANDIDATES: usize = 16;
/// A document with more fields than this is no candidate as a whole.
const LARGEST_DOCUMENT: u32 = 240;

/// A place where a claim may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// One field: a log line.
    Line(u32),
    /// A record or document.
    Object(u32),
}

/// A target with the terms that it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) target: Target,
    /// Terms in it, around it, and in the tool that produced it.
    pub(crate) terms: u64,
    /// Terms in it or in the names and headings around it.
    pub(crate) near: u64,
}

/// Which terms of one claim stand where. Made once per question and cleared between claims.
#[derive(Debug)]
pub(crate) struct Marks {
    fields: Vec<u64>,
    marked_fields: Vec<u32>,
    /// Terms in the names and headings of an object itself.
    own: Vec<u64>,
    /// Terms in a record.
    content: Vec<u64>,
    /// Terms in a record and in no record further in.
    direct: Vec<u64>,
    marked_objects: Vec<u32>,
    tools: Vec<u64>,
}

impl Marks {
    /// No marks, for this corpus.
    pub(crate) fn new(corpus: &Corpus<'_>) -> Self {
        Self {
            fields: vec![0; corpus.fields.len()],
            marked_fields: Vec::new(),
            own: vec![0; corpus.objects.len()],
            content: vec![0; corpus.objects.len()],
            direct: vec![0; corpus.objects.len()],
            marked_objects: Vec::new(),
            tools: vec![0; corpus.evidence.len()],
        }
    }

    /// The terms in a field.
    pub(crate) fn field(&self, field: u32) -> u64 {
        self.fields.get(field as usize).copied().unwrap_or(0)
    }

    /// The terms in the tool and query of an item.
    pub(crate) fn tool(&self, item: u32) -> u64 {
        self.tools.get(item as usize).copied().unwrap_or(0)
    }

    /// The terms in the names and headings of an object and of those around it.
    pub(crate) fn around(&self, corpus: &Corpus<'_>, object: u32) -> u64 {
        corpus
            .around(object)
            .fold(0, |bits, (number, _)| bits | self.own.get(number as usize).copied().unwrap_or(0))
    }

    /// The terms in the headings and names within an item.
    pub(crate) fn headings(&self, corpus: &Corpus<'_>, item: u32) -> u64 {
        self.marked_objects
            .iter()
            .filter(|object| corpus.object(**object).is_some_and(|object| object.item == item))
            .fold(0, |bits, object| bits | self.own.get(*object as usize).copied().unwrap_or(0))
    }

    /// The terms in the names and headings of an object itself.
    pub(crate) fn own(&self, object: u32) -> u64 {
        self.own.get(object as usize).copied().unwrap_or(0)
    }

    /// The terms in a record.
    pub(crate) fn content(&self, object: u32) -> u64 {
        self.content.get(object as usize).copied().unwrap_or(0)
    }

    /// The fields that have a term.
    pub(crate) fn marked_fields(&self) -> &[u32] {
        &self.marked_fields
    }

    /// Every term that stands anywhere.
    pub(crate) fn anywhere(&self) -> u64 {
        let fields = self.marked_fields.iter().fold(0, |bits, field| bits | self.field(*field));
        let objects = self
            .marked_objects
            .iter()
            .fold(0, |bits, object| bits | self.own.get(*object as usize).copied().unwrap_or(0));
        self.tools.iter().fold(fields | objects, |bits, tool| bits | tool)
    }

    fn clear(&mut self) {
        for field in self.marked_fields.drain(..) {
            if let Some(mask) = self.fields.get_mut(field as usize) {
                *mask = 0;
            }
        }
        for object in self.marked_objects.drain(..) {
            for masks in [&mut self.own, &mut self.content, &mut self.direct] {
                if let Some(mask) = masks.get_mut(object as usize) {
                    *mask = 0;
                }
            }
        }
        self.tools.fill(0);
    }

    /// Marks where the terms of a claim stand.
    pub(crate) fn mark(&mut self, corpus: &Corpus<'_>, reading: &Reading<'_>) {
        self.clear();
        for (place, term) in reading.terms.iter().enumerate() {
            let bit = 1 << place;
            for key in &term.keys {
                for field in corpus.by_word.of(*key).take(MOST_PLACES) {
                    self.mark_field(field, bit);
                }
                for object in corpus.by_heading.of(*key).take(MOST_PLACES) {
                    self.mark_object(corpus, object, bit);
                }
                for item in corpus.by_tool.of(*key) {
                    if let Some(mask) = self.tools.get_mut(item as usize) {
                        *mask |= bit;
                    }
                }
            }
            if matches!(term.role, Role::Entity)
                && let Some(name) = term.keys.first()
            {
                for name in corpus.by_name.of(*name).take(MOST_PLACES) {
                    if let Some(name) = corpus.names.get(name as usize) {
                        self.mark_object(corpus, name.object, bit);
                    }
                }
            }
        }
        for place in 0..self.marked_fields.len() {
            let Some(field) = self.marked_fields.get(place).copied() else { break };
            let bits = self.field(field);
            let Some(object) = corpus.field(field).map(|field| field.object) else { continue };
            self.mark_records(corpus, object, bits, is_line(corpus, field));
        }
    }

    /// Marks the records around something.
    fn mark_records(&mut self, corpus: &Corpus<'_>, object: u32, bits: u64, line: bool) {
        let mut is_nearest = true;
        for (number, around) in corpus.around(object) {
            if !around.is_record {
                continue;
            }
            self.mark_content(number, bits);
            // The lines of a log have nothing to do with one another.
            let apart = line && around.parent == NONE;
            if is_nearest
                && !apart
                && let Some(mask) = self.direct.get_mut(number as usize)
            {
                *mask |= bits;
            }
            is_nearest = false;
        }
    }

    fn mark_field(&mut self, field: u32, bit: u64) {
        if let Some(mask) = self.fields.get_mut(field as usize) {
            if *mask == 0 {
                self.marked_fields.push(field);
            }
            *mask |= bit;
        }
    }

    fn mark_object(&mut self, corpus: &Corpus<'_>, object: u32, bit: u64) {
        if let Some(mask) = self.own.get_mut(object as usize) {
            *mask |= bit;
        }
        self.marked_objects.push(object);
        self.mark_records(corpus, object, bit, false);
    }

    fn mark_content(&mut self, object: u32, bits: u64) {
        if let Some(mask) = self.content.get_mut(object as usize) {
            if *mask == 0 {
                self.marked_objects.push(object);
            }
            *mask |= bits;
        }
    }

    /// The terms that a target has.
    pub(crate) fn candidate(&self, corpus: &Corpus<'_>, target: Target) -> Candidate {
        let (near, item) = match target {
            Target::Line(field) => {
                let object = corpus.field(field).map_or(NONE, |field| field.object);
                (self.field(field) | self.around(corpus, object), corpus.item_of(field))
            }
            Target::Object(object) => {
                let Some(found) = corpus.object(object) else {
                    return Candidate { target, near: 0, terms: 0 };
                };
                // A whole document is a place only for what stands in no record of its own.
                let content = if found.parent == NONE {
                    self.direct.get(object as usize).copied().unwrap_or(0)
                } else {
                    self.content(object)
                };
                (content | self.around(corpus, object), found.item)
            }
        };
        Candidate { target, near, terms: near | self.tool(item) }
    }

    /// The candidates for a claim, most promising first.
    pub(crate) fn candidates(&self, corpus: &Corpus<'_>, reading: &Reading<'_>) -> Vec<Candidate> {
        let mut best = Best { found: Vec::with_capacity(MOST_CANDIDATES + 1), reading };
        for field in &self.marked_fields {
            if is_line(corpus, *field) {
                best.offer(self.candidate(corpus, Target::Line(*field)), 0);
            }
        }
        for object in &self.marked_objects {
            let Some(found) = corpus.object(*object).filter(|object| object.is_record) else {
                continue;
            };
            let size = found.fields.1 - found.fields.0;
            if found.parent != NONE || size <= LARGEST_DOCUMENT {
                best.offer(self.candidate(corpus, Target::Object(*object)), size);
            }
        }
        // What lacks half of the claim can neither bear it out nor refute it.
        let all = reading.weight(u64::MAX);
        best.found
            .into_iter()
            .map(|(_, _, candidate)| candidate)
            .filter(|candidate| reading.weight(candidate.terms) * 2 >= all)
            .collect()
    }
}

/// Whether a field is a line: words without a key.
pub(crate) fn is_line(corpus: &Corpus<'_>, field: u32) -> bool {
    corpus.field(field).is_some_and(|found| {
        found.name.0 == found.name.1 && (found.place == Place::Line || found.micros.is_some())
    })
}

struct Best<'r, 'c> {
    found: Vec<(u32, u32, Candidate)>,
    reading: &'r Reading<'c>,
}

impl Best<'_, '_> {
    fn offer(&mut self, candidate: Candidate, size: u32) {
        let weight = self.reading.weight(candidate.near) * 2
            + self.reading.weight(candidate.terms & !candidate.near);
        let full = self.found.len() >= MOST_CANDIDATES;
        let goes_before =
            |other: &(u32, u32, Candidate)| weight > other.0 || weight == other.0 && size < other.1;
        if full && !self.found.last().is_some_and(goes_before) {
            return;
        }
        if self.found.iter().any(|(_, _, other)| other.target == candidate.target) {
            return;
        }
        let at = self.found.iter().position(goes_before).unwrap_or(self.found.len());
        self.found.insert(at, (weight, size, candidate));
        self.found.truncate(MOST_CANDIDATES);
    }
}
