//! Finds values assigned to secret names, such as in `password=…`, `"api_key": "…"`, `--token …` and headers.
//!
//! The value of a password is always hidden. The value of an ambiguous name (`token`, `secret`) is hidden
//! only if it looks like a credential.

use regex::{Captures, Regex};

use super::boundary::{after, before, chars_before};
use super::{Span, compile_expression};
use crate::kind::Kind;
use crate::pattern::PatternError;

/// Names that always have a secret value.
const SECRET_NAMES: &str = "passwords?|passwd|passphrase|passwort|mot_de_passe|contraseña|pwd|secret[_-]?key|\
     secret[_-]?access[_-]?key|client[_-]?secret|shared[_-]?access[_-]?key|account[_-]?key|api[_-]?key|api[_-]?secret|\
     private[_-]?key|encryption[_-]?key|signing[_-]?key|x-amz-signature";
/// Names that can have a secret value.
const AMBIGUOUS_NAMES: &str =
    "token|secret|credentials?|access[_-]?key|auth|signature|sig|session[_-]?key|license[_-]?key";
/// Headers that have a secret value, possibly after a scheme.
const SECRET_HEADERS: &str = "authorization|set-cookie|cookie|x-auth-token|x-vault-token";
/// The text between a name and its value: an assignment operator and quotation marks, possibly escaped.
const ASSIGNS: &str = r#"(?:\\{0,3}["'])?\]?[ \t]{0,8}(?:=>|:=|[:=]|%3[DdAa])[ \t]{0,8}"#;
/// The text between a variable name and its value in manifests: `name: DB_PASSWORD`, `value: …`.
const HAS_VALUE: &str = r#"(?:\\{0,3}["'])?(?:[ \t\r\n,]|\\{1,3}n){1,24}(?:\\{0,3}["'])?value(?:\\{0,3}["'])?[ \t]{0,8}:[ \t]{0,8}"#;
/// The text between a header and its value: a quotation mark and the scheme.
const SCHEME: &str = r#"(?:\\{0,3}["'])?(?i:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,4})?"#;
/// The text between a flag and its value.
const FLAG_GAP: &str = "[ \t]{1,2}";
const MAX_VALUE_BYTES: usize = 1_024;
const MIN_CREDENTIAL_BYTES: usize = 8;
/// Values that stand for a missing or masked secret.
const PLACEHOLDERS: [&str; 16] = [
    "null", "none", "nil", "true", "false", "yes", "no", "empty", "unset", "undefined", "redacted",
    "masked", "hidden", "required", "unknown", "optional",
];

pub(crate) struct Assignments {
    names: Regex,
    headers: Regex,
}

impl Assignments {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let names = format!(
            "(?i:(?P<secret>{SECRET_NAMES})|(?P<perhaps>{AMBIGUOUS_NAMES}))(?:(?P<assigns>{ASSIGNS}|{HAS_VALUE})|{FLAG_GAP})"
        );
        let headers = format!("(?i:{SECRET_HEADERS}){ASSIGNS}{SCHEME}");
        Ok(Self {
            names: compile_expression("names", &names)?,
            headers: compile_expression("headers", &headers)?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let mut searched_to = 0;
        for captures in self.names.captures_iter(text) {
            if captures.get(0).is_some_and(|name| name.start() < searched_to) {
                continue;
            }
            if let Some(range) = named_value(text, &captures) {
                searched_to = range.end;
                spans.push(Span { range, kind: Kind::Secret });
            }
        }
        for header in self.headers.find_iter(text) {
            let value = header_value(after(text, header.end()));
            if value.len() >= MIN_CREDENTIAL_BYTES
                && value.contains(|c: char| c.is_ascii_digit() || c == '=')
            {
                let range = header.end()..header.end() + value.len();
                spans.push(Span { range, kind: Kind::Secret });
            }
        }
    }
}

fn header_value(text: &str) -> &str {
    let window = truncate(text);
    let end = window.find(['\r', '\n', '"', '\'', '\\']).unwrap_or(window.len());
    before(window, end).trim_end()
}

fn named_value(text: &str, captures: &Captures<'_>) -> Option<std::ops::Range<usize>> {
    let name_match = captures.get(0)?;
    let is_flag = captures.name("assigns").is_none();
    if is_flag && !is_flag_name(text, name_match.start()) {
        return None;
    }
    let (start, value) = value_at(text, name_match.end());
    let is_hidden = match captures.name("perhaps") {
        Some(name) => is_end_of_name(text, name.start()) && looks_like_credential(value),
        None => !is_placeholder(value) && !is_pwd(captures, value),
    };
    (is_hidden && !value.is_empty()).then(|| start..start + value.len())
}

/// Returns `true` if the name at `start` ends a flag such as `--db-password`.
fn is_flag_name(text: &str, start: usize) -> bool {
    let text_before = chars_before(text, start, 40);
    let word =
        text_before.rsplit(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default();
    word.starts_with("--")
}

/// Returns `true` if the name at `start` is a word or the last part of one, as in `db_token` or
/// `accessToken`, but not in `detoken`.
fn is_end_of_name(text: &str, start: usize) -> bool {
    let text_before = before(text, start);
    let first = after(text, start).chars().next();
    let is_camel = first.is_some_and(|c| c.is_ascii_uppercase());
    let is_word =
        !text_before.ends_with(|c: char| c.is_alphanumeric()) || text_before.ends_with(r"\n");
    (is_camel || is_word) && !text_before.ends_with("checksum/")
}

/// Returns the quoted or bare value at `offset`, and its start.
fn value_at(text: &str, offset: usize) -> (usize, &str) {
    let rest = after(text, offset);
    let unescaped = rest.trim_start_matches('\\');
    let escape_length = rest.len() - unescaped.len();
    let quote = unescaped.chars().next().filter(|c| "\"'`".contains(*c));
    match quote {
        Some(quote) if escape_length <= 3 => {
            let start = offset + escape_length + quote.len_utf8();
            let escaped = rest.get(..=escape_length).unwrap_or_default();
            (start, quoted(after(text, start), escaped))
        }
        _ => (offset, bare(rest)),
    }
}

/// Returns the text before the closing quotation mark on the same line.
fn quoted<'t>(text: &'t str, mark: &str) -> &'t str {
    let window = truncate(text);
    let line = window.split(['\n', '\r']).next().unwrap_or_default();
    let mut search_start = 0;
    while let Some(distance) = after(line, search_start).find(mark) {
        let mark_start = search_start + distance;
        let is_escaped = mark.len() == 1 && before(line, mark_start).ends_with('\\');
        if !is_escaped {
            return before(line, mark_start);
        }
        search_start = mark_start + mark.len();
    }
    bare(line)
}

