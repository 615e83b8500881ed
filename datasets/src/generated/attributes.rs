//! Defines attributes with their keys, values and wordings.

use super::values::Values;

/// The topic of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Durations and delays.
    Latency,
    /// States.
    State,
    /// Counts.
    Count,
    /// Releases.
    Version,
    /// Locations.
    Region,
    /// Sizes in bytes.
    Size,
    /// Exit codes.
    ExitCode,
    /// Times.
    Time,
    /// Owners.
    Owner,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 9] = [
        Self::Latency,
        Self::State,
        Self::Count,
        Self::Version,
        Self::Region,
        Self::Size,
        Self::ExitCode,
        Self::Time,
        Self::Owner,
    ];

    /// Returns the family's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::State => "state",
            Self::Count => "count",
            Self::Version => "version",
            Self::Region => "region",
            Self::Size => "size",
            Self::ExitCode => "exit code",
            Self::Time => "time",
            Self::Owner => "owner",
        }
    }
}

impl Attribute {
    /// Returns `true` if independent values of the two attributes can contradict each other, such as a
    /// completed pod with exit code 137.
    pub(super) fn can_contradict(&self, other: &Self) -> bool {
        use Family::{ExitCode, Latency, State, Time};
        let families = [(self.family, other.family), (other.family, self.family)];
        families
            .iter()
            .any(|pair| matches!(pair, (State, ExitCode | Latency) | (Time, Latency | Time)))
    }
}

#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) family: Family,
    /// The key for values with a unit, such as `latency`, and the key for values without one, such as `latency_ms`.
    /// The second key can be empty.
    pub(super) keys: (&'static str, &'static str),
    pub(super) is_gauge: bool,
    pub(super) values: Values,
    /// The wording of the first clause, and the wording of later clauses.
    pub(super) clauses: (&'static str, &'static str),
    pub(super) claims: &'static [&'static str],
}

pub(super) const LATENCY: Attribute = Attribute {
    family: Family::Latency,
    keys: ("latency", "latency_ms"),
    is_gauge: true,
    values: Values::Milliseconds,
    clauses: ("{name} answered in {value}", "{name} in {value}"),
    claims: &[
        "{name} answered in {value}",
        "The latency of {name} was {value}",
        "{name} took {value} to answer",
        "{name} had a latency of {value}",
        "It took {name} {value} to respond",
    ],
};

pub(super) const LAG: Attribute = Attribute {
    family: Family::Latency,
    keys: ("lag", "lag_seconds"),
    is_gauge: true,
    values: Values::Seconds,
    clauses: ("{name} lagged by {value}", "{name} by {value}"),
    claims: &[
        "{name} lagged by {value}",
        "The lag of {name} was {value}",
        "{name} was {value} behind",
        "{name} had a replication lag of {value}",
    ],
};

pub(super) const DURATION: Attribute = Attribute {
    family: Family::Latency,
    keys: ("duration", "duration_seconds"),
    is_gauge: false,
    values: Values::Seconds,
    clauses: ("{name} ran for {value}", "{name} for {value}"),
    claims: &[
        "{name} took {value}",
        "{name} ran for {value}",
        "The duration of {name} was {value}",
        "{name} needed {value} to finish",
    ],
};

