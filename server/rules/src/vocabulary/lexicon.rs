//! The words that the rules know: what they mean for a comparison, and what tools call the same thing.
//!
//! Tables only. A word that stands in none of them is content and has to be found in the evidence.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::vocabulary::words::{Key, exact, key};

/// What a word of a claim is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Says nothing that evidence could show: "reports", "again".
    Filler,
    /// The sort of a thing; tools often leave it out: "pod", "node".
    Kind,
    /// A greatest value: "peaked", "reached".
    Peak,
    /// A least value: "dropped to".
    Trough,
    /// Every value: "stayed", "throughout".
    Sustained,
    /// A change upwards.
    Raise,
    /// A change downwards.
    Lower,
    /// A change without direction: "set", "changed".
    Change,
    /// An order in time to something else: "before", "after".
    Order,
    /// More of one thing than of another: "above", "higher".
    Compare,
    /// The first or last of several: "earliest".
    Extreme,
    /// More than all others: "most", "only", "dominant".
    Superlative,
}

/// What the rules know of a word.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// What it is; `None` for content.
    pub(crate) sense: Option<Sense>,
    /// Whether it is a name that is an ordinary word first.
    pub(crate) is_common: bool,
    /// The keys of other words under which tools show what a report calls so.
    pub(crate) others: Vec<Key>,
}

/// What the rules know of the word with that exact key; `None` for nothing.
pub(crate) fn known(exact: Key) -> Option<&'static Known> {
    KNOWN.get(&exact)
}

static KNOWN: LazyLock<HashMap<Key, Known, BuildHasherDefault<AsIs>>> = LazyLock::new(|| {
    let mut known: HashMap<Key, Known, BuildHasherDefault<AsIs>> = HashMap::default();
    for (word, sense) in SENSES {
        known.entry(exact(word)).or_default().sense = Some(sense);
    }
    for (word, others) in SYNONYMS {
        known.entry(exact(word)).or_default().others =
            others.iter().map(|other| key(other)).collect();
    }
    for word in COMMON_NAMES {
        known.entry(exact(word)).or_default().is_common = true;
    }
    known
});

/// Keys are hashes already.
#[derive(Debug, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |state, byte| state.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Names that are ordinary words first.
const COMMON_NAMES: [&str; 30] = [
    "all",
    "app",
    "container",
    "cpu",
    "default",
    "deployment",
    "disk",
    "error",
    "errors",
    "events",
    "false",
    "http",
    "info",
    "kernel",
    "log",
    "logs",
    "main",
    "memory",
    "metrics",
    "node",
    "none",
    "pod",
    "ready",
    "request",
    "requests",
    "server",
    "service",
    "status",
    "test",
    "warning",
];

use Sense::{
    Change, Compare, Extreme, Filler, Kind, Lower, Order, Peak, Raise, Superlative, Sustained,
    Trough,
};

