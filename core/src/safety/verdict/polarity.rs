//! Which way a signal points, by its name: 0 of a bad thing is healthy, 0 of a good thing is not.

use super::Polarity;
use super::lookup::{lookup, words};

/// What a word says about the signal in whose name it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It is such a signal; of several words the last decides, as in English compounds.
    Is(Polarity),
    /// It is such a signal unless another word says more.
    Weak(Polarity),
    /// It is no measurement: a setting, an identifier, an instant, another time's value.
    Setting,
    /// The same where it comes first: `max_lag` is allowed, `lag_max` was measured.
    Bound,
    /// It turns the next word around: `not_ready`.
    Not,
    /// It makes a count of a word that is otherwise a setting: `timeout_count`.
    Count,
    /// A setting, unless it is counted.
    Timeout,
    /// A stock of bad things still allowed: `error_budget`.
    Budget,
    /// Up, as in `pg_up`.
    Up,
    /// Takes `up` along to mean something else: `scale_up`.
    Particle,
}

use Role::{Bound, Budget, Count, Is, Not, Particle, Setting, Timeout, Up, Weak};

/// The signal words, sorted.
#[rustfmt::skip]
const SIGNALS: &[(&str, Role)] = &[
    ("4xx", Is(Polarity::Backlog)),
    ("500", Is(Polarity::Fault)),
    ("502", Is(Polarity::Fault)),
    ("503", Is(Polarity::Fault)),
    ("504", Is(Polarity::Fault)),
    ("5xx", Is(Polarity::Fault)),
    ("abort", Is(Polarity::Fault)),
    ("aborted", Is(Polarity::Fault)),
    ("aborts", Is(Polarity::Fault)),
    ("alerts", Is(Polarity::Fault)),
    ("alive", Is(Polarity::Stock)),
    ("allowed", Setting),
    ("anomalies", Is(Polarity::Fault)),
    ("anomaly", Is(Polarity::Fault)),
    ("apdex", Is(Polarity::Share)),
    ("availability", Is(Polarity::Share)),
    ("available", Is(Polarity::Stock)),
    ("back", Particle),
    ("backlog", Is(Polarity::Backlog)),
    ("backoff", Is(Polarity::Fault)),
    ("backoffs", Is(Polarity::Fault)),
    ("bad", Is(Polarity::Fault)),
    ("baseline", Setting),
    ("before", Setting),
    ("blocked", Is(Polarity::Backlog)),
    ("broken", Is(Polarity::Fault)),
    ("bucket", Setting),
    ("budget", Budget),
    ("burn", Is(Polarity::Load)),
    ("burned", Is(Polarity::Load)),
    ("burnt", Is(Polarity::Load)),
    ("cancelled", Is(Polarity::Backlog)),
    ("capacity", Setting),
    ("catch", Particle),
    ("clean", Particle),
    ("code", Setting),
    ("codes", Setting),
    ("config", Setting),
    ("configured", Setting),
    ("conflicts", Is(Polarity::Backlog)),
    ("connections", Weak(Polarity::Load)),
    ("consumed", Is(Polarity::Load)),
    ("corrupt", Is(Polarity::Fault)),
    ("corrupted", Is(Polarity::Fault)),
    ("count", Count),
    ("counter", Count),
    ("cpu", Weak(Polarity::Load)),
    ("crash", Is(Polarity::Fault)),
    ("crashed", Is(Polarity::Fault)),
    ("crashes", Is(Polarity::Fault)),
    ("crashing", Is(Polarity::Fault)),
    ("crashloop", Is(Polarity::Fault)),
    ("crashloops", Is(Polarity::Fault)),
    ("created", Setting),
    ("deadlock", Is(Polarity::Fault)),
    ("deadlocks", Is(Polarity::Fault)),
    ("degraded", Is(Polarity::Fault)),
    ("delay", Is(Polarity::Load)),
    ("denied", Is(Polarity::Fault)),
    ("depth", Is(Polarity::Backlog)),
    ("desired", Setting),
    ("disk", Weak(Polarity::Load)),
    ("down", Is(Polarity::Fault)),
    ("drop", Is(Polarity::Fault)),
    ("dropped", Is(Polarity::Fault)),
    ("drops", Is(Polarity::Fault)),
    ("duration", Is(Polarity::Load)),
    ("err", Is(Polarity::Fault)),
    ("error", Is(Polarity::Fault)),
    ("errors", Is(Polarity::Fault)),
    ("errs", Is(Polarity::Fault)),
    ("events", Count),
    ("evicted", Is(Polarity::Fault)),
    ("evictions", Is(Polarity::Fault)),
    ("exception", Is(Polarity::Fault)),
    ("exceptions", Is(Polarity::Fault)),
    ("exhausted", Is(Polarity::Fault)),
    ("expected", Setting),
    ("fail", Is(Polarity::Fault)),
    ("failed", Is(Polarity::Fault)),
    ("failing", Is(Polarity::Fault)),
    ("fails", Is(Polarity::Fault)),
    ("failure", Is(Polarity::Fault)),
    ("failures", Is(Polarity::Fault)),
    ("fatal", Is(Polarity::Fault)),
    ("fault", Is(Polarity::Fault)),
    ("faults", Is(Polarity::Fault)),
    ("firing", Is(Polarity::Fault)),
    ("free", Is(Polarity::Stock)),
    ("generation", Setting),
    ("handled", Setting),
    ("handler", Setting),
    ("headroom", Is(Polarity::Stock)),
    ("healthy", Is(Polarity::Stock)),
    ("heap", Weak(Polarity::Load)),
    ("historical", Setting),
    ("hit", Is(Polarity::Share)),
    ("id", Setting),
    ("ignored", Setting),
    ("incidents", Is(Polarity::Fault)),
    ("injected", Setting),
    ("interval", Setting),
    ("invalid", Is(Polarity::Fault)),
    ("iowait", Is(Polarity::Load)),
    ("kill", Is(Polarity::Fault)),
    ("killed", Is(Polarity::Fault)),
    ("kills", Is(Polarity::Fault)),
    ("lag", Is(Polarity::Backlog)),
    ("lags", Is(Polarity::Backlog)),
    ("last", Setting),
    ("latency", Is(Polarity::Load)),
    ("leak", Is(Polarity::Fault)),
    ("leaks", Is(Polarity::Fault)),
    ("limit", Setting),
    ("limits", Setting),
    ("load", Is(Polarity::Load)),
    ("look", Particle),
    ("loss", Is(Polarity::Fault)),
    ("lost", Is(Polarity::Fault)),
    ("max", Bound),
    ("maximum", Bound),
    ("mem", Weak(Polarity::Load)),
    ("memory", Weak(Polarity::Load)),
    ("min", Bound),
    ("minimum", Bound),
    ("misses", Is(Polarity::Backlog)),
    ("missing", Is(Polarity::Fault)),
    ("no", Not),
    ("non", Not),
    ("not", Not),
    ("notready", Is(Polarity::Fault)),
    ("num", Count),
    ("number", Count),
    ("objective", Setting),
    ("offline", Is(Polarity::Fault)),
    ("online", Is(Polarity::Stock)),
    ("oom", Is(Polarity::Fault)),
    ("oomkilled", Is(Polarity::Fault)),
    ("oomkills", Is(Polarity::Fault)),
    ("outage", Is(Polarity::Fault)),
    ("outages", Is(Polarity::Fault)),
    ("overflow", Is(Polarity::Fault)),
    ("overflows", Is(Polarity::Fault)),
    ("p50", Is(Polarity::Load)),
    ("p75", Is(Polarity::Load)),
    ("p90", Is(Polarity::Load)),
    ("p95", Is(Polarity::Load)),
    ("p99", Is(Polarity::Load)),
    ("p999", Is(Polarity::Load)),
    ("panic", Is(Polarity::Fault)),
    ("panics", Is(Polarity::Fault)),
    ("passing", Is(Polarity::Stock)),
    ("pct", Count),
    ("pending", Is(Polarity::Backlog)),
    ("percent", Count),
    ("policy", Setting),
    ("port", Setting),
    ("pressure", Is(Polarity::Load)),
    ("previous", Setting),
    ("prior", Setting),
    ("queue", Is(Polarity::Backlog)),
    ("queued", Is(Polarity::Backlog)),
    ("quota", Setting),
    ("ramp", Particle),
    ("rate", Count),
    ("ratio", Count),
    ("reachable", Is(Polarity::Stock)),
    ("ready", Is(Polarity::Stock)),
    ("recovered", Setting),
    ("refused", Is(Polarity::Fault)),
    ("rejected", Is(Polarity::Fault)),
    ("rejections", Is(Polarity::Fault)),
    ("remaining", Is(Polarity::Stock)),
    ("requested", Setting),
    ("resolved", Setting),
    ("restart", Is(Polarity::Fault)),
    ("restarted", Is(Polarity::Fault)),
    ("restarts", Is(Polarity::Fault)),
    ("retention", Setting),
    ("retries", Is(Polarity::Backlog)),
    ("retry", Is(Polarity::Backlog)),
    ("roll", Particle),
    ("rss", Weak(Polarity::Load)),
    ("rtt", Is(Polarity::Load)),
    ("saturation", Is(Polarity::Load)),
    ("scale", Particle),
    ("scaled", Particle),
    ("scaling", Particle),
    ("score", Setting),
    ("set", Particle),
    ("setting", Setting),
    ("settings", Setting),
    ("simulated", Setting),
    ("since", Setting),
    ("skipped", Is(Polarity::Backlog)),
    ("sla", Setting),
    ("slo", Setting),
    ("speed", Particle),
    ("spent", Is(Polarity::Load)),
    ("spin", Particle),
    ("stale", Is(Polarity::Backlog)),
    ("start", Particle),
    ("steal", Is(Polarity::Load)),
    ("stuck", Is(Polarity::Fault)),
    ("success", Is(Polarity::Share)),
    ("sum", Count),
    ("suppressed", Setting),
    ("swap", Weak(Polarity::Load)),
    ("target", Setting),
    ("temperature", Weak(Polarity::Load)),
    ("threshold", Setting),
    ("thresholds", Setting),
    ("throttle", Is(Polarity::Fault)),
    ("throttled", Is(Polarity::Fault)),
    ("throttles", Is(Polarity::Fault)),
    ("throttling", Is(Polarity::Fault)),
    ("time", Is(Polarity::Load)),
    ("timeout", Timeout),
    ("timeouts", Is(Polarity::Fault)),
    ("timestamp", Setting),
    ("tolerated", Setting),
    ("total", Count),
    ("ttl", Setting),
    ("unavailable", Is(Polarity::Fault)),
    ("unhealthy", Is(Polarity::Fault)),
    ("unreachable", Is(Polarity::Fault)),
    ("unready", Is(Polarity::Fault)),
    ("unschedulable", Is(Polarity::Fault)),
    ("up", Up),
    ("uptime", Setting),
    ("usage", Is(Polarity::Load)),
    ("used", Is(Polarity::Load)),
    ("utilisation", Is(Polarity::Load)),
    ("utilization", Is(Polarity::Load)),
    ("version", Setting),
    ("violation", Is(Polarity::Fault)),
    ("violations", Is(Polarity::Fault)),
    ("wait", Is(Polarity::Load)),
    ("waiting", Is(Polarity::Backlog)),
    ("warm", Particle),
    ("warnings", Is(Polarity::Backlog)),
    ("weight", Setting),
];

