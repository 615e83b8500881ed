//! One module for each kind of claim that can be decided. A rule takes a case and gives a ruling, or nothing.

pub(crate) mod absence;
pub(crate) mod aging;
pub(crate) mod attributes;
pub(crate) mod bounds;
pub(crate) mod causes;
pub(crate) mod changes;
pub(crate) mod chronology;
pub(crate) mod counters;
pub(crate) mod counts;
pub(crate) mod ellipses;
pub(crate) mod existence;
pub(crate) mod firsts;
pub(crate) mod fractions;
pub(crate) mod instants;
pub(crate) mod lasting;
pub(crate) mod offsets;
pub(crate) mod other_names;
pub(crate) mod ranks;
pub(crate) mod rates;
pub(crate) mod ratios;
pub(crate) mod series;
pub(crate) mod sums;
pub(crate) mod tallies;
pub(crate) mod tally;
pub(crate) mod tracks;
pub(crate) mod turned;
