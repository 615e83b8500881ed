//! Escapes untrusted text for Markdown, so that it contains no markup, no HTML, and nothing that GitHub or GitLab turns
//! into a link or a mention.

use gsar_client::text::one_line;

/// Characters that start a mention or a reference if a letter or digit follows: `@name`, `#12`, `!12`, `~label`,
/// `%milestone`, `$12`, `&12`, `^12`, `[issue:12]`.
const SIGILS: &str = "@#!~%$&^[";

/// Characters to escape with a backslash.
const ESCAPED: &str = "`*_{}[]()~#!$^=+";

/// Emoji with names that look like parts of a time of day.
const EMOJI_WITH_DIGITS: [&str; 6] =
    [":100:", ":1234:", ":8ball:", ":1st_place_medal:", ":2nd_place_medal:", ":3rd_place_medal:"];

/// The length of the shortest commit hash that GitHub and GitLab turn into a link.
const MIN_DIGEST_CHARS: usize = 7;

/// Formats text as prose on one line. Words that would become links are formatted as code.
pub(super) fn prose(text: &str) -> String {
    let text = one_line(text);
    let words = text.split(' ').map(|word| if is_linked(word) { code(word) } else { escape(word) });
    words.collect::<Vec<_>>().join(" ")
}

/// Formats text as code on one line. Pipes are placed outside the code, where they do not end a table cell.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    let parts =
        text.split('|').map(|part| if part.is_empty() { String::new() } else { code_span(part) });
    parts.collect::<Vec<_>>().join("&#124;")
}

/// Encloses text in backticks. The fence is longer than the longest run of backticks in the text.
fn code_span(text: &str) -> String {
    let longest_run = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run + 1);
    // Markdown strips one space at each end, unless there are only spaces.
    let needs_padding = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let padding = if needs_padding && !text.trim_matches(' ').is_empty() { " " } else { "" };
    format!("{fence}{padding}{text}{padding}{fence}")
}

fn escape(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for character in word.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // In a table, a backslash before a pipe escapes the end of the cell.
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

/// Returns `true` if GitHub or GitLab would turn the word into a link, mention, reference, formula or emoji.
fn is_linked(word: &str) -> bool {
    let mut previous = ' ';
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let is_name_start = next.is_alphanumeric()
            || matches!(next, '_' | '{' | '`')
            || next == '"' && characters.clone().nth(1).is_some_and(char::is_alphanumeric);
        let is_reference = SIGILS.contains(character) && is_name_start;
        let is_formula = character == '$';
        let is_host = character == '.' && previous.is_alphanumeric() && next.is_alphabetic();
        let is_address =
            character == ':' && (matches!(next, '/' | '+' | '-') || next.is_alphabetic());
        if is_reference || is_formula || is_host || is_address {
            return true;
        }
        previous = character;
    }
    let parts = || word.split(|character: char| !character.is_alphanumeric());
    is_ticket(word)
        || EMOJI_WITH_DIGITS.iter().any(|name| word.contains(name))
        || parts().any(is_digest)
}

/// Returns `true` for a ticket key such as `GH-12` or `OPS-4711`.
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
