//! Traces: JSON lines with a run's options, and each row's gold classes and answer. See
//! docs/CALIBRATION.md, "Traces".

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

pub(crate) const FORMAT: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) trace: u32,
    pub(crate) run: String,
    /// The run by the same judge that this one repeats, if any.
    pub(crate) repeat_of: Option<String>,
    /// The requested judge; `None` for the server's default.
    pub(crate) judge: Option<String>,
    /// The requested policy. If empty, the server uses its default.
    pub(crate) policy: String,
    pub(crate) mode: Mode,
    pub(crate) files: Vec<FileDigest>,
    pub(crate) sample: Option<usize>,
    pub(crate) seed: u64,
    /// The selected part of labelled cases; `None` for all.
    pub(crate) part: Option<String>,
    /// `true` if the server split the reports instead of receiving the labelled claims.
    pub(crate) whole: bool,
    pub(crate) top_k: Option<u32>,
    /// `true` if every row was driven through the loop.
    #[serde(default, rename = "loop")]
    pub(crate) is_loop: bool,
    pub(crate) rows: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileDigest {
    pub(crate) name: String,
    pub(crate) sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) row: String,
    /// The gold classes for the claims `c1`, `c2` and so on.
    pub(crate) gold: Vec<Gold>,
    /// The `EvaluateResponse` as JSON. For a loop, the first response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub(crate) loop_end: Option<LoopEnd>,
}

/// How a row's loop ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoopEnd {
    /// `PROCEED`, or the cause of a degraded end.
    pub(crate) end: String,
    pub(crate) replans: u32,
    /// The number of judged reports.
    pub(crate) judged: usize,
    /// The numbers of the claims in the last report, counted from 1.
    pub(crate) claims: Vec<usize>,
}

impl LoopEnd {
    pub(crate) fn proceeds(&self) -> bool {
        self.end == "PROCEED"
    }
}
