//! The configuration's values and defaults. Values include their units: `10s`, `4MiB`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use jiff::fmt::friendly::SpanPrinter;
use jiff::{Span, SpanRelativeTo};
use serde::de::Visitor;
use serde::{Deserialize, Serialize};

use super::evidence::{EmbeddingsMode, Evidence};
use super::gateway::Gateway;
use super::models::{Model, Panel};
use super::security::Security;
use super::storage::Storage;
use super::tls::Tls;
use super::traces::Traces;

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The gRPC addresses: `unix:///path/to.sock`, `grpc://address:port` or `grpcs://address:port`. At
    /// least one is required.
    pub listen: Vec<Listen>,
    /// The address of /metrics, /livez and /readyz, as `host:port`. If absent, they are not served.
    #[serde(deserialize_with = "admin_address", default)]
    pub admin: Option<SocketAddr>,
    /// The directory of the ledger and the evidence. Only one server can use it at a time.
    pub data_dir: PathBuf,
    /// The HTTP gateway.
    pub gateway: Gateway,
    /// The TLS files of `grpcs://` listeners.
    pub tls: Tls,
    /// The authentication of callers.
    pub security: Security,
    /// Limits on requests.
    pub limits: Limits,
    /// The policies.
    pub policies: Policies,
    /// The judges.
    pub judges: Judges,
    /// A database that several servers share.
    pub storage: Storage,
    /// The ledger.
    pub ledger: Ledger,
    /// The evidence store.
    pub evidence: Evidence,
    /// Logging.
    pub log: Log,
    /// The export of traces.
    pub traces: Traces,
    /// Shutdown.
    pub shutdown: Shutdown,
}

/// Limits on requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of a message.
    pub message: Bytes,
    /// The maximum number of claims in a report.
    pub claims: usize,
    /// The maximum number of evidence items in a request.
    pub evidence_items: usize,
    /// The maximum length of a synthesis or of one item's content.
    pub text: Bytes,
    /// The maximum length of a claim.
    pub claim_text: Bytes,
    /// The maximum number of calls in flight over all connections. Further calls are refused.
    pub calls_in_flight: usize,
    /// The maximum number of reports in flight per EvaluateStream. At the limit, the stream is not read.
    pub stream_in_flight: usize,
    /// The maximum number of units of work per call. Reading one byte once costs about one unit.
    pub work: u64,
    /// The maximum memory for all calls in flight. Defaults to half the memory of the control group or
    /// machine.
    pub memory: Option<Bytes>,
    /// The deadline for calls that set none.
    pub default_deadline: Duration,
    /// The maximum deadline. Longer deadlines are reduced to it.
    pub max_deadline: Duration,
}

/// The policies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policies {
    /// The policy for requests that name none.
    pub default: String,
    /// A directory of policy files (`*.toml`), reloaded on SIGHUP.
    pub dir: Option<PathBuf>,
    /// Policies that requests may use even if they are looser than the default.
    pub allowed: Vec<String>,
    /// The overrides that requests may use: `none`, `stricter` or `any`.
    pub allow_overrides: AllowOverrides,
}

/// The overrides of single policy values that requests may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowOverrides {
    /// No overrides.
    None,
    /// Overrides that result in a policy that is no looser than the default.
    Stricter,
    /// Any overrides.
    Any,
}

/// The judges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judges {
    /// The chain. A judge is called only if the previous one failed. Entries are [`EMBEDDED`], `local/1`,
    /// `rules/2`, a chat model as `provider:model`, or a panel as `panel:name`.
    pub chain: Vec<String>,
    /// The settings of chat models, by `provider:model`. Models without an entry use the defaults.
    pub models: BTreeMap<String, Model>,
    /// The panels of voting judges, by name.
    pub panels: BTreeMap<String, Panel>,
    /// The size of the memory cache for chat models' answers. 0 disables it.
    pub cache_memory: Bytes,
    /// The size of the disk cache for chat models' answers. 0 disables it.
    pub cache_disk: Bytes,
    /// The lifetime of cached answers.
    pub cache_time_to_live: Duration,
    /// The maximum cost of chat models per UTC day, in millionths of a dollar. Unlimited if absent.
    pub daily_budget: Option<u64>,
    /// The model of `local/1`.
    pub local: Local,
    /// The reader for second looks: [`SAME_READER`], [`NO_READER`], `local/1`, a chat model as
    /// `provider:model`, or a panel as `panel:name`.
    pub second_look: String,
    /// The chat model for LookAtEntity, as `provider:model`. If absent, callers cannot request a model.
    pub look: Option<String>,
    /// Regular expressions, by name, for text to redact in addition to secrets and personal data.
    pub hidden: BTreeMap<String, String>,
}

