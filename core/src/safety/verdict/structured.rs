//! Structured results: samples, series, conditions and fields of JSON documents.

use super::Polarity;
use super::decimal::Quantity;
use super::findings::Kind as Found;
use super::json::Json;
use super::lexicon::{Sense, sense};
use super::lines;
use super::lookup::words;
use super::numbers::{is_failing_code, truth};
use super::polarity::{is_generic, polarity_of};
use super::sample::{Bound, Context, EMPTY, Exposure, Level, Reference, Sample};

type Members<'a> = [(alloc::borrow::Cow<'a, str>, Json<'a>)];

/// Names of the field that holds the value of a sample.
const VALUE: [&str; 6] =
    ["value", "current", "observed", "actual", "current_value", "currentValue"];
/// Names of the field that holds the name of a sample.
const NAME: [&str; 7] =
    ["name", "metric", "signal", "metric_name", "metricName", "series", "label"];
/// Names of the field that holds what a value is held against, and which side of it is a fault.
const REFERENCE: [(&str, Bound); 9] = [
    ("threshold", Bound::ByPolarity),
    ("slo", Bound::ByPolarity),
    ("target", Bound::ByPolarity),
    ("objective", Bound::ByPolarity),
    ("limit", Bound::Upper),
    ("max", Bound::Upper),
    ("maximum", Bound::Upper),
    ("min", Bound::Lower),
    ("minimum", Bound::Lower),
];
/// Names of the field that says which side of the threshold is a fault.
const COMPARATOR: [&str; 4] = ["operator", "comparator", "op", "comparison"];
/// Names of the field that says how many of a good thing are wanted.
const WANTED: [&str; 5] =
    ["desired", "desiredReplicas", "desired_replicas", "replicas", "expected"];
/// Names of the field that holds the level of a log record.
const LEVEL: [&str; 4] = ["level", "lvl", "severity", "log_level"];
/// Fields whose text is a statement; the text of other fields names or addresses something.
const PROSE: [&str; 30] = [
    "message",
    "msg",
    "log",
    "line",
    "text",
    "error",
    "err",
    "errors",
    "reason",
    "status",
    "state",
    "phase",
    "result",
    "output",
    "stdout",
    "stderr",
    "body",
    "summary",
    "description",
    "detail",
    "details",
    "event",
    "note",
    "warning",
    "exception",
    "cause",
    "logs",
    "lines",
    "messages",
    "content",
];

/// Reads a document.
pub(super) fn read(document: &Json<'_>, context: &mut Context<'_>) {
    value("", document, context);
}

fn value(key: &str, json: &Json<'_>, context: &mut Context<'_>) {
    match json {
        Json::Null => {}
        Json::Bool(holds) => {
            context.truth(key, *holds);
        }
        Json::Number(literal) => number(key, literal, None, context),
        Json::Text(text) => string(key, text, None, context),
        Json::Array(items) => array(key, items, context),
        Json::Object(members) => object(key, members, context),
    }
}

fn member<'j, 'a>(members: &'j Members<'a>, key: &str) -> Option<&'j Json<'a>> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

fn any_member<'j, 'a>(members: &'j Members<'a>, keys: &[&str]) -> Option<&'j Json<'a>> {
    keys.iter().find_map(|key| member(members, key))
}

fn array(key: &str, items: &[Json<'_>], context: &mut Context<'_>) {
    let is_number = |item: &Json<'_>| matches!(item, Json::Number(_));
    if !items.is_empty() && items.iter().all(is_number) {
        return context.series(key, items.iter().filter_map(Json::as_scalar));
    }
    for item in items {
        value(key, item, context);
    }
}

fn object(key: &str, members: &Members<'_>, context: &mut Context<'_>) {
    let around = context.level;
    if let Some(level) = any_member(members, &LEVEL).and_then(Json::as_text) {
        context.level = Level::named(level);
    }
    fields(key, members, context);
    context.level = around;
}

fn fields(key: &str, members: &Members<'_>, context: &mut Context<'_>) {
    if prometheus(members, context)
        || condition(members, context)
        || named_sample(key, members, context)
    {
        return;
    }
    let wanted = any_member(members, &WANTED).and_then(Json::as_scalar).and_then(Quantity::parse);
    for (name, json) in members {
        let name = if is_generic(name) && !key.is_empty() { key } else { &**name };
        let reference = sibling(members, name, wanted);
        match json {
            Json::Number(literal) => number(name, literal, reference, context),
            Json::Text(text) => string(name, text, reference, context),
            other => value(name, other, context),
        }
    }
}

/// What a field's neighbours hold it against: `NAME_threshold`, `threshold`, or for replicas how many
/// are wanted.
fn sibling<'j>(
    members: &'j Members<'_>,
    name: &str,
    wanted: Option<Quantity<'j>>,
) -> Option<Reference<'j>> {
    let own = members.iter().find(|(key, _)| {
        key.strip_prefix(name)
            .is_some_and(|rest| matches!(rest, "_threshold" | "Threshold" | ".threshold"))
    });
    let threshold = own.map(|(_, json)| json).or_else(|| member(members, "threshold"));
    if let Some(quantity) = threshold.and_then(Json::as_scalar).and_then(Quantity::parse) {
        return Some(Reference { quantity, bound: Bound::ByPolarity });
    }
    let of_replicas = polarity_of(name) == Some(Polarity::Stock)
        && words(name).all(|word| {
            [
                "ready",
                "available",
                "healthy",
                "online",
                "replicas",
                "pods",
                "number",
                "nodes",
                "count",
            ]
            .iter()
            .any(|part| part.eq_ignore_ascii_case(word))
        });
    wanted.filter(|_| of_replicas).map(|quantity| Reference { quantity, bound: Bound::Whole })
}

