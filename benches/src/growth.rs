//! Generates input shapes that were once slow to parse, and measures how long they take.

use std::hint::black_box;
use std::time::Duration;

use gsar_core::Policy;
use gsar_core::report::Document;
use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, Item};
use gsar_extraction::passages::{MAX_PREMISE, Passages};
use gsar_extraction::rules::Index;

use crate::cpu_time::of_thread;

type Read = fn(&str, &Budget);

/// The cost of parsing one input.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The input size.
    pub bytes: usize,
    /// The CPU time.
    pub time: Duration,
    /// The units of work.
    pub units: u64,
    /// The bytes of memory, as counted by the budget.
    pub held: u64,
}

/// An input shape.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The kind of input and its repeated unit.
    pub name: &'static str,
    unit: &'static str,
    read: Read,
}

impl Shape {
    /// Parses an input of about this size.
    pub fn measure(&self, bytes: usize) -> Cost {
        let mut input = String::new();
        let mut number = 0;
        while input.len() < bytes {
            input.push_str(&self.unit.replace("{n}", &number.to_string()));
            number += 1;
        }
        let budget = Budget::unlimited();
        let begin = of_thread();
        (self.read)(&input, &budget);
        let time = of_thread().saturating_sub(begin);
        Cost { bytes: input.len(), time, units: budget.spent(), held: budget.allocated() }
    }
}

