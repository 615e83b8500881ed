//! Finds user information in connection strings and in flags such as `--user`. Hides only the user
//! information, not the scheme, host, port or database.

use memchr::memmem;
use regex::{Captures, Regex};

use super::boundary::{after, before};
use super::{Span, compile_expression};
use crate::kind::Kind;
use crate::pattern::PatternError;

const MAX_AUTHORITY_CHARS: usize = 1_024;
/// The minimum length in bytes of user information that can be a token.
const MIN_TOKEN_BYTES: usize = 16;

pub(crate) struct Connections {
    oracle: Regex,
    flag: Regex,
}

impl Connections {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let expression = r#"jdbc:oracle:[a-z]{1,8}:([!-~&&[^/@"']]{1,64}/[!-~&&[^@"']]{1,64})@"#;
        let flag = r#"[ \t](?:-u|--user)[ =]['"]?([!-~&&[^:'"]]{1,64}:[!-~&&[^'"]]{1,128})"#;
        Ok(Self {
            oracle: compile_expression("jdbc:oracle", expression)?,
            flag: compile_expression("--user", flag)?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let mut schemes = memmem::find_iter(text.as_bytes(), "://").peekable();
        while let Some(slashes) = schemes.next() {
            if !before(text, slashes).ends_with(|c: char| c.is_ascii_alphanumeric()) {
                continue;
            }
            let start = slashes + 3;
            let end = schemes.peek().copied().unwrap_or(text.len());
            let rest = text.get(start..end).unwrap_or_default();
            if let Some(length) = user_information(authority(rest)) {
                spans.push(Span { range: start..start + length, kind: Kind::Secret });
            }
        }
        let flags = self.flag.captures_iter(text).filter(|captures| !is_numeric_user(captures));
        for captures in self.oracle.captures_iter(text).chain(flags) {
            let Some(user) = captures.get(1) else { continue };
            spans.push(Span { range: user.range(), kind: Kind::Secret });
        }
    }
}

fn is_numeric_user(captures: &Captures<'_>) -> bool {
    captures
        .get(1)
        .is_some_and(|user| user.as_str().bytes().all(|b| b.is_ascii_digit() || b == b':'))
}

/// Returns the text up to whitespace, a quotation mark or an angle bracket.
fn authority(text: &str) -> &str {
    let end = text
        .char_indices()
        .take(MAX_AUTHORITY_CHARS)
        .find(|(_, c)| c.is_whitespace() || "\"'`<>\\".contains(*c))
        .or_else(|| text.char_indices().nth(MAX_AUTHORITY_CHARS))
        .map_or(text.len(), |(index, _)| index);
    before(text, end)
}

/// Returns the length of the user information in a URL after its scheme, if it contains a secret.
///
/// A password can contain an unescaped slash or at sign; a port must not be mistaken for a password.
fn user_information(address: &str) -> Option<usize> {
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some(at_sign) = authority.rfind('@') {
        let user = before(authority, at_sign);
        return is_secret(user).then_some(user.len());
    }
    let (user, rest) = address.split_once(':')?;
    let digit_count = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let is_host = user.contains(['/', '?', '#', '[', ',']);
    let is_port =
        digit_count > 0 && after(rest, digit_count).starts_with(['/', '?', '#', ',', ':']);
    if is_host || is_port {
        return None;
    }
    let at_sign = rest.find('@')?;
    Some(user.len() + 1 + at_sign)
}

fn is_secret(user: &str) -> bool {
    match user.split_once(':') {
        Some((_, password)) => !password.is_empty() && !password.starts_with(['$', '{', '*']),
        None => user.len() >= MIN_TOKEN_BYTES && user.bytes().any(|byte| byte.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_only_user_information() {
        for (text, expected) in [
            ("postgres://shop:pw@db:5432/orders?x=1", Some("shop:pw")),
            ("redis://:pw@cache/0", Some(":pw")),
            ("mongodb+srv://a:b@c@host/x", Some("a:b@c")),
            ("amqp://u:p/q@rabbit/vhost", Some("u:p/q")),
            ("https://x4f9d8e7a6b5c4d3e2f1@git.example/r", Some("x4f9d8e7a6b5c4d3e2f1")),
            ("jdbc:oracle:thin:scott/tiger@db:1521:x", Some("scott/tiger")),
            ("(https://a:b@c)", Some("a:b")),
            ("http://host:8080/mail?to=a@b.example", None),
            ("https://git@git.example/r", None),
            ("https://host/a:b@c", None),
            ("http://[::1]:80/@x", None),
            ("mongodb://a:27017,b:27017/db?x=@", None),
            ("postgres://shop:${PASSWORD}@db/x", None),
            ("std::a ://b:c@d", None),
        ] {
            let mut spans = Vec::new();
            Connections::new().unwrap().find(text, &mut spans);
            let hidden = spans.first().map(|span| span.value(text));
            assert_eq!(hidden, expected, "{text}");
        }
    }
}
