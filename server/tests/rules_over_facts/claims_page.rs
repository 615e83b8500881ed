//! Tests the examples in docs/CLAIMS.md.

use gsar_core::budget::Budget;
use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, Lane};
use gsar_core::{Claim, ClaimId, Class};
use gsar_server::judge::facts::Observations;

const PAGE: &str = include_str!("../../../docs/CLAIMS.md");

fn items() -> Vec<EvidenceItem> {
    let blocks = PAGE.split("```evidence ").skip(1);
    blocks
        .map(|block| {
            let (head, rest) = block.split_once('\n').expect("a first line");
            let (id, tool) = head.split_once(' ').expect("an id and a tool");
            let (text, _) = rest.split_once("```").expect("the end of the block");
            let content = if text.starts_with('{') { Content::Json } else { Content::Text };
            let lane = if id == "log" { Lane::Logs } else { Lane::StaticInfra };
            EvidenceItem {
                tool: tool.to_owned(),
                attested: true,
                ..EvidenceItem::new(EvidenceId::new(id).unwrap(), lane, content(text.to_owned()))
            }
        })
        .collect()
}

#[test]
fn examples_in_claims_md_are_correct() {
    let items = items();
    let observations = Observations::read(&items, &Budget::unlimited());
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let mut wrong_examples = Vec::new();
    let mut example_count = 0;
    for (text, class) in rows.filter_map(|row| row.split_once(" | ")) {
        let is_undecided = class == "undecided";
        let expected = Class::from_name(class);
        if expected.is_none() && !is_undecided {
            continue;
        }
        let claim = Claim::new(ClaimId::new("c1").unwrap(), text);
        let judged_claim = observations.judge(&[claim], &Budget::unlimited()).unwrap().remove(0);
        example_count += 1;
        let decided_class = judged_claim.undecided.is_none().then_some(judged_claim.class);
        if decided_class != expected {
            wrong_examples.push(format!("{text}: {decided_class:?} ({})", judged_claim.note));
        }
    }
    assert!(wrong_examples.is_empty(), "{wrong_examples:#?}");
    assert!(example_count > 12 && items.len() > 3, "too few examples");
}
