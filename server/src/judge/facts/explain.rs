//! This module says what the evidence has of the things that a claim names, for people. It decides nothing.

use super::Observations;

/// One sentence for each thing that the claim names.
pub(super) fn considered(text: &str, observations: &Observations<'_>) -> Vec<String> {
    let things = observations.index.entities(text);
    if things.is_empty() {
        return vec!["no record of the evidence is called by a word of it".to_owned()];
    }
    let sentence = |(name, records): (&str, usize)| match records {
        1 => format!("1 record is called {name}"),
        many => format!("{many} records are called {name}"),
    };
    things.into_iter().map(sentence).collect()
}
