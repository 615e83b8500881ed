//! This module is the load client of streams: one call of `EvaluateStream` over which the same report is sent again and
//! again, n of them unanswered at any time.
//!
//! It speaks HTTP/2 directly, as [`crate::load`] does. Every answer is decoded: one that is no evaluation, that answers
//! nothing or that answers twice ends the run with an error.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use bytes::{BufMut as _, Bytes, BytesMut};
use gsar_proto::v1::EvaluateStreamResponse;
use gsar_proto::v1::evaluate_stream_response::Result::Evaluation;
use h2::{RecvStream, SendStream};
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint, string};

use crate::load::{FRAME_HEADER, Measurement, Plan, check, connect, quantile, request};
use crate::processor_time;

/// Field numbers of `EvaluateStreamRequest`.
const CORRELATION_ID: u32 = 1;
const REQUEST: u32 = 2;

/// Carries out a plan whose message is an encoded `EvaluateRequest`. Answers are measured from sending the report to
/// having the whole answer.
///
/// # Errors
/// The server cannot be reached, an answer is no evaluation, or the stream does not end with grpc-status 0.
pub async fn run(plan: &Plan) -> anyhow::Result<Measurement> {
    ensure!(plan.in_flight > 0 && plan.calls > 0, "in-flight and calls must be at least 1");
    let mut stream = Stream::open(plan).await?;
    stream.exchange(plan.in_flight, plan.warm_up).await?;

    let server_before = plan.server.map(processor_time::of_process).transpose()?;
    let client_before = processor_time::of_process(std::process::id())?;
    stream.answers = Answers::default();
    let start = Instant::now();
    stream.exchange(plan.in_flight, plan.calls).await?;
    let elapsed = start.elapsed();
    let client = processor_time::of_process(std::process::id())?.saturating_sub(client_before);
    let server_after = plan.server.map(processor_time::of_process).transpose()?;

    let Answers { mut latencies, bytes } = stream.end().await?;
    latencies.sort_unstable();
    Ok(Measurement {
        calls: plan.calls,
        elapsed,
        p50: quantile(&latencies, 0.50),
        p99: quantile(&latencies, 0.99),
        answer_bytes: bytes as f64 / plan.calls as f64,
        server: server_before.zip(server_after).map(|(before, after)| after.saturating_sub(before)),
        client,
    })
}

struct Stream {
    requests: SendStream<Bytes>,
    responses: RecvStream,
    /// Received bytes of messages that are not whole yet.
    received: BytesMut,
    report: Bytes,
    /// When each unanswered report was sent, by its correlation id.
    unanswered: HashMap<String, Instant>,
    sent: u64,
    answers: Answers,
}

#[derive(Default)]
struct Answers {
    latencies: Vec<Duration>,
    bytes: u64,
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
            answers: Answers::default(),
        })
    }

    /// Sends that many reports, and returns when all are answered.
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
        while let Some(message) = whole(&mut self.received) {
            self.answers.bytes += message.len() as u64;
            let answer = EvaluateStreamResponse::decode(message)?;
            let sent = self.unanswered.remove(&answer.correlation_id);
            let sent = sent.with_context(|| format!("an answer to {}", answer.correlation_id))?;
            ensure!(matches!(answer.result, Some(Evaluation(_))), "{:?}", answer.result);
            self.answers.latencies.push(sent.elapsed());
        }
        Ok(())
    }

    async fn end(mut self) -> anyhow::Result<Answers> {
        self.requests.send_data(Bytes::new(), true)?;
        ensure!(self.responses.data().await.is_none(), "an answer behind the last");
        check(&http::HeaderMap::new(), &mut self.responses).await?;
        Ok(self.answers)
    }
}

/// Takes a whole message off the front, where there is one.
fn whole(received: &mut BytesMut) -> Option<Bytes> {
    let header: [u8; FRAME_HEADER] = received.get(..FRAME_HEADER)?.try_into().ok()?;
    let [_, size @ ..] = header;
    let end = FRAME_HEADER + u32::from_be_bytes(size) as usize;
    (received.len() >= end).then(|| received.split_to(end).freeze().slice(FRAME_HEADER..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_whole() {
        let mut received = BytesMut::from(&[0, 0, 0, 0, 2, 7][..]);
        assert_eq!(whole(&mut received), None);
        received.extend_from_slice(&[8, 0, 0, 0, 0, 0, 9]);
        assert_eq!(whole(&mut received).as_deref(), Some(&[7, 8][..]));
        assert_eq!(whole(&mut received).as_deref(), Some(&[][..]));
        assert_eq!(whole(&mut received), None);
        assert_eq!(received.as_ref(), [9]);
    }
}
