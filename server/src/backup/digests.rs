//! Digests of the files in a backup, in the format of `sha256sum --check`.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::storage::open_file;

pub(super) const FILE: &str = "SHA256SUMS";
const BUFFER_BYTES: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Digests(Vec<u8>);

impl Digests {
    /// Syncs and hashes a file. Returns its size in bytes.
    pub(super) fn add(&mut self, file: &Path, name: &Path) -> io::Result<u64> {
        let mut read = File::open(file)?;
        read.sync_all()?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut bytes = 0;
        loop {
            let count = read.read(&mut buffer)?;
            let Some(part) = buffer.get(..count).filter(|part| !part.is_empty()) else { break };
            hasher.update(part);
            bytes += part.len() as u64;
        }
        for byte in hasher.finalize() {
            write!(self.0, "{byte:02x}")?;
        }
        writeln!(self.0, "  {}", name.display())?;
        Ok(bytes)
    }

    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let mut written = open_file(file)?;
        written.write_all(&self.0)?;
        written.sync_all()
    }
}
