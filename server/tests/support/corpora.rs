//! Requests that upload and search evidence.

use std::vec::IntoIter;

use gsar_proto::v1;
use gsar_proto::v1::put_evidence_request::Part;
use tokio_stream::Iter;

pub fn part(part: Part) -> v1::PutEvidenceRequest {
    v1::PutEvidenceRequest { part: Some(part) }
}

pub fn head(corpus: &str) -> v1::PutEvidenceRequest {
    part(Part::Corpus(v1::CorpusHead { corpus_id: corpus.to_owned(), time_to_live: None }))
}

/// Returns the messages that upload these items to a corpus.
pub fn put(
    corpus: &str,
    items: impl IntoIterator<Item = v1::EvidenceItem>,
) -> Iter<IntoIter<v1::PutEvidenceRequest>> {
    let items = items.into_iter().map(|item| part(Part::Item(item)));
    tokio_stream::iter(std::iter::once(head(corpus)).chain(items).collect::<Vec<_>>())
}

pub fn search(corpus: &str, query: &str) -> v1::SearchRequest {
    let (corpus_id, query) = (corpus.to_owned(), query.to_owned());
    v1::SearchRequest { corpus_id, query, ..Default::default() }
}
