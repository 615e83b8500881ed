//! Trims byte ranges to whole characters.

/// Returns the whole characters in a byte range, and the number of bytes skipped before them.
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
        Err(error) => bytes.get(..error.valid_up_to()).unwrap_or_default(),
    };
    (skipped, std::str::from_utf8(valid).unwrap_or_default())
}
