//! Measures how many texts per second plain sessions and the pool embed.
//!
//! Run as `embedding_times FILE WORKERS`, where FILE is a JSON array of arrays of texts. For every line on
//! stdin, takes one measurement and prints a JSON object, so that `benches/embedding/compare.py` can
//! alternate between this and another program. The model comes from the user's cache.

use std::error::Error;
use std::io::BufRead;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use gsar_embedding::{Embedder, Model, OnnxSession, Options, Priority, Runtime, Session};
use rustix::time::{ClockId, Timespec, clock_gettime};

const SINGLE_TEXTS: usize = 24;

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "the program prints its results")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(workers)) = (arguments.next(), arguments.next()) else {
        return Err("usage: embedding_times FILE WORKERS".into());
    };
    let batches: Vec<Vec<String>> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let texts: Vec<String> = batches.iter().flatten().cloned().collect();
    let workers = workers.parse()?;

    let start = Instant::now();
    let runtime = Runtime::load(None)?;
    let model = Model::all_mini_lm()?;
    let options = Options { workers, ..Options::default() };
    let embedder = Embedder::start(&runtime, &model, &options, None)?;
    let startup_seconds = start.elapsed().as_secs_f64();
    let mut sessions =
        (0..workers).map(|_| model.session(&runtime)).collect::<Result<Vec<_>, _>>()?;

    for line in std::io::stdin().lock().lines() {
        line?;
        let clocks = Clocks::now();
        embed_on_sessions(&mut sessions, &batches)?;
        let session = clocks.per_second(texts.len());
        let clocks = Clocks::now();
        embedder.embed(texts.clone(), Priority::Background).await?;
        let pool = clocks.per_second(texts.len());
        let measurement = serde_json::json!({
            "session": session.0, "session_processor": session.1,
            "pool": pool.0, "pool_processor": pool.1,
            "single_ms": median_time(&embedder, &texts).await?, "start_s": startup_seconds,
        });
        println!("{measurement}");
    }
    Ok(())
}

struct Clocks(Instant, Timespec);

impl Clocks {
    fn now() -> Self {
        Self(Instant::now(), clock_gettime(ClockId::ProcessCPUTime))
    }

    /// Returns texts per second of wall time and of CPU time.
    fn per_second(self, texts: usize) -> (f64, f64) {
        let now = Self::now();
        let spent = |time: Timespec| time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        let texts = texts as f64;
        (texts / (now.0 - self.0).as_secs_f64(), texts / (spent(now.1) - spent(self.1)))
    }
}

/// Embeds every batch once, each on the next free session.
fn embed_on_sessions(
    sessions: &mut [OnnxSession],
    batches: &[Vec<String>],
) -> Result<(), Box<dyn Error>> {
    let next = AtomicUsize::new(0);
    let work = |session: &mut OnnxSession| {
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let texts: Vec<&str> = batch.iter().map(String::as_str).collect();
            session.embed(&texts)?;
        }
        Ok(())
    };
    let outcomes: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            sessions.iter_mut().map(|session| scope.spawn(|| work(session))).collect();
        threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(outcome) => outcome.map_err(|error: gsar_embedding::SessionError| error.0),
                Err(_) => Err("a thread panicked".to_owned()),
            })
            .collect()
    });
    Ok(outcomes.into_iter().collect::<Result<(), String>>()?)
}

/// Returns the median time per text in milliseconds.
async fn median_time(embedder: &Embedder, texts: &[String]) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::new();
    for text in texts.iter().step_by(texts.len().div_ceil(SINGLE_TEXTS).max(1)) {
        let start = Instant::now();
        embedder.embed(vec![text.clone()], Priority::Query).await?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() / 2).copied().unwrap_or(0.0))
}
