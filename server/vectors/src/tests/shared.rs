//! Tests an index that many threads share.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{assert_in_order, clustered, graph_settings, open};
use crate::{Opened, Scalar, Settings};

const DIMENSION: usize = 16;
const THREADS: usize = 64;
const VECTORS_PER_THREAD: usize = 40;

#[test]
fn many_threads_search_add_remove_and_save() {
    for scalar in [Scalar::F32, Scalar::I8] {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings { scalar, callers: 5, ..graph_settings(DIMENSION) };
        let vectors = clustered(THREADS * VECTORS_PER_THREAD, DIMENSION, 4);
        let (index, _) = open(directory.path(), &settings);
        let searches = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for (thread, thread_vectors) in vectors.chunks(VECTORS_PER_THREAD).enumerate() {
                let (index, searches) = (&index, &searches);
                scope.spawn(move || {
                    for batch in thread_vectors.chunks(5) {
                        index.add(batch).unwrap();
                        for (key, vector) in batch {
                            let hits = index.search(vector, 10, None).unwrap();
                            assert_in_order(&hits);
                            let [hit] = index.search(vector, 1, Some(&[*key])).unwrap()[..] else {
                                panic!("no hit for the added key {key}");
                            };
                            assert_eq!(hit.key, *key);
                            searches.fetch_add(2, Ordering::Relaxed);
                        }
                        let removed_key = batch[0].0;
                        assert_eq!(index.remove(&[removed_key]), 1);
                        let hits = index.search(&batch[0].1, 50, None).unwrap();
                        assert!(hits.iter().all(|hit| hit.key != removed_key));
                    }
                    if thread % 16 == 0 {
                        index.save().unwrap();
                    }
                });
            }
        });
        assert_eq!(searches.into_inner(), 2 * vectors.len());
        let remaining = vectors.iter().filter(|(key, _)| key % 5 != 0);
        assert_eq!(index.len(), remaining.clone().count());
        index.build_graph().unwrap();
        index.save().unwrap();
        drop(index);
        let (index, opened) = open(directory.path(), &settings);
        assert_eq!((opened, index.len()), (Opened::Complete, remaining.clone().count()));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let queries = remaining.clone().step_by(37);
                    let hit_queries = queries
                        .clone()
                        .filter(|(key, v)| index.search(v, 1, None).unwrap()[0].key == *key);
                    assert!(hit_queries.count() * 100 >= queries.count() * 98);
                });
            }
        });
    }
}
