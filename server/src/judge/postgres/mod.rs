//! Stores chat models' answers and costs in PostgreSQL.

mod judgements;
mod spending;
#[cfg(test)]
mod tests;

pub(super) use judgements::SharedJudgements;
pub(super) use spending::SharedBudget;

use crate::storage::postgres::PostgresSchema;

pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "judges", sql: include_str!("schema.sql") };