const fn state(key: &'static str, states: &'static [&'static str]) -> Attribute {
    Attribute {
        family: Family::State,
        keys: (key, ""),
        is_gauge: false,
        values: Values::Words(states),
        clauses: ("{name} was {value}", "{name} {value}"),
        claims: &[
            "{name} is {value}",
            "{name} was {value}",
            "The state of {name} was {value}",
            "{name} was reported as {value}",
            "{name} was in state {value}",
        ],
    }
}

// No state in a list implies another state in that list.
pub(super) const HEALTH: Attribute =
    state("health", &["healthy", "degraded", "stopped", "starting", "draining"]);
pub(super) const POD_STATUS: Attribute =
    state("status", &["Running", "Pending", "Completed", "Evicted", "OOMKilled"]);
pub(super) const JOB_RESULT: Attribute =
    state("result", &["succeeded", "failed", "cancelled", "skipped"]);
pub(super) const HOST_STATE: Attribute =
    state("state", &["online", "rebooting", "provisioning", "decommissioned", "hibernated"]);
pub(super) const QUEUE_STATE: Attribute =
    state("state", &["flowing", "paused", "syncing", "crashed", "deleting"]);

pub(super) const ERRORS: Attribute = Attribute {
    family: Family::Count,
    keys: ("errors", "errors"),
    is_gauge: false,
    values: Values::Number { low: 12, high: 900 },
    clauses: ("{name} logged {value} errors", "{name} {value}"),
    claims: &[
        "{name} logged {value} errors",
        "There were {value} errors on {name}",
        "The number of errors of {name} was {value}",
        "{name} had {value} errors",
    ],
};

pub(super) const RESTARTS: Attribute = Attribute {
    family: Family::Count,
    keys: ("restarts", "restarts"),
    is_gauge: false,
    values: Values::Number { low: 2, high: 60 },
    clauses: ("{name} restarted {value} times", "{name} {value} times"),
    claims: &[
        "{name} restarted {value} times",
        "{name} had {value} restarts",
        "There were {value} restarts of {name}",
        "{name} was restarted {value} times",
    ],
};

pub(super) const DEPTH: Attribute = Attribute {
    family: Family::Count,
    keys: ("depth", "depth"),
    is_gauge: true,
    values: Values::Number { low: 20, high: 9_000 },
    clauses: ("{name} held {value} messages", "{name} {value}"),
    claims: &[
        "{name} held {value} messages",
        "The depth of {name} was {value}",
        "{value} messages waited in {name}",
        "{name} had a depth of {value}",
        "There were {value} messages in {name}",
    ],
};

pub(super) const CONSUMERS: Attribute = Attribute {
    family: Family::Count,
    keys: ("consumers", "consumers"),
    is_gauge: true,
    values: Values::Number { low: 2, high: 40 },
    clauses: ("{name} had {value} consumers", "{name} {value}"),
    claims: &[
        "{name} had {value} consumers",
        "{value} consumers read from {name}",
        "The number of consumers of {name} was {value}",
        "There were {value} consumers on {name}",
    ],
};

pub(super) const CONNECTIONS: Attribute = Attribute {
    family: Family::Count,
    keys: ("connections", "connections"),
    is_gauge: true,
    values: Values::Number { low: 5, high: 480 },
    clauses: ("{name} had {value} connections", "{name} {value}"),
    claims: &[
        "{name} had {value} connections",
        "{value} connections were open to {name}",
        "The number of connections of {name} was {value}",
        "There were {value} connections on {name}",
    ],
};

pub(super) const VERSION: Attribute = Attribute {
    family: Family::Version,
    keys: ("version", ""),
    is_gauge: false,
    values: Values::Version,
    clauses: ("{name} was upgraded to {value}", "{name} to {value}"),
    claims: &[
        "{name} runs {value}",
        "{name} is on version {value}",
        "The version of {name} is {value}",
        "{name} was running {value}",
        "{value} is the version that {name} runs",
    ],
};

pub(super) const REGION: Attribute = Attribute {
    family: Family::Region,
    keys: ("region", ""),
    is_gauge: false,
    values: Values::Region,
    clauses: ("{name} was deployed to {value}", "{name} to {value}"),
    claims: &[
        "{name} runs in {value}",
        "The region of {name} is {value}",
        "{name} was deployed to {value}",
        "{name} is located in {value}",
        "{value} is the region of {name}",
    ],
};

pub(super) const MEMORY: Attribute = Attribute {
    family: Family::Size,
    keys: ("memory", "memory_mib"),
    is_gauge: true,
    values: Values::Mebibytes,
    clauses: ("{name} used {value} of memory", "{name} {value}"),
    claims: &[
        "{name} used {value} of memory",
        "The memory of {name} was {value}",
        "{name} took up {value} of memory",
        "{name} had {value} of memory",
    ],
};

pub(super) const DISK: Attribute = Attribute {
    family: Family::Size,
    keys: ("disk_used", "disk_used_gb"),
    is_gauge: true,
    values: Values::Gigabytes,
    clauses: ("{name} used {value} of disk", "{name} {value}"),
    claims: &[
        "{name} used {value} of disk",
        "The disk of {name} held {value}",
        "{value} of disk were used on {name}",
        "Disk usage of {name} was {value}",
    ],
};

pub(super) const EXIT_CODE: Attribute = Attribute {
    family: Family::ExitCode,
    keys: ("exit_code", "exit_code"),
    is_gauge: false,
    values: Values::ExitCode,
    clauses: ("{name} exited with code {value}", "{name} with {value}"),
    claims: &[
        "{name} exited with code {value}",
        "The exit code of {name} was {value}",
        "{name} ended with exit status {value}",
        "{name} terminated with exit code {value}",
    ],
};

pub(super) const STARTED: Attribute = Attribute {
    family: Family::Time,
    keys: ("started_at", ""),
    is_gauge: false,
    values: Values::Clock,
    clauses: ("{name} started at {value}", "{name} at {value}"),
    claims: &[
        "{name} started at {value}",
        "The start of {name} was at {value}",
        "At {value} {name} started",
        "{name} was started at {value}",
        "{name} came up at {value}",
    ],
};

pub(super) const FINISHED: Attribute = Attribute {
    family: Family::Time,
    keys: ("finished_at", ""),
    is_gauge: false,
    values: Values::Clock,
    clauses: ("{name} finished at {value}", "{name} at {value}"),
    claims: &[
        "{name} finished at {value}",
        "The end of {name} was at {value}",
        "At {value} {name} finished",
        "{name} was done at {value}",
    ],
};

pub(super) const OWNER: Attribute = Attribute {
    family: Family::Owner,
    keys: ("owner", ""),
    is_gauge: false,
    values: Values::Owner,
    clauses: ("{name} was assigned to {value}", "{name} to {value}"),
    claims: &[
        "{name} is owned by {value}",
        "The owner of {name} is {value}",
        "{name} belongs to {value}",
        "{value} owns {name}",
        "{value} is responsible for {name}",
    ],
};
