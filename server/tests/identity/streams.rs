//! Tests that open streams end when their caller's rights are revoked.

use std::path::PathBuf;

use gsar_proto::v1;
use gsar_proto::v1::drive_request::Request as Message;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use gsar_proto::v1::put_evidence_request::Part;
use gsar_server::telemetry::metrics::recorder;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Streaming};

use crate::identity::{Caller, code, digest, principals_toml, start_server, with_token};
use crate::support::corpora::{head, part};
use crate::support::investigations::start;
use crate::support::tokens::Issuer;
use crate::support::{TestServer, item, request};

/// Returns changes to ada's entry. Each has a description and the status with which her open streams then end.
fn changes() -> [(&'static str, String, Code); 4] {
    let principals_toml = principals_toml();
    let (ada, other_principals) = principals_toml.split_at(principals_toml.find("[ben]").unwrap());
    let may = ada.find("may = ").unwrap();
    let rights = ada.get(may..).unwrap();
    [
        (
            "ada has a different right",
            ada.replace(rights, "may = [\"override\"]\n") + other_principals,
            Code::PermissionDenied,
        ),
        ("ada was removed", other_principals.to_owned(), Code::Unauthenticated),
        (
            "ada has a different token",
            principals_toml.replace(&digest("secret-of-ada"), &digest("x")),
            Code::Unauthenticated,
        ),
        (
            "ada's token now belongs to ben",
            {
                let bens_digest = digest("secret-of-ben");
                let with_adas_digest_replaced = ada.replace(&digest("secret-of-ada"), &digest("x"));
                let other_principals = other_principals.replace(
                    &bens_digest,
                    &format!("{bens_digest}\", \"{}", digest("secret-of-ada")),
                );
                with_adas_digest_replaced + &other_principals
            },
            Code::Unauthenticated,
        ),
    ]
}

async fn apply_principals(server: &TestServer, principals: &str) {
    std::fs::write(principals_file(server), principals).unwrap();
    server.reload().await;
}

fn principals_file(server: &TestServer) -> PathBuf {
    server.folder.path().join("principals.toml")
}

struct OpenStream<Q, A> {
    send: mpsc::Sender<Q>,
    answers: Streaming<A>,
}

impl<Q, A: std::fmt::Debug> OpenStream<Q, A> {
    async fn send_and_receive(&mut self, message: Q) -> Result<Option<A>, Code> {
        let _stream_may_have_ended = self.send.send(message).await;
        self.answers.message().await.map_err(|status| status.code())
    }
}

fn report(id: &str) -> v1::EvaluateStreamRequest {
    v1::EvaluateStreamRequest { correlation_id: id.to_owned(), request: Some(request()) }
}

async fn open_evaluate_stream(
    caller: Caller,
) -> OpenStream<v1::EvaluateStreamRequest, v1::EvaluateStreamResponse> {
    let (send, messages) = mpsc::channel(4);
    let messages = ReceiverStream::new(messages);
    let answers = GroundingServiceClient::new(caller).evaluate_stream(messages).await.unwrap();
    OpenStream { send, answers: answers.into_inner() }
}

#[tokio::test]
async fn report_stream_ends_when_rights_are_revoked() {
    let server = start_server(&Issuer::new()).await;
    for (case, changed_principals, expected) in changes() {
        apply_principals(&server, &principals_toml()).await;
        let mut stream =
            open_evaluate_stream(with_token(&server.channel, Some("secret-of-ada"))).await;
        assert!(stream.send_and_receive(report("1")).await.unwrap().is_some());
        apply_principals(&server, &(principals_toml() + "\n")).await;
        assert!(
            stream.send_and_receive(report("2")).await.unwrap().is_some(),
            "reloading the same file has no effect"
        );
        apply_principals(&server, &changed_principals).await;
        assert_eq!(stream.send_and_receive(report("3")).await.unwrap_err(), expected, "{case}");
    }
    let metrics = recorder().unwrap().render();
    for reason in ["no_right", "unidentified"] {
        let counter = format!("gsar_calls_refused_total{{reason=\"{reason}\"}}");
        assert!(metrics.contains(&counter), "{metrics}");
    }
}

#[tokio::test]
async fn drive_stream_ends_when_rights_are_revoked() {
    let server = start_server(&Issuer::new()).await;
    for (number, (case, changed_principals, expected)) in changes().into_iter().enumerate() {
        apply_principals(&server, &principals_toml()).await;
        let (send, messages) = mpsc::channel(4);
        let ada = with_token(&server.channel, Some("secret-of-ada"));
        let messages = ReceiverStream::new(messages);
        let answers = InvestigationServiceClient::new(ada).drive(messages).await.unwrap();
        let mut stream = OpenStream { send, answers: answers.into_inner() };
        let message = |message| v1::DriveRequest { request: Some(message) };
        let start = Message::Start(Box::new(start(&format!("i{number}"))));
        assert!(stream.send_and_receive(message(start)).await.unwrap().is_some());
        apply_principals(&server, &changed_principals).await;
        let cancel = Message::Cancel(v1::CancelInvestigationRequest::default());
        assert_eq!(stream.send_and_receive(message(cancel)).await.unwrap_err(), expected, "{case}");
    }
}

#[tokio::test]
async fn evidence_upload_ends_when_rights_are_revoked() {
    let server = start_server(&Issuer::new()).await;
    for (number, (case, changed_principals, expected)) in changes().into_iter().enumerate() {
        apply_principals(&server, &principals_toml()).await;
        let (send, messages) = mpsc::channel(1);
        let ada = with_token(&server.channel, Some("secret-of-ada"));
        let messages = ReceiverStream::new(messages);
        let upload =
            tokio::spawn(
                async move { EvidenceServiceClient::new(ada).put_evidence(messages).await },
            );
        let corpus_id = format!("c{number}");
        send.send(head(&corpus_id)).await.unwrap();
        send.send(part(Part::Item(item("first", "one line")))).await.unwrap();
        // The corpus is listed before the upload ends.
        let list = v1::ListCorporaRequest::default();
        let mut auditor =
            EvidenceServiceClient::new(with_token(&server.channel, Some("secret-of-the-auditor")));
        loop {
            let page = auditor.list_corpora(list.clone()).await.unwrap().into_inner();
            if page.corpora.iter().any(|corpus| corpus.corpus_id.ends_with(&corpus_id)) {
                break;
            }
            tokio::task::yield_now().await;
        }
        apply_principals(&server, &changed_principals).await;
        let _stream_may_have_ended =
            send.send(part(Part::Item(item("second", "another line")))).await;
        let error = upload.await.unwrap().unwrap_err();
        assert_eq!(error.code(), expected, "{case}: {error:?}");
    }
}

#[tokio::test]
async fn export_ends_when_rights_are_revoked() {
    let server = start_server(&Issuer::new()).await;
    // The small windows ensure that the transport's buffers cannot hold the whole export.
    let slow_connection =
        Endpoint::from_shared(format!("unix://{}", server.socket().display())).unwrap();
    let slow_connection =
        slow_connection.initial_stream_window_size(65_535).initial_connection_window_size(65_535);
    let ada = with_token(&slow_connection.connect().await.unwrap(), Some("secret-of-ada"));
    let mut long_request = request();
    let lines = (0..150).map(|node| format!("The connection pool size is 20 on node-{node}. "));
    long_request.report.as_mut().unwrap().synthesis = lines.collect();
    for _ in 0..20 {
        GroundingServiceClient::new(ada.clone()).evaluate(long_request.clone()).await.unwrap();
    }
    for (case, changed_principals, expected) in changes() {
        apply_principals(&server, &principals_toml()).await;
        let kinds = vec![v1::ExportKind::Partitions.into(), v1::ExportKind::ClaimRewards.into()];
        let request = v1::ExportRequest { kinds, ..Default::default() };
        let responses = LedgerServiceClient::new(ada.clone()).export(request).await.unwrap();
        let mut answers = responses.into_inner();
        answers.message().await.unwrap().unwrap();
        apply_principals(&server, &changed_principals).await;
        let code = loop {
            match answers.message().await {
                Ok(Some(_)) => {}
                Ok(None) => break Code::Ok,
                Err(status) => break status.code(),
            }
        };
        assert_eq!(code, expected, "{case}");
    }
}

#[tokio::test]
async fn token_keys_are_replaced_without_a_restart() {
    let (old_issuer, new_issuer) = (Issuer::new(), Issuer::new());
    let server = start_server(&old_issuer).await;
    let token = |issuer: &Issuer| issuer.token("ada@example", json!({}));
    let mut stream =
        open_evaluate_stream(with_token(&server.channel, Some(&token(&old_issuer)))).await;
    assert!(stream.send_and_receive(report("1")).await.unwrap().is_some());
    let list_code = async |issuer: &Issuer| {
        let caller = with_token(&server.channel, Some(&token(issuer)));
        let list = v1::ListEvaluationsRequest::default();
        code(LedgerServiceClient::new(caller).list_evaluations(list).await)
    };
    assert_eq!(list_code(&new_issuer).await, Code::Unauthenticated);
    let file = server.folder.path().join("jwks.json");
    for invalid_keys in ["", "{", "{\"keys\": []}"] {
        std::fs::write(&file, invalid_keys).unwrap();
        server.reload().await;
        assert_eq!(list_code(&old_issuer).await, Code::Ok, "{invalid_keys}");
    }
    // During a rotation, the server accepts both keys. Afterwards, it accepts only the new one.
    let both_keys = {
        let [mut both_keys, new_keys]: [serde_json::Value; 2] =
            [&old_issuer, &new_issuer].map(|issuer| serde_json::from_str(&issuer.keys()).unwrap());
        let mut added_key = new_keys["keys"][0].clone();
        added_key["kid"] = "two".into();
        both_keys["keys"].as_array_mut().unwrap().push(added_key);
        both_keys.to_string()
    };
    std::fs::write(&file, both_keys).unwrap();
    server.reload().await;
    assert!(stream.send_and_receive(report("2")).await.unwrap().is_some());
    std::fs::write(&file, new_issuer.keys()).unwrap();
    server.reload().await;
    assert_eq!(
        (list_code(&old_issuer).await, list_code(&new_issuer).await),
        (Code::Unauthenticated, Code::Ok)
    );
    assert_eq!(stream.send_and_receive(report("3")).await.unwrap_err(), Code::Unauthenticated);
}
