//! Reads and merges the sources of the configuration.

use std::path::{Path, PathBuf};

use figment::providers::{Format as _, Serialized, Toml};
use figment::value::{Dict, Map};
use figment::{Error, Figment, Metadata, Profile, Provider};

use super::check::check;
use super::environment::{Environment, is_from_kubernetes};
use super::values::{Config, Listen, LogFormat};
use super::{Problems, shape};

/// The sources of the configuration: file, environment and flags. Later sources take precedence.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The TOML file.
    pub file: Option<PathBuf>,
    /// All environment variables. Only those named `GSAR_…` are used.
    pub environment: Vec<(String, String)>,
    /// `--listen`.
    pub listen: Vec<Listen>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// `--log-format`.
    pub log_format: Option<LogFormat>,
    /// `--judge`.
    pub judge: Option<String>,
    /// `--judge-url`.
    pub judge_url: Option<String>,
}

/// The configuration, before files and judges are checked.
#[derive(Debug)]
pub struct Loaded {
    /// The values. Invalid values have been replaced by their defaults.
    pub config: Config,
    /// The merged layers, which record the origin of each value.
    pub layers: Figment,
    /// The errors found so far.
    pub problems: Problems,
}

impl Sources {
    /// Reads and merges all sources.
    ///
    /// # Errors
    /// Returns [`Problems`] if a source cannot be read or parsed.
    pub fn load(&self) -> Result<Loaded, Problems> {
        let defaults = self.defaults();
        let mut layers = Figment::from(Serialized::defaults(&defaults));
        if let Some(path) = &self.file {
            let mut problems = Problems::default();
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("{}: {error}; name a readable file", path.display()));
            let Some(text) = problems.note(&[], text) else { return Err(problems) };
            let file = File { path: path.clone(), text };
            if let Err(error) = file.data() {
                let error = without_snippet(&error.kind.to_string());
                problems.add(&[], format!("{}: {error}", path.display()));
                return Err(problems);
            }
            layers = layers.merge(file);
        }
        let layers = layers.merge(Environment(&self.environment)).merge(Flags(self));
        let (config, mut problems) =
            shape::deserialize(&layers, &defaults).map_err(|mut problems| {
                problems.locate(&layers);
                problems
            })?;
        check(&config, &mut problems);
        problems.locate(&layers);
        Ok(Loaded { config, layers, problems })
    }

    /// Returns the variables that are ignored because Kubernetes sets them for a Service.
    #[must_use]
    pub fn ignored_variables(&self) -> Vec<&str> {
        let from_kubernetes = |(name, value): &&(String, String)| is_from_kubernetes(name, value);
        self.environment.iter().filter(from_kubernetes).map(|(name, _)| name.as_str()).collect()
    }

    fn defaults(&self) -> Config {
        let variable = |name: &str| {
            let variable = self.environment.iter().find(|(key, _)| key == name);
            variable.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
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

/// Removes the quoted source line from a parse error, since it can contain a password.
fn without_snippet(error: &str) -> String {
    let is_snippet = |line: &&str| {
        let number = line.split_once('|').map(|(number, _)| number.trim());
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let lines = error.lines().filter(|line| !is_snippet(line) && !line.trim().is_empty());
    lines.collect::<Vec<_>>().join(": ")
}

/// A TOML file, read once. Its path is the origin of its values.
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

struct Flags<'a>(&'a Sources);

impl Provider for Flags<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named("command line").interpolater(|_, keys| match keys {
            ["judges", "chain", ..] => "--judge".to_owned(),
            ["judges", "models", ..] => "--judge-url".to_owned(),
            keys => format!("--{}", keys.join("-").replace('_', "-")),
        })
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
        if let Some(judge) = &sources.judge {
            let mut judges = Dict::from([("chain".to_owned(), vec![judge.clone()].into())]);
            if let Some(url) = &sources.judge_url {
                let model = Dict::from([("base_url".to_owned(), url.clone().into())]);
                let models = Dict::from([(judge.clone(), model.into())]);
                judges.insert("models".to_owned(), models.into());
            }
            dict.insert("judges".to_owned(), judges.into());
        }
        Ok(Profile::Default.collect(dict))
    }
}

