//! This module packs contents of evidence and unpacks them. It keeps nothing and never looks into them.

use std::sync::Arc;

/// LZ4 makes nothing shorter than by this factor.
const MAX_RATIO: usize = 255;

/// The content of one evidence item. Copies share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    digest: [u8; 32],
    text: Arc<str>,
}

impl Content {
    /// A content of which the BLAKE3 is known. It is packed when it is written, which it seldom is: reports about one
    /// incident share their evidence.
    #[must_use]
    pub fn new(digest: [u8; 32], content: &str) -> Self {
        Self { digest, text: content.into() }
    }

    /// Its BLAKE3.
    pub(super) fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The LZ4 block behind the size, four bytes, little-endian.
    pub(super) fn packed(&self) -> Vec<u8> {
        lz4_flex::compress_prepend_size(self.text.as_bytes())
    }
}

/// Bytes that are no packed text: what kept them is damaged.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Damaged(String);

/// A content as it was.
///
/// # Errors
/// [`Damaged`] where the bytes were not made by [`Content::packed`].
pub(super) fn unpacked(packed: &[u8]) -> Result<String, Damaged> {
    let damaged = |reason: &dyn std::fmt::Display| Damaged(reason.to_string());
    let (size, block) =
        lz4_flex::block::uncompressed_size(packed).map_err(|error| damaged(&error))?;
    if size / MAX_RATIO > block.len() {
        return Err(Damaged(format!("{} bytes cannot hold {size}", block.len())));
    }
    let bytes = lz4_flex::decompress(block, size).map_err(|error| damaged(&error))?;
    if bytes.len() != size {
        return Err(Damaged(format!("{} bytes of {size}", bytes.len())));
    }
    String::from_utf8(bytes).map_err(|error| damaged(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_comes_back_as_it_was() {
        for text in ["", "a", "line\n".repeat(10_000).as_str(), "\u{0}\u{feff}ß"] {
            let content = Content::new([1; 32], text);
            assert_eq!(unpacked(&content.packed()).unwrap(), text);
        }
        let long = Content::new([1; 32], &"ts=1 level=info msg=served\n".repeat(1_000));
        assert!(long.packed().len() < 1_000, "{}", long.packed().len());
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let packed = Content::new([1; 32], &"line\n".repeat(100)).packed();
        for cut in 0..packed.len() {
            unpacked(&packed[..cut]).unwrap_err();
        }
        unpacked(&[0xff; 16]).unwrap_err();
    }
}
