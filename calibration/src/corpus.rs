//! Stores evidence in a server corpus.

use anyhow::Result;
use gsar_client::Client;
use gsar_proto::v1;

pub(crate) async fn store(
    client: &Client,
    corpus: &str,
    items: impl Iterator<Item = v1::EvidenceItem>,
) -> Result<()> {
    use v1::put_evidence_request::Part;
    let head = v1::CorpusHead { corpus_id: corpus.to_owned(), time_to_live: None };
    let parts = std::iter::once(Part::Corpus(head)).chain(items.map(Part::Item));
    let parts: Vec<_> = parts.map(|part| v1::PutEvidenceRequest { part: Some(part) }).collect();
    client.put_evidence(parts.into_iter()).await?;
    Ok(())
}
