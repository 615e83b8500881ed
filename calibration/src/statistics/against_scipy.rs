//! Compares the statistics with scipy on random tables (tests/statistics/make.py).

#![allow(
    clippy::unwrap_used,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use serde::Deserialize;

use super::{Counts, clopper_pearson, kappa, mcnemar, mean_interval, spearman, tail_at_most};

const TABLES: &str = include_str!("../../tests/statistics/tables.json");

#[derive(Deserialize)]
struct Table {
    x: Vec<f64>,
    y: Vec<f64>,
    spearman: f64,
    first: Vec<u8>,
    second: Vec<u8>,
    kappa: f64,
    hits: u32,
    of: u32,
    low: f64,
    high: f64,
    only_first: u32,
    only_second: u32,
    mcnemar: f64,
    wrong: u32,
    risk: f64,
    tail: f64,
    mean_low: f64,
    mean_high: f64,
}

#[track_caller]
fn assert_close(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() < 1e-9, "{ours} differs from {theirs}");
}

#[test]
fn matches_scipy_on_fifty_tables() {
    let tables: Vec<Table> = serde_json::from_str(TABLES).unwrap();
    assert_eq!(tables.len(), 50);
    for table in tables {
        let ranked: Vec<(f64, f64)> =
            table.x.iter().copied().zip(table.y.iter().copied()).collect();
        assert_close(spearman(&ranked).unwrap(), table.spearman);
        let rated: Vec<(u8, u8)> = table.first.into_iter().zip(table.second).collect();
        assert_close(kappa(&rated).unwrap(), table.kappa);
        let counts = Counts { hits: table.hits, of: table.of };
        let exact = clopper_pearson(counts, 0.05).unwrap();
        assert_close(exact.low, table.low);
        assert_close(exact.high, table.high);
        assert_close(mcnemar(table.only_first, table.only_second).unwrap(), table.mcnemar);
        assert_close(tail_at_most(table.wrong, table.of, table.risk).unwrap(), table.tail);
        let mean = mean_interval(&table.y).unwrap();
        assert_close(mean.low, table.mean_low);
        assert_close(mean.high, table.mean_high);
    }
}

#[test]
fn undefined_statistics_are_none() {
    assert_eq!(spearman(&[(1.0, 2.0)]), None);
    assert_eq!(spearman(&[(1.0, 2.0), (1.0, 3.0)]), None);
    assert_eq!(kappa::<u8>(&[]), None);
    assert_eq!(kappa(&[(1, 1), (1, 1)]), None);
    assert_eq!(clopper_pearson(Counts::default(), 0.05), None);
    assert_eq!((tail_at_most(0, 0, 0.05), mcnemar(0, 0)), (Some(1.0), Some(1.0)));
    assert_eq!(mean_interval(&[]), None);
}
