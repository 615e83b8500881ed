//! Embeds every line of a file as a row of little-endian `f32` values.
//!
//! Run as `embed_lines LINES VECTORS WORKERS`. Index benchmarks use the vectors
//! (`benches/vectors/sentences.py`).

use std::error::Error;
use std::io::{BufWriter, Write as _};

use gsar_embedding::{Embedder, Model, Options, Priority, Runtime};

const BATCH_LINES: usize = 1_024;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [lines, vectors, workers] = arguments.as_slice() else {
        return Err("usage: embed_lines LINES VECTORS WORKERS".into());
    };
    let text = std::fs::read_to_string(lines)?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let options = Options { workers: workers.parse()?, ..Options::default() };
    let embedder = Embedder::start(&Runtime::load(None)?, &Model::all_mini_lm()?, &options, None)?;
    let mut out = BufWriter::new(std::fs::File::create(vectors)?);
    for batch in lines.chunks(BATCH_LINES) {
        for vector in embedder.embed(batch.to_vec(), Priority::Background).await? {
            for value in vector.iter() {
                out.write_all(&value.to_le_bytes())?;
            }
        }
    }
    Ok(out.flush()?)
}
