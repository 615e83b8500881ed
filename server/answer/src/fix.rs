//! The kinds of fixes applied to answers that are not well-formed or have another shape.

use std::fmt;

/// A kind of fix. No fix completes an answer or chooses between two readings of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fix {
    /// A byte order mark before the text.
    ByteOrderMark,
    /// Reasoning before the answer, between tags such as `<think>`.
    Reasoning,
    /// A code fence around the JSON.
    CodeFence,
    /// Prose, or JSON without claims, around the JSON.
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
    /// A field name without quotes.
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
    /// A number that JSON does not allow, such as `.9` or `90%`.
    Number,
    /// An unescaped quotation mark in a string.
    UnescapedQuote,
    /// A line break or another control character in a string.
    ControlCharacter,
    /// An invalid escape.
    Escape,
    /// White space or control characters between values that JSON does not allow.
    Blank,
    /// A malformed entry was skipped.
    BrokenClaim,
}

impl Fix {
    /// The name used in records and metrics.
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

/// Distinct fixes in order of first use.
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
