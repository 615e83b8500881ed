//! Digests of the files in a backup, in the format of `sha256sum --check`.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::storage::open_file;

pub(super) const FILE: &str = "SHA256SUMS";
const BUFFER_BYTES: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Digests(Vec<u8>);

impl Digests {
    /// Syncs and hashes a file. Returns its size in bytes.
    pub(super) fn add(&mut self, file: &Path, name: &Path) -> io::Result<u64> {
        let mut source = File::open(file)?;
        source.sync_all()?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut size = 0;
        loop {
            let count = source.read(&mut buffer)?;
            let Some(chunk) = buffer.get(..count).filter(|chunk| !chunk.is_empty()) else { break };
            hasher.update(chunk);
            size += chunk.len() as u64;
        }
        let digest = HEXLOWER.encode(&hasher.finalize());
        writeln!(self.0, "{digest}  {}", name.display())?;
        Ok(size)
    }

    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let mut output = open_file(file)?;
        output.write_all(&self.0)?;
        output.sync_all()
    }
}