/// Which way a signal of that name points; `None` when the name does not say, or says both.
pub(super) fn polarity_of(name: &str) -> Option<Polarity> {
    let mut found: Option<Polarity> = None;
    let mut weak = None;
    let (mut negated, mut timeout, mut particle, mut up) = (false, false, false, false);
    for (index, word) in words(name).enumerate() {
        up = false;
        let role = match lookup(SIGNALS, word) {
            None => continue,
            Some(Setting) => return None,
            Some(Bound) if index == 0 => return None,
            Some(Not) => {
                negated = true;
                continue;
            }
            Some(Weak(polarity)) => {
                weak = Some(polarity);
                continue;
            }
            Some(Timeout) => {
                timeout = true;
                continue;
            }
            Some(Particle) => {
                particle = true;
                continue;
            }
            Some(Up) => {
                up = !particle;
                continue;
            }
            Some(Budget) if found == Some(Polarity::Fault) => {
                found = Some(Polarity::Stock);
                continue;
            }
            Some(Count) if timeout => Polarity::Fault,
            Some(Is(polarity)) if negated => turned(polarity)?,
            Some(Is(polarity)) => polarity,
            Some(Count | Bound | Budget) => continue,
        };
        negated = false;
        found = match found {
            Some(earlier) if is_bad(earlier) != is_bad(role) => return None,
            _ => Some(role),
        };
    }
    if up && found.is_none() {
        return Some(Polarity::Share);
    }
    found.or(weak)
}

