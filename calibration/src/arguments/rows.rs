//! The flags that select rows.

use std::path::PathBuf;

use clap::Args;

use crate::rows::Mode;

#[derive(Debug, Args)]
pub(crate) struct RowArgs {
    /// Files of rows, one JSON object per line, or folders of labelled cases. Gzip if the name ends in
    /// .gz. docs/CALIBRATION.md describes the formats
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Rows to build from the files
    #[arg(long, value_enum, default_value_t = Mode::Single)]
    pub(crate) mode: Mode,
    /// Part of the cases in a folder, from the split.json in it or next to it; all by default
    #[arg(long, value_name = "NAME")]
    pub(crate) part: Option<String>,
    /// Number of rows to draw; all by default
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Seed of random draws
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
}
