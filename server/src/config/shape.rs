//! This module reads merged layers into a [`Config`] and finds every value of a wrong kind and every unknown key, where
//! serde stops at the first. It knows nothing of what values mean.

use figment::error::Kind;
use figment::value::{Dict, Value};
use figment::{Error, Figment};

use super::{Config, Problems};

/// More wrong values than this are not looked for.
const MAX_WRONG: usize = 100;

/// Keys of earlier versions, and what to say of each.
const RETIRED: [(&[&str], &str); 1] = [(
    &["judges", "second_opinion"],
    "is no key any more; take it out: second looks replace it (docs/JUDGES.md, \"Second look\")",
)];

/// The configuration with every wrong value at its default, and a problem for each.
///
/// # Errors
/// The problems, where no configuration can be made of the rest.
pub(super) fn read(layers: &Figment, defaults: &Config) -> Result<(Config, Problems), Problems> {
    let mut problems = Problems::default();
    let merged = problems.note(&[], layers.find_value(""));
    let defaults = problems.note(&[], Value::serialize(defaults));
    let (Some(mut merged), Some(defaults)) = (merged, defaults) else { return Err(problems) };
    for _ in 0..MAX_WRONG {
        let error = match merged.deserialize::<Config>() {
            Ok(config) => return Ok((config, problems)),
            Err(error) => error,
        };
        let mut path = error.path.clone();
        if let Kind::MissingField(name) = &error.kind {
            path.push(name.to_string());
        }
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        if !problems.concern(&keys) {
            let retired = RETIRED.iter().find(|(retired, _)| *retired == keys.as_slice());
            let description =
                retired.map_or_else(|| describe(&error), |(_, what)| (*what).to_owned());
            problems.add(&keys, description);
        }
        if !reset(&mut merged, &defaults, &keys) {
            break;
        }
    }
    Err(problems)
}

/// Puts the default of a value in its place; a value without one is removed, and where it is missing the table that
/// lacks it. Whether anything changed.
fn reset(merged: &mut Value, defaults: &Value, path: &[&str]) -> bool {
    let (Value::Dict(_, values), Some((key, rest))) = (merged, path.split_first()) else {
        return false;
    };
    let default = match defaults {
        Value::Dict(_, defaults) => defaults.get(*key),
        _ => None,
    };
    let nothing = Value::from(Dict::new());
    if !rest.is_empty()
        && let Some(inner @ Value::Dict(..)) = values.get_mut(*key)
        && reset(inner, default.unwrap_or(&nothing), rest)
    {
        return true;
    }
    match default {
        Some(default) if values.get(*key) != Some(default) => {
            values.insert((*key).to_owned(), default.clone());
            true
        }
        _ => values.remove(*key).is_some(),
    }
}

/// What is wrong, without names of types of this program.
fn describe(error: &Error) -> String {
    let expected = |expected: &str| match expected {
        "usize" | "u64" | "u32" | "a nonzero u32" => "a whole number".to_owned(),
        "struct" | "a map" => "a table".to_owned(),
        text if text.starts_with("struct ") => "a table".to_owned(),
        text => text.to_owned(),
    };
    let list = |names: &[&str]| names.join(", ");
    match &error.kind {
        Kind::InvalidType(given, wanted) | Kind::InvalidValue(given, wanted) => {
            match expected(wanted) {
                // An address with a password, perhaps.
                table if table == "a table" => format!("is not allowed as a value; give {table}"),
                wanted => format!("{given} is not allowed; give {wanted}"),
            }
        }
        Kind::UnknownField(_, []) => "is not known here; take it out".to_owned(),
        Kind::UnknownField(_, known) => {
            format!("is no key; keys here are {}", list(known))
        }
        Kind::UnknownVariant(given, known) => {
            format!("`{given}` is not allowed; allowed are {}", list(known))
        }
        Kind::MissingField(_) => "is missing; give it".to_owned(),
        other => other.to_string(),
    }
}
