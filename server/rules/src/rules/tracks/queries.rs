//! What a query says of the series that answer it: the metric, the quantile, the unit.

use gsar_core::text::figures::Unit;
use gsar_core::text::tokens::words;

/// The expression in a request: what follows `query=`, as far as the parameter goes.
pub(super) fn expression(asked: &str) -> &str {
    match asked.split_once("query=") {
        Some((_, rest)) => rest.split(['\'', '&']).find(|part| !part.is_empty()).unwrap_or(rest),
        None => asked,
    }
}

/// The first metric that a query names: a word with underscores, dots or colons before its labels or range;
/// else one that is no function.
pub(super) fn metric(query: &str) -> Option<&str> {
    let followed =
        |end: usize, by: &[char]| query.get(end..).is_some_and(|rest| rest.starts_with(by));
    let named = || {
        words(query).filter(|word| {
            word.text.contains(['_', '.'])
                && word.text.starts_with(|c: char| c.is_alphabetic())
                && !is_file_or_host(word.text)
        })
    };
    let selected = named().find(|word| followed(word.span.end, &['{', '[']));
    selected
        .or_else(|| named().find(|word| !followed(word.span.end, &['(', '=', '/', '"'])))
        .map(|word| word.text)
}

/// `disk.json`, `prom.example.com`: a file or a host, no metric.
fn is_file_or_host(word: &str) -> bool {
    const ENDS: [&str; 20] = [
        "json", "jsonl", "yaml", "yml", "csv", "tsv", "txt", "log", "sql", "sh", "py", "example",
        "com", "io", "net", "org", "local", "internal", "svc", "html",
    ];
    word.rsplit_once('.')
        .is_some_and(|(_, end)| ENDS.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// The metric's name with the quantile that is asked of it: "p99 request_duration_seconds".
pub(super) fn name(asked: &[&str], metric: &str) -> String {
    let metric = metric.trim_end_matches("_bucket");
    match asked.iter().find_map(|query| quantile(query)) {
        Some(quantile) => format!("{quantile} {metric}"),
        None => metric.to_owned(),
    }
}

/// `histogram_quantile(0.99` is p99.
fn quantile(query: &str) -> Option<String> {
    let (_, rest) = query.split_once("quantile(")?;
    let digits = rest.trim_start().strip_prefix("0.")?;
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    let digits = digits.get(..end).filter(|digits| !digits.is_empty())?;
    Some(if digits.len() == 1 { format!("p{digits}0") } else { format!("p{digits}") })
}

/// The unit of what a query computes: a share times 100 is a percentage, bytes by second are a rate.
pub(super) fn unit(asked: &[&str]) -> Option<Unit> {
    let says = |what: &str| asked.iter().any(|text| text.contains(what));
    if says("100 *") || says("* 100") || says("*100") || says("100*") {
        return Some(Unit::PERCENT);
    }
    let metric = asked.iter().find_map(|query| metric(query))?;
    let trimmed = metric
        .trim_end_matches("_bucket")
        .trim_end_matches("_total")
        .trim_end_matches("_sum")
        .trim_end_matches("_count");
    let named = Unit::of_field(trimmed);
    if says("quantile(") {
        return named;
    }
    let second = Unit::named("s")?;
    match named {
        // Seconds of a processor by second are processors, unless they are parted by mode.
        Some(unit) if says("rate(") && unit.dimension == second.dimension => {
            (metric.contains("cpu") && !says("mode") && !says("avg")).then_some(Unit::CORES)
        }
        Some(unit) if says("rate(") => unit.per(second),
        None if says("rate(") => Unit::COUNT.per(second),
        other => other,
    }
}

/// The unit in which CloudWatch states a metric whose answer leaves it out.
pub(super) fn usual_unit(metric: &str) -> Option<Unit> {
    let second = Unit::named("s")?;
    let byte = Unit::named("B")?;
    match metric {
        "FreeStorageSpace" | "FreeableMemory" | "SwapUsage" | "BinLogDiskUsage" => Some(byte),
        "ReplicaLag" | "AuroraReplicaLagMaximum" => Some(second),
        "ReadThroughput"
        | "WriteThroughput"
        | "NetworkReceiveThroughput"
        | "NetworkTransmitThroughput" => byte.per(second),
        "CPUUtilization" | "MemoryUtilization" => Some(Unit::PERCENT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metric_of_a_query_is_found() {
        let request = "curl -sG https://prom.example/api/v1/query_range --data-urlencode \
                       'query=histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{app=\"cart\"}[1m])))' -d step=60";
        let query = expression(request);
        assert_eq!(metric(query), Some("http_request_duration_seconds_bucket"));
        let named = metric(query).map(|metric| name(&[query], metric));
        assert_eq!(named.as_deref(), Some("p99 http_request_duration_seconds"));
        assert_eq!(unit(&[query]), Unit::named("s"));
        assert_eq!(metric("sum(rate(node_cpu_seconds_total[5m]))"), Some("node_cpu_seconds_total"));
        assert_eq!(
            unit(&["sum by (pod) (rate(container_cpu_usage_seconds_total[1m]))"]),
            Some(Unit::CORES)
        );
        assert_eq!(unit(&["100 * avg(up_ratio)"]), Some(Unit::PERCENT));
        assert_eq!(metric("up"), None);
    }
}
