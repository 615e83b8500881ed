//! Evidence as addressed observations.
//!
//! Every item is read once per question into fields: a leaf of a JSON document, a cell of a table, a
//! `Key: value` line, a log line. A field knows the words of its key and value, where it stands in the
//! item's original bytes, and the objects around it; objects know the names they bear. Samples of a series
//! are kept apart. Nothing here judges.
//!
//! At most [`MOST_BYTES`] bytes, [`MOST_FIELDS`] fields and [`MOST_SAMPLES`] samples are read; what is cut is
//! told in [`Corpus::gaps`].

use std::ops::Range;

use gsar_core::evidence::{Content, EvidenceItem};
use gsar_core::text::figures::Unit;
use gsar_core::text::tokens::{entity_root, words};

use crate::evidence::documents;
use crate::evidence::json;
use crate::evidence::layout;
use crate::evidence::postings::Postings;
use crate::evidence::shapes;
use crate::vocabulary::words::{Key, evidence_keys, exact, key, parts};

/// The most bytes of evidence read for one question.
pub const MOST_BYTES: usize = 16 << 20;
/// The most fields read for one question.
pub(crate) const MOST_FIELDS: usize = 1_000_000;
/// The most samples of series read for one question.
pub(crate) const MOST_SAMPLES: usize = 1_000_000;

/// No object.
pub(crate) const NONE: u32 = u32::MAX;

/// How something is reached from the object around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A line, cell or section: no step of a JSON pointer.
    Line,
    /// A member; the bytes of its key in the item.
    Member(u32, u32),
    /// A place in an array.
    Index(u32),
}

/// An object, array, table row, section or block of an item.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// The item it is part of.
    pub(crate) item: u32,
    /// The object around it, or [`NONE`].
    pub(crate) parent: u32,
    /// How it is reached.
    pub(crate) place: Place,
    /// The words of its heading: indexes into the keys.
    keys: (u32, u32),
    /// The bytes of its heading in the item; empty where it has none.
    heading: (u32, u32),
    /// The fields in it and in what it holds.
    pub(crate) fields: (u32, u32),
    /// Whether it is an element of an array, a row, a block or a whole item: one thing that is told of.
    pub(crate) is_record: bool,
    /// Whether it bears a name.
    pub(crate) is_named: bool,
}

