#![doc = include_str!("../README.md")]
//!
//! [`connection`] selects or starts a server, [`evidence`] loads files as evidence items, and [`partition`] scores
//! partitions without a server.

mod capture;
mod check;
mod check_runner;
mod client;
pub mod connection;
mod endpoint;
mod error;
pub mod evidence;
mod evidence_item;
pub mod graph;
pub mod input;
mod investigation;
mod ledger;
pub mod partition;
mod pool;
mod stream;
pub mod text;
mod tls;
mod token;
mod verdict;

pub use capture::EvidenceCapture;
pub use check::{Check, WhenUnreachable};
pub use check_runner::CheckRunner;
pub use client::Client;
pub use endpoint::{Endpoint, EndpointError};
pub use error::{ClientError, Refusal, Violation};
pub use evidence_item::Item;
pub use gsar_proto::{json, v1};
pub use investigation::{
    ActiveInvestigation, Draft, Investigation, InvestigationOutcome, RunError,
};
pub use ledger::Export;
pub use stream::Evaluations;
pub use tls::{TlsFileError, TlsFiles};
pub use token::{Token, TokenError};
pub use verdict::{ClaimVerdict, Verdict};
