//! Opens SQLite databases.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// Opens an existing database in such a way that a damaged or hostile file can only cause errors. Waits up
/// to `busy_timeout` for locks.
pub(crate) fn open_sqlite(
    file: &Path,
    access: OpenFlags,
    busy_timeout: Duration,
) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}
