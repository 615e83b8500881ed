//! The vector index in a corpus's folder.
//!
//! JSON and short texts are embedded completely. In a long text, only passages with the first line of a
//! template are embedded, because the other lines repeat earlier ones.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use gsar_vectors::{Opened, Settings, VectorIndex};
use rusqlite::{Connection, params};

use super::content::content;
use crate::evidence::store::{VectorSpace, unsigned};
use crate::storage::create_folder;

const FOLDER: &str = "vectors";
/// The maximum number of passages in a text that is embedded completely.
const LONG_TEXT: i64 = 64;
const BATCH: usize = 64;
/// The maximum number of bytes embedded per passage; the model ignores the rest.
const MAX_EMBEDDED_BYTES: u64 = 2_048;

/// A vector index, opened on first use.
#[derive(Debug, Default)]
pub(super) struct Vectors(OnceLock<Result<Arc<VectorIndex>, String>>);

impl Vectors {
    /// Returns the index in a corpus's folder. Calls `on_empty` if the index is new or damaged, or was
    /// built with another model.
    pub(super) fn index(
        &self,
        corpus: &Path,
        space: &VectorSpace,
        on_empty: impl FnOnce(),
    ) -> Result<&VectorIndex, String> {
        let result = self.0.get_or_init(|| {
            let settings = Settings::new(space.dimension, space.model.clone());
            let folder = corpus.join(FOLDER);
            create_folder(&folder).map_err(|error| error.to_string())?;
            let (index, opened) =
                VectorIndex::open(&folder, settings).map_err(|error| error.to_string())?;
            let index = Arc::new(index);
            match opened {
                Opened::Complete => {}
                Opened::GraphMissing(_) => build_graph(Arc::clone(&index)),
                Opened::Empty | Opened::EmbedAgain(_) => on_empty(),
            }
            Ok(index)
        });
        result.as_deref().map_err(String::clone)
    }
}

pub(super) fn passages_without_vector(
    connection: &Connection,
    index: &VectorIndex,
    after_number: i64,
) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut statement = connection.prepare(
        "SELECT passages.number, item, start, end FROM passages
         JOIN items ON items.number = passages.item
         WHERE passages.number > ?1 AND is_complete = 1 AND (
             is_json = 1 OR items.passages <= ?2 OR EXISTS (
                 SELECT 1 FROM templates WHERE templates.item = passages.item
                 AND templates.first_line BETWEEN passages.first_line AND passages.last_line))
         ORDER BY passages.number",
    )?;
    let mut rows = statement.query(params![after_number, LONG_TEXT])?;
    let mut passages = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        if index.contains(unsigned(number)) {
            continue;
        }
        let (start, end) = (unsigned(row.get(2)?), unsigned(row.get(3)?));
        let text = content(connection, row.get(1)?, start, end.min(start + MAX_EMBEDDED_BYTES))?;
        passages.push((number, text));
        if passages.len() == BATCH {
            break;
        }
    }
    Ok(passages)
}

/// Builds the graph of an index on its own thread. Until it is built, searches compare all vectors.
fn build_graph(index: Arc<VectorIndex>) {
    std::thread::spawn(move || {
        if let Err(error) = index.build_graph().and_then(|()| index.save()) {
            tracing::warn!(%error, "failed to build the vector graph; semantic search remains slow");
        }
    });
}
