//! Serves one connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::bodies;
use crate::play::Play;
use crate::request::{ReceivedRequest, Wire};
use crate::server::{Counts, Shared};

const JSON: &str = "application/json";
const MAX_REQUEST_BYTES: usize = 64 << 20;

pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let _connected = Counted::new(&shared, |counts| &mut counts.open);
    shared.count(|counts| counts.opened += 1);
    // The only error is a disconnect, which the counts show.
    let _ = Connection { stream, read: Vec::new(), shared: &shared }.serve().await;
}

struct Counted<'a> {
    shared: &'a Shared,
    which: fn(&mut Counts) -> &mut u64,
}

impl<'a> Counted<'a> {
    fn new(shared: &'a Shared, which: fn(&mut Counts) -> &mut u64) -> Self {
        shared.count(|counts| *which(counts) += 1);
        Self { shared, which }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.shared.count(|counts| *(self.which)(counts) -= 1);
    }
}

struct Connection<'a> {
    stream: TcpStream,
    read: Vec<u8>,
    shared: &'a Shared,
}

enum After {
    Next,
    Close,
}

impl Connection<'_> {
    async fn serve(mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        while let Some(request) = self.request().await? {
            let shared = self.shared;
            let _answering = Counted::new(shared, |counts| &mut counts.answering);
            shared.count(|counts| counts.requests += 1);
            let after = match request {
                Ok(seen) => self.answer(&seen).await?,
                Err(wrong) => self.respond(400, "text/plain", wrong.as_bytes()).await?,
            };
            if matches!(after, After::Close) {
                break;
            }
        }
        Ok(())
    }

    /// Reads the next request, or describes its fault. Returns `None` at the end of the connection.
    async fn request(&mut self) -> io::Result<Option<Result<ReceivedRequest, &'static str>>> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; 64];
            let mut head = httparse::Request::new(&mut headers);
            let Ok(parsed) = head.parse(&self.read) else {
                self.read.clear();
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
                self.read.drain(..length);
                return Ok(Some(self.body(post, path, headers).await?));
            }
            if self.more().await? == 0 {
                return Ok(None);
            }
        }
    }

    async fn body(
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
        while self.read.len() < length {
            if self.more().await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let body: Vec<u8> = self.read.drain(..length).collect();
        let Some(wire) = Wire::of_path(&path).filter(|_| post) else {
            return Ok(Err("unknown method or path"));
        };
        Ok(serde_json::from_slice(&body)
            .map(|body| ReceivedRequest { wire, path, headers, body })
            .map_err(|_error| "the body is not valid JSON"))
    }

    async fn more(&mut self) -> io::Result<usize> {
        self.stream.read_buf(&mut self.read).await
    }

    async fn answer(&mut self, seen: &ReceivedRequest) -> io::Result<After> {
        let wire = seen.wire;
        if !seen.has_key() {
            let text = format!("this key is wrong: {:?}", seen.headers);
            return self.respond(401, "text/plain", text.as_bytes()).await;
        }
        if let Some(invalid_part) = seen.invalid_part() {
            let text = format!("{invalid_part} is wrong");
            return self.respond(400, "text/plain", text.as_bytes()).await;
        }
        match self.shared.play(seen) {
            Play::Answer(text) => self.json(200, &bodies::answer(seen, &text)).await,
            Play::AnswerAfter(after, text) => {
                if self.closed_within(after).await {
                    return Ok(After::Close);
                }
                self.json(200, &bodies::answer(seen, &text)).await
            }
            Play::AnswerWhenReleased(text) => {
                let shared = self.shared;
                tokio::select! {
                    released = shared.released.acquire() => {
                        released.map_err(io::Error::other)?.forget();
                    }
                    () = self.peer_closed() => return Ok(After::Close),
                }
                self.json(200, &bodies::answer(seen, &text)).await
            }
            Play::Status(status) => self.json(status, &bodies::error(wire, status)).await,
            Play::RateLimited(retry_after) => {
                let body = bodies::error(wire, 429).to_string();
                let extra = format!("retry-after: {retry_after}\r\n");
                self.with_headers(429, JSON, &extra, body.as_bytes()).await
            }
            Play::Raw(status, content_type, body) => {
                self.respond(status, content_type, &body).await
            }
            Play::Hang => self.wait_for_close().await,
            Play::HangInHead => {
                self.stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-ty").await?;
                self.wait_for_close().await
            }
            Play::Dribble => self.dribble(&bodies::answer(seen, r#"{"ok":true}"#)).await,
            Play::Close => Ok(After::Close),
            Play::Reset => {
                let body = bodies::answer(seen, r#"{"ok":true}"#).to_string();
                self.stream.write_all(head(200, JSON, "", Some(body.len())).as_bytes()).await?;
                let half = body.len() / 2;
                self.stream.write_all(body.as_bytes().get(..half).unwrap_or_default()).await?;
                self.stream.set_zero_linger()?;
                Ok(After::Close)
            }
            Play::CutJson => {
                let body = bodies::answer(seen, r#"{"ok":true}"#).to_string();
                let half = body.len() / 2;
                self.respond(200, JSON, body.as_bytes().get(..half).unwrap_or_default()).await
            }
            Play::OtherShape => self.respond(200, JSON, br#"{"result":"ok"}"#).await,
            Play::Refusal => match bodies::refusal(wire) {
                Some(body) => self.json(200, &body).await,
                None => self.respond(501, "text/plain", b"not in this wire format").await,
            },
            Play::ContentFilter => match bodies::content_filter(wire) {
                Some((status, body)) => self.json(status, &body).await,
                None => self.respond(501, "text/plain", b"not in this wire format").await,
            },
            Play::Length => self.json(200, &bodies::cut_off(seen)).await,
            Play::EmptyChoice => self.json(200, &bodies::empty_choice(wire)).await,
            Play::ErrorInAnswer => self.json(200, &bodies::error(wire, 503)).await,
            Play::Html => {
                self.respond(200, "text/html; charset=utf-8", b"<html>\x1b[1mSign in</html>").await
            }
            Play::Endless(bytes) => self.endless(bytes).await,
            Play::Announced(bytes) => {
                let length = usize::try_from(bytes).ok();
                self.stream.write_all(head(200, JSON, "", length).as_bytes()).await?;
                self.wait_for_close().await
            }
            Play::Redirect => {
                let extra = format!("location: {}/elsewhere\r\n", wire.base());
                self.with_headers(307, JSON, &extra, b"").await
            }
            Play::InvalidUtf8 => self.respond(200, JSON, &not_utf8(seen)).await,
            Play::Gzip => {
                let extra = "content-encoding: gzip\r\n";
                self.with_headers(200, JSON, extra, b"\x1f\x8b\x08\x00").await
            }
        }
    }

    async fn json(&mut self, status: u16, body: &Value) -> io::Result<After> {
        self.respond(status, JSON, body.to_string().as_bytes()).await
    }

    async fn respond(&mut self, status: u16, content_type: &str, body: &[u8]) -> io::Result<After> {
        self.with_headers(status, content_type, "", body).await
    }

    async fn with_headers(
        &mut self,
        status: u16,
        content_type: &str,
        extra: &str,
        body: &[u8],
    ) -> io::Result<After> {
        let mut bytes = head(status, content_type, extra, Some(body.len())).into_bytes();
        bytes.extend_from_slice(body);
        self.stream.write_all(&bytes).await?;
        Ok(After::Next)
    }

    async fn dribble(&mut self, body: &Value) -> io::Result<After> {
        let body = body.to_string();
        self.stream.write_all(head(200, JSON, "", Some(body.len())).as_bytes()).await?;
        for byte in body.bytes() {
            self.stream.write_all(&[byte]).await?;
            if self.closed_within(Duration::from_secs(1)).await {
                return Ok(After::Close);
            }
        }
        Ok(After::Next)
    }

    /// Sends spaces, which are valid before a JSON value.
    async fn endless(&mut self, bytes: u64) -> io::Result<After> {
        let part = [b' '; 1 << 14];
        self.stream.write_all(head(200, JSON, "", None).as_bytes()).await?;
        for _ in 0..bytes.div_ceil(part.len() as u64) {
            self.stream.write_all(format!("{:x}\r\n", part.len()).as_bytes()).await?;
            self.stream.write_all(&part).await?;
            self.stream.write_all(b"\r\n").await?;
        }
        self.stream.write_all(b"0\r\n\r\n").await?;
        Ok(After::Next)
    }

    async fn wait_for_close(&mut self) -> io::Result<After> {
        self.peer_closed().await;
        Ok(After::Close)
    }

    async fn closed_within(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, self.peer_closed()).await.is_ok()
    }

    async fn peer_closed(&mut self) {
        while self.more().await.is_ok_and(|read| read > 0) {}
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

fn not_utf8(seen: &ReceivedRequest) -> Vec<u8> {
    const MARK: u8 = b'~';
    let mut body = bodies::answer(seen, r#"{"a":"~"}"#).to_string().into_bytes();
    for byte in &mut body {
        if *byte == MARK {
            *byte = 0xff;
        }
    }
    body
}
