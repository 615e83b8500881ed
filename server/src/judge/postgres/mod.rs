//! This module keeps in PostgreSQL what judges share over all servers: answers of chat models, and what they cost.

mod judgements;
mod spending;
#[cfg(test)]
mod tests;

pub(super) use judgements::SharedJudgements;
pub(super) use spending::SharedBudget;

use crate::storage::postgres::PostgresSchema;

/// The tables of judges.
pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "judges", sql: include_str!("schema.sql") };
