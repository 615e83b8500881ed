//! The GSAR client: may this incident report go out?
//!
//! [`Client`] speaks the contract `gsar.v1` to a sidecar, [`connection`] finds or starts one, [`evidence`]
//! turns files into evidence items, and [`partition`] decides lists of classes and types without any
//! server. It holds no rules of its own: those are in `gsar_core`.
//!
//! ```no_run
//! use gsar_client::{Client, Endpoint, v1};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint: Endpoint = "unix:///run/gsar/gsar.sock".parse()?;
//! let client = Client::connect(&endpoint).await?;
//! let answer = client
//!     .evaluate(v1::EvaluateRequest {
//!         report: Some(v1::Report { synthesis: "The pods were OOMKilled.".into(), ..Default::default() }),
//!         ..Default::default()
//!     })
//!     .await?;
//! println!("{:?}", answer.decision.map(|decision| decision.tier()));
//! # Ok(())
//! # }
//! ```

mod client;
pub mod connection;
mod endpoint;
mod error;
pub mod evidence;
pub mod input;
mod investigations;
mod ledger;
pub mod partition;
mod stream;
pub mod text;
mod tls;

pub use client::Client;
pub use endpoint::{Endpoint, EndpointError};
pub use error::{ClientError, Refusal, Violation};
pub use gsar_proto::{json, v1};
pub use ledger::Export;
pub use stream::Evaluations;
pub use tls::{TlsFileError, TlsFiles};
