//! Connects to a running server, or starts one for the run.

use anyhow::{Context as _, Result, anyhow, bail};
use gsar_client::Client;
use gsar_client::connection::{
    ConnectOptions, Environment, SERVER_BINARY, StartError, Target, TargetError, TemporaryServer,
    select_target,
};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::ServerArgs;

/// Runs `work` against the server at `--endpoint` or `GSAR_ENDPOINT`. If neither is set, starts the `gsar-server` next
/// to this program, and stops it at the end or on SIGINT or SIGTERM. Ignores default sockets, because the wrong
/// server might be listening there.
pub(crate) async fn with_server<T>(
    server: &ServerArgs,
    work: impl AsyncFnOnce(Client) -> Result<T>,
) -> Result<T> {
    with_server_allowing(server, "", work).await
}

/// Like [`with_server`]. A server started with `--judge` also lets clients choose `policy`.
pub(crate) async fn with_server_allowing<T>(
    server: &ServerArgs,
    policy: &str,
    work: impl AsyncFnOnce(Client) -> Result<T>,
) -> Result<T> {
    if let Some(judge) = &server.judge {
        let allowed: Vec<&str> = Some(policy).filter(|name| !name.is_empty()).into_iter().collect();
        let configuration = json!({"judges": {"chain": [judge]}, "policies": {"allowed": allowed}});
        return with_configured_server(&toml::to_string(&configuration)?, work).await;
    }
    let endpoint = server.endpoint.clone();
    let environment = Environment { default_sockets: Vec::new(), ..Environment::from_env() };
    let target = match select_target(
        &ConnectOptions { endpoint, ..ConnectOptions::default() },
        &environment,
    ) {
        Ok(target) => target,
        Err(TargetError::NotFound { .. }) => {
            bail!("{SERVER_BINARY} is not next to this program; build it there, or use --endpoint")
        }
        Err(error) => return Err(error.into()),
    };
    match target {
        Target::Running { endpoint, tls, token_file, .. } => {
            until_signal(async {
                let client = Client::connect_with(&endpoint, &tls).await?;
                work(client.with_token_file(token_file.as_deref())?).await
            })
            .await
        }
        Target::Temporary { binary, data_dir, .. } => {
            with_started(|| TemporaryServer::start(&binary, data_dir.as_deref()), work).await
        }
    }
}

pub(crate) async fn with_configured_server<T>(
    configuration: &str,
    work: impl AsyncFnOnce(Client) -> Result<T>,
) -> Result<T> {
    let binary = Environment::from_env()
        .server_binary()
        .with_context(|| format!("{SERVER_BINARY} is not next to this program; build it there"))?;
    with_started(|| TemporaryServer::with_config(&binary, configuration), work).await
}

async fn with_started<T>(
    start: impl FnOnce() -> Result<TemporaryServer, StartError>,
    work: impl AsyncFnOnce(Client) -> Result<T>,
) -> Result<T> {
    let mut started = None;
    let result = until_signal(async {
        let server = started.insert(start()?);
        work(server.connect().await?).await
    })
    .await;
    if let Some(server) = started {
        server.stop().await;
    }
    result
}

async fn until_signal<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = work => result,
        _ = interrupt.recv() => Err(anyhow!("interrupted")),
        _ = terminate.recv() => Err(anyhow!("terminated")),
    }
}
