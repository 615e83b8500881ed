//! Tokenizes pairs: claim first, premise second; the premise is cut if both are too long.

use tokenizers::{
    EncodeInput, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy,
};

use crate::pair::Pair;

/// The maximum number of bytes of a token in ordinary text.
const BYTES_OF_A_TOKEN: usize = 6;
/// The number of bytes read per allowed token, so that the cost of a huge premise is bounded.
const MAX_BYTES_PER_TOKEN: usize = 128;

/// The tokenizer of a model.
#[derive(Debug)]
pub(crate) struct Tokens {
    of_pairs: Tokenizer,
    of_texts: Tokenizer,
    max_tokens: usize,
    /// The number of special tokens around claim and premise.
    marks: usize,
}

/// The input of a graph for one pair.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The vocabulary index of each token.
    pub(crate) ids: Vec<i64>,
    /// The text of each token: 0 for the first, 1 for the second.
    pub(crate) types: Vec<i64>,
}

impl Tokens {
    /// Parses `tokenizer.json`, ignoring its truncation and padding. The names of its special tokens are plain text in
    /// a claim or premise.
    ///
    /// # Errors
    /// The reason why it is invalid.
    pub(crate) fn read(content: &[u8], max_tokens: usize) -> Result<Self, String> {
        let mut of_texts = Tokenizer::from_bytes(content)
            .map_err(|error| format!("it describes no known tokenizer: {error}"))?;
        of_texts.set_encode_special_tokens(true);
        of_texts.with_padding(None);
        of_texts.with_truncation(None).map_err(|error| error.to_string())?;
        let mut of_pairs = of_texts.clone();
        let truncation = TruncationParams {
            direction: TruncationDirection::Right,
            max_length: max_tokens,
            strategy: TruncationStrategy::OnlySecond,
            stride: 0,
        };
        of_pairs.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        let mut tokens = Self { of_pairs, of_texts, max_tokens, marks: 0 };
        let row = tokens.row(&Pair::new("a", "b"))?;
        tokens.marks = row.ids.len().saturating_sub(tokens.count("a") + tokens.count("b"));
        if tokens.marks < 2 {
            return Err("it puts no marks around claim and premise".to_owned());
        }
        if row.types.first() != Some(&0) || row.types.last() != Some(&1) {
            return Err("it does not give a claim the type 0 and a premise the type 1".to_owned());
        }
        Ok(tokens)
    }

    /// Returns the number of tokens of a text, without special tokens.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.of_texts.encode_fast(text, false).map_or(usize::MAX, |encoding| encoding.len())
    }

    /// Returns the maximum number of tokens of a claim: a quarter is left for the premise.
    pub(crate) fn max_claim_tokens(&self) -> usize {
        self.max_tokens / 4 * 3
    }

    /// Returns `true` if a claim leaves room for a premise.
    pub(crate) fn has_room_beside(&self, claim: &str) -> bool {
        // Each token has at least one byte.
        claim.len() <= self.max_claim_tokens()
            || (claim.len() <= self.max_bytes_read()
                && self.count(claim) <= self.max_claim_tokens())
    }

    /// Returns the number of tokens of a premise that fit with a claim.
    pub(crate) fn room_beside(&self, claim: &str) -> usize {
        self.max_tokens.saturating_sub(self.count(claim)).saturating_sub(self.marks)
    }

    /// Tokenizes a pair.
    ///
    /// # Errors
    /// The error of the tokenizer.
    pub(crate) fn row(&self, pair: &Pair) -> Result<Row, String> {
        let premise = pair
            .premise
            .get(..pair.premise.floor_char_boundary(self.max_bytes_read()))
            .unwrap_or(&pair.premise);
        let input = EncodeInput::Dual(pair.claim.as_str().into(), premise.into());
        let encoding = self.of_pairs.encode_fast(input, true).map_err(|error| error.to_string())?;
        let numbers = |some: &[u32]| some.iter().map(|number| i64::from(*number)).collect();
        Ok(Row { ids: numbers(encoding.get_ids()), types: numbers(encoding.get_type_ids()) })
    }

    /// Returns the highest vocabulary index.
    pub(crate) fn highest(&self) -> i64 {
        self.of_texts.get_vocab(true).into_values().max().map_or(0, i64::from)
    }

    /// Returns the maximum length of a pair in bytes whose end still matters in ordinary text.
    pub(crate) fn longest_pair(&self) -> usize {
        self.max_tokens.saturating_mul(BYTES_OF_A_TOKEN)
    }

    fn max_bytes_read(&self) -> usize {
        self.max_tokens.saturating_mul(MAX_BYTES_PER_TOKEN)
    }
}
