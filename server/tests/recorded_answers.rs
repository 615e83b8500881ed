//! Replays the recorded judge and second-look answers for the incidents in `datasets/`, and compares the tiers.

use std::collections::HashMap;
use std::fs;

use futures_util::{StreamExt as _, stream};
use gsar_datasets::{Incident, ReportKind, folder, incidents};
use gsar_proto::v1;
use gsar_server::config::Model;
use serde::Deserialize;

use crate::lies::cases::evidence;
use crate::support::TestServer;
use crate::support::recorded_model::RecordedModel;

const NAME: &str = "openai-compatible:recorded";
const CONCURRENCY: usize = 8;

#[derive(Deserialize)]
struct TierLine {
    incident: String,
    report: String,
    tier: String,
}

struct Report {
    incident: String,
    kind: ReportKind,
    text: String,
    evidence: Vec<v1::EvidenceItem>,
}

impl Report {
    fn read(incident: &Incident, kind: ReportKind) -> Self {
        Self {
            incident: incident.name.clone(),
            kind,
            text: fs::read_to_string(incident.report(kind)).unwrap(),
            evidence: evidence(incident),
        }
    }

    async fn tier(&self, server: &TestServer) -> String {
        let report = v1::Report { synthesis: self.text.clone(), ..v1::Report::default() };
        let request = v1::EvaluateRequest {
            report: Some(report),
            evidence: self.evidence.clone(),
            policy: "reference".to_owned(),
            ..v1::EvaluateRequest::default()
        };
        let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
        let tier = answer.decision.unwrap().tier().as_str_name();
        tier.trim_start_matches("TIER_").to_lowercase()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_answers_reproduce_the_recorded_tiers() {
    let incidents = incidents().unwrap();
    let reports: Vec<Report> = incidents
        .iter()
        .flat_map(|incident| ReportKind::ALL.map(|kind| Report::read(incident, kind)))
        .collect();
    let model_folder = tempfile::tempdir().unwrap();
    let recorded_model = RecordedModel::start(model_folder.path());
    let model = Model {
        base_url: Some(recorded_model.url.clone()),
        hide: Some(false),
        attempts: 1,
        canary: false,
        ..Model::default()
    };
    let server = TestServer::with(|config| {
        config.judges.chain = vec![NAME.to_owned()];
        config.judges.second_look = "same".to_owned();
        config.judges.models.insert(NAME.to_owned(), model);
        config.ledger.durable = false;
    })
    .await;
    let tiers = fs::read_to_string(folder().join("answers/tiers.jsonl")).unwrap();
    let recorded: HashMap<(String, String), String> = tiers
        .lines()
        .map(|line| serde_json::from_str::<TierLine>(line).unwrap())
        .map(|line| ((line.incident, line.report), line.tier))
        .collect();
    let tiers: Vec<(&Report, String)> = stream::iter(&reports)
        .map(async |report| (report, report.tier(&server).await))
        .buffered(CONCURRENCY)
        .collect()
        .await;
    let mut proceeding = HashMap::new();
    for (report, tier) in &tiers {
        let key = (report.incident.clone(), report.kind.name().to_owned());
        assert_eq!(recorded.get(&key), Some(tier), "{} {}", key.0, key.1);
        *proceeding.entry(report.kind.name()).or_insert(0) += usize::from(tier == "proceed");
    }
    // The faithful report that is held back contains a stock figure that changed later. The two overreaching reports
    // that proceed only invent an impact.
    assert_eq!(
        proceeding,
        HashMap::from([("faithful", 15), ("overreaching", 2), ("contradicted", 0)])
    );
}
