//! Tests explorations of the paper's example and of generated incidents.

mod scripted;

use gsar_core::belief::{
    AnswerError, Belief, Entity, Exploration, Label, Limits, Node, Topology, TopologyError, Visit,
};
use scripted::{Incident, RandomNumbers, run};

const INCIDENTS: u64 = 10_000;

fn entity(name: &str) -> Entity {
    Entity::parse(name).unwrap()
}

fn topology(edges: &[(&str, &str)]) -> Topology {
    let edges: Vec<_> = edges.iter().map(|(from, to)| (entity(from), entity(to))).collect();
    Topology::new(&edges, &[], &[]).unwrap()
}

fn nodes<const N: usize>(topology: &Topology, names: [&str; N]) -> [Node; N] {
    names.map(|name| topology.find(&entity(name)).unwrap())
}

fn belief(label: Label, propagations: &[(Node, Node)]) -> Belief {
    let has_change = label == Label::Origin;
    Belief { label, propagations: propagations.to_vec(), has_change, ..Belief::default() }
}

fn due_nodes(exploration: &Exploration) -> Vec<Node> {
    exploration.due().map(|visit| visit.node).collect()
}

/// Answers all due visits.
fn answer_all(exploration: &mut Exploration, mut policy: impl FnMut(&Visit) -> Belief) {
    while let Some(visit) = exploration.due().next().cloned() {
        let belief = policy(&visit);
        exploration.answer(visit.node, belief).unwrap();
    }
}

/// Each of four services in a row looks like an origin until it receives its predecessor's message.
#[test]
fn the_first_of_four_services_in_a_row_is_the_frontier() {
    let topology = topology(&[("S1", "S2"), ("S2", "S3"), ("S3", "S4")]);
    let row = nodes(&topology, ["S1", "S2", "S3", "S4"]);
    let [s1, s2, s3, s4] = row;
    let predecessor = |node: Node| {
        row.iter().position(|other| *other == node).and_then(|index| index.checked_sub(1))
    };
    let mut exploration = Exploration::new(topology, &[s4], Limits::default());
    answer_all(&mut exploration, |visit| {
        let cause = predecessor(visit.node).map(|index| row[index]);
        let has_message = visit.inbox.iter().any(|message| Some(message.from) == cause);
        let label = if has_message { Label::Symptom } else { Label::Origin };
        belief(label, &cause.map(|cause| vec![(cause, visit.node)]).unwrap_or_default())
    });
    let outcome = exploration.outcome();
    assert_eq!(outcome.frontier, [s1]);
    assert!(outcome.ties.is_empty() && outcome.candidates.is_empty() && outcome.pending.is_empty());
    assert_eq!(outcome.alerts[0].origins, [s1]);
    assert_eq!(exploration.path(s1, s4), Some(vec![s1, s2, s3, s4]));
    assert_eq!(exploration.path(s4, s1), None);
}

#[test]
fn an_origin_that_another_origin_reaches_is_contributing() {
    let topology = topology(&[("a", "b"), ("b", "c")]);
    let [a, b, c] = nodes(&topology, ["a", "b", "c"]);
    let mut exploration = Exploration::new(topology, &[c], Limits::default());
    answer_all(&mut exploration, |visit| match visit.node {
        node if node == a => belief(Label::Origin, &[(a, b)]),
        node if node == b => belief(Label::Origin, &[(a, b), (b, c)]),
        _ => belief(Label::Symptom, &[(b, c)]),
    });
    let outcome = exploration.outcome();
    assert_eq!((outcome.frontier, outcome.contributing), (vec![a], vec![b]));
}

#[test]
fn origins_that_reach_each_other_are_tied() {
    let topology = topology(&[("a", "b"), ("b", "c")]);
    let [a, b, c] = nodes(&topology, ["a", "b", "c"]);
    let mut exploration = Exploration::new(topology, &[c], Limits::default());
    answer_all(&mut exploration, |visit| match visit.node {
        node if node == c => belief(Label::Symptom, &[(b, c)]),
        _ => belief(Label::Origin, &[(a, b), (b, a)]),
    });
    let outcome = exploration.outcome();
    assert_eq!(outcome.frontier, [a, b]);
    assert_eq!(outcome.ties, [vec![a, b]]);
}

