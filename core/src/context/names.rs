//! This module says which keys tell what a record is, when it holds and what its columns are. It reads no documents.

/// Keys whose values say what a record is about.
#[rustfmt::skip]
const NAMING: [&str; 49] = [
    "name", "namespace", "kind", "id", "uid", "title", "metadata", "service", "service_name", "servicename", "host",
    "hostname", "node", "nodename", "pod", "podname", "container", "instance", "job", "app", "application", "cluster",
    "region", "zone", "database", "table", "queue", "topic", "user", "key", "label", "resource", "metric", "__name__",
    "alertname", "component", "path", "url", "type", "time", "timestamp", "@timestamp", "ts", "date", "unit",
    "operation", "operationname", "apiversion", "labels",
];

/// Keys of what holds the names of columns.
const COLUMNS: [&str; 7] =
    ["columns", "column_names", "columnnames", "fields", "headers", "header", "schema"];

/// The most bytes of a key that is looked up.
const MAX_KEY: usize = 24;

/// Whether a key, however it is capitalised, says what its record is.
pub(super) fn is_naming(key: &str) -> bool {
    is_one_of(&NAMING, key)
}

/// Whether a key holds the names of columns.
pub(super) fn holds_columns(key: &str) -> bool {
    is_one_of(&COLUMNS, key)
}

fn is_one_of(known: &[&str], key: &str) -> bool {
    key.len() <= MAX_KEY && known.iter().any(|name| name.eq_ignore_ascii_case(key))
}
