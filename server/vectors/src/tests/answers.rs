//! Tests adding, removing and searching vectors, and invalid input.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{assert_exact, assert_in_order, brute_force, clustered, graph_settings, open};
use crate::{IndexError, Opened, Reason, Scalar, Settings, VectorFault, VectorIndex};

fn small_settings() -> Settings {
    Settings::new(2, super::MODEL)
}

#[test]
fn reopens_a_saved_index() {
    for settings in [small_settings(), graph_settings(2)] {
        let directory = tempfile::tempdir().unwrap();
        let (index, opened) = open(directory.path(), &settings);
        assert_eq!(opened, Opened::Empty);
        index.add(&[(1, [1.0, 0.0]), (2, [0.0, 2.0]), (3, [-3.0, 0.0])]).unwrap();
        assert_eq!(index.remove(&[3, 4]), 1);
        index.save().unwrap();
        index.add(&[(9, [1.0, 1.0])]).unwrap();
        drop(index);
        let (index, opened) = open(directory.path(), &settings);
        assert_eq!(opened, Opened::Complete);
        let hits = index.search(&[5.0, 1.0], 9, None).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((index.len(), index.contains(1), index.contains(3)), (2, true, false));
    }
}

#[test]
fn rejects_a_batch_with_an_invalid_vector() {
    let directory = tempfile::tempdir().unwrap();
    let (index, _) = open(directory.path(), &small_settings());
    for (vector, fault) in [
        (vec![1.0], VectorFault::Length { found: 1, expected: 2 }),
        (vec![1.0; 3], VectorFault::Length { found: 3, expected: 2 }),
        (vec![1.0, f32::NAN], VectorFault::NotFinite { position: 1 }),
        (vec![f32::INFINITY, 1.0], VectorFault::NotFinite { position: 0 }),
        (vec![0.0, -0.0], VectorFault::Zero),
    ] {
        let error = index.add(&[(6, vec![1.0, 1.0]), (7, vector.clone())]).unwrap_err();
        assert_eq!(error, IndexError::InvalidVector { position: 1, key: 7, fault });
        let error = index.search(&vector, 1, None).unwrap_err();
        assert_eq!(error, IndexError::InvalidQuery { fault });
    }
    let error = index.add(&[(u64::MAX, [1.0, 1.0])]).unwrap_err();
    assert_eq!(error, IndexError::ReservedKey { position: 0 });
    assert!(index.is_empty());
}

#[test]
fn returns_at_most_k_hits() {
    for settings in [small_settings(), graph_settings(2)] {
        let directory = tempfile::tempdir().unwrap();
        let (index, _) = open(directory.path(), &settings);
        let count = |k, allowed| index.search(&[1.0, 0.1], k, allowed).unwrap().len();
        for k in [0, 1, usize::MAX] {
            assert_eq!(count(k, None), 0);
        }
        index.add(&[(0, [1.0, 0.0]), (u64::MAX - 1, [0.0, 1.0])]).unwrap();
        assert_eq!([0, 1, 2, 3, usize::MAX].map(|k| count(k, None)), [0, 1, 2, 2, 2]);
        assert_eq!(count(5, Some(&[])), 0);
        assert_eq!(count(5, Some(&[7, u64::MAX])), 0);
        assert_eq!(count(5, Some(&[u64::MAX - 1, 0, 0])), 2);
    }
}

