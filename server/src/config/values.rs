//! What can be configured, with defaults. Units are part of the value: `10s`, `4MiB`.

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

use super::evidence::{EmbeddingsWanted, Evidence};
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
    /// Where to listen: `unix:///path/to.sock`, `grpc://address:port` or `grpcs://address:port`; at least one.
    pub listen: Vec<Listen>,
    /// Where /metrics, /livez and /readyz answer: `host:port`; absent for nowhere.
    #[serde(deserialize_with = "admin_address", default)]
    pub admin: Option<SocketAddr>,
    /// The directory that holds the ledger and the evidence; owned by one server at a time.
    pub data_dir: PathBuf,
    /// The contract over HTTP.
    pub gateway: Gateway,
    /// The certificate of `grpcs://` listeners and the clients that they admit.
    pub tls: Tls,
    /// Who may call.
    pub security: Security,
    /// Bounds on what a caller may ask.
    pub limits: Limits,
    /// The policies of this server.
    pub policies: Policies,
    /// The judges of this server.
    pub judges: Judges,
    /// A database that several servers share.
    pub storage: Storage,
    /// The record of evaluations.
    pub ledger: Ledger,
    /// Evidence that outlives one call.
    pub evidence: Evidence,
    /// What is logged and how.
    pub log: Log,
    /// Where traces go.
    pub traces: Traces,
    /// How the server stops.
    pub shutdown: Shutdown,
}

/// Bounds on what a caller may ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The largest message.
    pub message: Bytes,
    /// The most claims of a report.
    pub claims: usize,
    /// The most evidence items of a request.
    pub evidence_items: usize,
    /// The longest synthesis, and the longest content of an item.
    pub text: Bytes,
    /// The longest claim.
    pub claim_text: Bytes,
    /// The most calls in progress over all connections; more are refused at once.
    pub calls_in_flight: usize,
    /// The most reports of one EvaluateStream that are evaluated or unread; nothing more is read meanwhile.
    pub stream_in_flight: usize,
    /// The most units of work that one call may take; a unit is about reading a byte once.
    pub work: u64,
    /// The most memory that the calls in progress may take; half of the control group's or the machine's where absent.
    pub memory: Option<Bytes>,
    /// The deadline of a call that brings none.
    pub default_deadline: Duration,
    /// The longest deadline; a call that asks for more gets this.
    pub max_deadline: Duration,
}

/// The policies of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policies {
    /// The policy of requests that name none.
    pub default: String,
    /// A directory of policy files (`*.toml`); read again on SIGHUP.
    pub dir: Option<PathBuf>,
    /// Policies that requests may name although they are looser than the default.
    pub allowed: Vec<String>,
    /// Whether requests may override single values: `none`, `stricter` (where the policy that comes of them is no looser
    /// than the default) or `any`. `false` and `true` of older files are `none` and `any`.
    pub allow_overrides: AllowOverrides,
}

/// Which overrides of single values a request may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowOverrides {
    /// None.
    None,
    /// Those that leave the policy no looser than the default.
    Stricter,
    /// Any, of a policy that the request may name.
    Any,
}

impl<'de> Deserialize<'de> for AllowOverrides {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Switch(bool),
            Text(String),
        }
        let refused = |given: &str| {
            let message = format!("`{given}` is not one of none, stricter, any");
            Err(serde::de::Error::custom(message))
        };
        match Given::deserialize(deserializer) {
            Ok(Given::Switch(false)) => Ok(Self::None),
            Ok(Given::Switch(true)) => Ok(Self::Any),
            Ok(Given::Text(text)) => match text.as_str() {
                "none" => Ok(Self::None),
                "stricter" => Ok(Self::Stricter),
                "any" => Ok(Self::Any),
                _ => refused(&text),
            },
            Err(_) => refused("what is given"),
        }
    }
}

