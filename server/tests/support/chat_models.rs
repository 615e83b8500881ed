//! Chat models for a test server, served by fake providers.

use std::collections::BTreeMap;

use gsar_chat_wire::{KEY, ScriptedReply, Server, Wire};
use gsar_proto::v1;
use gsar_server::config::{Config, Model};
use tempfile::TempDir;
use tonic::transport::Channel;

use super::{TestServer, item};

/// The response of an honest model to [`request_for`].
pub const HONEST: &str = r#"{"claims": [{"id": "c1", "class": "grounded", "type": "tool_match",
    "citations": [{"evidence": "E1", "field_path": null, "quote": "the pool size is 20"}], "note": "as quoted"}],
    "score": 0.9, "explanation": "one claim", "gaps": [], "contradictions": [], "abstain": null}"#;

pub struct Models {
    folder: TempDir,
    models: BTreeMap<String, Model>,
}

impl Models {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("key"), KEY).unwrap();
        Self { folder, models: BTreeMap::new() }
    }

    /// Adds a model that, unless `change` says otherwise, makes one attempt per call and has no canary.
    pub fn with(self, name: &str, provider: &Server, change: impl FnOnce(&mut Model)) -> Self {
        self.with_wire(name, provider, Wire::OpenAi, change)
    }

    pub fn with_wire(
        mut self,
        name: &str,
        provider: &Server,
        wire: Wire,
        change: impl FnOnce(&mut Model),
    ) -> Self {
        let mut model = Model {
            base_url: Some(provider.base_url(wire)),
            key_file: Some(self.folder.path().join("key")),
            attempts: 1,
            canary: false,
            ..Model::default()
        };
        change(&mut model);
        self.models.insert(name.to_owned(), model);
        self
    }

    /// Starts a server whose chain consists of these models, sorted by name, followed by `rules/2`.
    pub async fn start(self, change: impl FnOnce(&mut Config)) -> TestServer {
        let names = self.models.keys().cloned();
        let server = TestServer::with(|config| {
            config.judges.chain = names.chain(["rules/2".to_owned()]).collect();
            config.judges.models.clone_from(&self.models);
            config.ledger.durable = false;
            // Most tests are about the judge alone.
            config.judges.second_look = gsar_server::config::NO_READER.to_owned();
            change(config);
        });
        server.await
    }
}

/// Returns a request with one claim. It names this judge, or uses the whole chain if the name is empty.
pub fn request_for(judge: &str) -> v1::EvaluateRequest {
    let mut request =
        request(&[("c1", "The pool size is 20.")], vec![item("log", "the pool size is 20")]);
    request.report.get_or_insert_default().id.clear();
    request.options.get_or_insert_default().judge = judge.to_owned();
    request
}

pub async fn evaluate(
    channel: &Channel,
    request: v1::EvaluateRequest,
) -> Result<v1::EvaluateResponse, tonic::Status> {
    let mut client = v1::grounding_service_client::GroundingServiceClient::new(channel.clone());
    client.evaluate(request).await.map(tonic::Response::into_inner)
}

pub fn proceeds(answer: &v1::EvaluateResponse) -> bool {
    answer.decision.as_ref().is_some_and(|decision| decision.tier() == v1::Tier::Proceed)
}

/// Returns the failure code of each judge that was called. The code is empty if the judge succeeded.
pub fn codes(answer: &v1::EvaluateResponse) -> Vec<&str> {
    let judges = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
    judges.map(|link| link.code.as_str()).collect()
}

/// Checks that an evaluation failed and has no results, and returns the failure code of its only judge.
pub fn failure_code(answer: &v1::EvaluateResponse) -> &str {
    let decision = answer.decision.as_ref().expect("the answer contains a decision");
    assert_eq!((answer.outcome(), decision.tier()), (v1::Outcome::Failed, v1::Tier::Abstain));
    assert!(answer.score.is_none() && answer.guarded_score.is_none() && answer.claims.is_empty());
    assert!(decision.reasons.iter().any(|reason| reason.code == "JUDGE_FAILED"));
    let [code] = codes(answer).try_into().expect("exactly one judge was called");
    code
}

/// Builds a model's response from tuples of claim id, class, item label and quote. If the quote is empty, the claim
/// has no citation.
pub fn verdict(claims: &[(&str, &str, &str, &str)]) -> String {
    let claims: Vec<serde_json::Value> = claims
        .iter()
        .map(|(id, class, label, quote)| {
            let citations = match *quote {
                "" => serde_json::json!([]),
                quote => serde_json::json!([{"evidence": label, "field_path": null, "quote": quote}]),
            };
            let note = "as quoted";
            serde_json::json!({"id": id, "class": class, "type": "tool_match", "role": "observation", "citations": citations, "note": note})
        })
        .collect();
    serde_json::json!({
        "claims": claims, "score": 0.9, "explanation": "two claims", "gaps": [], "contradictions": [], "abstain": null
    })
    .to_string()
}

/// Returns a reply whose content is built by [`verdict`].
pub fn reply(claims: &[(&str, &str, &str, &str)]) -> ScriptedReply {
    ScriptedReply::answer(&verdict(claims))
}

/// Returns a request that contains these claims and bypasses the cache.
pub fn request(claims: &[(&str, &str)], evidence: Vec<v1::EvidenceItem>) -> v1::EvaluateRequest {
    let claims: Vec<v1::Claim> = claims
        .iter()
        .map(|(id, text)| v1::Claim {
            id: (*id).to_owned(),
            text: (*text).to_owned(),
            ..Default::default()
        })
        .collect();
    v1::EvaluateRequest {
        report: Some(v1::Report { id: "r1".to_owned(), claims, ..Default::default() }),
        evidence,
        policy: "reference".to_owned(),
        options: Some(v1::EvaluateOptions { bypass_cache: true, ..Default::default() }),
        ..Default::default()
    }
}
