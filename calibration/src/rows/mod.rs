//! Rows of claims with gold classes and evidence, from files in several formats.

mod aiopslab;
mod claims;
mod composed;
mod file;
mod hotpot;
mod label;
mod labelled;
mod parquet;
mod select;
mod spans;

use anyhow::Result;
use clap::ValueEnum;
use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::names;
use gsar_proto::v1;
use serde::{Deserialize, Serialize};

use crate::arguments::RowArgs;
use crate::baselines::content;
use crate::data_set::{ItemLine, is_json, message, static_infra, tool_output};
use crate::judgement::Judgement;
use crate::names;
pub(crate) use file::{RowFile, open};
pub(crate) use label::{Gold, is_faulty};
use select::{Selection, select};

/// Opens the files, and draws or composes their rows.
pub(crate) fn rows(args: &RowArgs) -> Result<(Vec<RowFile>, Vec<Row>)> {
    let RowArgs { files, mode, part, sample, seed } = args;
    let files: Vec<RowFile> =
        files.iter().map(|path| open(path, part.as_deref())).collect::<Result<_>>()?;
    let rows = select(&files, Selection { mode: *mode, count: *sample, seed: *seed })?;
    Ok((files, rows))
}

/// Returns the rows as JSON lines in the native format.
pub(crate) fn native(args: &RowArgs) -> Result<String> {
    let (_, rows) = rows(args)?;
    rows.iter().map(|row| Ok(serde_json::to_string(row)? + "\n")).collect()
}

/// See docs/CALIBRATION.md, "Rows", for the serialized form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) id: String,
    /// If empty, the claims form the report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) report: String,
    pub(crate) claims: Vec<GoldClaim>,
    pub(crate) evidence: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoldClaim {
    pub(crate) text: String,
    pub(crate) gold: Gold,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) judged: Option<Judgement>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    pub(crate) id: String,
    #[serde(with = "names::kind", default = "tool_output")]
    pub(crate) kind: EvidenceKind,
    #[serde(with = "names::lane", default = "static_infra")]
    pub(crate) lane: Lane,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) tool: String,
    #[serde(alias = "content")]
    pub(crate) text: String,
    /// `true` to send the text as a JSON document.
    #[serde(skip)]
    pub(crate) is_json: bool,
    /// The complete message, if the item was created from one.
    #[serde(skip)]
    whole: Option<Box<v1::EvidenceItem>>,
}

impl GoldClaim {
    pub(crate) fn unjudged(text: impl Into<String>, gold: Gold) -> Self {
        Self { text: text.into(), gold, judged: None }
    }
}

impl Row {
    /// Returns the report's text, or else the claims joined into one text.
    pub(crate) fn text(&self) -> String {
        if !self.report.is_empty() {
            return self.report.clone();
        }
        let texts: Vec<&str> = self.claims.iter().map(|claim| claim.text.as_str()).collect();
        texts.join(" ")
    }
}

impl From<ItemLine> for Item {
    fn from(line: ItemLine) -> Self {
        let ItemLine { id, kind, lane, tool, content, query: _ } = line;
        Self { kind, lane, tool, is_json: is_json(&content), ..Self::text(id, content) }
    }
}

impl Item {
    pub(crate) fn text(id: String, text: String) -> Self {
        let (kind, lane) = (tool_output(), static_infra());
        Self { id, kind, lane, tool: String::new(), text, is_json: false, whole: None }
    }

    /// Creates a text item whose first line is the title, if there is one.
    pub(crate) fn titled(id: String, title: Option<&str>, text: String) -> Self {
        match title {
            None | Some("") => Self::text(id, text),
            Some(title) => Self::text(id, format!("{title}\n{text}")),
        }
    }

    pub(crate) fn from_message(item: v1::EvidenceItem) -> Self {
        let text = content(&item).to_owned();
        Self { whole: Some(Box::new(item.clone())), ..Self::text(item.id, text) }
    }

    pub(crate) fn message(&self) -> v1::EvidenceItem {
        if let Some(whole) = self.whole.as_deref() {
            return v1::EvidenceItem { id: self.id.clone(), ..whole.clone() };
        }
        let message = message(self.id.clone(), self.text.clone(), self.is_json);
        message.kind(self.kind).lane(self.lane).tool(&self.tool).into()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Rows as in the files
    #[default]
    Single,
    /// Reports composed of supported claims only
    Distill,
    /// Reports composed of supported, open and refuted claims, about half of them with an alternative
    Adversarial,
}

names!(Mode { Single => "single", Distill => "distill", Adversarial => "adversarial" });
