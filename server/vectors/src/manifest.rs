//! The manifest of an index, which lists the index's files with their checksums. The manifest also contains
//! its own checksum.

use serde::{Deserialize, Serialize};

use crate::settings::Scalar;

pub(crate) const FORMAT: u32 = 1;
pub(crate) const NAME: &str = "vectors.json";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    pub(crate) dimension: usize,
    pub(crate) model: String,
    pub(crate) rows: usize,
    /// The file may be longer; only `rows` rows count.
    pub(crate) vectors: Checked,
    pub(crate) keys: Checked,
    pub(crate) graph: Option<GraphFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checked {
    pub(crate) file: String,
    pub(crate) blake3: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphFile {
    #[serde(flatten)]
    pub(crate) checked: Checked,
    pub(crate) library: String,
    pub(crate) scalar: SavedScalar,
    /// All rows below this number are in the graph.
    pub(crate) covered: usize,
    pub(crate) size: usize,
}

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

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ManifestError {
    Damaged(&'static str),
    OtherFormat(u32),
}

impl Manifest {
    /// Encodes the manifest as a line of JSON and a line with its checksum.
    pub(crate) fn encode(&self) -> serde_json::Result<String> {
        let line = serde_json::to_string(self)?;
        let checksum = blake3::hash(line.as_bytes()).to_hex();
        Ok(format!("{line}\n{checksum}\n"))
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, ManifestError> {
        let text = str::from_utf8(bytes).map_err(|_| ManifestError::Damaged("not UTF-8"))?;
        let (line, checksum) =
            text.split_once('\n').ok_or(ManifestError::Damaged("no checksum"))?;
        if checksum != format!("{}\n", blake3::hash(line.as_bytes()).to_hex()) {
            return Err(ManifestError::Damaged("checksum mismatch"));
        }
        let unknown = |_| ManifestError::Damaged("not a manifest");
        let Format { format } = serde_json::from_str(line).map_err(unknown)?;
        if format != FORMAT {
            return Err(ManifestError::OtherFormat(format));
        }
        serde_json::from_str(line).map_err(unknown)
    }

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
    fn a_manifest_round_trips() {
        let mut manifest = manifest();
        assert_eq!(Manifest::decode(manifest.encode().unwrap().as_bytes()).unwrap(), manifest);
        manifest.graph = None;
        assert_eq!(Manifest::decode(manifest.encode().unwrap().as_bytes()).unwrap(), manifest);
    }

    #[test]
    fn detects_every_flipped_bit_and_truncation() {
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
    fn reports_a_later_format() {
        let line = r#"{"format":2,"shards":[]}"#;
        let text = format!("{line}\n{}\n", blake3::hash(line.as_bytes()).to_hex());
        assert_eq!(Manifest::decode(text.as_bytes()), Err(ManifestError::OtherFormat(2)));
    }
}