/// Returns the growth exponent of time over size; 1 is linear.
pub fn exponent(times: &[(usize, f64)]) -> f64 {
    let points: Vec<(f64, f64)> =
        times.iter().map(|(bytes, time)| ((*bytes as f64).ln(), time.max(1e-6).ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    let (x, y) = (x / count, y / count);
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    if below > 0.0 { above / below } else { 0.0 }
}

const SHAPES: &[(&str, &str, Read)] = &[
    ("report: 1,", "1,", report),
    ("report: 0,0,0,0 lines", "0,0,0,0\n", report),
    ("report: 1, 2, 3, 4 lines", "1, 2, 3, 4\n", report),
    ("report: and 1,", "and 1,", report),
    ("report: ,so 1", ",so 1", report),
    ("report: x=1, y=2,", "x=1, y=2, ", report),
    ("report: ,but is", ",but is ", report),
    ("report: and was", "and was ", report),
    ("report: was 1; ", "was 1; ", report),
    ("report: lines without stops", "the pod cart-{n} was restarted at 14:02\n", report),
    ("report: prose", "The pod cart-{n} was restarted 3 times, and it was slow at 14:02. ", report),
    ("report: CSV", "cart-{n},Running,3,14:02,512Mi\n", report),
    ("report: a.b.", "a.b.", report),
    ("report: A. ", "A. ", report),
    ("report: quotes", "\"a\" (", report),
    ("report: back-ticks", "`a", report),
    ("report: headings", "# Pod cart-{n}\n", report),
    ("report: bullets", "- the limit is 512Mi\n", report),
    ("report: table rows", "| cart-{n} | 3 |\n", report),
    ("report: table", "| a | b |\n|---|---|\n| cart-{n} | 3 |\n\n", report),
    ("report: code", "```\ncart-{n} failed\n```\n", report),
    ("report: nested lists", "  - a\n", report),
    ("report: HTML", "<b>a</b>", report),
    ("report: links", "[a](http://b/{n}) ", report),
    ("report: emphasis", "*a **b ", report),
    ("report: because", "because it was 1, ", report),
    ("report: not no", "not no never ", report),
    ("report: units", "5 ms 3 GiB 70 % ", report),
    ("report: times", "2026-03-12T14:02:10Z ", report),
    ("report: one word", "aaaaaaaa", report),
    ("report: questions", "Why did cart-{n} fail? ", report),
    ("report: proposals", "Restart the failed pod cart-{n}, because it was slow. ", report),
    ("report: its", ", its p99 was 1: ", report),
    ("evidence: a=b", "a=b ", evidence),
    ("evidence: a=1,", "a=1,", evidence),
    ("evidence: a.b.c.d.", "a.b.c.d.", evidence),
    ("evidence: A.", "A.", evidence),
    ("evidence: A. ", "A. ", evidence),
    ("evidence: yaml items", "- a: {n}\n", evidence),
    ("evidence: lines a", "a\n", evidence),
    ("evidence: log", "2026-03-12T14:02:10Z ERROR cart-{n} was killed: out of memory\n", evidence),
    ("evidence: one log line", "ERROR cart-{n} was killed: out of memory ", evidence),
    ("evidence: CSV", "cart-{n},Running,3,14:02,512Mi\n", evidence),
    ("evidence: JSON lines", "{\"name\": \"cart-{n}\", \"restarts\": 3}\n", evidence),
    ("evidence: XML", "<a b=\"{n}\">c</a>", evidence),
    ("evidence: diff", "@@ -1 +1 @@\n-a: {n}\n+a: 2\n", evidence),
    ("evidence: pipes", "| cart-{n} | 3 |\n", evidence),
    ("evidence: columns", "cart-{n}   1/1   0\n", evidence),
    ("evidence: key lines", "Limit {n}:   512Mi\n", evidence),
    ("evidence: numbers", "1 2 3 ", evidence),
    ("evidence: quotes", "\"a", evidence),
    ("evidence: back-ticks", "`a", evidence),
    ("headings of evidence", "# Pod cart-{n} failed\n", headings),
    ("evidence: JSON array", "{n},", json_array),
    ("evidence: JSON objects", "{\"name\": \"cart-{n}\", \"restarts\": 3},", json_array),
    ("evidence: deep JSON", "[", deep_json),
    ("claims on one line", "the pod cart-{n} ", claims_on_a_line),
    ("claims on lines", "the pod cart-{n} was restarted\n", claims_on_a_line),
    ("policy: unknown keys", "key{n} = 1\n", policy),
    ("policy: long table", "[weights]\nkey{n} = 1\n", policy),
];

/// Returns all shapes.
pub fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.iter().map(|&(name, unit, read)| Shape { name, unit, read })
}

fn report(text: &str, budget: &Budget) {
    black_box(gsar_core::split_report::split(text, budget));
}

/// Parses an input of which half of the bytes are evidence and half are headings.
fn headings(text: &str, budget: &Budget) {
    let evidence = text.replace("# Pod", "the pod").replace("failed", "is slow");
    black_box(Document::parse(text, &[&evidence], budget));
}

fn read<T>(
    content: &str,
    budget: &Budget,
    then: impl FnOnce(&Index<'_>, &Passages<'_, '_>) -> T,
) -> T {
    let item = Item { tool: "kubectl logs", query: "", content, exhaustive: true };
    let index = Index::new(Facts::extract([item], budget), budget);
    let passages = Passages::new(index.facts(), budget);
    then(&index, &passages)
}

fn evidence(text: &str, budget: &Budget) {
    read(text, budget, |index, passages| {
        black_box((index, passages));
    });
}

fn json_array(text: &str, budget: &Budget) {
    evidence(&format!("[{text}1]"), budget);
}

fn deep_json(text: &str, budget: &Budget) {
    evidence(&format!("{text}{}", "]".repeat(text.len())), budget);
}

/// Checks a fixed list of claims, which does not depend on the size of the evidence.
fn claims_on_a_line(text: &str, budget: &Budget) {
    read(text, budget, |index, passages| {
        for number in 0..64 {
            let claim =
                format!("The pod cart-{number} was restarted by the pod cart-{}.", number + 1);
            black_box((index.check(&claim), passages.premise(&claim, MAX_PREMISE, budget)));
        }
    });
}

fn policy(text: &str, _: &Budget) {
    let _ = black_box(Policy::from_toml(text));
}
