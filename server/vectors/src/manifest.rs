//! This module is the manifest: which files are the index, what they hold and their checksums, with a checksum of its
//! own.

use serde::{Deserialize, Serialize};

use crate::settings::Scalar;

/// The version of the format of the files.
pub(crate) const FORMAT: u32 = 1;
/// The name of the manifest in its directory.
pub(crate) const NAME: &str = "vectors.json";

/// What one save wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// [`FORMAT`] when it was written.
    pub(crate) format: u32,
    /// The number of values of each vector.
    pub(crate) dimension: usize,
    pub(crate) model: String,
    /// How many rows there are, removed ones included.
    pub(crate) rows: usize,
    /// The values of the rows; what the file holds beyond them counts for nothing.
    pub(crate) vectors: Checked,
    /// The key of each row.
    pub(crate) keys: Checked,
    pub(crate) graph: Option<GraphFile>,
}

/// A file with its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checked {
    /// Its name in the directory.
    pub(crate) file: String,
    /// BLAKE3 in hexadecimal.
    pub(crate) blake3: String,
}

/// The graph's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphFile {
    #[serde(flatten)]
    pub(crate) checked: Checked,
    /// The version of the library that wrote it.
    pub(crate) library: String,
    pub(crate) scalar: SavedScalar,
    /// Rows below this one are in the graph; from 0.
    pub(crate) covered: usize,
    /// How many vectors are in the graph.
    pub(crate) size: usize,
}

/// [`Scalar`] as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SavedScalar {
    F32,
    I8,
}

impl From<Scalar> for SavedScalar {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::F32 => Self::F32,
            Scalar::I8 => Self::I8,
        }
    }
}

/// Only the format, whatever else a later version writes.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// Why a text is no manifest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoManifest {
    Damaged(&'static str),
    OtherFormat(u32),
}

impl Manifest {
    /// One line of JSON and one with its checksum.
    pub(crate) fn encode(&self) -> serde_json::Result<String> {
        let line = serde_json::to_string(self)?;
        let checksum = blake3::hash(line.as_bytes()).to_hex();
        Ok(format!("{line}\n{checksum}\n"))
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, NoManifest> {
        let text = str::from_utf8(bytes).map_err(|_| NoManifest::Damaged("it is not UTF-8"))?;
        let (line, checksum) =
            text.split_once('\n').ok_or(NoManifest::Damaged("it has no checksum"))?;
        if checksum != format!("{}\n", blake3::hash(line.as_bytes()).to_hex()) {
            return Err(NoManifest::Damaged("its checksum does not match"));
        }
        let unknown = |_| NoManifest::Damaged("it is no manifest");
        let Format { format } = serde_json::from_str(line).map_err(unknown)?;
        if format != FORMAT {
            return Err(NoManifest::OtherFormat(format));
        }
        serde_json::from_str(line).map_err(unknown)
    }

    /// The files that belong to it.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        [Some(&self.vectors), Some(&self.keys), self.graph.as_ref().map(|graph| &graph.checked)]
            .into_iter()
            .flatten()
            .map(|checked| checked.file.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let checked = |file: &str| Checked { file: file.to_owned(), blake3: "00".to_owned() };
        Manifest {
            format: FORMAT,
            dimension: 3,
            model: "a \"model\"\nof two lines".to_owned(),
            rows: 7,
            vectors: checked("vectors-1.f32"),
            keys: checked("vectors-2.keys"),
            graph: Some(GraphFile {
                checked: checked("vectors-2.usearch"),
                library: "2.26.6".to_owned(),
                scalar: SavedScalar::I8,
                covered: 7,
                size: 6,
            }),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut manifest = manifest();
        assert_eq!(Manifest::decode(manifest.encode().unwrap().as_bytes()).unwrap(), manifest);
        manifest.graph = None;
        assert_eq!(Manifest::decode(manifest.encode().unwrap().as_bytes()).unwrap(), manifest);
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_noticed() {
        let bytes = manifest().encode().unwrap().into_bytes();
        for length in 0..bytes.len() {
            assert!(Manifest::decode(&bytes[..length]).is_err(), "{length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Manifest::decode(&flipped).is_err(), "{bit}");
        }
    }

    #[test]
    fn a_later_format_is_not_confused_with_damage() {
        let line = r#"{"format":2,"shards":[]}"#;
        let text = format!("{line}\n{}\n", blake3::hash(line.as_bytes()).to_hex());
        assert_eq!(Manifest::decode(text.as_bytes()), Err(NoManifest::OtherFormat(2)));
    }
}
