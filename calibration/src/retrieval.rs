//! How well the evidence of a claim is found among the evidence of all claims of a file.
//!
//! Each piece of evidence of a file becomes one item of one corpus of a real server; each claim is a query; what people
//! linked with the claim is what should come first.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::{Client, v1};
use serde::Deserialize;

use crate::statistics::{Counts, Share};

/// Ranks up to which recall is counted.
pub(crate) const DEPTHS: [usize; 3] = [1, 5, 10];
/// Passages asked for, so that ten different items are among them.
const PASSAGES: u32 = 30;
/// Searches at once.
const AT_ONCE: usize = 8;

/// What came of one file.
pub(crate) struct Found {
    /// The file's name.
    pub(crate) name: String,
    /// Claims asked for.
    pub(crate) claims: usize,
    /// Items to find among.
    pub(crate) items: usize,
    /// The share of claims whose evidence is among the first 1, 5, 10; claims of one item are one case.
    pub(crate) recall: [Share; DEPTHS.len()],
    /// The mean of one over the rank; 0 beyond the tenth.
    pub(crate) reciprocal_rank: f64,
    /// How the server searched.
    pub(crate) method: String,
}

#[derive(Deserialize)]
struct Row {
    claim: String,
    evidence: Vec<Piece>,
}

#[derive(Deserialize)]
struct Piece {
    title: Option<String>,
    text: String,
}

/// A file as it is asked for.
struct Questions {
    /// Each distinct piece of evidence.
    texts: Vec<String>,
    /// Each claim with the pieces linked to it.
    claims: Vec<(String, Vec<usize>)>,
}

/// Reads a file, stores its evidence, and searches with each of its claims in every way that serves.
async fn find(client: &Client, path: &Path) -> Result<Vec<Found>> {
    let questions = read(path).with_context(|| path.display().to_string())?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let name = name.split('.').next().unwrap_or(&name).to_owned();
    store(client, &name, &questions.texts).await?;
    let mut found = vec![ask(client, &name, &questions, v1::SearchMethod::Lexical).await?];
    if is_embedded(client, &name).await? {
        for method in [v1::SearchMethod::Vector, v1::SearchMethod::Hybrid] {
            found.push(ask(client, &name, &questions, method).await?);
        }
    }
    client.delete_corpus(&name).await?;
    Ok(found)
}

/// Waits until everything has its vector; false where the server has no model.
async fn is_embedded(client: &Client, corpus: &str) -> Result<bool> {
    let probe = v1::SearchRequest {
        corpus_id: corpus.to_owned(),
        query: "probe".to_owned(),
        method: v1::SearchMethod::Vector.into(),
        ..Default::default()
    };
    loop {
        let request = v1::ListCorporaRequest { page_size: 1_000, ..Default::default() };
        let all = client.list_corpora(request).await?.corpora;
        if all.iter().any(|listed| listed.corpus_id == corpus && listed.embedded) {
            return Ok(true);
        }
        let answer = client.search(probe.clone()).await?;
        if !answer.degraded.is_empty() && !answer.degraded.contains("vector yet") {
            return Ok(false);
        }
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
}

async fn ask(
    client: &Client,
    name: &str,
    questions: &Questions,
    method: v1::SearchMethod,
) -> Result<Found> {
    let answers: Vec<(Option<usize>, String)> = futures_util::stream::iter(&questions.claims)
        .map(|(claim, linked)| search(client, name, claim, linked, method))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    let mut cases = vec![[Counts::default(); DEPTHS.len()]; questions.texts.len()];
    let mut sum = 0.0;
    for ((_, linked), (rank, _)) in questions.claims.iter().zip(&answers) {
        let Some(case) = linked.first().and_then(|item| cases.get_mut(*item)) else { continue };
        for (counts, depth) in case.iter_mut().zip(DEPTHS) {
            counts.of += 1;
            counts.hits += u32::from(rank.is_some_and(|rank| rank <= depth));
        }
        sum += rank.filter(|rank| *rank <= 10).map_or(0.0, |rank| 1.0 / rank as f64);
    }
    let share = |depth: usize| {
        let counts: Vec<Counts> =
            cases.iter().filter_map(|case| case.get(depth).copied()).collect();
        Share::by_claim(&counts)
    };
    Ok(Found {
        claims: questions.claims.len(),
        items: questions.texts.len(),
        recall: [share(0), share(1), share(2)],
        reciprocal_rank: sum / questions.claims.len().max(1) as f64,
        method: answers.first().map(|(_, method)| method.clone()).unwrap_or_default(),
        name: name.to_owned(),
    })
}

fn read(path: &Path) -> Result<Questions> {
    let file = File::open(path)?;
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn Read> =
        if is_packed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut questions = Questions { texts: Vec::new(), claims: Vec::new() };
    for (number, line) in (1..).zip(BufReader::new(reader).lines()) {
        let row: Row = serde_json::from_str(&line?).with_context(|| format!("line {number}"))?;
        let mut linked = Vec::with_capacity(row.evidence.len());
        for piece in row.evidence {
            let text = match piece.title.as_deref() {
                None | Some("") => piece.text,
                Some(title) => format!("{title}\n{}", piece.text),
            };
            let next = questions.texts.len();
            let number = *known.entry(text.clone()).or_insert(next);
            if number == next {
                questions.texts.push(text);
            }
            linked.push(number);
        }
        questions.claims.push((row.claim, linked));
    }
    ensure!(!questions.claims.is_empty(), "there are no claims in it");
    Ok(questions)
}

async fn store(client: &Client, corpus: &str, texts: &[String]) -> Result<()> {
    use v1::put_evidence_request::Part;
    let head = v1::CorpusHead { corpus_id: corpus.to_owned(), time_to_live: None };
    let items: Vec<Part> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| {
            Part::Item(v1::EvidenceItem {
                id: number.to_string(),
                kind: v1::EvidenceKind::ToolOutput.into(),
                lane: v1::EvidenceLane::StaticInfra.into(),
                content: Some(v1::evidence_item::Content::Text(text.clone())),
                ..Default::default()
            })
        })
        .collect();
    let parts = std::iter::once(Part::Corpus(head)).chain(items);
    client.put_evidence(parts.map(|part| v1::PutEvidenceRequest { part: Some(part) })).await?;
    Ok(())
}

