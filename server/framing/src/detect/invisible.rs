//! Finds invisible characters, which models read but people do not see.

use std::fmt::Write as _;

use super::Detection;
use crate::finding::FindingKind;
use crate::marks::Treatment;

/// Finds runs of invisible characters, except those required by scripts and emoji. Runs that are common
/// in terminal output are not reported.
pub(super) fn find(text: &str, detections: &mut Vec<Detection>) {
    let mut current: Option<Detection> = None;
    let mut previous = None;
    let mut characters = text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        if is_invisible(c) && !is_needed(previous, c, next) {
            let end = offset + c.len_utf8();
            let is_reported = !is_common(c, offset, next);
            match &mut current {
                Some(detection) => {
                    detection.range.end = end;
                    detection.is_reported |= is_reported;
                }
                None => {
                    let (kind, treatment) = (FindingKind::Invisible, Treatment::Name);
                    current = Some(Detection { range: offset..end, kind, treatment, is_reported });
                }
            }
        } else {
            detections.extend(current.take());
        }
        previous = Some(c);
    }
    detections.extend(current);
}

/// Serializes a JSON value on one line with invisible characters escaped, such as `\u202e`.
#[must_use]
pub fn visible_json(value: &serde_json::Value) -> String {
    let json = value.to_string();
    if json.is_ascii() {
        return json;
    }
    let mut visible = String::with_capacity(json.len());
    let mut characters = json.chars().peekable();
    let mut previous = None;
    while let Some(c) = characters.next() {
        if !c.is_ascii() && is_invisible(c) && !is_needed(previous, c, characters.peek().copied()) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(visible, "\\u{unit:04x}");
            }
        } else {
            visible.push(c);
        }
        previous = Some(c);
    }
    visible
}

pub(super) fn is_invisible(c: char) -> bool {
    !matches!(c, ' '..='~')
        && matches!(
            c,
            '\0'..='\u{8}'
                | '\u{b}'
                | '\u{c}'
                | '\u{e}'..='\u{1f}'
                | '\u{7f}'..='\u{9f}'
                | '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Returns `true` for a joiner, non-joiner or variation selector between non-ASCII characters.
fn is_needed(previous: Option<char>, c: char, next: Option<char>) -> bool {
    let is_foreign = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_invisible(c));
    match c {
        '\u{200c}' | '\u{200d}' => {
            (is_foreign(previous) || previous == Some('\u{fe0f}')) && is_foreign(next)
        }
        '\u{fe0e}' | '\u{fe0f}' => is_foreign(previous),
        _ => false,
    }
}

/// Returns `true` for unreported characters: terminal colors, form feeds, a leading byte order mark, and
/// C1 controls from a wrong encoding.
fn is_common(c: char, offset: usize, next: Option<char>) -> bool {
    match c {
        '\u{1b}' => next == Some('['),
        '\u{c}' | '\u{80}'..='\u{9f}' => true,
        '\u{feff}' => offset == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_json_escapes_invisible_characters() {
        for (text, expected) in [
            ("gnal\u{202e} x", r#""gnal\u202e x""#),
            ("a\u{e0041}b", r#""a\udb40\udc41b""#),
            ("مي\u{200c}خواهم, naïve", "\"مي\u{200c}خواهم, naïve\""),
            ("a\nb\u{1}", r#""a\nb\u0001""#),
        ] {
            let json = visible_json(&text.into());
            assert_eq!(json, expected);
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn finds_invisible_characters_unless_a_script_or_emoji_needs_them() {
        for (text, expected) in [
            ("a\u{200b}b", Some(true)),
            ("a\u{200b}\u{202e}b", Some(true)),
            ("x\u{e0041}\u{e0042}", Some(true)),
            ("a\u{8}b", Some(true)),
            ("\u{1b}[31mred", Some(false)),
            ("\u{feff}start", Some(false)),
            ("می\u{200c}خواهم", None),
            ("👩\u{200d}💻 ❤\u{fe0f}", None),
            ("a\u{200d}b", Some(true)),
            ("tab\tand\nline\r\n", None),
        ] {
            let mut detections = Vec::new();
            find(text, &mut detections);
            assert!(detections.len() < 2, "{text:?}");
            assert_eq!(
                detections.first().map(|detection| detection.is_reported),
                expected,
                "{text:?}"
            );
        }
    }
}
