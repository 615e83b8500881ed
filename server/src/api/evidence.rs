//! Serves `gsar.v1.EvidenceService`.

use std::time::Duration;

use gsar_core::evidence::EvidenceItem;
use gsar_core::time::Timestamp;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1::evidence_service_server::EvidenceService;
use gsar_proto::v1::put_evidence_request::Part as Message;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming};

use super::admission::stream_refused;
use super::services::{Engines, call};
use crate::attestation::Attestation;
use crate::blocking_work::offload_store;
use crate::evaluate::search_hit;
use crate::evidence::{
    CorpusName, Filter, ItemRef, Part, Put, Query, StoreError, StoredItem, Summary,
};

pub(super) struct Corpora(pub(super) Engines);

/// The maximum number of checked parts that wait to be stored. Bounds a call's memory.
const MAX_WAITING: usize = 2;
const DEFAULT_PAGE: usize = 50;
const MAX_PAGE: u32 = 1000;

enum CheckedPart {
    Item(Box<EvidenceItem>),
    More(Vec<u8>),
    End,
}

impl Corpora {
    fn check(
        limits: &parse::Limits,
        part: Option<Message>,
        attestation: &Attestation,
    ) -> Result<CheckedPart, Status> {
        let mut violations = Violations::default();
        let checked_part = match part {
            Some(Message::Item(item)) => {
                parse::evidence_item(item, limits, &mut violations).map(|mut item| {
                    attestation.attest(&mut item);
                    CheckedPart::Item(Box::new(item))
                })
            }
            Some(Message::More(bytes)) => Some(CheckedPart::More(bytes)),
            Some(Message::Corpus(_)) => {
                violations.add(
                    "corpus",
                    "may be sent only once; each call stores items in a single corpus",
                );
                None
            }
            None => {
                violations.add("part", "is missing; expected `item` or `more`");
                None
            }
        };
        violations.finish(checked_part)
    }
}

#[tonic::async_trait]
impl EvidenceService for Corpora {
    async fn put_evidence(
        &self,
        request: Request<Streaming<v1::PutEvidenceRequest>>,
    ) -> Result<Response<v1::PutEvidenceResponse>, Status> {
        let call = call(request.extensions())?;
        let engine = self.0.for_call(&call);
        let store = engine.stored_evidence()?;
        let mut stream = request.into_inner();
        let (name, time_to_live) = parse_head(stream.message().await?)?;
        let (evidence, corpus_id) = (store.clone(), name.clone());
        let upload = offload_store(&call, move || evidence.put(corpus_id, time_to_live)).await?;
        let (sender, parts) = mpsc::channel(MAX_WAITING);
        let receive = async {
            while let Some(message) = stream.message().await? {
                call.for_next_message()
                    .map_err(|error| stream_refused("EvidenceService/PutEvidence", &error))?;
                let part = Self::check(engine.limits(), message.part, &call.attestation)?;
                // If storing fails, the receiver is gone, and `storing` returns the error.
                if sender.send(part).await.is_err() {
                    return Ok(());
                }
            }
            let _storing_failed = sender.send(CheckedPart::End).await;
            Ok(())
        };
        let storing = offload_store(&call, move || store_parts(upload, parts));
        let ((), (summary, items)) = tokio::try_join!(receive, storing)?;
        tokio::spawn(async move { store.embed_corpus(name).await });
        Ok(Response::new(put_response(corpus(summary), items)))
    }

    async fn get_snapshot(
        &self,
        request: Request<v1::GetSnapshotRequest>,
    ) -> Result<Response<v1::GetSnapshotResponse>, Status> {
        let call = call(request.extensions())?;
        let store = self.0.for_call(&call).stored_evidence()?;
        let (name, item, part) = snapshot_request(request.into_inner())?;
        let snapshot = offload_store(&call, move || store.snapshot(&name, &item, part)).await?;
        let end = snapshot.start + snapshot.content.len() as u64;
        Ok(Response::new(v1::GetSnapshotResponse {
            evidence_id: snapshot.head.id.to_string(),
            kind: snapshot.head.kind.number(),
            lane: snapshot.head.lane.number(),
            tool: snapshot.head.tool,
            key: blake3::Hash::from(snapshot.digest).to_hex().to_string(),
            size: snapshot.size,
            content: snapshot.content,
            bytes: Some(v1::ByteRange { start: snapshot.start, end }),
            step_id: snapshot.head.step_id,
            specialist_id: snapshot.head.specialist_id,
            verification_result: render::verification_result(snapshot.head.verification_result),
            attested: snapshot.head.attested,
        }))
    }

