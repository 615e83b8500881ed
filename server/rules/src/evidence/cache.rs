//! What was read off the evidence beyond its fields: figures, times and polarity of single fields, lists, series, the
//! chronicle. Filled while claims are judged, so that nothing is read twice and nothing that no claim asks for.

use std::sync::{Mutex, OnceLock};

use gsar_core::text::figures::{ClockTime, Date};

use crate::evidence::chronicle::Chronicle;
use crate::evidence::lists::Lists;
use crate::evidence::observations::Corpus;
use crate::evidence::values::{self, Value};
use crate::matching::candidates::Marks;
use crate::rules::tracks::Tracks;
use crate::vocabulary::affairs;
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
#[derive(Debug, Default)]
pub(crate) struct Cache<'e> {
    fields: OnceLock<Vec<Read<'e>>>,
    lists: OnceLock<Lists>,
    /// The series of the evidence.
    pub(crate) tracks: Tracks,
    chronicle: OnceLock<Chronicle>,
    spare: Mutex<Vec<Marks>>,
}

#[derive(Clone, Debug, Default)]
struct Read<'e> {
    values: OnceLock<Box<[Value<'e>]>>,
    times: OnceLock<Box<[ClockTime]>>,
    polarity: OnceLock<Polarity>,
    affairs: OnceLock<u64>,
}

impl<'e> Cache<'e> {
    fn field(&self, corpus: &Corpus<'e>, field: u32) -> Option<&Read<'e>> {
        let fields = self.fields.get_or_init(|| vec![Read::default(); corpus.fields.len()]);
        fields.get(field as usize)
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
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        spare.unwrap_or_else(|| Marks::new(corpus))
    }

    /// Takes marks back, for the next claim that needs some.
    pub(crate) fn keep_spare(&self, marks: Marks) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(marks);
        }
    }

    /// The figures of a field.
    pub(crate) fn values(&self, corpus: &Corpus<'e>, field: u32) -> &[Value<'e>] {
        self.field(corpus, field)
            .map_or(&[], |read| read.values.get_or_init(|| values::values(corpus, field).into()))
    }

    /// The times of a field.
    pub(crate) fn times(&self, corpus: &Corpus<'e>, field: u32) -> &[ClockTime] {
        self.field(corpus, field)
            .map_or(&[], |read| read.times.get_or_init(|| values::times(corpus, field).into()))
    }

    /// The states of affairs that a field shows, one bit each.
    pub(crate) fn affairs(&self, corpus: &Corpus<'e>, field: u32) -> u64 {
        let read = || {
            // `exec /bin/tool: exec format error` may look like a key with its value.
            let key = corpus.name(field);
            let in_key = if key.contains(' ') { affairs::mask(&affairs::shown(key)) } else { 0 };
            in_key | affairs::mask(&affairs::shown(corpus.value(field)))
        };
        self.field(corpus, field).map_or_else(read, |found| *found.affairs.get_or_init(read))
    }

    /// How a field puts what it says.
    pub(crate) fn polarity(&self, corpus: &Corpus<'e>, field: u32) -> Polarity {
        let read = || {
            let text = corpus.value(field);
            Polarity { denies: denies(text), fails: fails(text) }
        };
        self.field(corpus, field).map_or_else(read, |found| *found.polarity.get_or_init(read))
    }
}
