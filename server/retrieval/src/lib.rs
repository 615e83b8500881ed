//! Retrieval without I/O: splits evidence into passages, extracts their search terms, and fuses rankings.
//!
//! | module | subject |
//! |---|---|
//! | [`terms`] | the search terms of a text, as telemetry writes them |
//! | [`lines`] | passages of a text: blocks of whole lines, in one pass over text that arrives in parts |
//! | [`templates`] | groups of lines that differ only in their figures |
//! | [`cohesion`] | the best position to split a text of lines |
//! | [`records`] | passages of a JSON document: its records, each with its pointer |
//! | [`fusion`] | fusion of several rankings into one |
//! | [`selection`] | the best entries of a ranking that differ from one another |
//!
//! Nothing here is stored; the server's evidence room does that.

pub mod cohesion;
pub mod fusion;
pub mod lines;
pub mod records;
pub mod selection;
pub mod templates;
pub mod terms;
