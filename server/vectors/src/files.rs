//! Reads and writes the files of an index. Verifies checksums. The last complete save can always be opened.
//!
//! | file | contents |
//! |---|---|
//! | `vectors.json` | the manifest of the current save |
//! | `vectors-N.f32` | the vectors, scaled to length 1: rows of little-endian `f32`; later saves append |
//! | `vectors-N.keys` | the key of each row, little-endian `u64`; all ones for a removed row |
//! | `vectors-N.usearch` | the graph |
//!
//! N is the number of the save that created the file. Saves append vectors after the rows in the current
//! manifest and otherwise write new files, so an interrupted save leaves the previous one intact. Renaming the
//! manifest commits a save.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use blake3::Hasher;

use crate::disk::{Disk, not_saved};
use crate::error::{IndexError, Reason};
use crate::graph::{self, Graph};
use crate::manifest::{self, Checked, GraphFile, Manifest, ManifestError};
use crate::settings::Settings;
use crate::table::{ROWS_PER_BLOCK, Table};

const STEM: &str = "vectors-";
const VECTORS: &str = "f32";
const KEYS: &str = "keys";
const GRAPH: &str = "usearch";
const NEW_MANIFEST: &str = "json";

#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) disk: Disk,
    /// The number of the last attempted save.
    number: u64,
    saved: Option<Saved>,
}

#[derive(Debug)]
struct Saved {
    manifest: Manifest,
    /// The hasher state after the saved vectors, which later saves continue.
    vectors: Hasher,
}

#[derive(Debug)]
pub(crate) enum SavedIndex {
    Nothing,
    Unusable(Reason),
    Rows { table: Table, graph: Result<Option<Graph>, Reason> },
}

