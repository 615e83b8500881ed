//! Files that people hand over, read as text, with the place of whatever is wrong in them.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gsar_proto::json::{self, Named};

/// Why a file gives no input. Shown as `PATH:LINE: what is wrong`.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It cannot be read.
    #[error("{}: {}", path.display(), reason(source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What reading it gave.
        source: io::Error,
    },
    /// Its content is not what it should be.
    #[error("{}:{line}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong and the mend.
        message: String,
    },
    /// The file as a whole does not fit.
    #[error("{}: {message}", path.display())]
    Unusable {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong and the mend.
        message: String,
    },
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory, not a file".to_owned(),
        _ => error.to_string(),
    }
}

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// The text of a file, or of standard input for `-`; a byte order mark is left out.
///
/// # Errors
/// [`InputError`] when it cannot be read or is not UTF-8 text.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    let unreadable = |source| InputError::Unreadable { path: path.to_owned(), source };
    if path == Path::new(STANDARD_INPUT) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        return text_of(Path::new("standard input"), bytes);
    }
    text_of(path, fs::read(path).map_err(unreadable)?)
}

/// The bytes as text.
fn text_of(path: &Path, mut bytes: Vec<u8>) -> Result<String, InputError> {
    let content = |line, message: &str| InputError::Content {
        path: path.to_owned(),
        line,
        message: message.to_owned(),
    };
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(content(1, "the text is UTF-16; convert it to UTF-8"));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        let line = line_at(&bytes, offset);
        return Err(content(
            line,
            "holds a zero byte: a binary file is no evidence; export it as text",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = line_at(error.as_bytes(), error.utf8_error().valid_up_to());
        content(line, "not valid UTF-8; convert the file to UTF-8")
    })
}

/// The line, from 1, on which the byte at `offset` stands.
#[must_use]
pub fn line_at(bytes: &[u8], offset: usize) -> usize {
    1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count()
}

/// The messages in a text: one JSON document, or several after another as in JSON Lines.
///
/// # Errors
/// [`InputError::Content`] with the line of the first thing that is wrong.
pub fn messages<T>(path: &Path, text: &str) -> Result<Vec<T>, InputError>
where
    T: Named + prost::Message + Default,
{
    let content = |line, message| InputError::Content { path: path.to_owned(), line, message };
    let mut documents =
        serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
    let mut found = Vec::new();
    while let Some(document) = documents.next() {
        let document =
            document.map_err(|error| content(error.line(), without_place(&error.to_string()).1))?;
        let end = documents.byte_offset();
        let start = end.saturating_sub(document.get().len());
        let message = json::from_json(document.get()).map_err(|error| {
            let (line, message) = without_place(&error.to_string());
            content(line_at(text.as_bytes(), start) + line.saturating_sub(1), message)
        })?;
        found.push(message);
    }
    Ok(found)
}

/// Takes ` at line L column C` off the end of a parser's message: the line, and the rest with its column.
#[must_use]
pub fn without_place(message: &str) -> (usize, String) {
    let place = message.rsplit_once(" at line ").and_then(|(text, place)| {
        let (line, column) = place.split_once(" column ")?;
        Some((line.parse().ok()?, format!("column {column}: {text}")))
    });
    place.unwrap_or_else(|| (1, message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_proto::v1::ScoreRequest;

    fn text(bytes: &[u8]) -> Result<String, String> {
        text_of(Path::new("report.md"), bytes.to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn bytes_that_are_no_text_name_their_line() {
        assert_eq!(text(b"\xef\xbb\xbfa\nb"), Ok("a\nb".to_owned()));
        assert_eq!(
            text(b"a\nb\n\xc3("),
            Err("report.md:3: not valid UTF-8; convert the file to UTF-8".to_owned())
        );
        assert_eq!(
            text(b"a\nb\0"),
            Err("report.md:2: holds a zero byte: a binary file is no evidence; export it as text"
                .to_owned())
        );
        assert_eq!(
            text(b"\xff\xfea\0"),
            Err("report.md:1: the text is UTF-16; convert it to UTF-8".to_owned())
        );
    }

    #[test]
    fn one_document_or_many_are_read() {
        let read =
            |text| messages::<ScoreRequest>(Path::new("r.jsonl"), text).map(|found| found.len());
        assert_eq!(read("{\n  \"policy\": \"paper\"\n}\n").unwrap(), 1);
        assert_eq!(read("{\"policy\":\"paper\"}\n{\"explain\":true}\n\n{}").unwrap(), 3);
        assert_eq!(read(" \n").unwrap(), 0);
    }

    #[test]
    fn documents_that_are_no_message_name_their_line() {
        let read =
            |text| messages::<ScoreRequest>(Path::new("r.jsonl"), text).unwrap_err().to_string();
        assert!(read("{}\n{}\n{\"polcy\":1}").starts_with("r.jsonl:3: "));
        assert!(read("{\n\n\"polcy\":1}").starts_with("r.jsonl:3: "));
        assert!(read("{}\n{").starts_with("r.jsonl:2: "));
    }
}
