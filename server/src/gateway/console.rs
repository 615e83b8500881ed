//! This module serves the console, the web pages that `server/console` is built to, out of the program: it reads no file, and
//! its pages may load nothing from anywhere else. What they show they ask of the same gateway.

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

/// What the console is made of: the path below `/console/`, the type, the content.
const FILES: [(&str, &str, &str); 3] = [
    ("", "text/html; charset=utf-8", include_str!("../../console/dist/index.html")),
    ("console.js", "text/javascript; charset=utf-8", include_str!("../../console/dist/console.js")),
    ("console.css", "text/css; charset=utf-8", include_str!("../../console/dist/console.css")),
];

/// Only these files run and style, only this gateway is called, and no page of elsewhere shows the console within its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers of every answer.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    // A newer server has other files under the same names.
    (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    (VARY, HeaderValue::from_static("accept-encoding")),
];

/// A file as it is sent.
struct File {
    content_type: &'static str,
    content: &'static str,
    packed: Bytes,
    tag: HeaderValue,
}

/// The routes below `/console/`.
///
/// # Errors
/// A sentence where a file cannot be packed, which is an error of this program.
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
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(content.as_bytes())?;
        let tag = format!("\"{}\"", blake3::hash(content.as_bytes()).to_hex());
        let tag = HeaderValue::try_from(tag).map_err(std::io::Error::other)?;
        Ok(Self { content_type, content, packed: packed.finish()?.into(), tag })
    }
}

async fn answer(State(file): State<Arc<File>>, headers: HeaderMap) -> Response<Body> {
    let is_known = headers.get(IF_NONE_MATCH) == Some(&file.tag);
    let takes_packed = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| coding.split(';').next().is_some_and(|name| name.trim() == "gzip"));
    let body = match (is_known, takes_packed) {
        (true, _) => Body::empty(),
        (false, true) => Body::from(file.packed.clone()),
        (false, false) => Body::from(file.content),
    };
    let mut response = Response::new(body);
    let sent = response.headers_mut();
    sent.extend(HEADERS);
    sent.insert(ETAG, file.tag.clone());
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    sent.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if takes_packed {
        sent.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}
