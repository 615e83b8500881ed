//! Validates operator-defined patterns at startup and rejects those that are slow or match everything.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::Hir;

use crate::kind::Kind;

/// The maximum number of patterns.
pub const MAX_PATTERNS: usize = 64;
/// The maximum length of an expression in bytes.
pub const MAX_PATTERN_BYTES: usize = 2_000;
/// The maximum length of a name in bytes.
pub const MAX_NAME_BYTES: usize = 24;
/// The maximum length of a match in bytes.
pub const MAX_MATCH_BYTES: usize = 4_096;
const MAX_MEMORY: usize = 2 << 20;

/// An operator-defined pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The name used in placeholders: capital letters, digits and underscores, starting with a letter.
    pub name: String,
    /// A regular expression in `regex` crate syntax. The first group is hidden, or the whole match if there
    /// is no group.
    pub expression: String,
}

/// An error in an operator-defined pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There are too many patterns.
    #[error(
        "{given} redaction patterns are given, but at most {MAX_PATTERNS} are allowed; join some with |"
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
    DuplicateName {
        /// The name.
        name: String,
    },
    /// The expression is too long.
    #[error(
        "redaction pattern {name}: it has {given} bytes, but at most {MAX_PATTERN_BYTES} are allowed; split it"
    )]
    TooLong {
        /// The name.
        name: String,
        /// The length in bytes.
        given: usize,
    },
    /// The expression is invalid.
    #[error("redaction pattern {name}: at byte {position}: {reason}; correct the expression there")]
    Syntax {
        /// The name.
        name: String,
        /// The byte offset of the error.
        position: usize,
        /// The reason from the `regex` crate.
        reason: String,
    },
    /// The expression matches the empty string.
    #[error(
        "redaction pattern {name}: it matches the empty string; make it match at least one character"
    )]
    Empty {
        /// The name.
        name: String,
    },
    /// The expression can match more than [`MAX_MATCH_BYTES`].
    #[error(
        "redaction pattern {name}: it can match more than {MAX_MATCH_BYTES} bytes; give repetitions a bound, for example {{1,64}} in place of +"
    )]
    Unbounded {
        /// The name.
        name: String,
    },
    /// The compiled expression is too large.
    #[error(
        "redaction pattern {name}: it needs more than {MAX_MEMORY} bytes once compiled; lower its repetitions, or write (?-u) for ASCII only"
    )]
    TooLarge {
        /// The name.
        name: String,
    },
}

pub(crate) struct Compiled {
    pub(crate) kind: Kind,
    pub(crate) regex: Regex,
}

pub(crate) fn compile(patterns: &[Pattern]) -> Result<Vec<Compiled>, PatternError> {
    if patterns.len() > MAX_PATTERNS {
        return Err(PatternError::TooMany { given: patterns.len() });
    }
    let mut compiled: Vec<Compiled> = Vec::new();
    for pattern in patterns {
        let name = validate_name(&pattern.name)?;
        if compiled.iter().any(|existing| existing.kind.name() == name) {
            return Err(PatternError::DuplicateName { name: name.to_owned() });
        }
        let regex = compile_pattern(name, &pattern.expression)?;
        compiled.push(Compiled { kind: Kind::Custom(Arc::from(name)), regex });
    }
    Ok(compiled)
}

fn validate_name(name: &str) -> Result<&str, PatternError> {
    let is_valid = name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && !Kind::BUILT_IN.contains(&name);
    if is_valid { Ok(name) } else { Err(PatternError::Name { name: name.to_owned() }) }
}

fn compile_pattern(name: &str, expression: &str) -> Result<Regex, PatternError> {
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
    if properties.minimum_len().is_none_or(|length| length == 0) {
        return Err(PatternError::Empty { name: name() });
    }
    if properties.maximum_len().is_none_or(|length| length > MAX_MATCH_BYTES) {
        return Err(PatternError::Unbounded { name: name() });
    }
    RegexBuilder::new(expression)
        .size_limit(MAX_MEMORY)
        .build()
        .map_err(|_| PatternError::TooLarge { name: name() })
}

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
    fn errors_name_the_pattern_the_position_and_the_fix() {
        for (name, expression, expected) in [
            ("CUSTOMER", r"C-\d{6}", "fine"),
            ("CUSTOMER", r"C-(\d{6}", "redaction pattern CUSTOMER: at byte 2: unclosed group"),
            ("CUSTOMER", r"C-\d+", "give repetitions a bound"),
            ("CUSTOMER", r"C?", "matches the empty string"),
            ("CUSTOMER", r"\w{3000}", "more than 4096 bytes"),
            ("CUSTOMER", r"(?:\w{1,40}){20}", "lower its repetitions"),
            ("IP", "x", "not be one of PRIVATE_KEY, SECRET"),
            ("customer", "x", "rename it"),
            ("", "x", "rename it"),
        ] {
            let message = error(name, expression);
            assert!(message.contains(expected), "{name} {expression}: {message}");
        }
        assert!(error("LONG", &"x".repeat(MAX_PATTERN_BYTES + 1)).contains("2001 bytes"));
    }

    #[test]
    fn names_are_unique_and_patterns_are_limited() {
        let pattern = Pattern { name: "A".to_owned(), expression: "x".to_owned() };
        let duplicate_error = compile(&[pattern.clone(), pattern.clone()]).err();
        assert_eq!(duplicate_error, Some(PatternError::DuplicateName { name: "A".to_owned() }));
        let limit_error = compile(&vec![pattern; MAX_PATTERNS + 1]).err();
        assert_eq!(limit_error, Some(PatternError::TooMany { given: MAX_PATTERNS + 1 }));
    }
}
