//! Tests the whole index.

mod answers;
mod damaged;
mod full_disk;
mod interrupted;
mod recall;
mod shared;

use std::path::Path;

use crate::{Hit, Opened, Settings, VectorIndex};

const MODEL: &str = "model";

/// Returns settings for an index that always uses its graph.
fn graph_settings(dimension: usize) -> Settings {
    Settings { crossover: 0, ..Settings::new(dimension, MODEL) }
}

fn open(directory: &Path, settings: &Settings) -> (VectorIndex, Opened) {
    VectorIndex::open(directory, settings.clone()).unwrap()
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn value(&mut self) -> f32 {
        (0..4).map(|_| (self.next() >> 40) as f32 / (1 << 24) as f32 - 0.5).sum()
    }

    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.value()).collect()
    }
}

/// Returns vectors in clusters of about fifty, about as similar as sentences on one subject.
fn clustered(count: usize, dimension: usize, seed: u64) -> Vec<(u64, Vec<f32>)> {
    let mut numbers = Numbers(seed);
    let centres: Vec<Vec<f32>> =
        (0..count.div_ceil(50)).map(|_| numbers.vector(dimension)).collect();
    (0..count as u64)
        .map(|key| {
            let centre = &centres[numbers.next() as usize % centres.len()];
            (key, centre.iter().map(|value| value + 0.7 * numbers.value()).collect())
        })
        .collect()
}

fn brute_force(vectors: &[(u64, Vec<f32>)], query: &[f32], k: usize) -> Vec<(u64, f64)> {
    let length = |vector: &[f32]| vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let mut hits: Vec<(u64, f64)> = vectors
        .iter()
        .map(|(key, vector)| {
            let sum: f64 =
                vector.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            (*key, sum / length(vector) / length(query))
        })
        .collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits.truncate(k);
    hits
}

#[track_caller]
fn assert_exact(hits: &[Hit], vectors: &[(u64, Vec<f32>)], query: &[f32], k: usize) {
    let expected = brute_force(vectors, query, k);
    assert_eq!(hits.len(), expected.len());
    let similarities = brute_force(vectors, query, usize::MAX);
    for (hit, (_, similarity)) in hits.iter().zip(&expected) {
        assert!((f64::from(hit.similarity) - similarity).abs() < 1e-5, "{hit:?} {similarity}");
        let similarity_of_key = similarities.iter().find(|(key, _)| *key == hit.key).unwrap().1;
        assert!(
            (f64::from(hit.similarity) - similarity_of_key).abs() < 1e-5,
            "{hit:?} {similarity_of_key}"
        );
    }
    assert_in_order(hits);
}

#[track_caller]
fn assert_in_order(hits: &[Hit]) {
    assert!(hits.is_sorted_by(|a, b| a.order(b).is_lt()), "{hits:?}");
}