#[test]
fn orders_ties_by_key() {
    let directory = tempfile::tempdir().unwrap();
    let (index, _) = open(directory.path(), &small_settings());
    let vectors: Vec<(u64, [f32; 2])> = (0..50).rev().map(|key| (key, [0.3, 0.4])).collect();
    index.add(&vectors).unwrap();
    let keys: Vec<u64> =
        index.search(&[1.0, 0.0], 7, None).unwrap().iter().map(|hit| hit.key).collect();
    assert_eq!(keys, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn ignores_an_index_of_another_model_or_dimension() {
    let directory = tempfile::tempdir().unwrap();
    let (index, _) = open(directory.path(), &small_settings());
    index.add(&[(1, [1.0, 0.0])]).unwrap();
    index.save().unwrap();
    drop(index);
    let (index, opened) = open(directory.path(), &Settings::new(3, super::MODEL));
    assert_eq!(opened, Opened::EmbedAgain(Reason::OtherDimension { found: 2 }));
    assert!(index.is_empty());
    drop(index);
    let (index, opened) = open(directory.path(), &Settings::new(2, "another"));
    let found = super::MODEL.to_owned();
    assert_eq!(opened, Opened::EmbedAgain(Reason::OtherModel { found }));
    // The old files remain until the next save.
    drop(index);
    let (index, opened) = open(directory.path(), &small_settings());
    assert_eq!((opened, index.len()), (Opened::Complete, 1));
    drop(index);
    let (index, _) = open(directory.path(), &Settings::new(2, "another"));
    index.add(&[(5, [1.0, 0.0])]).unwrap();
    index.save().unwrap();
    drop(index);
    let (index, opened) = open(directory.path(), &Settings::new(2, "another"));
    assert_eq!((opened, index.contains(5)), (Opened::Complete, true));
    let files = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(files, 4, "lock, manifest, vectors and keys");
}

#[test]
fn rebuilds_a_graph_of_another_scalar_type() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { scalar: Scalar::F32, ..graph_settings(8) };
    let vectors = clustered(300, 8, 1);
    let (index, _) = open(directory.path(), &settings);
    index.add(&vectors).unwrap();
    index.save().unwrap();
    drop(index);
    let settings = Settings { scalar: Scalar::I8, ..settings };
    let (index, opened) = open(directory.path(), &settings);
    assert_eq!(opened, Opened::GraphMissing(Reason::OtherScalar));
    assert_exact(&index.search(&vectors[0].1, 5, None).unwrap(), &vectors, &vectors[0].1, 5);
    index.build_graph().unwrap();
    index.save().unwrap();
    drop(index);
    let (index, opened) = open(directory.path(), &settings);
    assert_eq!(opened, Opened::Complete);
    assert_eq!(index.search(&vectors[0].1, 1, None).unwrap()[0].key, 0);
}

#[test]
fn locks_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let (index, _) = open(directory.path(), &small_settings());
    let error = VectorIndex::open(directory.path(), small_settings()).unwrap_err();
    assert_eq!(error, IndexError::Locked { directory: directory.path().to_owned() });
    drop(index);
    let _free_again = open(directory.path(), &small_settings());
    let file = directory.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let error = VectorIndex::open(&file.join("index"), small_settings()).unwrap_err();
    assert!(matches!(error, IndexError::UnusableDirectory { .. }), "{error}");
}

#[test]
fn adds_to_a_mapped_graph() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { crossover: 80, ..Settings::new(8, super::MODEL) };
    let vectors = clustered(600, 8, 2);
    let (index, _) = open(directory.path(), &settings);
    index.add(&vectors[..500]).unwrap();
    index.save().unwrap();
    drop(index);
    let (index, opened) = open(directory.path(), &settings);
    assert_eq!(opened, Opened::Complete);
    for (key, vector) in vectors.iter().enumerate().skip(500) {
        index.add(std::slice::from_ref(vector)).unwrap();
        let hits = index.search(&vector.1, 1, None).unwrap();
        assert_eq!(hits[0].key, key as u64);
    }
    assert_exact(&index.search(&vectors[9].1, 10, None).unwrap(), &vectors, &vectors[9].1, 10);
    index.save().unwrap();
    drop(index);
    let (index, opened) = open(directory.path(), &settings);
    assert_eq!((opened, index.len()), (Opened::Complete, 600));
    assert_exact(&index.search(&vectors[555].1, 10, None).unwrap(), &vectors, &vectors[555].1, 10);
}

#[test]
fn drops_removed_rows_if_they_are_the_majority() {
    let directory = tempfile::tempdir().unwrap();
    let settings = graph_settings(8);
    let mut vectors = clustered(400, 8, 3);
    let (index, _) = open(directory.path(), &settings);
    index.add(&vectors).unwrap();
    index.save().unwrap();
    let size = || -> u64 {
        let entries = std::fs::read_dir(directory.path()).unwrap();
        entries.map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    };
    let size_before = size();
    index.remove(&(0..300).collect::<Vec<u64>>());
    index.save().unwrap();
    assert!(size() * 3 < size_before, "{} {size_before}", size());
    vectors.drain(..300);
    for _ in 0..2 {
        for k in [1, 10, 100] {
            let hits = index.search(&vectors[5].1, k, None).unwrap();
            assert_exact(&hits, &vectors, &vectors[5].1, k);
        }
        index.build_graph().unwrap();
        index.save().unwrap();
    }
    drop(index);
    let (index, opened) = open(directory.path(), &settings);
    assert_eq!((opened, index.len()), (Opened::Complete, 100));
}

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<(u64, [f32; 3])>),
    Remove(Vec<u64>),
    Search([f32; 3], usize, Option<Vec<u64>>),
    Save,
    BuildGraph,
    OpenAgain,
}

