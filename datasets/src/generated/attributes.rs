//! Attributes with their keys, values and wordings.

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
    pub(super) fn clashes(&self, other: &Self) -> bool {
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
    /// The key for values with a unit, such as `latency`.
    pub(super) key: &'static str,
    /// The key for values without a unit, such as `latency_ms`; may be empty.
    pub(super) key_of_number: &'static str,
    pub(super) is_gauge: bool,
    pub(super) values: Values,
    /// The wording of a clause.
    pub(super) clause: &'static str,
    /// The wording of a second or later clause.
    pub(super) later_clause: &'static str,
    pub(super) claims: &'static [&'static str],
}

pub(super) const LATENCY: Attribute = Attribute {
    family: Family::Latency,
    key: "latency",
    key_of_number: "latency_ms",
    is_gauge: true,
    values: Values::Milliseconds,
    clause: "{name} answered in {value}",
    later_clause: "{name} in {value}",
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
    key: "lag",
    key_of_number: "lag_seconds",
    is_gauge: true,
    values: Values::Seconds,
    clause: "{name} lagged by {value}",
    later_clause: "{name} by {value}",
    claims: &[
        "{name} lagged by {value}",
        "The lag of {name} was {value}",
        "{name} was {value} behind",
        "{name} had a replication lag of {value}",
    ],
};

pub(super) const DURATION: Attribute = Attribute {
    family: Family::Latency,
    key: "duration",
    key_of_number: "duration_seconds",
    is_gauge: false,
    values: Values::Seconds,
    clause: "{name} ran for {value}",
    later_clause: "{name} for {value}",
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
        key,
        key_of_number: "",
        is_gauge: false,
        values: Values::Words(states),
        clause: "{name} was {value}",
        later_clause: "{name} {value}",
        claims: &[
            "{name} is {value}",
            "{name} was {value}",
            "The state of {name} was {value}",
            "{name} was reported as {value}",
            "{name} was in state {value}",
        ],
    }
}

// No state in a list implies another.
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
    key: "errors",
    key_of_number: "errors",
    is_gauge: false,
    values: Values::Number { low: 12, high: 900 },
    clause: "{name} logged {value} errors",
    later_clause: "{name} {value}",
    claims: &[
        "{name} logged {value} errors",
        "There were {value} errors on {name}",
        "The number of errors of {name} was {value}",
        "{name} had {value} errors",
    ],
};

pub(super) const RESTARTS: Attribute = Attribute {
    family: Family::Count,
    key: "restarts",
    key_of_number: "restarts",
    is_gauge: false,
    values: Values::Number { low: 2, high: 60 },
    clause: "{name} restarted {value} times",
    later_clause: "{name} {value} times",
    claims: &[
        "{name} restarted {value} times",
        "{name} had {value} restarts",
        "There were {value} restarts of {name}",
        "{name} was restarted {value} times",
    ],
};

pub(super) const DEPTH: Attribute = Attribute {
    family: Family::Count,
    key: "depth",
    key_of_number: "depth",
    is_gauge: true,
    values: Values::Number { low: 20, high: 9_000 },
    clause: "{name} held {value} messages",
    later_clause: "{name} {value}",
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
    key: "consumers",
    key_of_number: "consumers",
    is_gauge: true,
    values: Values::Number { low: 2, high: 40 },
    clause: "{name} had {value} consumers",
    later_clause: "{name} {value}",
    claims: &[
        "{name} had {value} consumers",
        "{value} consumers read from {name}",
        "The number of consumers of {name} was {value}",
        "There were {value} consumers on {name}",
    ],
};

pub(super) const CONNECTIONS: Attribute = Attribute {
    family: Family::Count,
    key: "connections",
    key_of_number: "connections",
    is_gauge: true,
    values: Values::Number { low: 5, high: 480 },
    clause: "{name} had {value} connections",
    later_clause: "{name} {value}",
    claims: &[
        "{name} had {value} connections",
        "{value} connections were open to {name}",
        "The number of connections of {name} was {value}",
        "There were {value} connections on {name}",
    ],
};

pub(super) const VERSION: Attribute = Attribute {
    family: Family::Version,
    key: "version",
    key_of_number: "",
    is_gauge: false,
    values: Values::Version,
    clause: "{name} was upgraded to {value}",
    later_clause: "{name} to {value}",
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
    key: "region",
    key_of_number: "",
    is_gauge: false,
    values: Values::Region,
    clause: "{name} was deployed to {value}",
    later_clause: "{name} to {value}",
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
    key: "memory",
    key_of_number: "memory_mib",
    is_gauge: true,
    values: Values::Mebibytes,
    clause: "{name} used {value} of memory",
    later_clause: "{name} {value}",
    claims: &[
        "{name} used {value} of memory",
        "The memory of {name} was {value}",
        "{name} took up {value} of memory",
        "{name} had {value} of memory",
    ],
};

pub(super) const DISK: Attribute = Attribute {
    family: Family::Size,
    key: "disk_used",
    key_of_number: "disk_used_gb",
    is_gauge: true,
    values: Values::Gigabytes,
    clause: "{name} used {value} of disk",
    later_clause: "{name} {value}",
    claims: &[
        "{name} used {value} of disk",
        "The disk of {name} held {value}",
        "{value} of disk were used on {name}",
        "Disk usage of {name} was {value}",
    ],
};

pub(super) const EXIT_CODE: Attribute = Attribute {
    family: Family::ExitCode,
    key: "exit_code",
    key_of_number: "exit_code",
    is_gauge: false,
    values: Values::ExitCode,
    clause: "{name} exited with code {value}",
    later_clause: "{name} with {value}",
    claims: &[
        "{name} exited with code {value}",
        "The exit code of {name} was {value}",
        "{name} ended with exit status {value}",
        "{name} terminated with exit code {value}",
    ],
};

pub(super) const STARTED: Attribute = Attribute {
    family: Family::Time,
    key: "started_at",
    key_of_number: "",
    is_gauge: false,
    values: Values::Clock,
    clause: "{name} started at {value}",
    later_clause: "{name} at {value}",
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
    key: "finished_at",
    key_of_number: "",
    is_gauge: false,
    values: Values::Clock,
    clause: "{name} finished at {value}",
    later_clause: "{name} at {value}",
    claims: &[
        "{name} finished at {value}",
        "The end of {name} was at {value}",
        "At {value} {name} finished",
        "{name} was done at {value}",
    ],
};

pub(super) const OWNER: Attribute = Attribute {
    family: Family::Owner,
    key: "owner",
    key_of_number: "",
    is_gauge: false,
    values: Values::Owner,
    clause: "{name} was assigned to {value}",
    later_clause: "{name} to {value}",
    claims: &[
        "{name} is owned by {value}",
        "The owner of {name} is {value}",
        "{name} belongs to {value}",
        "{value} owns {name}",
        "{value} is responsible for {name}",
    ],
};
