//! The dated lines and records that have something of what a stretch of a claim names.

use std::collections::BTreeMap;

use gsar_core::text::figures::{Agreement, Figure};
use gsar_core::text::tokens::words;

use crate::claim::reading::Term;
use crate::evidence::chronicle::{Chronicle, objects_of};
use crate::evidence::observations::NONE;
use crate::evidence::observations::first_line;
use crate::evidence::values::compare;
use crate::matching::asked::Asked;
use crate::matching::candidates::Target;
use crate::verdict::ruling::Case;
use crate::vocabulary::affairs;
use crate::vocabulary::event_words::any;
use crate::vocabulary::lexicon::known;
use crate::vocabulary::phases::Phase;
use crate::vocabulary::words::{Key, exact, key, parts, soft_key};

/// The most places looked up under one word, and collected for one stretch.
const MOST: usize = 4_000;
/// The most places within one thing that a word of a heading or a name leads to.
const MOST_WITHIN: usize = 64;
/// Set where a place has a word for the phase that is asked for; beyond the bits of the terms.
const IN_PHASE: u64 = 1 << 62;

/// The dated places that have something of a stretch, with the terms that each has.
pub(crate) struct Places(BTreeMap<Target, u64>);

impl Places {
    /// Collects them.
    pub(crate) fn of(case: &Case<'_, '_, '_>, chronicle: &Chronicle, asked: &Asked) -> Self {
        let mut gatherer = Gatherer { case, chronicle, asked, places: BTreeMap::new() };
        gatherer.by_words();
        gatherer.by_affairs();
        gatherer.by_parts();
        gatherer.by_synonyms();
        gatherer.by_tools();
        gatherer.by_phase();
        gatherer.by_headings();
        gatherer.finish()
    }

    /// Each place with its terms.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Target, u64)> {
        self.0.iter().map(|(place, terms)| (*place, *terms))
    }
}

/// Whether the terms of a place have a word for the phase that is asked for.
pub(crate) fn says_phase(terms: u64) -> bool {
    terms & IN_PHASE != 0
}

struct Gatherer<'g, 'a, 'e, 'c> {
    case: &'g Case<'a, 'e, 'c>,
    chronicle: &'g Chronicle,
    asked: &'g Asked,
    places: BTreeMap<Target, u64>,
}

impl Gatherer<'_, '_, '_, '_> {
    /// The dated line or record that a field stands in.
    fn place_of(&self, field: u32) -> Option<Target> {
        let line = Target::Line(field);
        if self.chronicle.has(line) {
            return Some(line);
        }
        let things =
            objects_of(self.case.corpus, field).into_iter().filter(|object| *object != NONE);
        things.map(Target::Object).find(|thing| self.chronicle.has(*thing))
    }

    fn add(&mut self, place: Target, terms: u64) {
        if self.places.len() < MOST || self.places.contains_key(&place) {
            *self.places.entry(place).or_default() |= terms;
        }
    }

    fn by_words(&mut self) {
        let wanted = self.asked.all();
        for field in self.case.marks.marked_fields() {
            let terms = self.case.marks.field(*field);
            if terms & wanted != 0
                && let Some(place) = self.place_of(*field)
            {
                let object = self.case.corpus.field(*field).map_or(NONE, |field| field.object);
                self.add(place, terms | self.case.marks.own(object));
            }
        }
    }

    /// "No space left" for "the disk was full".
    fn by_affairs(&mut self) {
        let corpus = self.case.corpus;
        for affair in &self.asked.affairs {
            let fields = (0..64)
                .filter(|number| affair.affairs >> number & 1 == 1)
                .flat_map(affairs::leads)
                .flat_map(|lead| corpus.by_word.of(*lead).take(MOST))
                .filter(|field| self.case.cache.affairs(corpus, *field) & affair.affairs != 0);
            for field in fields {
                if let Some(place) = self.place_of(field) {
                    let object = corpus.field(field).map_or(NONE, |field| field.object);
                    let terms = self.case.marks.field(field) | self.case.marks.own(object);
                    self.add(place, terms | affair.bit);
                }
            }
        }
    }

    /// The terms of some bits, each with its bit.
    fn terms(&self, bits: u64) -> impl Iterator<Item = (u64, &Term<'_>)> {
        let terms = self.case.reading.terms.iter().enumerate();
        terms.map(|(place, term)| (1 << place, term)).filter(move |(bit, _)| bits & bit != 0)
    }

