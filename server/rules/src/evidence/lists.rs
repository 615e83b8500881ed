//! Lists of the evidence: things of one sort side by side.
//!
//! A list is the elements of one array, the rows of one table, the items of a YAML sequence or the lines of one
//! text. Found once per question. What is in no list is not counted.

use gsar_core::evidence::{EvidenceItem, EvidenceKind};

use crate::evidence::closed::{Extent, extent, is_cut};
use crate::evidence::observations::first_line;
use crate::evidence::observations::{Corpus, NONE, Place};
use crate::matching::candidates::Target;

/// Things of one sort side by side.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// The item that has it.
    pub(crate) item: u32,
    /// What holds its members.
    pub(crate) parent: u32,
    /// Its members, in order.
    pub(crate) members: Vec<Target>,
    /// Whether its members are lines, and not records.
    pub(crate) is_lines: bool,
    /// How much of what there is it shows.
    pub(crate) extent: Extent,
}

/// The lists of a corpus.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// All of them.
    pub(crate) all: Vec<List>,
    /// For each object, the list of which it is a member.
    of_object: Vec<u32>,
    /// For each field, the list of which it is a member as a line.
    of_field: Vec<u32>,
}

impl Lists {
    /// Finds them.
    pub(crate) fn find(corpus: &Corpus<'_>) -> Self {
        let mut lists = Self {
            all: Vec::new(),
            of_object: vec![NONE; corpus.objects.len()],
            of_field: vec![NONE; corpus.fields.len()],
        };
        let listings: Vec<bool> = corpus.evidence.iter().map(is_listing).collect();
        lists.find_records(corpus, &listings);
        lists.find_lines(corpus, &listings);
        let texts = corpus.evidence.iter().map(|item| item.content.as_str());
        let cut: Vec<bool> = texts.map(is_cut).collect();
        for list in &mut lists.all {
            let is_cut = cut.get(list.item as usize).copied().unwrap_or(true);
            if let Some(item) = corpus.item(list.item) {
                list.extent = extent(item, list.members.len(), is_cut);
            }
        }
        lists
    }

    fn find_records(&mut self, corpus: &Corpus<'_>, listings: &[bool]) {
        // The list that was last added to below an object, and the header of its rows.
        let mut last: Vec<(u32, u32)> = vec![(NONE, NONE); corpus.objects.len()];
        for (number, object) in (0_u32..).zip(&corpus.objects) {
            let Some(last) = last.get_mut(object.parent as usize).filter(|_| object.is_record)
            else {
                continue;
            };
            let is_row = object.place == Place::Line;
            if !is_in(listings, object.item) || is_row && !is_thing(corpus, number) {
                continue;
            }
            let header = corpus.field(object.fields.0).map_or(NONE, |field| field.name.0);
            let header = if is_row && is_cell(corpus, object.fields.0) { header } else { NONE };
            if last.0 == NONE || last.1 != header {
                *last = (self.open(object.item, object.parent, false), header);
            }
            self.add(last.0, Target::Object(number));
            if let Some(slot) = self.of_object.get_mut(number as usize) {
                *slot = last.0;
            }
        }
    }

    fn find_lines(&mut self, corpus: &Corpus<'_>, listings: &[bool]) {
        let mut last: Vec<u32> = vec![NONE; corpus.objects.len()];
        for (number, field) in (0_u32..).zip(&corpus.fields) {
            let is_line = matches!(field.place, Place::Line | Place::Index(_));
            if !is_line
                || is_cell(corpus, number)
                || !is_of_log(corpus.name(number))
                || is_frame(corpus.value(number))
                || repeats_request(corpus, number)
            {
                continue;
            }
            let Some(last) = last.get_mut(field.object as usize) else { continue };
            let Some(object) = corpus.object(field.object) else { continue };
            if *last == NONE {
                *last = if is_in(listings, object.item) {
                    self.open(object.item, field.object, true)
                } else {
                    NONE
                };
            }
            if *last == NONE {
                continue;
            }
            self.add(*last, Target::Line(number));
            if let Some(slot) = self.of_field.get_mut(number as usize) {
                *slot = *last;
            }
        }
    }

    fn open(&mut self, item: u32, parent: u32, is_lines: bool) -> u32 {
        let number = u32::try_from(self.all.len()).unwrap_or(NONE);
        self.all.push(List { item, parent, members: Vec::new(), is_lines, extent: Extent::Part });
        number
    }

