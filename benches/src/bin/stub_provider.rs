//! A chat model stub on loopback.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use clap::Parser;
use gsar_benches::provider::Provider;
use tokio::net::TcpListener;

/// Immediately answers chat completion requests about the report of the judging figures. /calls returns
/// the number of answers, and /last returns the body of the last request.
#[derive(Parser)]
struct Arguments {
    /// Address to listen on.
    #[arg(long)]
    listen: SocketAddr,
}

#[derive(Default)]
struct Stub {
    provider: Provider,
    calls: AtomicU64,
    last: Mutex<Bytes>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind(Arguments::parse().listen).await?;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let router = Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/calls", get(calls))
        .route("/last", get(last))
        .layer(DefaultBodyLimit::disable())
        .with_state(Arc::new(Stub::default()));
    axum::serve(listener, router).await?;
    Ok(())
}

async fn complete(State(stub): State<Arc<Stub>>, body: Bytes) -> Response {
    let Some(answer) = stub.provider.completion(&body) else {
        return (StatusCode::BAD_REQUEST, "unknown prompt").into_response();
    };
    stub.calls.fetch_add(1, Ordering::Relaxed);
    *stub.last.lock().unwrap_or_else(PoisonError::into_inner) = body;
    ([(header::CONTENT_TYPE, "application/json")], answer).into_response()
}

async fn calls(State(stub): State<Arc<Stub>>) -> String {
    stub.calls.load(Ordering::Relaxed).to_string()
}

async fn last(State(stub): State<Arc<Stub>>) -> Bytes {
    stub.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
