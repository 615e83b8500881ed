//! Selects the judge that takes a second look at what another judge supports.

use std::sync::Arc;

use crate::judge::Judge;

/// Who takes second looks.
#[derive(Clone)]
pub(crate) enum Reader {
    /// Nobody.
    Off,
    /// The judge that judged, where it can.
    Same,
    /// A judge of its own.
    Named(Arc<dyn Judge>),
}

impl Reader {
    /// Who reads what that judge supports.
    pub(super) fn of(&self, judge: &Arc<dyn Judge>) -> Option<Arc<dyn Judge>> {
        match self {
            Self::Off => None,
            Self::Same => judge.can_take_second_look().then(|| Arc::clone(judge)),
            Self::Named(reader) => Some(Arc::clone(reader)),
        }
    }
}
