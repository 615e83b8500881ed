//! Tests that completed saves survive a kill.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use gsar_vectors::{Opened, Settings, VectorIndex};

const DIRECTORY: &str = "GSAR_VECTORS_SAVED_UNTIL_KILLED";
const SAVED: &str = "saved ";

fn open(directory: &Path) -> (VectorIndex, Opened) {
    let settings = Settings { crossover: 0, ..Settings::new(16, "model") };
    VectorIndex::open(directory, settings).unwrap()
}

fn vector(key: u64) -> [f32; 16] {
    std::array::from_fn(|index| ((key + 1) as f32 * (index + 1) as f32).sin())
}

/// The body of the child process; does nothing when run as an ordinary test.
#[test]
fn save_until_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let (index, _) = open(Path::new(&directory));
    for key in index.len() as u64.. {
        index.add(&[(key, vector(key))]).unwrap();
        index.save().unwrap();
        println!("{SAVED}{}", key + 1);
    }
}

#[test]
fn completed_saves_survive_a_kill() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("index");
    let mut previous_length = 0;
    for round in 0..24 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "save_until_killed", "--nocapture"])
            .env(DIRECTORY, &directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut saves = lines.filter_map(|line| line.unwrap().strip_prefix(SAVED)?.parse().ok());
        let saved: usize = saves.nth(round % 5).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let (index, opened) = open(&directory);
        assert_eq!(opened, Opened::Complete, "round {round}");
        assert!(
            index.len() >= saved && saved > previous_length,
            "{} {saved} {previous_length}",
            index.len()
        );
        for key in 0..index.len() as u64 {
            assert_eq!(index.search(&vector(key), 1, None).unwrap()[0].key, key);
        }
        previous_length = index.len();
    }
}
