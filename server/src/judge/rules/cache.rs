//! What was read off single fields: figures, times, polarity. Filled while claims are judged, so that a field
//! that several claims lead to is read once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use gsar_core::text::figures::ClockTime;

use super::observations::Corpus;
use super::polarity::{denies, fails};
use super::values::{self, Value};

/// How a field puts what it says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polarity {
    /// It denies something.
    pub(super) denies: bool,
    /// It tells of something that did not succeed.
    pub(super) fails: bool,
}

/// What is known of fields so far.
#[derive(Debug, Default)]
pub(super) struct Cache<'e> {
    values: RefCell<HashMap<u32, Rc<[Value<'e>]>>>,
    times: RefCell<HashMap<u32, Rc<[ClockTime]>>>,
    polarity: RefCell<HashMap<u32, Polarity>>,
}

impl<'e> Cache<'e> {
    /// The figures of a field.
    pub(super) fn values(&self, corpus: &Corpus<'e>, field: u32) -> Rc<[Value<'e>]> {
        let read = || values::values(corpus, field).into();
        Rc::clone(self.values.borrow_mut().entry(field).or_insert_with(read))
    }

    /// The times of a field.
    pub(super) fn times(&self, corpus: &Corpus<'e>, field: u32) -> Rc<[ClockTime]> {
        let read = || values::times(corpus, field).into();
        Rc::clone(self.times.borrow_mut().entry(field).or_insert_with(read))
    }

    /// How a field puts what it says.
    pub(super) fn polarity(&self, corpus: &Corpus<'e>, field: u32) -> Polarity {
        let read = || {
            let text = corpus.value(field);
            Polarity { denies: denies(text), fails: fails(text) }
        };
        *self.polarity.borrow_mut().entry(field).or_insert_with(read)
    }
}
