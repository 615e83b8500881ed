//! Finds values with a name that marks them as secret: `password=…`, `"api_key": "…"`, `--token …`, headers.
//!
//! The value of a password is always hidden. The value of a name with other uses (`token`, `secret`) is hidden only if
//! it could be a credential.

use regex::{Captures, Regex};

use super::boundary::{before, behind, shortly_before};
use super::{Span, built_in};
use crate::kind::Kind;
use crate::pattern::PatternError;

/// Names with a value that is always a secret.
const SECRET_NAMES: &str = "passwords?|passwd|passphrase|passwort|mot_de_passe|contraseña|pwd|secret[_-]?key|\
     secret[_-]?access[_-]?key|client[_-]?secret|shared[_-]?access[_-]?key|account[_-]?key|api[_-]?key|api[_-]?secret|\
     private[_-]?key|encryption[_-]?key|signing[_-]?key|x-amz-signature";
/// Names with a value that may be a secret.
const PERHAPS_SECRET_NAMES: &str =
    "token|secret|credentials?|access[_-]?key|auth|signature|sig|session[_-]?key|license[_-]?key";
/// Headers with a value that is a secret, except for the scheme.
const SECRET_HEADERS: &str = "authorization|set-cookie|cookie|x-auth-token|x-vault-token";
/// The text between a name and its value: quotation marks, escaped or not, around an assignment sign.
const ASSIGNS: &str = r#"(?:\\{0,3}["'])?\]?[ \t]{0,8}(?:=>|:=|[:=]|%3[DdAa])[ \t]{0,8}"#;
/// The text between the name of a variable and its value in manifests: `name: DB_PASSWORD`, `value: …`.
const HAS_VALUE: &str = r#"(?:\\{0,3}["'])?(?:[ \t\r\n,]|\\{1,3}n){1,24}(?:\\{0,3}["'])?value(?:\\{0,3}["'])?[ \t]{0,8}:[ \t]{0,8}"#;
/// The text between a header and its value: a quotation mark, and the scheme of the value.
const SCHEME: &str = r#"(?:\\{0,3}["'])?(?i:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,4})?"#;
/// The text between the name of a flag and its value.
const FLAG_GAP: &str = "[ \t]{1,2}";
/// The maximum length of a value in bytes.
const MAX_VALUE_BYTES: usize = 1_024;
/// The minimum length of a credential in bytes.
const MIN_CREDENTIAL_BYTES: usize = 8;
/// Placeholder values: there is none, or it is elsewhere.
#[rustfmt::skip]
const PLACEHOLDERS: [&str; 16] = [
    "null", "none", "nil", "true", "false", "yes", "no", "empty", "unset", "undefined", "redacted",
    "masked", "hidden", "required", "unknown", "optional",
];

/// Finds values by their names.
pub(crate) struct Assignments {
    names: Regex,
    headers: Regex,
}

impl Assignments {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let names = format!(
            "(?i:(?P<secret>{SECRET_NAMES})|(?P<perhaps>{PERHAPS_SECRET_NAMES}))(?:(?P<assigns>{ASSIGNS}|{HAS_VALUE})|{FLAG_GAP})"
        );
        let headers = format!("(?i:{SECRET_HEADERS}){ASSIGNS}{SCHEME}");
        Ok(Self { names: built_in("names", &names)?, headers: built_in("headers", &headers)? })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let mut done = 0;
        for captures in self.names.captures_iter(text) {
            if captures.get(0).is_some_and(|name| name.start() < done) {
                continue;
            }
            if let Some(range) = value_of_name(text, &captures) {
                done = range.end;
                spans.push(Span { range, kind: Kind::Secret });
            }
        }
        for header in self.headers.find_iter(text) {
            let value = value_of_header(behind(text, header.end()));
            if value.len() >= MIN_CREDENTIAL_BYTES
                && value.contains(|c: char| c.is_ascii_digit() || c == '=')
            {
                let range = header.end()..header.end() + value.len();
                spans.push(Span { range, kind: Kind::Secret });
            }
        }
    }
}

/// Returns the value of a header, up to a quotation mark, an escape or the end of the line.
fn value_of_header(text: &str) -> &str {
    let window = bounded(text);
    let end = window.find(['\r', '\n', '"', '\'', '\\']).unwrap_or(window.len());
    before(window, end).trim_end()
}

/// Returns the range of the value after a name, if it must be hidden.
fn value_of_name(text: &str, captures: &Captures<'_>) -> Option<std::ops::Range<usize>> {
    let whole = captures.get(0)?;
    let is_flag = captures.name("assigns").is_none();
    if is_flag && !is_name_of_flag(text, whole.start()) {
        return None;
    }
    let (start, value) = value_at(text, whole.end());
    let is_hidden = match captures.name("perhaps") {
        Some(name) => is_end_of_name(text, name.start()) && could_be_credential(value),
        None => !is_placeholder(value) && !is_working_directory(captures, value),
    };
    (is_hidden && !value.is_empty()).then(|| start..start + value.len())
}

