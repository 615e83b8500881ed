//! Finds complete and truncated PEM private keys, on several lines or in a JSON string.

use memchr::memmem;

use super::Span;
use super::boundary::after;
use crate::kind::Kind;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// The maximum length in bytes of a private key's label, for example `ENCRYPTED PRIVATE KEY`.
const MAX_LABEL_BYTES: usize = 40;

pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut searched_to = 0;
    for start in memmem::find_iter(text.as_bytes(), BEGIN) {
        if start < searched_to {
            continue;
        }
        let Some(body_start) = key_body(text, start) else { continue };
        searched_to = key_end(text, body_start);
        spans.push(Span { range: start..searched_to, kind: Kind::PrivateKey });
    }
}

fn key_body(text: &str, start: usize) -> Option<usize> {
    let label = after(text, start + BEGIN.len());
    let length = memmem::find(
        label.as_bytes().get(..MAX_LABEL_BYTES).unwrap_or(label.as_bytes()),
        DASHES.as_bytes(),
    )?;
    let is_private = label.get(..length)?.contains("PRIVATE KEY");
    is_private.then_some(start + BEGIN.len() + length + DASHES.len())
}

/// Returns the end of a key: after its end marker, or after the last character that can belong to it.
fn key_end(text: &str, body_start: usize) -> usize {
    let rest = after(text, body_start);
    let next_key = memmem::find(rest.as_bytes(), BEGIN.as_bytes()).unwrap_or(rest.len());
    let rest = rest.get(..next_key).unwrap_or_default();
    let is_body_char =
        |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "+/=\\:,-".contains(c);
    let body_length = rest.find(|c: char| !is_body_char(c)).unwrap_or(rest.len());
    let body_text = rest.get(..body_length).unwrap_or_default();
    let Some(end) = body_text.find(END) else { return body_start + body_lines(body_text) };
    let label = after(body_text, end + END.len());
    let closing_length = label.find(DASHES).map_or(label.len(), |index| index + DASHES.len());
    body_start + end + END.len() + closing_length
}

fn body_lines(run: &str) -> usize {
    let mut length = 0;
    for line in run.split_inclusive('\n') {
        let is_prose = line.trim().contains(' ') && !line.contains(": ");
        if is_prose {
            break;
        }
        length += line.len();
    }
    run.get(..length).unwrap_or_default().trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.into_iter().map(|span| span.value(text)).collect()
    }

    #[test]
    fn keys_end_at_their_end_marker() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----";
        assert_eq!(found(&format!("x {key}\n y {key}")), [key, key]);
        let escaped = key.replace('\n', "\\n");
        assert_eq!(found(&format!(r#"{{"key": "{escaped}", "n": 1}}"#)), [escaped]);
        assert!(found("-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----").is_empty());
        assert!(found("-----BEGIN ").is_empty() && found("-----BEGIN PRIVATE KEY").is_empty());
    }

    #[test]
    fn a_truncated_key_ends_before_prose() {
        let truncated = "-----BEGIN EC PRIVATE KEY-----\nMIIEow\nAAAA";
        assert_eq!(found(&format!("{truncated}\nthe log goes on\n")), [truncated]);
        assert_eq!(found(&format!("{truncated}\" and more")), [truncated]);
    }
}
