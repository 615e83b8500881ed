//! Reads cases, labelled claims and reports.

mod incidents;
mod labelled;

use std::fmt;

use gsar_core::{Class, EvidenceType, names};
use gsar_proto::v1;

pub(crate) use incidents::incident_data;
pub(crate) use labelled::{
    CaseLine, ClaimLine, ItemLine, ReportLine, Split, is_json, labelled_data, lines, message, read,
    static_infra, tool_output,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// May be inspected while rules are written.
    Tune,
    /// Held out. Its rows are never shown individually.
    Test,
}

names!(Part { Tune => "tune", Test => "test" });

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) part: Part,
    /// The evidence, including the alert.
    pub(crate) evidence: Vec<v1::EvidenceItem>,
}

#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) id: String,
    pub(crate) case: usize,
    pub(crate) text: String,
    /// The claim's position in the report; `None` for a claim without a report.
    pub(crate) span: Option<v1::ByteRange>,
    pub(crate) class: Class,
    pub(crate) evidence_type: EvidenceType,
    /// The id of the item that decides the claim, if any.
    pub(crate) evidence: Option<String>,
    pub(crate) quote: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) mistake: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Prose {
    pub(crate) case: usize,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    pub(crate) text: String,
    /// The labelled claims sent with the report, in the order of the text. Empty if the report is sent without
    /// claims.
    pub(crate) labels: Vec<Label>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DataSet {
    pub(crate) cases: Vec<Case>,
    pub(crate) labels: Vec<Label>,
    pub(crate) reports: Vec<Prose>,
}
