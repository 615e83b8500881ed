//! Provides the tiny test model, copies of it to modify, and ONNX Runtime if it is installed.

#[path = "../../../tests/support/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};

use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair};
use gsar_embedding::Runtime;
use serde_json::Value;
use skip::report_skip;

/// Loads the runtime from the user's cache. If it is not there, prints a line and returns `None`.
pub(crate) fn runtime() -> Option<Runtime> {
    Runtime::load(None).map_err(|error| report_skip("onnxruntime", error)).ok()
}

pub(crate) fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture")
}

pub(crate) fn copy_into(folder: &Path) -> PathBuf {
    let copy = folder.join("model");
    fs::create_dir(&copy).unwrap();
    for name in ["model.onnx", "tokenizer.json", "config.json", "examples.jsonl"] {
        fs::copy(fixture().join(name), copy.join(name)).unwrap();
    }
    copy
}

pub(crate) fn options(workers: usize) -> Options {
    Options { workers, ..Options::default() }
}

pub(crate) fn start_encoder(runtime: &Runtime, folder: &Path) -> CrossEncoder {
    let options = Options { cache_bytes: 0, ..options(1) };
    CrossEncoder::start(runtime, &Model::open(folder).unwrap(), &options).unwrap()
}

pub(crate) struct Reference {
    pub(crate) pair: Pair,
    pub(crate) tokens: usize,
    pub(crate) logits: Vec<f32>,
}

pub(crate) fn references() -> Vec<Reference> {
    let text = fs::read_to_string(fixture().join("reference.jsonl")).unwrap();
    text.lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let logits = row["logits"].as_array().unwrap();
            Reference {
                pair: Pair::new(row["claim"].as_str().unwrap(), row["premise"].as_str().unwrap()),
                tokens: row["tokens"].as_u64().unwrap() as usize,
                logits: logits.iter().map(|logit| logit.as_f64().unwrap() as f32).collect(),
            }
        })
        .collect()
}

pub(crate) fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
