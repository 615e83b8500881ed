//! The contents of evidence items, and their compression.

use std::sync::Arc;

const MAX_RATIO: usize = 255;

/// The content of an evidence item. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    digest: [u8; 32],
    text: Arc<str>,
}

impl Content {
    /// Creates a content with a known BLAKE3 digest. Compression is deferred until it is written, because most
    /// contents are already stored.
    #[must_use]
    pub fn new(digest: [u8; 32], content: &str) -> Self {
        Self { digest, text: content.into() }
    }

    pub(super) fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    pub(super) fn byte_count(&self) -> usize {
        self.text.len()
    }

    /// Returns the size (four bytes, little-endian) followed by an LZ4 block.
    pub(super) fn pack(&self) -> Vec<u8> {
        lz4_flex::compress_prepend_size(self.text.as_bytes())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct InvalidContent(String);

/// Reverses [`Content::pack`]. Fails if the bytes are damaged.
pub(super) fn unpack(packed: &[u8]) -> Result<String, InvalidContent> {
    let invalid_content = |reason: &dyn std::fmt::Display| InvalidContent(reason.to_string());
    let (size, block) =
        lz4_flex::block::uncompressed_size(packed).map_err(|error| invalid_content(&error))?;
    if size / MAX_RATIO > block.len() {
        return Err(InvalidContent(format!(
            "{} compressed bytes cannot contain {size} bytes",
            block.len()
        )));
    }
    let bytes = lz4_flex::decompress(block, size).map_err(|error| invalid_content(&error))?;
    if bytes.len() != size {
        return Err(InvalidContent(format!("only {} of {size} bytes", bytes.len())));
    }
    String::from_utf8(bytes).map_err(|error| invalid_content(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_round_trips() {
        for text in ["", "a", "line\n".repeat(10_000).as_str(), "\u{0}\u{feff}ß"] {
            let content = Content::new([1; 32], text);
            assert_eq!(unpack(&content.pack()).unwrap(), text);
        }
        let repetitive = Content::new([1; 32], &"ts=1 level=info msg=served\n".repeat(1_000));
        assert!(repetitive.pack().len() < 1_000, "{}", repetitive.pack().len());
    }

    #[test]
    fn damaged_content_causes_an_error() {
        let packed = Content::new([1; 32], &"line\n".repeat(100)).pack();
        for length in 0..packed.len() {
            unpack(&packed[..length]).unwrap_err();
        }
        unpack(&[0xff; 16]).unwrap_err();
    }
}
