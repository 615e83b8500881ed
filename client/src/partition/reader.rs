//! Reads numbered lines with a maximum length.

use std::io::{self, BufRead, Read};

/// The maximum length of a line in bytes, sized for the largest valid partition.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// A line of input, without its line ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputLine {
    /// The line number, starting at 1 and including blank lines.
    pub number: u64,
    /// The text, or an error message.
    pub text: Result<String, String>,
}

/// A reader that skips blank lines.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    number: u64,
    bytes: u64,
    limit: usize,
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader for lines of up to [`MAX_LINE_BYTES`].
    pub fn new(input: R) -> Self {
        Self { input, number: 0, bytes: 0, limit: MAX_LINE_BYTES }
    }

    /// Returns the underlying reader.
    pub fn input(&self) -> &R {
        &self.input
    }

    /// Returns the number of bytes read.
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }

    /// Reads the next line that is not blank, or `None` at the end of the input.
    pub fn next_line(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let mut bytes = Vec::new();
            let max = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_add(1);
            if self.input.by_ref().take(max).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.bytes += u64::try_from(bytes.len()).unwrap_or(0);
            if bytes.len() > self.limit && bytes.last() != Some(&b'\n') {
                self.skip_rest_of_line()?;
                let reason = format!("longer than {} bytes; split the partition", self.limit);
                return Ok(Some(InputLine { number: self.number, text: Err(reason) }));
            }
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let text = String::from_utf8(bytes).map_err(|error| {
                let offset = error.utf8_error().valid_up_to();
                format!("column {}: invalid UTF-8", offset + 1)
            });
            return Ok(Some(InputLine { number: self.number, text }));
        }
    }

    fn skip_rest_of_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let consumed = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(consumed);
            self.bytes += u64::try_from(consumed).unwrap_or(0);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], limit: usize) -> Vec<(u64, Result<String, String>)> {
        let mut reader = LineReader { input: bytes, number: 0, bytes: 0, limit };
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            lines.push((line.number, line.text));
        }
        lines
    }

    #[test]
    fn blank_lines_are_counted_and_skipped() {
        let lines = lines(b"a\r\n\n \t\nb", 100);
        assert_eq!(lines, [(1, Ok("a".to_owned())), (4, Ok("b".to_owned()))]);
    }

    #[test]
    fn rejects_a_long_line_and_continues() {
        let lines = lines(b"12345678\n1234\n12345\n1", 4);
        let error = Err("longer than 4 bytes; split the partition".to_owned());
        let expected =
            [(1, error.clone()), (2, Ok("1234".to_owned())), (3, error), (4, Ok("1".to_owned()))];
        assert_eq!(lines, expected);
    }

    #[test]
    fn invalid_utf8_is_reported_with_its_column() {
        let lines = lines(b"ab\xffcd\nok\n", 100);
        assert_eq!(lines[0].1, Err("column 3: invalid UTF-8".to_owned()));
        assert_eq!(lines[1], (2, Ok("ok".to_owned())));
    }
}