/// A number under a name. Status and exit codes are no amounts.
fn number<'j>(
    name: &str,
    literal: &'j str,
    reference: Option<Reference<'j>>,
    context: &mut Context<'_>,
) {
    let Some(value) = Quantity::parse(literal) else {
        return context.doubt("a number too long to be read decides nothing");
    };
    let has = |word: &str| words(name).any(|part| part.eq_ignore_ascii_case(word));
    if has("code") || (has("status") && words(name).count() == 1) {
        if is_failing_code(value, has("exit")) {
            context.findings.add(Found::Fault, || (alloc::format!("{name} is {literal}"), None));
        }
        return;
    }
    if polarity_of(name).is_some() || context.expectation.is_some() {
        context.sample(&Sample { reference, ..Sample::new(name, value) });
    }
}

/// A text under a name: a number, a ratio, a truth, or prose.
fn string<'j>(
    name: &str,
    text: &'j str,
    reference: Option<Reference<'j>>,
    context: &mut Context<'_>,
) {
    let measured =
        polarity_of(name).is_some() || (context.expectation.is_some() && is_generic(name));
    if measured {
        if lines::is_no_number(text) {
            return context.doubt("a value that is no number decides nothing");
        }
        if let Some(value) = Quantity::parse(text) {
            context.sample(&Sample { reference, ..Sample::new(name, value) });
            return;
        }
        if let Some((part, whole)) = text.split_once('/')
            && let (Some(part), Some(quantity)) = (Quantity::parse(part), Quantity::parse(whole))
        {
            let reference = Some(Reference { quantity, bound: Bound::Whole });
            context.sample(&Sample { reference, ..Sample::new(name, part) });
            return;
        }
    }
    if let Some(holds) = truth(text)
        && context.truth(name, holds)
    {
        return;
    }
    if matches!(sense(name), Some(Sense::Fault | Sense::Fails)) {
        return complaint(name, text, context);
    }
    if name.is_empty() || PROSE.iter().any(|prose| prose.eq_ignore_ascii_case(name)) {
        lines::read(text, context);
    }
}

/// The text of a field that is named after a fault: it states one, unless it says none.
fn complaint(name: &str, text: &str, context: &mut Context<'_>) {
    let trimmed = text.trim();
    match sense(trimmed) {
        Some(Sense::Nothing) => {
            context.findings.add(Found::Cleared, || (alloc::format!("{name} is {trimmed}"), None))
        }
        Some(Sense::Absent | Sense::Negator) => context.doubt("an absent value decides nothing"),
        _ if trimmed.is_empty() || trimmed == "-" => {
            context.doubt("an absent value decides nothing");
        }
        _ => lines::read(trimmed, context),
    }
}

