//! What was read off single fields: figures, times, polarity. Filled while claims are judged, so that a field
//! that several claims lead to is read once.

use std::cell::{OnceCell, RefCell};

use gsar_core::text::figures::{ClockTime, Date};

use crate::evidence::chronicle::Chronicle;
use crate::evidence::lists::Lists;
use crate::evidence::observations::Corpus;
use crate::evidence::values::{self, Value};
use crate::matching::candidates::Marks;
use crate::rules::tracks::Tracks;
use crate::vocabulary::polarity::{denies, fails};

/// How a field puts what it says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polarity {
    /// It denies something.
    pub(crate) denies: bool,
    /// It tells of something that did not succeed.
    pub(crate) fails: bool,
}

/// What is known of the fields so far.
#[derive(Debug)]
pub(crate) struct Cache<'e> {
    fields: Vec<Read<'e>>,
    lists: OnceCell<Lists>,
    /// The series of the evidence.
    pub(crate) tracks: Tracks,
    chronicle: OnceCell<Chronicle>,
    spare: RefCell<Option<Marks>>,
}

#[derive(Clone, Debug, Default)]
struct Read<'e> {
    values: OnceCell<Box<[Value<'e>]>>,
    times: OnceCell<Box<[ClockTime]>>,
    polarity: OnceCell<Polarity>,
}

impl<'e> Cache<'e> {
    /// Nothing is known yet.
    pub(crate) fn new(corpus: &Corpus<'e>) -> Self {
        Self {
            fields: vec![Read::default(); corpus.fields.len()],
            lists: OnceCell::new(),
            tracks: Tracks::default(),
            chronicle: OnceCell::new(),
            spare: RefCell::new(None),
        }
    }

    /// The lists of the evidence.
    pub(crate) fn lists(&self, corpus: &Corpus<'e>) -> &Lists {
        self.lists.get_or_init(|| Lists::find(corpus))
    }

    /// What the evidence dates; read when a claim first asks for it.
    pub(crate) fn chronicle(&self, corpus: &Corpus<'e>, day: Option<Date>) -> &Chronicle {
        self.chronicle.get_or_init(|| Chronicle::of(corpus, day))
    }

    /// Marks for another reading of a claim; to be given back by [`Self::keep_spare`].
    pub(crate) fn spare_marks(&self, corpus: &Corpus<'e>) -> Marks {
        self.spare.take().unwrap_or_else(|| Marks::new(corpus))
    }

    /// Takes marks back, for the next claim that needs some.
    pub(crate) fn keep_spare(&self, marks: Marks) {
        self.spare.replace(Some(marks));
    }

    /// The figures of a field.
    pub(crate) fn values(&self, corpus: &Corpus<'e>, field: u32) -> &[Value<'e>] {
        self.fields
            .get(field as usize)
            .map_or(&[], |read| read.values.get_or_init(|| values::values(corpus, field).into()))
    }

    /// The times of a field.
    pub(crate) fn times(&self, corpus: &Corpus<'e>, field: u32) -> &[ClockTime] {
        self.fields
            .get(field as usize)
            .map_or(&[], |read| read.times.get_or_init(|| values::times(corpus, field).into()))
    }

    /// How a field puts what it says.
    pub(crate) fn polarity(&self, corpus: &Corpus<'e>, field: u32) -> Polarity {
        let read = || {
            let text = corpus.value(field);
            Polarity { denies: denies(text), fails: fails(text) }
        };
        self.fields.get(field as usize).map_or_else(read, |found| *found.polarity.get_or_init(read))
    }
}
