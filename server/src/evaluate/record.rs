//! Records evaluations in the ledger.

use gsar_core::evidence::EvidenceItem;
use gsar_core::time::Timestamp;
use gsar_proto::{parse, render, v1};
use prost::Message as _;
use tonic::Status;

use super::ChosenPolicy;
use super::answer::decision_or_shadow;
use super::warnings::FALLBACK_JUDGE;
use crate::errors;
use crate::ledger::{Content, Ledger, LedgerError, NewEvent, Record, Recorded};
use crate::wall_clock;

/// The maximum size of an item's recorded head, in bytes.
const MAX_HEAD_BYTES: usize = 1024;

#[derive(Debug)]
pub(super) struct RequestKey {
    key: Option<String>,
    digest: [u8; 32],
}

impl RequestKey {
    pub(super) const fn without_key() -> Self {
        Self { key: None, digest: [0; 32] }
    }

    pub(super) fn new(request: &v1::EvaluateRequest) -> Self {
        let key = (!request.idempotency_key.is_empty()).then(|| request.idempotency_key.clone());
        // Requests without a key are never compared.
        let digest = key.as_ref().map(|_| *blake3::hash(&request.encode_to_vec()).as_bytes());
        Self { key, digest: digest.unwrap_or_default() }
    }
}

pub(super) async fn replay(
    ledger: &dyn Ledger,
    RequestKey { key, digest }: &RequestKey,
) -> Result<Option<v1::EvaluateResponse>, Status> {
    let Some(key) = key else { return Ok(None) };
    let response = ledger.find_by_key(key, *digest).await?;
    response.map(|bytes| decode(&bytes)).transpose()
}

#[derive(Clone)]
pub(super) struct RecordedRequest {
    report_id: String,
    investigation_id: String,
    report: Vec<u8>,
    heads: Vec<v1::RecordedEvidence>,
}

impl RecordedRequest {
    pub(super) fn new(request: &v1::EvaluateRequest, report: Vec<u8>) -> Self {
        Self {
            report_id: request.report.as_ref().map(|report| report.id.clone()).unwrap_or_default(),
            investigation_id: request.investigation_id.clone(),
            report,
            heads: heads(&request.evidence),
        }
    }

    pub(super) fn with_report(&self, report: &v1::Report) -> Self {
        let encoded = report.encode_to_vec();
        Self { report_id: report.id.clone(), report: encoded, ..self.clone() }
    }

    pub(super) fn report_digest(&self) -> String {
        digest(&self.report)
    }
}

pub(super) fn encoded_report(request: &v1::EvaluateRequest) -> Vec<u8> {
    request.report.as_ref().map(prost::Message::encode_to_vec).unwrap_or_default()
}

pub(super) async fn record(
    ledger: &dyn Ledger,
    RequestKey { key, digest }: RequestKey,
    request: RecordedRequest,
    contents: Vec<Content>,
    policy: &ChosenPolicy,
    mut answer: v1::EvaluateResponse,
    event: Option<NewEvent>,
) -> Result<v1::EvaluateResponse, Status> {
    if let Some(provenance) = &mut answer.provenance {
        provenance.recorded = true;
    }
    let provenance = answer.provenance.as_ref();
    let judge = provenance.and_then(|provenance| provenance.judges.last());
    let RecordedRequest { report_id, investigation_id, report, mut heads } = request;
    let digests = provenance.iter().flat_map(|provenance| &provenance.evidence);
    for (head, digest) in heads.iter_mut().zip(digests) {
        head.digest.clone_from(&digest.digest);
        head.size = digest.size;
        head.attested = digest.attested;
        head.is_whole = !contents.is_empty();
    }
    let evidence = v1::GetEvaluationResponse { evidence: heads, ..Default::default() };
    let evaluated_at = provenance.and_then(|provenance| provenance.evaluated_at);
    let grounded_claims =
        answer.claims.iter().filter(|claim| claim.class() == v1::ClaimClass::Grounded);
    let record = Record {
        evaluation_id: answer.evaluation_id.clone(),
        evaluated_at_micros: evaluated_at
            .map_or(0, |time| time.seconds * 1_000_000 + i64::from(time.nanos) / 1_000),
        report_id,
        investigation_id,
        policy: policy.policy.name.clone(),
        judge: judge.map(|link| link.judge.clone()).unwrap_or_default(),
        outcome: answer.outcome,
        tier: decision_or_shadow(&answer).map_or(0, |decision| decision.tier),
        score: answer.score.map(|score| (score.numerator, score.denominator)),
        claims: saturating_u32(answer.claims.len()),
        grounded: Some(saturating_u32(grounded_claims.count())),
        in_shadow: answer.shadow.as_ref().is_some_and(|shadow| shadow.decision.is_some()),
        fell_back: answer.warnings.iter().any(|warning| warning.code == FALLBACK_JUDGE),
        idempotency_key: key,
        request_digest: digest,
        report,
        response: answer.encode_to_vec(),
        evidence: evidence.encode_to_vec(),
        contents,
        policy_toml: policy.toml(),
        event,
    };
    match ledger.record(record).await? {
        Recorded::New => Ok(answer),
        Recorded::Replayed { response } => decode(&response),
    }
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn decode(bytes: &[u8]) -> Result<v1::EvaluateResponse, Status> {
    v1::EvaluateResponse::decode(bytes)
        .map_err(|error| errors::ledger_unavailable(&format!("invalid record: {error}")))
}

impl From<LedgerError> for Status {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::KeyReused { .. } => errors::key_reused(),
            LedgerError::StepTaken { .. } => errors::not_due(&error.to_string()),
            error => errors::ledger_unavailable(&error.to_string()),
        }
    }
}

