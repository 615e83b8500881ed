//! Relations between two named things, read off the edges of a graph: `cart --(hosted_on)--> wk-2`.
//!
//! A thing has one host and one parent, so that another one refutes. Of other relations only the edge in reverse
//! refutes: a graph may be shown in part.

use std::ops::Range;

use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::{Word, words};

use super::light::is_light;
use crate::claim::reading::{Reading, Role};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::words::{key, parts};

/// The most edges looked at for one claim.
const MOST_EDGES: usize = 4_000;

/// What an edge says, in the direction in which it is told here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// The first runs on the second.
    HostedOn,
    /// The first is one of the second.
    InstanceOf,
    /// The first uses the second.
    DependsOn,
}

struct Edge<'e> {
    field: u32,
    from: &'e str,
    label: &'e str,
    to: &'e str,
}

/// An edge as a relation: who, to whom.
struct Told<'e> {
    field: u32,
    relation: Relation,
    who: &'e str,
    whom: &'e str,
}

/// Decides a claim that relates named things.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Hedge) || reading.denies || reading.is_causal() {
        return None;
    }
    let edges: Vec<Edge<'_>> = case
        .marks
        .marked_fields()
        .iter()
        .filter_map(|field| edge(case.corpus.value(*field), *field))
        .take(MOST_EDGES)
        .collect();
    if edges.is_empty() || !reading.figures.is_empty() {
        return None;
    }
    let names = names(reading, &edges);
    let claim = Claimed::of(reading, &names)?;
    if lacks(reading, &names, &claim, &edges) {
        return None;
    }
    let told: Vec<Told<'_>> = edges.iter().filter_map(told).collect();
    claim.weigh(case, &told)
}

/// `a --(label)--> b` or `a -[label]-> b`, with or without a bullet.
fn edge(text: &str, field: u32) -> Option<Edge<'_>> {
    let (from, rest) = text.split_once(" --(").or_else(|| text.split_once(" -["))?;
    let (label, to) = rest.split_once(")--> ").or_else(|| rest.split_once("]-> "))?;
    let from = from.trim().trim_start_matches(['-', '*', ' ']);
    let to = to.trim();
    let is_name = |name: &str| !name.is_empty() && !name.contains(' ');
    (is_name(from) && is_name(to)).then_some(Edge { field, from, label, to })
}

fn told<'e>(edge: &Edge<'e>) -> Option<Told<'e>> {
    let forwards = |relation| Told { field: edge.field, relation, who: edge.from, whom: edge.to };
    let backwards = |relation| Told { field: edge.field, relation, who: edge.to, whom: edge.from };
    Some(match edge.label.to_ascii_lowercase().as_str() {
        "hosted_on" | "runs_on" | "deployed_on" | "scheduled_on" | "placed_on" | "located_on" => {
            forwards(Relation::HostedOn)
        }
        "hosts" | "runs" => backwards(Relation::HostedOn),
        "instance_of" | "part_of" | "member_of" | "belongs_to" | "child_of" => {
            forwards(Relation::InstanceOf)
        }
        "has_instance" | "has_member" | "parent_of" | "contains" => backwards(Relation::InstanceOf),
        "control_flow" | "data_flow" | "depends_on" | "calls" | "uses" | "connects_to"
        | "reads_from" | "writes_to" => forwards(Relation::DependsOn),
        _ => return None,
    })
}

/// The names of the edges that a claim uses, in its order.
fn names<'c>(reading: &Reading<'c>, edges: &[Edge<'_>]) -> Vec<Word<'c>> {
    words(reading.text)
        .filter(|word| {
            edges.iter().any(|edge| {
                word.text.eq_ignore_ascii_case(edge.from) || word.text.eq_ignore_ascii_case(edge.to)
            })
        })
        .collect()
}

/// What a claim says of some things.
struct Claimed<'c> {
    relation: Relation,
    who: Vec<&'c str>,
    /// To whom; `None` where they are said to share one.
    whom: Option<&'c str>,
    /// The words that say so.
    said: Vec<Range<usize>>,
}

