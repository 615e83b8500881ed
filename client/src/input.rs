//! Reads input files as text.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use gsar_proto::json::{self, Named};

/// An error from reading input, displayed as `PATH:LINE: message`.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("{}: {}", path.display(), reason(source))]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The content is invalid.
    #[error("{}:{line}: {message}", path.display())]
    Content {
        /// The path of the file.
        path: PathBuf,
        /// The line number, starting at 1.
        line: usize,
        /// The problem and the fix.
        message: String,
    },
    /// The file or directory is not usable as a whole.
    #[error("{}: {message}", path.display())]
    Unusable {
        /// The path.
        path: PathBuf,
        /// The problem and the fix.
        message: String,
    },
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory, not a file".to_owned(),
        _ => error.to_string(),
    }
}

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The maximum size of a file, before and after decompression. No server accepts larger messages.
const MAX_BYTES: u64 = 128 << 20;

/// Reads a text file, or standard input for `-`. Decodes UTF-8, UTF-16 with a byte order mark, and gzip, and removes
/// the byte order mark.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    let unreadable = |source| InputError::Unreadable { path: path.to_owned(), source };
    if path == Path::new(STANDARD_INPUT) {
        let bytes = read_limited(path, io::stdin().lock())?;
        return decode(Path::new("standard input"), bytes);
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    decode(path, read_limited(path, file)?)
}

fn read_limited(path: &Path, reader: impl Read) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let result = reader.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    result.map_err(|source| InputError::Unreadable { path: path.to_owned(), source })?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = "larger than 128 MiB; split it".to_owned();
        return Err(InputError::Unusable { path: path.to_owned(), message });
    }
    Ok(bytes)
}

fn decode(path: &Path, bytes: Vec<u8>) -> Result<String, InputError> {
    let bytes = if bytes.starts_with(&GZIP) { gunzip(path, &bytes)? } else { bytes };
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(path, rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16(path, rest, u16::from_be_bytes)?,
        _ => utf8(path, bytes)?,
    };
    match text.find('\0') {
        None => Ok(text),
        Some(offset) => {
            let line = line_at(text.as_bytes(), offset);
            let message = "contains a zero byte; binary files are not supported, export it as text";
            Err(content_error(path, line, message))
        }
    }
}

fn content_error(path: &Path, line: usize, message: &str) -> InputError {
    InputError::Content { path: path.to_owned(), line, message: message.to_owned() }
}

fn utf8(path: &Path, mut bytes: Vec<u8>) -> Result<String, InputError> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let end = error.utf8_error().valid_up_to();
        // A zero byte identifies a binary file, even if the file also contains invalid UTF-8.
        let zero_offset = bytes.iter().take(end).position(|byte| *byte == 0);
        match zero_offset {
            Some(offset) => content_error(
                path,
                line_at(bytes, offset),
                "contains a zero byte; binary files are not supported, export it as text",
            ),
            None => content_error(
                path,
                line_at(bytes, end),
                "not valid UTF-8; convert the file to UTF-8",
            ),
        }
    })
}

fn utf16(path: &Path, bytes: &[u8], from_bytes: fn([u8; 2]) -> u16) -> Result<String, InputError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|pair| from_bytes(*pair))) {
        match decoded {
            Ok(character) => text.push(character),
            Err(_) => {
                let line = line_at(text.as_bytes(), text.len());
                return Err(content_error(
                    path,
                    line,
                    "not valid UTF-16; convert the file to UTF-8",
                ));
            }
        }
    }
    if !rest.is_empty() {
        let line = line_at(text.as_bytes(), text.len());
        return Err(content_error(path, line, "truncated UTF-16: odd number of bytes"));
    }
    Ok(text)
}

