//! An HTTP client.

use std::net::SocketAddr;

use reqwest::Client;

pub fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::new()
}

/// Sends a GET request. Returns the status code and the body.
pub async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let answer = client().get(format!("http://{address}{path}")).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}
