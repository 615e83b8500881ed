//! Makes true claims false or unsupported by one change at a time.
//!
//! A figure changes by more than rounding, a unit changes its size, a time leaves its grain, a word becomes its opposite.
//! Mutations that other evidence would support are left out as far as that can be known.

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

use crate::statistics::Random;
use tokens::tokens;

/// A kind of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A figure, by a factor of two or more.
    Value,
    /// A unit, for another of its dimension.
    Unit,
    /// The times of day, all by the same hours and minutes.
    Time,
    /// A name, for another of its kind in the evidence.
    Entity,
    /// Up for down.
    Direction,
    /// All for none.
    Quantifier,
    /// A negation put in or taken out.
    Negation,
    /// Before for after.
    Order,
    /// The number of things.
    Count,
    /// Ready for unready.
    State,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Value,
        Self::Unit,
        Self::Time,
        Self::Entity,
        Self::Direction,
        Self::Quantifier,
        Self::Negation,
        Self::Order,
        Self::Count,
        Self::State,
    ];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Unit => "unit",
            Self::Time => "time",
            Self::Entity => "entity",
            Self::Direction => "direction",
            Self::Quantifier => "quantifier",
            Self::Negation => "negation",
            Self::Order => "order",
            Self::Count => "count",
            Self::State => "state",
        }
    }
}

/// A mutated claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The kind of change.
    pub kind: Kind,
    /// The false claim.
    pub text: String,
}

/// Every mutation of a claim, in a fixed order, each text once.
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

/// Draws `number` of the candidates, of every kind as many as of any other while there are some left. The same
/// seed draws the same.
pub fn draw<T>(candidates: Vec<T>, kind: impl Fn(&T) -> Kind, number: usize, seed: u64) -> Vec<T> {
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
    while drawn.len() < number
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

    fn of(kind: Kind, claim: &str) -> Vec<String> {
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
            let found = of(kind, claim);
            assert!(found.contains(&expected.to_owned()), "{}: {found:?}", kind.name());
        }
    }

    #[test]
    fn what_other_evidence_bears_out_is_left_out() {
        let restarted = of(Kind::Entity, "Pod api-1a2b-x1 is on a node");
        assert_eq!(restarted, [""; 0], "both pods are on a node");
        let shown = of(Kind::Value, "The limit is 256Mi");
        assert!(!shown.contains(&"The limit is 512Mi".to_owned()), "{shown:?}");
    }

    #[test]
    fn a_draw_is_that_of_its_seed_and_takes_every_kind_in_turn() {
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
        assert_eq!(orders(&draw_of(20, 1)), 5, "there are no more than five");
        let mut all = draw_of(1_000, 1);
        all.sort_unstable();
        assert_eq!(all, candidates, "each at most once");
    }
}
