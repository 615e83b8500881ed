//! This module measures how well the deciding evidence of a claim is found among much other evidence.
//!
//! The evidence of all claims of a file, or of all cases, becomes one corpus of a real server; each claim is a query;
//! the item that people linked with the claim, or the passage with the words that they quoted, should come first.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::{Client, v1};
use serde::Deserialize;

use crate::arguments::Retrieval;
use crate::corpus::store;
use crate::data_set::{DataSet, incident_data, labelled_data};
use crate::rows::Item;
use crate::statistics::{Counts, Share};

/// Ranks, from 1, up to which recall is counted.
pub(crate) const DEPTHS: [usize; 3] = [1, 5, 10];
/// How many passages are asked for, so that ten different items are among them.
const PASSAGES: u32 = 30;
/// The most searches at once.
const AT_ONCE: usize = 8;

/// What came of one file.
pub(crate) struct FileRecall {
    /// The file's name.
    pub(crate) name: String,
    /// How many claims are asked for.
    pub(crate) claims: usize,
    /// How many items there are to find among.
    pub(crate) items: usize,
    /// The share of claims for which what decides is among the first 1, 5, 10; claims of one case are drawn together.
    pub(crate) recall: [Share; DEPTHS.len()],
    /// The mean reciprocal rank (Voorhees 1999), 0 to 1: the mean of 1 / rank, with 0 for a rank beyond 10.
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

/// What is stored, and what is asked for.
struct Questions {
    name: String,
    items: Vec<v1::EvidenceItem>,
    /// What a rank counts: passages, else items.
    of_passages: bool,
    claims: Vec<Sought>,
}

/// A claim, and where what decides it stands.
struct Sought {
    text: String,
    /// Claims of one case are drawn together.
    case: usize,
    wanted: Vec<Wanted>,
}

/// An item, and the words of it that decide where those are known.
#[derive(Debug, PartialEq)]
struct Wanted {
    item: String,
    quote: Option<String>,
}

impl Wanted {
    fn is_in(&self, hit: &v1::SearchHit) -> bool {
        let has = |quote: &String| hit.text.contains(quote.as_str());
        hit.evidence_id == self.item && self.quote.as_ref().is_none_or(has)
    }
}

/// Stores the evidence, and searches with each claim in every way that serves.
async fn find(client: &Client, questions: &Questions) -> Result<Vec<FileRecall>> {
    let name = &questions.name;
    store(client, name, questions.items.iter().cloned()).await?;
    let mut found = vec![ask(client, questions, v1::SearchMethod::Lexical).await?];
    if is_embedded(client, name).await? {
        for method in [v1::SearchMethod::Vector, v1::SearchMethod::Hybrid] {
            found.push(ask(client, questions, method).await?);
        }
    }
    client.delete_corpus(name).await?;
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
    questions: &Questions,
    method: v1::SearchMethod,
) -> Result<FileRecall> {
    let answers: Vec<(Option<usize>, String)> = futures_util::stream::iter(&questions.claims)
        .map(|sought| search(client, questions, sought, method))
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    let cases = questions.claims.iter().map(|sought| sought.case + 1).max().unwrap_or(0);
    let mut cases = vec![[Counts::default(); DEPTHS.len()]; cases];
    let mut sum = 0.0;
    for (sought, (rank, _)) in questions.claims.iter().zip(&answers) {
        let Some(case) = cases.get_mut(sought.case) else { continue };
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
    Ok(FileRecall {
        claims: questions.claims.len(),
        items: questions.items.len(),
        recall: [share(0), share(1), share(2)],
        reciprocal_rank: sum / questions.claims.len().max(1) as f64,
        method: answers.first().map(|(_, method)| method.clone()).unwrap_or_default(),
        name: questions.name.clone(),
    })
}

/// The claims of a file, each of whose evidence is an item.
fn of_file(path: &Path) -> Result<Questions> {
    let file = File::open(path)?;
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn Read> =
        if is_packed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let name = name.split('.').next().unwrap_or(&name).to_owned();
    let mut known: HashMap<String, usize> = HashMap::new();
    let (mut items, mut claims) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(BufReader::new(reader).lines()) {
        let row: Row = serde_json::from_str(&line?).with_context(|| format!("line {number}"))?;
        let mut linked = Vec::with_capacity(row.evidence.len());
        for piece in row.evidence {
            let text = match piece.title.as_deref() {
                None | Some("") => piece.text,
                Some(title) => format!("{title}\n{}", piece.text),
            };
            let next = items.len();
            let number = *known.entry(text.clone()).or_insert(next);
            if number == next {
                items.push(Item::text(next.to_string(), text).message());
            }
            linked.push(number);
        }
        let Some(case) = linked.first().copied() else { continue };
        let wanted = linked.iter().map(|item| Wanted { item: item.to_string(), quote: None });
        claims.push(Sought { text: row.claim, case, wanted: wanted.collect() });
    }
    ensure!(!claims.is_empty(), "there are no claims in it");
    Ok(Questions { name, items, of_passages: false, claims })
}

/// The labelled claims of a corpus for which somebody quoted the words that decide, among the evidence of all its cases.
fn of_corpus(name: &str, corpus: DataSet) -> Result<Questions> {
    let mut items = Vec::new();
    for (number, case) in corpus.cases.iter().enumerate() {
        items.extend(
            case.evidence
                .iter()
                .map(|item| v1::EvidenceItem { id: in_case(number, &item.id), ..item.clone() }),
        );
    }
    let labels = corpus
        .labels
        .into_iter()
        .chain(corpus.reports.into_iter().flat_map(|report| report.labels));
    let claims = labels.filter_map(|label| {
        let (item, quote) = (label.evidence?, label.quote.filter(|quote| !quote.is_empty())?);
        let wanted = Wanted { item: in_case(label.case, &item), quote: Some(quote) };
        Some(Sought { text: label.text, case: label.case, wanted: vec![wanted] })
    });
    let claims: Vec<Sought> = claims.collect();
    ensure!(!claims.is_empty(), "{name}: no claim has a quote");
    Ok(Questions { name: name.to_owned(), items, of_passages: true, claims })
}

fn in_case(case: usize, item: &str) -> String {
    format!("{case}/{item}")
}

/// The rank of the first thing that decides, among the different things that are found.
async fn search(
    client: &Client,
    questions: &Questions,
    sought: &Sought,
    method: v1::SearchMethod,
) -> Result<(Option<usize>, String)> {
    let answer = client
        .search(v1::SearchRequest {
            corpus_id: questions.name.clone(),
            query: sought.text.clone(),
            most: PASSAGES,
            filter: None,
            method: method.into(),
        })
        .await?;
    let mut things: Vec<&str> = Vec::new();
    for hit in &answer.hits {
        let thing = if questions.of_passages { &hit.label } else { &hit.evidence_id };
        if !things.contains(&thing.as_str()) {
            things.push(thing);
        }
        if sought.wanted.iter().any(|wanted| wanted.is_in(hit)) {
            return Ok((Some(things.len()), answer.method));
        }
    }
    Ok((None, answer.method))
}

/// The files, the incidents and the labelled cases of a run, in this order.
pub(crate) async fn find_all(client: &Client, wanted: &Retrieval) -> Result<Vec<FileRecall>> {
    let mut found = Vec::new();
    for path in &wanted.files {
        let questions = of_file(path).with_context(|| path.display().to_string())?;
        found.extend(find(client, &questions).await?);
    }
    if let Some(folder) = &wanted.incidents {
        found.extend(find(client, &of_corpus("incidents", incident_data(folder)?)?).await?);
    }
    if !wanted.labelled.is_empty() {
        let corpus = labelled_data(&wanted.labelled, None)?;
        found.extend(find(client, &of_corpus("labelled", corpus)?).await?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn text_of(item: &v1::EvidenceItem) -> &str {
        match &item.content {
            Some(v1::evidence_item::Content::Text(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_decides_is_a_passage_with_the_words_of_the_label() {
        let corpus = incident_data(&gsar_datasets::folder().join("incidents")).unwrap();
        let number = corpus.cases.iter().position(|case| case.name == "checkout-oom").unwrap();
        let questions = of_corpus("incidents", corpus).unwrap();
        let sought = questions.claims.iter().find(|sought| sought.case == number).unwrap();
        let [wanted] = sought.wanted.as_slice() else { panic!("{:?}", sought.wanted) };
        assert!(wanted.item.starts_with(&format!("{number}/")));
        let item = questions.items.iter().find(|item| item.id == wanted.item).unwrap();
        let hit = |text: &str| v1::SearchHit {
            evidence_id: item.id.clone(),
            text: text.to_owned(),
            ..Default::default()
        };
        assert!(wanted.is_in(&hit(wanted.quote.as_deref().unwrap())));
        assert!(!wanted.is_in(&hit("something else")));
    }

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
            let questions = of_file(&path).unwrap();
            let texts: Vec<&str> = questions.items.iter().map(text_of).collect();
            assert_eq!(texts, ["T\none", "two"]);
            let claims: Vec<(&str, Vec<&str>)> = questions
                .claims
                .iter()
                .map(|sought| {
                    let items = sought.wanted.iter().map(|wanted| wanted.item.as_str());
                    (sought.text.as_str(), items.collect())
                })
                .collect();
            assert_eq!(claims, [("a", vec!["0"]), ("b", vec!["1", "0"])]);
        }
        let broken = folder.path().join("broken.jsonl");
        std::fs::write(&broken, "{}\n").unwrap();
        assert!(of_file(&broken).is_err());
    }
}
