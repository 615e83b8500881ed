//! Parses a line: a partition as lists of evidence types, with its policy.
//!
//! Claims are counted while they are parsed, not collected. Numbers are parsed without conversion to `f64`.

use core::fmt;

use gsar_core::fixed_point::Millionths;
use gsar_core::tally::MAX_CLAIMS;
use gsar_core::{Class, EvidenceType, Tally};
use serde::Deserializer;
use serde::de::{Deserialize, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::text::truncate_middle;

/// A parsed line.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The id, which can be any JSON value, as written.
    pub id: Option<&'a RawValue>,
    /// The number of claims of each class and type.
    pub tally: Tally,
    /// The name of the policy, which defaults to that of [`Policies`](super::Policies).
    pub policy: Option<String>,
    /// The overridden policy values.
    pub overrides: Overrides,
}

/// The policy values that a line overrides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Replaces `rho`.
    pub rho: Option<Millionths>,
    /// Replaces `tau_proceed`.
    pub tau_proceed: Option<Millionths>,
    /// Replaces `tau_regenerate`.
    pub tau_regenerate: Option<Millionths>,
    /// Replaces the weights of these types.
    pub weights: Vec<(EvidenceType, Millionths)>,
}

impl Overrides {
    /// Returns `true` if nothing is overridden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An error in a line. The message is a single line, with the column if known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LineError(pub String);

impl<'a> Line<'a> {
    /// Parses a line. Rejects unknown and duplicate keys, and more than [`MAX_CLAIMS`] claims.
    pub fn parse(text: &'a str) -> Result<Self, LineError> {
        let line: Self = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let position = format!(" at line {} column {}", error.line(), error.column());
            let message = message.strip_suffix(&position).unwrap_or(&message);
            LineError(match error.column() {
                0 => message.to_owned(),
                column => format!("column {column}: {message}"),
            })
        })?;
        let total = line.tally.total();
        if total > MAX_CLAIMS {
            let message =
                format!("{total} claims; at most {MAX_CLAIMS} are allowed: split the partition");
            return Err(LineError(message));
        }
        Ok(line)
    }

    /// Returns the id as written, or `null`.
    #[must_use]
    pub fn raw_id(&self) -> String {
        self.id.map_or("null", RawValue::get).to_owned()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Id,
    Class(Class),
    Policy,
    Rho,
    TauProceed,
    TauRegenerate,
    Weights,
}

impl Key {
    const ALL: [(&'static str, Self); 10] = [
        ("id", Self::Id),
        ("grounded", Self::Class(Class::Grounded)),
        ("ungrounded", Self::Class(Class::Ungrounded)),
        ("contradicted", Self::Class(Class::Contradicted)),
        ("complementary", Self::Class(Class::Complementary)),
        ("policy", Self::Policy),
        ("rho", Self::Rho),
        ("tau_proceed", Self::TauProceed),
        ("tau_regenerate", Self::TauRegenerate),
        ("weights", Self::Weights),
    ];

    fn name(self) -> &'static str {
        let entry = Self::ALL.into_iter().find(|(_, key)| *key == self);
        entry.map_or("", |(name, _)| name)
    }
}

/// Deserializes a string that must be one of a set of names.
struct OneOf<T: 'static> {
    description: &'static str,
    find: fn(&str) -> Option<T>,
    names: fn() -> String,
}

impl<'de, T> DeserializeSeed<'de> for OneOf<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T> Visitor<'_> for OneOf<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        (self.find)(name).ok_or_else(|| {
            let name = truncate_middle(name, 40);
            E::custom(format!(
                "`{name}` is not {}; expected one of {}",
                self.description,
                (self.names)()
            ))
        })
    }
}

const fn key_seed() -> OneOf<Key> {
    OneOf {
        description: "a partition key",
        find: |name| {
            Key::ALL.into_iter().find(|(candidate, _)| *candidate == name).map(|(_, key)| key)
        },
        names: || Key::ALL.map(|(name, _)| name).join(", "),
    }
}

