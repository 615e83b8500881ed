//! Measures how well search finds the evidence for a claim.
//!
//! Stores the evidence for all claims in a file, or for all cases, as one corpus, and searches for each
//! claim. The expected hit is the linked item, or the passage with the quote.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::{Client, v1};

use crate::arguments::Retrieval;
use crate::corpus::store;
use crate::data_set::{DataSet, incident_data, labelled_data};
use crate::rows::open;
use crate::statistics::{Counts, Share};

pub(crate) const DEPTHS: [usize; 3] = [1, 5, 10];
/// The number of passages to request, which is enough to cover ten different items.
const PASSAGES: u32 = 30;
const IN_FLIGHT: usize = 8;

pub(crate) struct FileRecall {
    pub(crate) name: String,
    pub(crate) claims: usize,
    pub(crate) items: usize,
    /// Recall at each of the [`DEPTHS`], with intervals bootstrapped over cases.
    pub(crate) recall: [Share; DEPTHS.len()],
    /// Mean reciprocal rank (Voorhees 1999). Ranks beyond 10 count as 0.
    pub(crate) reciprocal_rank: f64,
    pub(crate) method: String,
}

struct QuerySet {
    name: String,
    items: Vec<v1::EvidenceItem>,
    /// `true` to rank passages instead of items.
    ranks_passages: bool,
    queries: Vec<Query>,
}

struct Query {
    text: String,
    /// The index of the case, because the bootstrap draws whole cases.
    case: usize,
    relevant: Vec<Relevant>,
}

#[derive(Debug, PartialEq)]
struct Relevant {
    item: String,
    quote: Option<String>,
}

impl Relevant {
    fn is_in(&self, hit: &v1::SearchHit) -> bool {
        let has = |quote: &String| hit.text.contains(quote.as_str());
        hit.evidence_id == self.item && self.quote.as_ref().is_none_or(has)
    }
}

async fn find(client: &Client, set: &QuerySet) -> Result<Vec<FileRecall>> {
    let name = &set.name;
    store(client, name, set.items.iter().cloned()).await?;
    let mut found = vec![ask(client, set, v1::SearchMethod::Lexical).await?];
    if is_embedded(client, name).await? {
        for method in [v1::SearchMethod::Vector, v1::SearchMethod::Hybrid] {
            found.push(ask(client, set, method).await?);
        }
    }
    client.delete_corpus(name).await?;
    Ok(found)
}

/// Waits until the corpus is embedded. Returns `false` if the server has no model.
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

async fn ask(client: &Client, set: &QuerySet, method: v1::SearchMethod) -> Result<FileRecall> {
    let answers: Vec<(Option<usize>, String)> = futures_util::stream::iter(&set.queries)
        .map(|query| search(client, set, query, method))
        .buffered(IN_FLIGHT)
        .try_collect()
        .await?;
    let cases = set.queries.iter().map(|query| query.case + 1).max().unwrap_or(0);
    let mut cases = vec![[Counts::default(); DEPTHS.len()]; cases];
    let mut sum = 0.0;
    for (query, (rank, _)) in set.queries.iter().zip(&answers) {
        let Some(case) = cases.get_mut(query.case) else { continue };
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
        claims: set.queries.len(),
        items: set.items.len(),
        recall: [share(0), share(1), share(2)],
        reciprocal_rank: sum / set.queries.len().max(1) as f64,
        method: answers.first().map(|(_, method)| method.clone()).unwrap_or_default(),
        name: set.name.clone(),
    })
}

fn read_file(path: &Path) -> Result<QuerySet> {
    let file = open(path, None)?;
    let name = file.name().split('.').next().unwrap_or_default().to_owned();
    let mut positions: HashMap<String, usize> = HashMap::new();
    let (mut items, mut queries) = (Vec::new(), Vec::new());
    for row in file.rows()? {
        let row = row?;
        let mut linked = Vec::with_capacity(row.evidence.len());
        for item in row.evidence {
            let next = items.len();
            let index = *positions.entry(item.text.clone()).or_insert(next);
            if index == next {
                items.push(v1::EvidenceItem { id: next.to_string(), ..item.message() });
            }
            linked.push(index);
        }
        let Some(case) = linked.first().copied() else { continue };
        for claim in row.claims {
            let relevant = linked
                .iter()
                .map(|item| Relevant { item: item.to_string(), quote: None })
                .collect();
            queries.push(Query { text: claim.text, case, relevant });
        }
    }
    ensure!(!queries.is_empty(), "no claims");
    Ok(QuerySet { name, items, ranks_passages: false, queries })
}

