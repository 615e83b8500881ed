//! What evidence says: the shapes that tools print, read once into addressed observations, and what is read off them.
//! Knows nothing of claims.

pub(crate) mod ages;
pub(crate) mod answers;
pub(crate) mod cache;
pub(crate) mod chronicle;
pub(crate) mod closed;
pub(crate) mod documents;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod listing;
pub(crate) mod lists;
pub(crate) mod moments;
pub(crate) mod observations;
pub(crate) mod postings;
pub(crate) mod shapes;
pub(crate) mod values;
