//! Prints the effective configuration as TOML, with the origin of each value.

use figment::Figment;
use figment::value::{Dict, Value};

use super::Config;

/// Returns the configuration as valid TOML. A comment after each value names its origin.
#[must_use]
pub fn effective_toml(config: &Config, layers: &Figment) -> String {
    let Ok(Value::Dict(_, dict)) = Value::serialize(config) else {
        return String::new();
    };
    let mut text = String::new();
    print_tables(&dict, &[], layers, &mut text);
    text
}

fn print_tables(dict: &Dict, path: &[&str], layers: &Figment, text: &mut String) {
    print_values(dict, path, layers, text);
    for (name, value) in dict {
        if let Value::Dict(_, inner) = value
            && (path.is_empty() || !inner.is_empty())
        {
            let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
            let keys: Vec<String> = path.iter().map(|part| key(part)).collect();
            text.push_str(&format!("\n[{}]\n", keys.join(".")));
            print_tables(inner, &path, layers, text);
        }
    }
}

pub(super) fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match name.bytes().all(is_bare) {
        true => name.to_owned(),
        false => toml::Value::from(name).to_string(),
    }
}

fn print_values(dict: &Dict, path: &[&str], layers: &Figment, text: &mut String) {
    for (name, value) in dict {
        let literal = match value {
            Value::Dict(..) => continue,
            Value::Empty(..) => None,
            Value::String(_, text) => Some(toml::Value::from(redact_password(text)).to_string()),
            value => toml::Value::try_from(value).ok().map(|value| value.to_string()),
        };
        let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
        let origin = origin(layers, &path);
        let key = key(name);
        match literal {
            Some(literal) => text.push_str(&format!("{key} = {literal} # {origin}\n")),
            None => text.push_str(&format!("# {key} is not set # {origin}\n")),
        }
    }
}

fn redact_password(text: &str) -> String {
    let redacted = text.split_once("://").and_then(|(scheme, rest)| {
        let authority = rest.split(['/', '?', '#']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}:***{}", rest.get(user.len()..)?))
    });
    redacted.unwrap_or_else(|| text.to_owned())
}

pub(super) fn origin(layers: &Figment, path: &[&str]) -> String {
    let Some(metadata) = metadata(layers, path) else {
        return "default".to_owned();
    };
    match (metadata.name.as_ref(), &metadata.source) {
        ("file", Some(source)) => source.to_string(),
        ("environment" | "command line", _) => {
            metadata.interpolate(&figment::Profile::Default, path)
        }
        _ => "default".to_owned(),
    }
}

/// Returns a value's metadata. Looks up the keys one by one, since a key such as a model name can contain a
/// dot.
fn metadata<'a>(layers: &'a Figment, path: &[&str]) -> Option<&'a figment::Metadata> {
    let (first, rest) = path.split_first()?;
    let mut value = layers.find_value(first).ok()?;
    for key in rest {
        value = value.into_dict()?.remove(*key)?;
    }
    layers.get_metadata(value.tag())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacts_passwords_in_urls() {
        for (text, expected) in [
            ("https://ada:secret@models/v1", "https://ada:***@models/v1"),
            ("https://ada:se@cret@models?x=y", "https://ada:***@models?x=y"),
            ("postgres://gsar:***@db/gsar", "postgres://gsar:***@db/gsar"),
            ("https://models/v1?a=b:c@d", "https://models/v1?a=b:c@d"),
            ("unix:///run/a@b:c", "unix:///run/a@b:c"),
            ("no address: a@b", "no address: a@b"),
        ] {
            assert_eq!(redact_password(text), expected);
        }
    }
}