/// Whether a name says that its number is a share, so that a small one is little.
pub(super) fn is_rate(name: &str) -> bool {
    let rates = ["rate", "ratio", "percent", "pct", "fraction", "share"];
    words(name).any(|word| rates.iter().any(|rate| rate.eq_ignore_ascii_case(word)))
}

/// Whether a name says nothing by itself and its surroundings name the signal.
pub(super) fn is_generic(name: &str) -> bool {
    const GENERIC: [&str; 24] = [
        "value", "values", "current", "observed", "actual", "reading", "measured", "got", "count",
        "total", "rate", "ratio", "percent", "pct", "avg", "average", "mean", "last", "latest",
        "sum", "max", "now", "number", "sample",
    ];
    words(name).all(|word| GENERIC.iter().any(|generic| generic.eq_ignore_ascii_case(word)))
}

/// Whether one name contains the other, word by word.
pub(super) fn same_signal(a: &str, b: &str) -> bool {
    let contains = |long: &str, short: &str| {
        let mut rest = words(long);
        loop {
            let mut tail = rest.clone();
            if words(short).all(|word| tail.next().is_some_and(|w| w.eq_ignore_ascii_case(word))) {
                return true;
            }
            if rest.next().is_none() {
                return false;
            }
        }
    };
    contains(a, b) || contains(b, a)
}

