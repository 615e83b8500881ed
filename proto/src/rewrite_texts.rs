//! Rewrites all texts of a message and adjusts the byte ranges that refer to them, driven by the descriptors.

use prost::Message;
use prost_reflect::{DynamicMessage, ReflectMessage as _, Value};

use crate::json::{JsonError, Named, descriptor};

const BYTE_RANGE: &str = "gsar.v1.ByteRange";

/// A rewrite of the texts and ranges of a message.
pub trait Rewrite {
    /// Returns the new text of a field.
    fn text(&mut self, field: &str, text: &str) -> String;

    /// Returns the new position of a range in a message with the given name, such as `gsar.v1.Citation`, or `None` to
    /// remove the range.
    fn range(&mut self, message_name: &str, start: u64, end: u64) -> Option<(u64, u64)>;
}

/// Returns the message with its texts rewritten.
///
/// # Errors
/// Returns a [`JsonError`] if the message is not in the contract, which does not happen for generated messages.
pub fn rewrite<T: Message + Default + Named>(
    message: &T,
    rewrite: &mut impl Rewrite,
) -> Result<T, JsonError> {
    let json_error = |error: prost::DecodeError| JsonError::new(error.to_string());
    let bytes = message.encode_to_vec();
    let mut dynamic =
        DynamicMessage::decode(descriptor::<T>()?, bytes.as_slice()).map_err(json_error)?;
    rewrite_message(&mut dynamic, rewrite);
    T::decode(dynamic.encode_to_vec().as_slice()).map_err(json_error)
}

fn rewrite_message(message: &mut DynamicMessage, rewrite: &mut impl Rewrite) {
    let descriptor = message.descriptor();
    let mut removed_fields = Vec::new();
    for (field, value) in message.fields_mut() {
        if !rewrite_value(field.name(), descriptor.full_name(), value, rewrite) {
            removed_fields.push(field);
        }
    }
    for field in &removed_fields {
        message.clear_field(field);
    }
}

/// Rewrites a value. Returns `false` if it must be removed.
fn rewrite_value(
    field: &str,
    message_name: &str,
    value: &mut Value,
    rewrite: &mut impl Rewrite,
) -> bool {
    match value {
        Value::String(text) => *text = rewrite.text(field, text),
        Value::Message(range) if range.descriptor().full_name() == BYTE_RANGE => {
            return rewrite_range(range, message_name, rewrite);
        }
        Value::Message(message) => rewrite_message(message, rewrite),
        Value::List(values) => {
            values.retain_mut(|value| rewrite_value(field, message_name, value, rewrite))
        }
        _ => {}
    }
    true
}

fn rewrite_range(
    range: &mut DynamicMessage,
    message_name: &str,
    rewrite: &mut impl Rewrite,
) -> bool {
    let offset = |range: &DynamicMessage, name| {
        range.get_field_by_name(name).and_then(|value| value.as_u64()).unwrap_or_default()
    };
    let Some((start, end)) =
        rewrite.range(message_name, offset(range, "start"), offset(range, "end"))
    else {
        return false;
    };
    range.set_field_by_name("start", Value::U64(start));
    range.set_field_by_name("end", Value::U64(end));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1;

    struct Shouting;

    impl Rewrite for Shouting {
        fn text(&mut self, field: &str, text: &str) -> String {
            if field == "digest" { text.to_owned() } else { text.to_uppercase() }
        }

        fn range(&mut self, message_name: &str, start: u64, end: u64) -> Option<(u64, u64)> {
            (message_name != "gsar.v1.Citation").then_some((start + 1, end + 1))
        }
    }

    #[test]
    fn rewrites_texts_and_ranges_at_every_depth() {
        let range = |start, end| Some(v1::ByteRange { start, end });
        let message = v1::EvaluateResponse {
            explanation: "why".to_owned(),
            gaps: vec!["a".to_owned(), "b".to_owned()],
            claims: vec![v1::JudgedClaim {
                id: "c1".to_owned(),
                span: range(3, 7),
                citations: vec![v1::Citation {
                    quote: "said".to_owned(),
                    bytes: range(0, 4),
                    ..v1::Citation::default()
                }],
                ..v1::JudgedClaim::default()
            }],
            coverage: Some(v1::Coverage {
                uncovered: range(8, 9).into_iter().collect(),
                ..v1::Coverage::default()
            }),
            provenance: Some(v1::Provenance {
                policy: Some(v1::AppliedPolicy {
                    name: "p".to_owned(),
                    digest: "ff".to_owned(),
                    ..v1::AppliedPolicy::default()
                }),
                ..v1::Provenance::default()
            }),
            ..v1::EvaluateResponse::default()
        };
        let rewritten = rewrite(&message, &mut Shouting).unwrap();
        assert_eq!(
            (rewritten.explanation.as_str(), rewritten.gaps.concat()),
            ("WHY", "AB".to_owned())
        );
        let claim = &rewritten.claims[0];
        assert_eq!((claim.id.as_str(), claim.span), ("C1", range(4, 8)));
        assert_eq!((claim.citations[0].quote.as_str(), claim.citations[0].bytes), ("SAID", None));
        assert_eq!(rewritten.coverage.unwrap().uncovered, [range(9, 10).unwrap()]);
        let policy = rewritten.provenance.unwrap().policy.unwrap();
        assert_eq!((policy.name.as_str(), policy.digest.as_str()), ("P", "ff"));
    }
}