/// The value of `second_look` for which the judge itself is the reader, if it is a chat model.
pub const SAME_READER: &str = "same";
/// The value of `second_look` that turns second looks off.
pub const NO_READER: &str = "off";

/// The name of the built-in judge: `local/1` if ONNX Runtime is available, and `rules/2` otherwise.
pub const EMBEDDED: &str = "embedded";

/// The model of the judge `local/1`. It is loaded only if the chain or a panel names that judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Local {
    /// The folder of an ONNX cross-encoder, with `model.onnx`, `tokenizer.json`, and `config.json` with
    /// `id2label`. Defaults to the built-in model.
    pub model: Option<PathBuf>,
    /// The number of model sessions, 1 to 64. Each has a thread and a copy of the weights.
    pub workers: usize,
}

/// The ledger, which records evaluations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// `true` if evaluations are recorded.
    pub enabled: bool,
    /// `true` if an evaluation is synced to disk before it is acknowledged. Otherwise it survives a crash
    /// of the server, but not of the machine.
    pub durable: bool,
    /// The age at which evaluations are deleted. If absent, they are never deleted.
    pub max_age: Option<Duration>,
    /// The maximum size of the ledger. Above it, the oldest evaluations are deleted. Unlimited if absent.
    pub max_size: Option<Bytes>,
    /// Which part of the evidence is recorded.
    pub evidence: EvidenceRetention,
}

/// The part of a request's evidence that the ledger records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceRetention {
    /// All of it. Equal contents are stored only once.
    Full,
    /// At most the first 1,024 bytes of each item.
    Head,
}

/// Logging.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// `json` or `pretty`.
    pub format: LogFormat,
    /// A filter such as `info` or `gsar_server=debug,warn`.
    pub level: String,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    /// Human-readable text.
    Pretty,
}

/// Shutdown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shutdown {
    /// The time between reporting the health status NOT_SERVING and refusing new calls.
    pub notice: Duration,
    /// The maximum time that calls in flight may take after that.
    pub grace: Duration,
}

impl Default for Config {
    fn default() -> Self {
        let seconds = |seconds| Duration(std::time::Duration::from_secs(seconds));
        Self {
            listen: vec![Listen::Unix(PathBuf::from("/run/gsar/gsar.sock"))],
            admin: None,
            data_dir: PathBuf::from("/var/lib/gsar"),
            gateway: Gateway::default(),
            tls: Tls::default(),
            security: Security::default(),
            limits: Limits {
                message: Bytes(16 << 20),
                claims: 2_000,
                evidence_items: 10_000,
                text: Bytes(8 << 20),
                claim_text: Bytes(16 << 10),
                calls_in_flight: 256,
                stream_in_flight: 16,
                work: 20_000_000_000,
                memory: None,
                default_deadline: seconds(30),
                max_deadline: seconds(300),
            },
            policies: Policies {
                default: "reference".to_owned(),
                dir: None,
                allowed: Vec::new(),
                allow_overrides: AllowOverrides::Stricter,
            },
            judges: Judges {
                chain: vec![EMBEDDED.to_owned()],
                models: BTreeMap::new(),
                panels: BTreeMap::new(),
                cache_memory: Bytes(16 << 20),
                cache_disk: Bytes(64 << 20),
                cache_time_to_live: Duration(std::time::Duration::from_secs(24 * 3_600)),
                daily_budget: None,
                local: Local { model: None, workers: 2 },
                second_look: SAME_READER.to_owned(),
                look: None,
                hidden: BTreeMap::new(),
            },
            storage: Storage::default(),
            ledger: Ledger {
                enabled: true,
                durable: true,
                max_age: None,
                max_size: None,
                evidence: EvidenceRetention::Full,
            },
            evidence: Evidence {
                enabled: true,
                max_corpus_size: Bytes(2 << 30),
                max_size: Bytes(16 << 30),
                time_to_live: Some(seconds(30 * 24 * 3_600)),
                kept_in_memory: Bytes(16 << 20),
                attested: Vec::new(),
                checks: Vec::new(),
                embeddings: EmbeddingsMode::Auto,
                model: None,
                onnxruntime: None,
                embedding_workers: 1,
            },
            log: Log { format: LogFormat::Json, level: "info".to_owned() },
            traces: Traces::default(),
            shutdown: Shutdown { notice: seconds(0), grace: seconds(25) },
        }
    }
}

