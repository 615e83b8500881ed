//! Storage code shared by all stores: private files, lock files, SQLite schemas and backups, and PostgreSQL
//! connections.

mod copy;
mod lock;
pub(crate) mod postgres;
mod private_files;
mod schema;
mod sqlite;

pub(crate) use copy::{CopyError, DatabaseFile, copy_database};
pub(crate) use lock::{LockError, lock};
pub(crate) use private_files::{check_folder, create_file, create_folder, open_file};
pub use schema::SchemaMismatch;
pub(crate) use schema::{Schema, SchemaError};
pub(crate) use sqlite::open_sqlite;
