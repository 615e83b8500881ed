//! The words that the rules know: stems, synonyms, words for any event, denials.

pub(crate) mod affair_table;
pub(crate) mod affairs;
pub(crate) mod common;
pub(crate) mod denied_words;
pub(crate) mod event_words;
pub(crate) mod lexicon;
pub(crate) mod phases;
pub(crate) mod polarity;
pub(crate) mod thesaurus;
pub(crate) mod wordlists;
pub(crate) mod words;
