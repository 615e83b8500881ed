//! Measures search in a large corpus: by words, by vectors, and by both.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Parser;
use gsar_client::{Client, Endpoint, v1};

/// Stores lines of a file as items, waits until they are embedded, and searches sequentially for the
/// next lines. Prints a Markdown table of call times, including query embedding.
#[derive(Parser)]
struct Arguments {
    /// Server address: unix:///path/to.sock or grpc://address:port.
    #[arg(long)]
    endpoint: Endpoint,
    /// File with one sentence per line.
    #[arg(long)]
    sentences: PathBuf,
    /// Number of items to store.
    #[arg(long, default_value_t = 100_000)]
    items: usize,
    /// Number of searches.
    #[arg(long, default_value_t = 500)]
    queries: usize,
}

const CORPUS: &str = "search-times";
const METHODS: [v1::SearchMethod; 3] =
    [v1::SearchMethod::Lexical, v1::SearchMethod::Vector, v1::SearchMethod::Hybrid];

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "prints its result")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let text = std::fs::read_to_string(&arguments.sentences)?;
    let lines: Vec<&str> = text.lines().collect();
    let (stored, queries) = lines.split_at_checked(arguments.items).context("too few sentences")?;
    let queries = queries.get(..arguments.queries).context("too few sentences")?;
    let client = Client::connect(&arguments.endpoint).await?;
    let client = client.with_deadline(Duration::from_secs(600));
    let begun = Instant::now();
    store(&client, stored).await?;
    let stored_in = begun.elapsed();
    while !is_embedded(&client).await? {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    println!(
        "{} items stored in {:.1} s, embedded after {:.1} s\n",
        stored.len(),
        stored_in.as_secs_f64(),
        begun.elapsed().as_secs_f64()
    );
    println!("| search | p50, ms | p99, ms |\n|---|---:|---:|");
    for method in METHODS {
        let mut times = Vec::with_capacity(queries.len());
        let mut served = String::new();
        for query in queries {
            let request = v1::SearchRequest {
                corpus_id: CORPUS.to_owned(),
                query: (*query).to_owned(),
                method: method.into(),
                ..Default::default()
            };
            let begun = Instant::now();
            served = client.search(request).await?.method;
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).copied();
        let [p50, p99] = [at(50), at(99)].map(|time| time.unwrap_or_default().as_secs_f64() * 1e3);
        println!("| {served} | {p50:.2} | {p99:.2} |");
    }
    client.delete_corpus(CORPUS).await?;
    Ok(())
}

async fn store(client: &Client, sentences: &[&str]) -> anyhow::Result<()> {
    use v1::put_evidence_request::Part;
    let head = v1::CorpusHead { corpus_id: CORPUS.to_owned(), time_to_live: None };
    let items: Vec<Part> = sentences
        .iter()
        .enumerate()
        .map(|(number, sentence)| {
            Part::Item(v1::EvidenceItem {
                id: number.to_string(),
                kind: v1::EvidenceKind::ToolOutput.into(),
                lane: v1::EvidenceLane::StaticInfra.into(),
                content: Some(v1::evidence_item::Content::Text((*sentence).to_owned())),
                ..Default::default()
            })
        })
        .collect();
    let parts = std::iter::once(Part::Corpus(head)).chain(items);
    client.put_evidence(parts.map(|part| v1::PutEvidenceRequest { part: Some(part) })).await?;
    Ok(())
}

async fn is_embedded(client: &Client) -> anyhow::Result<bool> {
    let request = v1::ListCorporaRequest { page_size: 1_000, ..Default::default() };
    let answer = client.list_corpora(request).await?;
    ensure!(answer.degraded.is_empty(), "{}", answer.degraded);
    Ok(answer.corpora.iter().any(|corpus| corpus.corpus_id == CORPUS && corpus.embedded))
}
