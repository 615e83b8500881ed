//! Formats scenes as a Prometheus matrix. The last samples are the scene's values.

use std::collections::BTreeSet;

use super::super::Evidence;
use super::super::scene::{Column, Scene};
use crate::Random;

/// The Unix time of the first sample, 2026-03-12T21:00:00Z.
const FIRST: usize = 1_773_349_200;

const STEP: usize = 60;

pub(super) fn matrix(scene: &Scene, random: &mut Random) -> Evidence {
    let samples = random.between(4, 7);
    let column = scene.columns.first();
    let key = column.map_or("", Column::key);
    let last: Vec<&str> = column
        .map_or_else(Vec::new, |column| scene.rows().map(|row| column.cell(row.index)).collect());
    let metric = format!("{}_{key}", scene.kind.noun);
    let series: Vec<String> = scene
        .names
        .iter()
        .zip(&last)
        .map(|(name, value)| {
            let values = values(value, &last, samples, random).join(",");
            let noun = scene.kind.noun;
            format!("{{\"metric\":{{\"__name__\":\"{metric}\",\"{noun}\":\"{name}\"}},\"values\":[{values}]}}")
        })
        .collect();
    let content = format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
        series.join(",")
    );
    Evidence {
        lane: "metrics",
        tool: format!("query_range query={metric} start=2026-03-12T21:00:00Z step={STEP}s"),
        json: true,
        ..Evidence::state(content)
    }
}

/// Draws samples that end in a given value. Earlier samples differ from the last value of every series.
fn values(last: &str, last_values: &[&str], count: usize, random: &mut Random) -> Vec<String> {
    let excluded: BTreeSet<&str> = last_values.iter().copied().collect();
    let level = last.parse().unwrap_or(0_usize);
    let sample = |index: usize, value: &str| format!("[{},\"{value}\"]", FIRST + index * STEP);
    let mut values = Vec::with_capacity(count);
    for index in 1..count {
        let mut value = (level * 9 / 10 + random.below(level / 5 + 2)).max(1);
        while excluded.contains(value.to_string().as_str()) {
            value += 1;
        }
        values.push(sample(index - 1, &value.to_string()));
    }
    values.push(sample(count - 1, last));
    values
}
