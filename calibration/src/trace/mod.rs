//! Traces: the options of a run, and for each row its gold classes and the answer of the server. A trace is a file of JSON
//! lines; see docs/CALIBRATION.md, "Traces".

mod origin;
mod read;
mod write;

#[cfg(test)]
pub(crate) use write::tests;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::rows::{Gold, Mode};

pub(crate) use origin::Origin;
pub(crate) use read::{Trace, TracedRow, read};
pub(crate) use write::TraceWriter;

/// The version of the format.
pub(crate) const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The version of the format.
    pub(crate) trace: u32,
    /// The name of the run.
    pub(crate) run: String,
    /// The run that this one repeats with the same judge, if any.
    pub(crate) repeat_of: Option<String>,
    /// The requested judge; absent: the server's default.
    pub(crate) judge: Option<String>,
    /// The requested policy; empty: the server's default.
    pub(crate) policy: String,
    pub(crate) mode: Mode,
    /// The files of the rows, by name, with the SHA-256 of their bytes.
    pub(crate) files: Vec<FileDigest>,
    pub(crate) sample: Option<usize>,
    /// The seed of the draw.
    pub(crate) seed: u64,
    /// The part of labelled cases that was taken; absent: all of them.
    pub(crate) part: Option<String>,
    /// `true` if the judge split the reports; else it was given the claims that people labelled.
    pub(crate) whole: bool,
    pub(crate) top_k: Option<u32>,
    pub(crate) rows: usize,
}

/// A file of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileDigest {
    pub(crate) name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub(crate) sha256: String,
}

/// A row that was answered.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) row: String,
    /// The gold classes of its claims, which are `c1`, `c2` and so on in this order.
    pub(crate) gold: Vec<Gold>,
    /// The answer: the JSON of an EvaluateResponse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation: Option<Box<RawValue>>,
    /// Why the server refused the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
}
