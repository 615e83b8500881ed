//! How many of the best the graph finds, against comparing one by one.

use std::path::PathBuf;

use super::{clustered, open};
use crate::{Opened, Scalar, Settings};

const K: usize = 10;
/// Names a folder with real vectors: `*.f32`, rows of little-endian `f32`, with the dimension in the name as in
/// `sentences-384.f32`.
const FOLDER: &str = "GSAR_REAL_VECTORS";

/// The share of the ten best that the graph finds, in thousandths.
fn recall(vectors: &[(u64, Vec<f32>)], settings: &Settings) -> usize {
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
    let (mut found, mut asked) = (0, 0);
    for (_, query) in vectors.iter().step_by(vectors.len().div_ceil(200)) {
        let right = exact.search(query, K, None).unwrap();
        let hits = index.search(query, K, None).unwrap();
        assert_eq!(hits.len(), right.len());
        // Equal vectors are as good as each other.
        let worst = right.last().unwrap().similarity;
        found += hits.iter().filter(|hit| hit.similarity >= worst).count();
        asked += right.len();
    }
    found * 1_000 / asked
}

#[test]
fn of_clustered_vectors_the_graph_finds_99_of_100() {
    let vectors = clustered(20_000, 64, 11);
    for scalar in [Scalar::F32, Scalar::I8] {
        let recall = recall(&vectors, &Settings { scalar, ..Settings::new(64, super::MODEL) });
        println!("recall@{K} {scalar:?}: {recall} of 1000");
        assert!(recall >= 990, "{scalar:?}: {recall} of 1000");
    }
}

#[test]
fn of_real_vectors_the_graph_finds_99_of_100() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        println!("skipped: {FOLDER} names no folder with real vectors");
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
            let recall = recall(&vectors, &settings);
            println!("{} {scalar:?}: recall@{K} {recall} of 1000", path.display());
            assert!(recall >= 990, "{} {scalar:?}: {recall} of 1000", path.display());
        }
        files += 1;
    }
    assert!(files > 0, "{} has no file like sentences-384.f32", folder.display());
}

fn dimension(path: &std::path::Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?.strip_suffix(".f32")?;
    name.rsplit_once('-')?.1.parse().ok()
}
