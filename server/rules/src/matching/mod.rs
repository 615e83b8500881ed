//! Where in the evidence a claim may be decided, and how far one place bears it out. Finds; does not judge.

pub(crate) mod asked;
pub(crate) mod best_values;
pub(crate) mod candidates;
pub(crate) mod episodes;
pub(crate) mod fit;
pub(crate) mod flags;
pub(crate) mod magnitudes;
pub(crate) mod measures;
pub(crate) mod members;
pub(crate) mod places;
pub(crate) mod scope;
pub(crate) mod slots;
pub(crate) mod states;
pub(crate) mod switches;
