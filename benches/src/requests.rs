//! Builds the requests for the service figures.
//!
//! The incident in `data/` is about a queue worker whose prefetch count is too large for its memory. It has six
//! items, 4 KiB in total, and 20 claims, of which one is contradicted and two are unsupported.

use gsar_core::{Class, EvidenceType};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1::evidence_item::Content;
use gsar_proto::v1::score_request::Partition;
use gsar_proto::v1::{
    Claim, ClaimCount, EvaluateRequest, EvidenceItem, EvidenceKind, EvidenceLane, PartitionCounts,
    Report, ScoreRequest,
};

const POLICY: &str = "reference";

/// Builds a request with 20 claims and 4 KiB of evidence, for the rules.
pub fn evaluate() -> EvaluateRequest {
    let claims = include_str!("../data/claims.txt").lines().enumerate().map(|(index, text)| {
        Claim { id: format!("c{}", index + 1), text: text.to_owned(), span: None }
    });
    EvaluateRequest {
        report: Some(Report {
            id: "invoice-worker-oom".to_owned(),
            claims: claims.collect(),
            ..Report::default()
        }),
        evidence: evidence(),
        policy: POLICY.to_owned(),
        ..EvaluateRequest::default()
    }
}

/// Builds a request with the counts of 20 claims.
pub fn score() -> ScoreRequest {
    let counts = [
        (Class::Grounded, EvidenceType::ToolMatch, 9),
        (Class::Grounded, EvidenceType::SpecificData, 4),
        (Class::Grounded, EvidenceType::SignalMatch, 2),
        (Class::Grounded, EvidenceType::Synthesis, 1),
        (Class::Complementary, EvidenceType::ComplementaryFinding, 1),
        (Class::Ungrounded, EvidenceType::Inference, 2),
        (Class::Contradicted, EvidenceType::ToolMatch, 1),
    ];
    let counts = counts.into_iter().map(|(class, evidence_type, count)| ClaimCount {
        class: class.number(),
        r#type: evidence_type.number(),
        count,
        undecided: false,
    });
    ScoreRequest {
        partition: Some(Partition::Counts(PartitionCounts { counts: counts.collect() })),
        policy: POLICY.to_owned(),
        ..ScoreRequest::default()
    }
}

fn evidence() -> Vec<EvidenceItem> {
    let text = |text: &str| Content::Text(text.to_owned());
    let json = |text: &str| Content::Json(text.to_owned());
    [
        (
            "pods",
            EvidenceLane::StaticInfra,
            "kubectl get pods -n billing -l app=invoice-worker -o json",
            json(include_str!("../data/pods.json")),
        ),
        (
            "log",
            EvidenceLane::Logs,
            "kubectl logs -n billing invoice-worker-6c8f7d9b5-r7vqn --since=1h",
            text(include_str!("../data/worker.log")),
        ),
        (
            "queue",
            EvidenceLane::Metrics,
            r#"promtool query range --step=5m http://prometheus:9090 rabbitmq_queue_messages_ready{vhost="billing"}"#,
            json(include_str!("../data/queue_depth.json")),
        ),
        (
            "memory",
            EvidenceLane::Metrics,
            r#"promtool query range --step=5m http://prometheus:9090 container_memory_working_set_bytes{namespace="billing"}"#,
            json(include_str!("../data/memory.json")),
        ),
        (
            "events",
            EvidenceLane::Logs,
            "kubectl get events -n billing",
            text(include_str!("../data/events.txt")),
        ),
        (
            "rollout",
            EvidenceLane::Change,
            "kubectl rollout history -n billing deployment/invoice-worker",
            text(include_str!("../data/rollout.txt")),
        ),
    ]
    .into_iter()
    .map(|(id, lane, tool, content)| EvidenceItem {
        id: id.to_owned(),
        kind: EvidenceKind::ToolOutput.into(),
        lane: lane.into(),
        tool: tool.to_owned(),
        content: Some(content),
        ..EvidenceItem::default()
    })
    .collect()
}
