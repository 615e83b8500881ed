//! Defines kinds of things with similar names, such as pods or hosts.

use super::attributes::{
    Attribute, CONNECTIONS, CONSUMERS, DEPTH, DISK, DURATION, ERRORS, EXIT_CODE, FINISHED, HEALTH,
    HOST_STATE, JOB_RESULT, LAG, LATENCY, MEMORY, OWNER, POD_STATUS, QUEUE_STATE, REGION, RESTARTS,
    STARTED, VERSION,
};

#[derive(Debug)]
pub(super) struct Kind {
    pub(super) noun: &'static str,
    pub(super) plural: &'static str,
    /// `true` if things of this kind can write syslog lines.
    pub(super) is_host: bool,
    /// Lists of similar names. Each list contains at least six names.
    pub(super) names: &'static [&'static [&'static str]],
    pub(super) attributes: &'static [Attribute],
}

pub(super) static KINDS: [Kind; 6] = [
    Kind {
        noun: "service",
        plural: "services",
        is_host: false,
        names: &[
            &["checkout", "cart", "catalog", "billing", "shipping", "accounts"],
            &[
                "api-gateway", "auth-gateway", "edge-gateway", "mail-gateway", "sms-gateway",
                "web-gateway",
            ],
            &[
                "orders-read", "orders-write", "orders-sync", "orders-index", "orders-export",
                "orders-audit",
            ],
            &["api", "worker", "scheduler", "ingest", "renderer", "notifier"],
        ],
        attributes: &[LATENCY, HEALTH, ERRORS, VERSION, REGION, MEMORY, OWNER],
    },
    Kind {
        noun: "pod",
        plural: "pods",
        is_host: false,
        names: &[
            &["worker-0", "worker-1", "worker-2", "worker-3", "worker-4", "worker-5"],
            &["cache-a", "cache-b", "cache-c", "cache-d", "cache-e", "cache-f"],
            &[
                "web-7c9f4-2xk8p",
                "web-7c9f4-9qv4t",
                "web-7c9f4-hm5ws",
                "web-7c9f4-kd7zn",
                "web-7c9f4-r3bgl",
                "web-7c9f4-xw6jc",
            ],
        ],
        attributes: &[POD_STATUS, RESTARTS, EXIT_CODE, MEMORY, STARTED],
    },
    Kind {
        noun: "job",
        plural: "jobs",
        is_host: false,
        names: &[
            &[
                "nightly-export", "nightly-import", "nightly-rollup", "hourly-rollup",
                "hourly-export", "weekly-export",
            ],
            &[
                "build-linux", "build-macos", "build-windows", "test-linux", "test-macos",
                "test-windows",
            ],
        ],
        attributes: &[DURATION, JOB_RESULT, EXIT_CODE, STARTED, FINISHED, OWNER],
    },
    Kind {
        noun: "queue",
        plural: "queues",
        is_host: false,
        names: &[
            &["queue-in", "queue-out", "queue-retry", "queue-dead", "queue-audit", "queue-mail"],
            &[
                "mail.outbound", "mail.bounce", "mail.digest", "mail.audit", "mail.retry",
                "mail.bulk",
            ],
        ],
        attributes: &[DEPTH, CONSUMERS, QUEUE_STATE, REGION, OWNER],
    },
    Kind {
        noun: "host",
        plural: "hosts",
        is_host: true,
        names: &[
            &["web-01", "web-02", "web-03", "web-04", "web-05", "web-06"],
            &["node-a1", "node-a2", "node-b1", "node-b2", "node-c1", "node-c2"],
        ],
        attributes: &[LATENCY, HOST_STATE, VERSION, REGION, DISK, STARTED, OWNER],
    },
    Kind {
        noun: "database",
        plural: "databases",
        is_host: false,
        names: &[
            &["pg-1", "pg-2", "pg-3", "pg-4", "pg-5", "pg-6"],
            &[
                "orders-primary",
                "orders-standby",
                "orders-replica-1",
                "orders-replica-2",
                "orders-reporting",
                "orders-archive",
            ],
        ],
        attributes: &[LAG, CONNECTIONS, VERSION, REGION, DISK],
    },
];
