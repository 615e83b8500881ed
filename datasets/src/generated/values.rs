//! Draws attribute values, formatted as prose and as tool output.

use std::collections::BTreeSet;

use crate::Random;

const MAX_DRAWS: usize = 1_000;

const REGIONS: [&str; 8] = [
    "eu-west-1", "eu-central-1", "us-east-1", "us-west-2", "ap-south-1", "ap-southeast-2",
    "sa-east-1", "ca-central-1",
];

const OWNERS: [&str; 10] = [
    "platform-team", "payments-team", "growth-team", "data-team", "identity-team", "storage-team",
    "m.okafor", "j.lindqvist", "r.haddad", "s.tanaka",
];

const EXIT_CODES: [&str; 10] = ["1", "2", "64", "78", "126", "127", "134", "137", "139", "143"];

#[derive(Clone, Copy, Debug)]
pub(super) enum Values {
    Milliseconds,
    Seconds,
    Number { low: usize, high: usize },
    Version,
    Region,
    Mebibytes,
    Gigabytes,
    ExitCode,
    Clock,
    Owner,
    Words(&'static [&'static str]),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The value in prose: `8 ms`.
    pub(super) prose: String,
    /// The value in a field, with its unit: `8ms`.
    pub(super) text: String,
    /// The value without its unit, for keys that include the unit: `8`.
    pub(super) number: Option<String>,
}

impl Value {
    fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { prose: text.clone(), text, number: None }
    }

    fn number(text: impl Into<String>) -> Self {
        let value = Self::plain(text);
        Self { number: Some(value.text.clone()), ..value }
    }

    fn measure(number: usize, prose: &str, text: &str) -> Self {
        Self {
            prose: format!("{number} {prose}"),
            text: format!("{number}{text}"),
            number: Some(number.to_string()),
        }
    }

    /// Returns the notation in which values must be distinct.
    fn identity(&self) -> &str {
        self.number.as_ref().unwrap_or(&self.text)
    }
}

impl Values {
    fn draw(self, random: &mut Random) -> Value {
        match self {
            Self::Milliseconds => Value::measure(random.between(3, 950), "ms", "ms"),
            Self::Seconds => Value::measure(random.between(3, 900), "s", "s"),
            Self::Number { low, high } => Value::number(random.between(low, high).to_string()),
            Self::Version => {
                let (minor, patch) = (random.between(10, 17), random.below(6));
                Value::plain(format!("v2.{minor}.{patch}"))
            }
            Self::Region => Value::plain(random.word(&REGIONS)),
            Self::Mebibytes => Value::measure(16 * random.between(4, 120), "MiB", "Mi"),
            Self::Gigabytes => Value::measure(random.between(11, 460), "GB", "GB"),
            Self::ExitCode => Value::number(random.word(&EXIT_CODES)),
            Self::Clock => {
                let (hour, minute, second) = (random.below(20), random.below(60), random.below(60));
                let prose = format!("{hour:02}:{minute:02}:{second:02}");
                let text = format!("2026-03-12T{prose}Z");
                Value { prose, text, number: None }
            }
            Self::Owner => Value::plain(random.word(&OWNERS)),
            Self::Words(words) => Value::plain(random.word(words)),
        }
    }

    /// Draws distinct values that are not in use. Returns `None` if there are too few such values.
    pub(super) fn distinct(
        self,
        count: usize,
        used: &mut BTreeSet<String>,
        random: &mut Random,
    ) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            let mut draws = (0..MAX_DRAWS).map(|_| self.draw(random));
            values.push(draws.find(|value| used.insert(value.identity().to_owned()))?);
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_distinct() {
        let mut random = Random::new(3);
        let mut used = BTreeSet::from(["a".to_owned()]);
        let words = Values::Words(&["a", "b", "c"]);
        let mut found: Vec<String> = words
            .distinct(2, &mut used, &mut random)
            .unwrap()
            .into_iter()
            .map(|value| value.prose)
            .collect();
        found.sort();
        assert_eq!(found, ["b", "c"]);
        assert_eq!(words.distinct(1, &mut used, &mut random), None);
    }

    #[test]
    fn measures_are_formatted_with_and_without_their_unit() {
        let value = Value::measure(8, "ms", "ms");
        assert_eq!((value.prose.as_str(), value.text.as_str()), ("8 ms", "8ms"));
        assert_eq!(value.number.as_deref(), Some("8"));
    }
}