fn heads(evidence: &[v1::EvidenceItem]) -> Vec<v1::RecordedEvidence> {
    let head = |item: &v1::EvidenceItem| {
        let item = parse::normalize_item(item);
        let content = content(&item);
        let end = content.floor_char_boundary(MAX_HEAD_BYTES);
        v1::RecordedEvidence {
            id: item.id.clone(),
            kind: item.kind,
            lane: item.lane,
            tool: item.tool.clone(),
            head: content.get(..end).unwrap_or_default().to_owned(),
            step_id: item.step_id.clone(),
            specialist_id: item.specialist_id.clone(),
            verification_result: item.verification_result,
            query: item.query.clone(),
            collected_at: item.collected_at,
            exhaustive: item.exhaustive,
            is_json: matches!(item.content, Some(v1::evidence_item::Content::Json(_))),
            ..v1::RecordedEvidence::default()
        }
    };
    evidence.iter().map(head).collect()
}

pub(super) fn digest_evidence(
    evidence: &[EvidenceItem],
    store_contents: bool,
) -> (Vec<v1::EvidenceDigest>, Vec<Content>) {
    let (digests, hashes): (Vec<_>, Vec<_>) = evidence.iter().map(digest_item).unzip();
    let pack = |(item, hash): (&EvidenceItem, blake3::Hash)| {
        Content::new(*hash.as_bytes(), item.content.as_str())
    };
    let contents = match store_contents {
        true => evidence.iter().zip(hashes).map(pack).collect(),
        false => Vec::new(),
    };
    (digests, contents)
}

pub(crate) fn evidence_item(item: v1::RecordedEvidence, content: String) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: item.id,
        kind: item.kind,
        lane: item.lane,
        tool: item.tool,
        query: item.query,
        content: Some(match item.is_json {
            true => v1::evidence_item::Content::Json(content),
            false => v1::evidence_item::Content::Text(content),
        }),
        collected_at: item.collected_at,
        exhaustive: item.exhaustive,
        step_id: item.step_id,
        specialist_id: item.specialist_id,
        verification_result: item.verification_result,
    }
}

pub(super) fn provenance(report_digest: String, evaluated_at: Timestamp) -> v1::Provenance {
    v1::Provenance {
        report_digest,
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
        evaluated_at: Some(render::timestamp(evaluated_at)),
        ..v1::Provenance::default()
    }
}

pub(super) fn digest_item(item: &EvidenceItem) -> (v1::EvidenceDigest, blake3::Hash) {
    let content = item.content.as_str();
    let hash = blake3::hash(content.as_bytes());
    let digest = v1::EvidenceDigest {
        evidence_id: item.id.to_string(),
        digest: hash.to_hex().to_string(),
        size: content.len() as u64,
        attested: item.attested,
    };
    (digest, hash)
}

pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn content(item: &v1::EvidenceItem) -> &str {
    match &item.content {
        Some(v1::evidence_item::Content::Text(text) | v1::evidence_item::Content::Json(text)) => {
            text
        }
        // A request with an invalid check run is rejected before it is recorded.
        Some(v1::evidence_item::Content::CheckRun(_)) | None => "",
    }
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_micros(wall_clock::now_micros())
}
