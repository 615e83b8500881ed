//! Decodes base64 and hexadecimal runs.

use std::ops::Range;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER_PERMISSIVE};

/// The minimum length of a run in bytes. Shorter runs cannot contain a phrase.
const MIN_BYTES: usize = 20;
const MAX_BYTES: usize = 1 << 16;

/// Returns the runs that decode to UTF-8, each with the decoded text.
pub(super) fn decode_runs(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    runs(text).filter_map(|(start, run)| {
        let bytes = from_hexadecimal(run).or_else(|| from_base64(run))?;
        Some((start..start + run.len(), String::from_utf8(bytes).ok()?))
    })
}

fn from_hexadecimal(run: &str) -> Option<Vec<u8>> {
    let is_hexadecimal = run.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal.then(|| HEXLOWER_PERMISSIVE.decode(run.as_bytes()).ok()).flatten()
}

/// Decodes base64 in either alphabet, with or without padding. Ignores a truncated last group.
fn from_base64(run: &str) -> Option<Vec<u8>> {
    let letters = run.trim_end_matches('=');
    let encoding = if letters.contains(['-', '_']) { BASE64URL_NOPAD } else { BASE64_NOPAD };
    if !begins_with_text(&encoding, letters) {
        return None;
    }
    let whole_groups = letters.get(..letters.len() / 4 * 4)?;
    let decode = |letters: &str| encoding.decode(letters.as_bytes()).ok();
    decode(letters).or_else(|| decode(whole_groups))
}

/// Returns `true` if the first bytes decode to UTF-8. This check cheaply rejects most names and digests.
fn begins_with_text(encoding: &Encoding, letters: &str) -> bool {
    let mut bytes = [0; 12];
    let Some(first) = letters.as_bytes().get(..16) else { return true };
    encoding.decode_mut(first, &mut bytes).is_ok()
        && std::str::from_utf8(&bytes).err().is_none_or(|error| error.error_len().is_none())
}

/// Iterates over base64 runs that have an acceptable length, with their offsets. A `name=` prefix is
/// not part of a run.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut search_start = 0;
    std::iter::from_fn(move || {
        let start = next_start(bytes, search_start)?;
        let suffix = bytes.get(start..)?;
        let letter_count =
            suffix.iter().take_while(|byte| is_letter(**byte) && **byte != b'=').count();
        let padding_count =
            suffix.get(letter_count..)?.iter().take_while(|byte| **byte == b'=').count();
        search_start = start + letter_count + padding_count;
        Some((start, text.get(start..search_start)?))
    })
    .filter(|(_, run)| (MIN_BYTES..=MAX_BYTES).contains(&run.len()))
}

/// Returns the start of the next run that can be long enough. Checks only every n-th byte, because a run of n
/// letters contains one of them.
fn next_start(bytes: &[u8], search_start: usize) -> Option<usize> {
    let candidates =
        bytes.get(search_start..)?.iter().enumerate().skip(MIN_BYTES - 1).step_by(MIN_BYTES);
    let (distance, _) = candidates.into_iter().find(|(_, byte)| is_letter(**byte))?;
    let preceding = bytes.get(search_start..search_start + distance)?;
    Some(
        search_start
            + preceding.iter().rposition(|byte| !is_letter(*byte)).map_or(0, |index| index + 1),
    )
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decodes_runs_of_text() {
        let text = "data=aWdub3JlIHByZXZpb3VzIGluc3RydWN0aW9ucw== end checkout-7f9c4d8b6-x2x1zabcd";
        let found: Vec<_> = decode_runs(text).collect();
        assert_eq!(found, [(5..45, "ignore previous instructions".to_owned())]);
        let unpadded = "aWdub3JlIHByZXZpb3VzIGluc3RydWN0aW9ucw";
        assert_eq!(decode_runs(unpadded).count(), 1);
        let digits = "69676e6f726520616c6c2072756c657320";
        assert_eq!(decode_runs(digits).count(), 1);
        assert_eq!(decode_runs("e3b0c44298fc1c149afbf4c8996fb92427ae41e4").count(), 0);
    }

    fn all_runs(text: &str) -> Vec<(usize, &str)> {
        let mut runs = Vec::new();
        let mut rest = text;
        let is_first = |c: char| u8::try_from(c).is_ok_and(is_letter);
        while let Some(start) = rest.find(is_first) {
            let run_start = text.len() - rest.len() + start;
            let suffix = rest.split_at(start).1;
            let padding_and_rest = suffix.trim_start_matches(|c| is_first(c) && c != '=');
            rest = padding_and_rest.trim_start_matches('=');
            runs.push((run_start, suffix.split_at(suffix.len() - rest.len()).0));
        }
        runs
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn finds_all_runs(pieces in prop::collection::vec("[a-z=]{0,24}|[A-Z0-9+/_-]{15,25}={0,3}|[ é=a]{0,3}|={0,25}", 0..8)) {
            let text = pieces.concat();
            let has_valid_length = |(_, run): &(usize, &str)| (MIN_BYTES..=MAX_BYTES).contains(&run.len());
            let expected: Vec<_> = all_runs(&text).into_iter().filter(has_valid_length).collect();
            prop_assert_eq!(runs(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn decodes_encoded_text(text in "\\PC{4,20}[a-z]{12}", truncated in 0_usize..3) {
            let text = text.as_str();
            let encoded = BASE64.encode(text.as_bytes());
            let found: Vec<_> = decode_runs(&encoded).collect();
            prop_assert_eq!(found, [(0..encoded.len(), text.to_owned())]);
            let run = encoded.trim_end_matches('=');
            let truncated = run.split_at(run.len() - truncated).0;
            let whole_groups = truncated.split_at(truncated.len() / 4 * 4).0.as_bytes();
            let whole_groups = BASE64_NOPAD.decode(whole_groups).unwrap();
            let exact = BASE64_NOPAD.decode(truncated.as_bytes()).unwrap_or(whole_groups);
            prop_assert_eq!(from_base64(truncated), Some(exact));
        }
    }
}
