//! This module runs statements that are prepared once on each connection, and puts conditions together. It knows no table.

use deadpool_postgres::GenericClient;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

/// What stands in place of the parameters of a statement.
pub(crate) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

pub(crate) async fn one(
    client: &impl GenericClient,
    sql: &str,
    parameters: Parameters<'_>,
) -> Result<Row, Error> {
    let statement = client.prepare_cached(sql).await?;
    client.query_one(&statement, parameters).await
}

pub(crate) async fn optional(
    client: &impl GenericClient,
    sql: &str,
    parameters: Parameters<'_>,
) -> Result<Option<Row>, Error> {
    let statement = client.prepare_cached(sql).await?;
    client.query_opt(&statement, parameters).await
}

pub(crate) async fn all(
    client: &impl GenericClient,
    sql: &str,
    parameters: Parameters<'_>,
) -> Result<Vec<Row>, Error> {
    let statement = client.prepare_cached(sql).await?;
    client.query(&statement, parameters).await
}

/// How many rows were written.
pub(crate) async fn execute(
    client: &impl GenericClient,
    sql: &str,
    parameters: Parameters<'_>,
) -> Result<u64, Error> {
    let statement = client.prepare_cached(sql).await?;
    client.execute(&statement, parameters).await
}

/// The conditions of a query and what stands in their place.
pub(crate) struct Conditions {
    pub(crate) sql: String,
    pub(crate) values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Conditions {
    /// Adds a condition with `?` in place of the value.
    pub(crate) fn add(&mut self, condition: &str, value: impl ToSql + Sync + Send + 'static) {
        let place = self.place(value);
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &place));
    }

    /// Adds a condition without a value.
    pub(crate) fn require(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// Takes a value; what stands for it.
    pub(crate) fn place(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    /// The values as a query takes them.
    pub(crate) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect()
    }
}
