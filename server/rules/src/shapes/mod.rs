//! The shapes in which tools answer, one module per shape or group of shapes: how each is told from others and
//! where its parts stand. Nothing here judges, and nothing here stores: the readers of documents and of text do.

pub(crate) mod attributes;
pub(crate) mod json_lines;
pub(crate) mod moments;
pub(crate) mod points;

#[cfg(test)]
mod tests;
