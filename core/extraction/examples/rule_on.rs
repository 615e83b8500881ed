//! Rules over labelled claims: how often they support and refute, and how often that is right.
//!
//! `cargo run --release -p gsar-extraction --example rule_on FOLDER PART LIST [SPLIT]`: FOLDER has `cases.jsonl` and
//! `claims.jsonl`; PART is a list of the file SPLIT, without which all cases are read; LIST is `wrong` (what was wrong),
//! `all`, `silent` (what was left over), or anything else for figures alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::allow_attributes,
    missing_docs,
    reason = "a tool for people"
)]

use std::collections::BTreeMap;

use gsar_extraction::claim::TypedClaim;
use gsar_extraction::facts::{Facts, Item};
use gsar_extraction::rules::{Index, Outcome, rule_on};
use serde_json::Value;

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let part = std::env::args().nth(2).unwrap();
    let list = std::env::args().nth(3).unwrap_or_default();
    let lines = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (cases, claims) = (lines("cases.jsonl"), lines("claims.jsonl"));
    let split: Option<Value> = std::env::args()
        .nth(4)
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap());
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut by_rule: BTreeMap<(String, String), usize> = BTreeMap::new();
    for case in &cases {
        let name = case["case"].as_str().unwrap();
        if let Some(split) = &split
            && !split[&part].as_array().unwrap().iter().any(|n| n.as_str() == Some(name))
        {
            continue;
        }
        let items: Vec<Item<'_>> = case["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| Item {
                tool: item["tool"].as_str().unwrap_or_default(),
                query: item["query"].as_str().unwrap_or_default(),
                content: item["content"].as_str().unwrap(),
                exhaustive: false,
            })
            .collect();
        let facts = Facts::read(items);
        let index = Index::new(facts);
        let facts = index.facts();
        for claim in claims.iter().filter(|c| c["case"] == case["case"]) {
            let class = claim["class"].as_str().unwrap();
            let text = claim["text"].as_str().unwrap();
            let typed = TypedClaim::read(text);
            let (outcome, rules) = rule_on(&typed, &index);
            let (said, records) = match &outcome {
                Outcome::Supports(r) => ("supports", r.clone()),
                Outcome::Refutes(r) => ("refutes", r.clone()),
                Outcome::Silent => ("silent", vec![]),
            };
            *counts.entry((class.to_owned(), said)).or_default() += 1;
            for rule in &rules {
                *by_rule.entry((rule.0.to_owned(), format!("{said} {class}"))).or_default() += 1;
            }
            let right =
                matches!((said, class), ("supports", "grounded") | ("refutes", "contradicted"));
            if said != "silent" && (list == "all" || list == "wrong" && !right) {
                println!(
                    "{} {said} {class} {:?} {rules:?} | {text}",
                    if right { "ok " } else { "BAD" },
                    claim["mistake"]
                );
                for id in records {
                    let r = facts.record(id).unwrap();
                    let item = facts.item(facts.item_of(id).unwrap()).unwrap();
                    println!(
                        "      {}",
                        item.content
                            .get(r.span.clone())
                            .unwrap_or_default()
                            .chars()
                            .take(300)
                            .collect::<String>()
                            .replace('\n', "\\n")
                    );
                }
            }
            if list == "silent" && said == "silent" && class != "ungrounded" {
                let left = gsar_extraction::rules::left_over(&typed, &index);
                println!("{class} | {text}");
                if let Some((id, left)) = left {
                    let r = facts.record(id).unwrap();
                    let item = facts.item(facts.item_of(id).unwrap()).unwrap();
                    println!(
                        "   lacks {left:?} in {}",
                        item.content
                            .get(r.span.clone())
                            .unwrap_or_default()
                            .chars()
                            .take(160)
                            .collect::<String>()
                            .replace('\n', "\\n")
                    );
                }
            }
        }
    }
    println!("{by_rule:?}");
    let get = |c: &str, s: &str| {
        counts
            .iter()
            .filter(|((class, said), _)| class == c && *said == s)
            .map(|(_, n)| *n)
            .sum::<usize>() as f64
    };
    let supports: f64 =
        ["grounded", "contradicted", "ungrounded"].iter().map(|c| get(c, "supports")).sum();
    let refutes: f64 =
        ["grounded", "contradicted", "ungrounded"].iter().map(|c| get(c, "refutes")).sum();
    for (class, said, all) in
        [("grounded", "supports", supports), ("contradicted", "refutes", refutes)]
    {
        let of_class: f64 = ["supports", "refutes", "silent"].iter().map(|s| get(class, s)).sum();
        println!(
            "{class}: precision {:.1} % of {all}, recall {:.1} %",
            100.0 * get(class, said) / all,
            100.0 * get(class, said) / of_class
        );
    }
}