/// Whether more of the signal is worse.
pub(super) const fn is_bad(polarity: Polarity) -> bool {
    matches!(polarity, Polarity::Fault | Polarity::Backlog | Polarity::Load)
}

/// The signal with `not` before it.
const fn turned(polarity: Polarity) -> Option<Polarity> {
    match polarity {
        Polarity::Share | Polarity::Stock => Some(Polarity::Fault),
        Polarity::Fault | Polarity::Backlog | Polarity::Load => None,
    }
}

/// Conditions of orchestrators and what they are when all is well.
const CONDITIONS: &[(&str, bool)] = &[
    ("available", true),
    ("containersready", true),
    ("degraded", false),
    ("diskpressure", false),
    ("established", true),
    ("failed", false),
    ("healthy", true),
    ("initialized", true),
    ("kerneldeadlock", false),
    ("memorypressure", false),
    ("networkunavailable", false),
    ("pidpressure", false),
    ("podscheduled", true),
    ("readonlyfilesystem", false),
    ("ready", true),
    ("reconciled", true),
    ("replicafailure", false),
    ("stalled", false),
    ("synced", true),
];

/// What a condition or a switch of that name is when all is well; `None` when the name does not say.
pub(super) fn when_well(name: &str) -> Option<bool> {
    if let Some(well) = lookup(CONDITIONS, name) {
        return Some(well);
    }
    match polarity_of(name)? {
        Polarity::Fault => Some(false),
        Polarity::Share | Polarity::Stock => Some(true),
        Polarity::Backlog | Polarity::Load => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lookup::misplaced;
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert_eq!(misplaced(SIGNALS), None);
        assert_eq!(misplaced(CONDITIONS), None);
    }

    #[test]
    fn h20_polarity_belongs_to_the_name() {
        for (name, expected) in [
            ("error_rate", Some(Polarity::Fault)),
            ("http_requests_5xx_total", Some(Polarity::Fault)),
            ("restartCount", Some(Polarity::Fault)),
            ("OOMKills", Some(Polarity::Fault)),
            ("unavailable_replicas", Some(Polarity::Fault)),
            ("nodes_not_ready", Some(Polarity::Fault)),
            ("timeouts", Some(Polarity::Fault)),
            ("timeout_count", Some(Polarity::Fault)),
            ("queue_timeouts", Some(Polarity::Fault)),
            ("cpu_throttling", Some(Polarity::Fault)),
            ("consumer_lag", Some(Polarity::Backlog)),
            ("error_queue_depth", Some(Polarity::Backlog)),
            ("p99 latency", Some(Polarity::Load)),
            ("error_latency", Some(Polarity::Load)),
            ("cpu", Some(Polarity::Load)),
            ("readyReplicas", Some(Polarity::Stock)),
            ("disk_free_bytes", Some(Polarity::Stock)),
            ("memory_available", Some(Polarity::Stock)),
            ("error_budget_remaining", Some(Polarity::Stock)),
            ("availability", Some(Polarity::Share)),
            ("success_rate", Some(Polarity::Share)),
            ("up", Some(Polarity::Share)),
            ("pg_up", Some(Polarity::Share)),
            ("scale_up", None),
            ("up_to_date", None),
            ("timeout", None),
            ("timeout_seconds", None),
            ("failureThreshold", None),
            ("maxUnavailable", None),
            ("error_code", None),
            ("time_since_last_error", None),
            ("baseline_error_rate", None),
            ("errors_resolved", None),
            ("error_free_minutes", None),
            ("not_failed", None),
            ("goroutines", None),
            ("", None),
        ] {
            assert_eq!(polarity_of(name), expected, "{name}");
        }
    }

    #[test]
    fn signals_match_word_by_word() {
        assert!(same_signal("errors", "http_errors_total"));
        assert!(same_signal("checkout.errorRate", "error_rate"));
        assert!(!same_signal("error", "terrors"));
        assert!(!same_signal("error_rate", "error_count"));
    }
}
