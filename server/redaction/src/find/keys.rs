//! This module finds private keys in PEM form, over lines or within a JSON string, complete or cut off.

use memchr::memmem;

use super::Span;
use super::boundary::behind;
use crate::kind::Kind;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// The longest label of a private key, `ENCRYPTED PRIVATE KEY` and the like, in bytes.
const MAX_LABEL_BYTES: usize = 40;

/// Finds private keys. The key goes up to its end mark; where that is missing, as far as there is what a key consists
/// of.
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut done = 0;
    for start in memmem::find_iter(text.as_bytes(), BEGIN) {
        if start < done {
            continue;
        }
        let Some(body) = body_of_private_key(text, start) else { continue };
        done = end_of_key(text, body);
        spans.push(Span { range: start..done, kind: Kind::PrivateKey });
    }
}

/// Where the body of a private key begins whose begin mark starts at a place.
fn body_of_private_key(text: &str, start: usize) -> Option<usize> {
    let label = behind(text, start + BEGIN.len());
    let length = memmem::find(
        label.as_bytes().get(..MAX_LABEL_BYTES).unwrap_or(label.as_bytes()),
        DASHES.as_bytes(),
    )?;
    let is_private = label.get(..length)?.contains("PRIVATE KEY");
    is_private.then_some(start + BEGIN.len() + length + DASHES.len())
}

/// Where a key ends: behind its end mark, or behind the last character that may belong to it.
fn end_of_key(text: &str, body: usize) -> usize {
    let rest = behind(text, body);
    let next = memmem::find(rest.as_bytes(), BEGIN.as_bytes()).unwrap_or(rest.len());
    let rest = rest.get(..next).unwrap_or_default();
    let is_of_body =
        |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "+/=\\:,-".contains(c);
    let run = rest.find(|c: char| !is_of_body(c)).unwrap_or(rest.len());
    let run = rest.get(..run).unwrap_or_default();
    let Some(end) = run.find(END) else { return body + body_lines(run) };
    let label = behind(run, end + END.len());
    let closing = label.find(DASHES).map_or(label.len(), |at| at + DASHES.len());
    body + end + END.len() + closing
}

/// How far lines go that are nothing but base64 or headers of a key.
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
    fn keys_end_at_their_mark() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----";
        assert_eq!(found(&format!("x {key}\n y {key}")), [key, key]);
        let escaped = key.replace('\n', "\\n");
        assert_eq!(found(&format!(r#"{{"key": "{escaped}", "n": 1}}"#)), [escaped]);
        assert!(found("-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----").is_empty());
        assert!(found("-----BEGIN ").is_empty() && found("-----BEGIN PRIVATE KEY").is_empty());
    }

    #[test]
    fn a_key_that_is_cut_off_ends_where_prose_begins() {
        let cut = "-----BEGIN EC PRIVATE KEY-----\nMIIEow\nAAAA";
        assert_eq!(found(&format!("{cut}\nthe log goes on\n")), [cut]);
        assert_eq!(found(&format!("{cut}\" and more")), [cut]);
    }
}