const fn evidence_type_seed() -> OneOf<EvidenceType> {
    OneOf {
        description: "an evidence type",
        find: EvidenceType::from_name,
        names: || EvidenceType::ALL.map(EvidenceType::name).join(", "),
    }
}

impl<'de> Deserialize<'de> for Line<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a partition: one JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
        let mut line = Line {
            id: None,
            tally: Tally::default(),
            policy: None,
            overrides: Overrides::default(),
        };
        let mut keys = Vec::new();
        while let Some(key) = map.next_key_seed(key_seed())? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("duplicate key `{}`", key.name())));
            }
            keys.push(key);
            let overrides = &mut line.overrides;
            match key {
                Key::Id => line.id = Some(map.next_value()?),
                Key::Class(class) => {
                    map.next_value_seed(Claims { class, tally: &mut line.tally })?;
                }
                Key::Policy => line.policy = Some(map.next_value()?),
                Key::Rho => overrides.rho = Some(decimal(&mut map, key.name())?),
                Key::TauProceed => overrides.tau_proceed = Some(decimal(&mut map, key.name())?),
                Key::TauRegenerate => {
                    overrides.tau_regenerate = Some(decimal(&mut map, key.name())?);
                }
                Key::Weights => map.next_value_seed(WeightEntries(&mut overrides.weights))?,
            }
        }
        Ok(line)
    }
}

fn decimal<'de, A: MapAccess<'de>>(map: &mut A, field: &str) -> Result<Millionths, A::Error> {
    let literal = map.next_value::<&'de RawValue>()?.get();
    literal.parse().map_err(|error| {
        let literal = truncate_middle(literal, 40);
        A::Error::custom(format!(
            "{field}: `{literal}` {error}; expected a number such as 0.5 with at most six decimal places"
        ))
    })
}

/// Deserializes a list of evidence types and counts them.
struct Claims<'t> {
    class: Class,
    tally: &'t mut Tally,
}

impl<'de> DeserializeSeed<'de> for Claims<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Claims<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of evidence types for `{}`", self.class.name())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(evidence_type) = list.next_element_seed(evidence_type_seed())? {
            self.tally.add(self.class, evidence_type, 1);
        }
        Ok(())
    }
}

/// Deserializes an object of weights by evidence type.
struct WeightEntries<'w>(&'w mut Vec<(EvidenceType, Millionths)>);

