//! This module is one corpus: its items, passages and terms in one database, so that a batch is durable as a whole.
//!
//! Writing is done in batches, each a transaction. An item that is being received can be found at once and is complete
//! only with its last batch; what was not completed is taken away when the corpus is opened again. Blocks.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gsar_core::evidence::{
    Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, VerificationResult,
};
use gsar_core::time::Timestamp;
use gsar_retrieval::templates::Template;
use gsar_vectors::VectorIndex;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::content::content;
use super::database;
use super::error::StoreError;
use super::name::CorpusName;

/// The name of a corpus' database in its folder.
pub(super) const DATABASE: &str = "corpus.sqlite3";

/// A corpus that is open.
#[derive(Debug)]
pub(super) struct Corpus {
    name: CorpusName,
    file: PathBuf,
    writer: Mutex<Connection>,
    /// Its vectors, opened when they are first asked for.
    pub(super) vectors: OnceLock<Result<Arc<VectorIndex>, String>>,
    /// Held by the one who embeds it.
    pub(super) embedding: tokio::sync::Mutex<()>,
    /// No two states of any corpus have the same.
    revision: AtomicU64,
    /// Something came since its passages were last looked at.
    pub(super) to_embed: AtomicBool,
}

/// What is known of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub name: CorpusName,
    /// How many items it has.
    pub items: u64,
    /// How many passages they have.
    pub passages: u64,
    /// The bytes of the contents of all items.
    pub size: u64,
    /// When it was made, in microseconds since the epoch.
    pub created_at: i64,
    /// When it may be deleted, in microseconds since the epoch; `None` for never.
    pub expires_at: Option<i64>,
    /// The model whose vectors every passage has that should; `None` where some are missing.
    pub embedded_by: Option<String>,
}

/// What an item is, apart from its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: EvidenceId,
    /// What it is.
    pub kind: EvidenceKind,
    /// Where it comes from.
    pub lane: Lane,
    /// The tool that produced it.
    pub tool: String,
    /// What was searched for.
    pub query: String,
    /// Whether its content is JSON.
    pub is_json: bool,
    /// When it was collected.
    pub collected_at: Option<Timestamp>,
    /// Whether it lists everything in its scope.
    pub exhaustive: bool,
    /// Whether it came over a channel that the configuration vouches for.
    pub attested: bool,
    /// The step that produced it; may be empty.
    pub step_id: String,
    /// The specialist that ran the step; may be empty.
    pub specialist_id: String,
    /// How an executed check ended; `None` where it is not known.
    pub verification_result: Option<VerificationResult>,
}

/// A passage to be stored.
#[derive(Debug)]
pub(super) struct NewPassage {
    /// Its first byte in the content.
    pub(super) start: u64,
    /// The byte behind its last.
    pub(super) end: u64,
    /// Its first and last line, from 1; zeros for JSON.
    pub(super) lines: (u64, u64),
    pub(super) pointer: String,
    /// Its terms, parted by spaces.
    pub(super) words: String,
}

/// A part of an item to be stored.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Stretches of the content, each with the offset of its first byte.
    pub(super) contents: Vec<(u64, Vec<u8>)>,
    pub(super) passages: Vec<NewPassage>,
}

/// What an item came to when it was complete.
#[derive(Debug)]
pub(super) struct Received {
    /// The BLAKE3 of its content.
    pub(super) digest: [u8; 32],
    /// The bytes of its content.
    pub(super) size: u64,
    /// How many lines it has.
    pub(super) lines: u64,
    /// How many lines repeat, with other figures, a line before them.
    pub(super) repeated_lines: u64,
    /// How many passages it has.
    pub(super) passages: u64,
    pub(super) templates: Vec<Template>,
}

/// What became of a complete item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is stored.
    New,
    /// It was there already, with this content.
    Unchanged,
    /// Another item with the same head and content stands for it.
    SameAs(String),
}

impl Corpus {
    /// Opens a corpus, made where there is none, and takes away what was never completed.
    pub(super) fn open(name: CorpusName, folder: &Path, now: i64) -> Result<Self, StoreError> {
        let file = folder.join(DATABASE);
        let connection = database::open_writer(&file, now)?;
        let corpus = Self {
            name,
            file,
            writer: Mutex::new(connection),
            vectors: OnceLock::new(),
            embedding: tokio::sync::Mutex::default(),
            revision: AtomicU64::new(next_revision()),
            to_embed: AtomicBool::default(),
        };
        corpus.write(|transaction| {
            let numbers: Vec<i64> = transaction
                .prepare("SELECT number FROM items WHERE is_complete = 0")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            numbers.into_iter().try_for_each(|number| remove(transaction, number))
        })?;
        Ok(corpus)
    }

    /// The name of the corpus.
    pub(super) fn name(&self) -> &CorpusName {
        &self.name
    }

