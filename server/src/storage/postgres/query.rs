//! Cached prepared statements and query conditions.

use deadpool_postgres::GenericClient;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

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

/// Returns the number of affected rows.
pub(crate) async fn execute(
    client: &impl GenericClient,
    sql: &str,
    parameters: Parameters<'_>,
) -> Result<u64, Error> {
    let statement = client.prepare_cached(sql).await?;
    client.execute(&statement, parameters).await
}

pub(crate) struct Conditions {
    pub(crate) sql: String,
    pub(crate) values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Conditions {
    /// Adds a condition in which `?` stands for the value.
    pub(crate) fn add(&mut self, condition: &str, value: impl ToSql + Sync + Send + 'static) {
        let placeholder = self.bind(value);
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &placeholder));
    }

    pub(crate) fn require(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    pub(crate) fn bind(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    /// Returns the parameters in the order of their placeholders.
    pub(crate) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect()
    }
}
