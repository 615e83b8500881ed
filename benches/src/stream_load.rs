//! The load client for streams. Sends the same report many times over one `EvaluateStream`.
//!
//! Uses HTTP/2 directly, like [`crate::load`]. Fails on errors and on answers without a pending request.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use bytes::{BufMut as _, Bytes, BytesMut};
use gsar_proto::v1::EvaluateStreamResponse;
use gsar_proto::v1::evaluate_stream_response::Result::Evaluation;
use h2::{RecvStream, SendStream};
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint, string};

use crate::load::{FRAME_HEADER, Measurement, Plan, check, connect, request};

const CORRELATION_ID: u32 = 1;
const REQUEST: u32 = 2;

/// Runs a plan whose message is an encoded `EvaluateRequest`. Each time is measured from sending a report to
/// receiving its entire answer.
pub async fn run(plan: &Plan) -> anyhow::Result<Measurement> {
    ensure!(plan.in_flight > 0 && plan.calls > 0, "in-flight and calls must be at least 1");
    let mut stream = Stream::open(plan).await?;
    stream.exchange(plan.in_flight, plan.warm_up).await?;

    stream.answers.clear();
    let exchange = async {
        stream.exchange(plan.in_flight, plan.calls).await?;
        Ok(std::mem::take(&mut stream.answers))
    };
    let measured = Measurement::of(plan.calls, plan.server, exchange).await?;
    stream.end().await?;
    Ok(measured)
}

struct Stream {
    requests: SendStream<Bytes>,
    responses: RecvStream,
    received: BytesMut,
    report: Bytes,
    unanswered: HashMap<String, Instant>,
    sent: u64,
    answers: Vec<(Duration, u64)>,
}

impl Stream {
    async fn open(plan: &Plan) -> anyhow::Result<Self> {
        let mut connection = connect(&plan.endpoint).await?.ready().await?;
        let (answer, requests) = connection.send_request(request(&plan.path)?, false)?;
        let (head, responses) = answer.await?.into_parts();
        ensure!(head.status == http::StatusCode::OK, "HTTP status {}", head.status);
        Ok(Self {
            requests,
            responses,
            received: BytesMut::new(),
            report: plan.message.clone(),
            unanswered: HashMap::new(),
            sent: 0,
            answers: Vec::new(),
        })
    }

    async fn exchange(&mut self, in_flight: u32, reports: u64) -> anyhow::Result<()> {
        let end = self.sent + reports;
        while self.sent < end || !self.unanswered.is_empty() {
            if self.sent < end && self.unanswered.len() < in_flight as usize {
                self.send()?;
            } else {
                self.receive().await?;
            }
        }
        Ok(())
    }

    fn send(&mut self) -> anyhow::Result<()> {
        let id = self.sent.to_string();
        let mut message = BytesMut::with_capacity(self.report.len() + 32);
        string::encode(CORRELATION_ID, &id, &mut message);
        encode_key(REQUEST, WireType::LengthDelimited, &mut message);
        encode_varint(self.report.len() as u64, &mut message);
        message.put_slice(&self.report);
        let mut header = BytesMut::with_capacity(FRAME_HEADER);
        header.put_u8(0);
        header.put_u32(u32::try_from(message.len())?);
        self.unanswered.insert(id, Instant::now());
        self.requests.send_data(header.freeze(), false)?;
        self.requests.send_data(message.freeze(), false)?;
        self.sent += 1;
        Ok(())
    }

    async fn receive(&mut self) -> anyhow::Result<()> {
        let Some(chunk) = self.responses.data().await else {
            check(&http::HeaderMap::new(), &mut self.responses).await?;
            bail!("the stream ended before every report was answered");
        };
        let chunk = chunk?;
        self.responses.flow_control().release_capacity(chunk.len())?;
        self.received.extend_from_slice(&chunk);
        while let Some(message) = next_message(&mut self.received) {
            let bytes = message.len() as u64;
            let answer = EvaluateStreamResponse::decode(message)?;
            let sent = self.unanswered.remove(&answer.correlation_id);
            let sent =
                sent.with_context(|| format!("unknown correlation id {}", answer.correlation_id))?;
            ensure!(matches!(answer.result, Some(Evaluation(_))), "{:?}", answer.result);
            self.answers.push((sent.elapsed(), bytes));
        }
        Ok(())
    }

    async fn end(mut self) -> anyhow::Result<()> {
        self.requests.send_data(Bytes::new(), true)?;
        ensure!(
            self.responses.data().await.is_none(),
            "the stream contains an answer after the last expected one"
        );
        check(&http::HeaderMap::new(), &mut self.responses).await
    }
}

fn next_message(received: &mut BytesMut) -> Option<Bytes> {
    let header: [u8; FRAME_HEADER] = received.get(..FRAME_HEADER)?.try_into().ok()?;
    let [_, size @ ..] = header;
    let end = FRAME_HEADER + u32::from_be_bytes(size) as usize;
    (received.len() >= end).then(|| received.split_to(end).freeze().slice(FRAME_HEADER..))
}
