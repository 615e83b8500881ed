//! What a claim says: splitting a report, and reading a statement into names, figures, times, order, shares and ranks.
//! Decides nothing.

pub(crate) mod affirmed;
pub(crate) mod causes;
pub(crate) mod discourse;
pub(crate) mod ellipsis;
pub(crate) mod lengths;
pub(crate) mod phrases;
pub(crate) mod portions;
pub(crate) mod qualifiers;
pub(crate) mod quantifiers;
pub(crate) mod rankings;
pub(crate) mod reading;
pub(crate) mod relations;
pub(crate) mod shares;
pub(crate) mod windows;
