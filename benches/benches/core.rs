//! This program measures score and decision of the core for reports of 5 to 5000 claims.
//!
//! Processor time is per partition, so that other work on the machine does not count; criterion also gives
//! claims per second, which stays level when the cost is linear.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gsar_benches::core_figures::{InDoubles, decision, decision_with_margins, score};
use gsar_benches::partitions::{self, Partition};
use gsar_benches::processor_time::of_this_thread;
use gsar_core::{Preset, preset};

/// What criterion measures: processor time of the thread.
struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        of_this_thread()
    }

    fn end(&self, start: Duration) -> Duration {
        of_this_thread().saturating_sub(start)
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_secs_f64() * 1e9
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn core(criterion: &mut Criterion<ProcessorTime>) {
    let (paper, reference) = (preset(Preset::Paper), preset(Preset::Reference));
    let in_doubles = InDoubles::of(&paper);
    let mut group = criterion.benchmark_group("core");
    for size in partitions::SIZES {
        let partitions = partitions::of_size(size);
        group.throughput(Throughput::Elements(size as u64));
        let mut measure = |name: &str, operation: &dyn Fn(&Partition)| {
            let mut in_turn = partitions.iter().cycle();
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| {
                    if let Some(partition) = in_turn.next() {
                        operation(black_box(partition));
                    }
                });
            });
        };
        measure("score_in_doubles", &|p| {
            black_box(in_doubles.score(p));
        });
        measure("score", &|p| {
            black_box(score(&paper, p));
        });
        measure("decision_paper", &|p| {
            black_box(decision(&paper, p));
        });
        measure("decision_reference", &|p| {
            black_box(decision(&reference, p));
        });
        measure("decision_with_margins", &|p| {
            black_box(decision_with_margins(&reference, p));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(ProcessorTime);
    targets = core
}
criterion_main!(benches);
