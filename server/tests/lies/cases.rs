//! Requests for the labelled reports, with the honest answer to each.

use gsar_core::evidence::{Citation, EvidenceId, EvidenceKind, Lane, Target};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use gsar_datasets::{Incident, Label, ReportKind, incidents};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use serde::Deserialize;

#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub request: v1::EvaluateRequest,
    pub honest: Vec<JudgedClaim>,
}

impl Case {
    /// Returns the case with only the kept claims, and without any text outside claims.
    pub fn with_claims(&self, kept_claims: &[bool]) -> Self {
        let is_kept = |index: usize| kept_claims.get(index).copied().unwrap_or(false);
        let mut request = self.request.clone();
        let report = request.report.as_mut().unwrap();
        report.synthesis.clear();
        let claims = std::mem::take(&mut report.claims);
        report.claims = keep_indices(claims, is_kept);
        Self {
            name: self.name.clone(),
            request,
            honest: keep_indices(self.honest.clone(), is_kept),
        }
    }

    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.honest.iter().map(|judged| &judged.claim)
    }
}

fn keep_indices<T>(values: Vec<T>, is_kept: impl Fn(usize) -> bool) -> Vec<T> {
    values
        .into_iter()
        .enumerate()
        .filter(|(index, _)| is_kept(*index))
        .map(|(_, value)| value)
        .collect()
}

/// Returns the cases for the three reports on each incident outside the test set.
pub fn cases() -> Vec<Case> {
    let incidents = incidents().unwrap();
    let open_incidents = incidents.iter().filter(|incident| !incident.is_test);
    open_incidents.flat_map(|incident| ReportKind::ALL.map(|kind| case(incident, kind))).collect()
}

fn case(incident: &Incident, kind: ReportKind) -> Case {
    let labels = incident.labels(kind).unwrap();
    let honest: Vec<JudgedClaim> = labels.iter().enumerate().map(honest).collect();
    let claims = honest.iter().map(|judged| v1::Claim {
        id: judged.claim.id.to_string(),
        text: judged.claim.text.clone(),
        span: None,
    });
    let report = v1::Report {
        synthesis: std::fs::read_to_string(incident.report(kind)).unwrap(),
        claims: claims.collect(),
        ..Default::default()
    };
    let request = v1::EvaluateRequest {
        report: Some(report),
        evidence: evidence(incident),
        ..Default::default()
    };
    Case { name: format!("{} {}", incident.name, kind.name()), request, honest }
}

fn honest((number, label): (usize, &Label)) -> JudgedClaim {
    let class = Class::from_name(&label.class).unwrap();
    let cited_id = label.evidence.as_ref().filter(|_| class != Class::Ungrounded);
    let quote = label.quote.as_deref().unwrap_or_default();
    let claim = Claim::new(ClaimId::new(format!("c{number}")).unwrap(), &label.text);
    JudgedClaim {
        citations: cited_id.map(|id| citation(id, "", quote)).into_iter().collect(),
        ..JudgedClaim::new(claim, class, EvidenceType::from_name(&label.evidence_type).unwrap())
    }
}

pub fn citation(id: &str, field_path: &str, quote: &str) -> Citation {
    let id = EvidenceId::new(id).unwrap();
    Citation {
        target: Target::Evidence { id, field_path: field_path.to_owned() },
        quote: quote.to_owned(),
        bytes: None,
    }
}

#[derive(Deserialize)]
struct EvidenceFile {
    item: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    file: String,
    id: String,
    kind: String,
    lane: String,
    tool: String,
    #[serde(default)]
    exhaustive: bool,
}

pub fn evidence(incident: &Incident) -> Vec<v1::EvidenceItem> {
    let folder = incident.evidence();
    let text = std::fs::read_to_string(folder.join("evidence.toml")).unwrap();
    let evidence_file: EvidenceFile = toml::from_str(&text).unwrap();
    let item = |entry: Entry| {
        use v1::evidence_item::Content;
        let text = std::fs::read_to_string(folder.join(&entry.file)).unwrap();
        let is_json = entry.file.ends_with(".json");
        v1::EvidenceItem {
            id: entry.id,
            kind: EvidenceKind::from_name(&entry.kind).unwrap().number(),
            lane: Lane::from_name(&entry.lane).unwrap().number(),
            tool: entry.tool,
            content: Some(if is_json { Content::Json(text) } else { Content::Text(text) }),
            exhaustive: entry.exhaustive,
            ..Default::default()
        }
    };
    evidence_file.item.into_iter().map(item).collect()
}

pub fn content(item: &v1::EvidenceItem) -> &str {
    use v1::evidence_item::Content;
    match item.content.as_ref().unwrap() {
        Content::Text(text) | Content::Json(text) => text,
        Content::CheckRun(run) => &run.output,
    }
}
