//! Restores text as it was printed: joins split log lines, and decodes byte arrays that contain text.

use core::ops::Range;

use crate::escapes::{TracedText, offset};
use crate::text::{char_at, part};

const MIN_ARRAY: usize = 8;

pub(in super::super) fn as_printed(original: &str) -> Option<TracedText> {
    join_lines(original).or_else(|| decode_arrays(original))
}

/// A line in a container log, such as `2026-03-04T08:15:02Z stdout P the beginning of a line`.
struct Piece {
    /// `true` for stderr, `false` for stdout.
    is_error: bool,
    /// `true` if the line continues in the next piece of the same stream.
    is_partial: bool,
    /// The offset of the message in the line.
    message: usize,
}

fn parse_piece(line: &str) -> Option<Piece> {
    let (time, rest) = line.split_once(' ')?;
    let (stream, rest) = rest.split_once(' ')?;
    let (tag, message) = rest.split_once(' ')?;
    let is_error = match stream {
        "stdout" => false,
        "stderr" => true,
        _ => return None,
    };
    let is_partial = match tag {
        "P" => true,
        "F" => false,
        _ => return None,
    };
    let is_time = time.starts_with(|first: char| first.is_ascii_digit());
    is_time.then(|| Piece { is_error, is_partial, message: line.len() - message.len() })
}

/// Joins the split lines of each stream. Returns `None` if there are no split lines.
fn join_lines(original: &str) -> Option<TracedText> {
    let mut lines: Vec<Vec<Range<usize>>> = Vec::new();
    let mut open_lines: [Vec<Range<usize>>; 2] = Default::default();
    let mut is_joined = false;
    let mut start = 0;
    for line in original.split_inclusive('\n') {
        let line_span = start..start + line.trim_end_matches('\n').len();
        start += line.len();
        let Some(piece) = parse_piece(part(original, line_span.clone())) else {
            lines.push(vec![line_span]);
            continue;
        };
        let Some(pieces) = open_lines.get_mut(usize::from(piece.is_error)) else { continue };
        is_joined |= !pieces.is_empty();
        // The first piece includes the time and the stream.
        let piece_start =
            if pieces.is_empty() { line_span.start } else { line_span.start + piece.message };
        pieces.push(piece_start..line_span.end);
        if !piece.is_partial {
            lines.push(core::mem::take(pieces));
        }
    }
    lines.extend(open_lines.into_iter().filter(|pieces| !pieces.is_empty()));
    is_joined.then(|| {
        let mut traced = TracedText::with_capacity(original.len());
        for line in lines {
            let mut end = 0;
            for piece in line {
                end = piece.end;
                copy(original, piece, &mut traced);
            }
            traced.push('\n', (offset(end), offset(end)));
        }
        traced
    })
}

fn copy(original: &str, span: Range<usize>, traced: &mut TracedText) {
    let mut position = span.start;
    while let Some(character) = char_at(original, position).filter(|_| position < span.end) {
        let end = position + character.len_utf8();
        traced.push(character, (offset(position), offset(end)));
        position = end;
    }
}

/// Replaces byte arrays that contain text with strings. Returns `None` if there are no such arrays.
fn decode_arrays(original: &str) -> Option<TracedText> {
    let mut traced: Option<TracedText> = None;
    let mut copied_end = 0;
    let mut search_start = 0;
    while let Some(start) =
        memchr::memchr(b'[', part(original, search_start..original.len()).as_bytes())
    {
        let start = search_start + start;
        search_start = start + 1;
        let Some(Array { text, end }) = parse_array(original, start) else { continue };
        let traced = traced.get_or_insert_with(|| TracedText::with_capacity(original.len()));
        copy(original, copied_end..start, traced);
        traced.push('"', (offset(start), offset(start + 1)));
        for (character, source) in text {
            traced.push(character, (offset(source.start), offset(source.end)));
        }
        traced.push('"', (offset(end - 1), offset(end)));
        (copied_end, search_start) = (end, end);
    }
    let mut traced = traced?;
    copy(original, copied_end..original.len(), &mut traced);
    Some(traced)
}

struct Array {
    /// The characters with their byte ranges.
    text: Vec<(char, Range<usize>)>,
    /// The end of the array.
    end: usize,
}

fn parse_array(original: &str, start: usize) -> Option<Array> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut position = start + 1;
    let end = loop {
        let rest = part(original, position..original.len());
        let number = rest.trim_start();
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let digits_start = position + (rest.len() - number.len());
        bytes.push(part(number, 0..digits).parse().ok()?);
        spans.push(digits_start..digits_start + digits);
        let after = part(number, digits..number.len()).trim_start();
        position = original.len() - after.len() + 1;
        match after.as_bytes().first()? {
            b',' => {}
            b']' => break position,
            _ => return None,
        }
    };
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() >= MIN_ARRAY)?;
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    if !text.chars().all(is_text) {
        return None;
    }
    let characters = text.char_indices().filter_map(|(position, character)| {
        let first = spans.get(position)?;
        let last = spans.get(position + character.len_utf8() - 1)?;
        Some((character, first.start..last.end))
    });
    Some(Array { text: characters.collect(), end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn original<'t>(text: &'t str, printed: &TracedText, needle: &str) -> &'t str {
        let position = printed.text.find(needle).unwrap();
        part(text, printed.original(&(position..position + needle.len())))
    }

    #[test]
    fn joins_the_split_lines_of_each_stream() {
        let log = "2026-03-04T08:15:02Z stdout P dial db: connection refu\n2026-03-04T08:15:02Z stderr F warn: retry 3 of 5\n2026-03-04T08:15:02Z stdout F sed, attempt 3\nplain\n2026-03-04T08:15:09Z stdout P shutting down";
        let printed = as_printed(log).unwrap();
        assert!(printed.text.contains("stdout P dial db: connection refused, attempt 3\n"));
        assert!(printed.text.contains("stderr F warn: retry 3 of 5\n"));
        assert!(printed.text.ends_with("stdout P shutting down\n"));
        let span = original(log, &printed, "connection refused");
        assert!(span.starts_with("connection refu\n") && span.ends_with("sed"), "{span}");
        assert!(as_printed("2026-03-04T08:15:02Z stdout F whole\n").is_none());
        assert!(as_printed("a P b\nc F d").is_none());
    }

    #[test]
    fn decodes_only_byte_arrays_that_contain_text() {
        let json = r#"{"MESSAGE": [113, 117, 101, 117, 101, 32, 195, 188, 52, 49, 50], "ids": [1, 2, 3, 4, 5, 6, 7, 8, 9]}"#;
        let printed = as_printed(json).unwrap();
        assert!(printed.text.starts_with(r#"{"MESSAGE": "queue ü412", "#), "{}", printed.text);
        assert!(printed.text.ends_with("9]}"));
        assert_eq!(original(json, &printed, "ü4"), "195, 188, 52");
        for not_text in [
            "[1, 2, 3, 4, 5, 6, 7, 8]",
            "[113, 117]",
            "[113, 117, 300, 1, 1, 1, 1, 1, 1]",
            "[[[[",
            "[1,",
            "[ , ]",
        ] {
            assert!(as_printed(not_text).is_none(), "{not_text}");
        }
    }
}