impl<'c> Claimed<'c> {
    fn of(reading: &Reading<'c>, names: &[Word<'c>]) -> Option<Self> {
        let [first, .., last] = names else { return None };
        let between =
            |word: &Word<'_>| first.span.end <= word.span.start && word.span.end <= last.span.start;
        let verbs: Vec<Word<'c>> = words(reading.text).filter(between).collect();
        let has =
            |wanted: &[&str]| verbs.iter().any(|verb| wanted.iter().any(|word| verb.is(word)));
        let all =
            || names.split_last().map(|(_, before)| before.iter().map(|name| name.text).collect());
        let shares = has(&["shares", "share"]) && has(&["host", "node"]);
        let said = verbs.iter().map(|verb| verb.span.clone()).collect();
        if shares && names.len() == 2 {
            let who = vec![first.text, last.text];
            return Some(Self { relation: Relation::HostedOn, who, whom: None, said });
        }
        let on = has(&["on", "by"]);
        let (relation, who, whom) =
            if has(&["hosted", "runs", "run", "running", "lives", "placed", "deployed", "located"])
                && on
            {
                (Relation::HostedOn, all()?, last.text)
            } else if has(&["hosts"]) && names.len() == 2 {
                (Relation::HostedOn, vec![last.text], first.text)
            } else if has(&["instance", "replica", "member", "part"]) && has(&["of"]) {
                (Relation::InstanceOf, all()?, last.text)
            } else if has(&["depends", "depend", "calls", "uses", "flow"]) && names.len() == 2 {
                (Relation::DependsOn, vec![first.text], last.text)
            } else {
                return None;
            };
        Some(Self { relation, who, whom: Some(whom), said })
    }

    fn weigh(&self, case: &Case<'_, '_, '_>, told: &[Told<'_>]) -> Option<Ruling> {
        let of = |who: &str| -> Vec<&Told<'_>> {
            told.iter()
                .filter(|told| told.relation == self.relation && told.who.eq_ignore_ascii_case(who))
                .collect()
        };
        let mut cites = Vec::new();
        let Some(whom) = self.whom else {
            let [first, second] = self.who.as_slice() else { return None };
            let (first, second) = (of(first), of(second));
            let ([first, ..], [second, ..]) = (first.as_slice(), second.as_slice()) else {
                return None;
            };
            let cites = vec![Cite::Field(first.field), Cite::Field(second.field)];
            let says =
                format!("{}; {}", note::says(case, first.field), note::says(case, second.field));
            return Some(if first.whom.eq_ignore_ascii_case(second.whom) {
                Ruling::grounded(Basis::Derived, cites, says)
            } else {
                Ruling::contradicted(Basis::Derived, cites, says)
            });
        };
        for who in &self.who {
            let edges = of(who);
            let same = edges.iter().find(|told| told.whom.eq_ignore_ascii_case(whom));
            let other = edges.first().filter(|_| self.relation != Relation::DependsOn);
            let reverse = of(whom).into_iter().find(|told| told.whom.eq_ignore_ascii_case(who));
            let against = other.copied().or(reverse);
            match (same, against) {
                (Some(same), _) => cites.push(Cite::Field(same.field)),
                (None, Some(other)) => {
                    let cites = vec![Cite::Field(other.field)];
                    return Some(Ruling::contradicted(
                        Basis::Stated,
                        cites,
                        note::says(case, other.field),
                    ));
                }
                (None, None) => return None,
            }
        }
        let says = cites.first().map_or_else(String::new, |cite| match cite {
            Cite::Field(field) => note::says(case, *field),
            Cite::Sample { .. } | Cite::Item(_) => String::new(),
        });
        Some(Ruling::grounded(Basis::Stated, cites, says))
    }
}

/// Whether the claim has a word beside its names and its relation that no label of an edge has.
fn lacks(
    reading: &Reading<'_>,
    names: &[Word<'_>],
    claim: &Claimed<'_>,
    edges: &[Edge<'_>],
) -> bool {
    const GRAPH: [&str; 8] =
        ["graph", "topology", "edge", "node", "nodes", "service", "dependency", "map"];
    reading.terms.iter().any(|term| {
        let is_content = matches!(
            term.role,
            Role::Word | Role::Name | Role::Entity | Role::Code(_) | Role::Demand(_)
        );
        let is_named = names.iter().any(|name| name.span == term.span);
        let is_said = claim.said.contains(&term.span);
        let is_label =
            edges.iter().any(|edge| parts(edge.label).any(|part| key(part) == key(term.text)));
        let is_known =
            GRAPH.iter().any(|word| term.text.eq_ignore_ascii_case(word)) || is_light(term.text);
        is_content && !is_named && !is_said && !is_label && !is_known
    })
}
