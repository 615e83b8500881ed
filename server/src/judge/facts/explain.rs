//! Explains which records match the names in a claim.

use super::Observations;

pub(super) fn matching_records(text: &str, observations: &Observations<'_>) -> Vec<String> {
    let entities = observations.index.entities(text);
    if entities.is_empty() {
        return vec!["no record in the evidence has a name from the claim".to_owned()];
    }
    let sentence = |(name, records): (&str, usize)| match records {
        1 => format!("1 record is called {name}"),
        count => format!("{count} records are called {name}"),
    };
    entities.into_iter().map(sentence).collect()
}
