//! The admin endpoints, over HTTP on a port of their own:
//!
//! | path | answer |
//! |---|---|
//! | `/livez` | 200 while the process runs |
//! | `/readyz` | 200 while calls are served, else 503 with the phase |
//! | `/metrics` | Prometheus text |

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_process::Collector;

use super::{Phase, PhaseCell};
use crate::telemetry::metrics::recorder;

pub(super) fn router(phase: PhaseCell) -> Router {
    Router::new()
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(phase)
}

async fn ready(State(phase): State<PhaseCell>) -> impl IntoResponse {
    match phase.current() {
        Phase::Ready => (StatusCode::OK, "ready\n"),
        Phase::Starting => (StatusCode::SERVICE_UNAVAILABLE, "starting\n"),
        Phase::Draining => (StatusCode::SERVICE_UNAVAILABLE, "draining\n"),
    }
}

async fn metrics() -> impl IntoResponse {
    match recorder() {
        Ok(handle) => {
            handle.run_upkeep();
            Collector::default().collect();
            (StatusCode::OK, [(CONTENT_TYPE, "text/plain; version=0.0.4")], handle.render())
        }
        Err(reason) => (StatusCode::INTERNAL_SERVER_ERROR, [(CONTENT_TYPE, "text/plain")], reason),
    }
}
