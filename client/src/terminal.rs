//! The width of the terminal.

use std::io::IsTerminal as _;

const MAX_COLUMNS: usize = 120;

const MIN_COLUMNS: usize = 40;

/// The width if standard output is not a terminal.
const DEFAULT_COLUMNS: usize = 80;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    pub(crate) columns: usize,
}

impl Terminal {
    pub(crate) fn detect() -> Self {
        let size = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
        let columns = size.map_or(DEFAULT_COLUMNS, |(width, _)| usize::from(width.0));
        Self { columns: columns.clamp(MIN_COLUMNS, MAX_COLUMNS) }
    }
}
