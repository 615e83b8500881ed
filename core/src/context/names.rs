//! Recognizes keys that identify a record or list column names.

/// Keys whose values identify a record.
#[rustfmt::skip]
const NAMING: [&str; 49] = [
    "name", "namespace", "kind", "id", "uid", "title", "metadata", "service", "service_name", "servicename", "host",
    "hostname", "node", "nodename", "pod", "podname", "container", "instance", "job", "app", "application", "cluster",
    "region", "zone", "database", "table", "queue", "topic", "user", "key", "label", "resource", "metric", "__name__",
    "alertname", "component", "path", "url", "type", "time", "timestamp", "@timestamp", "ts", "date", "unit",
    "operation", "operationname", "apiversion", "labels",
];

/// Keys of lists of column names.
const COLUMNS: [&str; 7] =
    ["columns", "column_names", "columnnames", "fields", "headers", "header", "schema"];

/// The maximum length of a key to look up, in bytes.
const MAX_KEY: usize = 24;

/// Returns `true` if a key, in any case, identifies its record.
pub(super) fn is_naming_key(key: &str) -> bool {
    is_one_of(&NAMING, key)
}

/// Returns `true` if a key, in any case, contains column names.
pub(super) fn is_column_key(key: &str) -> bool {
    is_one_of(&COLUMNS, key)
}

fn is_one_of(known: &[&str], key: &str) -> bool {
    key.len() <= MAX_KEY && known.iter().any(|name| name.eq_ignore_ascii_case(key))
}
