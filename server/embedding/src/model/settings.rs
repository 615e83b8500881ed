//! Reads a sentence model's pooling and token limit.

use fastembed::Pooling;
use serde_json::Value;

/// Returns the pooling from `1_Pooling/config.json`.
///
/// # Errors
///
/// Returns the configured modes, unless there is exactly one and it is supported.
pub(super) fn pooling(config: &Value) -> Result<Pooling, String> {
    let modes: Vec<&str> = config
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| key.starts_with("pooling_mode_") && **value == Value::Bool(true))
        .map(|(key, _)| key.as_str())
        .collect();
    match modes[..] {
        ["pooling_mode_mean_tokens"] => Ok(Pooling::Mean),
        ["pooling_mode_cls_token"] => Ok(Pooling::Cls),
        [] => Err("no pooling".to_owned()),
        _ => Err(modes.join(" with ")),
    }
}

/// Returns the unsupported module types in `modules.json`.
pub(super) fn other_modules(modules: &Value) -> Vec<&str> {
    modules
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|module| module.get("type")?.as_str())
        .filter_map(|kind| kind.rsplit('.').next())
        .filter(|kind| !["Transformer", "Pooling", "Normalize"].contains(kind))
        .collect()
}

/// Returns the lowest token limit in the files.
///
/// # Errors
///
/// Returns a description of the limit if it is missing, above the maximum, or too low to leave room for a
/// word between the special tokens.
pub(super) fn max_tokens(
    sentence: Option<&Value>,
    tokenizer: &Value,
    config: &Value,
) -> Result<usize, String> {
    const MIN: f64 = 3.0;
    const MAX: f64 = 1e6;
    let limits = [
        sentence.and_then(|file| file.get("max_seq_length")),
        tokenizer.get("model_max_length"),
        config.get("max_position_embeddings"),
    ];
    let lowest =
        limits.into_iter().flatten().filter_map(Value::as_f64).fold(f64::INFINITY, f64::min);
    if (MIN..=MAX).contains(&lowest) {
        Ok(lowest as usize)
    } else if lowest.is_finite() {
        Err(format!("a limit of {lowest} tokens"))
    } else {
        Err("no token limit".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parses_exactly_one_pooling() {
        let parse = |mean, cls, max| {
            pooling(&json!({
                "word_embedding_dimension": 384,
                "pooling_mode_mean_tokens": mean,
                "pooling_mode_cls_token": cls,
                "pooling_mode_max_tokens": max,
            }))
        };
        assert_eq!(parse(true, false, false), Ok(Pooling::Mean));
        assert_eq!(parse(false, true, false), Ok(Pooling::Cls));
        assert_eq!(parse(false, false, true).unwrap_err(), "pooling_mode_max_tokens");
        assert!(parse(true, true, false).unwrap_err().contains(" with "));
        assert_eq!(parse(false, false, false).unwrap_err(), "no pooling");
        assert_eq!(pooling(&json!([1])).unwrap_err(), "no pooling");
    }

    #[test]
    fn finds_unsupported_modules() {
        let module = |kind: &str| json!({ "type": format!("sentence_transformers.models.{kind}") });
        let plain = json!([module("Transformer"), module("Pooling"), module("Normalize")]);
        assert!(other_modules(&plain).is_empty());
        assert_eq!(other_modules(&json!([module("Transformer"), module("Dense")])), ["Dense"]);
        assert!(other_modules(&json!("text")).is_empty());
    }

    #[test]
    fn uses_the_lowest_limit() {
        let sentence = json!({ "max_seq_length": 256 });
        let tokenizer = json!({ "model_max_length": 1e30 });
        let config = json!({ "max_position_embeddings": 512 });
        assert_eq!(max_tokens(Some(&sentence), &tokenizer, &config), Ok(256));
        assert_eq!(max_tokens(None, &tokenizer, &config), Ok(512));
        assert_eq!(max_tokens(None, &json!({}), &config), Ok(512));
        max_tokens(None, &tokenizer, &json!({})).unwrap_err();
        max_tokens(None, &json!({}), &json!({})).unwrap_err();
        max_tokens(None, &json!({ "model_max_length": 2 }), &config).unwrap_err();
        max_tokens(None, &json!({ "model_max_length": -1 }), &config).unwrap_err();
    }
}