#[test]
fn an_unchanged_entity_is_not_an_origin() {
    let topology = topology(&[("a", "b")]);
    let [a, b] = nodes(&topology, ["a", "b"]);
    let origin = Belief { label: Label::Origin, ..Belief::default() };
    let mut exploration = Exploration::new(topology.clone(), &[a], Limits::default());
    let entry = exploration.answer(a, origin.clone()).unwrap();
    assert!(entry.is_unchanged_origin);
    assert_eq!(entry.label, Label::Symptom);
    let outcome = exploration.outcome();
    assert!(outcome.frontier.is_empty() && outcome.alerts[0].origins.is_empty());
    assert_eq!(outcome.candidates[0].node, a);
    // A known change counts like a change that evidence shows.
    let mut exploration = Exploration::new(topology.with_changes(&[a, b]), &[a], Limits::default());
    assert_eq!(exploration.answer(a, origin).unwrap().label, Label::Origin);
    assert_eq!(exploration.outcome().frontier, [a]);
}

#[test]
fn a_label_that_changes_too_often_is_deferred_permanently() {
    let topology = topology(&[("a", "b")]);
    let [a, b] = nodes(&topology, ["a", "b"]);
    let limits = Limits { max_flips: 1, max_visits: 50, ..Limits::default() };
    let mut exploration = Exploration::new(topology, &[a, b], limits);
    answer_all(&mut exploration, |visit| {
        let label = if visit.number % 2 == 0 { Label::Symptom } else { Label::Origin };
        belief(label, &[(a, b)])
    });
    let entries = |node| exploration.ledger().iter().filter(move |entry| entry.node == node);
    for node in [a, b] {
        assert_eq!(entries(node).count(), 3);
        let last = entries(node).next_back().unwrap();
        assert!(last.is_settled);
        assert_eq!(last.label, Label::Defer);
        assert_eq!(exploration.label(node), Some(Label::Defer));
    }
}

#[test]
fn an_entity_cools_down_while_others_are_due() {
    // The entities b, c and d receive messages from a and from each other. Entity a is due again after two other
    // visits.
    let topology = topology(&[("a", "b"), ("a", "c"), ("a", "d")]);
    let [a, b, c, d] = nodes(&topology, ["a", "b", "c", "d"]);
    let limits = Limits { cooldown: 2, ..Limits::default() };
    let mut exploration = Exploration::new(topology, &[a, b], limits);
    exploration.answer(a, belief(Label::Origin, &[(a, b), (a, c), (a, d)])).unwrap();
    exploration.answer(b, belief(Label::Symptom, &[(a, b)])).unwrap();
    assert_eq!(due_nodes(&exploration), [c, d], "a and b have changed and are cooling down");
    for node in [c, d] {
        exploration.answer(node, belief(Label::Symptom, &[(a, node)])).unwrap();
    }
    assert_eq!(due_nodes(&exploration), [a, b]);
    let senders: Vec<Node> =
        exploration.due().next().unwrap().inbox.iter().map(|message| message.from).collect();
    assert_eq!(senders, [b, c, d]);
}

#[test]
fn a_healthy_entity_stops_a_propagation() {
    let topology = topology(&[("a", "b"), ("b", "c")]);
    let [a, b, c] = nodes(&topology, ["a", "b", "c"]);
    let mut exploration = Exploration::new(topology, &[c, a], Limits::default());
    answer_all(&mut exploration, |visit| match visit.node {
        node if node == a => belief(Label::Origin, &[(a, b)]),
        node if node == b => belief(Label::Healthy, &[(a, b), (b, c)]),
        _ => belief(Label::Origin, &[(b, c)]),
    });
    let outcome = exploration.outcome();
    assert_eq!(outcome.frontier, [a, c], "neither origin reaches the other");
    assert_eq!(exploration.path(a, c), None);
}

/// The edge from S2 to S3 is unknown at first, and S1 is the only changed entity.
#[test]
fn an_edge_found_during_the_exploration_leads_to_the_origin() {
    let known = topology(&[("S3", "S4"), ("S1", "S2")]);
    let s4 = known.find(&entity("S4")).unwrap();
    let known = known.clone().with_changes(&nodes(&known, ["S1"]));
    let mut exploration = Exploration::new(known, &[s4], Limits::default());
    let row = ["S1", "S2", "S3", "S4"];
    let answer_row = |exploration: &mut Exploration| {
        let (row, found) = (nodes(exploration.topology(), row), exploration.topology().clone());
        answer_all(exploration, |visit| {
            let index = row.iter().position(|node| *node == visit.node).unwrap();
            let cause = index.checked_sub(1).map(|index| row[index]);
            let cause = cause.filter(|cause| found.are_neighbours(*cause, visit.node));
            let label = if found.is_changed(visit.node) { Label::Origin } else { Label::Symptom };
            belief(label, &cause.map(|cause| vec![(cause, visit.node)]).unwrap_or_default())
        });
    };
    answer_row(&mut exploration);
    assert!(exploration.outcome().frontier.is_empty() && exploration.entities().count() == 2);

    let extended = exploration.topology().extended(&[(entity("S2"), entity("S3"))], &[]).unwrap();
    exploration.extend(extended, &[]);
    let [s1, s2, s3, s4] = nodes(exploration.topology(), row);
    assert_eq!(due_nodes(&exploration), [s2], "s3 is cooling down");
    answer_row(&mut exploration);
    assert_eq!(exploration.outcome().frontier, [s1]);
    assert_eq!(exploration.path(s1, s4), Some(vec![s1, s2, s3, s4]));
}

