//! Test sessions.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking, and each test file uses only part of this module"
)]

#[path = "../../../tests/support/skip.rs"]
pub(crate) mod skip;

use std::sync::mpsc::{Receiver, Sender, channel};

use gsar_embedding::{Model, Runtime, Session, SessionError};

pub(crate) const DIMENSION: usize = 8;

/// A session that reports each batch and waits before computing it.
pub(crate) struct Gated {
    started: Sender<Vec<String>>,
    proceed: Receiver<()>,
}

pub(crate) struct Gate {
    pub(crate) started: Receiver<Vec<String>>,
    pub(crate) proceed: Sender<()>,
}

impl Gate {
    /// Waits for a batch to start and lets it continue.
    pub(crate) fn pass(&self) -> Vec<String> {
        let batch = self.started.recv().unwrap();
        self.proceed.send(()).unwrap();
        batch
    }
}

pub(crate) fn gated() -> (Box<dyn Session>, Gate) {
    let (started, started_receiver) = channel();
    let (proceed, proceed_receiver) = channel();
    (
        Box::new(Gated { started, proceed: proceed_receiver }),
        Gate { started: started_receiver, proceed },
    )
}

pub(crate) fn vector_of(text: &str) -> Vec<f32> {
    let hash = text.bytes().fold(17_u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte));
    let values: Vec<f32> =
        (0..DIMENSION).map(|at| (hash.rotate_left(4 * at as u32) % 100) as f32 + 1.0).collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}

fn embed(texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError> {
    match texts.iter().find(|text| text.starts_with("bad")) {
        Some(text) if text.contains("panic") => panic!("expected panic"),
        Some(_) => Err(SessionError("expected error".to_owned())),
        None => Ok(texts
            .iter()
            .map(|text| match *text {
                "wide" => vec![1.0; DIMENSION + 1],
                "nan" => vec![f32::NAN; DIMENSION],
                "zero" => vec![0.0; DIMENSION],
                text => vector_of(text),
            })
            .collect()),
    }
}

impl Session for Gated {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn max_text_bytes(&self) -> usize {
        1_000
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError> {
        self.started.send(texts.iter().map(|text| (*text).to_owned()).collect()).ok();
        self.proceed.recv().ok();
        embed(texts)
    }
}

pub(crate) struct Ungated;

impl Session for Ungated {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn max_text_bytes(&self) -> usize {
        1_000
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError> {
        embed(texts)
    }
}

/// Loads the runtime and the model from the user's cache. If either is unavailable, prints a message and
/// returns `None`.
pub(crate) fn real() -> Option<(Runtime, Model)> {
    let loaded = Runtime::load(None).map_err(|error| error.to_string()).and_then(|runtime| {
        Ok((runtime, Model::all_mini_lm().map_err(|error| error.to_string())?))
    });
    loaded.map_err(|error| skip::report_skip("sentence_model", error)).ok()
}
