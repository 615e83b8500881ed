//! Runs `datasets/recorded_model.py`, a chat model that replays recorded answers.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "the tests of several crates include this file by path"
)]

use std::path::Path;
use std::process::{Child, Command};

/// A running chat model that replays recorded answers. It is killed on drop.
pub struct RecordedModel {
    child: Child,
    pub url: String,
}

impl RecordedModel {
    /// Starts the model and waits until it has written its address to a file in the folder.
    pub fn start(folder: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/recorded_model.py");
        let address = folder.join("model");
        let _ = std::fs::remove_file(&address);
        let child = Command::new("python3").args(["-B", script]).arg(&address).spawn().unwrap();
        let url = loop {
            match std::fs::read_to_string(&address) {
                Ok(url) => break url,
                Err(_) => std::thread::yield_now(),
            }
        };
        Self { child, url }
    }
}

impl Drop for RecordedModel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