#[test]
fn the_graph_alone_ranks_candidates_before_the_first_visit() {
    let topology = topology(&[("db", "cart"), ("db", "orders"), ("cache", "cart"), ("x", "y")]);
    let [cache, cart, db, orders] = nodes(&topology, ["cache", "cart", "db", "orders"]);
    let exploration = Exploration::new(topology, &[cart, orders], Limits::default());
    let candidates = exploration.outcome().candidates;
    let found: Vec<Node> = candidates.iter().map(|candidate| candidate.node).collect();
    assert_eq!(found, [cart, orders, db, cache]);
}

#[test]
fn an_extension_preserves_beliefs_aliases_and_the_round() {
    let alias = [entity("m"), entity("n")];
    let edges = [(entity("m"), entity("z"))];
    let known = Topology::new(&edges, &[], &[alias.to_vec()]).unwrap();
    let [m, z] = nodes(&known, ["n", "z"]);
    let mut exploration = Exploration::new(known, &[m, z], Limits::default());
    exploration.answer(m, belief(Label::Origin, &[(m, z)])).unwrap();

    let extension = [(entity("a"), entity("n")), (entity("b"), entity("c"))];
    let extended = exploration.topology().extended(&extension, &[entity("x")]).unwrap();
    let changed = nodes(&extended, ["z"]);
    let x = extended.find(&entity("x")).unwrap();
    exploration.extend(extended.with_changes(&changed), &[x]);
    let [a, m, z] = nodes(exploration.topology(), ["a", "n", "z"]);
    assert_eq!(exploration.label(m), Some(Label::Origin));
    assert_eq!(exploration.ledger()[0].belief.propagations, [(m, z)]);
    assert_eq!(due_nodes(&exploration), [z], "the round continues");
    let visit = exploration.due().next().unwrap();
    assert_eq!(visit.neighbours, [(m, None)], "answers given in the round do not affect the visit");
    assert_eq!(exploration.alerts().count(), 3);
    exploration.answer(z, belief(Label::Symptom, &[(m, z)])).unwrap();
    assert_eq!(
        due_nodes(&exploration),
        [a, x],
        "m and z are cooling down; b and c are not near a discovered entity"
    );
}

#[test]
fn the_neighbours_of_a_symptom_without_a_cause_become_due() {
    let topology = topology(&[("a", "b"), ("b", "c")]);
    let [a, b, c] = nodes(&topology, ["a", "b", "c"]);
    for (label, expected) in
        [(Label::Symptom, vec![a, c]), (Label::Defer, vec![a, c]), (Label::Healthy, vec![])]
    {
        let mut exploration = Exploration::new(topology.clone(), &[b], Limits::default());
        exploration.answer(b, belief(label, &[])).unwrap();
        assert_eq!(due_nodes(&exploration), expected, "{label:?}");
    }
    let mut exploration = Exploration::new(topology, &[b], Limits::default());
    exploration.answer(b, belief(Label::Symptom, &[(a, b)])).unwrap();
    assert_eq!(due_nodes(&exploration), [a]);
}

#[test]
fn rejects_invalid_answers_without_effect() {
    let topology = topology(&[("a", "b"), ("b", "c")]);
    let [a, b, c] = nodes(&topology, ["a", "b", "c"]);
    let mut exploration = Exploration::new(topology, &[a], Limits::default());
    let unchanged = exploration.clone();
    for (node, answer, error) in [
        (b, belief(Label::Healthy, &[]), AnswerError::NotDue),
        (a, belief(Label::Symptom, &[(c, b)]), AnswerError::NoEdge),
        (a, belief(Label::Symptom, &[(a, c)]), AnswerError::NoEdge),
    ] {
        assert_eq!(exploration.answer(node, answer).unwrap_err(), error);
        assert_eq!(exploration, unchanged);
    }
    let edges: Vec<_> = (0..20_001).map(|_| (entity("a"), entity("b"))).collect();
    let given = edges.len();
    assert_eq!(Topology::new(&edges, &[], &[]), Err(TopologyError::TooManyEdges { given }));
}

