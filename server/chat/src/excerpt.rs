//! Excerpts from received texts, for messages.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

const MAX_BYTES: usize = 200;
/// The minimum length of a secret in bytes. Shorter values may be ordinary words, such as `none` and `json`.
const MIN_SECRET_BYTES: usize = 6;
/// The minimum length in bytes of a secret's prefix that is redacted at the end of a text.
const MIN_PREFIX_BYTES: usize = 6;
const REPLACEMENT: &[u8] = b"***";

/// The first 200 bytes of a received text, with control characters escaped and secrets replaced by `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    pub(crate) fn new(bytes: &[u8], secrets: &Secrets) -> Self {
        let window = MAX_BYTES.saturating_add(secrets.longest());
        let mut received = bytes.get(..window).unwrap_or(bytes).to_vec();
        secrets.redact_bytes(&mut received);
        let is_truncated = received.len() > MAX_BYTES || bytes.len() > window;
        received.truncate(MAX_BYTES);
        let mut text = String::with_capacity(received.len());
        for character in String::from_utf8_lossy(&received).chars() {
            if character.is_control() || is_invisible(character) {
                text.extend(character.escape_unicode());
            } else {
                text.push(character);
            }
        }
        if is_truncated {
            text.push('…');
        }
        Self(text)
    }
}

/// Returns `true` for invisible characters that affect the display of the following text.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            formatter.write_str("nothing")
        } else {
            formatter.write_str(&self.0)
        }
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Vec<SecretString>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let is_long_enough =
            |secret: &SecretString| secret.expose_secret().len() >= MIN_SECRET_BYTES;
        Self(secrets.into_iter().filter(is_long_enough).collect())
    }

    pub(crate) fn redact(&self, text: String) -> String {
        self.0.iter().fold(text, |text, secret| match text.contains(secret.expose_secret()) {
            true => text.replace(secret.expose_secret(), "***"),
            false => text,
        })
    }

    fn longest(&self) -> usize {
        self.0.iter().map(|secret| secret.expose_secret().len()).max().unwrap_or(0)
    }

    fn redact_bytes(&self, text: &mut Vec<u8>) {
        for secret in &self.0 {
            let secret = secret.expose_secret().as_bytes();
            while let Some(start) = text.windows(secret.len()).position(|part| part == secret) {
                text.splice(start..start + secret.len(), REPLACEMENT.iter().copied());
            }
            let prefix = (MIN_PREFIX_BYTES..secret.len())
                .rev()
                .find(|&length| secret.get(..length).is_some_and(|part| text.ends_with(part)));
            if let Some(length) = prefix {
                text.truncate(text.len() - length);
                text.extend_from_slice(REPLACEMENT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-0123456789abcdef";

    fn excerpt(bytes: &[u8]) -> String {
        Excerpt::new(bytes, &Secrets::new([KEY.into()])).to_string()
    }

    #[test]
    fn escapes_control_characters_and_truncates() {
        assert_eq!(excerpt(b""), "nothing");
        assert_eq!(excerpt(b"<html>\r\n\x1b[31m"), "<html>\\u{d}\\u{a}\\u{1b}[31m");
        assert_eq!(excerpt("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(excerpt(b"\xff\xfe"), "\u{fffd}\u{fffd}");
        assert_eq!(excerpt(&[b'x'; 200]), "x".repeat(200));
        assert_eq!(excerpt(&[b'x'; 201]), format!("{}…", "x".repeat(200)));
    }

    #[test]
    fn redacts_repeated_keys() {
        assert_eq!(excerpt(format!("bad key {KEY}, {KEY}!").as_bytes()), "bad key ***, ***!");
        assert_eq!(excerpt(&KEY.as_bytes()[..10]), "***");
        let text = Excerpt::new(b"application/json", &Secrets::new(["json".into()])).to_string();
        assert_eq!(text, "application/json", "a short word is not a secret");
    }

    proptest! {
        #[test]
        fn no_part_of_a_key_is_shown(before in 0..400_usize, after in 0..300_usize) {
            let text = format!("{}{KEY}{}", "-".repeat(before), "-".repeat(after));
            for end in [text.len(), before + 12] {
                let excerpt = excerpt(&text.as_bytes()[..end.min(text.len())]);
                prop_assert!(!excerpt.contains("sk-012"), "{}", excerpt);
            }
        }
    }
}
