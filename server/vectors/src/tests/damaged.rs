//! Tests opening files that are truncated, corrupted, extended, swapped or missing.

use std::path::{Path, PathBuf};

use super::{assert_exact, clustered, graph_settings, open};
use crate::{Opened, Reason, Scalar, Settings};

const DIMENSION: usize = 8;
const NUMBER: usize = 300;

type Vectors = Vec<(u64, Vec<f32>)>;

fn saved(directory: &Path, settings: &Settings) -> Vectors {
    let mut vectors = clustered(NUMBER, DIMENSION, 5);
    let (index, _) = open(directory, settings);
    index.add(&vectors).unwrap();
    index.remove(&[3, 4]);
    index.save().unwrap();
    vectors.retain(|(key, _)| ![3, 4].contains(key));
    vectors
}

fn file(directory: &Path, ending: &str) -> PathBuf {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.to_str().unwrap().ends_with(ending)).collect();
    assert_eq!(found.len(), 1, "{ending}: {found:?}");
    found.remove(0)
}

fn check(directory: &Path, settings: &Settings, vectors: &Vectors) -> Opened {
    let (index, opened) = open(directory, settings);
    let query = &vectors[17].1;
    match &opened {
        Opened::Complete | Opened::GraphMissing(_) => {
            assert_eq!(index.len(), vectors.len());
            assert_exact(&index.search(query, 10, None).unwrap(), vectors, query, 10);
        }
        Opened::EmbedAgain(_) => {
            assert!(index.is_empty());
            assert_eq!(index.search(query, 10, None).unwrap(), []);
        }
        Opened::Empty => panic!("the index was saved"),
    }
    opened
}

/// Calls `judge` after each kind of damage to the file with this extension.
fn after_each_damage(ending: &str, mut judge: impl FnMut(&str, Opened)) {
    let parent = tempfile::tempdir().unwrap();
    let settings = graph_settings(DIMENSION);
    let whole = parent.path().join("whole");
    let vectors = saved(&whole, &settings);
    assert_eq!(check(&whole, &settings, &vectors), Opened::Complete);
    let path = file(&whole, ending);
    let bytes = std::fs::read(&path).unwrap();
    let mut after = |damage: &str, damaged: &[u8]| {
        std::fs::write(&path, damaged).unwrap();
        judge(damage, check(&whole, &settings, &vectors));
    };
    let length = bytes.len();
    let ends = [1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 63, 64, 65, 255, 256, 1024];
    let middles = (1..32).map(|part| length * part / 32);
    let cuts = ends.iter().flat_map(|end| [Some(*end), length.checked_sub(*end)]);
    for cut in cuts.flatten().chain(middles).chain([0]).filter(|cut| *cut < length) {
        after(&format!("cut to {cut}"), &bytes[..cut]);
    }
    // Every bit at the start and the end, and one bit in every 37th byte between.
    let dense = (0..length.min(160)).chain(length.saturating_sub(32)..length);
    let bits = dense.flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
    for (byte, bit) in bits.chain((0..length).step_by(37).map(|byte| (byte, byte % 8))) {
        let mut flipped = bytes.clone();
        flipped[byte] ^= 1 << bit;
        after(&format!("bit {bit} of byte {byte}"), &flipped);
    }
    after("zeros", &vec![0; length]);
    after("ones", &vec![0xff; length]);
    after("text", b"GSAR");
    std::fs::remove_file(&path).unwrap();
    judge("removed", check(&whole, &settings, &vectors));
}

#[test]
fn rebuilds_a_damaged_graph() {
    after_each_damage(".usearch", |damage, opened| {
        assert!(
            matches!(opened, Opened::GraphMissing(Reason::Damaged { .. } | Reason::Missing { .. })),
            "{damage}: {opened:?}"
        );
    });
}

#[test]
fn damaged_vectors_require_embedding_again() {
    after_each_damage(".f32", embed_again);
}

#[test]
fn damaged_keys_require_embedding_again() {
    after_each_damage(".keys", embed_again);
}

#[test]
fn a_damaged_manifest_requires_embedding_again() {
    after_each_damage(".json", embed_again);
}

#[track_caller]
fn embed_again(damage: &str, opened: Opened) {
    assert!(
        matches!(opened, Opened::EmbedAgain(Reason::Damaged { .. } | Reason::Missing { .. })),
        "{damage}: {opened:?}"
    );
}

#[test]
fn detects_or_ignores_extra_bytes() {
    for (ending, complete) in [(".f32", true), (".keys", false), (".json", false)] {
        let directory = tempfile::tempdir().unwrap();
        let settings = graph_settings(DIMENSION);
        let vectors = saved(directory.path(), &settings);
        let path = file(directory.path(), ending);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend([0x55; 41]);
        std::fs::write(&path, bytes).unwrap();
        let opened = check(directory.path(), &settings, &vectors);
        assert_eq!(opened == Opened::Complete, complete, "{ending}: {opened:?}");
    }
}

#[test]
fn detects_files_of_another_index() {
    for ending in [".f32", ".keys", ".usearch"] {
        let parent = tempfile::tempdir().unwrap();
        let settings = graph_settings(DIMENSION);
        let (one, other) = (parent.path().join("one"), parent.path().join("other"));
        let vectors = saved(&one, &settings);
        let (index, _) = open(&other, &settings);
        index.add(&clustered(NUMBER, DIMENSION, 6)).unwrap();
        index.remove(&[8, 9]);
        index.save().unwrap();
        std::fs::copy(file(&other, ending), file(&one, ending)).unwrap();
        let opened = check(&one, &settings, &vectors);
        assert_ne!(opened, Opened::Complete, "{ending}");
    }
}

#[test]
fn rebuilds_a_graph_during_searches() {
    for scalar in [Scalar::F32, Scalar::I8] {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings { scalar, ..graph_settings(DIMENSION) };
        let vectors = saved(directory.path(), &settings);
        let path = file(directory.path(), ".usearch");
        std::fs::remove_file(&path).unwrap();
        let (index, opened) = open(directory.path(), &settings);
        assert_eq!(opened, Opened::GraphMissing(Reason::Missing { file: path }));
        std::thread::scope(|scope| {
            let built = scope.spawn(|| index.build_graph());
            for (_, query) in vectors.iter().take(50) {
                assert_exact(&index.search(query, 10, None).unwrap(), &vectors, query, 10);
            }
            built.join().unwrap().unwrap();
        });
        index.save().unwrap();
        drop(index);
        assert_eq!(check(directory.path(), &settings, &vectors), Opened::Complete);
    }
}

#[test]
fn verifies_a_mapped_graph_before_loading_it() {
    let directory = tempfile::tempdir().unwrap();
    let settings = graph_settings(DIMENSION);
    let mut vectors = saved(directory.path(), &settings);
    let (index, _) = open(directory.path(), &settings);
    // Replaces the file; the mapping keeps the old one.
    let path = file(directory.path(), ".usearch");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let added = clustered(1, DIMENSION, 7)[0].1.clone();
    index.add(&[(1_000, &added)]).unwrap();
    vectors.push((1_000, added.clone()));
    assert_exact(&index.search(&added, 10, None).unwrap(), &vectors, &added, 10);
    index.build_graph().unwrap();
    index.save().unwrap();
    drop(index);
    assert_eq!(check(directory.path(), &settings, &vectors), Opened::Complete);
}
