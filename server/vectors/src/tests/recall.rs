//! Tests the graph's recall.

use std::path::PathBuf;

use super::{clustered, open};
use crate::{Opened, Scalar, Settings};

const K: usize = 10;
/// A folder of real vectors: rows of little-endian `f32`, in files named like `sentences-384.f32`.
const FOLDER: &str = "GSAR_REAL_VECTORS";

/// Asserts a recall@10 of 99% for all keys, for every other key, and after removing a third.
fn assert_recall(name: &str, vectors: &[(u64, Vec<f32>)], settings: &Settings) {
    let parent = tempfile::tempdir().unwrap();
    let exact = Settings { crossover: usize::MAX, ..settings.clone() };
    let (exact, _) = open(&parent.path().join("exact"), &exact);
    exact.add(vectors).unwrap();
    let approximate = Settings { crossover: 0, ..settings.clone() };
    let (index, _) = open(&parent.path().join("graph"), &approximate);
    index.add(vectors).unwrap();
    index.build_graph().unwrap();
    index.save().unwrap();
    drop(index);
    let (index, opened) = open(&parent.path().join("graph"), &approximate);
    assert_eq!(opened, Opened::Complete);
    let keys = |step| vectors.iter().map(|(key, _)| *key).step_by(step).collect::<Vec<u64>>();
    let recall = |case: &str, allowed: Option<&[u64]>| {
        let (mut matches, mut total) = (0, 0);
        for (_, query) in vectors.iter().step_by(vectors.len().div_ceil(200)) {
            let expected = exact.search(query, K, allowed).unwrap();
            let hits = index.search(query, K, allowed).unwrap();
            assert_eq!(hits.len(), expected.len());
            // Any of several equally similar vectors is correct.
            let lowest_similarity = expected.last().unwrap().similarity;
            matches += hits.iter().filter(|hit| hit.similarity >= lowest_similarity).count();
            total += expected.len();
        }
        let recall = matches * 1_000 / total;
        println!("{name}, {:?}, {case}: recall@{K} {recall} of 1000", settings.scalar);
        assert!(recall >= 990, "{name}, {:?}, {case}: {recall} of 1000", settings.scalar);
    };
    recall("all", None);
    recall("every other", Some(&keys(2)));
    assert_eq!(exact.remove(&keys(3)), index.remove(&keys(3)));
    recall("a third removed", None);
}

#[test]
fn f32_graph_recall_on_clustered_vectors() {
    let settings = Settings { scalar: Scalar::F32, ..Settings::new(64, super::MODEL) };
    assert_recall("clustered", &clustered(20_000, 64, 11), &settings);
}

#[test]
fn i8_graph_recall_on_clustered_vectors() {
    let settings = Settings::new(64, super::MODEL);
    assert_eq!(settings.scalar, Scalar::I8);
    assert_recall("clustered", &clustered(20_000, 64, 11), &settings);
}

#[test]
fn graph_recall_on_real_vectors() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        println!("skipped: {FOLDER} is not set to a folder with real vectors");
        return;
    };
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(dimension) = dimension(&path) else { continue };
        let bytes = std::fs::read(&path).unwrap();
        let values: Vec<f32> =
            bytes.as_chunks().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
        let rows = values.chunks_exact(dimension).map(<[f32]>::to_vec);
        let vectors: Vec<(u64, Vec<f32>)> = (0..).zip(rows).collect();
        for scalar in [Scalar::F32, Scalar::I8] {
            let settings = Settings { scalar, ..Settings::new(dimension, super::MODEL) };
            assert_recall(&path.display().to_string(), &vectors, &settings);
        }
        files += 1;
    }
    assert!(files > 0, "{} has no file like sentences-384.f32", folder.display());
}

fn dimension(path: &std::path::Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?.strip_suffix(".f32")?;
    name.rsplit_once('-')?.1.parse().ok()
}
