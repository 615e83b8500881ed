//! This module makes texts from outside safe in Markdown: neither markup nor HTML, and nothing that GitHub or GitLab would link or
//! mention.

use gsar_client::text::one_line;

/// Signs that forges read as a mention or reference before a letter or digit: `@name`, `#12`, `!12`, `~label`,
/// `%milestone`, `$12`, `&12`, `^12`, `[issue:12]`.
const SIGILS: &str = "@#!~%$&^[";

/// Characters that are escaped by a backslash.
const ESCAPED: &str = "`*_{}[]()~#!$^=+";

/// Emoji whose names begin as a time of day goes on.
const EMOJI_OF_DIGITS: [&str; 6] =
    [":100:", ":1234:", ":8ball:", ":1st_place_medal:", ":2nd_place_medal:", ":3rd_place_medal:"];

/// The shortest that forges read as the digest of a commit.
const MIN_DIGEST_CHARS: usize = 7;

/// A text as running text on one line. Words that a forge would link or mention are set as code, where it does not look
/// for them.
pub(super) fn prose(text: &str) -> String {
    let text = one_line(text);
    let words =
        text.split(' ').map(|word| if is_linked(word) { code(word) } else { escaped(word) });
    words.collect::<Vec<_>>().join(" ")
}

/// A text as code on one line; empty for an empty one. A pipe stands outside the code: in a cell of a table it would end
/// the cell, and how it is escaped there depends on the backslashes before it.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let parts =
        text.split('|').map(|part| if part.is_empty() { String::new() } else { fenced(part) });
    parts.collect::<Vec<_>>().join("&#124;")
}

/// A text between fences that are longer than every run of backticks in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One blank at each end is taken off again where the text is not all blank.
    let needs_room = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let room = if needs_room && !text.trim_matches(' ').is_empty() { " " } else { "" };
    format!("{fence}{room}{text}{room}{fence}")
}

fn escaped(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for character in word.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // A backslash would have a meaning of its own before the pipe that ends a cell.
            '|' => escaped.push_str("&#124;"),
            '\\' => escaped.push_str("&#92;"),
            _ => {
                if ESCAPED.contains(character) {
                    escaped.push('\\');
                }
                escaped.push(character);
            }
        }
    }
    escaped
}

/// Whether a forge would make a link, a mention, a reference, a formula or an emoji of the word.
fn is_linked(word: &str) -> bool {
    let mut before = ' ';
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let opens = next.is_alphanumeric()
            || matches!(next, '_' | '{' | '`')
            || next == '"' && characters.clone().nth(1).is_some_and(char::is_alphanumeric);
        let is_reference = SIGILS.contains(character) && opens;
        let is_formula = character == '$';
        let is_host = character == '.' && before.is_alphanumeric() && next.is_alphabetic();
        let is_address =
            character == ':' && (matches!(next, '/' | '+' | '-') || next.is_alphabetic());
        if is_reference || is_formula || is_host || is_address {
            return true;
        }
        before = character;
    }
    let parts = || word.split(|character: char| !character.is_alphanumeric());
    is_ticket(word)
        || EMOJI_OF_DIGITS.iter().any(|name| word.contains(name))
        || parts().any(is_digest)
}

/// A key of a ticket such as `GH-12` or `OPS-4711`.
fn is_ticket(word: &str) -> bool {
    let mut parts = word.split('-').peekable();
    while let (Some(project), Some(number)) = (parts.next(), parts.peek()) {
        let is_key = project.ends_with(|character: char| character.is_ascii_uppercase());
        if is_key && number.starts_with(|character: char| character.is_ascii_digit()) {
            return true;
        }
    }
    false
}

fn is_digest(part: &str) -> bool {
    part.len() >= MIN_DIGEST_CHARS && part.chars().all(|character| character.is_ascii_hexdigit())
}
