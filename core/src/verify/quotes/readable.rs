//! This module undoes what runtimes and journals do to a text that was printed: lines that a container runtime cut into
//! pieces are joined, and arrays of bytes that are text become a string. It remembers where each byte came from.

use core::ops::Range;

use crate::escapes::{Traced, offset};
use crate::text::{char_at, part};

/// The fewest bytes of an array that is read as text.
const MIN_ARRAY: usize = 8;

/// The text as it was printed; `None` where nothing was done to it.
pub(in super::super) fn readable(original: &str) -> Option<Traced> {
    joined_lines(original).or_else(|| decoded_arrays(original))
}

/// A line of a container's log: `2026-03-04T08:15:02Z stdout P the beginning of a line`.
struct Piece {
    /// Which of the two streams.
    is_error: bool,
    /// Whether the line goes on in the stream's next piece.
    is_partial: bool,
    /// Where the message begins.
    message: usize,
}

fn piece(line: &str) -> Option<Piece> {
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

/// The lines with those of a stream joined that its runtime cut; `None` where none was.
fn joined_lines(original: &str) -> Option<Traced> {
    /// A line that is not complete: its pieces, each with its place.
    #[derive(Default)]
    struct Open(Vec<Range<usize>>);
    let mut lines: Vec<Vec<Range<usize>>> = Vec::new();
    let mut open: [Open; 2] = Default::default();
    let mut is_joined = false;
    let mut start = 0;
    for line in original.split_inclusive('\n') {
        let whole = start..start + line.trim_end_matches('\n').len();
        start += line.len();
        let Some(piece) = piece(part(original, whole.clone())) else {
            lines.push(vec![whole]);
            continue;
        };
        let Open(pieces) = match open.get_mut(usize::from(piece.is_error)) {
            Some(open) => open,
            None => continue,
        };
        is_joined |= !pieces.is_empty();
        // The first piece keeps its time and its stream.
        let from = if pieces.is_empty() { whole.start } else { whole.start + piece.message };
        pieces.push(from..whole.end);
        if !piece.is_partial {
            lines.push(core::mem::take(pieces));
        }
    }
    lines.extend(open.into_iter().map(|Open(pieces)| pieces).filter(|pieces| !pieces.is_empty()));
    is_joined.then(|| {
        let mut traced = Traced::with_capacity(original.len());
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

fn copy(original: &str, stretch: Range<usize>, traced: &mut Traced) {
    let mut at = stretch.start;
    while let Some(character) = char_at(original, at).filter(|_| at < stretch.end) {
        let end = at + character.len_utf8();
        traced.push(character, (offset(at), offset(end)));
        at = end;
    }
}

/// The text with each array of bytes that is text as a string; `None` where there is none.
fn decoded_arrays(original: &str) -> Option<Traced> {
    let mut traced: Option<Traced> = None;
    let mut copied = 0;
    let mut from = 0;
    while let Some(start) = memchr::memchr(b'[', part(original, from..original.len()).as_bytes()) {
        let start = from + start;
        from = start + 1;
        let Some(Array { text, end }) = array(original, start) else { continue };
        let traced = traced.get_or_insert_with(|| Traced::with_capacity(original.len()));
        copy(original, copied..start, traced);
        traced.push('"', (offset(start), offset(start + 1)));
        for (character, source) in text {
            traced.push(character, (offset(source.start), offset(source.end)));
        }
        traced.push('"', (offset(end - 1), offset(end)));
        (copied, from) = (end, end);
    }
    let mut traced = traced?;
    copy(original, copied..original.len(), &mut traced);
    Some(traced)
}

/// An array of bytes that is text.
struct Array {
    /// Its characters, each with the numbers that it came from.
    text: Vec<(char, Range<usize>)>,
    /// Where the array ends.
    end: usize,
}

/// Reads the array that begins at `start`; `None` where it is no text.
fn array(original: &str, start: usize) -> Option<Array> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut at = start + 1;
    let end = loop {
        let rest = part(original, at..original.len());
        let number = rest.trim_start();
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let place = at + (rest.len() - number.len());
        bytes.push(part(number, 0..digits).parse().ok()?);
        places.push(place..place + digits);
        let behind = part(number, digits..number.len()).trim_start();
        at = original.len() - behind.len() + 1;
        match behind.as_bytes().first()? {
            b',' => {}
            b']' => break at,
            _ => return None,
        }
    };
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() >= MIN_ARRAY)?;
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{1b}');
    if !text.chars().all(is_text) {
        return None;
    }
    let characters = text.char_indices().filter_map(|(at, character)| {
        let first = places.get(at)?;
        let last = places.get(at + character.len_utf8() - 1)?;
        Some((character, first.start..last.end))
    });
    Some(Array { text: characters.collect(), end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn original<'t>(text: &'t str, read: &Traced, wanted: &str) -> &'t str {
        let at = read.text.find(wanted).unwrap();
        part(text, read.original(&(at..at + wanted.len())))
    }

    #[test]
    fn pieces_of_a_line_are_joined_by_stream() {
        let log = "2026-03-04T08:15:02Z stdout P dial db: connection refu\n2026-03-04T08:15:02Z stderr F warn: retry 3 of 5\n2026-03-04T08:15:02Z stdout F sed, attempt 3\nplain\n2026-03-04T08:15:09Z stdout P shutting down";
        let read = readable(log).unwrap();
        assert!(read.text.contains("stdout P dial db: connection refused, attempt 3\n"));
        assert!(read.text.contains("stderr F warn: retry 3 of 5\n"));
        assert!(read.text.ends_with("stdout P shutting down\n"));
        let span = original(log, &read, "connection refused");
        assert!(span.starts_with("connection refu\n") && span.ends_with("sed"), "{span}");
        assert!(readable("2026-03-04T08:15:02Z stdout F whole\n").is_none());
        assert!(readable("a P b\nc F d").is_none());
    }

    #[test]
    fn an_array_of_bytes_that_is_text_is_a_string() {
        let json = r#"{"MESSAGE": [113, 117, 101, 117, 101, 32, 195, 188, 52, 49, 50], "ids": [1, 2, 3, 4, 5, 6, 7, 8, 9]}"#;
        let read = readable(json).unwrap();
        assert!(read.text.starts_with(r#"{"MESSAGE": "queue ü412", "#), "{}", read.text);
        assert!(read.text.ends_with("9]}"));
        assert_eq!(original(json, &read, "ü4"), "195, 188, 52");
        for not_text in [
            "[1, 2, 3, 4, 5, 6, 7, 8]",
            "[113, 117]",
            "[113, 117, 300, 1, 1, 1, 1, 1, 1]",
            "[[[[",
            "[1,",
            "[ , ]",
        ] {
            assert!(readable(not_text).is_none(), "{not_text}");
        }
    }
}