/// Returns the text up to whitespace, a quotation mark, an escape, or a separator before another name or the end.
fn bare(text: &str) -> &str {
    let window = truncate(text);
    let end = window
        .char_indices()
        .find(|(index, c)| {
            let next = after(window, index + c.len_utf8());
            match c {
                '"' | '\'' | '`' | '<' | '\\' => true,
                '&' | ';' | ',' | '|' => ends_value(next),
                ')' | ']' | '}' | '>' | '.' | ':' => {
                    !next.starts_with(|c: char| c.is_alphanumeric())
                }
                _ => c.is_whitespace() || c.is_control(),
            }
        })
        .map_or(window.len(), |(index, _)| index);
    before(window, end)
}

/// Returns `true` if the text after a separator is empty, or starts with whitespace, punctuation or `name=`.
fn ends_value(text: &str) -> bool {
    let name = text
        .bytes()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.- ".contains(byte))
        .count();
    let continues = text.starts_with(|c: char| c.is_alphanumeric() || "!#$%*+?@^~".contains(c));
    !continues || after(text, name).starts_with(['=', ':'])
}

/// Returns the first [`MAX_VALUE_BYTES`] of a text.
fn truncate(text: &str) -> &str {
    before(text, text.floor_char_boundary(MAX_VALUE_BYTES))
}

/// Returns `true` if a value stands for a missing or masked secret, or is a reference such as `$VAR`.
fn is_placeholder(value: &str) -> bool {
    let is_masked = value.chars().all(|c| "*.•xX-_#?".contains(c));
    let is_reference = value.starts_with(['$', '<', '[', '%']) || value.starts_with("{{");
    let word = value.trim_end_matches(['.', ',', ';', ':', '!']);
    is_masked
        || is_reference
        || PLACEHOLDERS.iter().any(|placeholder| word.eq_ignore_ascii_case(placeholder))
}

fn is_pwd(captures: &Captures<'_>, value: &str) -> bool {
    let is_pwd = captures.name("secret").is_some_and(|name| name.as_str() == "PWD");
    is_pwd && value.starts_with('/')
}

/// Returns `true` if a value has letters and digits and is not a name, path, number or URL.
fn looks_like_credential(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    value.len() >= MIN_CREDENTIAL_BYTES
        && has_digit
        && has_letter
        && !value.contains([' ', '(', '{'])
        && !value.starts_with('/')
        && !value.contains("://")
        && !is_placeholder(value)
        && !is_name(value)
}

/// Returns `true` for typical resource names: short lower-case words joined by hyphens or dots, the first of
/// which contains no digits.
fn is_name(value: &str) -> bool {
    let words: Vec<&str> = value.split(['-', '.', '/', ':', '_']).collect();
    let starts_with_letters =
        words.first().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_word = |word: &&str| {
        word.len() <= 12
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    words.len() > 1 && starts_with_letters && words.iter().all(is_word)
}
