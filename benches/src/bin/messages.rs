//! Writes the requests of the service figures and prints answers as JSON.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::{Parser, ValueEnum};
use gsar_benches::echo::Payload;
use gsar_benches::judging::Incident;
use gsar_benches::requests;
use gsar_benches::sized::Dimension;
use gsar_proto::json::{Named, to_json};
use gsar_proto::v1::{EvaluateResponse, ScoreResponse};
use prost::Message;

/// Encodes the requests of the service figures and shows answers as JSON.
#[derive(Parser)]
enum Arguments {
    /// Writes an encoded request.
    Request {
        /// Method.
        #[arg(value_enum)]
        method: Method,
        /// File to write.
        file: PathBuf,
    },
    /// Writes an encoded request that grows in one dimension.
    Sized {
        /// Dimension.
        #[arg(value_enum)]
        dimension: Dimension,
        /// Size in that dimension.
        size: usize,
        /// File to write.
        file: PathBuf,
    },
    /// Writes the encoded request of the judging figures.
    Judging {
        /// Send the report as text instead of claims.
        #[arg(long)]
        as_text: bool,
        /// Bypass the cache.
        #[arg(long)]
        bypass_cache: bool,
        /// File to write.
        file: PathBuf,
    },
    /// Prints report and evidence of the judging figures as JSON.
    Incident,
    /// Writes a request for the echo.
    Payload {
        /// Encoded size.
        bytes: usize,
        /// File to write.
        file: PathBuf,
    },
    /// Prints an encoded answer as JSON.
    Answer {
        /// Method.
        #[arg(value_enum)]
        method: Method,
        /// File to read.
        file: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Method {
    Evaluate,
    Score,
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn main() -> anyhow::Result<()> {
    match Arguments::parse() {
        Arguments::Request { method, file } => {
            let bytes = match method {
                Method::Evaluate => requests::evaluate().encode_to_vec(),
                Method::Score => requests::score().encode_to_vec(),
            };
            std::fs::write(file, bytes)?;
        }
        Arguments::Sized { dimension, size, file } => {
            std::fs::write(file, dimension.request(size))?;
        }
        Arguments::Judging { as_text, bypass_cache, file } => {
            let request = Incident::new().request(!as_text, bypass_cache);
            std::fs::write(file, request.encode_to_vec())?;
        }
        Arguments::Incident => println!("{}", Incident::new().to_json()),
        Arguments::Payload { bytes, file } => {
            std::fs::write(file, Payload::of_encoded_size(bytes).encode_to_vec())?;
        }
        Arguments::Answer { method, file } => {
            let bytes =
                std::fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
            let text = match method {
                Method::Evaluate => json_of::<EvaluateResponse>(&bytes),
                Method::Score => json_of::<ScoreResponse>(&bytes),
            };
            println!("{}", text?);
        }
    }
    Ok(())
}

fn json_of<T: Message + Default + Named>(bytes: &[u8]) -> anyhow::Result<String> {
    to_json(&T::decode(bytes)?).map_err(|error| anyhow!("{error}"))
}
