//! Reports with a statement in a disguising form, and a judge that knows the facts.

pub mod facts;
pub mod forms;
