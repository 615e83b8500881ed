//! The explored graph: entities, their dependencies and their aliases.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::Entity;

/// The index of an entity in a topology, in the order of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

impl Node {
    pub(super) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Entities and the edges between them. A topology does not depend on the order of its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    entities: Vec<Entity>,
    /// The alias groups as given, including those for entities that are not in the graph yet.
    groups: Vec<Vec<Entity>>,
    aliases: BTreeMap<Entity, Node>,
    edges: BTreeSet<(Node, Node)>,
    neighbours: BTreeMap<Node, BTreeSet<Node>>,
    changed: BTreeSet<Node>,
}

/// Too many entities or edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// More than [`Topology::MAX_ENTITIES`] entities.
    #[error(
        "too many entities ({given}); give at most {}, preferably those near the alerts",
        Topology::MAX_ENTITIES
    )]
    TooManyEntities {
        /// The number of entities.
        given: usize,
    },
    /// More than [`Topology::MAX_EDGES`] edges.
    #[error(
        "too many edges ({given}); give at most {}, preferably those near the alerts",
        Topology::MAX_EDGES
    )]
    TooManyEdges {
        /// The number of edges.
        given: usize,
    },
}

impl Topology {
    /// The maximum number of entities.
    pub const MAX_ENTITIES: usize = 2_000;
    /// The maximum number of edges.
    pub const MAX_EDGES: usize = 20_000;

    /// Builds a topology from edges, isolated entities and alias groups (canonical name first).
    ///
    /// # Errors
    /// Returns [`TopologyError`] if there are too many entities or edges.
    pub fn new(
        edges: &[(Entity, Entity)],
        isolated: &[Entity],
        aliases: &[Vec<Entity>],
    ) -> Result<Self, TopologyError> {
        if edges.len() > Self::MAX_EDGES {
            return Err(TopologyError::TooManyEdges { given: edges.len() });
        }
        let canonical = Aliases::new(aliases);
        let endpoints = edges.iter().flat_map(|(from, to)| [from, to]).chain(isolated);
        let names: BTreeSet<&Entity> = endpoints.map(|name| canonical.name(name)).collect();
        if names.len() > Self::MAX_ENTITIES {
            return Err(TopologyError::TooManyEntities { given: names.len() });
        }
        let entities: Vec<Entity> = names.into_iter().cloned().collect();
        let mut topology = Self {
            aliases: BTreeMap::new(),
            edges: BTreeSet::new(),
            neighbours: BTreeMap::new(),
            changed: BTreeSet::new(),
            groups: aliases.to_vec(),
            entities,
        };
        for name in aliases.iter().flatten() {
            if let Some(node) = topology.index(canonical.name(name)) {
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

    /// Marks entities as changed.
    #[must_use]
    pub fn with_changes(mut self, changed: &[Node]) -> Self {
        self.changed.extend(changed);
        self
    }

    /// Returns the topology with additional edges and isolated entities. Existing names keep their meaning. Nodes are
    /// renumbered, since they are numbered in the order of the names.
    ///
    /// # Errors
    /// Returns [`TopologyError`] if there are too many entities or edges.
    pub fn extended(
        &self,
        edges: &[(Entity, Entity)],
        isolated: &[Entity],
    ) -> Result<Self, TopologyError> {
        let known_edges = self.edges.iter().filter_map(|(from, to)| {
            Some((self.entity(*from)?.clone(), self.entity(*to)?.clone()))
        });
        let all_edges: BTreeSet<(Entity, Entity)> =
            known_edges.chain(edges.iter().cloned()).collect();
        let all_edges: Vec<(Entity, Entity)> = all_edges.into_iter().collect();
        let all_entities: Vec<Entity> = self.entities.iter().chain(isolated).cloned().collect();
        let mut extended = Self::new(&all_edges, &all_entities, &self.groups)?;
        let changed = self.changed.iter().filter_map(|node| extended.find(self.entity(*node)?));
        extended.changed = changed.collect();
        Ok(extended)
    }

    /// Finds an entity by any of its names.
    #[must_use]
    pub fn find(&self, entity: &Entity) -> Option<Node> {
        self.index(entity).or_else(|| self.aliases.get(entity).copied())
    }

    /// Finds an entity by its full name or by a unique suffix after a `/`.
    #[must_use]
    pub fn resolve(&self, text: &str) -> Option<Node> {
        let entity = Entity::parse(text).ok()?;
        if let Some(node) = self.find(&entity) {
            return Some(node);
        }
        let matches = |name: &Entity| {
            let stem = name.as_str().strip_suffix(entity.as_str());
            stem.is_some_and(|stem| stem.ends_with('/'))
        };
        let by_name = self.nodes().filter(|node| self.entity(*node).is_some_and(matches));
        let by_alias = self.aliases.iter().filter(|(name, _)| matches(name)).map(|(_, node)| *node);
        let found: BTreeSet<Node> = by_name.chain(by_alias).collect();
        match found.len() {
            1 => found.first().copied(),
            _ => None,
        }
    }

    /// The entity at a node.
    #[must_use]
    pub fn entity(&self, node: Node) -> Option<&Entity> {
        self.entities.get(node.index())
    }

    /// The full name of a node; empty if the node is unknown.
    #[must_use]
    pub fn name(&self, node: Node) -> &str {
        self.entity(node).map(Entity::as_str).unwrap_or_default()
    }

    /// All names of a node, its canonical name first.
    pub fn names(&self, node: Node) -> impl Iterator<Item = &Entity> {
        let aliases = self.aliases.iter().filter(move |(_, target)| **target == node);
        let canonical = self.entity(node);
        canonical
            .into_iter()
            .chain(aliases.map(|(name, _)| name).filter(move |name| Some(*name) != canonical))
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..u32::try_from(self.entities.len()).unwrap_or(u32::MAX)).map(Node)
    }

    /// All edges, in the direction in which they were given.
    pub fn edges(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        self.edges.iter().copied()
    }

    /// The nodes that are one edge away, in either direction.
    pub fn neighbours(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.neighbours.get(&node).into_iter().flatten().copied()
    }

    /// Returns `true` if an edge in either direction connects the nodes.
    #[must_use]
    pub fn are_neighbours(&self, node: Node, other: Node) -> bool {
        self.neighbours.get(&node).is_some_and(|neighbours| neighbours.contains(&other))
    }

    /// Returns `true` if the entity changed.
    #[must_use]
    pub fn is_changed(&self, node: Node) -> bool {
        self.changed.contains(&node)
    }

    fn index(&self, entity: &Entity) -> Option<Node> {
        let index = self.entities.binary_search(entity).ok()?;
        u32::try_from(index).ok().map(Node)
    }
}

struct Aliases<'a>(BTreeMap<&'a Entity, &'a Entity>);

impl<'a> Aliases<'a> {
    fn new(groups: &'a [Vec<Entity>]) -> Self {
        let mut aliases = Self(BTreeMap::new());
        for group in groups {
            // Groups that share a name are merged under the first group's canonical name.
            let known_name = group.iter().find(|name| aliases.0.contains_key(name));
            let Some(first) = known_name.or(group.first()).map(|name| aliases.name(name)) else {
                continue;
            };
            for root in group.iter().map(|name| aliases.name(name)).collect::<BTreeSet<_>>() {
                aliases.0.insert(root, first);
            }
            for name in group {
                aliases.0.insert(name, first);
            }
        }
        aliases
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
