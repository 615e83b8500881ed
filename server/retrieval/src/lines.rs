//! Splits a text that arrives in parts into blocks of whole lines.
//!
//! A block ends with the line that reaches [`BLOCK_BYTES`] or [`BLOCK_LINES`]. Lines longer than
//! [`MAX_LINE_BYTES`] are cut between characters. At most one block is buffered.

use std::ops::Range;

/// The size in bytes at which a block ends. Its last line may take it beyond this size, up to
/// [`MAX_LINE_BYTES`].
pub const BLOCK_BYTES: usize = 1_536;
/// The maximum number of lines per block.
pub const BLOCK_LINES: u64 = 24;
/// The maximum size in bytes of a line; longer lines are cut.
pub const MAX_LINE_BYTES: usize = 8_192;

/// A block of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its byte range in the text, including the last line break.
    pub bytes: Range<u64>,
    /// Its first and last line, from 1, inclusive. Both are the same line if the block is only part of a
    /// line.
    pub lines: (u64, u64),
    /// Its text.
    pub text: String,
}

/// Splits a text into blocks.
#[derive(Debug, Default)]
pub struct Blocks {
    pending: String,
    start: u64,
    line: u64,
    pending_lines: u64,
}

impl Blocks {
    /// Adds the next part of the text. Calls `emit` with every block that ends in this part.
    pub fn push(&mut self, part: &str, mut emit: impl FnMut(Passage)) {
        for line in part.split_inclusive('\n') {
            self.pending.push_str(line);
            let is_complete = line.ends_with('\n');
            self.pending_lines += u64::from(is_complete);
            while self.pending.len() > MAX_LINE_BYTES {
                self.cut(&mut emit);
            }
            if is_complete
                && (self.pending.len() >= BLOCK_BYTES || self.pending_lines >= BLOCK_LINES)
            {
                self.end(&mut emit);
            }
        }
    }

    /// Calls `emit` with the last block, if it is not empty.
    pub fn finish(mut self, mut emit: impl FnMut(Passage)) {
        self.end(&mut emit);
    }

    fn end(&mut self, emit: &mut impl FnMut(Passage)) {
        if self.pending.is_empty() {
            return;
        }
        let is_complete = u64::from(self.pending.ends_with('\n'));
        let text = std::mem::take(&mut self.pending);
        let end = self.start + text.len() as u64;
        let last_line = self.line + self.pending_lines + 1 - is_complete;
        emit(Passage {
            bytes: self.start..end,
            lines: (self.line + 1, last_line.max(self.line + 1)),
            text,
        });
        self.start = end;
        self.line += self.pending_lines;
        self.pending_lines = 0;
    }

    fn cut(&mut self, emit: &mut impl FnMut(Passage)) {
        let mut position = MAX_LINE_BYTES;
        while !self.pending.is_char_boundary(position) {
            position -= 1;
        }
        let rest = self.pending.split_off(position);
        let line_breaks = rest.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.pending_lines -= line_breaks.min(self.pending_lines);
        self.end(emit);
        self.pending = rest;
        self.pending_lines += line_breaks;
    }
}

/// Returns the blocks of a text.
#[must_use]
pub fn blocks(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut blocks = Blocks::default();
    blocks.push(text, |passage| passages.push(passage));
    blocks.finish(|passage| passages.push(passage));
    passages
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_end_with_a_line() {
        let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
        let passages = blocks(&text);
        let lines: Vec<(u64, u64)> = passages.iter().map(|passage| passage.lines).collect();
        assert_eq!(lines, [(1, 24), (25, 48), (49, 60)]);
        assert_eq!(passages.last().unwrap().bytes.end, text.len() as u64);
    }

    proptest! {
        #[test]
        fn blocks_do_not_depend_on_how_text_arrives(
            text in "([a-zé]{0,40}\n?|x{3000}){0,30}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)
        ) {
            let expected = blocks(&text);
            let mut passages = Vec::new();
            let mut blocks = Blocks::default();
            let mut ends: Vec<usize> = cuts.iter().map(|cut| {
                let mut position = cut.index(text.len() + 1);
                while !text.is_char_boundary(position) { position -= 1; }
                position
            }).collect();
            ends.push(text.len());
            ends.sort_unstable();
            let mut start = 0;
            for end in ends {
                blocks.push(text.get(start..end).unwrap(), |passage| passages.push(passage));
                start = end;
            }
            blocks.finish(|passage| passages.push(passage));
            let joined: String = passages.iter().map(|passage| passage.text.as_str()).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert_eq!(&expected, &passages);
            for passage in &expected {
                prop_assert!(passage.text.len() <= MAX_LINE_BYTES);
                let range = passage.bytes.start as usize..passage.bytes.end as usize;
                prop_assert_eq!(text.get(range.clone()), Some(passage.text.as_str()));
                let breaks_before = text.get(..range.start).unwrap().matches('\n').count() as u64;
                prop_assert_eq!(passage.lines.0, breaks_before + 1);
            }
        }
    }
}
