//! The server's policies: the presets and the files in a directory. A reload replaces all of them or none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use gsar_core::Policy;
use gsar_core::policy::to_toml;

use crate::config::{self, Problems};

/// A policy and its origin.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The policy.
    pub policy: Arc<Policy>,
    /// The file of the policy. `None` for a preset.
    pub file: Option<PathBuf>,
    /// The policy as TOML, with all values.
    pub toml: Arc<str>,
}

impl Entry {
    fn new(policy: Policy, file: Option<PathBuf>) -> Self {
        let toml = to_toml(&policy).into();
        Self { policy: Arc::new(policy), file, toml }
    }
}

/// Policies by name.
pub type PoliciesByName = BTreeMap<String, Entry>;

/// The current policies.
#[derive(Debug)]
pub struct PolicyStore {
    current: RwLock<Arc<Snapshot>>,
}

#[derive(Debug)]
struct Snapshot {
    config: config::Policies,
    policies: Arc<PoliciesByName>,
}

impl Snapshot {
    fn read(config: config::Policies) -> Result<Arc<Self>, Vec<PoliciesError>> {
        let policies = Arc::new(read(&config)?);
        Ok(Arc::new(Self { config, policies }))
    }
}

/// An error from loading policies.
#[derive(Debug, thiserror::Error)]
pub enum PoliciesError {
    /// A file or the directory cannot be read.
    #[error("{path}: {reason}; name a readable directory of policy files", path = .path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// A file is not a valid policy file.
    #[error("{path}: {problems}", path = .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The problems, with their lines.
        problems: String,
    },
    /// Two files, or a file and a preset, have the same name.
    #[error("{path}: the name `{name}` is taken by {other}; choose another", path = .path.display())]
    NameTaken {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
        /// The file or preset that already has this name.
        other: String,
    },
    /// A configured name is unknown.
    #[error("unknown policy `{name}`; expected one of {known}")]
    UnknownName {
        /// The key in the `policies` table.
        key: &'static str,
        /// The configured name.
        name: String,
        /// The known names.
        known: String,
    },
}

impl PolicyStore {
    /// Loads the presets and the configured directory, and adds every error to `problems`.
    pub fn check(config: &config::Policies, problems: &mut Problems) -> Option<Self> {
        match Snapshot::read(config.clone()) {
            Ok(current) => Some(Self { current: RwLock::new(current) }),
            Err(errors) => {
                for error in errors {
                    let key = match error {
                        PoliciesError::UnknownName { key, .. } => key,
                        _ => "dir",
                    };
                    problems.add(&["policies", key], error);
                }
                None
            }
        }
    }

    /// Reloads the policies, with a new configuration if given, and returns the number of policies. If any
    /// error occurs, the previous policies remain in effect.
    ///
    /// # Errors
    /// Returns all errors.
    pub fn reload(&self, config: Option<config::Policies>) -> Result<usize, Vec<PoliciesError>> {
        let config = config.unwrap_or_else(|| self.current().config.clone());
        let snapshot = Snapshot::read(config)?;
        let count = snapshot.policies.len();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(count)
    }

    fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns every policy.
    #[must_use]
    pub fn all(&self) -> Arc<PoliciesByName> {
        Arc::clone(&self.current().policies)
    }

    /// Returns the name of the default policy.
    #[must_use]
    pub fn default_name(&self) -> String {
        self.current().config.default.clone()
    }

    /// Returns the kinds of overrides that requests may use.
    #[must_use]
    pub fn allow_overrides(&self) -> config::AllowOverrides {
        self.current().config.allow_overrides
    }

    /// Returns `true` if requests may use this policy even if it is looser than the default.
    #[must_use]
    pub fn is_allowed(&self, name: &str) -> bool {
        let config = &self.current().config;
        name == config.default || config.allowed.iter().any(|allowed| allowed == name)
    }

    /// Returns the policy with this name. An empty name selects the default.
    ///
    /// # Errors
    /// Returns a list of the known names.
    pub fn find(&self, name: &str) -> Result<Entry, String> {
        let Snapshot { config, policies } = &*self.current();
        let name = if name.is_empty() { &config.default } else { name };
        policies.get(name).cloned().ok_or_else(|| known_names(policies))
    }
}