/// Sorted.
const SENSES: [(&str, Sense); 286] = [
    ("about", Filler),
    ("above", Compare),
    ("according", Filler),
    ("actually", Filler),
    ("after", Order),
    ("afterwards", Order),
    ("again", Filler),
    ("ago", Filler),
    ("alert", Kind),
    ("alerts", Kind),
    ("all", Filler),
    ("alone", Superlative),
    ("already", Filler),
    ("also", Filler),
    ("always", Superlative),
    ("another", Filler),
    ("any", Filler),
    ("around", Filler),
    ("at", Filler),
    ("before", Order),
    ("begins", Extreme),
    ("below", Compare),
    ("between", Filler),
    ("biggest", Superlative),
    ("both", Filler),
    ("bumped", Raise),
    ("came", Filler),
    ("changed", Change),
    ("climbed", Raise),
    ("climbing", Raise),
    ("cluster", Kind),
    ("clusters", Kind),
    ("come", Filler),
    ("confirm", Filler),
    ("confirmed", Filler),
    ("confirms", Filler),
    ("consistently", Sustained),
    ("constant", Sustained),
    ("constantly", Superlative),
    ("contain", Filler),
    ("contained", Filler),
    ("container", Kind),
    ("containers", Kind),
    ("contains", Filler),
    ("continued", Filler),
    ("continuously", Sustained),
    ("currently", Filler),
    ("cut", Lower),
    ("daemonset", Kind),
    ("decline", Lower),
    ("declined", Lower),
    ("declining", Lower),
    ("decrease", Lower),
    ("decreased", Lower),
    ("decreasing", Lower),
    ("deployment", Kind),
    ("deployments", Kind),
    ("did", Filler),
    ("directly", Filler),
    ("does", Filler),
    ("dominant", Superlative),
    ("dominated", Superlative),
    ("doubled", Raise),
    ("drop", Lower),
    ("dropped", Trough),
    ("dropping", Lower),
    ("drops", Lower),
    ("each", Filler),
    ("earliest", Extreme),
    ("either", Filler),
    ("entire", Sustained),
    ("every", Filler),
    ("evidence", Filler),
    ("exceeded", Compare),
    ("exceeds", Compare),
    ("exclusively", Superlative),
    ("existing", Filler),
    ("experienced", Filler),
    ("falling", Lower),
    ("fell", Trough),
    ("finally", Filler),
    ("first", Extreme),
    ("flat", Sustained),
    ("followed", Order),
    ("following", Order),
    ("found", Filler),
    ("fully", Filler),
    ("gave", Filler),
    ("gets", Filler),
    ("give", Filler),
    ("given", Filler),
    ("gives", Filler),
    ("got", Filler),
    ("gradually", Sustained),
    ("greater", Compare),
    ("grew", Raise),
    ("growing", Raise),
    ("grows", Raise),
    ("growth", Raise),
    ("halved", Lower),
    ("happened", Filler),
    ("has", Filler),
    ("have", Filler),
    ("having", Filler),
    ("held", Filler),
    ("higher", Compare),
    ("highest", Peak),
    ("host", Kind),
    ("hosts", Kind),
    ("immediately", Filler),
    ("incident", Kind),
    ("incidents", Kind),
    ("include", Filler),
    ("included", Filler),
    ("includes", Filler),
    ("increase", Raise),
    ("increased", Raise),
    ("increasing", Raise),
    ("indicate", Filler),
    ("indicated", Filler),
    ("indicates", Filler),
    ("instance", Kind),
    ("instances", Kind),
    ("investigation", Filler),
    ("item", Filler),
    ("itself", Filler),
    ("just", Filler),
    ("largely", Superlative),
    ("largest", Superlative),
    ("last", Extreme),
    ("later", Order),
    ("latest", Extreme),
    ("lay", Filler),
    ("least", Trough),
    ("less", Compare),
    ("like", Filler),
    ("line", Filler),
    ("lines", Filler),
    ("lower", Compare),
    ("lowered", Lower),
    ("lowest", Trough),
    ("main", Superlative),
    ("mainly", Superlative),
    ("majority", Superlative),
    ("maximum", Peak),
    ("meanwhile", Filler),
    ("minimum", Trough),
    ("monotonically", Sustained),
    ("more", Compare),
    ("most", Superlative),
    ("mostly", Superlative),
    ("name", Filler),
    ("named", Filler),
    ("namespace", Kind),
    ("namespaces", Kind),
    ("never-ending", Superlative),
    ("new", Filler),
    ("newest", Extreme),
    ("newly", Filler),
    ("next", Filler),
    ("node", Kind),
    ("nodes", Kind),
    ("normal", Filler),
    ("now", Filler),
    ("observed", Filler),
    ("old", Filler),
    ("oldest", Extreme),
    ("once", Filler),
    ("only", Superlative),
    ("originally", Filler),
    ("other", Filler),
    ("output", Filler),
    ("over", Compare),
    ("own", Filler),
    ("peak", Peak),
    ("peaked", Peak),
    ("peaking", Peak),
    ("period", Filler),
    ("pod", Kind),
    ("pods", Kind),
    ("previously", Filler),
    ("raised", Raise),
    ("ran", Filler),
    ("reached", Peak),
    ("reaching", Peak),
    ("record", Filler),
    ("recorded", Filler),
    ("records", Filler),
    ("reduced", Lower),
    ("reduces", Lower),
    ("remained", Sustained),
    ("remains", Sustained),
    ("renamed", Change),
    ("replica", Kind),
    ("replicas", Kind),
    ("replicaset", Kind),
    ("replicasets", Kind),
    ("report", Filler),
    ("reported", Filler),
    ("reports", Filler),
    ("respectively", Filler),
    ("rise", Raise),
    ("rises", Raise),
    ("rising", Raise),
    ("rose", Raise),
    ("said", Filler),
    ("same", Filler),
    ("sample", Filler),
    ("samples", Filler),
    ("saw", Filler),
    ("say", Filler),
    ("says", Filler),
    ("search", Filler),
    ("second", Filler),
    ("see", Filler),
    ("seen", Filler),
    ("server", Kind),
    ("servers", Kind),
    ("service", Kind),
    ("services", Kind),
    ("set", Filler),
    ("sets", Filler),
    ("several", Filler),
    ("show", Filler),
    ("showed", Filler),
    ("showing", Filler),
    ("shown", Filler),
    ("shows", Filler),
    ("shrank", Lower),
    ("shrinking", Lower),
    ("since", Order),
    ("soared", Raise),
    ("solely", Superlative),
    ("spiked", Peak),
    ("spiking", Peak),
    ("stable", Sustained),
    ("starts", Extreme),
    ("state", Filler),
    ("stated", Filler),
    ("statefulset", Kind),
    ("states", Filler),
    ("stayed", Sustained),
    ("steadily", Sustained),
    ("steady", Sustained),
    ("still", Filler),
    ("sustained", Sustained),
    ("system", Filler),
    ("than", Compare),
    ("that", Filler),
    ("then", Order),
    ("thereafter", Order),
    ("third", Filler),
    ("this", Filler),
    ("throughout", Sustained),
    ("time", Filler),
    ("times", Filler),
    ("to", Filler),
    ("total", Filler),
    ("totally", Filler),
    ("tripled", Raise),
    ("unchanged", Sustained),
    ("under", Compare),
    ("until", Order),
    ("up", Filler),
    ("up-trend", Raise),
    ("upgraded", Raise),
    ("used", Filler),
    ("using", Filler),
    ("utc", Filler),
    ("value", Filler),
    ("values", Filler),
    ("via", Filler),
    ("was", Filler),
    ("went", Filler),
    ("were", Filler),
    ("where", Filler),
    ("which", Filler),
    ("while", Filler),
    ("whole", Sustained),
    ("with", Filler),
    ("within", Filler),
    ("word", Filler),
    ("words", Filler),
    ("workload", Kind),
    ("workloads", Kind),
    ("worst", Superlative),
];

