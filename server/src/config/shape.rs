//! Deserializes merged layers into a [`Config`]. Reports every invalid value and unknown key, not only the
//! first.

use figment::error::Kind;
use figment::value::{Dict, Value};
use figment::{Error, Figment};

use super::{Config, Problems};

const MAX_ERRORS: usize = 100;

/// Returns the configuration, in which defaults replace invalid values, and all errors.
///
/// # Errors
/// Returns all errors if the remaining values are not a valid configuration.
pub(super) fn deserialize(
    layers: &Figment,
    defaults: &Config,
) -> Result<(Config, Problems), Problems> {
    let mut problems = Problems::default();
    let merged = problems.note(&[], layers.find_value(""));
    let defaults = problems.note(&[], Value::serialize(defaults));
    let (Some(mut merged), Some(defaults)) = (merged, defaults) else { return Err(problems) };
    for _ in 0..MAX_ERRORS {
        let error = match merged.deserialize::<Config>() {
            Ok(config) => return Ok((config, problems)),
            Err(error) => error,
        };
        let mut path = error.path.clone();
        if let Kind::MissingField(name) = &error.kind {
            path.push(name.to_string());
        }
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        if !problems.has_errors_at(&keys) {
            problems.add(&keys, describe(&error));
        }
        if !reset(&mut merged, &defaults, &keys) {
            break;
        }
    }
    Err(problems)
}

/// Replaces a value with its default, or removes it if it has no default. Removes a table with a missing
/// value. Returns `true` if anything changed.
fn reset(merged: &mut Value, defaults: &Value, path: &[&str]) -> bool {
    let (Value::Dict(_, values), Some((key, rest))) = (merged, path.split_first()) else {
        return false;
    };
    let default = match defaults {
        Value::Dict(_, defaults) => defaults.get(*key),
        _ => None,
    };
    let empty = Value::from(Dict::new());
    if !rest.is_empty()
        && let Some(inner @ Value::Dict(..)) = values.get_mut(*key)
        && reset(inner, default.unwrap_or(&empty), rest)
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

/// Describes an error in terms of TOML, not of Rust types.
fn describe(error: &Error) -> String {
    let toml_type = |rust_type: &str| match rust_type {
        "usize" | "u64" | "u32" | "a nonzero u32" => "a whole number".to_owned(),
        "struct" | "a map" => "a table".to_owned(),
        text if text.starts_with("struct ") => "a table".to_owned(),
        text if text.starts_with("enum ") => "a string in quotes".to_owned(),
        text => text.to_owned(),
    };
    let list = |names: &[&str]| names.join(", ");
    match &error.kind {
        Kind::InvalidType(actual, rust_type) | Kind::InvalidValue(actual, rust_type) => {
            match toml_type(rust_type) {
                // The value may be a URL with a password.
                table if table == "a table" => format!("does not accept this value; use {table}"),
                expected => format!("{actual} is not allowed; use {expected}"),
            }
        }
        Kind::UnknownField(_, []) => "unknown key; remove it".to_owned(),
        Kind::UnknownField(_, known_names) => {
            format!("unknown key; expected one of {}", list(known_names))
        }
        Kind::UnknownVariant(actual, known_names) => {
            format!("`{actual}` is not allowed; use one of {}", list(known_names))
        }
        Kind::MissingField(_) => "is missing; set it".to_owned(),
        kind => kind.to_string(),
    }
}
