//! Layering the sources of a configuration, and checking what they come to.

use std::path::{Path, PathBuf};

use figment::providers::{Format as _, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Error, Figment, Metadata, Profile, Provider};

use super::values::{Config, Listen, LogFormat};

/// Where a configuration comes from, weakest first.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The TOML file, if any.
    pub file: Option<PathBuf>,
    /// The environment: every variable, of which those named `GSAR_…` are read.
    pub environment: Vec<(String, String)>,
    /// `--listen`.
    pub listen: Vec<Listen>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// `--log-format`.
    pub log_format: Option<LogFormat>,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {reason}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Values of the wrong kind, or unknown keys.
    #[error("{}", list(.0))]
    Values(Vec<String>),
}

fn list(problems: &[String]) -> String {
    let plural = if problems.len() == 1 { "" } else { "s" };
    format!("configuration: {} problem{plural}\n  {}", problems.len(), problems.join("\n  "))
}

impl Sources {
    /// The effective configuration, and the layers it came from.
    ///
    /// # Errors
    /// [`ConfigError`] naming the key, what was given, where, and what is allowed.
    pub fn load(&self) -> Result<(Config, Figment), ConfigError> {
        let mut figment = Figment::from(Serialized::defaults(self.defaults()));
        if let Some(path) = &self.file {
            let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
                path: path.clone(),
                reason: error.to_string(),
            })?;
            figment = figment.merge(File { path: path.clone(), text });
        }
        figment = figment.merge(Environment(&self.environment)).merge(Flags(self));
        let config: Config = figment.extract().map_err(|error| {
            ConfigError::Values(error.into_iter().map(|error| describe(&error)).collect())
        })?;
        let problems = check(&config);
        if problems.is_empty() { Ok((config, figment)) } else { Err(ConfigError::Values(problems)) }
    }

    fn defaults(&self) -> Config {
        let variable = |name: &str| {
            let found = self.environment.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
        };
        let mut config = Config::default();
        if let Some(runtime) = variable("XDG_RUNTIME_DIR") {
            config.listen = vec![Listen::Unix(runtime.join("gsar/gsar.sock"))];
        }
        let home =
            variable("HOME").filter(|home| home != Path::new("/") && home != Path::new("/root"));
        if let Some(state) =
            variable("XDG_STATE_HOME").or_else(|| home.map(|home| home.join(".local/state")))
        {
            config.data_dir = state.join("gsar");
        }
        config
    }
}

fn describe(error: &Error) -> String {
    let key = error.path.join(".");
    let origin = error.metadata.as_ref().map(|metadata| match &metadata.source {
        Some(source) => format!(" (in {source})"),
        None => format!(" (in the {})", metadata.name),
    });
    let origin = origin.unwrap_or_default();
    if key.is_empty() {
        format!("{}{origin}", error.kind)
    } else {
        format!("{key}: {}{origin}", error.kind)
    }
}

fn check(config: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    if config.listen.is_empty() {
        problems.push("listen: is empty; name at least one address".to_owned());
    }
    if config.judges.chain.is_empty() {
        problems.push("judges.chain: is empty; name at least one judge".to_owned());
    }
    let limits = &config.limits;
    for (key, given) in [
        ("limits.message", limits.message.0),
        ("limits.claims", limits.claims as u64),
        ("limits.evidence_items", limits.evidence_items as u64),
        ("limits.text", limits.text.0),
        ("limits.claim_text", limits.claim_text.0),
        ("limits.calls_in_flight", limits.calls_in_flight as u64),
        ("evidence.max_corpus_size", config.evidence.max_corpus_size.0),
        ("evidence.max_size", config.evidence.max_size.0),
        ("evidence.embedding_workers", config.evidence.embedding_workers as u64),
    ] {
        if given == 0 {
            problems.push(format!("{key}: 0 allows nothing; give 1 or more"));
        }
    }
    if limits.message.0 > u64::from(u32::MAX) {
        problems.push(format!(
            "limits.message: {} is above 4GiB, the most gRPC carries",
            limits.message
        ));
    }
    if config.ledger.max_size.is_some_and(|size| size.0 < 1 << 20) {
        problems.push(
            "ledger.max_size: is below 1MiB, less than an empty ledger takes; give more".to_owned(),
        );
    }
    if config.ledger.max_age.is_some_and(|age| age.0 < std::time::Duration::from_secs(1)) {
        problems.push("ledger.max_age: is below 1s; give more".to_owned());
    }
    if limits.default_deadline > limits.max_deadline {
        problems.push(format!(
            "limits.default_deadline: {} is above limits.max_deadline {}; lower it",
            limits.default_deadline, limits.max_deadline
        ));
    }
    problems
}

/// A TOML file, read once, with its path as the origin of its values.
struct File {
    path: PathBuf,
    text: String,
}

impl Provider for File {
    fn metadata(&self) -> Metadata {
        Metadata::from("file", self.path.as_path())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        Toml::string(&self.text).data()
    }
}

/// `GSAR_SECTION__KEY=value`; values are read as TOML where they are TOML, as text otherwise.
struct Environment<'a>(&'a [(String, String)]);