/// Selects the labelled claims with a quote, and all cases' evidence.
fn from_data_set(name: &str, data_set: DataSet) -> Result<QuerySet> {
    let mut items = Vec::new();
    for (number, case) in data_set.cases.iter().enumerate() {
        items.extend(
            case.evidence
                .iter()
                .map(|item| v1::EvidenceItem { id: in_case(number, &item.id), ..item.clone() }),
        );
    }
    let labels = data_set
        .labels
        .into_iter()
        .chain(data_set.reports.into_iter().flat_map(|report| report.labels));
    let queries = labels.filter_map(|label| {
        let (item, quote) = (label.evidence?, label.quote.filter(|quote| !quote.is_empty())?);
        let relevant = Relevant { item: in_case(label.case, &item), quote: Some(quote) };
        Some(Query { text: label.text, case: label.case, relevant: vec![relevant] })
    });
    let queries: Vec<Query> = queries.collect();
    ensure!(!queries.is_empty(), "{name}: no claim has a quote");
    Ok(QuerySet { name: name.to_owned(), items, ranks_passages: true, queries })
}

fn in_case(case: usize, item: &str) -> String {
    format!("{case}/{item}")
}

/// Returns the search method and the rank of the first relevant hit, counting distinct passages or items.
async fn search(
    client: &Client,
    set: &QuerySet,
    query: &Query,
    method: v1::SearchMethod,
) -> Result<(Option<usize>, String)> {
    let answer = client
        .search(v1::SearchRequest {
            corpus_id: set.name.clone(),
            query: query.text.clone(),
            most: PASSAGES,
            filter: None,
            method: method.into(),
        })
        .await?;
    let mut found: Vec<&str> = Vec::new();
    for hit in &answer.hits {
        let hit_id = if set.ranks_passages { &hit.label } else { &hit.evidence_id };
        if !found.contains(&hit_id.as_str()) {
            found.push(hit_id);
        }
        if query.relevant.iter().any(|relevant| relevant.is_in(hit)) {
            return Ok((Some(found.len()), answer.method));
        }
    }
    Ok((None, answer.method))
}

pub(crate) async fn measure_retrieval(
    client: &Client,
    args: &Retrieval,
) -> Result<Vec<FileRecall>> {
    let mut found = Vec::new();
    for path in &args.files {
        let set = read_file(path).with_context(|| path.display().to_string())?;
        found.extend(find(client, &set).await?);
    }
    if let Some(folder) = &args.incidents {
        found.extend(find(client, &from_data_set("incidents", incident_data(folder)?)?).await?);
    }
    if !args.labelled.is_empty() {
        let corpus = labelled_data(&args.labelled, None)?;
        found.extend(find(client, &from_data_set("labelled", corpus)?).await?);
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
    fn relevant_passages_contain_the_quote() {
        let corpus = incident_data(&gsar_datasets::folder().join("incidents")).unwrap();
        let number = corpus.cases.iter().position(|case| case.name == "checkout-oom").unwrap();
        let set = from_data_set("incidents", corpus).unwrap();
        let query = set.queries.iter().find(|query| query.case == number).unwrap();
        let [relevant] = query.relevant.as_slice() else { panic!("{:?}", query.relevant) };
        assert!(relevant.item.starts_with(&format!("{number}/")));
        let item = set.items.iter().find(|item| item.id == relevant.item).unwrap();
        let hit = |text: &str| v1::SearchHit {
            evidence_id: item.id.clone(),
            text: text.to_owned(),
            ..Default::default()
        };
        assert!(relevant.is_in(&hit(relevant.quote.as_deref().unwrap())));
        assert!(!relevant.is_in(&hit("something else")));
    }

    #[test]
    fn claims_can_share_an_item() {
        let folder = tempfile::tempdir().unwrap();
        let lines = concat!(
            r#"{"id": "1", "claim": "a", "evidence": [{"id": "e0", "title": "T", "text": "one"}], "label": "SUPPORTS"}"#,
            "\n",
            r#"{"id": "2", "claim": "b", "evidence": [{"title": null, "text": "two"}, {"title": "T", "text": "one"}], "label": "REFUTES"}"#,
            "\n",
        );
        let plain = folder.path().join("some.test.jsonl");
        std::fs::write(&plain, lines).unwrap();
        let packed = folder.path().join("some.test.jsonl.gz");
        let mut writer = flate2::write::GzEncoder::new(
            std::fs::File::create(&packed).unwrap(),
            flate2::Compression::default(),
        );
        writer.write_all(lines.as_bytes()).unwrap();
        writer.finish().unwrap();
        for path in [plain, packed] {
            let set = read_file(&path).unwrap();
            let texts: Vec<&str> = set.items.iter().map(text_of).collect();
            assert_eq!(texts, ["T\none", "two"]);
            let claims: Vec<(&str, Vec<&str>)> = set
                .queries
                .iter()
                .map(|query| {
                    let items = query.relevant.iter().map(|relevant| relevant.item.as_str());
                    (query.text.as_str(), items.collect())
                })
                .collect();
            assert_eq!(claims, [("a", vec!["0"]), ("b", vec!["1", "0"])]);
        }
        let broken = folder.path().join("broken.jsonl");
        std::fs::write(&broken, "{}\n").unwrap();
        assert!(read_file(&broken).is_err());
    }
}
