//! Makes true claims false or unsupported, one change at a time.
//!
//! Tries to skip mutations that the evidence happens to support.

mod clock;
mod entities;
mod evidence;
mod figures;
mod negation;
mod numbers;
mod opposites;
mod quantifiers;
mod tokens;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use evidence::Surroundings;
use gsar_core::names;

use crate::statistics::Random;
use tokens::tokens;

/// A kind of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A figure multiplied or divided by two or more.
    Value,
    /// Another unit of the same dimension.
    Unit,
    /// All times of day shifted by the same offset.
    Time,
    /// Another name of the same kind from the evidence.
    Entity,
    /// A direction replaced with its opposite, such as "up" with "down".
    Direction,
    /// A quantifier replaced with another, such as "none" with "all".
    Quantifier,
    /// A negation added or removed.
    Negation,
    /// An order replaced with its opposite, such as "before" with "after".
    Order,
    /// Another count of things.
    Count,
    /// A state replaced with another, such as "ready" with "unready".
    State,
}

names!(Kind {
    Value => "value",
    Unit => "unit",
    Time => "time",
    Entity => "entity",
    Direction => "direction",
    Quantifier => "quantifier",
    Negation => "negation",
    Order => "order",
    Count => "count",
    State => "state",
});

/// A mutated claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The kind.
    pub kind: Kind,
    /// The mutated text.
    pub text: String,
}

/// Returns all distinct mutations of a claim in a fixed order.
pub fn mutations(claim: &str, evidence: &Surroundings) -> Vec<Mutation> {
    let tokens = tokens(claim);
    let mut seen = BTreeSet::from([claim.to_owned()]);
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let texts = match kind {
            Kind::Value => figures::values(claim, &tokens, evidence),
            Kind::Unit => figures::units(claim, &tokens, evidence),
            Kind::Time => clock::times(claim, &tokens, evidence),
            Kind::Entity => entities::entities(claim, &tokens, evidence),
            Kind::Direction => opposites::directions(claim, &tokens),
            Kind::Quantifier => quantifiers::quantifiers(claim, &tokens),
            Kind::Negation => negation::negations(claim, &tokens),
            Kind::Order => opposites::orders(claim, &tokens),
            Kind::Count => figures::counts(claim, &tokens, evidence),
            Kind::State => opposites::states(claim, &tokens, evidence),
        };
        let new = texts.into_iter().filter(|text| seen.insert(text.clone()));
        found.extend(new.map(|text| Mutation { kind, text }));
    }
    found
}

/// Draws `count` candidates, distributed evenly over the kinds. Deterministic for a given seed.
pub fn draw<T>(candidates: Vec<T>, kind: impl Fn(&T) -> Kind, count: usize, seed: u64) -> Vec<T> {
    let mut kinds: BTreeMap<Kind, Vec<T>> = BTreeMap::new();
    for candidate in candidates {
        kinds.entry(kind(&candidate)).or_default().push(candidate);
    }
    let mut random = Random::new(seed);
    let mut queues: VecDeque<Vec<T>> = kinds
        .into_values()
        .map(|mut of_kind| {
            random.shuffle(&mut of_kind);
            of_kind
        })
        .collect();
    let mut drawn = Vec::new();
    while drawn.len() < count
        && let Some(mut queue) = queues.pop_front()
    {
        if let Some(candidate) = queue.pop() {
            drawn.push(candidate);
            queues.push_back(queue);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIDENCE: &str = "\
NAME        NODE      STATUS    RESTARTS
api-1a2b-x1 node-01   Running   4
api-1a2b-z9 node-02   Pending   0
2026-03-12T14:02:17Z scaled up replica set api-1a2b from 1 to 3, memory limit 512Mi, latency 80 ms";

    fn mutate(kind: Kind, claim: &str) -> Vec<String> {
        let evidence = Surroundings::new([EVIDENCE]);
        let found = mutations(claim, &evidence);
        assert!(found.iter().all(|mutation| mutation.text != claim), "{found:?}");
        found.into_iter().filter(|mutation| mutation.kind == kind).map(|found| found.text).collect()
    }

    #[test]
    fn each_kind_makes_a_claim_false() {
        for (kind, claim, expected) in [
            (Kind::Value, "Latency was 80 ms", "Latency was 160 ms"),
            (Kind::Unit, "The memory limit is 512Mi", "The memory limit is 512Gi"),
            (Kind::Time, "At 14:02:17 UTC it grew", "At 15:39:17 UTC it grew"),
            (Kind::Entity, "Pod api-1a2b-x1 had 4 restarts", "Pod api-1a2b-z9 had 4 restarts"),
            (Kind::Direction, "The set was scaled up", "The set was scaled down"),
            (Kind::Quantifier, "All three pods run", "None of the three pods run"),
            (Kind::Negation, "The pod was restarted", "The pod was not restarted"),
            (Kind::Order, "It began before the rollout", "It began after the rollout"),
            (Kind::Count, "There were 4 restarts", "There were 5 restarts"),
            (Kind::State, "Pod api-1a2b-x1 was ready", "Pod api-1a2b-x1 was unready"),
        ] {
            let found = mutate(kind, claim);
            assert!(found.contains(&expected.to_owned()), "{}: {found:?}", kind.name());
        }
    }

    #[test]
    fn skips_mutations_that_the_evidence_supports() {
        let same = mutate(Kind::Entity, "Pod api-1a2b-x1 is on a node");
        assert_eq!(same, [""; 0], "both pods are on a node");
        let supported = mutate(Kind::Value, "The limit is 256Mi");
        assert!(!supported.contains(&"The limit is 512Mi".to_owned()), "{supported:?}");
    }

    #[test]
    fn draws_kinds_evenly_and_by_seed() {
        let candidates: Vec<(Kind, u32)> = (0..30)
            .map(|number| (if number < 25 { Kind::Value } else { Kind::Order }, number))
            .collect();
        let draw_of =
            |number, seed| draw(candidates.clone(), |candidate| candidate.0, number, seed);
        assert_eq!(draw_of(8, 1), draw_of(8, 1));
        assert_ne!(draw_of(8, 1), draw_of(8, 2));
        let orders = |drawn: &[(Kind, u32)]| {
            drawn.iter().filter(|candidate| candidate.0 == Kind::Order).count()
        };
        assert_eq!(orders(&draw_of(8, 1)), 4);
        assert_eq!(orders(&draw_of(20, 1)), 5, "only five exist");
        let mut all = draw_of(1_000, 1);
        all.sort_unstable();
        assert_eq!(all, candidates, "each at most once");
    }
}
