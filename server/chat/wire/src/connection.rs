//! Serves one connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::bodies;
use crate::request::{ReceivedRequest, Wire};
use crate::scripted_reply::ScriptedReply;
use crate::server::{Counts, Shared};

const JSON: &str = "application/json";
const MAX_REQUEST_BYTES: usize = 64 << 20;

pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let _open = Counted::new(&shared, |counts| &mut counts.open);
    shared.count(|counts| counts.opened += 1);
    // The only error is a disconnect, which the counts show.
    let _ = Connection { stream, buffer: Vec::new(), shared: &shared }.serve().await;
}

struct Counted<'a> {
    shared: &'a Shared,
    counter: fn(&mut Counts) -> &mut u64,
}

impl<'a> Counted<'a> {
    fn new(shared: &'a Shared, counter: fn(&mut Counts) -> &mut u64) -> Self {
        shared.count(|counts| *counter(counts) += 1);
        Self { shared, counter }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.shared.count(|counts| *(self.counter)(counts) -= 1);
    }
}

struct Connection<'a> {
    stream: TcpStream,
    buffer: Vec<u8>,
    shared: &'a Shared,
}

enum AfterResponse {
    Next,
    Close,
}

impl Connection<'_> {
    async fn serve(mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        while let Some(request) = self.read_request().await? {
            let shared = self.shared;
            let _answering = Counted::new(shared, |counts| &mut counts.answering);
            shared.count(|counts| counts.requests += 1);
            let after = match request {
                Ok(request) => self.answer(&request).await?,
                Err(fault) => self.respond(400, "text/plain", fault.as_bytes()).await?,
            };
            if matches!(after, AfterResponse::Close) {
                break;
            }
        }
        Ok(())
    }

    /// Reads the next request, or returns a description of its fault. Returns `None` at the end of the connection.
    async fn read_request(&mut self) -> io::Result<Option<Result<ReceivedRequest, &'static str>>> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut head = httparse::Request::new(&mut headers);
            let Ok(parsed) = head.parse(&self.buffer) else {
                self.buffer.clear();
                return Ok(Some(Err("invalid HTTP request")));
            };
            if let httparse::Status::Complete(length) = parsed {
                let headers: Vec<_> = head
                    .headers
                    .iter()
                    .map(|header| {
                        let value = String::from_utf8_lossy(header.value).into_owned();
                        (header.name.to_ascii_lowercase(), value)
                    })
                    .collect();
                let post = head.method == Some("POST");
                let path = head.path.unwrap_or_default().to_owned();
                self.buffer.drain(..length);
                return Ok(Some(self.read_body(post, path, headers).await?));
            }
            if self.read_more().await? == 0 {
                return Ok(None);
            }
        }
    }

    async fn read_body(
        &mut self,
        post: bool,
        path: String,
        headers: Vec<(String, String)>,
    ) -> io::Result<Result<ReceivedRequest, &'static str>> {
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .and_then(|(_, value)| value.parse().ok())
            .filter(|length| *length <= MAX_REQUEST_BYTES)
            .unwrap_or(0);
        while self.buffer.len() < length {
            if self.read_more().await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let body: Vec<u8> = self.buffer.drain(..length).collect();
        let Some(wire) = Wire::from_path(&path).filter(|_| post) else {
            return Ok(Err("unknown method or path"));
        };
        Ok(serde_json::from_slice(&body)
            .map(|body| ReceivedRequest { wire, path, headers, body })
            .map_err(|_error| "the body is not valid JSON"))
    }

    async fn read_more(&mut self) -> io::Result<usize> {
        self.stream.read_buf(&mut self.buffer).await
    }

    async fn answer(&mut self, request: &ReceivedRequest) -> io::Result<AfterResponse> {
        let wire = request.wire;
        if !request.has_key() {
            let text = format!("this key is wrong: {:?}", request.headers);
            return self.respond(401, "text/plain", text.as_bytes()).await;
        }
        if let Some(invalid_part) = request.invalid_part() {
            let text = format!("{invalid_part} is missing or invalid");
            return self.respond(400, "text/plain", text.as_bytes()).await;
        }
        match self.shared.next_reply(request) {
            ScriptedReply::Answer(text) => {
                self.respond_json(200, &bodies::answer(request, &text)).await
            }
            ScriptedReply::AnswerAfter(delay, text) => {
                if self.closes_within(delay).await {
                    return Ok(AfterResponse::Close);
                }
                self.respond_json(200, &bodies::answer(request, &text)).await
            }
            ScriptedReply::AnswerWhenReleased(text) => {
                let shared = self.shared;
                tokio::select! {
                    released = shared.released.acquire() => {
                        released.map_err(io::Error::other)?.forget();
                    }
                    () = self.wait_for_peer_close() => return Ok(AfterResponse::Close),
                }
                self.respond_json(200, &bodies::answer(request, &text)).await
            }
            ScriptedReply::Status(status) => {
                self.respond_json(status, &bodies::error(wire, status)).await
            }
            ScriptedReply::RateLimited(retry_after) => {
                let body = bodies::error(wire, 429).to_string();
                let extra = format!("retry-after: {retry_after}\r\n");
                self.respond_with_headers(429, JSON, &extra, body.as_bytes()).await
            }
            ScriptedReply::Raw(status, content_type, body) => {
                self.respond(status, content_type, &body).await
            }
            ScriptedReply::Hang => self.wait_for_close().await,
            ScriptedReply::HangInHead => {
                self.stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-ty").await?;
                self.wait_for_close().await
            }
            ScriptedReply::Dribble => {
                self.send_slowly(&bodies::answer(request, r#"{"ok":true}"#)).await
            }
            ScriptedReply::Close => Ok(AfterResponse::Close),
            ScriptedReply::Reset => {
                let body = bodies::answer(request, r#"{"ok":true}"#).to_string();
                self.stream.write_all(head(200, JSON, "", Some(body.len())).as_bytes()).await?;
                let half = body.len() / 2;
                self.stream.write_all(body.as_bytes().get(..half).unwrap_or_default()).await?;
                self.stream.set_zero_linger()?;
                Ok(AfterResponse::Close)
            }
            ScriptedReply::TruncatedJson => {
                let body = bodies::answer(request, r#"{"ok":true}"#).to_string();
                let half = body.len() / 2;
                self.respond(200, JSON, body.as_bytes().get(..half).unwrap_or_default()).await
            }
            ScriptedReply::OtherShape => self.respond(200, JSON, br#"{"result":"ok"}"#).await,
            ScriptedReply::Refusal => match bodies::refusal(wire) {
                Some(body) => self.respond_json(200, &body).await,
                None => self.respond(501, "text/plain", b"not in this wire format").await,
            },
            ScriptedReply::ContentFilter => match bodies::content_filter(wire) {
                Some((status, body)) => self.respond_json(status, &body).await,
                None => self.respond(501, "text/plain", b"not in this wire format").await,
            },
            ScriptedReply::Length => {
                self.respond_json(200, &bodies::truncated_answer(request)).await
            }
            ScriptedReply::EmptyChoice => self.respond_json(200, &bodies::empty_choice(wire)).await,
            ScriptedReply::ErrorInAnswer => self.respond_json(200, &bodies::error(wire, 503)).await,
            ScriptedReply::Html => {
                self.respond(200, "text/html; charset=utf-8", b"<html>\x1b[1mSign in</html>").await
            }
            ScriptedReply::Endless(bytes) => self.send_endless(bytes).await,
            ScriptedReply::OmittedBody(bytes) => {
                let length = usize::try_from(bytes).ok();
                self.stream.write_all(head(200, JSON, "", length).as_bytes()).await?;
                self.wait_for_close().await
            }
            ScriptedReply::Redirect => {
                let extra = format!("location: {}/elsewhere\r\n", wire.base());
                self.respond_with_headers(307, JSON, &extra, b"").await
            }
            ScriptedReply::InvalidUtf8 => self.respond(200, JSON, &invalid_utf8(request)).await,
            ScriptedReply::Gzip => {
                let extra = "content-encoding: gzip\r\n";
                self.respond_with_headers(200, JSON, extra, b"\x1f\x8b\x08\x00").await
            }
        }
    }

    async fn respond_json(&mut self, status: u16, body: &Value) -> io::Result<AfterResponse> {
        self.respond(status, JSON, body.to_string().as_bytes()).await
    }

    async fn respond(
        &mut self,
        status: u16,
        content_type: &str,
        body: &[u8],
    ) -> io::Result<AfterResponse> {
        self.respond_with_headers(status, content_type, "", body).await
    }

    async fn respond_with_headers(
        &mut self,
        status: u16,
        content_type: &str,
        extra_headers: &str,
        body: &[u8],
    ) -> io::Result<AfterResponse> {
        let mut bytes = head(status, content_type, extra_headers, Some(body.len())).into_bytes();
        bytes.extend_from_slice(body);
        self.stream.write_all(&bytes).await?;
        Ok(AfterResponse::Next)
    }

    async fn send_slowly(&mut self, body: &Value) -> io::Result<AfterResponse> {
        let body = body.to_string();
        self.stream.write_all(head(200, JSON, "", Some(body.len())).as_bytes()).await?;
        for byte in body.bytes() {
            self.stream.write_all(&[byte]).await?;
            if self.closes_within(Duration::from_secs(1)).await {
                return Ok(AfterResponse::Close);
            }
        }
        Ok(AfterResponse::Next)
    }

    /// Sends spaces, which are valid before a JSON value.
    async fn send_endless(&mut self, bytes: u64) -> io::Result<AfterResponse> {
        let part = [b' '; 1 << 14];
        self.stream.write_all(head(200, JSON, "", None).as_bytes()).await?;
        for _ in 0..bytes.div_ceil(part.len() as u64) {
            self.stream.write_all(format!("{:x}\r\n", part.len()).as_bytes()).await?;
            self.stream.write_all(&part).await?;
            self.stream.write_all(b"\r\n").await?;
        }
        self.stream.write_all(b"0\r\n\r\n").await?;
        Ok(AfterResponse::Next)
    }

    async fn wait_for_close(&mut self) -> io::Result<AfterResponse> {
        self.wait_for_peer_close().await;
        Ok(AfterResponse::Close)
    }

    async fn closes_within(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, self.wait_for_peer_close()).await.is_ok()
    }

    async fn wait_for_peer_close(&mut self) {
        while self.read_more().await.is_ok_and(|read| read > 0) {}
    }
}

fn head(status: u16, content_type: &str, extra: &str, length: Option<usize>) -> String {
    let length = match length {
        Some(length) => format!("content-length: {length}"),
        None => "transfer-encoding: chunked".to_owned(),
    };
    format!(
        "HTTP/1.1 {status} Played\r\ncontent-type: {content_type}\r\nx-request-id: wire-1\r\n{extra}{length}\r\n\r\n"
    )
}

fn invalid_utf8(request: &ReceivedRequest) -> Vec<u8> {
    const PLACEHOLDER: u8 = b'~';
    let mut body = bodies::answer(request, r#"{"a":"~"}"#).to_string().into_bytes();
    for byte in &mut body {
        if *byte == PLACEHOLDER {
            *byte = 0xff;
        }
    }
    body
}
