//! This module names what was fixed in an answer that is not the JSON that was asked for.

use std::fmt;

/// One kind of fix. None of them completes an answer or chooses between two readings of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fix {
    /// A byte order mark before the text.
    ByteOrderMark,
    /// Reasoning before the answer, between marks such as `<think>`.
    Reasoning,
    /// A code fence around the JSON.
    CodeFence,
    /// Words, or JSON that holds no claims, around the JSON.
    Prose,
    /// The JSON as a JSON string, with or without its quotation marks.
    Escaped,
    /// Several complete answers; the last is taken, and claims on which they differ are lost.
    SeveralAnswers,
    /// The answer within another object or list.
    Nested,
    /// The answer as a JSON string in a field such as `arguments`.
    ArgumentText,
    /// A list of claims without the object around it.
    BareList,
    /// Claims as an object whose field names are their ids.
    KeyedClaims,
    /// A claim, or the list of them, as a JSON string.
    ClaimText,
    /// Single quotes around a string.
    SingleQuotes,
    /// Typographic quotes around a string.
    SmartQuotes,
    /// The name of a field without quotes.
    BareName,
    /// A single word without quotes.
    BareWord,
    /// A comma after the last entry.
    TrailingComma,
    /// No comma between two objects, or between two fields on lines of their own.
    MissingComma,
    /// A comment.
    Comment,
    /// `True`, `None`, `NaN` and the like.
    Literal,
    /// A number as JSON does not write it, such as `.9` or `90%`.
    Number,
    /// A quotation mark within a string, without the backslash.
    UnescapedQuote,
    /// A line break or another control character within a string.
    ControlCharacter,
    /// An escape that JSON does not have.
    Escape,
    /// Blank or control characters between values that JSON does not allow.
    Blank,
    /// An entry that could not be read was passed over.
    BrokenClaim,
}

impl Fix {
    /// The word used in records and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::Reasoning => "reasoning",
            Self::CodeFence => "code_fence",
            Self::Prose => "prose",
            Self::Escaped => "escaped",
            Self::SeveralAnswers => "several_answers",
            Self::Nested => "nested",
            Self::ArgumentText => "argument_text",
            Self::BareList => "bare_list",
            Self::KeyedClaims => "keyed_claims",
            Self::ClaimText => "claim_text",
            Self::SingleQuotes => "single_quotes",
            Self::SmartQuotes => "smart_quotes",
            Self::BareName => "bare_name",
            Self::BareWord => "bare_word",
            Self::TrailingComma => "trailing_comma",
            Self::MissingComma => "missing_comma",
            Self::Comment => "comment",
            Self::Literal => "literal",
            Self::Number => "number",
            Self::UnescapedQuote => "unescaped_quote",
            Self::ControlCharacter => "control_character",
            Self::Escape => "escape",
            Self::Blank => "blank",
            Self::BrokenClaim => "broken_claim",
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Fixes in the order in which they were first made, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fixes(pub(crate) Vec<Fix>);

impl Fixes {
    pub(crate) fn add(&mut self, fix: Fix) {
        if !self.0.contains(&fix) {
            self.0.push(fix);
        }
    }

    pub(crate) fn add_all(&mut self, fixes: &Self) {
        for fix in &fixes.0 {
            self.add(*fix);
        }
    }
}