/// The rank of the first linked item among the different items that are found.
async fn search(
    client: &Client,
    corpus: &str,
    claim: &str,
    linked: &[usize],
    method: v1::SearchMethod,
) -> Result<(Option<usize>, String)> {
    let answer = client
        .search(v1::SearchRequest {
            corpus_id: corpus.to_owned(),
            query: claim.to_owned(),
            most: PASSAGES,
            filter: None,
            method: method.into(),
        })
        .await?;
    let mut items: Vec<&str> = Vec::new();
    for hit in &answer.hits {
        if !items.contains(&hit.evidence_id.as_str()) {
            items.push(&hit.evidence_id);
        }
    }
    let wanted: Vec<String> = linked.iter().map(usize::to_string).collect();
    let place = items.iter().position(|item| wanted.iter().any(|wanted| wanted == item));
    Ok((place.map(|place| place + 1), answer.method))
}

/// The files of a run, in the order given.
pub(crate) async fn find_all(client: &Client, paths: &[PathBuf]) -> Result<Vec<Found>> {
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        found.extend(find(client, path).await?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_piece_of_evidence_that_several_claims_share_is_one_item() {
        let folder = tempfile::tempdir().unwrap();
        let lines = concat!(
            r#"{"claim": "a", "evidence": [{"id": "e0", "title": "T", "text": "one"}], "label": "SUPPORTS"}"#,
            "\n",
            r#"{"claim": "b", "evidence": [{"title": null, "text": "two"}, {"title": "T", "text": "one"}]}"#,
            "\n",
        );
        let plain = folder.path().join("some.test.jsonl");
        std::fs::write(&plain, lines).unwrap();
        let packed = folder.path().join("some.test.jsonl.gz");
        let mut writer = flate2::write::GzEncoder::new(
            File::create(&packed).unwrap(),
            flate2::Compression::default(),
        );
        writer.write_all(lines.as_bytes()).unwrap();
        writer.finish().unwrap();
        for path in [plain, packed] {
            let questions = read(&path).unwrap();
            assert_eq!(questions.texts, ["T\none", "two"]);
            let claims: Vec<_> = questions
                .claims
                .iter()
                .map(|(claim, linked)| (claim.as_str(), linked.as_slice()))
                .collect();
            assert_eq!(claims, [("a", &[0][..]), ("b", &[1, 0])]);
        }
        let broken = folder.path().join("broken.jsonl");
        std::fs::write(&broken, "{}\n").unwrap();
        assert!(read(&broken).is_err());
    }
}
