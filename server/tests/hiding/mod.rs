//! Reports of true sentences with one more statement in some form, and a judge that knows what is true.

pub mod facts;
pub mod forms;
