//! This crate is retrieval without I/O: it cuts evidence into passages, gives the terms under which a passage is
//! found, and fuses rankings.
//!
//! | module | subject |
//! |---|---|
//! | [`terms`] | the words of a text as telemetry writes them |
//! | [`lines`] | passages of a text: blocks of whole lines, in one pass over text that comes in parts |
//! | [`templates`] | lines that differ in their figures only |
//! | [`cohesion`] | where a text of lines is best cut |
//! | [`records`] | passages of a JSON document: its records, each with its pointer |
//! | [`fusion`] | one ranking out of several |
//! | [`selection`] | the best of a ranking that differ from one another |
//!
//! Nothing here stores anything; the server's evidence room does.

pub mod cohesion;
pub mod fusion;
pub mod lines;
pub mod records;
pub mod selection;
pub mod templates;
pub mod terms;
