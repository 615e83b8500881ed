//! This module finds the hunks of unified diffs among the lines of a text. It reads no changes.

use core::ops::Range;

/// A hunk, by the numbers of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The lines that name its file: `diff --git`, `index`, `---`, `+++`.
    pub(super) file: Range<usize>,
    /// The line that begins with `@@`.
    pub(super) head: usize,
    /// Behind its last line.
    pub(super) end: usize,
}

/// The hunks of a text, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Hunks(Vec<Hunk>);

impl Hunks {
    pub(super) fn of<'t>(lines: impl Iterator<Item = &'t str>) -> Self {
        let mut found = Vec::new();
        let mut file = 0..0;
        let mut open: Option<(Hunk, Left)> = None;
        for (number, line) in lines.enumerate() {
            if let Some((hunk, left)) = &mut open {
                if left.take(line) {
                    hunk.end = number + 1;
                    continue;
                }
                found.extend(open.take().map(|(hunk, _)| hunk));
                file = number..number;
            }
            if let Some(left) = Left::of(line) {
                let file = core::mem::replace(&mut file, number + 1..number + 1);
                open = Some((Hunk { file, head: number, end: number + 1 }, left));
            } else if line.starts_with("diff --git ") {
                file = number..number + 1;
            } else if heads_file(line) {
                file.end = number + 1;
            } else {
                file = number + 1..number + 1;
            }
        }
        found.extend(open.map(|(hunk, _)| hunk));
        let mut hunks = Self(found);
        hunks.share_files();
        hunks
    }

    /// Hunks behind one another are of one file.
    fn share_files(&mut self) {
        let mut before: Option<Hunk> = None;
        for hunk in &mut self.0 {
            if let Some(before) = before.filter(|before| before.end == hunk.head) {
                hunk.file = before.file;
            }
            before = Some(hunk.clone());
        }
    }

    /// The hunk of a line; for a line that names a file the first hunk of that file.
    pub(super) fn at(&self, line: usize) -> Option<&Hunk> {
        let place = self.0.partition_point(|hunk| hunk.end <= line);
        self.0.get(place).filter(|hunk| hunk.head <= line || hunk.file.contains(&line))
    }
}

fn heads_file(line: &str) -> bool {
    const MARKS: [&str; 12] = [
        "diff --git ",
        "index ",
        "--- ",
        "+++ ",
        "old mode",
        "new mode",
        "new file",
        "deleted file",
        "similarity ",
        "rename ",
        "copy ",
        "Index: ",
    ];
    MARKS.iter().any(|mark| line.starts_with(mark))
}

/// How many lines of each side are still to come.
struct Left {
    before: u32,
    after: u32,
}

impl Left {
    /// Of `@@ -1,4 +1,5 @@ fn main`; without numbers the hunk goes on while its lines have signs.
    fn of(line: &str) -> Option<Self> {
        let mark = line.strip_prefix("@@")?;
        let unknown = Self { before: u32::MAX, after: u32::MAX };
        Some(Self::counted(mark).unwrap_or(unknown))
    }

    fn counted(mark: &str) -> Option<Self> {
        let (before, rest) = mark.strip_prefix(" -")?.split_once(" +")?;
        let (after, _) = rest.split_once(" @@")?;
        let count =
            |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
        Some(Self { before: count(before)?, after: count(after)? })
    }

    /// Whether the next line is of the hunk.
    fn take(&mut self, line: &str) -> bool {
        if line.starts_with('\\') {
            return true;
        }
        if self.before == 0 && self.after == 0 {
            return line.starts_with(['+', '-', ' ']) && !heads_file(line);
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
