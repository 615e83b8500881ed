//! Measures search in a large corpus in both engines. Run with `make search-at-scale`.

#![allow(clippy::print_stdout, reason = "prints measurements")]

use std::time::Instant;

use gsar_core::evidence::Lane;

use super::*;
use crate::evidence::store::{Batch, ItemTotals, NewPassage};

const DIMENSION: usize = 384;
/// The number of passages per item.
const PASSAGES_PER_ITEM: usize = 2_000;
/// One in this many items is in the filtered lane.
const LANES: usize = 10;
const QUERIES: usize = 100;
const LIMIT: usize = 12;
/// The number of passages ranked for [`LIMIT`] results.
const RANKED: usize = 48;

fn wide_space() -> VectorSpace {
    VectorSpace { dimension: DIMENSION, model: "cd".repeat(32) }
}

/// Generates vectors and words from a seed. Vectors form clusters of about a hundred, like sentences about a topic.
struct Source {
    random: fastrand::Rng,
    centres: Vec<Vec<f32>>,
}

impl Source {
    fn new(seed: u64, vectors: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let centre = |random: &mut fastrand::Rng| {
            (0..DIMENSION).map(|_| random.f32() - 0.5).collect::<Vec<f32>>()
        };
        let centres = (0..vectors.div_ceil(100)).map(|_| centre(&mut random)).collect();
        Self { random, centres }
    }

    fn vector(&mut self) -> Vector {
        let centre = &self.centres[self.random.usize(..self.centres.len())];
        let components: Vec<f32> =
            centre.iter().map(|value| value + (self.random.f32() - 0.5) * 0.6).collect();
        let length = components.iter().map(|value| value * value).sum::<f32>().sqrt();
        components.iter().map(|value| value / length).collect()
    }

    /// Generates words with Zipf frequencies.
    fn words(&mut self, count: usize) -> String {
        let random_word = |random: &mut fastrand::Rng| {
            let rank = (20_000_f64.powf(random.f64())) as u32;
            format!("w{rank}x")
        };
        (0..count).map(|_| random_word(&mut self.random)).collect::<Vec<_>>().join(" ")
    }
}

struct FilledCorpus {
    corpus: Arc<dyn Corpus>,
    vectors: Vec<(i64, Vector, bool)>,
}

fn fill(evidence: &Evidence, corpus: &str, source: &mut Source, passages: usize) -> FilledCorpus {
    let corpus = evidence.corpus(&name(corpus), true).unwrap();
    let started_at = Instant::now();
    for number in 0..passages.div_ceil(PASSAGES_PER_ITEM) {
        let lane = if number % LANES == 0 { Lane::Metrics } else { Lane::Logs };
        let head = Head {
            id: EvidenceId::new(format!("item-{number}")).unwrap(),
            kind: EvidenceKind::ToolOutput,
            lane,
            tool: "t".to_owned(),
            query: String::new(),
            is_json: true,
            collected_at: None,
            exhaustive: false,
            attested: false,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        };
        let item = corpus.begin(&head).unwrap();
        let (mut content, mut hasher) = (String::new(), blake3::Hasher::new());
        let count = PASSAGES_PER_ITEM.min(passages - number * PASSAGES_PER_ITEM);
        for first_passage in (0..count).step_by(500) {
            let mut batch = Batch::default();
            let start = content.len();
            for passage in first_passage..(first_passage + 500).min(count) {
                let words = source.words(24);
                let passage_start = content.len() as u64;
                content.push_str(&words);
                batch.passages.push(NewPassage {
                    start: passage_start,
                    end: content.len() as u64,
                    lines: (0, 0),
                    pointer: format!("/{passage}"),
                    words,
                });
            }
            let bytes = content.as_bytes()[start..].to_vec();
            hasher.update(&bytes);
            batch.contents = bytes
                .chunks(64 << 10)
                .enumerate()
                .map(|(index, chunk)| ((start + (index * (64 << 10))) as u64, chunk.to_vec()))
                .collect();
            corpus.append(item, &batch).unwrap();
        }
        let totals = ItemTotals {
            digest: *hasher.finalize().as_bytes(),
            size: content.len() as u64,
            lines: 0,
            repeated_lines: 0,
            passages: count as u64,
            templates: Vec::new(),
        };
        corpus.complete(item, &head, &totals).unwrap();
    }
    let store_seconds = started_at.elapsed().as_secs_f64();
    let started_at = Instant::now();
    let (mut vectors, mut last_number) = (Vec::new(), 0);
    loop {
        let numbers: Vec<i64> = corpus
            .passages_without_vector(&wide_space(), last_number)
            .unwrap()
            .iter()
            .map(|passage| passage.0)
            .collect();
        let Some(last) = numbers.last() else { break };
        last_number = *last;
        let added: Vec<(i64, Vector)> =
            numbers.iter().map(|number| (*number, source.vector())).collect();
        corpus.add_vectors(&wide_space(), added.clone()).unwrap();
        vectors.extend(added);
    }
    corpus.save_vectors(&wide_space()).unwrap();
    println!(
        "{passages} passages: stored in {store_seconds:.0} s, vectors added in {:.0} s",
        started_at.elapsed().as_secs_f64()
    );
    let numbers: Vec<i64> = vectors.iter().map(|(number, _)| *number).collect();
    let is_metrics: HashMap<i64, bool> = numbers
        .chunks(1_000)
        .flat_map(|batch| corpus.passages(batch).unwrap())
        .map(|hit| (hit.passage, hit.head.lane == Lane::Metrics))
        .collect();
    let vectors =
        vectors.into_iter().map(|(number, vector)| (number, vector, is_metrics[&number])).collect();
    FilledCorpus { corpus, vectors }
}