    async fn search(
        &self,
        request: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchResponse>, Status> {
        let call = call(request.extensions())?;
        let engine = self.0.for_call(&call);
        let store = engine.stored_evidence()?;
        let mut violations = Violations::default();
        let search = parse::search(request.into_inner(), engine.limits(), &mut violations);
        let search = violations.finish(search)?;
        let name = corpus_name(&search.corpus_id)?;
        let filter = Filter {
            kinds: search.kinds,
            lanes: search.lanes,
            entities: search.entities,
            window: search.window,
        };
        let (text, max_hits) = (search.query, search.most);
        let by_meaning = search.method != v1::SearchMethod::Lexical;
        let by_terms = search.method != v1::SearchMethod::Vector;
        let (vector, reason) = match by_meaning {
            false => (None, None),
            true => match store.embed_queries(vec![text.clone()]).await {
                Ok(vectors) => (vectors.into_iter().next(), None),
                Err(reason) => (None, Some(reason)),
            },
        };
        let results = offload_store(&call, move || {
            let query = Query { text: &text, vector: vector.as_deref(), by_terms };
            store.search(&name, &query, &filter, max_hits)
        });
        let results = results.await?;
        Ok(Response::new(v1::SearchResponse {
            hits: results.hits.into_iter().map(search_hit).collect(),
            method: results.method.name().to_owned(),
            degraded: reason.or(results.degraded).unwrap_or_default(),
        }))
    }

    async fn list_corpora(
        &self,
        request: Request<v1::ListCorporaRequest>,
    ) -> Result<Response<v1::ListCorporaResponse>, Status> {
        let call = call(request.extensions())?;
        let store = self.0.for_call(&call).stored_evidence()?;
        let request = request.into_inner();
        let mut violations = Violations::default();
        if request.page_size > MAX_PAGE {
            let description = format!("{} is above {MAX_PAGE}; request fewer", request.page_size);
            violations.add("page_size", description);
        }
        let after = match request.page_token.as_str() {
            "" => None,
            token => CorpusName::new(token)
                .map_err(|_| {
                    violations
                        .add("page_token", "is not a token of this list; pass next_page_token")
                })
                .ok(),
        };
        violations.finish(Some(()))?;
        let size = usize::try_from(request.page_size).ok().filter(|size| *size > 0);
        let size = size.unwrap_or(DEFAULT_PAGE);
        let evidence = store.clone();
        let mut corpora =
            offload_store(&call, move || evidence.list(after.as_ref(), size + 1)).await?;
        let (method, degraded) = store.search_method().await;
        let has_more = corpora.len() > size;
        corpora.truncate(size);
        let last = corpora.last().filter(|_| has_more).map(|last| last.name.to_string());
        Ok(Response::new(v1::ListCorporaResponse {
            corpora: corpora.into_iter().map(corpus).collect(),
            next_page_token: last.unwrap_or_default(),
            method: method.name().to_owned(),
            degraded: degraded.unwrap_or_default(),
        }))
    }

    async fn delete_corpus(
        &self,
        request: Request<v1::DeleteCorpusRequest>,
    ) -> Result<Response<v1::DeleteCorpusResponse>, Status> {
        let call = call(request.extensions())?;
        let store = self.0.for_call(&call).stored_evidence()?;
        let name = corpus_name(&request.into_inner().corpus_id)?;
        let deleted = offload_store(&call, move || store.delete(&name)).await?;
        Ok(Response::new(v1::DeleteCorpusResponse { corpus: deleted.map(corpus) }))
    }
}

fn store_parts(
    mut upload: Put,
    mut parts: mpsc::Receiver<CheckedPart>,
) -> Result<(Summary, Vec<StoredItem>), StoreError> {
    while let Some(part) = parts.blocking_recv() {
        match part {
            CheckedPart::Item(item) => upload.start_item(*item)?,
            CheckedPart::More(bytes) => upload.append(&bytes)?,
            CheckedPart::End => return upload.finish(),
        }
    }
    Err(StoreError::InvalidMessage("the call ended before its last message".to_owned()))
}

fn parse_head(
    first: Option<v1::PutEvidenceRequest>,
) -> Result<(CorpusName, Option<Duration>), Status> {
    let mut violations = Violations::default();
    let Some(Message::Corpus(head)) = first.and_then(|message| message.part) else {
        violations.add("corpus", "is missing; the first message of a call must name the corpus");
        return violations.finish(None);
    };
    let time_to_live = match head.time_to_live {
        None => None,
        Some(time_to_live) => match Duration::try_from(time_to_live) {
            Ok(time_to_live) => Some(time_to_live),
            Err(_) => {
                violations.add("corpus.time_to_live", "is negative; expected 0 or more");
                None
            }
        },
    };
    violations.finish(Some(()))?;
    Ok((corpus_name(&head.corpus_id)?, time_to_live))
}

fn corpus_name(name: &str) -> Result<CorpusName, Status> {
    Ok(CorpusName::new(name)?)
}

fn snapshot_request(
    request: v1::GetSnapshotRequest,
) -> Result<(CorpusName, ItemRef, Part), Status> {
    use v1::get_snapshot_request::{Item, Range};
    let mut violations = Violations::default();
    let item = match request.item {
        Some(Item::EvidenceId(id)) => Some(ItemRef::Id(id)),
        Some(Item::Key(key)) => match blake3::Hash::from_hex(&key) {
            Ok(digest) => Some(ItemRef::Digest(*digest.as_bytes())),
            Err(_) => {
                violations.add("key", "is not a BLAKE3 digest; expected 64 hexadecimal digits");
                None
            }
        },
        None => {
            violations.add("item", "is missing; expected evidence_id or key");
            None
        }
    };
    let part = match request.range {
        None => Part::Head,
        Some(Range::Bytes(range)) => {
            if range.start > range.end {
                violations.add("bytes", "ends before it starts; swap start and end");
            }
            Part::Bytes(range.start, range.end)
        }
        Some(Range::Lines(range)) => {
            if range.first == 0 || range.first > range.last {
                violations.add(
                    "lines",
                    "is not a valid line range; lines are numbered from 1, and the last line is included",
                );
            }
            Part::Lines(range.first, range.last)
        }
    };
    let item = violations.finish(item)?;
    Ok((corpus_name(&request.corpus_id)?, item, part))
}

pub(super) fn corpus(summary: Summary) -> v1::CorpusSummary {
    let timestamp = |micros| render::timestamp(Timestamp::from_micros(micros));
    v1::CorpusSummary {
        corpus_id: summary.name.to_string(),
        items: summary.items,
        passages: summary.passages,
        size: summary.size,
        created_at: Some(timestamp(summary.created_at)),
        expires_at: summary.expires_at.map(timestamp),
        embedded: summary.embedded_by.is_some(),
    }
}

/// Builds the response. It lists items only up to a size that every client accepts.
fn put_response(corpus: v1::CorpusSummary, items: Vec<StoredItem>) -> v1::PutEvidenceResponse {
    const MAX_BYTES: usize = 1 << 20;
    let count = |predicate: fn(&StoredItem) -> bool| {
        items.iter().filter(|item| predicate(item)).count() as u64
    };
    let mut answer = v1::PutEvidenceResponse {
        corpus: Some(corpus),
        unchanged_items: count(|item| item.unchanged),
        duplicate_items: count(|item| item.same_as.is_some()),
        ..v1::PutEvidenceResponse::default()
    };
    let total = items.len();
    let mut bytes = 0;
    for item in items.into_iter().map(stored_item) {
        bytes += item.encoded_len();
        if bytes > MAX_BYTES {
            break;
        }
        answer.items.push(item);
    }
    answer.more_items = (total - answer.items.len()) as u64;
    answer
}

fn stored_item(item: StoredItem) -> v1::StoredItem {
    v1::StoredItem {
        evidence_id: item.id,
        key: blake3::Hash::from(item.digest).to_hex().to_string(),
        size: item.size,
        passages: item.passages,
        lines: item.lines,
        repeated_lines: item.repeated_lines,
        same_as: item.same_as.unwrap_or_default(),
        unchanged: item.unchanged,
    }
}
