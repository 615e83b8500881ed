//! An OTLP collector that receives spans on the loopback interface.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

struct Collector(mpsc::UnboundedSender<Span>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let resource_attributes = attributes(&resource.resource.unwrap().attributes);
            assert_eq!(resource_attributes.get("service.name").map(String::as_str), Some("gsar"));
            for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                self.0.send(span).unwrap();
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

pub async fn start_collector() -> (SocketAddr, mpsc::UnboundedReceiver<Span>) {
    let (send, spans) = mpsc::unbounded_channel();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tonic::transport::Server::builder()
        .add_service(TraceServiceServer::new(Collector(send)))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(server);
    (address, spans)
}

pub fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, String> {
    let name_and_value = |pair: &KeyValue| {
        let value = match pair.value.clone().unwrap().value.unwrap() {
            Value::StringValue(text) => text,
            Value::IntValue(number) => number.to_string(),
            Value::BoolValue(flag) => flag.to_string(),
            other => format!("{other:?}"),
        };
        (pair.key.clone(), value)
    };
    pairs.iter().map(name_and_value).collect()
}