#[test]
fn aliases_refer_to_the_same_node() {
    let alias = |names: &[&str]| names.iter().map(|name| entity(name)).collect::<Vec<_>>();
    let edges = [(entity("shop/Service/db"), entity("shop/Pod/api-7d9f8b6c5d-x2x4q"))];
    let groups = [
        alias(&["shop/Service/db", "shop/StatefulSet/db"]),
        alias(&["shop/StatefulSet/db", "shop/Pod/db-0"]),
    ];
    let topology = Topology::new(&edges, &[entity("Node/n1")], &groups).unwrap();
    assert_eq!(topology.nodes().count(), 3);
    let [db, api, node] = nodes(&topology, ["shop/Pod/db-0", "shop/Pod/api", "Node/n1"]);
    for text in
        ["shop/Service/db", "shop/StatefulSet/db", "StatefulSet/db", "db-0", "shop/Pod/db-0"]
    {
        assert_eq!(topology.resolve(text), Some(db), "{text}");
    }
    assert_eq!(topology.resolve("Pod/api-7d9f8b6c5d-zzzzz"), Some(api));
    assert_eq!(topology.resolve("n1"), Some(node));
    for text in ["", "b", "cache", "shop/Pod/cache", "a b"] {
        assert_eq!(topology.resolve(text), None, "{text}");
    }
    assert_eq!(topology.entity(db).unwrap().as_str(), "shop/Service/db");
    assert!(topology.are_neighbours(db, api) && topology.are_neighbours(api, db));
}

/// An exploration ends within its limits. Its outcome depends neither on the order in which due visits are answered nor
/// on interruptions.
#[test]
fn explorations_of_generated_incidents_end_within_limits_and_are_deterministic() {
    for seed in 0..INCIDENTS {
        let incident = Incident::generate(seed);
        let mut numbers = RandomNumbers::from_parts(&[seed, 3]);
        let (error_percent, budget) = (numbers.draw_below(41), 1 + numbers.draw_below(120) as u32);
        let limits = Limits { budget, ..Limits::default() };
        let mut exploration = run(&incident, limits, error_percent, &mut RandomNumbers::new(0));
        let outcome = exploration.outcome();

        assert!(exploration.visit_count() <= budget, "seed {seed}");
        assert!(exploration.due().next().is_none());
        assert!(outcome.pending.is_empty() || exploration.visit_count() == budget, "seed {seed}");
        let mut visits = std::collections::BTreeMap::new();
        for entry in exploration.ledger() {
            *visits.entry(entry.node).or_insert(0_u32) += 1;
        }
        // The visits and label changes per entity are limited, as in O(min(k_thresh, k_max) |V|).
        assert!(visits.values().all(|count| *count <= limits.max_visits), "seed {seed}");
        let mut labels = std::collections::BTreeMap::new();
        let mut flips = std::collections::BTreeMap::new();
        for entry in exploration.ledger() {
            let previous = labels.insert(entry.node, entry.label);
            *flips.entry(entry.node).or_insert(0) +=
                u32::from(previous.is_some_and(|label| label != entry.label));
        }
        assert!(flips.values().all(|count| *count <= limits.max_flips + 1), "seed {seed}");

        for order in 1..4 {
            let reordered = run(
                &incident,
                limits,
                error_percent,
                &mut RandomNumbers::from_parts(&[seed, order]),
            );
            assert_eq!(reordered.outcome(), outcome, "seed {seed}, order {order}");
            assert_eq!(reordered.visit_count(), exploration.visit_count());
        }

        // Resume the exploration between two rounds.
        let mut resumed = incident.explore(limits);
        let answer_count = numbers.draw_below(u64::from(exploration.visit_count()) + 1) as usize;
        for entry in exploration.ledger().iter().take(answer_count) {
            resumed.answer(entry.node, entry.belief.clone()).unwrap();
        }
        while !resumed.is_quiescent() {
            let visit = resumed.due().next().unwrap().clone();
            resumed.answer(visit.node, incident.answer(&visit, error_percent)).unwrap();
        }
        answer_all(&mut resumed, |visit| incident.answer(visit, error_percent));
        assert_eq!(resumed.outcome(), outcome, "seed {seed}");
        // A late answer is rejected.
        let result = exploration.answer(incident.origin, Belief::default());
        assert_eq!(result.unwrap_err(), AnswerError::NotDue);
    }
}

#[test]
fn correct_answers_lead_to_the_origin() {
    for seed in 0..1_000 {
        let incident = Incident::generate(seed);
        let exploration = run(&incident, Limits::default(), 0, &mut RandomNumbers::new(seed));
        let outcome = exploration.outcome();
        assert_eq!(outcome.frontier, [incident.origin], "seed {seed}");
        assert!(
            outcome.alerts.iter().all(|alert| alert.origins == [incident.origin]),
            "seed {seed}"
        );
    }
}
