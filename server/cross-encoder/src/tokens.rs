//! This module turns a pair into the numbers that a graph reads: claim first, premise second, the premise cut where both
//! are too long. It runs no graph.

use tokenizers::{
    EncodeInput, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy,
};

use crate::pair::Pair;

/// The most bytes of a token in ordinary text.
const BYTES_OF_A_TOKEN: usize = 6;
/// The bytes looked at for each token that counts: a premise of many megabytes costs no more than this.
const BYTES_LOOKED_AT: usize = 128;

/// The tokenizer of a model.
#[derive(Debug)]
pub(crate) struct Tokens {
    of_pairs: Tokenizer,
    of_texts: Tokenizer,
    max_tokens: usize,
    /// How many special tokens stand around claim and premise.
    marks: usize,
}

/// A pair as a graph reads it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The number of each token in the vocabulary.
    pub(crate) ids: Vec<i64>,
    /// Which text each token is of: 0 for the first, 1 for the second.
    pub(crate) types: Vec<i64>,
}

impl Tokens {
    /// Reads `tokenizer.json`. What it says of truncation and padding is not followed, and the names of its marks are
    /// plain text wherever they stand in a claim or a premise.
    ///
    /// # Errors
    /// What is wrong with it.
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

    /// How many tokens a text has, without marks.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.of_texts.encode_fast(text, false).map_or(usize::MAX, |encoding| encoding.len())
    }

    /// The most tokens of a claim: a quarter of what is read is left for the premise.
    pub(crate) fn most_of_a_claim(&self) -> usize {
        self.max_tokens / 4 * 3
    }

    /// Whether a claim leaves room for a premise.
    pub(crate) fn has_room_beside(&self, claim: &str) -> bool {
        // No token has less than a byte.
        claim.len() <= self.most_of_a_claim()
            || (claim.len() <= self.bytes_looked_at()
                && self.count(claim) <= self.most_of_a_claim())
    }

    /// How many tokens of a premise are read beside a claim.
    pub(crate) fn room_beside(&self, claim: &str) -> usize {
        self.max_tokens.saturating_sub(self.count(claim)).saturating_sub(self.marks)
    }

    /// A pair as a graph reads it.
    ///
    /// # Errors
    /// What the tokenizer said.
    pub(crate) fn row(&self, pair: &Pair) -> Result<Row, String> {
        let premise = pair
            .premise
            .get(..pair.premise.floor_char_boundary(self.bytes_looked_at()))
            .unwrap_or(&pair.premise);
        let input = EncodeInput::Dual(pair.claim.as_str().into(), premise.into());
        let encoding = self.of_pairs.encode_fast(input, true).map_err(|error| error.to_string())?;
        let numbers = |some: &[u32]| some.iter().map(|number| i64::from(*number)).collect();
        Ok(Row { ids: numbers(encoding.get_ids()), types: numbers(encoding.get_type_ids()) })
    }

    /// The highest number that a token has.
    pub(crate) fn highest(&self) -> i64 {
        self.of_texts.get_vocab(true).into_values().max().map_or(0, i64::from)
    }

    /// The longest pair, in bytes, whose end still counts in ordinary text.
    pub(crate) fn longest_pair(&self) -> usize {
        self.max_tokens.saturating_mul(BYTES_OF_A_TOKEN)
    }

    fn bytes_looked_at(&self) -> usize {
        self.max_tokens.saturating_mul(BYTES_LOOKED_AT)
    }
}
