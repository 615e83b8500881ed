//! Tests that a save interrupted after any step leaves the previous or the new save.

use std::path::Path;

use super::{assert_exact, clustered, graph_settings, open};
use crate::{IndexError, Opened, Settings, VectorIndex};

const DIMENSION: usize = 8;

type Vectors = Vec<(u64, Vec<f32>)>;
type Change = fn(&VectorIndex, &mut Vectors);

const CHANGES: [(&str, Change); 4] = [
    ("first vectors", |index, vectors| add(index, vectors, clustered(200, DIMENSION, 1))),
    ("more vectors", |index, vectors| {
        let more = clustered(50, DIMENSION, 2).into_iter().map(|(key, v)| (key + 170, v)).collect();
        add(index, vectors, more);
    }),
    ("fewer vectors", |index, vectors| remove(index, vectors, 0..20)),
    ("far fewer vectors", |index, vectors| remove(index, vectors, 0..180)),
];

fn add(index: &VectorIndex, vectors: &mut Vectors, more: Vectors) {
    index.add(&more).unwrap();
    vectors.retain(|(key, _)| more.iter().all(|(added, _)| added != key));
    vectors.extend(more);
}

fn remove(index: &VectorIndex, vectors: &mut Vectors, keys: std::ops::Range<u64>) {
    index.remove(&keys.clone().collect::<Vec<_>>());
    vectors.retain(|(key, _)| !keys.contains(key));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
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
    let whole = parent.path().join("whole");
    let (mut before, mut steps_in_all) = (Vec::new(), 0);
    for (name, change) in CHANGES {
        let mut after = before.clone();
        for steps in 0.. {
            let tried = parent.path().join("tried");
            if whole.exists() {
                copy(&whole, &tried);
            }
            let (index, _) = open(&tried, settings);
            after.clone_from(&before);
            change(&index, &mut after);
            index.fill_disk_after(steps);
            let saved = index.save();
            if retries {
                assert!(matches_vectors(&index, &after), "{name}, {steps} steps: in memory");
                if saved.is_err() {
                    index.fill_disk_after(usize::MAX);
                    index.save().unwrap();
                    drop(index);
                    let (index, opened) = open(&tried, settings);
                    assert!(
                        matches!(opened, Opened::Complete | Opened::GraphMissing(_)),
                        "{name}, {steps} steps: {opened:?}"
                    );
                    assert!(matches_vectors(&index, &after), "{name}, {steps} steps: saved again");
                }
            } else {
                drop(index);
                let (index, opened) = open(&tried, settings);
                let is_after = matches_vectors(&index, &after);
                assert!(
                    is_after || matches_vectors(&index, &before),
                    "{name}, {steps} steps: {opened:?}"
                );
                assert!(is_after || saved.is_err(), "{name}, {steps} steps");
                // The index stays usable.
                add(&index, &mut Vec::new(), clustered(3, DIMENSION, 9));
                index.save().unwrap();
            }
            std::fs::remove_dir_all(&tried).unwrap();
            if let Err(error) = &saved {
                assert!(matches!(error, IndexError::NotSaved { .. }), "{error}");
                steps_in_all += 1;
            } else if steps >= 40 {
                break;
            }
        }
        let (index, _) = open(&whole, settings);
        change(&index, &mut before);
        index.save().unwrap();
    }
    steps_in_all
}

#[test]
fn an_interrupted_save_leaves_the_previous_or_the_new_one() {
    assert!(interrupt_each_step(&graph_settings(DIMENSION), false) > 30);
    assert!(interrupt_each_step(&Settings::new(DIMENSION, super::MODEL), false) > 30);
}

#[test]
fn the_next_save_completes_a_failed_one() {
    assert!(interrupt_each_step(&graph_settings(DIMENSION), true) > 30);
    assert!(interrupt_each_step(&Settings::new(DIMENSION, super::MODEL), true) > 30);
}
