//! Explains which records match the names in a claim.

use super::Observations;

pub(super) fn matching_records(text: &str, observations: &Observations<'_>) -> Vec<String> {
    let entities = observations.index.entities(text);
    if entities.is_empty() {
        return vec!["no record in the evidence has a name that the claim contains".to_owned()];
    }
    let sentence = |(name, records): (&str, usize)| match records {
        1 => format!("1 record is named {name}"),
        count => format!("{count} records are named {name}"),
    };
    entities.into_iter().map(sentence).collect()
}