/// A sample, a series or a stream of log lines as Prometheus and Loki answer; says whether it is one.
fn prometheus(members: &Members<'_>, context: &mut Context<'_>) -> bool {
    if member(members, "errorType").is_some() {
        context.doubt("the tool itself failed");
        return true;
    }
    if member(members, "resultType").is_some() {
        match member(members, "result") {
            Some(Json::Array(results)) if results.is_empty() => context.doubt(EMPTY),
            // A scalar result is `[time, value]` without a name.
            Some(Json::Array(results)) if results.iter().all(|item| item.as_scalar().is_some()) => {
                scalar("", results.get(1), context);
            }
            Some(result) => value("", result, context),
            None => context.doubt(EMPTY),
        }
        return true;
    }
    if let (Some(Json::Object(_)), Some(Json::Array(entries))) =
        (member(members, "stream"), member(members, "values"))
    {
        for entry in entries {
            if let Json::Array(pair) = entry
                && let Some(line) = pair.get(1).and_then(Json::as_text)
            {
                lines::read(line, context);
            }
        }
        return true;
    }
    let Some(Json::Object(labels)) = member(members, "metric") else { return false };
    let name = member(labels, "__name__").and_then(Json::as_text).unwrap_or_default();
    match (member(members, "value"), member(members, "values")) {
        (Some(Json::Array(pair)), _) => scalar(name, pair.get(1), context),
        (_, Some(Json::Array(points))) if points.is_empty() => context.doubt(EMPTY),
        (_, Some(Json::Array(points))) => {
            let values = points.iter().map(|point| match point {
                Json::Array(pair) => pair.get(1).and_then(Json::as_scalar).unwrap_or_default(),
                _ => "",
            });
            context.series(name, values);
        }
        _ => return false,
    }
    true
}

fn scalar(name: &str, json: Option<&Json<'_>>, context: &mut Context<'_>) {
    match json.and_then(Json::as_scalar).and_then(Quantity::parse) {
        Some(value) => {
            context.sample(&Sample { exposure: Exposure::Counter, ..Sample::new(name, value) });
        }
        None => context.doubt("a value that is no number decides nothing"),
    }
}

/// A condition of an object: `{"type": "Ready", "status": "False"}`; says whether it is one.
fn condition(members: &Members<'_>, context: &mut Context<'_>) -> bool {
    let Some(name) = member(members, "type").and_then(Json::as_text) else { return false };
    let holds = match member(members, "status") {
        Some(Json::Bool(holds)) => Some(*holds),
        Some(Json::Text(status)) if status == "Unknown" => {
            context.doubt("a condition of unknown status decides nothing");
            return true;
        }
        Some(Json::Text(status)) => truth(status),
        _ => None,
    };
    let Some(holds) = holds else { return false };
    context.truth(name, holds);
    true
}

/// A value with its name or threshold beside it; says whether the object is one.
fn named_sample(key: &str, members: &Members<'_>, context: &mut Context<'_>) -> bool {
    let Some(literal) = any_member(members, &VALUE).and_then(Json::as_scalar) else { return false };
    let reference = REFERENCE.iter().find_map(|(name, bound)| {
        let literal = member(members, name).and_then(Json::as_scalar)?;
        Some((Quantity::parse(literal), *bound))
    });
    let name = any_member(members, &NAME).and_then(Json::as_text);
    if reference.is_none() && name.is_none() {
        return false;
    }
    let name = name.unwrap_or(key);
    let unit = member(members, "unit").and_then(Json::as_text);
    let Some(value) = with_unit(literal, unit) else {
        context.doubt("a value that is no number decides nothing");
        return true;
    };
    let comparator = any_member(members, &COMPARATOR).and_then(Json::as_text).and_then(comparator);
    let reference = match reference {
        Some((None, _)) => {
            context.doubt("a threshold that is no number decides nothing");
            return true;
        }
        Some((Some(quantity), bound)) => Some(Reference {
            // A bare threshold is in the unit of its value.
            quantity: Quantity { unit: quantity.unit.or(value.unit), ..quantity },
            bound: comparator.unwrap_or(bound),
        }),
        None => None,
    };
    context.sample(&Sample { reference, ..Sample::new(name, value) });
    for (field, nested) in members {
        if matches!(nested, Json::Array(_) | Json::Object(_)) {
            value_of_nested(field, nested, context);
        }
    }
    true
}

fn value_of_nested(field: &str, nested: &Json<'_>, context: &mut Context<'_>) {
    // Labels name the sample; they state nothing.
    if !matches!(field, "labels" | "tags" | "metric" | "dimensions" | "annotations") {
        value(field, nested, context);
    }
}

fn with_unit<'j>(literal: &'j str, unit: Option<&str>) -> Option<Quantity<'j>> {
    let quantity = Quantity::parse(literal)?;
    let named = unit.and_then(super::decimal::Unit::named);
    Some(Quantity { unit: quantity.unit.or(named), ..quantity })
}

/// Which side of a threshold is a fault, by the comparison that raises the alarm.
fn comparator(name: &str) -> Option<Bound> {
    let starts = |prefixes: &[&str]| {
        prefixes.iter().any(|prefix| {
            name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        })
    };
    if starts(&[">", "gt", "ge", "greater", "above", "over"]) {
        Some(Bound::Upper)
    } else if starts(&["<", "lt", "le", "less", "below", "under"]) {
        Some(Bound::Lower)
    } else {
        None
    }
}
