//! `gsar evidence`: manages corpora of stored evidence.

use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use gsar_client::{evidence, text};
use gsar_proto::v1;
use v1::evidence_item::Content;
use v1::put_evidence_request::Part;

use super::progress::Progress;
use super::{is_json, note, print, print_answer, print_json, require_records};
use crate::arguments::{Call, Connection, Evidence};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{corpora, stored};
use crate::session::with_client;
use crate::terminal::Terminal;

/// The size of the ranges in which a stored item is read, in bytes.
const RANGE_BYTES: u64 = 1 << 20;
/// The size of the chunks in which a long text is sent, in bytes.
const CHUNK_BYTES: usize = 256 << 10;
const PAGE_SIZE: u32 = 1000;

pub(super) async fn run(arguments: &Evidence, terminal: &Terminal) -> Result<Status, Failure> {
    match arguments {
        Evidence::Put { corpus, paths, keep, call } => {
            put(corpus, paths, *keep, call, terminal).await
        }
        Evidence::Get { corpus, item, lines, connection } => {
            get(corpus, item, *lines, connection).await
        }
        Evidence::List { call } => list(call).await,
        Evidence::Delete { corpora, connection } => delete(corpora, connection).await,
    }
}

async fn put(
    corpus: &str,
    paths: &[PathBuf],
    keep: Option<u32>,
    call: &Call,
    terminal: &Terminal,
) -> Result<Status, Failure> {
    require_records(&call.connection, "place to store a corpus")?;
    let loaded = evidence::load(paths)?;
    loaded.notes.iter().for_each(|text| note(text));
    let total_bytes = loaded.items.iter().map(size_of).sum();
    let hours = |hours: u32| prost_types::Duration { seconds: i64::from(hours) * 3_600, nanos: 0 };
    let head = v1::CorpusHead { corpus_id: corpus.to_owned(), time_to_live: keep.map(hours) };
    let mut progress = Progress::begin(Some(total_bytes));
    let mut sent_bytes = 0;
    let parts =
        std::iter::once(Part::Corpus(head)).chain(loaded.items.into_iter().flat_map(split_item));
    let messages = parts.map(move |part| {
        sent_bytes += match &part {
            Part::Corpus(_) => 0,
            Part::Item(item) => size_of(item),
            Part::More(bytes) => bytes.len() as u64,
        };
        progress.show_bytes(sent_bytes);
        v1::PutEvidenceRequest { part: Some(part) }
    });
    with_client(&call.connection, async |client, _| {
        let answer = client.put_evidence(messages).await?;
        print_answer(call.output, &answer, || stored(&answer, terminal.columns))?;
        Ok(Status::Proceed)
    })
    .await
}

/// Splits an item into messages. A long text follows the item in chunks; a JSON document is sent whole.
fn split_item(mut item: v1::EvidenceItem) -> Vec<Part> {
    let long_text = match &mut item.content {
        Some(Content::Text(text)) if text.len() > CHUNK_BYTES => std::mem::take(text).into_bytes(),
        _ => Vec::new(),
    };
    let chunks = long_text.chunks(CHUNK_BYTES).map(|chunk| Part::More(chunk.to_vec()));
    std::iter::once(Part::Item(item)).chain(chunks.collect::<Vec<_>>()).collect()
}

fn size_of(item: &v1::EvidenceItem) -> u64 {
    match &item.content {
        Some(Content::Text(text) | Content::Json(text)) => text.len() as u64,
        Some(Content::CheckRun(run)) => run.output.len() as u64,
        None => 0,
    }
}

async fn get(
    corpus: &str,
    item: &str,
    lines: Option<(u64, u64)>,
    connection: &Connection,
) -> Result<Status, Failure> {
    use v1::get_snapshot_request::{Item, Range};
    require_records(connection, "corpus to read")?;
    let is_key = item.len() == 64 && item.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut request = v1::GetSnapshotRequest {
        corpus_id: corpus.to_owned(),
        item: Some(if is_key {
            Item::Key(item.to_owned())
        } else {
            Item::EvidenceId(item.to_owned())
        }),
        range: lines.map(|(first, last)| Range::Lines(v1::LineRange { first, last })),
    };
    with_client(connection, async |client, _| {
        let mut start = 0;
        loop {
            if lines.is_none() {
                request.range =
                    Some(Range::Bytes(v1::ByteRange { start, end: start + RANGE_BYTES }));
            }
            let chunk = client.snapshot(request.clone()).await?;
            let mut out = std::io::stdout().lock();
            // Control characters are harmful only in a terminal.
            let content = match out.is_terminal() {
                true => Cow::Owned(text::lines(&chunk.content)),
                false => Cow::Borrowed(chunk.content.as_str()),
            };
            out.write_all(content.as_bytes())?;
            out.flush()?;
            start += chunk.content.len() as u64;
            if lines.is_some() || start >= chunk.size || chunk.content.is_empty() {
                return Ok(Status::Proceed);
            }
        }
    })
    .await
}

async fn list(call: &Call) -> Result<Status, Failure> {
    require_records(&call.connection, "corpus to list")?;
    with_client(&call.connection, async |client, _| {
        let mut request = v1::ListCorporaRequest { page_size: PAGE_SIZE, ..Default::default() };
        loop {
            let page = client.list_corpora(request.clone()).await?;
            if is_json(call.output) {
                page.corpora.iter().try_for_each(print_json)?;
            } else {
                print(&corpora(&page.corpora))?;
            }
            if page.next_page_token.is_empty() {
                return Ok(Status::Proceed);
            }
            request.page_token = page.next_page_token;
        }
    })
    .await
}

async fn delete(names: &[String], connection: &Connection) -> Result<Status, Failure> {
    require_records(connection, "corpus to delete")?;
    with_client(connection, async |client, _| {
        for name in names {
            client.delete_corpus(name).await?;
        }
        Ok(Status::Proceed)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_sent_in_chunks() {
        let item = |content| v1::EvidenceItem { content: Some(content), ..Default::default() };
        assert_eq!(split_item(item(Content::Text("short".to_owned()))).len(), 1);
        let long = "é".repeat(CHUNK_BYTES);
        let chunks = split_item(item(Content::Text(long.clone())));
        assert_eq!(chunks.len(), 3);
        let joined: Vec<u8> = chunks
            .into_iter()
            .flat_map(|part| match part {
                Part::More(bytes) => bytes,
                Part::Item(_) | Part::Corpus(_) => Vec::new(),
            })
            .collect();
        assert_eq!(joined, long.into_bytes());
        assert_eq!(
            split_item(item(Content::Json(format!("\"{}\"", "x".repeat(CHUNK_BYTES))))).len(),
            1
        );
    }
}
