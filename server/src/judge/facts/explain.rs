//! Explains which records match the names in a claim.

use super::Observations;

pub(super) fn considered(text: &str, observations: &Observations<'_>) -> Vec<String> {
    let things = observations.index.entities(text);
    if things.is_empty() {
        return vec!["no record in the evidence has a name from the claim".to_owned()];
    }
    let sentence = |(name, records): (&str, usize)| match records {
        1 => format!("1 record is called {name}"),
        many => format!("{many} records are called {name}"),
    };
    things.into_iter().map(sentence).collect()
}