/// A gRPC listen address, written as a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// `unix:///path/to.sock`.
    Unix(PathBuf),
    /// `grpc://address:port`, without TLS.
    Tcp(SocketAddr),
    /// `grpcs://address:port`, with TLS.
    Tls(SocketAddr),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix://") {
            if path.starts_with('/') {
                return Ok(Self::Unix(PathBuf::from(path)));
            }
            return Err(format!("`{text}` has no absolute path; write unix:///path/to.sock"));
        }
        for (scheme, listen) in
            [("grpc://", Self::Tcp as fn(SocketAddr) -> Self), ("grpcs://", Self::Tls)]
        {
            if let Some(address) = text.strip_prefix(scheme) {
                return address.parse().map(listen).map_err(|_| {
                    format!("`{text}` has no IP address and port; write {scheme}127.0.0.1:4317")
                });
            }
        }
        Err(format!(
            "invalid address `{text}`; use unix:///path/to.sock, grpc://address:port or grpcs://address:port"
        ))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Tcp(address) => write!(f, "grpc://{address}"),
            Self::Tls(address) => write!(f, "grpcs://{address}"),
        }
    }
}

/// A duration, written as `250ms`, `10s`, `5m` or `30days`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub std::time::Duration);

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = |text: &str| -> Result<std::time::Duration, jiff::Error> {
            let days_are_24_hours = SpanRelativeTo::days_are_24_hours();
            std::time::Duration::try_from(text.parse::<Span>()?.to_duration(days_are_24_hours)?)
        };
        parse(text).map(Self).map_err(|error| {
            format!(
                "invalid duration `{text}`: {error}; use a duration such as 250ms, 10s or 30days"
            )
        })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: u64 = 86_400;
        match self.0.as_secs() {
            days if self.0.subsec_nanos() == 0 && days > 0 && days.is_multiple_of(DAY) => {
                write!(f, "{}days", days / DAY)
            }
            _ => f.write_str(&SpanPrinter::new().unsigned_duration_to_string(&self.0)),
        }
    }
}

/// A size, written as `64KiB`, `16MiB`, `2GiB` or a plain number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number_and_unit = UNITS
            .into_iter()
            .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, unit)));
        let (number, unit) = number_and_unit.unwrap_or((text, 1));
        let number: Option<u64> = number.trim().parse().ok();
        number.and_then(|number| number.checked_mul(unit)).map(Self).ok_or_else(|| {
            format!("invalid size `{text}`; use a size such as 64KiB, 16MiB, 2GiB or 4096")
        })
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_divisor = |(_, unit): &(&str, u64)| self.0 > 0 && self.0.is_multiple_of(*unit);
        match UNITS.into_iter().find(is_divisor) {
            Some((suffix, unit)) => write!(f, "{}{suffix}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

fn admin_address<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    text.parse().map(Some).map_err(|_| {
        let description = format!("`{text}` has no IP address and port; write 127.0.0.1:9464");
        serde::de::Error::custom(description)
    })
}

/// Implements serde for values that are written as strings.
macro_rules! as_text {
    ($($name:ident: $expected:literal),*) => {$(
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(TextOrNumber { expected: $expected, value: PhantomData })
            }
        }
    )*};
}

as_text!(
    Listen: "an address such as unix:///run/gsar/gsar.sock, grpc://127.0.0.1:4317 or grpcs://0.0.0.0:4317",
    Duration: "a duration such as 250ms, 10s or 5m",
    Bytes: "a size such as 64KiB, 16MiB, 2GiB or 4096"
);

/// Deserializes a string or a number. The environment layer parses digits as numbers.
struct TextOrNumber<T> {
    expected: &'static str,
    value: PhantomData<T>,
}

impl<T: FromStr<Err = String>> Visitor<'_> for TextOrNumber<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }
}
