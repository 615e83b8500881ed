//! From rulings to a verdict: the order in which rules are asked, what overrules them, and the sentence that explains.

pub(crate) mod considered;
pub(crate) mod counterclaims;
pub(crate) mod decide;
pub(crate) mod denials;
pub(crate) mod emptiness;
pub(crate) mod guards;
pub(crate) mod note;
pub(crate) mod repairs;
pub(crate) mod rivals;
pub(crate) mod ruling;
pub(crate) mod sections;
pub(crate) mod unread;

#[cfg(test)]
mod tests;
