//! Sends a POST request with limits on time and size. Dropping the future cancels it.

use std::error::Error;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response, Url};
use rustls::crypto::ring;
use rustls_platform_verifier::Verifier;

use crate::clock::Clock;
use crate::endpoint::Endpoint;
use crate::failure::{Failure, Phase};
use crate::request::Trace;
use crate::settings::{Settings, SettingsError};

const MAX_ERROR_BYTES: usize = 64 << 10;
/// The idle timeout of connections, which is shorter than that of typical servers.
const IDLE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Transport {
    client: Client,
    clock: Arc<dyn Clock>,
    connect_timeout: Duration,
    first_byte_timeout: Duration,
    total_timeout: Duration,
    max_answer_bytes: usize,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Returns the content type, and the encoding if any, unless the body is plain JSON.
    pub(crate) fn non_json_type(&self) -> Option<String> {
        let text =
            |name| self.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let content_type = text(CONTENT_TYPE);
        let media = content_type.as_deref().unwrap_or("application/json");
        let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_json = media == "application/json"
            || (media.starts_with("application/") && media.ends_with("+json"));
        let encoding = text(CONTENT_ENCODING).filter(|encoding| encoding != "identity");
        match encoding {
            Some(encoding) => Some(format!("{media}, encoded as {encoding}")),
            None => (!is_json).then_some(media),
        }
        .map(|found| found.escape_debug().take(100).collect())
    }
}

impl Transport {
    pub(crate) fn new(
        endpoint: &Endpoint,
        settings: &Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SettingsError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls(endpoint)?)
            .default_headers(endpoint.headers().clone())
            .connect_timeout(settings.connect_timeout)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(settings.max_concurrent)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .build()
            .map_err(|error| SettingsError::Client { reason: reason(&error) })?;
        Ok(Self {
            client,
            clock,
            connect_timeout: settings.connect_timeout,
            first_byte_timeout: settings.first_byte_timeout,
            total_timeout: settings.total_timeout,
            max_answer_bytes: settings.max_answer_bytes,
        })
    }

    pub(crate) async fn post(
        &self,
        url: &Url,
        body: Bytes,
        deadline: Instant,
        trace: Option<&Trace>,
    ) -> Result<Answer, Failure> {
        let started = self.clock.now();
        let mut request = self.client.post(url.clone()).body(body);
        if let Some(Trace { parent, state }) = trace {
            request = request.header("traceparent", parent);
            if !state.is_empty() {
                request = request.header("tracestate", state);
            }
        }
        let sent = request.send();
        let first_byte = Limit {
            instant: started + self.first_byte_timeout,
            failure: Failure::FirstByteTimeout { after: self.first_byte_timeout },
            phase: Phase::FirstByte,
        };
        let mut response = self
            .with_limit(first_byte, deadline, sent)
            .await?
            .map_err(|error| self.send_failure(&error))?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let total = Limit {
            instant: started + self.total_timeout,
            failure: Failure::TotalTimeout { after: self.total_timeout },
            phase: Phase::Body,
        };
        let body = if response.status().is_success() {
            self.with_limit(total, deadline, self.body(response)).await??
        } else {
            self.with_limit(total, deadline, error_body(response)).await.unwrap_or_default()
        };
        Ok(Answer { status, headers, body })
    }

    async fn with_limit<T>(
        &self,
        limit: Limit,
        deadline: Instant,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            output = work => Ok(output),
            () = self.clock.sleep_until(limit.instant.min(deadline)) => {
                if limit.instant < deadline {
                    Err(limit.failure)
                } else {
                    Err(Failure::DeadlinePassed { phase: limit.phase })
                }
            }
        }
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let limit = self.max_answer_bytes;
        let length = usize::try_from(response.content_length().unwrap_or(0));
        let length = length.ok().filter(|length| *length <= limit);
        let mut body = Vec::with_capacity(length.ok_or(Failure::AnswerTooLarge { limit })?);
        loop {
            match response.chunk().await {
                Ok(Some(part)) if part.len() > limit - body.len() => {
                    return Err(Failure::AnswerTooLarge { limit });
                }
                Ok(Some(part)) => body.extend_from_slice(&part),
                Ok(None) => return Ok(body),
                Err(error) => {
                    let reason = reason(&error);
                    return Err(Failure::ConnectionLost { phase: Phase::Body, reason });
                }
            }
        }
    }

    fn send_failure(&self, error: &reqwest::Error) -> Failure {
        let reason = reason(error);
        if is_tls(error) {
            Failure::Tls { reason }
        } else if error.is_connect() && error.is_timeout() {
            Failure::ConnectTimeout { after: self.connect_timeout }
        } else if error.is_connect() {
            Failure::Connect { reason }
        } else {
            Failure::ConnectionLost { phase: Phase::FirstByte, reason }
        }
    }
}

struct Limit {
    instant: Instant,
    failure: Failure,
    phase: Phase,
}

/// Reads the beginning of an error's body. Ignores failures, because the status is sufficient.
async fn error_body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(part)) = response.chunk().await {
        let remaining = MAX_ERROR_BYTES - body.len();
        body.extend_from_slice(part.get(..remaining).unwrap_or(&part));
        if body.len() == MAX_ERROR_BYTES {
            break;
        }
    }
    body
}

/// Builds the TLS configuration with an explicit crypto provider. For plain HTTP, it trusts no authorities,
/// because some systems have none.
fn tls(endpoint: &Endpoint) -> Result<rustls::ClientConfig, SettingsError> {
    let failed = |error: rustls::Error| SettingsError::Certificates { reason: error.to_string() };
    let provider = Arc::new(ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    if endpoint.base_url().scheme() == "http" {
        let no_roots = rustls::RootCertStore::empty();
        return Ok(config.with_root_certificates(no_roots).with_no_client_auth());
    }
    let authorities = endpoint.authorities().iter().cloned();
    let verifier = Verifier::new_with_extra_roots(authorities, provider).map_err(failed)?;
    Ok(config
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

fn reason(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

fn is_tls(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| cause.is::<rustls::Error>())
}

/// Returns the error and its causes, outermost first. Unwraps I/O errors, whose `source` skips the wrapped
/// error.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| cause(*error))
}

fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}
