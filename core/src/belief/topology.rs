//! This module is the graph that is explored: entities, who depends on whom, and which names mean the same.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::Entity;

/// A place in a topology; places follow the order of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

/// Entities and the edges between them, whatever order they were given in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    entities: Vec<Entity>,
    /// Other names, by the place that they mean.
    aliases: BTreeMap<Entity, Node>,
    edges: BTreeSet<(Node, Node)>,
    neighbours: BTreeMap<Node, BTreeSet<Node>>,
    changed: BTreeSet<Node>,
}

/// Why a topology cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// More entities than are kept.
    #[error("{given} entities; give at most {}, those near what alerts", Topology::MAX_ENTITIES)]
    TooManyEntities {
        /// How many there are.
        given: usize,
    },
    /// More edges than are kept.
    #[error("{given} edges; give at most {}, those near what alerts", Topology::MAX_EDGES)]
    TooManyEdges {
        /// How many there are.
        given: usize,
    },
}

impl Topology {
    /// The most entities.
    pub const MAX_ENTITIES: usize = 2_000;
    /// The most edges.
    pub const MAX_EDGES: usize = 20_000;

    /// A topology of edges, entities that have none, and groups of names that mean the same: the first of a group stands for it.
    /// An edge from an entity to itself is none.
    ///
    /// # Errors
    /// [`TopologyError`] beyond its bounds.
    pub fn new(
        edges: &[(Entity, Entity)],
        lone: &[Entity],
        aliases: &[Vec<Entity>],
    ) -> Result<Self, TopologyError> {
        if edges.len() > Self::MAX_EDGES {
            return Err(TopologyError::TooManyEdges { given: edges.len() });
        }
        let stands_for = Stands::new(aliases);
        let ends = edges.iter().flat_map(|(from, to)| [from, to]).chain(lone);
        let names: BTreeSet<&Entity> = ends.map(|name| stands_for.name(name)).collect();
        if names.len() > Self::MAX_ENTITIES {
            return Err(TopologyError::TooManyEntities { given: names.len() });
        }
        let entities: Vec<Entity> = names.into_iter().cloned().collect();
        let mut topology = Self {
            aliases: BTreeMap::new(),
            edges: BTreeSet::new(),
            neighbours: BTreeMap::new(),
            changed: BTreeSet::new(),
            entities,
        };
        for name in aliases.iter().flatten() {
            if let Some(node) = topology.place(stands_for.name(name)) {
                topology.aliases.insert(name.clone(), node);
            }
        }
        for (from, to) in edges {
            let (Some(from), Some(to)) = (topology.find(from), topology.find(to)) else { continue };
            if from != to {
                topology.edges.insert((from, to));
                topology.neighbours.entry(from).or_default().insert(to);
                topology.neighbours.entry(to).or_default().insert(from);
            }
        }
        Ok(topology)
    }

    /// Notes that something was changed in an entity: deployed, configured, scaled.
    #[must_use]
    pub fn with_changes(mut self, changed: &[Node]) -> Self {
        self.changed.extend(changed);
        self
    }

    /// Where an entity stands, by any of its names.
    #[must_use]
    pub fn find(&self, entity: &Entity) -> Option<Node> {
        self.place(entity).or_else(|| self.aliases.get(entity).copied())
    }

    /// Where the one entity stands that a text can mean: by its whole name, or by a part behind a `/` that no other one has.
    #[must_use]
    pub fn resolve(&self, text: &str) -> Option<Node> {
        let entity = Entity::parse(text).ok()?;
        if let Some(node) = self.find(&entity) {
            return Some(node);
        }
        let ends = |name: &Entity| {
            let stem = name.as_str().strip_suffix(entity.as_str());
            stem.is_some_and(|stem| stem.ends_with('/'))
        };
        let here = self.nodes().filter(|node| self.entity(*node).is_some_and(ends));
        let elsewhere = self.aliases.iter().filter(|(name, _)| ends(name)).map(|(_, node)| *node);
        let found: BTreeSet<Node> = here.chain(elsewhere).collect();
        match found.len() {
            1 => found.first().copied(),
            _ => None,
        }
    }

    /// The entity at a place of this topology.
    #[must_use]
    pub fn entity(&self, node: Node) -> Option<&Entity> {
        self.entities.get(usize::try_from(node.0).ok()?)
    }

    /// The whole name of the entity at a place of this topology.
    #[must_use]
    pub fn name(&self, node: Node) -> &str {
        self.entity(node).map(Entity::as_str).unwrap_or_default()
    }

    /// Every name that means the entity at a place, its own first.
    pub fn names(&self, node: Node) -> impl Iterator<Item = &Entity> {
        let others = self.aliases.iter().filter(move |(_, place)| **place == node);
        let own = self.entity(node);
        own.into_iter().chain(others.map(|(name, _)| name).filter(move |name| Some(*name) != own))
    }

    /// Every place.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..u32::try_from(self.entities.len()).unwrap_or(u32::MAX)).map(Node)
    }

    /// Every edge, as given.
    pub fn edges(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        self.edges.iter().copied()
    }

    /// Those one edge away, whatever its direction.
    pub fn neighbours(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.neighbours.get(&node).into_iter().flatten().copied()
    }

    /// Whether an edge joins two entities, in either direction.
    #[must_use]
    pub fn are_neighbours(&self, one: Node, other: Node) -> bool {
        self.neighbours.get(&one).is_some_and(|of| of.contains(&other))
    }

    /// Whether something was changed in an entity, as far as is known.
    #[must_use]
    pub fn is_changed(&self, node: Node) -> bool {
        self.changed.contains(&node)
    }

    fn place(&self, entity: &Entity) -> Option<Node> {
        let place = self.entities.binary_search(entity).ok()?;
        u32::try_from(place).ok().map(Node)
    }
}

/// Which name stands for others.
struct Stands<'a>(BTreeMap<&'a Entity, &'a Entity>);

impl<'a> Stands<'a> {
    fn new(groups: &'a [Vec<Entity>]) -> Self {
        let mut stands = Self(BTreeMap::new());
        for group in groups {
            // Groups with a name in common are one, under the name of the first of them.
            let known = group.iter().find(|name| stands.0.contains_key(name));
            let Some(first) = known.or(group.first()).map(|name| stands.name(name)) else {
                continue;
            };
            for root in group.iter().map(|name| stands.name(name)).collect::<BTreeSet<_>>() {
                stands.0.insert(root, first);
            }
            for name in group {
                stands.0.insert(name, first);
            }
        }
        stands
    }

    fn name<'n>(&self, name: &'n Entity) -> &'n Entity
    where
        'a: 'n,
    {
        let mut name = name;
        while let Some(first) = self.0.get(name).filter(|first| **first != name) {
            name = first;
        }
        name
    }
}