/// What a field's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Words.
    Text,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`, `[]`, `{}`, `<none>`
    Nothing,
}

/// The smallest thing that can be cited.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The object it stands in.
    pub(crate) object: u32,
    /// How it is reached.
    pub(crate) place: Place,
    /// What its value is.
    pub(crate) kind: ValueKind,
    /// Words of the key, then words of the value: start, end of the key's, end.
    keys: (u32, u32, u32),
    /// The bytes of the key in the item; empty where it has none.
    pub(crate) name: (u32, u32),
    /// The bytes of key and value in the item.
    pub(crate) quote: (u32, u32),
    /// The bytes of the value in the item, without quotation marks.
    pub(crate) value: (u32, u32),
    /// Microseconds since the epoch, where the container of the field says when.
    pub(crate) micros: Option<i64>,
}

/// One sample of a series.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// When, in microseconds since the epoch.
    pub(crate) micros: i64,
    /// The value, for finding extremes; comparisons read the text.
    pub(crate) value: f64,
    /// The bytes of the number in the item.
    pub(crate) number: (u32, u32),
    /// The bytes of time and value in the item.
    pub(crate) quote: (u32, u32),
    /// How it is reached from the series.
    pub(crate) place: Place,
}

/// A series: samples of one metric with one set of labels.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// What holds the samples: an array, or the object that bears the labels.
    pub(crate) object: u32,
    /// Indexes into the samples.
    pub(crate) samples: (u32, u32),
}

/// A name that an object bears.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    /// Who bears it.
    pub(crate) object: u32,
    /// The field that says so.
    pub(crate) field: u32,
}

/// The evidence of one question.
#[derive(Debug)]
pub(crate) struct Corpus<'e> {
    pub(crate) evidence: &'e [EvidenceItem],
    pub(crate) objects: Vec<Object>,
    pub(crate) fields: Vec<Field>,
    pub(crate) series: Vec<Series>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) names: Vec<Name>,
    /// Units that neither key nor value states, in the order of the fields.
    units: Vec<(u32, Unit)>,
    /// Values before and after that stand in one line.
    changes: Vec<(u32, u32)>,
    /// The whole of each item.
    pub(crate) roots: Vec<u32>,
    /// What was not read.
    pub(crate) gaps: Vec<String>,
    keys: Vec<Key>,
    /// From words to fields.
    pub(crate) by_word: Postings,
    /// From words of headings to objects.
    pub(crate) by_heading: Postings,
    /// From words of tools and queries to items.
    pub(crate) by_tool: Postings,
    /// From names, and from the workloads of pod names, to names.
    pub(crate) by_name: Postings,
}

impl<'e> Corpus<'e> {
    /// Reads the evidence.
    pub(crate) fn read(evidence: &'e [EvidenceItem]) -> Self {
        let bytes: usize = evidence.iter().map(|item| item.content.as_str().len()).sum();
        let room = bytes.min(MOST_BYTES) / 10;
        let mut builder = Builder {
            corpus: Corpus {
                evidence,
                objects: Vec::with_capacity(room / 10),
                fields: Vec::with_capacity(room / 4),
                series: Vec::new(),
                samples: Vec::new(),
                names: Vec::new(),
                units: Vec::new(),
                changes: Vec::new(),
                roots: Vec::with_capacity(evidence.len()),
                gaps: Vec::new(),
                keys: Vec::with_capacity(room),
                by_word: Postings::with_room(room / 2),
                by_heading: Postings::default(),
                by_tool: Postings::default(),
                by_name: Postings::default(),
            },
            open: Vec::new(),
            item: 0,
            text: "",
        };
        let mut budget = MOST_BYTES;
        for item in evidence {
            builder.item(item, &mut budget);
        }
        builder.corpus.units.sort_unstable_by_key(|(field, _)| *field);
        builder.corpus
    }

    /// The item's original text.
    pub(crate) fn text(&self, item: u32) -> &'e str {
        self.item(item).map_or("", |item| item.content.as_str())
    }

    /// The item.
    pub(crate) fn item(&self, item: u32) -> Option<&'e EvidenceItem> {
        self.evidence.get(item as usize)
    }

    /// The field of that number.
    pub(crate) fn field(&self, field: u32) -> Option<&Field> {
        self.fields.get(field as usize)
    }

    /// The object of that number.
    pub(crate) fn object(&self, object: u32) -> Option<&Object> {
        self.objects.get(object as usize)
    }

    /// The item that a field is part of.
    pub(crate) fn item_of(&self, field: u32) -> u32 {
        self.field(field)
            .and_then(|field| self.object(field.object))
            .map_or(0, |object| object.item)
    }

    /// A stretch of the item that a field is part of.
    pub(crate) fn part(&self, field: u32, span: (u32, u32)) -> &'e str {
        self.text(self.item_of(field)).get(span.0 as usize..span.1 as usize).unwrap_or("")
    }

    /// The value of a field as it is written.
    pub(crate) fn value(&self, field: u32) -> &'e str {
        self.field(field).map_or("", |found| self.part(field, found.value))
    }

    /// The line or the key and value of a field as they are written.
    pub(crate) fn line(&self, field: u32) -> &'e str {
        self.field(field).map_or("", |found| self.part(field, found.quote))
    }

    /// The key of a field as it is written.
    pub(crate) fn name(&self, field: u32) -> &'e str {
        self.field(field).map_or("", |found| self.part(field, found.name))
    }

    /// The unit that the shape of the evidence gives a field.
    pub(crate) fn unit(&self, field: u32) -> Option<Unit> {
        let at = self.units.binary_search_by_key(&field, |(field, _)| *field).ok()?;
        self.units.get(at).map(|(_, unit)| *unit)
    }

    /// The value before and after that a field is half of.
    pub(crate) fn change(&self, field: u32) -> Option<(u32, u32)> {
        let at = self.changes.partition_point(|(_, after)| *after < field);
        self.changes.get(at).copied().filter(|(before, after)| *before == field || *after == field)
    }

    /// The words of a field's key.
    pub(crate) fn key_words(&self, field: &Field) -> &[Key] {
        self.keys.get(field.keys.0 as usize..field.keys.1 as usize).unwrap_or_default()
    }

    /// The words of a field's value.
    pub(crate) fn value_words(&self, field: &Field) -> &[Key] {
        self.keys.get(field.keys.1 as usize..field.keys.2 as usize).unwrap_or_default()
    }

    /// The words of an object's heading; of a whole item, the words of its tool and query.
    pub(crate) fn heading_words(&self, object: &Object) -> &[Key] {
        self.keys.get(object.keys.0 as usize..object.keys.1 as usize).unwrap_or_default()
    }

    /// The heading of an object as it is written.
    pub(crate) fn heading(&self, object: &Object) -> &'e str {
        let (start, end) = object.heading;
        self.text(object.item).get(start as usize..end as usize).unwrap_or("")
    }

    /// The objects around a field, from the nearest to the whole item.
    pub(crate) fn around(&self, object: u32) -> Around<'_> {
        Around { objects: &self.objects, next: object }
    }

    /// The record that an object is part of: the nearest element of an array, row, block or item.
    pub(crate) fn record(&self, object: u32) -> u32 {
        self.around(object)
            .find(|(_, around)| around.is_record)
            .map_or(object, |(number, _)| number)
    }

    /// The outermost record below the whole item: the pod of a container's status.
    pub(crate) fn outer_record(&self, object: u32) -> u32 {
        let mut outer = object;
        for (number, around) in self.around(object) {
            // The rows of a command's answer are things of their own.
            let is_answer = outer != object && self.heading(around).starts_with("$ ");
            if around.parent == NONE || is_answer {
                break;
            }
            if around.is_record {
                outer = number;
            }
        }
        outer
    }

    /// Whether a field belongs to an object and to no record further in.
    pub(crate) fn is_direct(&self, object: u32, field: u32) -> bool {
        self.field(field).is_some_and(|field| self.record(field.object) == object)
    }

    /// Whether an object holds a field, itself or further in.
    pub(crate) fn holds(&self, object: u32, field: u32) -> bool {
        self.object(object)
            .is_some_and(|object| object.fields.0 <= field && field < object.fields.1)
    }

    /// The JSON pointer of something in an object, empty for text.
    pub(crate) fn pointer(&self, place: Place, object: u32) -> String {
        let Some(item) = self.object(object).map(|object| object.item) else {
            return String::new();
        };
        if !matches!(self.item(item).map(|item| &item.content), Some(Content::Json(_))) {
            return String::new();
        }
        let text = self.text(item);
        let mut steps = vec![place];
        steps.extend(self.around(object).map(|(_, object)| object.place));
        let mut pointer = String::new();
        for step in steps.iter().rev() {
            match step {
                Place::Line => {}
                Place::Index(index) => {
                    pointer.push('/');
                    pointer.push_str(&index.to_string());
                }
                Place::Member(start, end) => {
                    pointer.push('/');
                    push_escaped(
                        &mut pointer,
                        text.get(*start as usize..*end as usize).unwrap_or(""),
                    );
                }
            }
        }
        pointer
    }
}

/// A key as a step of a JSON pointer.
fn push_escaped(pointer: &mut String, raw: &str) {
    let decoded = raw
        .contains('\\')
        .then(|| serde_json::from_str::<String>(&format!("\"{raw}\"")).ok())
        .flatten();
    for character in decoded.as_deref().unwrap_or(raw).chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Iterator over an object and the objects around it.
pub(crate) struct Around<'a> {
    objects: &'a [Object],
    next: u32,
}

impl<'a> Iterator for Around<'a> {
    type Item = (u32, &'a Object);

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next;
        let object = self.objects.get(number as usize)?;
        self.next = object.parent;
        Some((number, object))
    }
}

/// The first line of a text, as far as a request could reach: an item may be one line of megabytes.
pub(crate) fn first_line(text: &str) -> &str {
    const LONGEST: usize = 8_192;
    let start = text.get(..end_of_part(text, LONGEST)).unwrap_or("");
    start.lines().next().unwrap_or("")
}

/// A position in an item as it is stored.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Puts items together into a [`Corpus`].
pub(crate) struct Builder<'e> {
    corpus: Corpus<'e>,
    open: Vec<u32>,
    item: u32,
    text: &'e str,
}

impl<'e> Builder<'e> {
    fn item(&mut self, item: &'e EvidenceItem, budget: &mut usize) {
        let text = item.content.as_str();
        self.text = text;
        self.item = offset(self.corpus.roots.len());
        let allowed = end_of_part(text, (*budget).min(u32::MAX as usize - 1));
        *budget -= allowed;
        let root = self.open(Place::Line, None, Record::Yes);
        self.corpus.roots.push(root);
        self.tool_words(root, item);
        let complete = self.content(item, allowed);
        while !self.open.is_empty() {
            self.close();
        }
        if allowed < text.len() {
            let cut = format!("{}: read the first {allowed} of {} bytes", item.id, text.len());
            self.corpus.gaps.push(cut);
        } else if !complete {
            let cut = format!("{}: not read to its end", item.id);
            self.corpus.gaps.push(cut);
        }
    }

    fn content(&mut self, item: &EvidenceItem, allowed: usize) -> bool {
        let text = self.text;
        let looks_like_json = text.trim_start().starts_with(['{', '[']);
        let is_json = matches!(item.content, Content::Json(_));
        if !is_json && looks_like_json && shapes::json_lines::are_several(text) {
            return shapes::json_lines::read(self, allowed);
        }
        if is_json || looks_like_json {
            let before = self.corpus.fields.len();
            let complete = documents::read(self, 0, allowed);
            let understood = is_json || complete || self.corpus.fields.len() > before + 3;
            if understood {
                return complete;
            }
        }
        if let Some(start) = document_below(text).filter(|start| *start < allowed) {
            let line = 0..text.find('\n').unwrap_or(0);
            self.request(line.clone());
            if !self.is_request(text.get(line.clone()).unwrap_or("")) {
                layout::read(self, line, layout::Breaks::Lines);
            }
            return documents::read(self, start, allowed);
        }
        layout::read(self, 0..allowed, layout::Breaks::Lines) == layout::Read::Whole
    }

    fn tool_words(&mut self, root: u32, item: &EvidenceItem) {
        let start = offset(self.corpus.keys.len());
        for text in [item.id.as_str(), &item.tool, &item.query] {
            for word in words(text) {
                evidence_keys(word.text, |key| {
                    self.corpus.keys.push(key);
                    self.corpus.by_tool.add(key, self.item);
                });
            }
        }
        let end = offset(self.corpus.keys.len());
        if let Some(object) = self.corpus.objects.get_mut(root as usize) {
            object.keys = (start, end);
        }
    }

    /// Takes a line for words of the tool: the request as the tool repeats it before its answer.
    pub(crate) fn request(&mut self, line: Range<usize>) {
        for word in words(self.text.get(line).unwrap_or("")) {
            evidence_keys(word.text, |key| self.corpus.by_tool.add(key, self.item));
        }
    }

    /// Whether a line repeats the request that the item answers.
    pub(crate) fn is_request(&self, line: &str) -> bool {
        let tool = self.corpus.item(self.item).and_then(|item| words(&item.tool).next());
        let same =
            tool.is_some_and(|tool| words(line).next().is_some_and(|word| word.text == tool.text));
        line.starts_with("$ ") || same && line.trim_end().ends_with('}') && line.contains('{')
    }

    /// The text of the item being read.
    pub(crate) fn text(&self) -> &'e str {
        self.text
    }

    /// Whether there is room for more.
    pub(crate) fn has_room(&self) -> bool {
        self.corpus.fields.len() < MOST_FIELDS && self.corpus.samples.len() < MOST_SAMPLES
    }

    /// The object opened last.
    pub(crate) fn current(&self) -> u32 {
        self.open.last().copied().unwrap_or(NONE)
    }

    /// The object that so many others were opened in last: with 0, the one opened last.
    pub(crate) fn opened(&self, inside: usize) -> u32 {
        self.open.iter().rev().nth(inside).copied().unwrap_or_else(|| self.current())
    }

    /// How many fields there are.
    pub(crate) fn field_count(&self) -> u32 {
        offset(self.corpus.fields.len())
    }

    /// Opens an object; `heading` holds the bytes of its heading.
    pub(crate) fn open(
        &mut self,
        place: Place,
        heading: Option<Range<usize>>,
        record: Record,
    ) -> u32 {
        let number = offset(self.corpus.objects.len());
        let start = offset(self.corpus.keys.len());
        let written =
            heading.as_ref().map_or((0, 0), |span| (offset(span.start), offset(span.end)));
        if let Some(heading) = heading {
            for part in setting_parts(self.text.get(heading.clone()).unwrap_or("")) {
                self.corpus.keys.push(key(part));
                self.corpus.by_heading.add(key(part), number);
            }
            for word in words(self.text.get(heading).unwrap_or("")) {
                evidence_keys(word.text, |key| {
                    self.corpus.keys.push(key);
                    self.corpus.by_heading.add(key, number);
                });
            }
        }
        self.corpus.objects.push(Object {
            item: self.item,
            parent: self.current(),
            place,
            keys: (start, offset(self.corpus.keys.len())),
            heading: written,
            fields: (self.field_count(), self.field_count()),
            is_record: record == Record::Yes,
            is_named: false,
        });
        self.open.push(number);
        number
    }

    /// Closes the object opened last.
    pub(crate) fn close(&mut self) {
        let end = self.field_count();
        let Some(number) = self.open.pop() else { return };
        let Some(object) = self.corpus.objects.get_mut(number as usize) else { return };
        object.fields.1 = end;
        if end - object.fields.0 <= MOST_CONDITION_FIELDS {
            self.join_condition(number);
        }
    }

    /// Adds a field to the object opened last.
    pub(crate) fn field(&mut self, new: NewField) -> u32 {
        let number = self.field_count();
        let start = offset(self.corpus.keys.len());
        if let Some(name) = new.name.clone() {
            self.index(name.clone(), number);
            for part in setting_parts(self.text.get(name).unwrap_or("")) {
                self.corpus.keys.push(key(part));
                self.corpus.by_word.add(key(part), number);
            }
        }
        let middle = offset(self.corpus.keys.len());
        let kind = if new.kind == ValueKind::Text { self.kind_of(&new.value) } else { new.kind };
        if matches!(kind, ValueKind::Text | ValueKind::Number) {
            self.index(new.value.clone(), number);
        }
        let span = |range: Range<usize>| (offset(range.start), offset(range.end));
        self.corpus.fields.push(Field {
            object: self.current(),
            place: new.place,
            kind,
            keys: (start, middle, offset(self.corpus.keys.len())),
            name: span(new.name.unwrap_or(new.value.start..new.value.start)),
            quote: span(new.quote),
            value: span(new.value),
            micros: new.micros,
        });
        number
    }

    fn kind_of(&self, value: &Range<usize>) -> ValueKind {
        match self.text.get(value.clone()).unwrap_or("") {
            "" | "<none>" | "<nil>" | "<unset>" | "null" | "[]" | "{}" | "-" => ValueKind::Nothing,
            "true" | "True" => ValueKind::True,
            "false" | "False" => ValueKind::False,
            _ => ValueKind::Text,
        }
    }

    fn index(&mut self, span: Range<usize>, field: u32) {
        let Corpus { keys, by_word, .. } = &mut self.corpus;
        for word in words(self.text.get(span).unwrap_or("")) {
            evidence_keys(word.text, |key| {
                keys.push(key);
                by_word.add(key, field);
            });
        }
    }

    /// Says that the evidence itself puts one field's value in the place of another's.
    pub(crate) fn change(&mut self, before: u32, after: u32) {
        self.corpus.changes.push((before, after));
    }

    /// Says in which unit the number of a field is.
    pub(crate) fn unit(&mut self, field: u32, unit: Unit) {
        self.corpus.units.push((field, unit));
    }

    /// Adds a sample to the series whose array was opened last.
    pub(crate) fn sample(&mut self, sample: Sample) {
        self.sample_of(self.current(), sample);
    }

    /// Adds a sample to the series of an array or column.
    pub(crate) fn sample_of(&mut self, object: u32, sample: Sample) {
        let number = offset(self.corpus.samples.len());
        match self.corpus.series.last_mut() {
            Some(series) if series.object == object => series.samples.1 = number + 1,
            _ => self.corpus.series.push(Series { object, samples: (number, number + 1) }),
        }
        self.corpus.samples.push(sample);
    }

    /// Says that an object bears the name that a field states.
    pub(crate) fn name(&mut self, object: u32, field: u32) {
        let Some(found) = self.corpus.field(field) else { return };
        let written = self.text.get(found.value.0 as usize..found.value.1 as usize).unwrap_or("");
        let name = written.rsplit('/').next().unwrap_or(written);
        if name.is_empty() || name.len() > 253 || name.contains(char::is_whitespace) {
            return;
        }
        let is_keyed = found.name.0 != found.name.1;
        let number = offset(self.corpus.names.len());
        self.corpus.names.push(Name { object, field });
        // A section that repeats its heading as its name is a setting, not a thing.
        let text = self.text;
        if let Some(object) = self.corpus.objects.get_mut(object as usize) {
            let heading = text.get(object.heading.0 as usize..object.heading.1 as usize);
            object.is_named |= !is_keyed || heading != Some(written);
        }
        self.corpus.by_name.add(exact(name), number);
        let root = entity_root(name);
        if root.len() != name.len() {
            self.corpus.by_name.add(exact(root), number);
            if let Some(suffix) = pod_suffix(name) {
                self.corpus.by_name.add(exact(suffix), number);
            }
        }
    }

    /// `type: MemoryPressure, status: False` is one statement: the status gets the words of the type.
    fn join_condition(&mut self, object: u32) {
        let Some((first, end)) = self.corpus.object(object).map(|found| found.fields) else {
            return;
        };
        let named = |key: &str| {
            (first..end).find(|field| {
                let own = self.corpus.field(*field).is_some_and(|found| found.object == object);
                own && self.field_name(*field).eq_ignore_ascii_case(key)
            })
        };
        let (Some(kind), Some(status)) = (named("type"), named("status")) else { return };
        let is_truth = self
            .corpus
            .field(status)
            .is_some_and(|found| matches!(found.kind, ValueKind::True | ValueKind::False));
        let Some((start, value_words)) = self
            .corpus
            .field(kind)
            .map(|found| (offset(self.corpus.keys.len()), self.corpus.value_words(found).to_vec()))
        else {
            return;
        };
        if is_truth {
            for key in value_words {
                self.corpus.keys.push(key);
                self.corpus.by_word.add(key, status);
            }
            let end = offset(self.corpus.keys.len());
            if let Some(found) = self.corpus.fields.get_mut(status as usize) {
                found.keys = (start, end, end);
            }
        }
    }

    fn field_name(&self, field: u32) -> &'e str {
        let Some(found) = self.corpus.field(field) else { return "" };
        self.text.get(found.name.0 as usize..found.name.1 as usize).unwrap_or("")
    }
}

/// Objects with more fields than this are no conditions.
const MOST_CONDITION_FIELDS: u32 = 12;

/// Whether an object is a record: one thing that is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// It is.
    Yes,
    /// It is a part of one.
    No,
}

/// A field to add.
#[derive(Clone, Debug)]
pub(crate) struct NewField {
    /// How it is reached.
    pub(crate) place: Place,
    /// The bytes of its key.
    pub(crate) name: Option<Range<usize>>,
    /// The bytes of its value, without quotation marks.
    pub(crate) value: Range<usize>,
    /// The bytes of key and value.
    pub(crate) quote: Range<usize>,
    /// What its value is, as far as the document says.
    pub(crate) kind: ValueKind,
    /// When, where its container says so.
    pub(crate) micros: Option<i64>,
}

/// The random end of a pod's name, by which reports call it for short: five letters and digits that are no word.
fn pod_suffix(name: &str) -> Option<&str> {
    let suffix = name.rsplit('-').next()?;
    let is_random = suffix.len() == 5
        && suffix.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && !suffix.bytes().all(|byte| byte.is_ascii_digit())
        && (suffix.bytes().any(|byte| byte.is_ascii_digit())
            || !suffix.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')));
    is_random.then_some(suffix)
}

/// Where a JSON document begins that makes up all of a text below its first line: the answer to a request.
fn document_below(text: &str) -> Option<usize> {
    let start = text.find('\n')? + 1;
    let rest = text.get(start..)?;
    let begins = start + rest.len() - rest.trim_start().len();
    let document = text.get(begins..)?.trim_end();
    let is_object = document.starts_with('{') && document.ends_with('}');
    let is_array = document.starts_with('[') && document.ends_with(']');
    let looks_like_json = is_object || is_array && document.get(1..)?.trim_start().starts_with('{');
    let reads = || json::walk(document, |_| json::Flow::More) == json::End::Complete;
    (looks_like_json && reads()).then_some(begins)
}

/// The parts of a setting's name: `retention.ms`. Other names have none.
fn setting_parts(name: &str) -> impl Iterator<Item = &str> {
    let is_setting = name.contains('.')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'/'));
    parts(name).filter(move |_| is_setting)
}

/// Where a text of at most that many bytes ends without cutting a character.
fn end_of_part(text: &str, most: usize) -> usize {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Whether the value under this key names the object that holds it.
pub(crate) fn is_naming(key: &str) -> bool {
    const NAMING: [&str; 40] = [
        "alertname",
        "app",
        "app_name",
        "application_name",
        "cluster",
        "component",
        "container",
        "container_name",
        "daemonset",
        "database",
        "datname",
        "deployment",
        "exported_service",
        "host",
        "hostname",
        "instance",
        "involved_object",
        "involvedobject",
        "job",
        "job_name",
        "name",
        "namespace",
        "node",
        "node_name",
        "object",
        "pod",
        "pod_name",
        "podname",
        "queue",
        "replicaset",
        "resource",
        "server",
        "service",
        "service.name",
        "service_name",
        "servicename",
        "statefulset",
        "table",
        "topic",
        "workload",
    ];
    let mut lower = [0_u8; 20];
    let Some(lower) = lower.get_mut(..key.len()) else { return false };
    lower.copy_from_slice(key.as_bytes());
    lower.make_ascii_lowercase();
    NAMING.iter().any(|naming| naming.as_bytes() == lower)
}
