//! Selects the judge for second looks.

use std::sync::Arc;

use crate::judge::Judge;

#[derive(Clone)]
pub(crate) enum SecondReader {
    Off,
    /// The judge that judged the claims, if it can take second looks.
    Same,
    Named(Arc<dyn Judge>),
}

impl SecondReader {
    pub(super) fn for_judge(&self, judge: &Arc<dyn Judge>) -> Option<Arc<dyn Judge>> {
        match self {
            Self::Off => None,
            Self::Same => judge.can_take_second_look().then(|| Arc::clone(judge)),
            Self::Named(reader) => Some(Arc::clone(reader)),
        }
    }
}
