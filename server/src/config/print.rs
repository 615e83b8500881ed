//! The effective configuration as TOML, each value with where it came from.

use figment::Figment;
use figment::value::{Dict, Value};

use super::Config;

/// TOML that could be used as a file, with the origin of every value in a comment.
#[must_use]
pub fn effective(config: &Config, layers: &Figment) -> String {
    let Ok(Value::Dict(_, dict)) = Value::serialize(config) else {
        return String::new();
    };
    let mut text = String::new();
    section(&dict, "", layers, &mut text);
    for (name, value) in &dict {
        if let Value::Dict(_, inner) = value {
            text.push_str(&format!("\n[{name}]\n"));
            section(inner, &format!("{name}."), layers, &mut text);
        }
    }
    text
}

fn section(dict: &Dict, prefix: &str, layers: &Figment, text: &mut String) {
    for (key, value) in dict {
        let literal = match value {
            Value::Dict(..) => continue,
            Value::Empty(..) => None,
            value => toml::Value::try_from(value).ok().map(|value| value.to_string()),
        };
        let path = format!("{prefix}{key}");
        let origin = origin(layers, &path);
        match literal {
            Some(literal) => text.push_str(&format!("{key} = {literal} # {origin}\n")),
            None => text.push_str(&format!("# {key} is not set # {origin}\n")),
        }
    }
}

fn origin(layers: &Figment, path: &str) -> String {
    let Some(metadata) = layers.find_metadata(path) else {
        return "default".to_owned();
    };
    match (metadata.name.as_ref(), &metadata.source) {
        ("file", Some(source)) => source.to_string(),
        ("environment" | "command line", _) => {
            let keys: Vec<&str> = path.split('.').collect();
            metadata.interpolate(&figment::Profile::Default, &keys)
        }
        _ => "default".to_owned(),
    }
}
