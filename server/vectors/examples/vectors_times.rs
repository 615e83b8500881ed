//! Measures the time and recall of exact search, an `F32` graph and an `I8` graph.
//!
//! Times are CPU times of one thread. Building is compared with direct `usearch` calls with the same
//! parameters, alternating every thousand vectors.

use std::collections::HashSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Parser;
use gsar_vectors::{Scalar, Settings, VectorIndex};
use rustix::time::{ClockId, clock_gettime};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

const K: usize = 10;
const TURN: usize = 1_000;
/// `usearch`'s expansion for an index with more than 65 536 vectors.
const WIDER: usize = 384;

/// Prints a Markdown table for unrestricted searches, and one for searches restricted to some keys.
#[derive(Parser)]
struct Arguments {
    /// The vector counts to measure.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 5_000, 20_000, 100_000])]
    numbers: Vec<usize>,
    /// Values per vector.
    #[arg(long, default_value_t = 384)]
    dimension: usize,
    /// Number of query vectors, which are not in the index.
    #[arg(long, default_value_t = 200)]
    queries: usize,
    /// Distribution of generated vectors.
    #[arg(long, value_enum, default_value_t = Distribution::Clustered)]
    made: Distribution,
    /// File with vectors to use instead of generated ones: rows of little-endian f32.
    #[arg(long)]
    vectors: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Distribution {
    /// Clusters of about fifty around centres, which form groups of about twenty: a log has few subjects, and
    /// several phrasings of each.
    Clustered,
    /// No clusters, but 32 directions in which vectors differ strongly: unrelated sentences.
    Spread,
}

#[expect(clippy::print_stdout, reason = "the output of the program")]
fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    println!(
        "| vectors | build bare, s | ours, s | ours / bare | of bytes, s | one by one, ms | graph, ms | recall@10 | bare, ms | recall@10 | bare at 384, ms | recall@10 | graph of bytes, ms | recall@10 | as chosen, ms | files, MB | of bytes, MB |"
    );
    println!("|{}", "---|".repeat(17));
    let mut restricted = Vec::new();
    for number in &arguments.numbers {
        let rows = match &arguments.vectors {
            Some(file) => read(file, number + arguments.queries, arguments.dimension)?,
            None => generate(arguments.made, number + arguments.queries, arguments.dimension),
        };
        ensure!(rows.len() > arguments.queries, "only {} vectors", rows.len());
        let (vectors, queries) = rows.split_at(rows.len() - arguments.queries);
        println!("{}", row(vectors, queries, arguments.dimension, &mut restricted)?);
    }
    println!("\n| vectors | allowed | one by one, ms | graph, ms | recall@10 | as chosen, ms |");
    println!("|---|---|---|---|---|---|");
    restricted.iter().for_each(|row| println!("{row}"));
    Ok(())
}

fn row(
    vectors: &[Vec<f32>],
    queries: &[Vec<f32>],
    dimension: usize,
    restricted: &mut Vec<String>,
) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let settings =
        Settings { crossover: 0, scalar: Scalar::F32, ..Settings::new(dimension, "measured") };
    let open = |name: &str, settings: Settings| {
        VectorIndex::open(&folder.path().join(name), settings).map(|(index, _)| index)
    };
    let exact = open("exact", Settings { crossover: usize::MAX, ..settings.clone() })?;
    let graph = open("graph", settings.clone())?;
    let bytes = open("bytes", Settings { scalar: Scalar::I8, ..settings.clone() })?;
    let bare = Index::new(&IndexOptions {
        dimensions: dimension,
        metric: MetricKind::IP,
        quantization: ScalarKind::F32,
        connectivity: 16,
        expansion_add: 128,
        expansion_search: 128,
        multi: false,
    })?;
    let keyed: Vec<(u64, &Vec<f32>)> = (0..).zip(vectors).collect();
    let [mut time_bare, mut time_ours, mut time_bytes] = [Duration::ZERO; 3];
    for turn in keyed.chunks(TURN) {
        exact.add(turn)?;
        time_bare += time(|| {
            bare.reserve((bare.size() + turn.len()).next_power_of_two())?;
            for (key, vector) in turn {
                bare.add(*key, vector.as_slice())?;
            }
            Ok(())
        })?;
        time_ours += time(|| Ok(graph.add(turn)?))?;
        time_bytes += time(|| Ok(bytes.add(turn)?))?;
    }
    for index in [&graph, &bytes] {
        index.build_graph()?;
        index.save()?;
    }
    let size = |name| megabytes(&folder.path().join(name));
    let (size_graph, size_bytes) = (size("graph")?, size("bytes")?);
    let search_all = |index: &VectorIndex| search(queries, |query| keys(index, query, None));
    let (expected, graph_answers, bytes_answers) =
        (search_all(&exact)?, search_all(&graph)?, search_all(&bytes)?);
    let bare_answers = search(queries, |query| Ok(bare.search(query, K)?.keys))?;
    bare.change_expansion_search(WIDER);
    let wider = search(queries, |query| Ok(bare.search(query, K)?.keys))?;
    let search_allowed = |index: &VectorIndex, allowed: &[u64]| {
        search(queries, |query| keys(index, query, Some(allowed)))
    };
    let mut measured = Vec::new();
    for percent in [1, 5, 10, 20, 50] {
        let mut numbers = Numbers(percent);
        let allowed = (0..vectors.len() as u64).filter(|_| numbers.next() % 100 < percent);
        let allowed: Vec<u64> = allowed.collect();
        let (expected, found) =
            (search_allowed(&exact, &allowed)?, search_allowed(&bytes, &allowed)?);
        measured.push((percent, allowed, expected, found));
    }
    // The same files, opened with default settings.
    drop(bytes);
    let chosen = open("bytes", Settings::new(dimension, "measured"))?;
    let default_answers = search_all(&chosen)?;
    for (percent, allowed, expected, found) in measured {
        restricted.push(format!(
            "| {} | {percent} % | {:.3} | {:.3} | {:.4} | {:.3} |",
            vectors.len(),
            expected.milliseconds,
            found.milliseconds,
            recall(&found, &expected),
            search_allowed(&chosen, &allowed)?.milliseconds,
        ));
    }
    Ok(format!(
        "| {} | {:.1} | {:.1} | {:.2} | {:.1} | {:.3} | {:.3} | {:.4} | {:.3} | {:.4} | {:.3} | {:.4} | {:.3} | {:.4} | {:.3} | {size_graph:.1} | {size_bytes:.1} |",
        vectors.len(),
        time_bare.as_secs_f64(),
        time_ours.as_secs_f64(),
        time_ours.as_secs_f64() / time_bare.as_secs_f64(),
        time_bytes.as_secs_f64(),
        expected.milliseconds,
        graph_answers.milliseconds,
        recall(&graph_answers, &expected),
        bare_answers.milliseconds,
        recall(&bare_answers, &expected),
        wider.milliseconds,
        recall(&wider, &expected),
        bytes_answers.milliseconds,
        recall(&bytes_answers, &expected),
        default_answers.milliseconds,
    ))
}

