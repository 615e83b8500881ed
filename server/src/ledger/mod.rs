//! The ledger, in which each evaluation is durable before its response is sent.
//!
//! The [`Ledger`] trait has two implementations: [`sqlite`], in a directory that one server owns, and
//! [`postgres`], in a database shared by any number of servers. Protobuf messages are stored as bytes. This
//! module must not depend on the rules, the protobuf types or the configuration.

mod copy;
mod data_dir;
mod error;
mod evidence_content;
mod fault;
mod grades;
mod health;
mod investigations;
mod metrics;
mod page_token;
pub mod postgres;
mod record;
mod selection;
pub mod sqlite;
mod store;

pub use copy::{CopyError, CopyReport, LedgerLocation, copy_ledger};
pub use data_dir::DataDir;
pub use error::LedgerError;
pub use evidence_content::Content;
pub use grades::{NewGrade, NewGrades, StoredGrade};
pub use health::{Failure, Health};
pub use investigations::{InvestigationStart, NewEvent, StoredInvestigation};
pub use postgres::{PostgresLedger, PostgresLedgerOptions};

pub use record::{Record, Recorded, StoredEvaluation, Summary};
pub use selection::{Count, Cursor, Entry, MAX_COUNTS, Page, PageRequest, Reports, Selection};
pub(crate) use sqlite::database_file;
pub use sqlite::{Durability, Options, SqliteLedger, check, check_directory};
pub use store::Ledger;

pub use crate::storage::SchemaMismatch;
pub use crate::storage::postgres::{DatabaseUrl, PostgresOptions};
