//! Writes pairs of a labelled claim and a premise as JSON lines, to train and test the embedded model. The
//! premises are those that the judge would show the model.

use anyhow::Result;
use gsar_core::Class;
use gsar_datasets::generated::swaps;
use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, Item};
use gsar_extraction::passages::Passages;
use serde::Serialize;

use crate::arguments::{Premises, ReplayPart};
use crate::cases::{Case, sources};
use crate::mutation::{Kind, Mutation, Surroundings, draw, mutations};

#[derive(Serialize)]
struct Pair<'a> {
    claim: &'a str,
    premise: String,
    label: &'static str,
    source: &'a str,
    case: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<&'a str>,
}

pub(crate) fn premises(args: &Premises) -> Result<String> {
    let mut lines = String::new();
    if let Some(count) = args.swaps {
        write_swaps(count, args, &mut lines)?;
        return Ok(lines);
    }
    let part = args.part.unwrap_or(ReplayPart::Tune);
    for source in sources(&args.folders, args.split.as_deref(), part)? {
        for case in &source.cases {
            write_case(&source.name, case, args, &mut lines)?;
        }
    }
    Ok(lines)
}

fn write_case(source: &str, case: &Case, args: &Premises, lines: &mut String) -> Result<()> {
    let mut evidence: Vec<_> = case.evidence.iter().collect();
    // The judge reads evidence in this order.
    evidence.sort_by(|a, b| a.id.cmp(&b.id));
    let facts = Facts::extract(
        evidence.into_iter().map(|item| Item {
            tool: &item.tool,
            query: &item.query,
            content: &item.content,
            exhaustive: false,
        }),
        &Budget::unlimited(),
    );
    let passages = Passages::new(&facts, &Budget::unlimited());
    for mutation in draw_mutations(case, args) {
        write(
            lines,
            &Pair {
                claim: &mutation.text,
                premise: passages.premise(&mutation.text, args.bytes, &Budget::unlimited()).text,
                label: label_of(mutation.kind),
                source: "mutations",
                case: &case.name,
                mistake: Some(mutation.kind.name()),
            },
        )?;
    }
    if args.mutations.is_some() {
        return Ok(());
    }
    for claim in &case.claims {
        write(
            lines,
            &Pair {
                claim: &claim.text,
                premise: passages.premise(&claim.text, args.bytes, &Budget::unlimited()).text,
                label: claim.class.name(),
                source,
                case: &case.name,
                mistake: claim.mistake.as_deref(),
            },
        )?;
    }
    Ok(())
}

/// Draws mutations of grounded claims, about equally many of each kind.
fn draw_mutations(case: &Case, args: &Premises) -> Vec<Mutation> {
    let surroundings = Surroundings::new(case.evidence.iter().map(|item| item.content.as_str()));
    let is_claim = |text: &str| case.claims.iter().any(|claim| claim.text == text);
    let grounded = case.claims.iter().filter(|claim| claim.class == Class::Grounded);
    let candidates = grounded.flat_map(|claim| mutations(&claim.text, &surroundings));
    let candidates = candidates.filter(|mutation| !is_claim(&mutation.text)).collect();
    draw(candidates, |mutation: &Mutation| mutation.kind, args.mutations.unwrap_or(0), args.seed)
}

/// Returns the label of a mutated claim. A claim with a replaced name is not grounded, but the evidence need not
/// contradict it.
const fn label_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Entity => "not_grounded",
        _ => Class::Contradicted.name(),
    }
}

fn write_swaps(count: usize, args: &Premises, lines: &mut String) -> Result<()> {
    for swap in swaps(args.seed, count) {
        let evidence = &swap.evidence;
        let item =
            Item { tool: &evidence.tool, query: "", content: &evidence.content, exhaustive: false };
        let facts = Facts::extract([item], &Budget::unlimited());
        let passages = Passages::new(&facts, &Budget::unlimited());
        for (claim, class) in [(&swap.truth, Class::Grounded), (&swap.swapped, Class::Contradicted)]
        {
            write(
                lines,
                &Pair {
                    claim,
                    premise: passages.premise(claim, args.bytes, &Budget::unlimited()).text,
                    label: class.name(),
                    source: "swaps",
                    case: swap.shape.name(),
                    mistake: None,
                },
            )?;
        }
    }
    Ok(())
}

fn write(lines: &mut String, pair: &Pair<'_>) -> Result<()> {
    lines.push_str(&serde_json::to_string(pair)?);
    lines.push('\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn args(folder: &Path) -> Premises {
        Premises {
            folders: vec![folder.to_owned()],
            split: None,
            part: None,
            swaps: None,
            mutations: None,
            seed: 1,
            bytes: 480,
        }
    }

    fn pairs(args: &Premises) -> Vec<Value> {
        let lines = premises(args).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let cases = r#"{"case":"a/1","evidence":[{"id":"e1","tool":"kubectl get pods","content":"NAME    READY\ncart-1  0/1\ncart-2  1/1\n"}]}"#;
        let claims = r#"{"case":"a/1","text":"Pod cart-1 is not ready.","class":"grounded"}
{"case":"a/1","text":"Pod cart-2 is at 0/1.","class":"contradicted","mistake":"value"}"#;
        std::fs::write(folder.path().join("cases.jsonl"), cases).unwrap();
        std::fs::write(folder.path().join("claims.jsonl"), claims).unwrap();
        folder
    }

    #[test]
    fn pairs_claims_with_their_premises() {
        let folder = folder();
        let pairs = pairs(&args(folder.path()));
        assert_eq!(pairs.len(), 2);
        assert_eq!(pairs[1]["label"], "contradicted");
        assert_eq!(pairs[1]["mistake"], "value");
        let premise = pairs[1]["premise"].as_str().unwrap();
        assert!(premise.starts_with("[kubectl get pods]\n"), "{premise}");
        assert!(premise.contains("NAME cart-2; READY 1/1\n"), "{premise}");
    }

    #[test]
    fn mutations_are_never_grounded_and_draws_are_seeded() {
        let folder = folder();
        let mutated = Premises { mutations: Some(3), ..args(folder.path()) };
        let found = pairs(&mutated);
        assert!(!found.is_empty());
        assert!(found.iter().all(|pair| pair["label"] != "grounded"), "{found:?}");
        assert_eq!(found, pairs(&mutated));
        let swaps = Premises { folders: Vec::new(), swaps: Some(4), ..args(folder.path()) };
        let found = pairs(&swaps);
        let labels: Vec<&Value> = found.iter().map(|pair| &pair["label"]).collect();
        assert_eq!(labels, ["grounded", "contradicted"].repeat(4));
        assert_ne!(found, pairs(&Premises { seed: 2, ..swaps }));
    }
}
