//! A model's address and credentials. Only this module puts keys into headers.

use std::fmt;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};

use crate::excerpt::Secrets;
use crate::model_name::{ModelName, Provider};
use crate::settings::SettingsError;

/// A model's address and credentials. `Debug` shows neither keys nor header values.
#[derive(Clone)]
pub struct Endpoint {
    model: ModelName,
    base_url: Url,
    headers: HeaderMap,
    key: Option<SecretString>,
    authorities: Vec<CertificateDer<'static>>,
}

impl Endpoint {
    /// Creates an endpoint. `base_url` is the part before `/chat/completions` (OpenAI and compatible),
    /// `/messages` (Anthropic), `/models/…` (Gemini) or `/api/chat` (Ollama). Defaults to the provider's base
    /// URL.
    ///
    /// # Errors
    /// Returns an error if the base URL or the key is missing, if the base URL has a password, a query or a
    /// fragment, if the key of a hosted provider would be sent unencrypted, or if the key is not valid in a
    /// header.
    pub fn new(
        model: ModelName,
        base_url: Option<&str>,
        key: Option<SecretString>,
    ) -> Result<Self, SettingsError> {
        let provider = model.provider();
        let base_url = base_url
            .or(provider.default_base_url())
            .ok_or(SettingsError::NoBaseUrl { provider })?;
        let base_url = parse_url(base_url)?;
        if provider.needs_key() && base_url.scheme() == "http" && !is_this_machine(&base_url) {
            return Err(SettingsError::KeyInTheClear { provider });
        }
        let key = key.filter(|key| !key.expose_secret().is_empty());
        if provider.needs_key() && key.is_none() {
            return Err(SettingsError::NoKey { provider });
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if provider == Provider::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        if let Some(key) = &key {
            let (name, value) = key_header(provider, key);
            headers.insert(name, secret_header(&value)?);
        }
        Ok(Self { model, base_url, headers, key, authorities: Vec::new() })
    }

    /// Trusts the certificate authorities in `pem` in addition to the system's.
    ///
    /// # Errors
    /// Returns an error if `pem` is invalid or has no certificate.
    pub fn with_certificate_authorities(mut self, pem: &[u8]) -> Result<Self, SettingsError> {
        let failed = |reason: String| SettingsError::Certificates { reason };
        self.authorities = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|error| failed(error.to_string()))?;
        if self.authorities.is_empty() {
            return Err(failed("no certificate found".to_owned()));
        }
        Ok(self)
    }

    /// Returns the name of the model.
    #[must_use]
    pub const fn model(&self) -> &ModelName {
        &self.model
    }

    /// Returns `true` if the base URL is on this machine.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        is_this_machine(&self.base_url)
    }

    pub(crate) const fn base_url(&self) -> &Url {
        &self.base_url
    }

    pub(crate) const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    pub(crate) fn secrets(&self) -> Secrets {
        Secrets::new(self.key.iter().cloned())
    }

    pub(crate) fn authorities(&self) -> &[CertificateDer<'static>] {
        &self.authorities
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Endpoint")
            .field("model", &self.model)
            .field("base_url", &self.base_url.as_str())
            .field("headers", &self.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>())
            .field("authorities", &self.authorities.len())
            .finish()
    }
}

fn key_header(provider: Provider, key: &SecretString) -> (HeaderName, SecretString) {
    match provider {
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.clone()),
        Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.clone()),
        Provider::OpenAi | Provider::Ollama | Provider::OpenAiCompatible | Provider::Oci => {
            (AUTHORIZATION, format!("Bearer {}", key.expose_secret()).into())
        }
    }
}

fn secret_header(value: &SecretString) -> Result<HeaderValue, SettingsError> {
    let mut value =
        HeaderValue::from_str(value.expose_secret()).map_err(|_error| SettingsError::InvalidKey)?;
    value.set_sensitive(true);
    Ok(value)
}

fn parse_url(given: &str) -> Result<Url, SettingsError> {
    let invalid = |reason: &str| SettingsError::Url { reason: reason.to_owned() };
    let url = Url::parse(given).map_err(|error| invalid(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("the scheme is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("the URL has a user name or a password; configure a key instead"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("the URL has a query or a fragment"));
    }
    if ["/chat/completions", "/messages", "/api/chat"]
        .iter()
        .any(|suffix| url.path().ends_with(suffix))
    {
        return Err(invalid("the URL ends with the path of the API method; remove that path"));
    }
    Ok(url)
}

fn is_this_machine(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(
        model: &str,
        base_url: Option<&str>,
        key: Option<&str>,
    ) -> Result<Endpoint, String> {
        Endpoint::new(model.parse().unwrap(), base_url, key.map(SecretString::from))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn rejects_missing_and_unsafe_values_without_repeating_them() {
        for (model, base_url, key, expected) in [
            ("oci:m", None, Some("k"), "base_url: oci has no default address"),
            ("openai:m", None, None, "key: openai requires a key"),
            ("openai:m", None, Some(""), "key: openai requires a key"),
            ("openai:m", Some("http://example.com/v1"), Some("k"), "use https://"),
            ("ollama:m", Some("ftp://example.com"), None, "neither http nor https"),
            ("ollama:m", Some("http://me:hunter2@example.com"), None, "a user name or a password"),
            ("ollama:m", Some("http://example.com/?api=hunter2"), None, "a query or a fragment"),
            ("ollama:m", Some("example.com"), None, "relative URL"),
            (
                "openai:m",
                None,
                Some("hunter2\n"),
                "key: the value has characters that are not allowed in a header",
            ),
        ] {
            let error = endpoint(model, base_url, key).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        for base_url in ["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(endpoint("openai:m", Some(base_url), Some("k")).is_ok(), "{base_url}");
        }
        assert!(endpoint("ollama:m", Some("http://ollama.internal:11434"), Some("k")).is_ok());
    }

    #[test]
    fn debug_shows_the_headers_without_their_values() {
        let endpoint = endpoint("openai:m", None, Some("secret-key")).unwrap();
        let shown = format!("{endpoint:?}");
        for expected in ["authorization", "https://api.openai.com/v1"] {
            assert!(shown.contains(expected), "{shown}");
        }
        assert!(!shown.contains("secret"), "{shown}");
        assert!(!format!("{:?}", endpoint.headers()).contains("secret"));
    }

    #[test]
    fn rejects_authorities_that_are_not_pem() {
        for pem in
            [&b""[..], b"hello", b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----"]
        {
            let endpoint = endpoint("ollama:m", None, None).unwrap();
            let error = endpoint.with_certificate_authorities(pem).unwrap_err();
            assert!(matches!(error, SettingsError::Certificates { .. }), "{error}");
        }
    }
}
