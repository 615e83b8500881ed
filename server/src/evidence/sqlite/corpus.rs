//! One corpus in its own database, so that each batch of an item is a single transaction. Searches find the
//! passages of a batch immediately. Incomplete items are deleted when the corpus is opened.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gsar_core::evidence::EvidenceItem;
use gsar_core::time::Timestamp;
use gsar_embedding::Vector;
use gsar_vectors::VectorIndex;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::content::content;
use super::vectors::{self, Vectors};
use super::{database, search, snapshot};
use crate::evidence::error::StoreError;
use crate::evidence::name::CorpusName;
use crate::evidence::search::{Filter, Hit, Hits, Query};
use crate::evidence::snapshot::{ItemRef, Part, Snapshot};
use crate::evidence::store::{
    Batch, Corpus, Head, ItemTotals, StoreOutcome, Summary, VectorSpace, build_item, parse_names,
    signed, supersedes, unsigned,
};

/// The database file in a corpus's folder.
pub(super) const DATABASE: &str = "corpus.sqlite3";

#[derive(Debug)]
pub(super) struct SqliteCorpus {
    name: CorpusName,
    file: PathBuf,
    writer: Mutex<Connection>,
    pub(super) vectors: Vectors,
    /// A number unique to this state of this corpus.
    revision: AtomicU64,
}

impl SqliteCorpus {
    /// Opens a corpus, creates it if it does not exist, and deletes incomplete items.
    pub(super) fn open(name: CorpusName, folder: &Path, now: i64) -> Result<Self, StoreError> {
        let file = folder.join(DATABASE);
        let connection = database::open_writer(&file, now)?;
        let corpus = Self {
            name,
            file,
            writer: Mutex::new(connection),
            vectors: Vectors::default(),
            revision: AtomicU64::new(next_revision()),
        };
        corpus.write(|transaction| {
            let numbers: Vec<i64> = transaction
                .prepare("SELECT number FROM items WHERE is_complete = 0")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            numbers.into_iter().try_for_each(|number| remove_item(transaction, number))
        })?;
        Ok(corpus)
    }

    pub(super) fn reader(&self) -> Result<Connection, StoreError> {
        database::open_reader(&self.file)
    }

    pub(super) fn store_error(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(error, &self.file)
    }

    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let result = connection.transaction().and_then(|transaction| {
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        result.map_err(|error| self.store_error(&error))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic leaves at most an open transaction, which is rolled back.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self, space: &VectorSpace) -> Result<&VectorIndex, String> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        self.vectors.index(folder, space, || {
            // The next maintenance run embeds the passages again.
            if let Err(error) = self.clear_embedded() {
                tracing::warn!(corpus = %self.name, %error, "failed to mark the vectors for rebuilding");
            }
        })
    }

    fn clear_embedded(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE corpus SET embedded_by = NULL", []).map(|_| ())
        })
    }
}

impl Corpus for SqliteCorpus {
    fn name(&self) -> &CorpusName {
        &self.name
    }

    fn revision(&self) -> Result<u64, StoreError> {
        Ok(self.revision.load(Ordering::SeqCst))
    }