/// Finds the nearest passages by comparing all vectors.
fn nearest(filled: &FilledCorpus, query_vector: &Vector, only_metrics: bool) -> HashSet<i64> {
    let mut ranked: Vec<(f32, i64)> = filled
        .vectors
        .iter()
        .filter(|(_, _, is_metrics)| *is_metrics || !only_metrics)
        .map(|(number, vector, _)| {
            (-vector.iter().zip(query_vector.iter()).map(|(a, b)| a * b).sum::<f32>(), *number)
        })
        .collect();
    ranked.sort_unstable_by(|left, right| left.partial_cmp(right).unwrap());
    ranked.into_iter().take(RANKED).map(|(_, number)| number).collect()
}

fn percentiles(mut millis: Vec<f64>) -> String {
    millis.sort_unstable_by(f64::total_cmp);
    let percentile = |share: usize| millis[(millis.len() - 1) * share / 100];
    format!("p50 {:.1} ms, p99 {:.1} ms", percentile(50), percentile(99))
}

fn measure_search(filled: &FilledCorpus, source: &mut Source, label: &str, filter: &Filter) {
    let only_metrics = !filter.is_empty();
    let (mut millis, mut near_hits, mut hit_count) = (Vec::new(), 0, 0);
    for _ in 0..QUERIES {
        let query_vector = source.vector();
        let query = Query { text: "", vector: None, by_terms: false };
        let started_at = Instant::now();
        let hits = filled
            .corpus
            .search(&query, Some((&query_vector, Ok(wide_space()))), filter, LIMIT)
            .unwrap()
            .hits;
        millis.push(started_at.elapsed().as_secs_f64() * 1e3);
        let nearest_numbers = nearest(filled, &query_vector, only_metrics);
        hit_count += hits.len();
        near_hits += hits.iter().filter(|hit| nearest_numbers.contains(&hit.passage)).count();
    }
    let share = near_hits as f64 / hit_count.max(1) as f64;
    println!(
        "{label}: {}, {share:.3} of {hit_count} hits are among the nearest {RANKED}",
        percentiles(millis)
    );
}

fn measure_words(filled: &FilledCorpus, source: &mut Source) {
    let mut millis = Vec::new();
    for _ in 0..QUERIES {
        let text = source.words(12);
        let query = Query { text: &text, vector: None, by_terms: true };
        let started_at = Instant::now();
        filled.corpus.search(&query, None, &Filter::default(), LIMIT).unwrap();
        millis.push(started_at.elapsed().as_secs_f64() * 1e3);
    }
    println!("words: {}", percentiles(millis));
}

fn measure(engine: &Engine, passages: usize) {
    let fixture = engine.fixture();
    let bounds = Bounds { max_corpus_size: u64::MAX, max_size: u64::MAX, ..BOUNDS };
    let evidence = fixture.open_within(bounds);
    let mut source = Source::new(1, passages);
    // Another principal's corpus, whose vectors an index over all corpora would find first.
    fill(&evidence, "ben@c", &mut Source::new(1, passages), passages / 4);
    let filled = fill(&evidence, "ada@c", &mut source, passages);
    let lane = Filter { lanes: vec![Lane::Metrics], ..Filter::default() };
    if let Some((database, runtime)) = &fixture.database {
        measure_search(&filled, &mut source, "meaning, compared one by one", &Filter::default());
        let number = fixture.count("SELECT number FROM evidence_corpora WHERE name = 'ada@c'");
        let started_at = Instant::now();
        runtime
            .block_on(postgres::Index::new(number, &wide_space()).build_with_minimum(database, 1))
            .unwrap();
        println!("index built in {:.0} s", started_at.elapsed().as_secs_f64());
    }
    measure_search(&filled, &mut source, "meaning", &Filter::default());
    measure_search(&filled, &mut source, "meaning, in a tenth", &lane);
    measure_words(&filled, &mut source);
}

/// Runs with `GSAR_TEST_PASSAGES` passages (20,000 by default).
#[test]
#[ignore = "takes minutes; run make search-at-scale"]
fn search_at_scale() {
    let passages =
        std::env::var("GSAR_TEST_PASSAGES").map_or(20_000, |value| value.parse().unwrap());
    println!("SQLite and usearch");
    measure(&Engine::Sqlite, passages);
    let Some(engine) = Engine::postgres(Kind::Pgvector) else { return };
    println!("PostgreSQL 16 and pgvector");
    measure(&engine, passages);
}
