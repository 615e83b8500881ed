//! Tests opening files that are truncated, corrupted, extended, swapped or missing.

use std::path::{Path, PathBuf};

use super::{assert_exact, clustered, graph_settings, open};
use crate::{Opened, Reason, Scalar, Settings};

const DIMENSION: usize = 8;
const COUNT: usize = 300;

type Vectors = Vec<(u64, Vec<f32>)>;

fn save_vectors(directory: &Path, settings: &Settings) -> Vectors {
    let mut vectors = clustered(COUNT, DIMENSION, 5);
    let (index, _) = open(directory, settings);
    index.add(&vectors).unwrap();
    index.remove(&[3, 4]);
    index.save().unwrap();
    vectors.retain(|(key, _)| ![3, 4].contains(key));
    vectors
}

fn file(directory: &Path, extension: &str) -> PathBuf {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut matching: Vec<PathBuf> =
        paths.filter(|path| path.to_str().unwrap().ends_with(extension)).collect();
    assert_eq!(matching.len(), 1, "{extension}: {matching:?}");
    matching.remove(0)
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
        Opened::Empty => panic!("a saved index must not be empty"),
    }
    opened
}

/// Calls `assess` after each kind of damage to the file with this extension.
fn open_after_each_damage(extension: &str, mut assess: impl FnMut(&str, Opened)) {
    let parent = tempfile::tempdir().unwrap();
    let settings = graph_settings(DIMENSION);
    let directory = parent.path().join("whole");
    let vectors = save_vectors(&directory, &settings);
    assert_eq!(check(&directory, &settings, &vectors), Opened::Complete);
    let path = file(&directory, extension);
    let bytes = std::fs::read(&path).unwrap();
    let mut check_damage = |damage: &str, damaged: &[u8]| {
        std::fs::write(&path, damaged).unwrap();
        assess(damage, check(&directory, &settings, &vectors));
    };
    let length = bytes.len();
    let lengths = [1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 63, 64, 65, 255, 256, 1024];
    let middles = (1..32).map(|part| length * part / 32);
    let cut_lengths = lengths.iter().flat_map(|end| [Some(*end), length.checked_sub(*end)]);
    for cut in cut_lengths.flatten().chain(middles).chain([0]).filter(|cut| *cut < length) {
        check_damage(&format!("cut to {cut}"), &bytes[..cut]);
    }
    // Every bit at the start and the end, and one bit in every 37th byte between.
    let bytes_at_ends = (0..length.min(160)).chain(length.saturating_sub(32)..length);
    let bits = bytes_at_ends.flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
    for (byte, bit) in bits.chain((0..length).step_by(37).map(|byte| (byte, byte % 8))) {
        let mut flipped = bytes.clone();
        flipped[byte] ^= 1 << bit;
        check_damage(&format!("bit {bit} of byte {byte}"), &flipped);
    }
    check_damage("zeros", &vec![0; length]);
    check_damage("ones", &vec![0xff; length]);
    check_damage("text", b"GSAR");
    std::fs::remove_file(&path).unwrap();
    assess("removed", check(&directory, &settings, &vectors));
}

#[test]
fn rebuilds_a_damaged_graph() {
    open_after_each_damage(".usearch", |damage, opened| {
        assert!(
            matches!(opened, Opened::GraphMissing(Reason::Damaged { .. } | Reason::Missing { .. })),
            "{damage}: {opened:?}"
        );
    });
}

#[test]
fn damaged_vectors_require_embedding_again() {
    open_after_each_damage(".f32", assert_embed_again);
}

#[test]
fn damaged_keys_require_embedding_again() {
    open_after_each_damage(".keys", assert_embed_again);
}

#[test]
fn a_damaged_manifest_requires_embedding_again() {
    open_after_each_damage(".json", assert_embed_again);
}

#[track_caller]
fn assert_embed_again(damage: &str, opened: Opened) {
    assert!(
        matches!(opened, Opened::EmbedAgain(Reason::Damaged { .. } | Reason::Missing { .. })),
        "{damage}: {opened:?}"
    );
}

#[test]
fn detects_or_ignores_extra_bytes() {
    for (extension, is_complete) in [(".f32", true), (".keys", false), (".json", false)] {
        let directory = tempfile::tempdir().unwrap();
        let settings = graph_settings(DIMENSION);
        let vectors = save_vectors(directory.path(), &settings);
        let path = file(directory.path(), extension);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend([0x55; 41]);
        std::fs::write(&path, bytes).unwrap();
        let opened = check(directory.path(), &settings, &vectors);
        assert_eq!(opened == Opened::Complete, is_complete, "{extension}: {opened:?}");
    }
}

#[test]
fn detects_files_of_another_index() {
    for extension in [".f32", ".keys", ".usearch"] {
        let parent = tempfile::tempdir().unwrap();
        let settings = graph_settings(DIMENSION);
        let (first, second) = (parent.path().join("one"), parent.path().join("other"));
        let vectors = save_vectors(&first, &settings);
        let (index, _) = open(&second, &settings);
        index.add(&clustered(COUNT, DIMENSION, 6)).unwrap();
        index.remove(&[8, 9]);
        index.save().unwrap();
        std::fs::copy(file(&second, extension), file(&first, extension)).unwrap();
        let opened = check(&first, &settings, &vectors);
        assert_ne!(opened, Opened::Complete, "{extension}");
    }
}

#[test]
fn rebuilds_a_graph_during_searches() {
    for scalar in [Scalar::F32, Scalar::I8] {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings { scalar, ..graph_settings(DIMENSION) };
        let vectors = save_vectors(directory.path(), &settings);
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
    let mut vectors = save_vectors(directory.path(), &settings);
    let (index, _) = open(directory.path(), &settings);
    // Replace the file. The mapping still refers to the old file.
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
