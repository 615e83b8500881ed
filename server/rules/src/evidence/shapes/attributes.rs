//! Containers of name/value pairs: `{"name": "CHARGE_TIMEOUT_MS", "value": "2500"}` of an environment,
//! `{"key": "http.route", "value": {"stringValue": "/"}}` of a trace. The value is a field of that name, and a
//! part of what has the container.

/// Whether the elements of the array under this key are attributes of what has the array.
pub(crate) fn holds_attributes(key: &str) -> bool {
    const HOLDERS: [&str; 14] = [
        "annotations",
        "attributes",
        "dimensions",
        "env",
        "environment",
        "fields",
        "headers",
        "labels",
        "metadata",
        "parameters",
        "properties",
        "settings",
        "tags",
        "variables",
    ];
    HOLDERS.iter().any(|holder| holder.eq_ignore_ascii_case(key))
}

/// Whether the value under this key is the name of an attribute.
pub(crate) fn is_name(key: &str) -> bool {
    key.eq_ignore_ascii_case("key") || key.eq_ignore_ascii_case("name")
}

/// Whether the value under this key is the value of an attribute.
pub(crate) fn is_value(key: &str) -> bool {
    key.eq_ignore_ascii_case("value")
}

/// Whether the value under this key is the value of an attribute with its type: `{"intValue": "201"}`.
pub(crate) fn is_typed_value(key: &str) -> bool {
    matches!(
        key,
        "stringValue"
            | "intValue"
            | "doubleValue"
            | "boolValue"
            | "StringValue"
            | "NumberValue"
            | "string_value"
            | "int_value"
            | "double_value"
            | "bool_value"
    )
}
