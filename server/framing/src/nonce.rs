//! Random delimiters that evidence cannot forge.

use memchr::memchr2_iter;

/// 128 random bits that distinguish a frame from the evidence inside it. Draw a new nonce for each prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce(u128);

impl Nonce {
    /// Creates a nonce from random bits.
    #[must_use]
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Returns 32 hexadecimal digits, used in the first and last line of the block.
    #[must_use]
    pub fn block(self) -> String {
        format!("{:032x}", self.0)
    }

    /// Returns the first 8 digits, used in label lines.
    #[must_use]
    pub fn label(self) -> String {
        format!("{:08x}", self.0 >> 96)
    }

    /// Returns this nonce, or its first successor with digits that occur in none of the texts.
    pub(crate) fn absent_from(self, texts: &[&str]) -> Option<Self> {
        /// The maximum number of attempts. Only a text that contains all attempted digits exhausts them.
        const MAX_ATTEMPTS: u32 = 1 << 16;
        (0..MAX_ATTEMPTS)
            .map(|attempt| Self(self.0.wrapping_add(u128::from(attempt) << 96)))
            .find(|nonce| nonce.is_absent_from(texts))
    }

    /// Checks only the label digits, because the block digits start with them.
    fn is_absent_from(self, texts: &[&str]) -> bool {
        let label = self.label();
        !texts.iter().any(|text| contains_ignore_ascii_case(text.as_bytes(), label.as_bytes()))
    }
}

fn contains_ignore_ascii_case(text: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else { return true };
    memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text)
        .filter_map(|start| text.get(start..start + word.len()))
        .any(|candidate| candidate.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_a_nonce_that_occurs_in_the_evidence() {
        let nonce = Nonce::new(0xabcd_ef01 << 96);
        assert_eq!(nonce.absent_from(&["abcdef0"]), Some(nonce));
        let successor = nonce.absent_from(&["x ABCDEF01 abcdef02 y"]).unwrap();
        assert_eq!(successor.label(), "abcdef03");
        assert!(successor.block().starts_with(&successor.label()) && successor.block().len() == 32);
    }
}