#[cfg(test)]
mod tests {
    use super::super::effective_toml;
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
    fn later_sources_take_precedence() {
        let (_folder, path) =
            file("data_dir = \"/file\"\n[limits]\nclaims = 7\nmessage = \"1MiB\"\n");
        let sources = Sources {
            file: Some(path),
            environment: environment(&[
                ("GSAR_LIMITS__CLAIMS", "8"),
                ("GSAR_LIMITS__TEXT", "4096"),
                ("GSAR_LISTEN", "[\"grpc://127.0.0.1:0\"]"),
                ("GSAR_ENDPOINT", "unix:///elsewhere"),
                ("GSAR_TOKEN_FILE", "/elsewhere"),
                ("GSAR_CONSOLE", "https://elsewhere/console/"),
                ("GSAR_REQUIRE", "postgres"),
                ("GSAR_TEST_DEEP", "1"),
            ]),
            data_dir: Some(PathBuf::from("/flag")),
            ..Sources::default()
        };
        let Loaded { config, layers: figment, .. } = sources.load().unwrap();
        assert_eq!(config.limits.claims, 8);
        assert_eq!(config.limits.text.0, 4096);
        assert_eq!(config.limits.message.0, 1 << 20);
        assert_eq!(config.data_dir, Path::new("/flag"));
        assert_eq!(config.listen, [Listen::Tcp("127.0.0.1:0".parse().unwrap())]);
        let printed = effective_toml(&config, &figment);
        assert!(printed.contains("data_dir = \"/flag\""), "{printed}");
        assert!(printed.contains("# --data-dir"), "{printed}");
        assert!(printed.contains("# GSAR_LIMITS__CLAIMS"), "{printed}");
    }

    #[test]
    fn flags_set_a_judge_and_its_url() {
        let judge = "openai-compatible:qwen3:8b".to_owned();
        let sources = Sources {
            environment: environment(&[("GSAR_JUDGES__CHAIN", "[\"rules/2\"]")]),
            judge: Some(judge.clone()),
            judge_url: Some("http://127.0.0.1:8000/v1".to_owned()),
            ..Sources::default()
        };
        let Loaded { config, layers, problems } = sources.load().unwrap();
        assert!(problems.is_empty(), "{problems}");
        assert_eq!(config.judges.chain, std::slice::from_ref(&judge));
        let url = config.judges.models[&judge].base_url.as_deref();
        assert_eq!(url, Some("http://127.0.0.1:8000/v1"));
        let printed = effective_toml(&config, &layers);
        assert!(
            printed.contains("# --judge\n") && printed.contains("# --judge-url\n"),
            "{printed}"
        );
    }

    #[test]
    fn a_key_with_a_dot_keeps_its_origin() {
        let text = "[judges.models.\"openai:gpt-4.1\"]\nsamples = 3\n[judges.panels.court]\nmembers = [{ judge = \"rules/2\" }]\n";
        let (_folder, path) = file(text);
        let sources = Sources { file: Some(path), ..Sources::default() };
        let Loaded { config, layers: figment, .. } = sources.load().unwrap();
        let printed = effective_toml(&config, &figment);
        let origin = |start: &str| {
            let line = printed.lines().find(|line| line.starts_with(start)).unwrap();
            line.rsplit(" # ").next().unwrap().to_owned()
        };
        assert!(origin("samples = 3").ends_with("gsar.toml"), "{printed}");
        assert!(origin("members = [").ends_with("gsar.toml"), "{printed}");
        assert_eq!(origin("attempts = 3"), "default");
    }

    fn problems(text: &str) -> String {
        let (_folder, path) = file(text);
        let sources = Sources { file: Some(path), ..Sources::default() };
        sources.load().map_or_else(|error| error.to_string(), |loaded| loaded.problems.to_string())
    }