    /// "Heap-dump" for "Heap dump".
    fn by_parts(&mut self) {
        let corpus = self.case.corpus;
        let mut found = Vec::new();
        for (bit, term) in self.terms(self.asked.compounds) {
            let keys: Vec<_> = parts(term.text).map(key).collect();
            let [first, others @ ..] = keys.as_slice() else { continue };
            for field in corpus.by_word.of(*first).take(MOST) {
                let has_all = corpus.field(field).is_some_and(|found| {
                    let words = corpus.value_words(found);
                    others.iter().all(|key| words.contains(key))
                });
                if has_all && let Some(place) = self.place_of(field) {
                    found.push((place, bit | self.case.marks.field(field)));
                }
            }
        }
        for (place, terms) in found {
            self.add(place, terms);
        }
    }

    /// `system.mem.used` for "memory", "exhausted" for "exhaustion".
    fn by_synonyms(&mut self) {
        let mut found = Vec::new();
        let in_affairs = self.asked.affairs.iter().fold(0, |bits, affair| bits | affair.terms);
        for (bit, term) in self.terms(self.asked.words | self.asked.phase_bits | in_affairs) {
            if let Some(other) = derived(term.text) {
                for field in self.case.corpus.by_word.of(other).take(MOST) {
                    if let Some(place) = self.place_of(field) {
                        found.push((place, bit | self.case.marks.field(field)));
                    }
                }
            }
            for other in known(exact(term.text)).map_or(&[][..], |known| &known.others) {
                for field in self.case.corpus.by_word.of(soft_key(*other)).take(MOST) {
                    let line = Target::Line(field);
                    if self.chronicle.has(line) {
                        found.push((line, bit | self.case.marks.field(field)));
                    }
                }
            }
        }
        for (place, terms) in found {
            self.add(place, terms);
        }
    }

    /// What a tool answers in few records is of what it was asked for.
    fn by_tools(&mut self) {
        const FEW: usize = 40;
        const ALONE: usize = 2;
        let named = self.asked.strict | self.asked.words;
        for (item, root) in (0_u32..).zip(&self.case.corpus.roots) {
            if self.case.marks.tool(item) & named == 0 {
                continue;
            }
            let fields = self.case.corpus.object(*root).map_or((0, 0), |root| root.fields);
            let dated = self.chronicle.within(fields.0..fields.1);
            if dated.len() > FEW {
                continue;
            }
            for event in dated {
                if dated.len() <= ALONE || matches!(event.place, Target::Object(_)) {
                    let asked_for =
                        matches!(event.place, Target::Line(_)) && self.is_asked_for(item);
                    self.add(event.place, if asked_for { IN_PHASE } else { 0 });
                }
            }
        }
    }

    /// `$ kubectl get pod … -o jsonpath={.metadata.creationTimestamp}` says what its one line is.
    fn is_asked_for(&self, item: u32) -> bool {
        let request = first_line(self.case.corpus.text(item));
        request.starts_with("$ ")
            && words(request)
                .any(|word| parts(word.text).any(|part| any(part, self.asked.phase_words())))
    }

    /// Words for the phase that is asked for; where nothing else is, everything that is dated by that phase.
    fn by_phase(&mut self) {
        let corpus = self.case.corpus;
        let mut keys: Vec<_> = self.asked.phase_words().iter().map(|word| key(word)).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            for field in corpus.by_word.of(key).take(MOST) {
                if let Some(place) = self.place_of(field)
                    && let Some(terms) = self.places.get_mut(&place)
                {
                    *terms |= IN_PHASE;
                }
            }
        }
        if !self.asked.is_unnamed() || self.asked.phase.is_none() {
            return;
        }
        for event in self.chronicle.all().iter().take(MOST) {
            let by_key = matches!(event.phase, Phase::Start | Phase::Created | Phase::End);
            if by_key && matches!(event.place, Target::Object(_)) {
                self.add(event.place, 0);
            }
        }
    }

    /// What stands under a heading or name that is asked for.
    fn by_headings(&mut self) {
        let corpus = self.case.corpus;
        let mut objects = Vec::new();
        for (_, term) in self.terms(self.asked.strict | self.asked.words) {
            for key in &term.keys {
                let headings = corpus.by_heading.of(*key).take(MOST_WITHIN);
                objects.extend(headings.filter(|object| {
                    corpus.object(*object).is_some_and(|object| object.parent != NONE)
                }));
            }
            if let Some(name) = term.keys.first() {
                let names = corpus.by_name.of(*name).take(MOST_WITHIN);
                objects
                    .extend(names.filter_map(|name| {
                        corpus.names.get(name as usize).map(|name| name.object)
                    }));
            }
        }
        for object in objects {
            let fields = corpus.object(object).map_or((0, 0), |object| object.fields);
            for event in self.chronicle.within(fields.0..fields.1).iter().take(MOST_WITHIN) {
                if matches!(event.place, Target::Object(_)) {
                    self.add(event.place, 0);
                }
            }
        }
    }

    /// Adds the terms around each place, and leaves out what a language model inferred.
    fn finish(self) -> Places {
        let mut places = self.places;
        places.retain(|place, terms| {
            let (object, item) = seat(self.case, *place);
            *terms |= self.case.marks.around(self.case.corpus, object) | self.case.marks.tool(item);
            // The very words of the claim.
            for affair in &self.asked.affairs {
                if affair.terms != 0 && *terms & affair.terms == affair.terms {
                    *terms |= affair.bit;
                }
            }
            self.case.corpus.item(item).is_some_and(|item| item.lane.is_hard())
        });
        Places(places)
    }
}

