//! Reads cases, labelled claims and reports from files.

mod incidents;
mod labelled;

use std::fmt;

use gsar_core::{Class, EvidenceType};
use gsar_proto::v1;

pub(crate) use incidents::incident_data;
pub(crate) use labelled::{
    CaseLine, ClaimLine, ItemLine, ReportLine, Split, is_json, labelled_data, lines, read,
    static_infra, tool_output,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// To look at while rules are written.
    Tune,
    /// To report on; its rows are never shown.
    Test,
}

impl Part {
    pub(crate) const ALL: [Self; 2] = [Self::Tune, Self::Test];
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tune => "tune",
            Self::Test => "test",
        })
    }
}

/// An incident with its telemetry.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) part: Part,
    /// Its evidence, the alert included.
    pub(crate) evidence: Vec<v1::EvidenceItem>,
}

/// A label of a claim.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The claim's id, unique within what is sent in one call.
    pub(crate) id: String,
    /// The place of its case in [`DataSet::cases`], from 0.
    pub(crate) case: usize,
    pub(crate) text: String,
    /// Its byte range in the report; absent for single claims.
    pub(crate) span: Option<v1::ByteRange>,
    pub(crate) class: Class,
    /// The provenance of its support.
    pub(crate) evidence_type: EvidenceType,
    /// The id of the deciding item, if any.
    pub(crate) evidence: Option<String>,
    /// The deciding words of the item.
    pub(crate) quote: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) mistake: Option<String>,
}

/// A report as prose.
#[derive(Clone, Debug)]
pub(crate) struct Prose {
    /// The place of its case in [`DataSet::cases`], from 0.
    pub(crate) case: usize,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    pub(crate) text: String,
    /// The labels of the claims that are sent with it, in its order; empty if labels are sent alone.
    pub(crate) labels: Vec<Label>,
}

/// Everything that is measured in one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataSet {
    pub(crate) cases: Vec<Case>,
    /// Claims that are sent one by one.
    pub(crate) labels: Vec<Label>,
    /// Reports, each sent whole.
    pub(crate) reports: Vec<Prose>,
}
