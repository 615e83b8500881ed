//! Computes the SHA-256 digest of one or more files.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

pub(crate) fn sha256<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<String> {
    let mut digest = Sha256::new();
    for path in paths {
        add(path, &mut digest).with_context(|| path.display().to_string())?;
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn add(path: &Path, digest: &mut Sha256) -> io::Result<()> {
    let mut file = BufReader::new(File::open(path)?);
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        digest.update(bytes);
        let length = bytes.len();
        file.consume(length);
    }
}