impl Files {
    pub(crate) fn open(disk: Disk, settings: &Settings) -> Result<(Self, SavedIndex), IndexError> {
        let names = disk.names()?;
        let number = names.iter().filter_map(|name| number(name)).max().unwrap_or(0);
        let mut files = Self { disk, number, saved: None };
        let path = files.disk.path(manifest::NAME);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let found = match number {
                    0 => SavedIndex::Nothing,
                    _ => SavedIndex::Unusable(Reason::Missing { file: path }),
                };
                return Ok((files, found));
            }
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let manifest = match Manifest::decode(&bytes) {
            Ok(manifest) => manifest,
            Err(ManifestError::Damaged(found)) => {
                let reason = Reason::Damaged { file: path, found: found.to_owned() };
                return Ok((files, SavedIndex::Unusable(reason)));
            }
            Err(ManifestError::OtherFormat(found)) => {
                let reason = Reason::OtherFormat { found, supported: manifest::FORMAT };
                return Ok((files, SavedIndex::Unusable(reason)));
            }
        };
        if manifest.model != settings.model {
            let reason = Reason::OtherModel { found: manifest.model };
            return Ok((files, SavedIndex::Unusable(reason)));
        }
        if manifest.dimension != settings.dimension {
            let reason = Reason::OtherDimension { found: manifest.dimension };
            return Ok((files, SavedIndex::Unusable(reason)));
        }
        let (table, vectors) = match files.read_table(&manifest) {
            Ok(read) => read,
            Err(ReadError::Unusable(reason)) => return Ok((files, SavedIndex::Unusable(reason))),
            Err(ReadError::Failed(error)) => return Err(error),
        };
        for name in &names {
            files.remove_unreferenced(&manifest, name);
        }
        files.saved = Some(Saved { manifest, vectors });
        let graph = files.read_graph(settings, true);
        Ok((files, SavedIndex::Rows { table, graph }))
    }

    fn read_table(&self, manifest: &Manifest) -> Result<(Table, Hasher), ReadError> {
        let Manifest { dimension, rows, .. } = *manifest;
        let vectors = self.disk.path(&manifest.vectors.file);
        let (values, hasher) = read_values(&vectors, rows, dimension)?;
        check(&vectors, &hasher, &manifest.vectors)?;
        let keys = self.disk.path(&manifest.keys.file);
        let (stored, keys_hasher) = read_keys(&keys, rows)?;
        check(&keys, &keys_hasher, &manifest.keys)?;
        let table = Table::restore(dimension, values, stored)
            .ok_or_else(|| damaged(&keys, "duplicate key"))?;
        Ok((table, hasher))
    }

    fn read_graph(&self, settings: &Settings, mapped: bool) -> Result<Option<Graph>, Reason> {
        let Some(saved) = self.saved.as_ref().and_then(|saved| saved.manifest.graph.as_ref())
        else {
            return Ok(None);
        };
        if saved.scalar != settings.scalar.into() {
            return Err(Reason::OtherScalar);
        }
        if saved.library != graph::library() {
            return Err(Reason::OtherLibrary { found: saved.library.clone() });
        }
        let path = self.disk.path(&saved.checked.file);
        let (hasher, _) = hash(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Reason::Missing { file: path.clone() },
            _ => damaged(&path, error.to_string()),
        })?;
        check(&path, &hasher, &saved.checked)?;
        Graph::open(&path, settings, saved.covered, saved.size, mapped)
            .map(Some)
            .map_err(|error| damaged(&path, error))
    }

    /// Verifies the saved graph again and loads it into memory, if there is one.
    pub(crate) fn load_graph(&self, settings: &Settings) -> Result<Option<Graph>, Reason> {
        self.read_graph(settings, false)
    }

    /// Writes the changes. `same_rows` is `true` if the table still starts with the saved rows.
    ///
    /// After an error, the previous or the new save is in effect.
    pub(crate) fn write(
        &mut self,
        settings: &Settings,
        table: &Table,
        graph: Option<&Graph>,
        same_rows: bool,
    ) -> Result<(), IndexError> {
        self.number += 1;
        let previous = self.saved.as_ref().filter(|_| same_rows);
        let (manifest, hasher) =
            self.write_files(settings, table, graph, previous).inspect_err(|_| {
                // Free the space of unreferenced files.
                for kind in [VECTORS, KEYS, GRAPH, NEW_MANIFEST] {
                    self.disk.remove_if_exists(&self.name(kind));
                }
            })?;
        self.commit()?;
        if let Some(graph) = graph {
            graph.set_saved();
        }
        for name in self.disk.names().unwrap_or_default() {
            self.remove_unreferenced(&manifest, &name);
        }
        self.saved = Some(Saved { manifest, vectors: hasher });
        Ok(())
    }

    fn write_files(
        &self,
        settings: &Settings,
        table: &Table,
        graph: Option<&Graph>,
        previous: Option<&Saved>,
    ) -> Result<(Manifest, Hasher), IndexError> {
        let (vectors, hasher) = self.write_vectors(settings, table, previous)?;
        let keys = self.write_keys(table)?;
        let graph = graph.map(|graph| self.write_graph(settings, graph, previous)).transpose()?;
        let manifest = Manifest {
            format: manifest::FORMAT,
            dimension: settings.dimension,
            model: settings.model.clone(),
            rows: table.rows(),
            vectors,
            keys,
            graph,
        };
        let name = self.name(NEW_MANIFEST);
        let text = manifest.encode().map_err(|error| IndexError::NotSaved {
            file: self.disk.path(&name),
            reason: error.to_string(),
        })?;
        let output = self.disk.open(&name)?;
        output.write_at(text.as_bytes(), 0)?;
        output.sync()?;
        // The files must be durable before the manifest refers to them.
        self.disk.sync()?;
        Ok((manifest, hasher))
    }

    fn commit(&self) -> Result<(), IndexError> {
        self.disk.rename(&self.name(NEW_MANIFEST), manifest::NAME)?;
        self.disk.sync()
    }

    fn write_vectors(
        &self,
        settings: &Settings,
        table: &Table,
        previous: Option<&Saved>,
    ) -> Result<(Checked, Hasher), IndexError> {
        let (file, mut hasher, first) = match previous {
            Some(Saved { manifest, vectors }) => {
                (manifest.vectors.file.clone(), vectors.clone(), manifest.rows)
            }
            None => (self.name(VECTORS), Hasher::new(), 0),
        };
        let output = self.disk.open(&file)?;
        let mut offset = (first * settings.dimension * size_of::<f32>()) as u64;
        for values in table.values_from(first) {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            hasher.update(&bytes);
            output.write_at(&bytes, offset)?;
            offset += bytes.len() as u64;
        }
        output.sync()?;
        Ok((checked(file, &hasher), hasher))
    }

    fn write_keys(&self, table: &Table) -> Result<Checked, IndexError> {
        let file = self.name(KEYS);
        let bytes: Vec<u8> = table.keys().iter().flat_map(|key| key.to_le_bytes()).collect();
        let output = self.disk.open(&file)?;
        output.write_at(&bytes, 0)?;
        output.sync()?;
        let mut hasher = Hasher::new();
        hasher.update(&bytes);
        Ok(checked(file, &hasher))
    }

    fn write_graph(
        &self,
        settings: &Settings,
        graph: &Graph,
        previous: Option<&Saved>,
    ) -> Result<GraphFile, IndexError> {
        if let Some(saved) = previous.and_then(|previous| previous.manifest.graph.as_ref())
            && graph.is_saved()
        {
            return Ok(saved.clone());
        }
        let file = self.name(GRAPH);
        let path = self.disk.path(&file);
        self.disk.create_with(&file, |path| graph.write(path))?;
        self.disk.open(&file)?.sync()?;
        let (hasher, bytes) = hash(&path).map_err(|error| not_saved(&path, &error))?;
        if bytes != graph.bytes() as u64 {
            let reason = format!("{bytes} of {} bytes were written", graph.bytes());
            return Err(IndexError::NotSaved { file: path, reason });
        }
        Ok(GraphFile {
            checked: checked(file, &hasher),
            library: graph::library().to_owned(),
            scalar: settings.scalar.into(),
            covered: graph.covered(),
            size: graph.size(),
        })
    }

    fn remove_unreferenced(&self, manifest: &Manifest, name: &str) {
        if number(name).is_some() && !manifest.files().any(|file| file == name) {
            self.disk.remove(name);
        }
    }

    fn name(&self, kind: &str) -> String {
        format!("{STEM}{}.{kind}", self.number)
    }
}