/// The verb of a noun, or the noun of a verb: "exhaustion" and "exhausted", "deployment" and "deployed".
fn derived(word: &str) -> Option<Key> {
    const SHORTEST: usize = 4;
    let stem = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() >= SHORTEST);
    if let Some(verb) = stem("ment").or_else(|| stem("ion")) {
        Some(key(verb))
    } else {
        stem("ed").map(|verb| key(&format!("{verb}ion")))
    }
}

/// The object that a place is or stands in, and its item.
pub(crate) fn seat(case: &Case<'_, '_, '_>, place: Target) -> (u32, u32) {
    match place {
        Target::Line(field) => (
            case.corpus.field(field).map_or(NONE, |field| field.object),
            case.corpus.item_of(field),
        ),
        Target::Object(object) => {
            (object, case.corpus.object(object).map_or(0, |object| object.item))
        }
    }
}

/// The terms that a line or record has, itself or around it.
pub(crate) fn terms_of(case: &Case<'_, '_, '_>, place: Target) -> u64 {
    let (object, item) = seat(case, place);
    fields_of(case, place)
        .into_iter()
        .fold(case.marks.around(case.corpus, object) | case.marks.tool(item), |bits, field| {
            bits | case.marks.field(field)
        })
}

/// The terms that a line or record has, itself or around it, and the affairs of a stretch that it shows.
pub(crate) fn shown_of(case: &Case<'_, '_, '_>, place: Target, asked: &Asked) -> u64 {
    let terms = terms_of(case, place);
    let shows = |affairs: u64| {
        let fields = fields_of(case, place);
        fields.into_iter().any(|field| case.cache.affairs(case.corpus, field) & affairs != 0)
    };
    let shown = asked.affairs.iter().filter(|affair| {
        affair.terms != 0 && terms & affair.terms == affair.terms || shows(affair.affairs)
    });
    shown.fold(terms, |bits, affair| bits | affair.bit)
}

/// Whether a place has every figure of a stretch.
pub(crate) fn has_figures(case: &Case<'_, '_, '_>, place: Target, asked: &Asked) -> bool {
    let inside = case.reading.figures.figures.iter().filter(|figure| {
        asked.span.start <= figure.span.start
            && figure.span.end <= asked.span.end
            && !asked
                .apart
                .iter()
                .any(|apart| apart.start <= figure.span.start && figure.span.end <= apart.end)
            && !asked.times.iter().any(|time| {
                time.span.start <= figure.span.start && figure.span.end <= time.span.end
            })
    });
    let fields = fields_of(case, place);
    inside.into_iter().all(|figure| {
        fields.iter().any(|field| {
            case.cache.values(case.corpus, *field).iter().any(|value| {
                let stated = Figure { comparator: None, ..value.figure.clone() };
                compare(figure, &stated) == Agreement::Same
            })
        })
    })
}

/// The fields that a place itself has.
pub(crate) fn fields_of(case: &Case<'_, '_, '_>, place: Target) -> Vec<u32> {
    const MOST: usize = 60;
    match place {
        Target::Line(field) => vec![field],
        Target::Object(object) => {
            let fields = case.corpus.object(object).map_or((0, 0), |object| object.fields);
            (fields.0..fields.1)
                .filter(|field| objects_of(case.corpus, *field).contains(&object))
                .take(MOST)
                .collect()
        }
    }
}
