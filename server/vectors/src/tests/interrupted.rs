//! Tests that a save interrupted after any step leaves either the previous or the new save intact.

use std::path::Path;

use super::{assert_exact, clustered, graph_settings, open};
use crate::{IndexError, Opened, Settings, VectorIndex};

const DIMENSION: usize = 8;

type Vectors = Vec<(u64, Vec<f32>)>;
type Change = fn(&VectorIndex, &mut Vectors);

const CHANGES: [(&str, Change); 4] = [
    ("first vectors", |index, vectors| add(index, vectors, clustered(200, DIMENSION, 1))),
    ("more vectors", |index, vectors| {
        let new_vectors =
            clustered(50, DIMENSION, 2).into_iter().map(|(key, v)| (key + 170, v)).collect();
        add(index, vectors, new_vectors);
    }),
    ("fewer vectors", |index, vectors| remove(index, vectors, 0..20)),
    ("far fewer vectors", |index, vectors| remove(index, vectors, 0..180)),
];

fn add(index: &VectorIndex, vectors: &mut Vectors, new_vectors: Vectors) {
    index.add(&new_vectors).unwrap();
    vectors.retain(|(key, _)| new_vectors.iter().all(|(new_key, _)| new_key != key));
    vectors.extend(new_vectors);
}

fn remove(index: &VectorIndex, vectors: &mut Vectors, keys: std::ops::Range<u64>) {
    index.remove(&keys.clone().collect::<Vec<_>>());
    vectors.retain(|(key, _)| !keys.contains(key));
}

fn copy_files(source: &Path, target: &Path) {
    std::fs::create_dir(target).unwrap();
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, target.join(path.file_name().unwrap())).unwrap();
    }
}

fn matches_vectors(index: &VectorIndex, vectors: &Vectors) -> bool {
    if index.len() != vectors.len() || !vectors.iter().all(|(key, _)| index.contains(*key)) {
        return false;
    }
    for (_, query) in vectors.iter().step_by(40) {
        assert_exact(&index.search(query, 5, None).unwrap(), vectors, query, 5);
    }
    true
}

/// Interrupts the save of each change at each step. Returns the total number of steps.
fn interrupt_each_step(settings: &Settings, retries: bool) -> usize {
    let parent = tempfile::tempdir().unwrap();
    let saved_directory = parent.path().join("whole");
    let (mut vectors_before, mut total_steps) = (Vec::new(), 0);
    for (name, change) in CHANGES {
        let mut vectors_after = vectors_before.clone();
        for steps in 0.. {
            let directory = parent.path().join("tried");
            if saved_directory.exists() {
                copy_files(&saved_directory, &directory);
            }
            let (index, _) = open(&directory, settings);
            vectors_after.clone_from(&vectors_before);
            change(&index, &mut vectors_after);
            index.fill_disk_after(steps);
            let saved = index.save();
            if retries {
                assert!(
                    matches_vectors(&index, &vectors_after),
                    "{name}, {steps} steps: in memory"
                );
                if saved.is_err() {
                    index.fill_disk_after(usize::MAX);
                    index.save().unwrap();
                    drop(index);
                    let (index, opened) = open(&directory, settings);
                    assert!(
                        matches!(opened, Opened::Complete | Opened::GraphMissing(_)),
                        "{name}, {steps} steps: {opened:?}"
                    );
                    assert!(
                        matches_vectors(&index, &vectors_after),
                        "{name}, {steps} steps: saved again"
                    );
                }
            } else {
                drop(index);
                let (index, opened) = open(&directory, settings);
                let is_new = matches_vectors(&index, &vectors_after);
                assert!(
                    is_new || matches_vectors(&index, &vectors_before),
                    "{name}, {steps} steps: {opened:?}"
                );
                assert!(is_new || saved.is_err(), "{name}, {steps} steps");
                // The index remains usable.
                add(&index, &mut Vec::new(), clustered(3, DIMENSION, 9));
                index.save().unwrap();
            }
            std::fs::remove_dir_all(&directory).unwrap();
            if let Err(error) = &saved {
                assert!(matches!(error, IndexError::NotSaved { .. }), "{error}");
                total_steps += 1;
            } else if steps >= 40 {
                break;
            }
        }
        let (index, _) = open(&saved_directory, settings);
        change(&index, &mut vectors_before);
        index.save().unwrap();
    }
    total_steps
}

#[test]
fn an_interrupted_save_leaves_the_previous_or_the_new_save() {
    assert!(interrupt_each_step(&graph_settings(DIMENSION), false) > 30);
    assert!(interrupt_each_step(&Settings::new(DIMENSION, super::MODEL), false) > 30);
}

#[test]
fn a_save_succeeds_after_a_failed_save() {
    assert!(interrupt_each_step(&graph_settings(DIMENSION), true) > 30);
    assert!(interrupt_each_step(&Settings::new(DIMENSION, super::MODEL), true) > 30);
}
