//! What everything that is kept on disk shares: folders and files for this user alone, a folder held by one process,
//! and databases whose schema is brought to the latest version. Knows nothing of what is kept.

mod lock;
mod private;
mod schema;

pub(crate) use lock::{LockError, lock};
pub(crate) use private::{check_folder, create_folder, open_file};
pub(crate) use schema::{Schema, SchemaError};