impl<'de> DeserializeSeed<'de> for WeightEntries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for WeightEntries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of weights by evidence type")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(evidence_type) = map.next_key_seed(evidence_type_seed())? {
            let field = format!("weights.{}", evidence_type.name());
            if self.0.iter().any(|(existing, _)| *existing == evidence_type) {
                return Err(A::Error::custom(format!("duplicate key `{field}`")));
            }
            let weight = decimal(&mut map, &field)?;
            self.0.push((evidence_type, weight));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Line::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn counts_claims_and_preserves_the_id() {
        let line = Line::parse(
            r#"{"id": {"run": 1.50, "x": [ ]},"grounded":["tool_match","tool_match","domain"],
                "contradicted":[],"policy":"strict","rho":0.25,"weights":{"domain":0.1}}"#,
        )
        .unwrap();
        assert_eq!(line.id.map(RawValue::get), Some(r#"{"run": 1.50, "x": [ ]}"#));
        assert_eq!(line.tally.of_class(Class::Grounded), &[2, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(line.tally.total(), 3);
        assert_eq!(line.policy.as_deref(), Some("strict"));
        assert_eq!(line.overrides.rho, Some(Millionths::new(250_000)));
        assert_eq!(line.overrides.weights, [(EvidenceType::Domain, Millionths::new(100_000))]);
    }

    #[test]
    fn parses_numbers_from_their_literals() {
        for (literal, problem) in [
            ("0.1234567", "has more than six decimal places"),
            ("0.8000000", "has more than six decimal places"),
            ("1e-3", "is not a plain decimal number"),
            ("5E0", "is not a plain decimal number"),
            ("-0", "is negative; it must be 0 or more"),
            ("-0.5", "is negative; it must be 0 or more"),
            ("\"0.5\"", "is not a plain decimal number"),
            ("null", "is not a plain decimal number"),
            ("[0.5]", "is not a plain decimal number"),
            ("99999999999", "is too large"),
        ] {
            for key in ["rho", "tau_proceed", "tau_regenerate"] {
                let message = error(&format!("{{\"{key}\":{literal}}}"));
                let expected = format!("{key}: `{literal}` {problem}");
                assert!(message.contains(&expected), "{literal}: {message}");
            }
            let message = error(&format!("{{\"weights\":{{\"synthesis\":{literal}}}}}"));
            let expected = format!("weights.synthesis: `{literal}` {problem}");
            assert!(message.contains(&expected), "{literal}: {message}");
        }
        for invalid in ["NaN", "Infinity", ".5", "+1", "0x1", "01"] {
            assert!(Line::parse(&format!("{{\"rho\":{invalid}}}")).is_err(), "{invalid}");
        }
        for (literal, millionths) in [("0", 0), ("10", 10_000_000), ("0.000001", 1)] {
            let text = format!("{{\"rho\":{literal}}}");
            let rho = Line::parse(&text).unwrap().overrides.rho;
            assert_eq!(rho, Some(Millionths::new(millionths)), "{literal}");
        }
    }

    #[test]
    fn rejects_unknown_keys_and_types() {
        insta::assert_snapshot!(
            [
                r#"{"grounde":[]}"#,
                r#"{"grounded":["tool_macth"]}"#,
                r#"{"weights":{"toolmatch":1}}"#,
                r#"{"grounded":[],"grounded":[]}"#,
                r#"{"id":1,"id":1}"#,
                r#"{"weights":{"domain":1,"domain":1}}"#,
                r#"{"grounded":null}"#,
                r#"{"grounded":"tool_match"}"#,
                r#"{"grounded":[1]}"#,
                r#"{"policy":7}"#,
                r#"[]"#,
                r#"{"id":1"#,
                r#"{"id":1} {"id":2}"#,
                r#"{"id":1,}"#,
                r#"nonsense"#,
            ]
            .map(|text| format!("{text}\n    {}", error(text)))
            .join("\n")
        );
    }

    #[test]
    fn counts_a_million_claims() {
        let mut text = String::from(r#"{"id":"big","complementary":["synthesis""#);
        text.extend(std::iter::repeat_n(r#","synthesis""#, 999_999));
        text.push_str("]}");
        let line = Line::parse(&text).unwrap();
        assert_eq!(line.tally.of_class(Class::Complementary), &[0, 0, 0, 0, 1_000_000, 0, 0, 0]);
    }

    #[test]
    fn rejects_too_many_claims() {
        let list = |count| vec![r#""domain""#; count].join(",");
        let half = usize::try_from(MAX_CLAIMS / 2).unwrap();
        let fits = format!(r#"{{"grounded":[{}],"ungrounded":[{}]}}"#, list(half), list(half));
        assert_eq!(Line::parse(&fits).unwrap().tally.total(), MAX_CLAIMS);
        let too_many =
            format!(r#"{{"grounded":[{}],"ungrounded":[{}]}}"#, list(half), list(half + 1));
        assert_eq!(
            error(&too_many),
            "1800001 claims; at most 1800000 are allowed: split the partition"
        );
    }

    #[test]
    fn deeply_nested_ids_do_not_overflow_the_stack() {
        let text = format!("{{\"id\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        // Only a stack overflow would fail this test.
        if let Ok(line) = Line::parse(&text) {
            assert_eq!(line.id.map(|id| id.get().len()), Some(200_000));
        }
    }
}
