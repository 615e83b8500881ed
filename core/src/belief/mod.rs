//! This module finds where a fault began in a graph of entities, by asking about one entity at a time and revising what
//! was answered (explanations over graphs: a deterministic controller around a policy that keeps no state).
//!
//! The graph is the topology: who depends on whom, not the direction of faults. Somebody else (an agent, a chat model)
//! answers what an entity is by what can be seen of it; here is decided who is asked next, what of the answers stands, and
//! which origins explain the others. Nothing is read and nobody is asked from here.
//!
//! ```
//! use gsar_core::belief::{Belief, Entity, Exploration, Label, Limits, Topology};
//!
//! let api = Entity::parse("shop/Deployment/api")?;
//! let db = Entity::parse("shop/StatefulSet/db")?;
//! let topology = Topology::new(&[(db.clone(), api.clone())], &[], &[])?;
//! let (api, db) = (topology.find(&api).unwrap(), topology.find(&db).unwrap());
//!
//! let mut exploration = Exploration::begin(topology, &[api], Limits::default());
//! while let Some(look) = exploration.due().next().cloned() {
//!     let label = if look.node == db { Label::Origin } else { Label::Symptom };
//!     let propagations = vec![(db, api)];
//!     exploration.answer(look.node, Belief { label, has_change: true, propagations, ..Belief::default() })?;
//! }
//! assert_eq!(exploration.outcome().frontier, [db]);
//! assert_eq!(exploration.path(db, api), Some(vec![db, api]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entity;
mod exploration;
mod outcome;
mod topology;

pub use entity::{Entity, EntityError};
pub use exploration::{
    AnswerError, Belief, Entry, Exploration, Found, Label, Limits, Look, Message,
};
pub use outcome::{Candidate, Explained, Outcome};
pub use topology::{Node, Topology, TopologyError};
