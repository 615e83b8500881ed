//! Stores what the judges of all servers share in PostgreSQL: answers of chat models, and their cost.

mod judgements;
mod spending;
#[cfg(test)]
mod tests;

pub(super) use judgements::SharedJudgements;
pub(super) use spending::SharedBudget;

use crate::storage::postgres::PostgresSchema;

/// The tables of the judges.
pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "judges", sql: include_str!("schema.sql") };
