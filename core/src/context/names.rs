//! Recognizes keys that identify a record or list column names.

const NAMING: [&str; 49] = [
    "name", "namespace", "kind", "id", "uid", "title", "metadata", "service", "service_name",
    "servicename", "host", "hostname", "node", "nodename", "pod", "podname", "container",
    "instance", "job", "app", "application", "cluster", "region", "zone", "database", "table",
    "queue", "topic", "user", "key", "label", "resource", "metric", "__name__", "alertname",
    "component", "path", "url", "type", "time", "timestamp", "@timestamp", "ts", "date", "unit",
    "operation", "operationname", "apiversion", "labels",
];

const COLUMNS: [&str; 7] =
    ["columns", "column_names", "columnnames", "fields", "headers", "header", "schema"];

const MAX_KEY: usize = 24;

pub(super) fn is_naming_key(key: &str) -> bool {
    is_one_of(&NAMING, key)
}

pub(super) fn is_column_key(key: &str) -> bool {
    is_one_of(&COLUMNS, key)
}

fn is_one_of(known: &[&str], key: &str) -> bool {
    key.len() <= MAX_KEY && known.iter().any(|name| name.eq_ignore_ascii_case(key))
}
