//! Generates pairs of claims: a true one, and the same claim with a similar thing's value.

use super::attributes::Family;
use super::scene::Scene;
use super::shapes::Shape;
use super::{Evidence, capitalized};
use crate::Random;

/// A true claim, and the same claim with a neighbour's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The evidence format.
    pub shape: Shape,
    /// The topic of the claims.
    pub family: Family,
    /// The evidence that decides both claims.
    pub evidence: Evidence,
    /// The true claim.
    pub truth: String,
    /// The false claim.
    pub swapped: String,
    /// The value in the true claim.
    pub value: String,
    /// The value in the swapped claim.
    pub neighbour: String,
    /// The number of things in the evidence.
    pub entities: usize,
}

/// Generates `count` pairs, distributed evenly over the shapes. The result is deterministic for a given seed.
pub fn swaps(seed: u64, count: usize) -> Vec<Swap> {
    let mut random = Random::new(seed);
    let shapes = Shape::ALL.into_iter().cycle();
    let mut draw = |shape| (0..MAX_DRAWS).find_map(|_| swap(shape, &mut random));
    shapes.take(count).filter_map(&mut draw).collect()
}

fn swap(shape: Shape, random: &mut Random) -> Option<Swap> {
    let scene = Scene::draw(shape.limits(), random)?;
    let evidence = shape.print(&scene, random);
    let column = scene.columns.get(scene.claimed)?;
    let name = *scene.names.get(scene.subject)?;
    let (value, neighbour) = (column.prose(scene.subject), column.prose(scene.neighbour));
    let template = random.word(column.attribute.claims);
    let subject = subject(name, scene.kind.noun, random);
    let end = if shape == Shape::Series { random.word(&ENDS) } else { "" };
    let claim = |value: &str| {
        let claim = template.replace("{name}", &subject).replace("{value}", value);
        let claim = if template.starts_with("{name}") { capitalize(&claim, name) } else { claim };
        format!("{claim}{end}.")
    };
    Some(Swap {
        shape,
        family: column.attribute.family,
        truth: claim(value),
        swapped: claim(neighbour),
        value: value.to_owned(),
        neighbour: neighbour.to_owned(),
        entities: scene.names.len(),
        evidence,
    })
}

const MAX_DRAWS: usize = 100;

/// Phrases that refer to the last sample in a series.
const ENDS: [&str; 3] = [" at the end", " at the end of the window", " in the last sample"];

fn subject(name: &str, noun: &str, random: &mut Random) -> String {
    if random.percent(60) { name.to_owned() } else { format!("{noun} {name}") }
}

/// Capitalizes a claim, unless it begins with a name.
fn capitalize(claim: &str, name: &str) -> String {
    if claim.starts_with(name) {
        return claim.to_owned();
    }
    capitalized(claim)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Returns `true` if a text contains a value that is not part of a longer figure.
    fn contains_value(value: &str, text: &str) -> bool {
        let figure = value.split(' ').next().unwrap();
        let parts: Vec<&str> = text.split(figure).collect();
        parts.windows(2).any(|around| {
            let before = around[0].chars().next_back();
            let after = around[1].chars().next();
            [before, after].into_iter().flatten().all(|letter| !letter.is_ascii_digit())
        })
    }

    #[test]
    fn generation_is_deterministic() {
        assert_eq!(swaps(7, 200), swaps(7, 200));
        assert_ne!(swaps(7, 200), swaps(8, 200));
        assert_eq!(swaps(7, 200)[..50], swaps(7, 50), "a larger count only adds pairs");
    }

    #[test]
    fn claims_of_a_pair_differ_only_in_the_value() {
        for swap in swaps(1, 2_000) {
            assert_ne!(swap.value, swap.neighbour, "{swap:?}");
            let replaced = swap.truth.match_indices(&swap.value).any(|(start, value)| {
                let (before, rest) = swap.truth.split_at(start);
                let after = rest.strip_prefix(value).unwrap();
                [before, &swap.neighbour, after].concat() == swap.swapped
            });
            assert!(replaced, "{swap:?}");
        }
    }

    #[test]
    fn evidence_contains_both_values() {
        for swap in swaps(2, 2_000) {
            for value in [&swap.value, &swap.neighbour] {
                assert!(contains_value(value, &swap.evidence.content), "{value}: {swap:?}");
            }
            assert!((2..=6).contains(&swap.entities), "{swap:?}");
        }
    }

    #[test]
    fn shapes_are_evenly_distributed_and_all_families_occur() {
        let mut shapes: BTreeMap<Shape, usize> = BTreeMap::new();
        let mut families: BTreeMap<Family, usize> = BTreeMap::new();
        for swap in swaps(3, 2_000) {
            *shapes.entry(swap.shape).or_default() += 1;
            *families.entry(swap.family).or_default() += 1;
        }
        assert_eq!(shapes.into_iter().collect::<Vec<_>>(), Shape::ALL.map(|shape| (shape, 100)));
        for family in Family::ALL {
            assert!(families.get(&family).is_some_and(|number| *number >= 30), "{families:?}");
        }
    }

    #[test]
    fn attributes_have_at_least_four_wordings() {
        use super::super::kinds::KINDS;
        for attribute in KINDS.iter().flat_map(|kind| kind.attributes) {
            let wordings: BTreeSet<&str> = attribute.claims.iter().copied().collect();
            assert!(wordings.len() >= 4, "{attribute:?}");
            let templates = [attribute.clauses.0, attribute.clauses.1].into_iter().chain(wordings);
            for template in templates {
                let has = |word| template.matches(word).count() == 1;
                assert!(has("{name}") && has("{value}"), "{template}");
            }
        }
    }

    #[test]
    fn names_are_numerous_and_distinct() {
        use super::super::kinds::KINDS;
        for names in KINDS.iter().flat_map(|kind| kind.names) {
            let distinct_names: BTreeSet<&&str> = names.iter().collect();
            assert!(names.len() >= 6 && distinct_names.len() == names.len(), "{names:?}");
        }
    }

    #[test]
    fn json_evidence_is_one_document() {
        for swap in swaps(4, 1_000) {
            let document = serde_json::from_str::<serde_json::Value>(&swap.evidence.content);
            assert_eq!(document.is_ok(), swap.evidence.json, "{}", swap.evidence.content);
        }
    }
}