    fn begin(&self, head: &Head) -> Result<i64, StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO items (id, kind, lane, tool, query, is_json, collected_at, exhaustive,
                                    attested, step_id, specialist_id, verification_result)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                params![
                    head.id.as_str(),
                    head.kind.name(),
                    head.lane.name(),
                    head.tool,
                    head.query,
                    head.is_json,
                    head.collected_at.map(Timestamp::as_micros),
                    head.exhaustive,
                    head.attested,
                    head.step_id,
                    head.specialist_id,
                    head.result_name(),
                ],
            )?;
            Ok(transaction.last_insert_rowid())
        })
    }

    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut insert_content = transaction
                .prepare_cached("INSERT INTO contents (item, start, bytes) VALUES (?1, ?2, ?3)")?;
            for (start, bytes) in &batch.contents {
                insert_content.execute(params![item, signed(*start), bytes])?;
            }
            let mut insert_passage = transaction.prepare_cached(
                "INSERT INTO passages (item, start, end, first_line, last_line, pointer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut insert_terms =
                transaction.prepare_cached("INSERT INTO terms (rowid, words) VALUES (?1, ?2)")?;
            for passage in &batch.passages {
                insert_passage.execute(params![
                    item,
                    signed(passage.start),
                    signed(passage.end),
                    signed(passage.lines.0),
                    signed(passage.lines.1),
                    passage.pointer,
                ])?;
                insert_terms.execute(params![transaction.last_insert_rowid(), passage.words])?;
            }
            Ok(())
        })
    }

    fn complete(
        &self,
        item: i64,
        head: &Head,
        totals: &ItemTotals,
    ) -> Result<StoreOutcome, StoreError> {
        let outcome = self.write(|transaction| {
            let id = head.id.as_str();
            let existing = transaction
                .query_row(
                    &format!(
                        "SELECT number, digest, {HEAD_COLUMNS} FROM items
                         WHERE id = ?1 AND is_complete = 1"
                    ),
                    [id],
                    |row| {
                        let is_same = row.get::<_, [u8; 32]>(1)? == totals.digest
                            && supersedes(&self::head(row, 2)?, head);
                        Ok((row.get::<_, i64>(0)?, is_same))
                    },
                )
                .optional()?;
            if let Some((_, true)) = existing {
                remove_item(transaction, item)?;
                return Ok(StoreOutcome::Unchanged);
            }
            let duplicate_id: Option<String> = transaction
                .query_row(
                    "SELECT id FROM items WHERE digest = ?1 AND is_complete = 1 AND id <> ?2
                     AND kind = ?3 AND lane = ?4 AND tool = ?5 AND query = ?6 AND is_json = ?7
                     AND attested >= ?8 AND specialist_id = ?9 AND verification_result = ?10
                     ORDER BY number LIMIT 1",
                    params![
                        totals.digest,
                        id,
                        head.kind.name(),
                        head.lane.name(),
                        head.tool,
                        head.query,
                        head.is_json,
                        head.attested,
                        head.specialist_id,
                        head.result_name(),
                    ],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some((number, _)) = existing {
                remove_item(transaction, number)?;
            }
            if let Some(duplicate_id) = duplicate_id {
                remove_item(transaction, item)?;
                return Ok(StoreOutcome::SameAs(duplicate_id));
            }
            let mut insert_template = transaction.prepare_cached(
                "INSERT INTO templates (item, first_line, last_line, count, sample)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for template in &totals.templates {
                let (first, last) = (signed(template.first), signed(template.last));
                insert_template.execute(params![item, first, last, signed(template.count), template.sample])?;
            }
            transaction.execute(
                "UPDATE items SET digest = ?2, size = ?3, lines = ?4, repeated_lines = ?5, passages = ?6,
                 is_complete = 1 WHERE number = ?1",
                params![
                    item,
                    totals.digest,
                    signed(totals.size),
                    signed(totals.lines),
                    signed(totals.repeated_lines),
                    signed(totals.passages),
                ],
            )?;
            transaction.execute("UPDATE corpus SET embedded_by = NULL", [])?;
            Ok(StoreOutcome::New)
        });
        self.revision.store(next_revision(), Ordering::SeqCst);
        outcome
    }

    fn mark_embedded(&self, space: &VectorSpace) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE corpus SET embedded_by = ?1", [&space.model]).map(|_| ())
        })
    }

    fn make_durable(&self) -> Result<(), StoreError> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        database::make_durable(&self.lock()).map_err(|error| self.store_error(&error))?;
        let synced = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| StoreError::from_io(&error, folder))
    }

    fn discard(&self, item: i64) -> Result<(), StoreError> {
        self.write(|transaction| remove_item(transaction, item))
    }

    fn expire(&self, expires_at: Option<i64>) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE corpus SET expires_at = ?1", [expires_at]).map(|_| ())
        })
    }

    fn summary(&self) -> Result<Summary, StoreError> {
        summary(&self.name, &self.lock()).map_err(|error| self.store_error(&error))
    }

    fn items(&self) -> Result<Vec<EvidenceItem>, StoreError> {
        let connection = self.reader()?;
        let read_heads = || -> rusqlite::Result<Vec<(i64, [u8; 32], Head)>> {
            let mut statement = connection.prepare(&format!(
                "SELECT number, digest, {HEAD_COLUMNS} FROM items WHERE is_complete = 1 ORDER BY id"
            ))?;
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, head(row, 2)?)))?;
            rows.collect()
        };
        let heads = read_heads().map_err(|error| self.store_error(&error))?;
        heads
            .into_iter()
            .map(|(number, digest, head)| {
                let text = content(&connection, number, 0, u64::MAX)
                    .map_err(|error| self.store_error(&error))?;
                if blake3::hash(text.as_bytes()) != blake3::Hash::from(digest) {
                    let reason = format!("item `{}` does not match its digest", head.id);
                    return Err(StoreError::Damaged {
                        place: self.file.display().to_string(),
                        reason,
                    });
                }
                Ok(build_item(head, text))
            })
            .collect()
    }

    fn snapshot(&self, item: &ItemRef, part: Part) -> Result<Option<Snapshot>, StoreError> {
        let snapshot = snapshot::read(&self.reader()?, item, part);
        snapshot.map_err(|error| self.store_error(&error))
    }

    fn search(
        &self,
        query: &Query<'_>,
        meaning: Option<(&[f32], Result<VectorSpace, String>)>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Hits, StoreError> {
        let meaning =
            meaning.map(|(vector, space)| (vector, space.and_then(|space| self.index(&space))));
        let hits = search::search(&self.reader()?, query, meaning, filter, limit);
        hits.map_err(|error| self.store_error(&error))
    }

    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        search::passages(&self.reader()?, numbers).map_err(|error| self.store_error(&error))
    }

    fn passages_without_vector(
        &self,
        space: &VectorSpace,
        after_number: i64,
    ) -> Result<Vec<(i64, String)>, String> {
        let index = self.index(space)?;
        let connection = self.reader().map_err(|error| error.to_string())?;
        vectors::passages_without_vector(&connection, index, after_number)
            .map_err(|error| self.store_error(&error).to_string())
    }

    fn add_vectors(&self, space: &VectorSpace, vectors: Vec<(i64, Vector)>) -> Result<(), String> {
        let added: Vec<(u64, Vector)> =
            vectors.into_iter().map(|(passage, vector)| (unsigned(passage), vector)).collect();
        self.index(space)?.add(&added).map_err(|error| error.to_string())
    }

    fn save_vectors(&self, space: &VectorSpace) -> Result<(), String> {
        self.index(space)?.save().map_err(|error| error.to_string())
    }
}

fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::SeqCst)
}

/// Reads the summary of a corpus without opening it for writing.
pub(super) fn read_summary(name: &CorpusName, folder: &Path) -> Result<Summary, StoreError> {
    let file = folder.join(DATABASE);
    if !file.is_file() {
        return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
    }
    let connection = database::open_reader(&file)?;
    summary(name, &connection).map_err(|error| StoreError::from_sqlite(&error, &file))
}

fn summary(name: &CorpusName, connection: &Connection) -> rusqlite::Result<Summary> {
    let (created_at, expires_at, embedded_by) = connection.query_row(
        "SELECT created_at, expires_at, embedded_by FROM corpus",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    connection.query_row(
        "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(size), 0)
         FROM items WHERE is_complete = 1",
        [],
        |row| {
            Ok(Summary {
                name: name.clone(),
                items: unsigned(row.get(0)?),
                passages: unsigned(row.get(1)?),
                size: unsigned(row.get(2)?),
                created_at,
                expires_at,
                embedded_by,
            })
        },
    )
}

/// The columns that [`head`] reads.
pub(super) const HEAD_COLUMNS: &str =
    "id, kind, lane, tool, query, is_json, collected_at, exhaustive, attested, step_id, specialist_id,
     verification_result";

/// Reads the metadata of an item; `first_column` is the index of its first column.
pub(super) fn head(row: &Row<'_>, first_column: usize) -> rusqlite::Result<Head> {
    let names = parse_names(
        row.get(first_column)?,
        &row.get::<_, String>(first_column + 1)?,
        &row.get::<_, String>(first_column + 2)?,
        row.get_ref(first_column + 11)?.as_str()?,
    );
    let (id, kind, lane, verification_result) = names.map_err(|reason| {
        rusqlite::Error::FromSqlConversionFailure(first_column, Type::Text, reason.into())
    })?;
    Ok(Head {
        id,
        kind,
        lane,
        tool: row.get(first_column + 3)?,
        query: row.get(first_column + 4)?,
        is_json: row.get(first_column + 5)?,
        collected_at: row.get::<_, Option<i64>>(first_column + 6)?.map(Timestamp::from_micros),
        exhaustive: row.get(first_column + 7)?,
        attested: row.get(first_column + 8)?,
        step_id: row.get(first_column + 9)?,
        specialist_id: row.get(first_column + 10)?,
        verification_result,
    })
}

fn remove_item(transaction: &Transaction<'_>, item: i64) -> rusqlite::Result<()> {
    transaction.execute(
        "DELETE FROM terms WHERE rowid IN (SELECT number FROM passages WHERE item = ?1)",
        [item],
    )?;
    for table in ["passages", "contents", "templates"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE item = ?1"), [item])?;
    }
    transaction.execute("DELETE FROM items WHERE number = ?1", [item])?;
    Ok(())
}
