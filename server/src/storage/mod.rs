//! This module holds what all storage shares: folders and files for this user alone, a folder held by one process,
//! databases migrated to the latest schema, and copies of them. It does not know what is stored.

mod copy;
mod lock;
pub(crate) mod postgres;
mod private;
mod schema;

pub(crate) use copy::{CopyError, DatabaseFile, copy_database};
pub(crate) use lock::{LockError, lock};
pub(crate) use private::{check_folder, create_folder, open_file};
pub(crate) use schema::{Schema, SchemaError};