fn keys(index: &VectorIndex, query: &[f32], allowed: Option<&[u64]>) -> anyhow::Result<Vec<u64>> {
    Ok(index.search(query, K, allowed)?.iter().map(|hit| hit.key).collect())
}

struct Answers {
    keys: Vec<Vec<u64>>,
    milliseconds: f64,
}

fn search(
    queries: &[Vec<f32>],
    search: impl Fn(&[f32]) -> anyhow::Result<Vec<u64>>,
) -> anyhow::Result<Answers> {
    let mut keys = Vec::new();
    let mut times = Vec::new();
    for round in 0..3 {
        for query in queries {
            times.push(time(|| {
                let found = black_box(search(query)?);
                if round == 0 {
                    keys.push(found);
                }
                Ok(())
            })?);
        }
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).context("no queries")?;
    Ok(Answers { keys, milliseconds: median.as_secs_f64() * 1e3 })
}

fn recall(found: &Answers, expected: &Answers) -> f64 {
    let pairs = || found.keys.iter().zip(&expected.keys);
    let hits: usize = pairs()
        .map(|(found, expected)| {
            let expected: HashSet<&u64> = expected.iter().collect();
            found.iter().filter(|key| expected.contains(key)).count()
        })
        .sum();
    hits as f64 / pairs().map(|(_, expected)| expected.len()).sum::<usize>() as f64
}

fn time(run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let before = thread_cpu_time()?;
    run()?;
    Ok(thread_cpu_time()?.saturating_sub(before))
}

fn thread_cpu_time() -> anyhow::Result<Duration> {
    Ok(Duration::try_from(clock_gettime(ClockId::ThreadCPUTime))?)
}

fn megabytes(folder: &Path) -> anyhow::Result<f64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes as f64 / 1e6)
}

fn read(file: &Path, count: usize, dimension: usize) -> anyhow::Result<Vec<Vec<f32>>> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    let (values, _) = bytes.as_chunks();
    let values: Vec<f32> = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
    Ok(values.chunks_exact(dimension).take(count).map(<[f32]>::to_vec).collect())
}

fn generate(kind: Distribution, count: usize, dimension: usize) -> Vec<Vec<f32>> {
    const DIRECTIONS: usize = 32;
    let mut numbers = Numbers(7);
    let none = vec![0.0; dimension];
    match kind {
        Distribution::Clustered => {
            let groups: Vec<Vec<f32>> =
                (0..count.div_ceil(1_000)).map(|_| numbers.sample_near(&none, 1.0)).collect();
            let centres: Vec<Vec<f32>> =
                (0..count.div_ceil(50)).map(|_| numbers.sample_near_one_of(&groups, 0.8)).collect();
            (0..count).map(|_| numbers.sample_near_one_of(&centres, 0.6)).collect()
        }
        Distribution::Spread => {
            let directions: Vec<Vec<f32>> =
                (0..DIRECTIONS).map(|_| numbers.sample_near(&none, 1.0)).collect();
            (0..count).map(|_| numbers.sample_spread(&directions)).collect()
        }
    }
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn sample_near_one_of(&mut self, centres: &[Vec<f32>], share: f32) -> Vec<f32> {
        let chosen = self.next() as usize % centres.len().max(1);
        centres.get(chosen).map(|centre| self.sample_near(centre, share)).unwrap_or_default()
    }

    fn sample_spread(&mut self, directions: &[Vec<f32>]) -> Vec<f32> {
        let weights = self.sample_near(&vec![0.0; directions.len()], 1.0);
        let mut sum = vec![0.0; directions.first().map_or(0, Vec::len)];
        for (weight, direction) in weights.iter().zip(directions) {
            sum.iter_mut().zip(direction).for_each(|(sum, value)| *sum += weight * value);
        }
        self.sample_near(&sum, 0.3)
    }

    fn sample_near(&mut self, centre: &[f32], share: f32) -> Vec<f32> {
        let mut value =
            || (0..4).map(|_| (self.next() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum::<f32>();
        centre.iter().map(|from| from + share * value()).collect()
    }
}
