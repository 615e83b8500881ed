//! This module tests generated evidence whose values are swapped between things, attributes and units.

use core::fmt::Write as _;

use super::{Index, Outcome};
use crate::budget::Budget;
use crate::facts::{Facts, Item};

/// How many false statements are made at least.
const SWAPS: usize = 5_000;

/// Numbers that look random and are the same in every run (SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }
}

/// A thing with its state, and its figures by attribute.
struct Thing {
    name: String,
    state: &'static str,
    figures: [usize; 3],
}

const ATTRIBUTES: [&str; 3] = ["restarts", "connections", "errors"];
const STATES: [&str; 4] = ["Running", "Pending", "Failed", "Degraded"];

fn things(draws: &mut Draws) -> Vec<Thing> {
    let families = ["cart", "stock", "pay", "auth", "web"];
    (0..4)
        .map(|number| Thing {
            name: format!("{}-{number}", families.get(draws.below(5)).unwrap()),
            state: STATES.get(draws.below(4)).unwrap(),
            figures: [0; 3].map(|_| 2 + draws.below(97)),
        })
        .collect()
}

/// The things as a tool would print them.
fn evidence(shape: usize, things: &[Thing]) -> String {
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
            for thing in things {
                let [a, b, c] = thing.figures.map(|figure| format!("{figure}"));
                row(&mut text, [&thing.name, thing.state, &a, &b, &c]);
            }
        }
        3 => {
            let object = |Thing { name, state, figures: [a, b, c] }: &Thing| {
                format!(
                    r#"{{"name": "{name}", "status": "{state}", "restarts": {a}, "connections": {b}, "errors": {c}}}"#
                )
            };
            let objects: Vec<String> = things.iter().map(object).collect();
            write!(text, "[{}]", objects.join(", ")).unwrap();
        }
        4 => {
            for Thing { name, state, figures: [a, b, c] } in things {
                writeln!(
                    text,
                    "{name}:\n  status: {state}\n  restarts: {a}\n  connections: {b}\n  errors: {c}"
                )
                .unwrap();
            }
        }
        _ => {
            for Thing { name, state, figures: [a, b, c] } in things {
                writeln!(text, "pod={name} status={state} restarts={a} connections={b} errors={c}")
                    .unwrap();
            }
        }
    }
    text
}

fn statement(draws: &mut Draws, thing: &str, attribute: &str, figure: usize) -> String {
    match draws.below(4) {
        0 => format!("{thing} had {figure} {attribute}."),
        1 => format!("The {attribute} of {thing} were {figure}."),
        2 => format!("Pod {thing} has {figure} {attribute}"),
        _ => format!("{thing}'s {attribute} are {figure}."),
    }
}

#[test]
fn swapped_values_are_never_supported_and_true_ones_never_refuted() {
    let mut draws = Draws(7);
    let (mut swaps, mut truths, mut supported, mut refuted) = (0, 0, 0, 0);
    let mut round = 0;
    while swaps < SWAPS {
        let things = things(&mut draws);
        let content = evidence(round % 6, &things);
        round += 1;
        let item = Item { tool: "", query: "", content: &content, exhaustive: false };
        let index = Index::new(Facts::read([item], &Budget::unlimited()), &Budget::unlimited());
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
        for thing in &things {
            let others = things.iter().filter(|other| other.name != thing.name);
            for other in others {
                for (at, attribute) in ATTRIBUTES.into_iter().enumerate() {
                    let (own, figure) = (thing.figures[at], other.figures[at]);
                    check(&statement(&mut draws, &thing.name, attribute, figure), own == figure);
                }
                let text = format!("{} is {}.", thing.name, other.state);
                check(&text, thing.state == other.state);
            }
            for (at, attribute) in ATTRIBUTES.into_iter().enumerate() {
                let (own, next) = (thing.figures[at], thing.figures[(at + 1) % 3]);
                check(&statement(&mut draws, &thing.name, attribute, own), true);
                check(&statement(&mut draws, &thing.name, attribute, next), own == next);
                let text = format!("{} had {own} {attribute} on wk-{at}.", thing.name);
                check(&text, false);
            }
            check(&format!("{} is {}.", thing.name, thing.state), true);
        }
    }
    assert!(supported * 10 > truths * 9, "{supported} of {truths} that are true are supported");
    assert!(refuted * 2 > swaps, "{refuted} of {swaps} that are swapped are refuted");
}
