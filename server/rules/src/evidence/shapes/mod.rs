//! The shapes in which tools answer, one module per shape or group of shapes: how each is told from others and
//! where its parts stand. Nothing here judges, and nothing here stores: the readers of documents and of text do.

pub(crate) mod assignments;
pub(crate) mod attributes;
pub(crate) mod columns;
pub(crate) mod headings;
pub(crate) mod json_lines;
pub(crate) mod moments;
pub(crate) mod points;
pub(crate) mod separated;

#[cfg(test)]
mod tests;