fn vector() -> impl Strategy<Value = [f32; 3]> {
    prop::array::uniform3(-4..5_i8)
        .prop_filter("a direction", |values| *values != [0; 3])
        .prop_map(|values| values.map(f32::from))
}

fn step() -> impl Strategy<Value = Step> {
    let key = || 0..40_u64;
    prop_oneof![
        4 => prop::collection::vec((key(), vector()), 0..20).prop_map(Step::Add),
        2 => prop::collection::vec(key(), 0..12).prop_map(Step::Remove),
        4 => (vector(), 0..30_usize, prop::option::of(prop::collection::vec(key(), 0..30)))
            .prop_map(|(query, k, allowed)| Step::Search(query, k, allowed)),
        1 => Just(Step::Save),
        1 => Just(Step::BuildGraph),
        1 => Just(Step::OpenAgain),
    ]
}

/// Compares an index with a map. `exact` means that the index never uses its graph.
fn run_steps(steps: Vec<Step>, settings: &Settings, exact: bool) {
    let directory = tempfile::tempdir().unwrap();
    let (mut index, _) = open(directory.path(), settings);
    let mut current: BTreeMap<u64, Vec<f32>> = BTreeMap::new();
    let mut saved = current.clone();
    for step in steps {
        match step {
            Step::Add(vectors) => {
                index.add(&vectors).unwrap();
                current.extend(vectors.iter().map(|(key, vector)| (*key, vector.to_vec())));
            }
            Step::Remove(keys) => {
                let existing = keys.iter().filter(|key| current.remove(key).is_some()).count();
                assert_eq!(index.remove(&keys), existing);
            }
            Step::Search(query, k, allowed) => {
                let vectors: Vec<(u64, Vec<f32>)> = current
                    .iter()
                    .filter(|(key, _)| allowed.as_ref().is_none_or(|keys| keys.contains(key)))
                    .map(|(key, vector)| (*key, vector.clone()))
                    .collect();
                let hits = index.search(&query, k, allowed.as_deref()).unwrap();
                if exact {
                    assert_exact(&hits, &vectors, &query, k);
                } else {
                    let expected = brute_force(&vectors, &query, usize::MAX);
                    assert_eq!(hits.len(), k.min(expected.len()));
                    assert_in_order(&hits);
                    for hit in hits {
                        let similarity =
                            expected.iter().find(|(key, _)| *key == hit.key).unwrap().1;
                        assert!((f64::from(hit.similarity) - similarity).abs() < 1e-5);
                    }
                }
            }
            Step::Save => {
                index.save().unwrap();
                saved = current.clone();
            }
            Step::BuildGraph => index.build_graph().unwrap(),
            Step::OpenAgain => {
                drop(index);
                let opened;
                (index, opened) = open(directory.path(), settings);
                assert!(!matches!(opened, Opened::EmbedAgain(_)), "{opened:?}");
                current = saved.clone();
            }
        }
        assert_eq!(index.len(), current.len());
        assert!(current.keys().all(|key| index.contains(*key)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(160) })]

    #[test]
    fn an_exact_index_behaves_like_a_map(steps in prop::collection::vec(step(), 0..40)) {
        run_steps(steps, &Settings::new(3, super::MODEL), true);
    }

    #[test]
    fn an_index_with_a_graph_behaves_like_a_map(
        steps in prop::collection::vec(step(), 0..40),
        crossover in 0..40_usize,
        scalar in prop_oneof![Just(Scalar::F32), Just(Scalar::I8)],
    ) {
        run_steps(steps, &Settings { crossover, scalar, ..Settings::new(3, super::MODEL) }, false);
    }
}
