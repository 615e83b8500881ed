//! The checks that the configuration declares. A reload replaces all of them or none.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use gsar_core::check::{CheckDeclaration, checks_from_toml};

use crate::config::Problems;

/// The digests of the declared checks.
#[derive(Debug)]
pub struct DeclaredChecks {
    files: Vec<PathBuf>,
    current: RwLock<Arc<BTreeSet<String>>>,
}

impl Default for DeclaredChecks {
    fn default() -> Self {
        Self { files: Vec::new(), current: RwLock::new(Arc::default()) }
    }
}

impl DeclaredChecks {
    /// Reads the configured files and adds every error to `problems`.
    pub fn check(files: &[PathBuf], problems: &mut Problems) -> Option<Self> {
        match read_files(files) {
            Ok(digests) => {
                Some(Self { files: files.to_vec(), current: RwLock::new(Arc::new(digests)) })
            }
            Err(errors) => {
                for description in errors {
                    problems.add(&["evidence", "checks"], description);
                }
                None
            }
        }
    }

    /// Reloads the files and returns the number of checks. Returns `None` if no file is configured.
    ///
    /// # Errors
    /// Every error in the files. The previous checks stay in effect.
    pub fn reload(&self) -> Result<Option<usize>, Vec<String>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        let digests = Arc::new(read_files(&self.files)?);
        let count = digests.len();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = digests;
        Ok(Some(count))
    }

    /// Returns the current digests.
    #[must_use]
    pub fn digests(&self) -> Arc<BTreeSet<String>> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read_files(files: &[PathBuf]) -> Result<BTreeSet<String>, Vec<String>> {
    let (mut digests, mut errors) = (BTreeSet::new(), Vec::new());
    for path in files {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
        match text.and_then(|text| checks_from_toml(&text).map_err(|error| error.to_string())) {
            Ok(checks) => digests.extend(checks.iter().map(CheckDeclaration::digest)),
            Err(error) => errors.push(format!("{}: {error}", path.display())),
        }
    }
    if errors.is_empty() { Ok(digests) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = "[[check]]\nname = \"serves\"\ncommand = [\"probe\"]\n";

    #[test]
    fn an_invalid_file_prevents_the_reload() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["a.toml", "b.toml"].map(|name| folder.path().join(name));
        std::fs::write(&files[0], DECLARED).unwrap();
        std::fs::write(&files[1], DECLARED.replace("serves", "pays")).unwrap();
        let mut problems = Problems::default();
        let checks = DeclaredChecks::check(&files, &mut problems).unwrap();
        let previous_digests = checks.digests();
        assert_eq!(previous_digests.len(), 2);
        std::fs::write(&files[0], DECLARED.replace("probe", "other-probe")).unwrap();
        std::fs::write(&files[1], "[[check]]").unwrap();
        let errors = checks.reload().unwrap_err();
        assert!(errors[0].contains("b.toml: check[0].name"), "{errors:?}");
        assert_eq!(checks.digests(), previous_digests);
        std::fs::write(&files[1], DECLARED).unwrap();
        assert_eq!(checks.reload(), Ok(Some(2)));
        assert_ne!(checks.digests(), previous_digests);
        assert_eq!(DeclaredChecks::default().reload(), Ok(None));
    }

    #[test]
    fn a_missing_file_is_a_problem() {
        let mut problems = Problems::default();
        assert!(
            DeclaredChecks::check(&[PathBuf::from("/nowhere/checks.toml")], &mut problems)
                .is_none()
        );
        assert!(problems.to_string().contains("/nowhere/checks.toml"), "{problems}");
    }
}
