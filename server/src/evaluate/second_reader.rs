//! Selects the judge that takes the second look at claims another judge supports.

use std::sync::Arc;

use crate::judge::Judge;

/// The judge that takes second looks, called the reader.
#[derive(Clone)]
pub(crate) enum SecondReader {
    /// No second looks.
    Off,
    /// The judge that judged the claims, if it can.
    Same,
    /// A separate judge.
    Named(Arc<dyn Judge>),
}

impl SecondReader {
    /// Returns the reader for claims that `judge` supports.
    pub(super) fn for_judge(&self, judge: &Arc<dyn Judge>) -> Option<Arc<dyn Judge>> {
        match self {
            Self::Off => None,
            Self::Same => judge.can_take_second_look().then(|| Arc::clone(judge)),
            Self::Named(reader) => Some(Arc::clone(reader)),
        }
    }
}
