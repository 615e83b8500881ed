//! This module keeps the vectors of one corpus, in an index beside its database.
//!
//! Of a short text and of JSON every passage gets a vector; of a long text only the passages in which a line stands
//! that says something new, so that a million lines do not need a million vectors.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use gsar_vectors::{Opened, Settings, VectorIndex};
use rusqlite::{Connection, params};

use super::content::content;
use super::corpus::unsigned;
use crate::evidence::store::VectorSpace;
use crate::storage::create_folder;

/// The folder of a corpus' vectors in its folder.
const FOLDER: &str = "vectors";
/// The most passages of a text that is embedded as a whole; one with more is embedded in part.
const LONG_TEXT: i64 = 64;
/// The most passages embedded at once.
const AT_ONCE: usize = 64;
/// The most bytes of a passage that are embedded; the model reads no more.
const MAX_EMBEDDED_BYTES: u64 = 2_048;

/// The vectors of a corpus, opened when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Vectors(OnceLock<Result<Arc<VectorIndex>, String>>);

impl Vectors {
    /// The index in the folder of a corpus. A server has one model, so there is one space as long as it runs.
    ///
    /// `is_lost` is called where it holds nothing: it is new, or its files are damaged or of another model.
    pub(super) fn index(
        &self,
        corpus: &Path,
        space: &VectorSpace,
        is_lost: impl FnOnce(),
    ) -> Result<&VectorIndex, String> {
        let opened = self.0.get_or_init(|| {
            let settings = Settings::new(space.dimension, space.model.clone());
            let folder = corpus.join(FOLDER);
            create_folder(&folder).map_err(|error| error.to_string())?;
            let (index, opened) =
                VectorIndex::open(&folder, settings).map_err(|error| error.to_string())?;
            let index = Arc::new(index);
            match opened {
                Opened::Complete => {}
                Opened::GraphMissing(_) => build_graph(Arc::clone(&index)),
                Opened::Empty | Opened::EmbedAgain(_) => is_lost(),
            }
            Ok(index)
        });
        opened.as_deref().map_err(String::clone)
    }
}

/// The next passages behind one that should have a vector and have none, with what they say.
pub(super) fn without(
    connection: &Connection,
    index: &VectorIndex,
    after: i64,
) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut asked = connection.prepare(
        "SELECT passages.number, item, start, end FROM passages
         JOIN items ON items.number = passages.item
         WHERE passages.number > ?1 AND is_complete = 1 AND (
             is_json = 1 OR items.passages <= ?2 OR EXISTS (
                 SELECT 1 FROM templates WHERE templates.item = passages.item
                 AND templates.first_line BETWEEN passages.first_line AND passages.last_line))
         ORDER BY passages.number",
    )?;
    let mut rows = asked.query(params![after, LONG_TEXT])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        if index.contains(unsigned(number)) {
            continue;
        }
        let (start, end) = (unsigned(row.get(2)?), unsigned(row.get(3)?));
        let text = content(connection, row.get(1)?, start, end.min(start + MAX_EMBEDDED_BYTES))?;
        found.push((number, text));
        if found.len() == AT_ONCE {
            break;
        }
    }
    Ok(found)
}

/// Builds the graph of an index on a thread of its own; until then searches compare one by one.
fn build_graph(index: Arc<VectorIndex>) {
    std::thread::spawn(move || {
        if let Err(error) = index.build_graph().and_then(|()| index.save()) {
            tracing::warn!(%error, "searches by meaning stay slow");
        }
    });
}