/// Other words under which tools show what a report calls so; sorted by the report's word.
const SYNONYMS: [(&str, &[&str]); 98] = [
    ("answered", &["responded", "requests", "returned"]),
    ("available", &["availablereplicas"]),
    ("began", &["started", "startedat", "startsat", "starttime"]),
    ("cert", &["certificate"]),
    ("certificate", &["cert"]),
    ("checks", &["check"]),
    ("completed", &["finished", "finishedat", "succeeded"]),
    ("configured", &["configuration", "config"]),
    ("connection", &["conn", "connections"]),
    ("connections", &["conn", "connection"]),
    ("container", &["containerstatuses", "containers"]),
    ("crash", &["crashloopbackoff", "backoff"]),
    ("crashed", &["crashloopbackoff", "error"]),
    ("crashing", &["crashloopbackoff", "backoff"]),
    ("crashlooping", &["crashloopbackoff"]),
    ("created", &["creationtimestamp", "created_at", "createdat"]),
    ("database", &["db", "postgres", "postgresql", "datname"]),
    ("db", &["database"]),
    ("degradation", &["degraded", "pd"]),
    ("degraded", &["degradation", "pd"]),
    ("deployed", &["deploy", "deployment", "rollout", "revision"]),
    ("disk", &["filesystem", "storage"]),
    ("duration", &["took", "latency", "elapsed"]),
    ("ended", &["finished", "finishedat", "endsat", "ended_at", "endtime"]),
    ("error", &["err", "errors", "exception", "failed"]),
    ("errors", &["err", "error", "exception", "failed", "failures"]),
    ("evicted", &["eviction", "evicting"]),
    ("eviction", &["evicted", "evicting"]),
    ("evictions", &["evicted", "eviction"]),
    ("exit", &["exitcode", "exit_code"]),
    ("failed", &["failure", "failures", "error", "unhealthy", "fail", "err", "refused"]),
    ("failing", &["failed", "failure", "error", "unhealthy"]),
    ("failure", &["failed", "error", "failures"]),
    ("failures", &["failed", "error", "failure"]),
    ("finished", &["finishedat", "finished_at", "completed", "ended", "endtime"]),
    ("fired", &["firing", "startsat", "alerting", "fired_at", "activeat"]),
    ("fires", &["firing"]),
    ("image", &["images"]),
    ("job", &["cronjob"]),
    ("kernel", &["dmesg"]),
    ("kill", &["killed", "oomkilled", "killing"]),
    ("killed", &["oomkilled", "kill", "killing"]),
    ("kills", &["killed", "oomkilled"]),
    ("latency", &["duration", "took", "response_time", "p99", "p95", "elapsed", "latencies"]),
    ("limit", &["limits", "max"]),
    ("limits", &["limit"]),
    ("log", &["logs", "loki"]),
    ("logged", &["log", "logs", "level"]),
    ("logs", &["log", "loki"]),
    ("mem", &["memory"]),
    ("memory", &["mem"]),
    ("message", &["msg"]),
    ("missing", &["notfound", "absent", "unset"]),
    ("occurred", &["occurred_at"]),
    ("oom", &["oomkilled", "oomkilling", "oomkill"]),
    ("oom-killed", &["oomkilled"]),
    ("passed", &["pass", "success"]),
    ("pending", &["unschedulable"]),
    ("percentage", &["percent", "pct", "ratio"]),
    ("ping", &["pings"]),
    ("pods", &["pod"]),
    ("postgres", &["postgresql", "pg", "psql"]),
    ("postgresql", &["postgres", "pg", "psql"]),
    ("postmaster", &["postgres"]),
    ("probe", &["probes"]),
    ("processor", &["cpu"]),
    ("queries", &["query"]),
    ("ram", &["memory"]),
    ("rate", &["ratio"]),
    ("ready", &["readiness", "readyreplicas"]),
    ("recovered", &["recovery", "resolved"]),
    ("refused", &["econnrefused"]),
    ("release", &["version", "revision", "tag"]),
    ("released", &["release", "version"]),
    ("replicas", &["replica"]),
    ("requests", &["request", "req"]),
    ("resolved", &["endsat", "resolved_at"]),
    ("restart", &["restartcount", "restarts"]),
    ("restarted", &["restartcount", "restarts"]),
    ("restarts", &["restartcount", "restart"]),
    ("rolled", &["rollback", "rollout", "revision"]),
    ("rollout", &["deployment", "revision", "rollouts"]),
    ("scheduled", &["assigned", "nodename"]),
    ("share", &["ratio", "percent", "percentage"]),
    ("slow", &["latency", "slowlog", "pd"]),
    ("space", &["storage", "disk"]),
    ("started", &["startedat", "started_at", "starttime", "starting"]),
    ("status", &["statuscode", "statuses", "containerstatuses"]),
    ("storage", &["disk"]),
    ("terminated", &["terminate", "termination", "killed"]),
    ("termination", &["terminated"]),
    ("throttled", &["throttling", "throttle"]),
    ("timed", &["timeout", "deadline"]),
    ("timeout", &["timed", "deadline", "timeouts"]),
    ("timeouts", &["timeout", "timed"]),
    ("triggered", &["created_at", "firing", "triggered_at"]),
    ("usage", &["used", "utilization", "working_set", "working"]),
    ("utilization", &["usage", "busy", "used"]),
];

