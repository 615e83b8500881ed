//! What is known of the terminal that people look at.

use std::io::IsTerminal as _;

/// The widest that text is set, however wide the terminal.
const MAX_COLUMNS: usize = 120;

/// The least that text is set in.
const MIN_COLUMNS: usize = 40;

/// The width where there is no terminal.
const DEFAULT_COLUMNS: usize = 80;

/// What is known of the terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// How many columns text is set in.
    pub(crate) columns: usize,
}

impl Terminal {
    pub(crate) fn of_process() -> Self {
        let size = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
        let columns = size.map_or(DEFAULT_COLUMNS, |(width, _)| usize::from(width.0));
        Self { columns: columns.clamp(MIN_COLUMNS, MAX_COLUMNS) }
    }
}
