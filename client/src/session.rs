//! Connects commands to a server, starting and stopping a temporary one if necessary.

use gsar_client::Client;
use gsar_client::connection::{
    ConnectOptions, Environment, JudgeSpec, Target, TemporaryServer, select_target,
};
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::Connection;
use crate::failure::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Running,
    Temporary,
}

/// Runs `work` with a client. A temporary server is stopped afterwards, even on a signal.
pub(crate) async fn with_client<T>(
    connection: &Connection,
    work: impl AsyncFnOnce(Client, Server) -> Result<T, Failure>,
) -> Result<T, Failure> {
    with_judge(connection, None, work).await
}

/// Runs `work` with a client. If a judge is given, the server is a temporary one with this judge.
pub(crate) async fn with_judge<T>(
    connection: &Connection,
    judge: Option<JudgeSpec>,
    work: impl AsyncFnOnce(Client, Server) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let options = ConnectOptions { judge, ..connect_options(connection) };
    let target = select_target(&options, &Environment::from_env())?;
    let mut temporary_server = None;
    let result = until_signal(async {
        let client = connect(&target, &mut temporary_server).await?;
        let server = match target {
            Target::Running { .. } => Server::Running,
            Target::Temporary { .. } => Server::Temporary,
        };
        work(client.with_deadline(connection.deadline()), server).await
    })
    .await
    .map_err(|failure: Failure| failure.with_deadline(connection.deadline()));
    if let Some(server) = temporary_server {
        server.stop().await;
    }
    result
}

pub(crate) fn connect_options(connection: &Connection) -> ConnectOptions {
    ConnectOptions {
        endpoint: connection.endpoint.clone(),
        data_dir: connection.data_dir.clone(),
        judge: None,
        tls: connection.tls(),
        token_file: connection.token_file.clone(),
    }
}

/// Runs `work` until it finishes or a signal arrives.
pub(crate) async fn until_signal<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        result = work => result,
        _ = interrupt.recv() => Err(Failure::Interrupted { code: 130 }),
        _ = terminate.recv() => Err(Failure::Interrupted { code: 143 }),
        _ = hangup.recv() => Err(Failure::Interrupted { code: 129 }),
    }
}

/// Connects to a server, after starting a temporary one if necessary.
pub(crate) async fn connect(
    target: &Target,
    temporary_server: &mut Option<TemporaryServer>,
) -> Result<Client, Failure> {
    match target {
        Target::Running { endpoint, tls, token_file, .. } => {
            let client = Client::connect_with(endpoint, tls).await?;
            Ok(client.with_token_file(token_file.as_deref())?)
        }
        Target::Temporary { binary, data_dir, judge } => {
            let data_dir = data_dir.as_deref();
            let server = temporary_server.insert(match judge {
                Some(judge) => TemporaryServer::with_judge(binary, data_dir, judge)?,
                None => TemporaryServer::start(binary, data_dir)?,
            });
            Ok(server.connect().await?)
        }
    }
}
