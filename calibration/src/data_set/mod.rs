//! This module reads cases, labelled claims and reports of every source from files. It knows no server.

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

/// Which part of the data a case belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// To look at while rules are written.
    Tune,
    /// To report on; its rows are never shown.
    Test,
}

impl Part {
    /// Both parts.
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
    /// Its name.
    pub(crate) name: String,
    /// Where it belongs.
    pub(crate) part: Part,
    /// Its evidence, the alert included.
    pub(crate) evidence: Vec<v1::EvidenceItem>,
}

/// What a person says of one claim.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The claim's id, unique within what is sent in one call.
    pub(crate) id: String,
    /// The place of its case in [`DataSet::cases`], from 0.
    pub(crate) case: usize,
    /// The claim.
    pub(crate) text: String,
    /// Its bytes in the report that it was taken from; absent for claims that stand alone.
    pub(crate) span: Option<v1::ByteRange>,
    /// Its class.
    pub(crate) class: Class,
    /// The provenance of its support.
    pub(crate) evidence_type: EvidenceType,
    /// The item that decides, where one does.
    pub(crate) evidence: Option<String>,
    /// The words of the item that decide.
    pub(crate) quote: Option<String>,
    /// How the claim came to be: `natural`, `edited` or `written`, where known.
    pub(crate) origin: Option<String>,
    /// What is wrong with it: `wrong_value` and so on, where something is.
    pub(crate) mistake: Option<String>,
}

/// A report as prose.
#[derive(Clone, Debug)]
pub(crate) struct Prose {
    /// The place of its case in [`DataSet::cases`], from 0.
    pub(crate) case: usize,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    /// Its text.
    pub(crate) text: String,
    /// The labels of the claims that are sent with it, in its order; empty where labels are sent alone.
    pub(crate) labels: Vec<Label>,
}

/// Everything that is measured in one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataSet {
    /// The cases.
    pub(crate) cases: Vec<Case>,
    /// Claims that are sent one by one.
    pub(crate) labels: Vec<Label>,
    /// Reports, each sent whole.
    pub(crate) reports: Vec<Prose>,
}
