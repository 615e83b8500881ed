//! The admin endpoints, on their own HTTP port:
//!
//! | path | response |
//! |---|---|
//! | `/livez` | 200 while the process runs |
//! | `/readyz` | 200 while calls are served, otherwise 503 with the reason |
//! | `/metrics` | Prometheus text |

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_process::Collector;

use super::readiness::Readiness;
use crate::telemetry::metrics::recorder;

pub(super) fn router(readiness: Readiness) -> Router {
    Router::new()
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(readiness)
}

async fn ready(State(readiness): State<Readiness>) -> impl IntoResponse {
    match readiness.obstacle() {
        None => (StatusCode::OK, "ready\n".to_owned()),
        Some(obstacle) => (StatusCode::SERVICE_UNAVAILABLE, format!("{obstacle}\n")),
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
