//! Delimiters that evidence cannot forge: 128 random bits, drawn by the caller for each prompt.

use aho_corasick::AhoCorasick;

/// 128 random bits that distinguish the frame of a prompt from its evidence. Draw new ones for each prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce(u128);

impl Nonce {
    /// Creates a nonce from random bits.
    #[must_use]
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Returns 32 hexadecimal digits, which open and close the block.
    #[must_use]
    pub fn block(self) -> String {
        format!("{:032x}", self.0)
    }

    /// Returns the first 8 digits, which appear on the lines of labels.
    #[must_use]
    pub fn label(self) -> String {
        format!("{:08x}", self.0 >> 96)
    }

    /// Returns this nonce, or the next one whose digits occur in none of the texts.
    pub(crate) fn absent_from(self, texts: &[&str]) -> Option<Self> {
        /// Only a text with all of these digits leaves no nonce.
        const MAX_ATTEMPTS: u32 = 1 << 16;
        (0..MAX_ATTEMPTS)
            .map(|attempt| Self(self.0.wrapping_add(u128::from(attempt) << 96)))
            .find(|nonce| nonce.is_absent_from(texts) == Some(true))
    }

    /// Returns `true` if the digits of labels, which are the first of the block, occur in none of the texts.
    fn is_absent_from(self, texts: &[&str]) -> Option<bool> {
        let label =
            AhoCorasick::builder().ascii_case_insensitive(true).build([self.label()]).ok()?;
        Some(!texts.iter().any(|text| label.is_match(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_a_nonce_that_occurs_in_the_evidence() {
        let nonce = Nonce::new(0xabcd_ef01 << 96);
        assert_eq!(nonce.absent_from(&["abcdef0"]), Some(nonce));
        let other = nonce.absent_from(&["x ABCDEF01 abcdef02 y"]).unwrap();
        assert_eq!(other.label(), "abcdef03");
        assert!(other.block().starts_with(&other.label()) && other.block().len() == 32);
    }
}
