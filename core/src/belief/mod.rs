//! Finds the origin of a fault in a graph of entities by visiting them and revising beliefs. This module does no I/O.
//!
//! The edges are dependencies, not fault propagations. The caller (an agent or a chat model) labels the
//! entities.
//!
//! ```
//! use gsar_core::belief::{Belief, Entity, Exploration, Label, Limits, Topology};
//!
//! let api = Entity::parse("shop/Deployment/api")?;
//! let db = Entity::parse("shop/StatefulSet/db")?;
//! let topology = Topology::new(&[(db.clone(), api.clone())], &[], &[])?;
//! let (api, db) = (topology.find(&api).unwrap(), topology.find(&db).unwrap());
//!
//! let mut exploration = Exploration::new(topology, &[api], Limits::default());
//! while let Some(visit) = exploration.due().next().cloned() {
//!     let label = if visit.node == db { Label::Origin } else { Label::Symptom };
//!     let propagations = vec![(db, api)];
//!     exploration.answer(visit.node, Belief { label, has_change: true, propagations, ..Belief::default() })?;
//! }
//! assert_eq!(exploration.outcome().frontier, [db]);
//! assert_eq!(exploration.path(db, api), Some(vec![db, api]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entity;
mod exploration;
mod extension;
mod outcome;
mod rank;
mod topology;

pub use entity::{Entity, EntityError};
pub use exploration::{
    AnswerError, Belief, EntityBelief, Entry, Exploration, Label, Limits, Message, Visit,
};
pub use outcome::{AlertExplanation, Candidate, Outcome};
pub use topology::{Node, Topology, TopologyError};