/// Returns the number of the save that created the file, or `None` for other files.
fn number(name: &str) -> Option<u64> {
    let (number, kind) = name.strip_prefix(STEM)?.split_once('.')?;
    [VECTORS, KEYS, GRAPH, NEW_MANIFEST].contains(&kind).then(|| number.parse().ok())?
}

fn checked(file: String, hasher: &Hasher) -> Checked {
    Checked { file, blake3: hasher.finalize().to_hex().to_string() }
}

fn check(path: &Path, hasher: &Hasher, expected: &Checked) -> Result<(), Reason> {
    match hasher.finalize().to_hex().as_str() == expected.blake3 {
        true => Ok(()),
        false => Err(damaged(path, "checksum mismatch")),
    }
}

fn damaged(file: &Path, found: impl Into<String>) -> Reason {
    Reason::Damaged { file: file.to_owned(), found: found.into() }
}

fn hash(path: &Path) -> io::Result<(Hasher, u64)> {
    let mut hasher = Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    let bytes = hasher.count();
    Ok((hasher, bytes))
}

fn read_values(
    path: &Path,
    rows: usize,
    dimension: usize,
) -> Result<(Vec<Vec<f32>>, Hasher), ReadError> {
    let failed = |error: io::Error| ReadError::new(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?.len();
    let expected = (rows as u128) * (dimension as u128) * (size_of::<f32>() as u128);
    // An interrupted save may have appended more rows.
    if u128::from(found) < expected {
        return Err(damaged(path, format!("it has {found} of {expected} bytes")).into());
    }
    let mut hasher = Hasher::new();
    let mut blocks = Vec::new();
    let mut bytes = Vec::new();
    for first in (0..rows).step_by(ROWS_PER_BLOCK) {
        bytes.resize((rows - first).min(ROWS_PER_BLOCK) * dimension * size_of::<f32>(), 0);
        file.read_exact(&mut bytes).map_err(failed)?;
        hasher.update(&bytes);
        let (values, _) = bytes.as_chunks();
        blocks.push(values.iter().map(|value| f32::from_le_bytes(*value)).collect());
    }
    Ok((blocks, hasher))
}

fn read_keys(path: &Path, rows: usize) -> Result<(Vec<u64>, Hasher), ReadError> {
    let failed = |error: io::Error| ReadError::new(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?.len();
    let expected = (rows as u128) * (size_of::<u64>() as u128);
    if u128::from(found) != expected {
        return Err(damaged(path, format!("it has {found} of {expected} bytes")).into());
    }
    let mut bytes = vec![0; rows * size_of::<u64>()];
    file.read_exact(&mut bytes).map_err(failed)?;
    let mut hasher = Hasher::new();
    hasher.update(&bytes);
    let (keys, _) = bytes.as_chunks();
    Ok((keys.iter().map(|key| u64::from_le_bytes(*key)).collect(), hasher))
}

enum ReadError {
    /// The file is missing or damaged.
    Unusable(Reason),
    /// Reading failed; the file may be intact.
    Failed(IndexError),
}

impl ReadError {
    fn new(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Unusable(Reason::Missing { file: path.to_owned() }),
            io::ErrorKind::UnexpectedEof => Self::Unusable(damaged(path, "unexpected end of file")),
            _ => Self::Failed(unreadable(path, error)),
        }
    }
}

impl From<Reason> for ReadError {
    fn from(reason: Reason) -> Self {
        Self::Unusable(reason)
    }
}

fn unreadable(file: &Path, error: &io::Error) -> IndexError {
    IndexError::Unreadable { file: file.to_owned(), reason: error.to_string() }
}