fn known_names(policies: &PoliciesByName) -> String {
    policies.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn read(config: &config::Policies) -> Result<PoliciesByName, Vec<PoliciesError>> {
    let mut policies = PoliciesByName::new();
    for base in gsar_core::Preset::ALL {
        let policy = gsar_core::preset(base);
        policies.insert(policy.name.clone(), Entry::new(policy, None));
    }
    let mut errors = Vec::new();
    let paths = config.dir.as_deref().map(files).unwrap_or_else(|| Ok(Vec::new()));
    for path in paths.unwrap_or_else(|error| {
        errors.push(error);
        Vec::new()
    }) {
        match read_file(&path, &policies) {
            Ok(policy) => {
                policies.insert(policy.name.clone(), Entry::new(policy, Some(path)));
            }
            Err(error) => errors.push(error),
        }
    }
    // An unreadable file may define the missing name.
    if errors.is_empty() {
        errors = unknown_names(config, &policies);
    }
    if errors.is_empty() { Ok(policies) } else { Err(errors) }
}

fn unknown_names(config: &config::Policies, policies: &PoliciesByName) -> Vec<PoliciesError> {
    let allowed = config.allowed.iter().map(|name| ("allowed", name));
    let configured_names = [("default", &config.default)].into_iter().chain(allowed);
    let unknown_names = configured_names.filter(|(_, name)| !policies.contains_key(*name));
    unknown_names
        .map(|(key, name)| {
            let (name, known) = (name.clone(), known_names(policies));
            PoliciesError::UnknownName { key, name, known }
        })
        .collect()
}

/// Reads a policy file. Its name must not be in `policies`.
fn read_file(path: &Path, policies: &PoliciesByName) -> Result<Policy, PoliciesError> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let policy = Policy::from_toml(&text).map_err(|problems| PoliciesError::Refused {
        path: path.to_owned(),
        problems: problems.to_string(),
    })?;
    if let Some(existing) = policies.get(&policy.name) {
        let other =
            existing.file.as_ref().map_or("a preset".into(), |file| file.display().to_string());
        let name = policy.name.clone();
        return Err(PoliciesError::NameTaken { path: path.to_owned(), name, other });
    }
    for warning in policy.warnings() {
        tracing::warn!(policy = policy.name, field = warning.field, "{}", warning.message);
    }
    Ok(policy)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, PoliciesError> {
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> PoliciesError {
    PoliciesError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config_for(folder: &Path) -> config::Policies {
        config::Policies {
            default: "reference".to_owned(),
            dir: Some(folder.to_owned()),
            allowed: Vec::new(),
            allow_overrides: config::AllowOverrides::Stricter,
        }
    }

    fn check(config: &config::Policies) -> Result<PolicyStore, String> {
        let mut problems = Problems::default();
        PolicyStore::check(config, &mut problems).ok_or_else(|| problems.to_string())
    }

    #[test]
    fn an_invalid_file_keeps_the_previous_policies() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("night.toml");
        std::fs::write(&file, "name = \"night\"\ntau_proceed = 0.9").unwrap();
        let store = check(&config_for(folder.path())).unwrap();
        let previous_digest = store.find("night").unwrap().policy.digest().clone();

        std::fs::write(&file, "name = \"night\"\ntau_proceed = 0.5").unwrap();
        let error = store.reload(None).unwrap_err()[0].to_string();
        assert!(error.contains("night.toml") && error.contains("tau_regenerate"), "{error}");
        assert_eq!(*store.find("night").unwrap().policy.digest(), previous_digest);

        std::fs::write(&file, "name = \"night\"\ntau_proceed = 0.95").unwrap();
        assert_eq!(store.reload(None).unwrap(), 4);
        assert_ne!(*store.find("night").unwrap().policy.digest(), previous_digest);
    }

    #[test]
    fn reloads_allowed_names_unless_one_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let config = config_for(folder.path());
        let store = check(&config).unwrap();
        assert!(!store.is_allowed("paper"));
        let config_allowing = |name: &str| config::Policies {
            default: "strict".to_owned(),
            allowed: vec![name.to_owned()],
            ..config.clone()
        };
        store.reload(Some(config_allowing("paper"))).unwrap();
        assert!(store.is_allowed("paper") && !store.is_allowed("reference"));
        assert_eq!(store.default_name(), "strict");
        store.reload(Some(config_allowing("unknown"))).unwrap_err();
        assert!(store.is_allowed("paper") && !store.is_allowed("unknown"));
    }

    #[test]
    fn reports_every_invalid_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.toml"), "name = \"a\"\ntau_proceed = 2.5").unwrap();
        std::fs::write(folder.path().join("b.toml"), "name = ").unwrap();
        let config = config::Policies { default: "c".to_owned(), ..config_for(folder.path()) };
        let error = check(&config).unwrap_err();
        assert!(error.starts_with("configuration: 2 problems"), "{error}");
        assert!(error.contains("a.toml") && error.contains("b.toml"), "{error}");
    }

    #[test]
    fn rejects_duplicate_and_unknown_names() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.toml"), "name = \"paper\"").unwrap();
        let error = check(&config_for(folder.path())).unwrap_err();
        assert!(error.contains("`paper` is taken by a preset"), "{error}");

        let policies = |default: &str, allowed: &[&str]| config::Policies {
            default: default.to_owned(),
            dir: None,
            allowed: allowed.iter().map(|name| (*name).to_owned()).collect(),
            allow_overrides: config::AllowOverrides::Stricter,
        };
        for (policies, key) in [
            (policies("lenient", &[]), "policies.default: unknown policy `lenient`"),
            (
                policies("strict", &["paper", "lenient"]),
                "policies.allowed: unknown policy `lenient`",
            ),
        ] {
            let error = check(&policies).unwrap_err();
            assert!(error.contains(key), "{error}");
            assert!(error.contains("expected one of paper, reference, strict"), "{error}");
        }
    }
}
