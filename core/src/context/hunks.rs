//! Finds unified diff hunks in a text.

use core::ops::Range;

/// The position of a hunk, as zero-based line indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The file header lines: `diff --git`, `index`, `---`, `+++`.
    pub(super) file: Range<usize>,
    pub(super) head: usize,
    pub(super) end: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Hunks(Vec<Hunk>);

impl Hunks {
    pub(super) fn new<'t>(lines: impl Iterator<Item = &'t str>) -> Self {
        let mut hunks = Vec::new();
        let mut file = 0..0;
        let mut current: Option<(Hunk, RemainingLines)> = None;
        for (number, line) in lines.enumerate() {
            if let Some((hunk, remaining)) = &mut current {
                if remaining.accept(line) {
                    hunk.end = number + 1;
                    continue;
                }
                hunks.extend(current.take().map(|(hunk, _)| hunk));
                file = number..number;
            }
            if let Some(remaining) = RemainingLines::from_header(line) {
                let file = core::mem::replace(&mut file, number + 1..number + 1);
                current = Some((Hunk { file, head: number, end: number + 1 }, remaining));
            } else if line.starts_with("diff --git ") {
                file = number..number + 1;
            } else if is_file_header(line) {
                file.end = number + 1;
            } else {
                file = number + 1..number + 1;
            }
        }
        hunks.extend(current.map(|(hunk, _)| hunk));
        let mut hunks = Self(hunks);
        hunks.share_file_headers();
        hunks
    }

    /// Assigns the file header of the first of several consecutive hunks to all of them.
    fn share_file_headers(&mut self) {
        let mut previous: Option<Hunk> = None;
        for hunk in &mut self.0 {
            if let Some(previous) = previous.filter(|previous| previous.end == hunk.head) {
                hunk.file = previous.file;
            }
            previous = Some(hunk.clone());
        }
    }

    /// Returns the hunk that contains a line. For a file header line, returns the file's first hunk.
    pub(super) fn hunk_at(&self, line: usize) -> Option<&Hunk> {
        let index = self.0.partition_point(|hunk| hunk.end <= line);
        self.0.get(index).filter(|hunk| hunk.head <= line || hunk.file.contains(&line))
    }
}

fn is_file_header(line: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "diff --git ", "index ", "--- ", "+++ ", "old mode", "new mode", "new file",
        "deleted file", "similarity ", "rename ", "copy ", "Index: ",
    ];
    PREFIXES.iter().any(|prefix| line.starts_with(prefix))
}

struct RemainingLines {
    before: u32,
    after: u32,
}

impl RemainingLines {
    /// Parses `@@ -1,4 +1,5 @@ fn main`. If the header has no numbers, the hunk includes all lines with diff markers.
    fn from_header(line: &str) -> Option<Self> {
        let header = line.strip_prefix("@@")?;
        let unknown = Self { before: u32::MAX, after: u32::MAX };
        Some(Self::parse(header).unwrap_or(unknown))
    }

    fn parse(header: &str) -> Option<Self> {
        let (before, rest) = header.strip_prefix(" -")?.split_once(" +")?;
        let (after, _) = rest.split_once(" @@")?;
        let count =
            |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
        Some(Self { before: count(before)?, after: count(after)? })
    }

    /// Counts the next line. Returns `false` if it does not belong to the hunk.
    fn accept(&mut self, line: &str) -> bool {
        if line.starts_with('\\') {
            return true;
        }
        if self.before == 0 && self.after == 0 {
            return line.starts_with(['+', '-', ' ']) && !is_file_header(line);
        }
        let (before, after) = match line.bytes().next() {
            Some(b' ') | None => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(_) => return false,
        };
        self.before = self.before.saturating_sub(before);
        self.after = self.after.saturating_sub(after);
        true
    }
}
