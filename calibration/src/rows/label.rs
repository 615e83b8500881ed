//! Parses gold classes from class names or FEVER labels.

use gsar_core::Class;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gold(pub(crate) Class);

impl Gold {
    /// Parses a class name such as `grounded`, or the FEVER label `SUPPORTS`, `REFUTES` or
    /// `NOT_ENOUGH_INFO`, with or without underscores (Thorne et al. 2018).
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let class = match name {
            "SUPPORTS" => Class::Grounded,
            "REFUTES" => Class::Contradicted,
            "NOT_ENOUGH_INFO" | "NOT ENOUGH INFO" => Class::Ungrounded,
            name => Class::from_name(name)?,
        };
        Some(Self(class))
    }
}

pub(crate) fn is_faulty(class: Class) -> bool {
    matches!(class, Class::Ungrounded | Class::Contradicted)
}

impl Serialize for Gold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for Gold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::from_name(&name).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "unknown label `{name}`; expected grounded, ungrounded, contradicted, complementary, SUPPORTS, REFUTES or NOT ENOUGH INFO"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_fever_labels_and_classes() {
        let parse = |text: &str| serde_json::from_str::<Gold>(text).map(|gold| gold.0);
        assert_eq!(parse("\"SUPPORTS\"").unwrap(), Class::Grounded);
        assert_eq!(parse("\"REFUTES\"").unwrap(), Class::Contradicted);
        assert_eq!(parse("\"NOT ENOUGH INFO\"").unwrap(), Class::Ungrounded);
        assert_eq!(parse("\"NOT_ENOUGH_INFO\"").unwrap(), Class::Ungrounded);
        for class in Class::ALL {
            let text = serde_json::to_string(&Gold(class)).unwrap();
            assert_eq!(parse(&text).unwrap(), class);
        }
        assert!(parse("\"MAYBE\"").unwrap_err().to_string().contains("unknown label `MAYBE`"));
    }
}
