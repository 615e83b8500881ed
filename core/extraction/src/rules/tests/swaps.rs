//! Tests the rules on generated evidence, with statements in which the values of entities or attributes are swapped.

use core::fmt::Write as _;

use super::{Index, Outcome};
use crate::budget::Budget;
use crate::facts::{Facts, Item};

/// The minimum number of false statements.
const SWAPS: usize = 5_000;

struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }
}

struct Entity {
    name: String,
    state: &'static str,
    figures: [usize; 3],
}

const ATTRIBUTES: [&str; 3] = ["restarts", "connections", "errors"];
const STATES: [&str; 4] = ["Running", "Pending", "Failed", "Degraded"];

fn entities(random: &mut SplitMix) -> Vec<Entity> {
    let families = ["cart", "stock", "pay", "auth", "web"];
    (0..4)
        .map(|number| Entity {
            name: format!("{}-{number}", families.get(random.below(5)).unwrap()),
            state: STATES.get(random.below(4)).unwrap(),
            figures: [0; 3].map(|_| 2 + random.below(97)),
        })
        .collect()
}

fn evidence(shape: usize, entities: &[Entity]) -> String {
    let mut text = String::new();
    let row = |text: &mut String, cells: [&str; 5]| {
        match shape {
            0 => writeln!(
                text,
                "{:<12}{:<12}{:<12}{:<14}{}",
                cells[0], cells[1], cells[2], cells[3], cells[4]
            ),
            1 => writeln!(text, "{}", cells.join(",")),
            _ => writeln!(text, "| {} |", cells.join(" | ")),
        }
        .unwrap()
    };
    match shape {
        0..3 => {
            row(&mut text, ["NAME", "STATUS", "RESTARTS", "CONNECTIONS", "ERRORS"]);
            if shape == 2 {
                row(&mut text, ["---"; 5]);
            }
            for entity in entities {
                let [a, b, c] = entity.figures.map(|figure| format!("{figure}"));
                row(&mut text, [&entity.name, entity.state, &a, &b, &c]);
            }
        }
        3 => {
            let object = |Entity { name, state, figures: [a, b, c] }: &Entity| {
                format!(
                    r#"{{"name": "{name}", "status": "{state}", "restarts": {a}, "connections": {b}, "errors": {c}}}"#
                )
            };
            let objects: Vec<String> = entities.iter().map(object).collect();
            write!(text, "[{}]", objects.join(", ")).unwrap();
        }
        4 => {
            for Entity { name, state, figures: [a, b, c] } in entities {
                writeln!(
                    text,
                    "{name}:\n  status: {state}\n  restarts: {a}\n  connections: {b}\n  errors: {c}"
                )
                .unwrap();
            }
        }
        _ => {
            for Entity { name, state, figures: [a, b, c] } in entities {
                writeln!(text, "pod={name} status={state} restarts={a} connections={b} errors={c}")
                    .unwrap();
            }
        }
    }
    text
}

fn statement(random: &mut SplitMix, entity: &str, attribute: &str, figure: usize) -> String {
    match random.below(4) {
        0 => format!("{entity} had {figure} {attribute}."),
        1 => format!("The {attribute} of {entity} were {figure}."),
        2 => format!("Pod {entity} has {figure} {attribute}"),
        _ => format!("{entity}'s {attribute} are {figure}."),
    }
}

#[test]
fn swapped_values_are_not_supported() {
    let mut random = SplitMix(7);
    let (mut swaps, mut truths, mut supported, mut refuted) = (0, 0, 0, 0);
    let mut round = 0;
    while swaps < SWAPS {
        let entities = entities(&mut random);
        let content = evidence(round % 6, &entities);
        round += 1;
        let item = Item { tool: "", query: "", content: &content, exhaustive: false };
        let index = Index::new(Facts::extract([item], &Budget::unlimited()), &Budget::unlimited());
        let mut check = |text: &str, is_true: bool| {
            let outcome = index.check(text);
            if is_true {
                assert!(!matches!(outcome, Outcome::Refutes(..)), "{text}\n{content}");
                supported += usize::from(matches!(outcome, Outcome::Supports(..)));
                truths += 1;
            } else {
                assert!(!matches!(outcome, Outcome::Supports(..)), "{text}\n{content}");
                refuted += usize::from(matches!(outcome, Outcome::Refutes(..)));
                swaps += 1;
            }
        };
        for entity in &entities {
            let other_entities = entities.iter().filter(|other| other.name != entity.name);
            for other in other_entities {
                for (position, attribute) in ATTRIBUTES.into_iter().enumerate() {
                    let (actual, figure) = (entity.figures[position], other.figures[position]);
                    check(
                        &statement(&mut random, &entity.name, attribute, figure),
                        actual == figure,
                    );
                }
                let text = format!("{} is {}.", entity.name, other.state);
                check(&text, entity.state == other.state);
            }
            for (position, attribute) in ATTRIBUTES.into_iter().enumerate() {
                let (actual, other_figure) =
                    (entity.figures[position], entity.figures[(position + 1) % 3]);
                check(&statement(&mut random, &entity.name, attribute, actual), true);
                check(
                    &statement(&mut random, &entity.name, attribute, other_figure),
                    actual == other_figure,
                );
                let text = format!("{} had {actual} {attribute} on wk-{position}.", entity.name);
                check(&text, false);
            }
            check(&format!("{} is {}.", entity.name, entity.state), true);
        }
    }
    assert!(supported * 10 > truths * 9, "{supported} of {truths} true statements are supported");
    assert!(refuted * 2 > swaps, "{refuted} of {swaps} swapped statements are refuted");
}