/// Returns `true` if a name at `start` is the end of a flag such as `--db-password`.
fn is_name_of_flag(text: &str, start: usize) -> bool {
    let earlier = shortly_before(text, start, 40);
    let word = earlier.rsplit(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default();
    word.starts_with("--")
}

/// Returns `true` if the name at `start` is a word, or the last part of one: `db_token`, `accessToken`, not `detoken`.
fn is_end_of_name(text: &str, start: usize) -> bool {
    let before = before(text, start);
    let first = behind(text, start).chars().next();
    let is_camel = first.is_some_and(|c| c.is_ascii_uppercase());
    let is_word = !before.ends_with(|c: char| c.is_alphanumeric()) || before.ends_with(r"\n");
    (is_camel || is_word) && !before.ends_with("checksum/")
}

/// Returns the start and text of the value at `at`: quoted, or up to the end of a bare value.
fn value_at(text: &str, at: usize) -> (usize, &str) {
    let rest = behind(text, at);
    let unescaped = rest.trim_start_matches('\\');
    let escapes = rest.len() - unescaped.len();
    let quote = unescaped.chars().next().filter(|c| "\"'`".contains(*c));
    match quote {
        Some(quote) if escapes <= 3 => {
            let start = at + escapes + quote.len_utf8();
            let escaped = rest.get(..=escapes).unwrap_or_default();
            (start, quoted(behind(text, start), escaped))
        }
        _ => (at, bare(rest)),
    }
}

/// Returns the text before the closing quotation mark on the same line.
fn quoted<'t>(text: &'t str, mark: &str) -> &'t str {
    let window = bounded(text);
    let line = window.split(['\n', '\r']).next().unwrap_or_default();
    let mut from = 0;
    while let Some(found) = behind(line, from).find(mark) {
        let at = from + found;
        let is_escaped = mark.len() == 1 && before(line, at).ends_with('\\');
        if !is_escaped {
            return before(line, at);
        }
        from = at + mark.len();
    }
    bare(line)
}

/// Returns the text before whitespace, a quotation mark, an escape, or a mark followed by another name or nothing.
fn bare(text: &str) -> &str {
    let window = bounded(text);
    let end = window
        .char_indices()
        .find(|(at, c)| {
            let next = behind(window, at + c.len_utf8());
            match c {
                '"' | '\'' | '`' | '<' | '\\' => true,
                '&' | ';' | ',' | '|' => ends_or_names(next),
                ')' | ']' | '}' | '>' | '.' | ':' => {
                    !next.starts_with(|c: char| c.is_alphanumeric())
                }
                _ => c.is_whitespace() || c.is_control(),
            }
        })
        .map_or(window.len(), |(at, _)| at);
    before(window, end)
}

/// Returns `true` if a text is at its end, or continues with whitespace, a mark, or a name and its assignment sign.
fn ends_or_names(text: &str) -> bool {
    let name = text
        .bytes()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.- ".contains(byte))
        .count();
    let goes_on = text.starts_with(|c: char| c.is_alphanumeric() || "!#$%*+?@^~".contains(c));
    !goes_on || behind(text, name).starts_with(['=', ':'])
}

/// Returns the part of a text that may be a value.
fn bounded(text: &str) -> &str {
    let end = (0..=MAX_VALUE_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    before(text, end.unwrap_or_default())
}

/// Returns `true` if a value says that there is none, is masked, or names where to find it.
fn is_placeholder(value: &str) -> bool {
    let is_masked = value.chars().all(|c| "*.•xX-_#?".contains(c));
    let is_reference = value.starts_with(['$', '<', '[', '%']) || value.starts_with("{{");
    let word = value.trim_end_matches(['.', ',', ';', ':', '!']);
    is_masked || is_reference || PLACEHOLDERS.iter().any(|none| word.eq_ignore_ascii_case(none))
}

/// Returns `true` for the working directory, which shells call PWD.
fn is_working_directory(captures: &Captures<'_>, value: &str) -> bool {
    let is_pwd = captures.name("secret").is_some_and(|name| name.as_str() == "PWD");
    is_pwd && value.starts_with('/')
}

/// Returns `true` if a value has the letters and digits of a credential and is not a name, path, figure or address.
fn could_be_credential(value: &str) -> bool {
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

/// Returns `true` for names as people and clusters use them: short lower-case words with digits, the first only of
/// letters, joined by hyphens or dots.
fn is_name(value: &str) -> bool {
    let words: Vec<&str> = value.split(['-', '.', '/', ':', '_']).collect();
    let is_first_of_letters =
        words.first().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_word = |word: &&str| {
        word.len() <= 12
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    words.len() > 1 && is_first_of_letters && words.iter().all(is_word)
}