    fn add(&mut self, list: u32, member: Target) {
        if let Some(list) = self.all.get_mut(list as usize) {
            list.members.push(member);
        }
    }

    /// The list of which an object is a member, or [`NONE`].
    pub(crate) fn of_object(&self, object: u32) -> u32 {
        self.of_object.get(object as usize).copied().unwrap_or(NONE)
    }

    /// The list of which a field is a member as a line, or [`NONE`].
    pub(crate) fn of_field(&self, field: u32) -> u32 {
        self.of_field.get(field as usize).copied().unwrap_or(NONE)
    }

    /// The list of that number.
    pub(crate) fn list(&self, number: u32) -> Option<&List> {
        self.all.get(number as usize)
    }
}

/// Whether a line repeats the request that the item begins with.
fn repeats_request(corpus: &Corpus<'_>, field: u32) -> bool {
    const LONG: usize = 12;
    let answer = corpus.text(corpus.item_of(field));
    let line = corpus.value(field);
    answer.starts_with("$ ") && line.len() >= LONG && first_line(answer).ends_with(line)
}

/// Whether a record of a text is a row or an item of a sequence, and not a section.
fn is_thing(corpus: &Corpus<'_>, number: u32) -> bool {
    let Some(object) = corpus.object(number) else { return false };
    let Some(first) = corpus.field(object.fields.0).filter(|_| object.fields.0 < object.fields.1)
    else {
        return false;
    };
    let text = corpus.text(object.item);
    let before = (first.quote.0 as usize).checked_sub(2);
    let is_item = before.and_then(|at| text.get(at..at + 2)) == Some("- ");
    is_cell(corpus, object.fields.0) || is_item
}

/// Whether the lines of an item are a log or a listing, and not prose: a page, a request of a person.
fn is_listing(item: &EvidenceItem) -> bool {
    const PROSE: [&str; 7] =
        ["webpage", "runbook", "wiki", "docs", "readme", "browse", "fetch_url"];
    let tool = item.tool.to_ascii_lowercase();
    !matches!(item.kind, EvidenceKind::Signal | EvidenceKind::PriorClaim)
        && !PROSE.iter().any(|word| tool.contains(word))
        && memchr::memmem::find(item.content.as_str().as_bytes(), b"](http").is_none()
}

fn is_in(listings: &[bool], item: u32) -> bool {
    listings.get(item as usize).copied().unwrap_or(false)
}

/// Whether a line with that key is a line of a log, and not a statement of its own.
fn is_of_log(key: &str) -> bool {
    const LEVELS: [&str; 11] = [
        "debug",
        "info",
        "information",
        "notice",
        "warn",
        "warning",
        "error",
        "err",
        "fatal",
        "critical",
        "trace",
    ];
    key.is_empty() || LEVELS.iter().any(|level| key.eq_ignore_ascii_case(level))
}

/// Whether a line only frames an answer: the request repeated, a status.
fn is_frame(line: &str) -> bool {
    [
        "Params used for",
        "Command executed",
        "[status:",
        "[error:",
        "stdout:",
        "stderr:",
        "A *preview*",
        "[empty output]",
        "$ ",
        "No resources found",
    ]
    .iter()
    .any(|frame| line.starts_with(frame))
}

/// Whether a field is the cell of a row: its key stands before its line.
pub(crate) fn is_cell(corpus: &Corpus<'_>, field: u32) -> bool {
    corpus.field(field).is_some_and(|found| {
        found.place == Place::Line && found.name.1 > found.name.0 && found.name.1 <= found.quote.0
            || found.place == Place::Line
                && found.name.0 == found.name.1
                && found.quote != found.value
                && found.value.1 - found.value.0 < found.quote.1 - found.quote.0
                && corpus.object(found.object).is_some_and(|object| object.is_record)
                && object_is_row(corpus, found.object)
    })
}

/// Whether an object is a row of several cells.
fn object_is_row(corpus: &Corpus<'_>, object: u32) -> bool {
    let Some(found) = corpus.object(object).filter(|found| found.parent != NONE) else {
        return false;
    };
    let quote = |field: u32| corpus.field(field).map(|field| field.quote);
    found.fields.1 - found.fields.0 >= 2 && quote(found.fields.0) == quote(found.fields.1 - 1)
}
