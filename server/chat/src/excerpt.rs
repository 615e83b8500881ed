//! This module shortens what was received for a message: no control characters, no secrets.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// The most bytes that are shown of what was received.
const SHOWN: usize = 200;
/// The fewest bytes of a secret. Shorter values are words (`none`, `json`); hiding them would hide the message.
const MIN_SECRET_BYTES: usize = 6;
/// The fewest bytes of the beginning of a secret that are hidden where the text ends in it.
const MIN_BEGINNING_BYTES: usize = 6;
/// What stands in the place of a secret.
const HIDDEN: &[u8] = b"***";

/// The first 200 bytes of what came, control characters escaped, keys replaced by `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    pub(crate) fn new(bytes: &[u8], secrets: &Secrets) -> Self {
        let window = SHOWN.saturating_add(secrets.longest());
        let mut came = bytes.get(..window).unwrap_or(bytes).to_vec();
        secrets.hide(&mut came);
        let cut = came.len() > SHOWN || bytes.len() > window;
        came.truncate(SHOWN);
        let mut text = String::with_capacity(came.len());
        for character in String::from_utf8_lossy(&came).chars() {
            if character.is_control() || is_invisible(character) {
                text.extend(character.escape_unicode());
            } else {
                text.push(character);
            }
        }
        if cut {
            text.push('…');
        }
        Self(text)
    }
}

/// Whether it changes how what follows is read without being seen.
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

/// What must appear nowhere, even where a provider repeats it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Vec<SecretString>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let long = |secret: &SecretString| secret.expose_secret().len() >= MIN_SECRET_BYTES;
        Self(secrets.into_iter().filter(long).collect())
    }

    /// A text of a provider, keys replaced by `***`.
    pub(crate) fn hidden_in(&self, text: String) -> String {
        self.0.iter().fold(text, |text, secret| match text.contains(secret.expose_secret()) {
            true => text.replace(secret.expose_secret(), "***"),
            false => text,
        })
    }

    fn longest(&self) -> usize {
        self.0.iter().map(|secret| secret.expose_secret().len()).max().unwrap_or(0)
    }

    fn hide(&self, text: &mut Vec<u8>) {
        for secret in &self.0 {
            let secret = secret.expose_secret().as_bytes();
            while let Some(start) = text.windows(secret.len()).position(|part| part == secret) {
                text.splice(start..start + secret.len(), HIDDEN.iter().copied());
            }
            let beginning = (MIN_BEGINNING_BYTES..secret.len())
                .rev()
                .find(|&length| secret.get(..length).is_some_and(|part| text.ends_with(part)));
            if let Some(length) = beginning {
                text.truncate(text.len() - length);
                text.extend_from_slice(HIDDEN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-0123456789abcdef";

    fn shown(bytes: &[u8]) -> String {
        Excerpt::new(bytes, &Secrets::new([KEY.into()])).to_string()
    }

    #[test]
    fn control_characters_are_escaped_and_the_rest_is_cut() {
        assert_eq!(shown(b""), "nothing");
        assert_eq!(shown(b"<html>\r\n\x1b[31m"), "<html>\\u{d}\\u{a}\\u{1b}[31m");
        assert_eq!(shown("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(shown(b"\xff\xfe"), "\u{fffd}\u{fffd}");
        assert_eq!(shown(&[b'x'; 200]), "x".repeat(200));
        assert_eq!(shown(&[b'x'; 201]), format!("{}…", "x".repeat(200)));
    }

    #[test]
    fn a_key_that_is_repeated_is_hidden() {
        assert_eq!(shown(format!("bad key {KEY}, {KEY}!").as_bytes()), "bad key ***, ***!");
        assert_eq!(shown(&KEY.as_bytes()[..10]), "***");
        let text = Excerpt::new(b"application/json", &Secrets::new(["json".into()])).to_string();
        assert_eq!(text, "application/json", "a short word is no secret");
    }

    proptest! {
        #[test]
        fn no_part_of_a_key_is_seen_wherever_it_stands(before in 0..400_usize, after in 0..300_usize) {
            let text = format!("{}{KEY}{}", "-".repeat(before), "-".repeat(after));
            for end in [text.len(), before + 12] {
                let shown = shown(&text.as_bytes()[..end.min(text.len())]);
                prop_assert!(!shown.contains("sk-012"), "{}", shown);
            }
        }
    }
}
