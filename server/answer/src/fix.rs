//! Fixes for answers that are malformed or have an unexpected shape.

use std::fmt;

/// A kind of fix. Fixes never complete an answer or choose between verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fix {
    /// Removed a leading byte order mark.
    ByteOrderMark,
    /// Removed reasoning before the answer, such as between `<think>` tags.
    Reasoning,
    /// Removed a code fence.
    CodeFence,
    /// Removed prose, or JSON without claims, around the answer.
    Prose,
    /// Unescaped an answer that is a JSON string, with or without quotation marks.
    Escaped,
    /// Used the last of several complete answers. Claims with differing verdicts are lost.
    SeveralAnswers,
    /// Found the answer inside another object or list.
    Nested,
    /// Found the answer in a string field such as `arguments`.
    ArgumentText,
    /// Accepted a list of claims without an enclosing object.
    BareList,
    /// Accepted an object of claims keyed by id.
    KeyedClaims,
    /// Parsed a claim, or the list of claims, from a JSON string.
    ClaimText,
    /// Accepted single quotes around a string.
    SingleQuotes,
    /// Accepted typographic quotes around a string.
    SmartQuotes,
    /// Accepted a field name without quotes.
    BareName,
    /// Accepted a word without quotes.
    BareWord,
    /// Ignored a trailing comma.
    TrailingComma,
    /// Supplied a comma between two objects, or between two fields on separate lines.
    MissingComma,
    /// Skipped a comment.
    Comment,
    /// Accepted a literal such as `True`, `None` or `NaN`.
    Literal,
    /// Accepted a nonstandard number such as `.9` or `90%`.
    Number,
    /// Accepted an unescaped quotation mark in a string.
    UnescapedQuote,
    /// Accepted a line break or another control character in a string.
    ControlCharacter,
    /// Accepted an invalid escape.
    Escape,
    /// Skipped nonstandard whitespace or control characters between values.
    Blank,
    /// Skipped a malformed entry.
    BrokenClaim,
}

impl Fix {
    /// Returns the name used in records and metrics.
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