    #[test]
    fn errors_name_the_key_and_the_origin() {
        for (text, expected_parts) in [
            ("colour = 1", vec!["colour: unknown key", "listen", "gsar.toml"]),
            (
                "[limits]\nclaims = \"many\"",
                vec!["limits.claims", "many", "a whole number", "gsar.toml"],
            ),
            ("[limits]\nmessage = \"1 parsec\"", vec!["limits.message", "1 parsec", "16MiB"]),
            ("[limits]\nmessage = true", vec!["limits.message", "true", "16MiB"]),
            (
                "[judges.models.\"openai:a.b\"]\ntimeout = []",
                vec!["judges.models.\"openai:a.b\".timeout", "10s"],
            ),
            (
                "[judges.panels.court]\nmembers = [{ weight = 1 }]",
                vec!["judges.panels.court.members.0.judge: is missing"],
            ),
            ("[log]\nformat = \"xml\"", vec!["log.format: `xml`", "json, pretty"]),
            (
                "[policies]\nallow_overrides = true",
                vec!["policies.allow_overrides", "true", "a string in quotes"],
            ),
            ("limits = 3", vec!["limits: ", "a table"]),
            ("[judges]\nsecond_opinion = true", vec!["judges.second_opinion", "gsar.toml"]),
            ("listen = [\"http://x\"]", vec!["listen", "http://x", "unix:///"]),
            ("listen = []\n[limits]\nclaims = 0", vec!["2 problems", "listen", "limits.claims"]),
            ("listen = [", vec!["1 problem", "gsar.toml"]),
        ] {
            let message = problems(text);
            for part in expected_parts {
                assert!(message.contains(part), "expected {part:?} in: {message}");
            }
            for rust_term in ["untagged", "struct", "enum ", "usize", "TextOrNumber"] {
                assert!(!message.contains(rust_term), "{rust_term:?} must not be in: {message}");
            }
        }
    }

    #[test]
    fn reports_every_invalid_value() {
        let text = "colour = 1\nlisten = [7]\n[limits]\nclaims = \"many\"\nmessage = -1\nshape = 2\n\
                    [judges]\nchain = 5\n[judges.models.\"ollama:m\"]\nattempts = \"x\"\nsize = 1\n[log]\nlevel = 3";
        let message = problems(text);
        assert!(message.starts_with("configuration: 9 problems"), "{message}");
        for key in [
            "colour",
            "listen.0",
            "limits.claims",
            "limits.message",
            "limits.shape",
            "judges.chain",
            "judges.models.\"ollama:m\".attempts",
            "judges.models.\"ollama:m\".size",
            "log.level",
        ] {
            assert!(message.contains(&format!("\n  {key}: ")), "expected {key:?} in: {message}");
        }
    }

    #[test]
    fn errors_name_environment_variables() {
        let sources = Sources {
            environment: environment(&[
                ("GSAR_LIMITS__CLAIMS", "0"),
                ("GSAR_PORT", "tcp://10.0.0.1:50051"),
                ("GSAR_SERVICE_HOST", "10.0.0.1"),
            ]),
            ..Sources::default()
        };
        let problems = sources.load().unwrap().problems.to_string();
        assert!(
            problems.contains(
                "limits.claims: 0 allows nothing; set it to 1 or more (from GSAR_LIMITS__CLAIMS)"
            ),
            "{problems}"
        );
        assert_eq!(sources.ignored_variables(), ["GSAR_PORT", "GSAR_SERVICE_HOST"]);
    }

    #[test]
    fn sizes_and_durations_round_trip() {
        for text in ["1GiB", "16MiB", "64KiB", "1000", "0"] {
            assert_eq!(text.parse::<super::super::Bytes>().unwrap().to_string(), text);
        }
        for text in ["250ms", "10s", "5m", "1m 30s", "30days", "0s"] {
            let parsed: super::super::Duration = text.parse().unwrap();
            assert_eq!(parsed.to_string(), text);
        }
        for text in ["", "5", "-5s", "5s ago", "1month", "10 parsecs"] {
            let error = text.parse::<super::super::Duration>().unwrap_err();
            assert!(error.contains("invalid duration"), "{text}: {error}");
        }
    }
}