fn gunzip(path: &Path, packed: &[u8]) -> Result<Vec<u8>, InputError> {
    let unusable = |message: String| InputError::Unusable { path: path.to_owned(), message };
    let mut bytes = Vec::new();
    let result = MultiGzDecoder::new(packed).take(MAX_BYTES + 1).read_to_end(&mut bytes);
    result.map_err(|error| unusable(format!("failed to decompress gzip: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unusable("decompresses to more than 128 MiB; split it".to_owned()));
    }
    Ok(bytes)
}

/// Returns the line number of the byte at `offset`, starting at 1.
#[must_use]
pub fn line_at(bytes: &[u8], offset: usize) -> usize {
    1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count()
}

/// Parses messages from one or several JSON documents, such as JSON Lines. Errors name the line.
pub fn parse_messages<T>(path: &Path, text: &str) -> Result<Vec<T>, InputError>
where
    T: Named + prost::Message + Default,
{
    let content_error =
        |line, message| InputError::Content { path: path.to_owned(), line, message };
    let mut documents =
        serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
    let mut messages = Vec::new();
    while let Some(document) = documents.next() {
        let document = document
            .map_err(|error| content_error(error.line(), split_position(&error.to_string()).1))?;
        let end = documents.byte_offset();
        let start = end.saturating_sub(document.get().len());
        let message = json::from_json(document.get()).map_err(|error| {
            let (line, message) = split_position(&error.to_string());
            content_error(line_at(text.as_bytes(), start) + line.saturating_sub(1), message)
        })?;
        messages.push(message);
    }
    Ok(messages)
}

/// Splits `MESSAGE at line L column C` into `L` and `column C: MESSAGE`.
#[must_use]
pub fn split_position(message: &str) -> (usize, String) {
    let position = message.rsplit_once(" at line ").and_then(|(text, position)| {
        let (line, column) = position.split_once(" column ")?;
        Some((line.parse().ok()?, format!("column {column}: {text}")))
    });
    position.unwrap_or_else(|| (1, message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_proto::v1::ScoreRequest;

    fn text(bytes: &[u8]) -> Result<String, String> {
        decode(Path::new("report.md"), bytes.to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn invalid_text_is_reported_with_its_line() {
        assert_eq!(text(b"\xef\xbb\xbfa\nb"), Ok("a\nb".to_owned()));
        assert_eq!(
            text(b"a\nb\n\xc3("),
            Err("report.md:3: not valid UTF-8; convert the file to UTF-8".to_owned())
        );
        assert_eq!(
            text(b"a\nb\0"),
            Err("report.md:2: contains a zero byte; binary files are not supported, export it as text"
                .to_owned())
        );
        assert_eq!(
            text(b"\x7fELF\0\0\xff"),
            Err("report.md:1: contains a zero byte; binary files are not supported, export it as text"
                .to_owned())
        );
    }

    #[test]
    fn decodes_utf_16_in_both_byte_orders() {
        let units = "caf\u{e9} \u{1f600}\nb".encode_utf16();
        let little: Vec<u8> = units.clone().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
        let expected = Ok("caf\u{e9} \u{1f600}\nb".to_owned());
        assert_eq!(text(&[b"\xff\xfe", little.as_slice()].concat()), expected);
        assert_eq!(text(&[b"\xfe\xff", big.as_slice()].concat()), expected);
        assert_eq!(
            text(b"\xff\xfea\0\n\0\x00\xd8"),
            Err("report.md:2: not valid UTF-16; convert the file to UTF-8".to_owned())
        );
        assert_eq!(
            text(b"\xff\xfea\0b"),
            Err("report.md:1: truncated UTF-16: odd number of bytes".to_owned())
        );
        assert!(text(b"\xff\xfe\0\0a\0\0\0").unwrap_err().contains("zero byte"), "UTF-32");
    }

    #[test]
    fn decompresses_gzip() {
        use std::io::Write as _;
        let packed = |text: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(text).unwrap();
            packer.finish().unwrap()
        };
        assert_eq!(text(&packed(b"\xef\xbb\xbfa\nb")), Ok("a\nb".to_owned()));
        assert_eq!(text(&packed(b"\xff\xfea\0")), Ok("a".to_owned()));
        let appended = [packed(b"a\n"), packed(b"b\n")].concat();
        assert_eq!(text(&appended), Ok("a\nb\n".to_owned()), "concatenated members");
        let complete = packed(&[b'x'; 1_000]);
        let error = text(&complete[..complete.len() - 6]).unwrap_err();
        assert!(error.starts_with("report.md: failed to decompress gzip"), "{error}");
    }

    #[test]
    fn parses_one_or_several_documents() {
        let count = |text| {
            parse_messages::<ScoreRequest>(Path::new("r.jsonl"), text).map(|found| found.len())
        };
        assert_eq!(count("{\n  \"policy\": \"paper\"\n}\n").unwrap(), 1);
        assert_eq!(count("{\"policy\":\"paper\"}\n{\"explain\":true}\n\n{}").unwrap(), 3);
        assert_eq!(count(" \n").unwrap(), 0);
    }

    #[test]
    fn invalid_documents_are_reported_with_their_line() {
        let error = |text| {
            parse_messages::<ScoreRequest>(Path::new("r.jsonl"), text).unwrap_err().to_string()
        };
        assert!(error("{}\n{}\n{\"polcy\":1}").starts_with("r.jsonl:3: "));
        assert!(error("{\n\n\"polcy\":1}").starts_with("r.jsonl:3: "));
        assert!(error("{}\n{").starts_with("r.jsonl:2: "));
    }
}
