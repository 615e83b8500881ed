//! Tests the trace of an evaluation as an OTLP collector receives it.

use crate::support::chat_models::{HONEST, request_for};
use crate::support::collector::{attributes, start_collector};
use crate::support::connect;
use crate::support::process::Process;
use gsar_chat_wire::{KEY, ScriptedReply, Server};
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode};
use rustix::process::Signal;
use tokio::net::TcpListener;
use tonic::Request;

const MODEL: &str = "openai:gpt-4.1";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

async fn start_server(folder: &std::path::Path, provider: &Server, traces: &str) -> Process {
    let model = provider.model_table(MODEL, folder).unwrap();
    let config = format!(
        r#"
            evidence.embeddings = "off"
            judges.chain = ["{MODEL}"]
            judges.second_look = "off"
            {model}
            attempts = 1
            canary = false
            [traces]
            {traces}
        "#
    );
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || Process::with_config(&folder, &config)).await.unwrap()
}

/// Formats spans as an indented tree, one per line with its attributes.
fn format_tree(spans: &[Span], parent: &[u8], depth: usize, text: &mut String) {
    let mut children: Vec<&Span> =
        spans.iter().filter(|span| span.parent_span_id == parent).collect();
    children.sort_by_key(|span| span.start_time_unix_nano);
    for span in children {
        let indent = "  ".repeat(depth);
        text.push_str(&format!("{indent}{}\n", span.name));
        for (key, value) in attributes(&span.attributes) {
            text.push_str(&format!("{indent}  . {key} = {value}\n"));
        }
        format_tree(spans, &span.span_id, depth + 1, text);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evaluation_is_one_trace_from_caller_to_model() {
    let (provider, folder) = (Server::start().await.unwrap(), tempfile::tempdir().unwrap());
    provider.always(ScriptedReply::answer(HONEST));
    let (collector, mut spans) = start_collector().await;
    let traces = format!("endpoint = \"http://{collector}\"\none_in = 4294967295");
    let mut process = start_server(folder.path(), &provider, &traces).await;
    let channel = connect(&folder.path().join("gsar.sock")).await;
    let mut grounding = GroundingServiceClient::new(channel);
    // With this sampling rate, a call without a trace from the caller is almost never sampled.
    grounding.evaluate(request_for("")).await.unwrap();
    let mut request = Request::new(v1::EvaluateRequest {
        gate: Some(v1::GateInputs { wants_to_finish: true, ..Default::default() }),
        ..request_for("")
    });
    request
        .metadata_mut()
        .insert("traceparent", format!("00-{TRACE}-{PARENT}-01").parse().unwrap());
    request.metadata_mut().insert("tracestate", "vendor=of-the-caller".parse().unwrap());
    grounding.evaluate(request).await.unwrap();
    process.signal(Signal::TERM);
    tokio::task::spawn_blocking(move || assert!(process.wait().success())).await.unwrap();

    let mut received = Vec::new();
    while let Ok(span) = spans.try_recv() {
        assert_eq!(hex(&span.trace_id), TRACE);
        received.push(span);
    }
    let root = received
        .iter()
        .find(|span| hex(&span.parent_span_id) == PARENT)
        .expect("the span of the call must be received");
    let mut text = String::new();
    format_tree(&received, &root.parent_span_id, 0, &mut text);
    let documented = include_str!("../../docs/operations/telemetry.md");
    assert!(
        documented.contains(&text),
        "docs/operations/telemetry.md must show this trace:\n{text}"
    );
    assert_eq!(root.kind(), SpanKind::Server);
    let chat = received.iter().find(|span| span.name == "chat gpt-4.1").unwrap();
    assert_eq!(chat.kind(), SpanKind::Client);
    let requests = provider.requests();
    let trace_headers: Vec<Option<&str>> =
        requests.iter().map(|request| request.header("traceparent")).collect();
    assert_eq!(trace_headers.first().unwrap(), &None);
    let expected_header = format!("00-{TRACE}-{}-01", hex(&chat.span_id));
    assert_eq!(trace_headers.last().unwrap(), &Some(expected_header.as_str()));
    assert_eq!(requests.last().unwrap().header("tracestate"), Some("vendor=of-the-caller"));
    for span in &received {
        let text = format!("{span:?}");
        assert!(!text.contains("pool size") && !text.contains(KEY), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traces_model_failures_and_tolerates_a_missing_collector() {
    let (provider, folder) = (Server::start().await.unwrap(), tempfile::tempdir().unwrap());
    provider.always(ScriptedReply::Status(500));
    let (collector, mut spans) = start_collector().await;
    let traces = format!("endpoint = \"http://{collector}\"");
    let process = start_server(folder.path(), &provider, &traces).await;
    let channel = connect(&folder.path().join("gsar.sock")).await;
    GroundingServiceClient::new(channel).evaluate(request_for("")).await.unwrap();
    let chat = loop {
        let span = spans.recv().await.unwrap();
        if span.name.starts_with("chat") {
            break span;
        }
    };
    assert_eq!(chat.status.clone().unwrap().code(), StatusCode::Error);
    assert_eq!(attributes(&chat.attributes)["error.type"], "PROVIDER_UNAVAILABLE");
    drop(process);

    let (closed_listener, folder) =
        (TcpListener::bind("127.0.0.1:0").await.unwrap(), tempfile::tempdir().unwrap());
    let traces = format!("endpoint = \"http://{}\"", closed_listener.local_addr().unwrap());
    drop(closed_listener);
    let _process = start_server(folder.path(), &provider, &traces).await;
    let channel = connect(&folder.path().join("gsar.sock")).await;
    GroundingServiceClient::new(channel).evaluate(request_for("")).await.unwrap();
}
