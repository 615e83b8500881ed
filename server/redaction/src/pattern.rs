//! Validates the operator's patterns at startup, so that none is slow or matches everything.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::Hir;

use crate::kind::Kind;

/// The maximum number of patterns.
pub const MAX_PATTERNS: usize = 64;
/// The maximum length of a pattern in bytes.
pub const MAX_PATTERN_BYTES: usize = 2_000;
/// The maximum length of a name in bytes.
pub const MAX_NAME_BYTES: usize = 24;
/// The maximum length of a match in bytes.
pub const MAX_MATCH_BYTES: usize = 4_096;
/// The maximum memory of a compiled pattern in bytes.
const MAX_MEMORY: usize = 2 << 20;

/// A pattern of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The name in placeholders: capital letters, digits, underscores; the first is a letter.
    pub name: String,
    /// A regular expression in the syntax of the `regex` crate. Hides its first group if it has one, otherwise the
    /// whole match.
    pub expression: String,
}

/// An error from validating a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There are too many patterns.
    #[error(
        "{given} redaction patterns are given, at most {MAX_PATTERNS} are allowed; join some with |"
    )]
    TooMany {
        /// The number of patterns.
        given: usize,
    },
    /// The name is invalid.
    #[error(
        "redaction pattern {name:?}: the name must be 1 to {MAX_NAME_BYTES} capital letters, digits or underscores, start with a letter and not be one of {}; rename it, for example CUSTOMER_ID",
        Kind::BUILT_IN.join(", ")
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The name is used twice.
    #[error("redaction pattern {name}: duplicate name; rename one")]
    Twice {
        /// The name.
        name: String,
    },
    /// The expression is too long.
    #[error(
        "redaction pattern {name}: {given} bytes, at most {MAX_PATTERN_BYTES} are allowed; split it"
    )]
    TooLong {
        /// The name.
        name: String,
        /// The length in bytes.
        given: usize,
    },
    /// The expression is not valid.
    #[error("redaction pattern {name}: at byte {position}: {reason}; correct the expression there")]
    Syntax {
        /// The name.
        name: String,
        /// The offset in bytes.
        position: usize,
        /// The reason.
        reason: String,
    },
    /// The expression matches the empty text.
    #[error(
        "redaction pattern {name}: it matches the empty text; let it match at least one character"
    )]
    Empty {
        /// The name.
        name: String,
    },
    /// The expression matches texts of any length.
    #[error(
        "redaction pattern {name}: it may match more than {MAX_MATCH_BYTES} bytes; give repetitions a bound, for example {{1,64}} in place of +"
    )]
    Unbounded {
        /// The name.
        name: String,
    },
    /// The compiled expression is too large.
    #[error(
        "redaction pattern {name}: it needs more than {MAX_MEMORY} bytes once compiled; lower its repetitions, or write (?-u) for ASCII only"
    )]
    TooBig {
        /// The name.
        name: String,
    },
}

/// A compiled pattern.
pub(crate) struct Compiled {
    pub(crate) kind: Kind,
    pub(crate) regex: Regex,
}

/// Validates and compiles all patterns.
pub(crate) fn compile(patterns: &[Pattern]) -> Result<Vec<Compiled>, PatternError> {
    if patterns.len() > MAX_PATTERNS {
        return Err(PatternError::TooMany { given: patterns.len() });
    }
    let mut compiled: Vec<Compiled> = Vec::new();
    for pattern in patterns {
        let name = checked_name(&pattern.name)?;
        if compiled.iter().any(|other| other.kind.name() == name) {
            return Err(PatternError::Twice { name: name.to_owned() });
        }
        let regex = checked_regex(name, &pattern.expression)?;
        compiled.push(Compiled { kind: Kind::Custom(Arc::from(name)), regex });
    }
    Ok(compiled)
}

fn checked_name(name: &str) -> Result<&str, PatternError> {
    let is_fit = name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && !Kind::BUILT_IN.contains(&name);
    if is_fit { Ok(name) } else { Err(PatternError::Name { name: name.to_owned() }) }
}

fn checked_regex(name: &str, expression: &str) -> Result<Regex, PatternError> {
    let name = || name.to_owned();
    if expression.len() > MAX_PATTERN_BYTES {
        return Err(PatternError::TooLong { name: name(), given: expression.len() });
    }
    let parsed = parse(expression).map_err(|(position, reason)| PatternError::Syntax {
        name: name(),
        position,
        reason,
    })?;
    let properties = parsed.properties();
    if properties.minimum_len().is_none_or(|shortest| shortest == 0) {
        return Err(PatternError::Empty { name: name() });
    }
    if properties.maximum_len().is_none_or(|longest| longest > MAX_MATCH_BYTES) {
        return Err(PatternError::Unbounded { name: name() });
    }
    RegexBuilder::new(expression)
        .size_limit(MAX_MEMORY)
        .build()
        .map_err(|_| PatternError::TooBig { name: name() })
}

/// Parses an expression. The error contains the position and the reason.
fn parse(expression: &str) -> Result<Hir, (usize, String)> {
    regex_syntax::parse(expression).map_err(|error| match error {
        regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => {
            (error.span().start.offset, error.kind().to_string())
        }
        other => (0, other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str, expression: &str) -> String {
        let pattern = Pattern { name: name.to_owned(), expression: expression.to_owned() };
        match compile(&[pattern]) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn errors_name_the_pattern_the_place_and_the_fix() {
        for (name, expression, expected) in [
            ("CUSTOMER", r"C-\d{6}", "fine"),
            ("CUSTOMER", r"C-(\d{6}", "redaction pattern CUSTOMER: at byte 2: unclosed group"),
            ("CUSTOMER", r"C-\d+", "give repetitions a bound"),
            ("CUSTOMER", r"C?", "matches the empty text"),
            ("CUSTOMER", r"\w{3000}", "more than 4096 bytes"),
            ("CUSTOMER", r"(?:\w{1,40}){20}", "lower its repetitions"),
            ("IP", "x", "not be one of PRIVATE_KEY, SECRET"),
            ("customer", "x", "rename it"),
            ("", "x", "rename it"),
        ] {
            let said = error(name, expression);
            assert!(said.contains(expected), "{name} {expression}: {said}");
        }
        assert!(error("LONG", &"x".repeat(MAX_PATTERN_BYTES + 1)).contains("2001 bytes"));
    }

    #[test]
    fn names_are_unique_and_patterns_are_limited() {
        let pattern = Pattern { name: "A".to_owned(), expression: "x".to_owned() };
        let twice = compile(&[pattern.clone(), pattern.clone()]).err();
        assert_eq!(twice, Some(PatternError::Twice { name: "A".to_owned() }));
        let many = compile(&vec![pattern; MAX_PATTERNS + 1]).err();
        assert_eq!(many, Some(PatternError::TooMany { given: MAX_PATTERNS + 1 }));
    }
}
