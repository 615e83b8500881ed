//! A trace collector that counts and discards spans.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use tokio::signal::unix::{SignalKind, signal};
use tonic::{Request, Response, Status};

/// Receives spans over OTLP, and prints their number when stopped.
#[derive(Parser)]
struct Arguments {
    /// Address to listen on.
    #[arg(long)]
    listen: SocketAddr,
}

#[derive(Clone, Debug, Default)]
struct Sink {
    spans: Arc<AtomicUsize>,
}

#[tonic::async_trait]
impl TraceService for Sink {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let scopes =
            request.into_inner().resource_spans.into_iter().flat_map(|from| from.scope_spans);
        let spans = scopes.map(|scope| scope.spans.len()).sum();
        self.spans.fetch_add(spans, Ordering::Relaxed);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "prints its result")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let sink = Sink::default();
    let mut terminate = signal(SignalKind::terminate())?;
    tonic::transport::Server::builder()
        .add_service(TraceServiceServer::new(sink.clone()))
        .serve_with_shutdown(arguments.listen, async move {
            terminate.recv().await;
        })
        .await?;
    println!("{}", sink.spans.load(Ordering::Relaxed));
    Ok(())
}
