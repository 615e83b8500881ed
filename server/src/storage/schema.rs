//! This module migrates the schema of a database from each version to the latest.

use rusqlite::{Connection, TransactionBehavior};

/// What a database of ours is marked with, and what leads to its latest schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    /// The application id in SQLite's header: four letters.
    pub(crate) application_id: i64,
    /// Each leads from the version of its position to the next. A released one is never changed; a new one is added
    /// behind it.
    pub(crate) migrations: &'static [&'static str],
}

/// Why a database is not opened.
#[derive(Debug, PartialEq)]
pub(crate) enum SchemaError {
    /// It belongs to another program.
    Foreign,
    /// A later version of the server wrote it.
    Newer {
        /// The version of its schema.
        found: i64,
        /// The latest version of the schema known here.
        supported: i64,
    },
    /// SQLite could not read it.
    Sqlite(rusqlite::Error),
}

impl Schema {
    /// Refuses a database that is not ours, or one from the future, and changes nothing.
    pub(crate) fn check(&self, connection: &Connection) -> Result<(), SchemaError> {
        let ask = |sql| {
            let found = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            found.map_err(SchemaError::Sqlite)
        };
        let application = ask("PRAGMA application_id")?;
        let version = ask("PRAGMA user_version")?;
        let tables = ask("SELECT count(*) FROM sqlite_schema")?;
        let is_empty = application == 0 && version == 0 && tables == 0;
        if application != self.application_id && !is_empty {
            return Err(SchemaError::Foreign);
        }
        let supported = self.latest();
        if version > supported {
            return Err(SchemaError::Newer { found: version, supported });
        }
        Ok(())
    }

    /// Marks a database as ours and brings it to the latest version, each migration in a transaction of its own.
    pub(crate) fn migrate(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let marked: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        if marked != self.application_id {
            connection.pragma_update(None, "application_id", self.application_id)?;
        }
        let mut version = 0;
        for migration in self.migrations {
            version += 1;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            if found < version {
                transaction.execute_batch(migration)?;
                transaction.pragma_update(None, "user_version", version)?;
                tracing::debug!(version, "schema migrated");
            }
            transaction.commit()?;
        }
        Ok(())
    }

    fn latest(&self) -> i64 {
        i64::try_from(self.migrations.len()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Schema = Schema {
        application_id: 7,
        migrations: &["CREATE TABLE songs (name TEXT)", "CREATE TABLE singers (name TEXT)"],
    };

    fn tables(connection: &Connection) -> Vec<String> {
        let mut names = connection.prepare("SELECT name FROM sqlite_schema ORDER BY name").unwrap();
        names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    fn migrated() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.migrate(&mut connection).unwrap();
        connection
    }

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut connection = migrated();
        assert_eq!(tables(&connection), ["singers", "songs"]);
        SCHEMA.migrate(&mut connection).unwrap();
        assert_eq!(tables(&connection), ["singers", "songs"]);
        SCHEMA.check(&connection).unwrap();
    }

    #[test]
    fn a_migration_that_fails_leaves_the_version_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE singers (other TEXT)").unwrap();
        SCHEMA.migrate(&mut connection).unwrap_err();
        let version: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, 1);
        assert_eq!(tables(&connection), ["singers", "songs"]);
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let connection = Connection::open_in_memory().unwrap();
        SCHEMA.check(&connection).unwrap();
        connection.execute_batch("CREATE TABLE other (name TEXT)").unwrap();
        assert_eq!(SCHEMA.check(&connection), Err(SchemaError::Foreign));
        let other = Schema { application_id: 8, ..SCHEMA };
        assert_eq!(other.check(&migrated()), Err(SchemaError::Foreign));
    }

    #[test]
    fn a_later_schema_is_refused() {
        let connection = migrated();
        connection.pragma_update(None, "user_version", 3).unwrap();
        assert_eq!(SCHEMA.check(&connection), Err(SchemaError::Newer { found: 3, supported: 2 }));
    }
}
