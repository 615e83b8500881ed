//! PostgreSQL connections: a bounded pool, timeouts, retries and schemas.

mod failure;
mod options;
pub(crate) mod query;
mod schema;
#[cfg(test)]
#[path = "../../../tests/support/skip.rs"]
mod skip;
#[cfg(test)]
#[path = "../../../tests/support/postgres.rs"]
pub(crate) mod testing;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod};
use futures_util::future::BoxFuture;

pub(crate) use failure::Failure;
pub(crate) use failure::FailureKind;
pub use options::{DatabaseUrl, PostgresOptions};
pub(crate) use schema::PostgresSchema;
pub(crate) use schema::SchemaFailure;

/// The maximum number of attempts if failures are transient.
const ATTEMPTS: u32 = 4;
/// The pause before the second attempt. Doubles for each later attempt.
const PAUSE: Duration = Duration::from_millis(25);
/// The time after the statement timeout at which a connection is considered dead.
const MARGIN: Duration = Duration::from_secs(2);

/// Work on a connection with arguments of type `A`; its last parameter is the number of the attempt.
pub(crate) type Work<A, T> =
    for<'a> fn(&'a mut Object, &'a A, u32) -> BoxFuture<'a, Result<T, tokio_postgres::Error>>;

#[derive(Clone)]
pub(crate) struct Database {
    pool: Pool,
    timeout: Duration,
    display_url: Arc<str>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("url", &self.display_url).finish_non_exhaustive()
    }
}

impl Database {
    /// Creates the pool without opening a connection. Fails if the files in the options are unusable.
    pub(crate) fn new(options: &PostgresOptions) -> Result<Self, String> {
        let mut config = options.url.config();
        if let Some(file) = &options.password_file {
            let password = std::fs::read_to_string(file).map_err(|error| {
                format!(
                    "storage.password_file {}: {error}; name a file this user may read",
                    file.display()
                )
            })?;
            config.password(password.trim_end_matches(['\r', '\n']));
        }
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match options.url.is_encrypted() {
            true => Manager::from_config(config, tls::connector(options.ca.as_deref())?, recycling),
            false => Manager::from_config(config, tokio_postgres::NoTls, recycling),
        };
        let settings = session_settings(options);
        let prepare_hook =
            Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
                let settings = settings.clone();
                Box::pin(async move {
                    client.batch_execute(&settings).await.map_err(HookError::Backend)
                })
            });
        let pool = Pool::builder(manager)
            .max_size(options.connections)
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .wait_timeout(Some(options.timeout))
            .create_timeout(Some(options.timeout))
            .recycle_timeout(Some(options.timeout))
            .post_create(prepare_hook)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { pool, timeout: options.timeout, display_url: options.url.to_string().into() })
    }

    /// Returns the address without its password.
    pub(crate) fn display_url(&self) -> &str {
        &self.display_url
    }

    /// Runs `work` with `arguments` on a connection. Retries transient failures on another connection, passing the
    /// number of the attempt. `work` completes even if the caller stops waiting.
    pub(crate) async fn run<A, T>(&self, arguments: A, work: Work<A, T>) -> Result<T, Failure>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.spawn(Some(self.timeout + MARGIN), arguments, work).await
    }

    /// Runs `work` like [`run`](Self::run), but without a time limit.
    pub(crate) async fn run_long<A, T>(&self, arguments: A, work: Work<A, T>) -> Result<T, Failure>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.spawn(None, arguments, work).await
    }

    async fn spawn<A, T>(
        &self,
        limit: Option<Duration>,
        arguments: A,
        work: Work<A, T>,
    ) -> Result<T, Failure>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        let database = self.clone();
        let result = tokio::spawn(async move {
            let mut attempt = 1;
            loop {
                match database.run_once(limit, &arguments, work, attempt).await {
                    Err(failure) if failure.is_transient && attempt < ATTEMPTS => {
                        tracing::debug!(%failure, attempt, "retrying");
                        tokio::time::sleep(PAUSE * 2_u32.pow(attempt - 1)).await;
                        attempt += 1;
                    }
                    result => return result,
                }
            }
        });
        result.await.unwrap_or_else(|error| Err(Failure::other(error.to_string(), "report this")))
    }

    async fn run_once<A, T>(
        &self,
        limit: Option<Duration>,
        arguments: &A,
        work: Work<A, T>,
        attempt: u32,
    ) -> Result<T, Failure> {
        let mut client = self.pool.get().await?;
        let result = work(&mut client, arguments, attempt);
        let Some(limit) = limit else {
            return result.await.map_err(|error| (&error).into());
        };
        let Ok(result) = tokio::time::timeout(limit, result).await else {
            // The next user of this connection would also have to wait.
            drop(Object::take(client));
            return Err(Failure::timed_out(limit.as_secs()));
        };
        result.map_err(|error| (&error).into())
    }

    /// Rejects further work and closes idle connections.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

fn session_settings(options: &PostgresOptions) -> String {
    let millis = options.timeout.as_millis();
    let synchronous_commit = if options.is_durable { "on" } else { "off" };
    format!(
        "SET statement_timeout = {millis}; SET lock_timeout = {millis}; \
         SET idle_in_transaction_session_timeout = {millis}; SET synchronous_commit = {synchronous_commit}; SET client_min_messages = warning"
    )
}