    /// A number that is another one after every change of its items.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    /// A connection that only reads.
    pub(super) fn reader(&self) -> Result<Connection, StoreError> {
        database::open_reader(&self.file)
    }

    /// An error of SQLite in this corpus.
    pub(super) fn failed(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::of_sqlite(error, &self.file)
    }

    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let done = connection.transaction().and_then(|transaction| {
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        done.map_err(|error| self.failed(&error))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic in between leaves a transaction that is rolled back.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an item and returns its number in the corpus.
    pub(super) fn begin(&self, head: &Head) -> Result<i64, StoreError> {
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
                    result_name(head),
                ],
            )?;
            Ok(transaction.last_insert_rowid())
        })
    }

    /// Stores a part of an item.
    pub(super) fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut content = transaction
                .prepare_cached("INSERT INTO contents (item, start, bytes) VALUES (?1, ?2, ?3)")?;
            for (start, bytes) in &batch.contents {
                content.execute(params![item, signed(*start), bytes])?;
            }
            let mut passage = transaction.prepare_cached(
                "INSERT INTO passages (item, start, end, first_line, last_line, pointer)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut terms =
                transaction.prepare_cached("INSERT INTO terms (rowid, words) VALUES (?1, ?2)")?;
            for found in &batch.passages {
                passage.execute(params![
                    item,
                    signed(found.start),
                    signed(found.end),
                    signed(found.lines.0),
                    signed(found.lines.1),
                    found.pointer,
                ])?;
                terms.execute(params![transaction.last_insert_rowid(), found.words])?;
            }
            Ok(())
        })
    }

    /// Completes an item: it takes the place of the one with its id, or gives way to one that says the same.
    pub(super) fn complete(
        &self,
        item: i64,
        head: &Head,
        received: &Received,
    ) -> Result<Kept, StoreError> {
        let kept = self.write(|transaction| {
            let id = head.id.as_str();
            let before = transaction
                .query_row(
                    &format!(
                        "SELECT number, digest, {HEAD_COLUMNS} FROM items
                         WHERE id = ?1 AND is_complete = 1"
                    ),
                    [id],
                    |row| {
                        let is_same = row.get::<_, [u8; 32]>(1)? == received.digest
                            && stands_for(&self::head(row, 2)?, head);
                        Ok((row.get::<_, i64>(0)?, is_same))
                    },
                )
                .optional()?;
            if let Some((_, true)) = before {
                remove(transaction, item)?;
                return Ok(Kept::Unchanged);
            }
            let same: Option<String> = transaction
                .query_row(
                    "SELECT id FROM items WHERE digest = ?1 AND is_complete = 1 AND id <> ?2
                     AND kind = ?3 AND lane = ?4 AND tool = ?5 AND query = ?6 AND is_json = ?7
                     AND attested >= ?8 AND specialist_id = ?9 AND verification_result = ?10
                     ORDER BY number LIMIT 1",
                    params![
                        received.digest,
                        id,
                        head.kind.name(),
                        head.lane.name(),
                        head.tool,
                        head.query,
                        head.is_json,
                        head.attested,
                        head.specialist_id,
                        result_name(head),
                    ],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some((number, _)) = before {
                remove(transaction, number)?;
            }
            if let Some(same) = same {
                remove(transaction, item)?;
                return Ok(Kept::SameAs(same));
            }
            let mut template = transaction.prepare_cached(
                "INSERT INTO templates (item, first_line, last_line, count, sample)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for found in &received.templates {
                let (first, last) = (signed(found.first), signed(found.last));
                template.execute(params![item, first, last, signed(found.count), found.sample])?;
            }
            transaction.execute(
                "UPDATE items SET digest = ?2, size = ?3, lines = ?4, repeated_lines = ?5, passages = ?6,
                 is_complete = 1 WHERE number = ?1",
                params![
                    item,
                    received.digest,
                    signed(received.size),
                    signed(received.lines),
                    signed(received.repeated_lines),
                    signed(received.passages),
                ],
            )?;
            transaction.execute("UPDATE corpus SET embedded_by = NULL", [])?;
            Ok(Kept::New)
        });
        self.revision.store(next_revision(), Ordering::SeqCst);
        kept
    }

    /// Notes that every passage that should have a vector of a model has it.
    pub(super) fn mark_embedded(&self, model: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE corpus SET embedded_by = ?1", [model]).map(|_| ())
        })
    }

    /// Puts everything that was stored so far on disk.
    pub(super) fn make_durable(&self) -> Result<(), StoreError> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        database::make_durable(&self.lock()).map_err(|error| self.failed(&error))?;
        let entry = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
        entry.map_err(|error| StoreError::of_system(&error, folder))
    }

    /// Takes away an item that will not be completed.
    pub(super) fn give_up(&self, item: i64) -> Result<(), StoreError> {
        self.write(|transaction| remove(transaction, item))
    }

    /// Sets when the corpus expires, in microseconds since the epoch; `None` for never.
    pub(super) fn expire(&self, at: Option<i64>) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE corpus SET expires_at = ?1", [at]).map(|_| ())
        })
    }

    /// What is known of the corpus.
    pub(super) fn summary(&self) -> Result<Summary, StoreError> {
        summary(&self.name, &self.lock()).map_err(|error| self.failed(&error))
    }

    /// Every complete item with its whole content, by id. A content that is not what was stored is damage.
    pub(super) fn items(&self) -> Result<Vec<EvidenceItem>, StoreError> {
        let connection = self.reader()?;
        let read = || -> rusqlite::Result<Vec<(i64, [u8; 32], Head)>> {
            let mut asked = connection.prepare(&format!(
                "SELECT number, digest, {HEAD_COLUMNS} FROM items WHERE is_complete = 1 ORDER BY id"
            ))?;
            let rows = asked.query_map([], |row| Ok((row.get(0)?, row.get(1)?, head(row, 2)?)))?;
            rows.collect()
        };
        let heads = read().map_err(|error| self.failed(&error))?;
        heads
            .into_iter()
            .map(|(number, digest, head)| {
                let text = content(&connection, number, 0, u64::MAX)
                    .map_err(|error| self.failed(&error))?;
                if blake3::hash(text.as_bytes()) != blake3::Hash::from(digest) {
                    let reason = format!("item `{}` is not what was stored", head.id);
                    return Err(StoreError::Damaged { file: self.file.clone(), reason });
                }
                Ok(item(head, text))
            })
            .collect()
    }
}

fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::SeqCst)
}

/// What is known of a corpus that is not open.
pub(super) fn glance(name: &CorpusName, folder: &Path) -> Result<Summary, StoreError> {
    let file = folder.join(DATABASE);
    if !file.is_file() {
        return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
    }
    let connection = database::open_reader(&file)?;
    summary(name, &connection).map_err(|error| StoreError::of_sqlite(&error, &file))
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

/// An item of evidence with that content.
pub(super) fn item(head: Head, text: String) -> EvidenceItem {
    EvidenceItem {
        id: head.id,
        kind: head.kind,
        lane: head.lane,
        tool: head.tool,
        query: head.query,
        content: if head.is_json { Content::Json(text) } else { Content::Text(text) },
        collected_at: head.collected_at,
        exhaustive: head.exhaustive,
        attested: head.attested,
        step_id: head.step_id,
        specialist_id: head.specialist_id,
        verification_result: head.verification_result,
    }
}

/// The columns of a head, in the order in which [`head`] reads them.
pub(super) const HEAD_COLUMNS: &str =
    "id, kind, lane, tool, query, is_json, collected_at, exhaustive, attested, step_id, specialist_id,
     verification_result";

/// Reads a head from its columns; `from` is the place of the first, from 0.
pub(super) fn head(row: &Row<'_>, from: usize) -> rusqlite::Result<Head> {
    let damaged = |what: &str| {
        rusqlite::Error::FromSqlConversionFailure(from, rusqlite::types::Type::Text, what.into())
    };
    let (id, kind, lane): (String, String, String) =
        (row.get(from)?, row.get(from + 1)?, row.get(from + 2)?);
    Ok(Head {
        id: EvidenceId::new(id).map_err(|_| damaged("an item without an id"))?,
        kind: EvidenceKind::from_name(&kind).ok_or_else(|| damaged("an unknown kind"))?,
        lane: Lane::from_name(&lane).ok_or_else(|| damaged("an unknown lane"))?,
        tool: row.get(from + 3)?,
        query: row.get(from + 4)?,
        is_json: row.get(from + 5)?,
        collected_at: row.get::<_, Option<i64>>(from + 6)?.map(Timestamp::from_micros),
        exhaustive: row.get(from + 7)?,
        attested: row.get(from + 8)?,
        step_id: row.get(from + 9)?,
        specialist_id: row.get(from + 10)?,
        verification_result: match row.get_ref(from + 11)?.as_str()? {
            "" => None,
            name => {
                let result = VerificationResult::from_name(name);
                Some(result.ok_or_else(|| damaged("an unknown result of a check"))?)
            }
        },
    })
}

/// Whether an item that is there makes another one with its content superfluous: everything agrees, and what is
/// attested is not replaced by what is not.
fn stands_for(known: &Head, new: &Head) -> bool {
    known.attested >= new.attested && Head { attested: new.attested, ..known.clone() } == *new
}

/// The column of a check's result: empty where it is not known.
fn result_name(head: &Head) -> &'static str {
    head.verification_result.map_or("", VerificationResult::name)
}

fn remove(transaction: &Transaction<'_>, item: i64) -> rusqlite::Result<()> {
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

/// The number as SQLite stores it, in signed integers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The number that was stored by [`signed`].
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
