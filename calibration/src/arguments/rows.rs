//! The flags that select rows.

use std::path::PathBuf;

use clap::Args;

use crate::rows::Mode;

#[derive(Debug, Args)]
pub(crate) struct RowArgs {
    /// Files of rows, one JSON object per line and gzipped if the name ends in .gz, or folders of
    /// labelled cases. docs/CALIBRATION.md describes the formats
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Rows to build from the files
    #[arg(long, value_enum, default_value_t = Mode::Single)]
    pub(crate) mode: Mode,
    /// Part of a folder's cases, as assigned by the split.json in or next to the folder. Default: all
    /// cases
    #[arg(long, value_name = "NAME")]
    pub(crate) part: Option<String>,
    /// Number of rows to draw. Default: all rows
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Seed for random draws
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
}
