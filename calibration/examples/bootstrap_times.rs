//! Prints the interval of a mean of 10,000 values from 10,000 draws, and how long it took, for
//! benches/calibration.
#![allow(clippy::print_stdout, clippy::allow_attributes, reason = "a program that prints")]

use std::time::Instant;

use gsar_calibration::{Random, mean_interval};

fn main() {
    let mut random = Random::new(1);
    let values: Vec<f64> = (0..10_000).map(|_| random.below(1_000) as f64 / 1_000.0).collect();
    let began = Instant::now();
    if let Some(interval) = mean_interval(&values) {
        println!("{:.4} {:.6} {:.6}", began.elapsed().as_secs_f64(), interval.low, interval.high);
    }
}