/// Words under which tools show a direction or an order that a report claims.
pub(crate) fn shown_as(sense: Sense) -> &'static [&'static str] {
    match sense {
        Sense::Raise => &["up", "increase", "rise", "raise", "higher", "grow"],
        Sense::Lower => &["down", "decrease", "drop", "fall", "lower", "reduce"],
        Sense::Peak => &["peak", "max", "maximum"],
        Sense::Trough => &["min", "minimum"],
        _ => &[],
    }
}

/// Words with which a line denies what its other words name.
pub(crate) const DENYING: [&str; 15] = [
    "cannot",
    "denied",
    "disabled",
    "forbidden",
    "inexistent",
    "invalid",
    "nonexistent",
    "not",
    "notfound",
    "unable",
    "unavailable",
    "unbound",
    "undefined",
    "unknown",
    "unset",
];

/// Words with which a line says that something did not succeed.
pub(crate) const FAILING: [&str; 8] =
    ["error", "exception", "fail", "failed", "failing", "failure", "refused", "rejected"];

/// Words for what should not happen: a count of zero denies it, a greater one affirms it.
pub(crate) const MISHAPS: [&str; 10] = [
    "restart", "error", "failure", "fail", "crash", "eviction", "evict", "timeout", "retry", "oom",
];

/// The states of a workload that exclude each other as its present state.
pub(crate) const PRESENT_STATES: [&str; 12] = [
    "completed",
    "containercreating",
    "crashloopbackoff",
    "createcontainerconfigerror",
    "errimagepull",
    "imagepullbackoff",
    "notready",
    "pending",
    "podinitializing",
    "running",
    "succeeded",
    "terminating",
];

/// Pairs that exclude each other under one key.
pub(crate) const OPPOSITES: [(&str, &str); 16] = [
    ("ready", "notready"),
    ("healthy", "unhealthy"),
    ("firing", "resolved"),
    ("enabled", "disabled"),
    ("success", "failure"),
    ("succeeded", "failed"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("synced", "outofsync"),
    ("active", "inactive"),
    ("open", "closed"),
    ("connected", "disconnected"),
    ("up", "down"),
    ("online", "offline"),
    ("true", "false"),
    ("primary", "replica"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SENSES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(SYNONYMS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(PRESENT_STATES.is_sorted());
    }

    #[test]
    fn words_are_found() {
        let sense = |word| known(exact(word)).and_then(|known| known.sense);
        assert_eq!(sense("Peaked"), Some(Sense::Peak));
        assert_eq!(sense("about"), Some(Sense::Filler));
        assert_eq!(sense("workload"), Some(Sense::Kind));
        assert_eq!(sense("memory"), None);
        assert!(known(exact("restarts")).unwrap().others.contains(&key("restartCount")));
        assert!(known(exact("memory")).unwrap().is_common);
        assert!(known(exact("nothing")).is_none());
    }
}