/// The judges of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judges {
    /// Judges in the order in which they are asked; the next one only when one fails. [`EMBEDDED`], `local/1`,
    /// `rules/2`, a chat model as `provider:model`, or a panel as `panel:name`.
    pub chain: Vec<String>,
    /// How chat models are asked, by `provider:model`; for those that are asked and not here the defaults.
    pub models: BTreeMap<String, Model>,
    /// Judges that vote together, by name.
    pub panels: BTreeMap<String, Panel>,
    /// Answers of chat models that stay in memory; 0 for none.
    pub cache_memory: Bytes,
    /// Answers of chat models that stay on disk; 0 for none.
    pub cache_disk: Bytes,
    /// How long an answer is given again.
    pub cache_time_to_live: Duration,
    /// What chat models may cost in a day (UTC), in millionths of a dollar; absent for no bound.
    pub daily_budget: Option<u64>,
    /// The model of the judge `local/1`.
    pub local: Local,
    /// Who reads what a judge supports a second time: [`SAME_READER`], [`NO_READER`], a chat model as `provider:model`, a
    /// panel as `panel:name`, or `local/1`.
    pub second_look: String,
    /// The chat model that says what an entity of an investigation's graph is, as `provider:model`; absent for none.
    pub look: Option<String>,
    /// What is hidden from chat models besides secrets and personal data: regular expressions by name.
    pub hidden: BTreeMap<String, String>,
}

/// As the reader of second looks, the judge that judged, where it is a chat model.
pub const SAME_READER: &str = "same";
/// As the reader of second looks, nobody.
pub const NO_READER: &str = "off";

/// In the chain, the judge with the shipped model where ONNX Runtime is at hand, else the one over facts.
pub const EMBEDDED: &str = "embedded";

/// The model of the judge `local/1`, which is loaded where the chain or a panel names that judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Local {
    /// The folder of an ONNX cross-encoder (`model.onnx`, `tokenizer.json`, and `config.json` with `id2label`); absent
    /// for the shipped one.
    pub model: Option<PathBuf>,
    /// Sessions of the model, each with a thread and a copy of the weights, 1 to 64.
    pub workers: usize,
}

/// The record of evaluations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Whether evaluations are recorded at all.
    pub enabled: bool,
    /// Whether an evaluation is on disk before it is acknowledged. Off: it survives a crash of the server,
    /// not of the machine.
    pub durable: bool,
    /// Evaluations older than this are deleted; absent to keep them.
    pub max_age: Option<Duration>,
    /// Oldest evaluations are deleted when the ledger grows beyond this; absent for no bound.
    pub max_size: Option<Bytes>,
    /// What is kept of evidence that comes with a request.
    pub evidence: EvidenceKept,
}

/// What the ledger keeps of evidence that comes with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKept {
    /// All of it, each content once however many evaluations have it.
    Full,
    /// At most the first 1,024 bytes of each item.
    Head,
}

/// What is logged and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// `json` or `pretty`.
    pub format: LogFormat,
    /// A filter such as `info` or `gsar_server=debug,warn`.
    pub level: String,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    Pretty,
}

/// How the server stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shutdown {
    /// How long health says NOT_SERVING before new calls are refused, so that callers notice.
    pub notice: Duration,
    /// How long calls in progress may take after that.
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
                evidence: EvidenceKept::Full,
            },
            evidence: Evidence {
                enabled: true,
                max_corpus_size: Bytes(2 << 30),
                max_size: Bytes(16 << 30),
                time_to_live: Some(seconds(30 * 24 * 3_600)),
                kept_in_memory: Bytes(16 << 20),
                attested: Vec::new(),
                checks: Vec::new(),
                embeddings: EmbeddingsWanted::Auto,
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

/// An address to listen on, written as a URL.
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
            "`{text}` is none of unix:///path/to.sock, grpc://address:port and grpcs://address:port"
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

/// A length of time, written as `250ms`, `10s`, `5m` or `30days`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub std::time::Duration);

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |text: &str| -> Result<std::time::Duration, jiff::Error> {
            let days_are_24_hours = SpanRelativeTo::days_are_24_hours();
            std::time::Duration::try_from(text.parse::<Span>()?.to_duration(days_are_24_hours)?)
        };
        read(text).map(Self).map_err(|error| {
            format!("`{text}` is no duration such as 250ms, 10s or 30days: {error}")
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
        let suffixed = UNITS
            .into_iter()
            .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, unit)));
        let (number, unit) = suffixed.unwrap_or((text, 1));
        let number: Option<u64> = number.trim().parse().ok();
        number
            .and_then(|number| number.checked_mul(unit))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is no size such as 64KiB, 16MiB, 2GiB or 4096"))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |(_, unit): &(&str, u64)| self.0 > 0 && self.0.is_multiple_of(*unit);
        match UNITS.into_iter().find(whole) {
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

/// Values that are written as text in every source.
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

/// Reads text, or a number as its digits: the environment turns digits into numbers before they get here.
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