impl Provider for Environment<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment")
            .interpolater(|_, keys| format!("GSAR_{}", keys.join("__").to_ascii_uppercase()))
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        // The client's variables share the prefix.
        const NOT_OURS: [&str; 2] = ["GSAR_ENDPOINT", "GSAR_CONFIG"];
        let mut dict = Dict::new();
        for (name, value) in self.0.iter().filter(|(name, _)| !NOT_OURS.contains(&name.as_str())) {
            let Some(key) = name.strip_prefix("GSAR_") else { continue };
            let key = key.to_ascii_lowercase().replace("__", ".");
            let Ok(value) = value.parse::<Value>();
            if let Some(nested) = figment::util::nest(&key, value).into_dict() {
                join(&mut dict, nested);
            }
        }
        Ok(Profile::Default.collect(dict))
    }
}

fn join(into: &mut Dict, from: Dict) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Dict(_, present)), Value::Dict(_, added)) => join(present, added),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

struct Flags<'a>(&'a Sources);

impl Provider for Flags<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named("command line")
            .interpolater(|_, keys| format!("--{}", keys.join("-").replace('_', "-")))
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let sources = self.0;
        let mut dict = Dict::new();
        if !sources.listen.is_empty() {
            let urls: Vec<String> = sources.listen.iter().map(ToString::to_string).collect();
            dict.insert("listen".to_owned(), urls.into());
        }
        if let Some(path) = &sources.data_dir {
            dict.insert("data_dir".to_owned(), path.to_string_lossy().into_owned().into());
        }
        if let Some(format) = sources.log_format {
            let name = match format {
                LogFormat::Json => "json",
                LogFormat::Pretty => "pretty",
            };
            let log = Dict::from([("format".to_owned(), name.into())]);
            dict.insert("log".to_owned(), log.into());
        }
        Ok(Profile::Default.collect(dict))
    }
}

#[cfg(test)]
mod tests {
    use super::super::effective;
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gsar.toml");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn later_sources_win() {
        let (_folder, path) =
            file("data_dir = \"/file\"\n[limits]\nclaims = 7\nmessage = \"1MiB\"\n");
        let sources = Sources {
            file: Some(path),
            environment: environment(&[
                ("GSAR_LIMITS__CLAIMS", "8"),
                ("GSAR_LIMITS__TEXT", "4096"),
                ("GSAR_LISTEN", "[\"grpc://127.0.0.1:0\"]"),
                ("GSAR_ENDPOINT", "unix:///elsewhere"),
            ]),
            data_dir: Some(PathBuf::from("/flag")),
            ..Sources::default()
        };
        let (config, figment) = sources.load().unwrap();
        assert_eq!(config.limits.claims, 8);
        assert_eq!(config.limits.text.0, 4096);
        assert_eq!(config.limits.message.0, 1 << 20);
        assert_eq!(config.data_dir, Path::new("/flag"));
        assert_eq!(config.listen, [Listen::Tcp("127.0.0.1:0".parse().unwrap())]);
        let printed = effective(&config, &figment);
        assert!(printed.contains("data_dir = \"/flag\""), "{printed}");
        assert!(printed.contains("# --data-dir"), "{printed}");
        assert!(printed.contains("# GSAR_LIMITS__CLAIMS"), "{printed}");
    }

    #[test]
    fn a_key_with_a_dot_keeps_its_origin() {
        let text = "[judges.models.\"openai:gpt-4.1\"]\nsamples = 3\n[judges.panels.court]\nmembers = [{ judge = \"rules/1\" }]\n";
        let (_folder, path) = file(text);
        let sources = Sources { file: Some(path), ..Sources::default() };
        let (config, figment) = sources.load().unwrap();
        let printed = effective(&config, &figment);
        let origin = |start: &str| {
            let line = printed.lines().find(|line| line.starts_with(start)).unwrap();
            line.rsplit(" # ").next().unwrap().to_owned()
        };
        assert!(origin("samples = 3").ends_with("gsar.toml"), "{printed}");
        assert!(origin("members = [").ends_with("gsar.toml"), "{printed}");
        assert_eq!(origin("attempts = 3"), "default");
    }

    #[test]
    fn unknown_keys_and_wrong_values_name_key_and_place() {
        for (text, words) in [
            ("colour = 1", vec!["colour", "gsar.toml"]),
            ("[limits]\nclaims = \"many\"", vec!["limits.claims", "gsar.toml"]),
            ("[limits]\nmessage = \"1 parsec\"", vec!["limits.message", "1 parsec", "16MiB"]),
            ("listen = [\"http://x\"]", vec!["listen", "http://x", "unix:///"]),
            ("listen = []\n[limits]\nclaims = 0", vec!["2 problems", "listen", "limits.claims"]),
        ] {
            let (_folder, path) = file(text);
            let sources = Sources { file: Some(path), ..Sources::default() };
            let message = sources.load().unwrap_err().to_string();
            for word in words {
                assert!(message.contains(word), "`{word}` in: {message}");
            }
        }
    }

    #[test]
    fn sizes_and_durations_survive_their_text() {
        for text in ["1GiB", "16MiB", "64KiB", "1000", "0"] {
            assert_eq!(text.parse::<super::super::Bytes>().unwrap().to_string(), text);
        }
        for text in ["250ms", "10s", "5m", "30days"] {
            let parsed: super::super::Duration = text.parse().unwrap();
            assert_eq!(parsed.to_string().parse::<super::super::Duration>().unwrap(), parsed);
        }
    }
}
