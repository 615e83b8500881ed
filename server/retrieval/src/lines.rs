//! Splits a text that arrives in parts into blocks of whole lines.
//!
//! A block ends after [`BLOCK_BYTES`] or [`BLOCK_LINES`]. Longer lines are cut between characters. At most one
//! block is buffered.

use std::ops::Range;

/// The size in bytes after which a block ends; its last line may exceed it, up to [`MAX_LINE_BYTES`].
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
    /// Its first and last line, from 1, inclusive. Both are the same line if the block is a part of a line.
    pub lines: (u64, u64),
    /// Its text.
    pub text: String,
}

/// Splits a text into blocks.
#[derive(Debug, Default)]
pub struct Blocks {
    open: String,
    start: u64,
    line: u64,
    lines_open: u64,
}

impl Blocks {
    /// Adds the next part of the text. Calls `emit` with every block that ends in it.
    pub fn push(&mut self, part: &str, mut emit: impl FnMut(Passage)) {
        for line in part.split_inclusive('\n') {
            self.open.push_str(line);
            let ends = line.ends_with('\n');
            self.lines_open += u64::from(ends);
            while self.open.len() > MAX_LINE_BYTES {
                self.cut(&mut emit);
            }
            if ends && (self.open.len() >= BLOCK_BYTES || self.lines_open >= BLOCK_LINES) {
                self.end(&mut emit);
            }
        }
    }

    /// Calls `emit` with the last block, if it is not empty.
    pub fn finish(mut self, mut emit: impl FnMut(Passage)) {
        self.end(&mut emit);
    }

    fn end(&mut self, emit: &mut impl FnMut(Passage)) {
        if self.open.is_empty() {
            return;
        }
        let ended = u64::from(self.open.ends_with('\n'));
        let text = std::mem::take(&mut self.open);
        let end = self.start + text.len() as u64;
        let last = self.line + self.lines_open + 1 - ended;
        emit(Passage {
            bytes: self.start..end,
            lines: (self.line + 1, last.max(self.line + 1)),
            text,
        });
        self.start = end;
        self.line += self.lines_open;
        self.lines_open = 0;
    }

    fn cut(&mut self, emit: &mut impl FnMut(Passage)) {
        let mut at = MAX_LINE_BYTES;
        while !self.open.is_char_boundary(at) {
            at -= 1;
        }
        let rest = self.open.split_off(at);
        let breaks = rest.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.lines_open -= breaks.min(self.lines_open);
        self.end(emit);
        self.open = rest;
        self.lines_open += breaks;
    }
}

/// Returns the blocks of a text.
#[must_use]
pub fn blocks(text: &str) -> Vec<Passage> {
    let mut found = Vec::new();
    let mut blocks = Blocks::default();
    blocks.push(text, |passage| found.push(passage));
    blocks.finish(|passage| found.push(passage));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_end_with_a_line() {
        let text: String = (1..=60).map(|line| format!("line {line}\n")).collect();
        let found = blocks(&text);
        let lines: Vec<(u64, u64)> = found.iter().map(|passage| passage.lines).collect();
        assert_eq!(lines, [(1, 24), (25, 48), (49, 60)]);
        assert_eq!(found.last().unwrap().bytes.end, text.len() as u64);
    }

    proptest! {
        #[test]
        fn blocks_do_not_depend_on_how_text_arrives(
            text in "([a-zé]{0,40}\n?|x{3000}){0,30}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)
        ) {
            let whole = blocks(&text);
            let mut parted = Vec::new();
            let mut blocks = Blocks::default();
            let mut ends: Vec<usize> = cuts.iter().map(|cut| {
                let mut at = cut.index(text.len() + 1);
                while !text.is_char_boundary(at) { at -= 1; }
                at
            }).collect();
            ends.push(text.len());
            ends.sort_unstable();
            let mut from = 0;
            for end in ends {
                blocks.push(text.get(from..end).unwrap(), |passage| parted.push(passage));
                from = end;
            }
            blocks.finish(|passage| parted.push(passage));
            let joined: String = parted.iter().map(|passage| passage.text.as_str()).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert_eq!(&whole, &parted);
            for passage in &whole {
                prop_assert!(passage.text.len() <= MAX_LINE_BYTES);
                let range = passage.bytes.start as usize..passage.bytes.end as usize;
                prop_assert_eq!(text.get(range.clone()), Some(passage.text.as_str()));
                let before = text.get(..range.start).unwrap().matches('\n').count() as u64;
                prop_assert_eq!(passage.lines.0, before + 1);
            }
        }
    }
}
