//! Checks the ranges and the combinations of values. Files, judges and directories are checked by the
//! modules that use them.

use std::time::Duration;

use super::{Config, Problems};

const MAX_MESSAGE: u64 = u32::MAX as u64;
/// The minimum of `limits.memory`, as a multiple of `limits.message`.
const MEMORY_PER_MESSAGE: u64 = 8;
/// The minimum of `ledger.max_size`, in bytes. An empty ledger needs about a tenth of it.
const MIN_LEDGER: u64 = 1 << 20;
/// The minimum of `ledger.max_age`.
const MIN_AGE: Duration = Duration::from_secs(1);

pub(super) fn check(config: &Config, problems: &mut Problems) {
    if config.listen.is_empty() && !problems.has_errors_at(&["listen"]) {
        problems.add(&["listen"], "is empty; name at least one address");
    }
    if config.judges.chain.is_empty() && !problems.has_errors_at(&["judges", "chain"]) {
        problems.add(&["judges", "chain"], "is empty; name at least one judge");
    }
    let (limits, evidence) = (&config.limits, &config.evidence);
    for (section, key, value) in [
        ("limits", "message", limits.message.0),
        ("limits", "claims", limits.claims as u64),
        ("limits", "evidence_items", limits.evidence_items as u64),
        ("limits", "text", limits.text.0),
        ("limits", "claim_text", limits.claim_text.0),
        ("limits", "calls_in_flight", limits.calls_in_flight as u64),
        ("limits", "stream_in_flight", limits.stream_in_flight as u64),
        ("limits", "work", limits.work),
        ("evidence", "max_corpus_size", evidence.max_corpus_size.0),
        ("evidence", "max_size", evidence.max_size.0),
        ("evidence", "embedding_workers", evidence.embedding_workers as u64),
    ] {
        if value == 0 {
            problems.add(&[section, key], "0 allows nothing; set it to 1 or more");
        }
    }
    if limits.message.0 > MAX_MESSAGE {
        let description =
            format!("{} is above 4GiB, the limit of gRPC; use a smaller value", limits.message);
        problems.add(&["limits", "message"], description);
    }
    let min_memory = limits.message.0.saturating_mul(MEMORY_PER_MESSAGE);
    if limits.memory.is_some_and(|memory| memory.0 < min_memory) {
        let description = format!(
            "is below {MEMORY_PER_MESSAGE} times limits.message ({}); set it to at least {min_memory} bytes, or lower limits.message",
            limits.message
        );
        problems.add(&["limits", "memory"], description);
    }
    if config.ledger.max_size.is_some_and(|size| size.0 < MIN_LEDGER) {
        let description = "is below the minimum of 1MiB; use a larger value";
        problems.add(&["ledger", "max_size"], description);
    }
    if config.ledger.max_age.is_some_and(|age| age.0 < MIN_AGE) {
        problems.add(&["ledger", "max_age"], "is below 1s; use a larger value");
    }
    if limits.default_deadline > limits.max_deadline {
        let description = format!(
            "{} is above limits.max_deadline ({}); lower it",
            limits.default_deadline, limits.max_deadline
        );
        problems.add(&["limits", "default_deadline"], description);
    }
    config.storage.check(config.ledger.max_size, problems);
    config.gateway.check(config.security.principals.is_some(), problems);
    config.tls.check(&config.listen, problems);
    config.traces.check(problems);
    super::attested::check(config, problems);
    super::security::check(config, problems);
}
