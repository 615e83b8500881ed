//! Scores pairs: `score FOLDER [--threads N] [--logits] < pairs.jsonl`.
//!
//! Reads one `{"claim", "premise"}` object per line from standard input. For each pair, prints the class
//! probabilities as JSON, or the raw logits with `--logits`. Reports the elapsed time on standard error.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write};
use std::time::Instant;

use gsar_core::Class;
use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair};
use gsar_embedding::Runtime;
use serde_json::{Value, json};

const BATCH: usize = 4_096;

struct Arguments {
    folder: String,
    threads: Option<usize>,
    prints_logits: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments(std::env::args().skip(1))?;
    let mut options = Options { cache_bytes: 0, ..Options::default() };
    options.workers = arguments.threads.unwrap_or(options.workers);
    let start = Instant::now();
    let runtime = Runtime::load(None)?;
    let model = Model::open(arguments.folder.as_ref())?;
    let encoder = CrossEncoder::start(&runtime, &model, &options)?;
    let startup_time = start.elapsed();
    let start = Instant::now();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut lines = std::io::stdin().lock().lines();
    let mut pair_count = 0;
    loop {
        let pairs =
            lines.by_ref().take(BATCH).map(|line| pair(&line?)).collect::<Result<Vec<_>, _>>()?;
        if pairs.is_empty() {
            break;
        }
        pair_count += pairs.len();
        for row in score_rows(&encoder, pairs, arguments.prints_logits).await? {
            writeln!(out, "{row}")?;
        }
        out.flush()?;
    }
    let elapsed = start.elapsed().as_secs_f64();
    let pairs_per_second = pair_count as f64 / elapsed;
    let workers = options.workers;
    writeln!(
        std::io::stderr(),
        "{pair_count} pairs in {elapsed:.2} s, {pairs_per_second:.1} per second with {workers} threads, started in {:.2} s",
        startup_time.as_secs_f64()
    )?;
    Ok(())
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments { folder: String::new(), threads: None, prints_logits: false };
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--threads" => arguments.threads = Some(given.next().unwrap_or_default().parse()?),
            "--logits" => arguments.prints_logits = true,
            _ if arguments.folder.is_empty() => arguments.folder = argument,
            _ => return Err(format!("unexpected argument {argument}").into()),
        }
    }
    if arguments.folder.is_empty() {
        return Err("usage: score FOLDER [--threads N] [--logits] < pairs.jsonl".into());
    }
    Ok(arguments)
}

fn pair(line: &str) -> Result<Pair, Box<dyn Error>> {
    let row: Value = serde_json::from_str(line)?;
    let text = |name: &str| {
        row.get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("missing string field `{name}`: {line}"))
    };
    Ok(Pair::new(text("claim")?, text("premise")?))
}

async fn score_rows(
    encoder: &CrossEncoder,
    pairs: Vec<Pair>,
    prints_logits: bool,
) -> Result<Vec<Value>, Box<dyn Error>> {
    if prints_logits {
        let logits = encoder.logits(pairs).await?;
        return Ok(logits.iter().map(|logits| json!({ "logits": **logits })).collect());
    }
    let probabilities = encoder.score(pairs).await?;
    Ok(probabilities
        .iter()
        .map(|probabilities| {
            Class::ALL
                .into_iter()
                .map(|class| (class.name().to_owned(), json!(probabilities.of(class).to_f64())))
                .collect()
        })
        .collect())
}
