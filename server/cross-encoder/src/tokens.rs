//! Tokenizes claim-premise pairs. Truncates the premise if the pair is too long.

use tokenizers::{
    EncodeInput, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy,
};

use crate::pair::Pair;

const MAX_TEXT_BYTES_PER_TOKEN: usize = 6;
/// The number of bytes read per allowed token. Bounds the cost of a huge premise.
const MAX_BYTES_PER_TOKEN: usize = 128;

const PADDING: [&str; 2] = ["[PAD]", "<pad>"];

#[derive(Debug)]
pub(crate) struct Tokens {
    pair_tokenizer: Tokenizer,
    text_tokenizer: Tokenizer,
    max_tokens: usize,
    special_tokens: usize,
    has_types: bool,
    padding: i64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) ids: Vec<i64>,
    /// The segment of each token: 0 for the claim, 1 for the premise.
    pub(crate) types: Vec<i64>,
}

impl Tokens {
    /// Parses `tokenizer.json`, ignoring its truncation and padding. Names of special tokens in claims and
    /// premises are treated as plain text.
    pub(crate) fn read(content: &[u8], max_tokens: usize) -> Result<Self, String> {
        let mut text_tokenizer = Tokenizer::from_bytes(content)
            .map_err(|error| format!("it is not a known tokenizer: {error}"))?;
        text_tokenizer.set_encode_special_tokens(true);
        let padding = padding(&text_tokenizer);
        text_tokenizer.with_padding(None);
        text_tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        let mut pair_tokenizer = text_tokenizer.clone();
        let truncation = TruncationParams {
            direction: TruncationDirection::Right,
            max_length: max_tokens,
            strategy: TruncationStrategy::OnlySecond,
            stride: 0,
        };
        pair_tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        let mut tokens = Self {
            pair_tokenizer,
            text_tokenizer,
            max_tokens,
            special_tokens: 0,
            has_types: false,
            padding,
        };
        let row = tokens.row(&Pair::new("a", "b"))?;
        tokens.special_tokens = row.ids.len().saturating_sub(tokens.count("a") + tokens.count("b"));
        if tokens.special_tokens < 2 {
            return Err("it adds no special tokens around the claim and the premise".to_owned());
        }
        tokens.has_types = row.types.first() == Some(&0) && row.types.last() == Some(&1);
        Ok(tokens)
    }

    /// Returns `true` if claims have the type ID 0 and premises the type ID 1.
    pub(crate) fn has_types(&self) -> bool {
        self.has_types
    }

    pub(crate) fn padding(&self) -> i64 {
        self.padding
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        self.text_tokenizer.encode_fast(text, false).map_or(usize::MAX, |encoding| encoding.len())
    }

    /// Returns the maximum number of tokens in a claim. Leaves a quarter for the premise.
    pub(crate) fn max_claim_tokens(&self) -> usize {
        self.max_tokens / 4 * 3
    }

    pub(crate) fn has_room_beside(&self, claim: &str) -> bool {
        // Each token has at least one byte.
        claim.len() <= self.max_claim_tokens()
            || (claim.len() <= self.max_bytes_read()
                && self.count(claim) <= self.max_claim_tokens())
    }

    /// Returns the number of premise tokens that fit next to a claim.
    pub(crate) fn room_beside(&self, claim: &str) -> usize {
        self.max_tokens.saturating_sub(self.count(claim)).saturating_sub(self.special_tokens)
    }

    pub(crate) fn row(&self, pair: &Pair) -> Result<Row, String> {
        let premise = pair
            .premise
            .get(..pair.premise.floor_char_boundary(self.max_bytes_read()))
            .unwrap_or(&pair.premise);
        let input = EncodeInput::Dual(pair.claim.as_str().into(), premise.into());
        let encoding =
            self.pair_tokenizer.encode_fast(input, true).map_err(|error| error.to_string())?;
        let to_i64 = |values: &[u32]| values.iter().map(|value| i64::from(*value)).collect();
        Ok(Row { ids: to_i64(encoding.get_ids()), types: to_i64(encoding.get_type_ids()) })
    }

    pub(crate) fn highest(&self) -> i64 {
        self.text_tokenizer.get_vocab(true).into_values().max().map_or(0, i64::from)
    }

    /// Returns the length in bytes beyond which an ordinary pair is truncated.
    pub(crate) fn longest_pair(&self) -> usize {
        self.max_tokens.saturating_mul(MAX_TEXT_BYTES_PER_TOKEN)
    }

    fn max_bytes_read(&self) -> usize {
        self.max_tokens.saturating_mul(MAX_BYTES_PER_TOKEN)
    }
}

fn padding(tokenizer: &Tokenizer) -> i64 {
    let declared = tokenizer.get_padding().map(|padding| padding.pad_id);
    let named = || PADDING.iter().find_map(|name| tokenizer.token_to_id(name));
    declared.or_else(named).map_or(0, i64::from)
}
