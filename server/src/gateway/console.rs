//! Serves the console. Its files are built from `server/console` and embedded in the binary.

use std::io::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::response::Redirect;
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The console's files. Each has a path below `/console/`, a content type and a content.
const FILES: [(&str, &str, &str); 3] = [
    ("", "text/html; charset=utf-8", include_str!("../../console/dist/index.html")),
    ("console.js", "text/javascript; charset=utf-8", include_str!("../../console/dist/console.js")),
    ("console.css", "text/css; charset=utf-8", include_str!("../../console/dist/console.css")),
];

/// The content security policy. It allows only scripts, styles and requests from the same origin, and forbids embedding
/// the console in other pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    // A newer server serves different files under the same names.
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    (VARY, HeaderValue::from_static("accept-encoding")),
];

struct File {
    content_type: &'static str,
    content: &'static str,
    compressed: Bytes,
    tag: HeaderValue,
}

/// Builds the console's routes.
///
/// # Errors
/// A message if a file cannot be compressed, which is a bug.
pub(super) fn routes() -> Result<Router, String> {
    let mut router = Router::new()
        .route("/", get(|| async { Redirect::temporary("/console/") }))
        .route("/console", get(|| async { Redirect::permanent("/console/") }));
    for (name, content_type, content) in FILES {
        let file = Arc::new(File::new(content_type, content).map_err(|error| error.to_string())?);
        router = router.route(&format!("/console/{name}"), get(answer).with_state(file));
    }
    Ok(router)
}

impl File {
    fn new(content_type: &'static str, content: &'static str) -> std::io::Result<Self> {
        let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
        compressed.write_all(content.as_bytes())?;
        let tag = format!("\"{}\"", blake3::hash(content.as_bytes()).to_hex());
        let tag = HeaderValue::try_from(tag).map_err(std::io::Error::other)?;
        Ok(Self { content_type, content, compressed: compressed.finish()?.into(), tag })
    }
}

async fn answer(State(file): State<Arc<File>>, headers: HeaderMap) -> Response<Body> {
    let is_unmodified = headers.get(IF_NONE_MATCH) == Some(&file.tag);
    let accepts_gzip = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| coding.split(';').next().is_some_and(|name| name.trim() == "gzip"));
    let body = match (is_unmodified, accepts_gzip) {
        (true, _) => Body::empty(),
        (false, true) => Body::from(file.compressed.clone()),
        (false, false) => Body::from(file.content),
    };
    let mut response = Response::new(body);
    let response_headers = response.headers_mut();
    response_headers.extend(HEADERS);
    response_headers.insert(ETAG, file.tag.clone());
    if is_unmodified {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    response_headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if accepts_gzip {
        response_headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}
