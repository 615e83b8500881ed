//! Parses the model settings in `config.json`.

use gsar_core::fixed_point::Millionths;
use serde_json::Value;

const DEFAULT_MAX_TOKENS: usize = 512;
/// The minimum that leaves room for a premise next to a claim.
const MIN_TOKENS: usize = 16;
const MAX_TOKENS: usize = 8_192;
const MIN_TEMPERATURE: f64 = 0.01;
const MAX_TEMPERATURE: f64 = 100.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// The divisor of the logits, 0.01 to 100. Defaults to 1.
    pub(crate) temperature: f64,
    /// The maximum number of tokens in a claim and premise together, including special tokens, 16 to 8192.
    pub(crate) max_tokens: usize,
    /// The minimum probability (0.5 to 1) at which the model may decide that a claim is ungrounded, or
    /// `None` if it must never decide that.
    pub(crate) ungrounded_from: Option<Millionths>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SettingError {
    pub(crate) found: String,
    pub(crate) allowed: &'static str,
}

impl Settings {
    pub(crate) fn read(config: &Value) -> Result<Self, SettingError> {
        let positions = config
            .get("max_position_embeddings")
            .and_then(Value::as_u64)
            .and_then(|positions| usize::try_from(positions).ok());
        let default_tokens =
            positions.map_or(DEFAULT_MAX_TOKENS, |max| max.min(DEFAULT_MAX_TOKENS));
        let mut settings =
            Self { temperature: 1.0, max_tokens: default_tokens, ungrounded_from: None };
        let reject = |found: String, allowed| Err(SettingError { found, allowed });
        let fields = match config.get("gsar") {
            None => return settings.within(positions),
            Some(Value::Object(fields)) => fields,
            Some(invalid) => return reject(format!("gsar = {invalid}"), "expected an object"),
        };
        for (key, value) in fields {
            match key.as_str() {
                "temperature" => match value.as_f64() {
                    Some(number) if (MIN_TEMPERATURE..=MAX_TEMPERATURE).contains(&number) => {
                        settings.temperature = number;
                    }
                    _ => {
                        return reject(
                            format!("gsar.temperature = {value}"),
                            "expected 0.01 to 100",
                        );
                    }
                },
                "max_tokens" => match value.as_u64().map(usize::try_from) {
                    Some(Ok(number)) => settings.max_tokens = number,
                    _ => {
                        return reject(format!("gsar.max_tokens = {value}"), "expected 16 to 8192");
                    }
                },
                "decides_from" => settings.ungrounded_from = ungrounded_from(value)?,
                _ => {
                    let allowed = "expected temperature, max_tokens or decides_from";
                    return reject(format!("gsar.{key}"), allowed);
                }
            }
        }
        settings.within(positions)
    }

    fn within(self, positions: Option<usize>) -> Result<Self, SettingError> {
        let reject = |allowed| {
            Err(SettingError { found: format!("gsar.max_tokens = {}", self.max_tokens), allowed })
        };
        if !(MIN_TOKENS..=MAX_TOKENS).contains(&self.max_tokens) {
            return reject("expected 16 to 8192");
        }
        match positions {
            Some(max) if self.max_tokens > max => {
                reject("it must not exceed max_position_embeddings")
            }
            _ => Ok(self),
        }
    }
}

/// Parses the threshold in `decides_from`. Only ungrounded can have a threshold.
fn ungrounded_from(value: &Value) -> Result<Option<Millionths>, SettingError> {
    let reject = |found: String, allowed| Err(SettingError { found, allowed });
    let Value::Object(fields) = value else {
        return reject(format!("gsar.decides_from = {value}"), "expected an object");
    };
    let mut threshold = None;
    for (class, value) in fields {
        let found = format!("gsar.decides_from.{class} = {value}");
        if class != "ungrounded" {
            return reject(found, "expected ungrounded");
        }
        let probability = value
            .as_f64()
            .filter(|probability| (0.5..=1.0).contains(probability))
            .and_then(|probability| Millionths::from_f64(probability).ok());
        if probability.is_none() {
            return reject(found, "expected 0.5 to 1");
        }
        threshold = probability;
    }
    Ok(threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn missing_settings_have_defaults() {
        let parse = |config| Settings::read(&config).unwrap();
        assert_eq!(
            parse(json!({})),
            Settings { temperature: 1.0, max_tokens: 512, ungrounded_from: None }
        );
        assert_eq!(parse(json!({"max_position_embeddings": 256})).max_tokens, 256);
        assert_eq!(parse(json!({"max_position_embeddings": 1024, "gsar": {}})).max_tokens, 512);
        let two_settings = json!({"gsar": {"temperature": 1.7, "max_tokens": 192}});
        let expected = Settings { temperature: 1.7, max_tokens: 192, ungrounded_from: None };
        assert_eq!(parse(two_settings), expected);
        let decision_setting = json!({"gsar": {"decides_from": {"ungrounded": 0.85}}});
        assert_eq!(parse(decision_setting).ungrounded_from, Some(Millionths::new(850_000)));
    }

    #[test]
    fn rejects_unsupported_settings() {
        for (config, expected) in [
            (json!({"gsar": 1}), "gsar = 1"),
            (json!({"gsar": {"temprature": 2}}), "gsar.temprature"),
            (json!({"gsar": {"temperature": 0}}), "gsar.temperature = 0"),
            (json!({"gsar": {"temperature": "1"}}), "gsar.temperature = \"1\""),
            (json!({"gsar": {"max_tokens": 15}}), "gsar.max_tokens = 15"),
            (json!({"gsar": {"max_tokens": 8193}}), "gsar.max_tokens = 8193"),
            (json!({"gsar": {"max_tokens": 1.5}}), "gsar.max_tokens = 1.5"),
            (
                json!({"max_position_embeddings": 256, "gsar": {"max_tokens": 512}}),
                "gsar.max_tokens = 512",
            ),
            (json!({"max_position_embeddings": 2}), "gsar.max_tokens = 2"),
            (json!({"gsar": {"decides_from": 0.9}}), "gsar.decides_from = 0.9"),
            (
                json!({"gsar": {"decides_from": {"contradicted": 0.9}}}),
                "gsar.decides_from.contradicted = 0.9",
            ),
            (
                json!({"gsar": {"decides_from": {"ungrounded": 0.4}}}),
                "gsar.decides_from.ungrounded = 0.4",
            ),
            (
                json!({"gsar": {"decides_from": {"ungrounded": "1"}}}),
                "gsar.decides_from.ungrounded = \"1\"",
            ),
        ] {
            assert_eq!(Settings::read(&config).unwrap_err().found, expected);
        }
    }
}
