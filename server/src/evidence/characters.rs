//! This module cuts ranges of bytes at whole characters.

/// The text in some bytes of a text, without the parts of characters at its ends, and the bytes left out before it.
pub(super) fn whole_characters(bytes: &[u8]) -> (usize, &str) {
    const MAX_CONTINUATION_BYTES: usize = 3;
    let skipped = bytes
        .iter()
        .take(MAX_CONTINUATION_BYTES)
        .take_while(|byte| (**byte & 0xC0) == 0x80)
        .count();
    let bytes = bytes.get(skipped..).unwrap_or_default();
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => return (skipped, text),
        Err(cut) => bytes.get(..cut.valid_up_to()).unwrap_or_default(),
    };
    (skipped, std::str::from_utf8(valid).unwrap_or_default())
}
