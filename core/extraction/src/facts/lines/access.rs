//! Parses requests in access log lines: method, path, status, size, client.

use core::ops::Range;

use crate::text::{byte_at, part};

pub(super) type Cells = Vec<(&'static str, Range<usize>)>;

const METHODS: [&str; 9] =
    ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "CONNECT", "PRI"];

/// Parses a request such as `"GET /cart HTTP/1.1" 504 167` or, from HAProxy, `… 503 217 - - "GET /cart HTTP/1.1"`.
pub(super) fn request(line: &str) -> Cells {
    let mut cells = Cells::new();
    if !line.contains("HTTP/") {
        return cells;
    }
    let Some((start, end)) = quoted_request(line) else { return cells };
    let mut words = spans(line, start..end).into_iter();
    cells.extend(words.next().map(|method| ("method", method)));
    cells.extend(words.next().map(|path| ("path", path)));
    cells.extend(words.next().map(|protocol| ("protocol", protocol)));
    let after_request = window(line, end + 1);
    let mut after_request = spans(line, after_request).into_iter();
    let status = after_request.next().filter(|status| is_status(part(line, status.clone())));
    if let Some(status) = status {
        cells.push(("status", status));
        let size = after_request.next().filter(|size| is_number(part(line, size.clone())));
        cells.extend(size.map(|size| ("bytes", size)));
    } else {
        haproxy(line, start, &mut cells);
    }
    let client = spans(line, 0..start.min(64)).into_iter().next();
    let address = client.filter(|client| is_address(part(line, client.clone())));
    cells.extend(address.map(|client| ("client", client)));
    cells
}

/// Parses `frontend backend/server 0/0/1/12/13 503 217` before the request.
fn haproxy(line: &str, request_start: usize, cells: &mut Cells) {
    let words = spans(line, 0..request_start.saturating_sub(1));
    for window in words.windows(4) {
        let [server, timers, status, size] = window else { continue };
        let text_at = |range: &Range<usize>| part(line, range.clone());
        let has_timers = text_at(timers).split('/').count() == 5
            && text_at(timers).bytes().all(|b| b.is_ascii_digit() || b"/-+".contains(&b));
        if has_timers
            && is_status(text_at(status))
            && is_number(text_at(size).trim_start_matches('+'))
        {
            if let Some((backend, _)) = text_at(server).split_once('/') {
                let slash = server.start + backend.len();
                cells.push(("backend", server.start..slash));
                cells.push(("server", slash + 1..server.end));
            }
            cells.push(("timers", timers.clone()));
            cells.push(("status", status.clone()));
            cells.push(("bytes", size.clone()));
            return;
        }
    }
}

fn quoted_request(line: &str) -> Option<(usize, usize)> {
    let mut search_start = 0;
    while let Some(quote) = part(line, search_start..line.len()).find('"') {
        let request_start = search_start + quote + 1;
        let rest = part(line, request_start..line.len());
        let is_request = METHODS
            .iter()
            .any(|method| rest.strip_prefix(*method).is_some_and(|rest| rest.starts_with(' ')));
        if is_request {
            let end = request_start + rest.find('"')?;
            return part(line, request_start..end)
                .contains("HTTP/")
                .then_some((request_start, end));
        }
        search_start = request_start;
    }
    None
}

fn window(line: &str, start: usize) -> Range<usize> {
    start..line.floor_char_boundary((start + 48).min(line.len()).max(start))
}

fn spans(line: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut start = range.start;
    let words = part(line, range).split([' ', '\t']).map(|word| {
        let span = start..start + word.len();
        start = span.end + 1;
        span
    });
    words.filter(|span| !span.is_empty()).collect()
}

fn is_status(word: &str) -> bool {
    word.len() == 3 && is_number(word) && (b'1'..=b'5').contains(&byte_at(word, 0))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_address(word: &str) -> bool {
    let dot_count = word.bytes().filter(|byte| *byte == b'.').count();
    dot_count == 3 && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_cells(line: &str) -> String {
        let cells =
            request(line).into_iter().map(|(name, range)| format!("{name}={}", part(line, range)));
        cells.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parses_requests_in_access_logs() {
        assert_eq!(
            format_cells(
                r#"10.0.0.1 - - [12/Mar/2024:14:01:02 +0000] "POST /api/quotes HTTP/1.1" 504 167 "-" "curl""#
            ),
            "method=POST path=/api/quotes protocol=HTTP/1.1 status=504 bytes=167 client=10.0.0.1"
        );
        assert_eq!(
            format_cells(
                r#"10.0.0.1:5123 [12/Mar/2024:14:01:02.118] fe be_api/api02 0/0/1/-1/9001 504 217 - - sH-- 1/1/0/0/0 0/0 "GET /x HTTP/1.1""#
            ),
            "method=GET path=/x protocol=HTTP/1.1 backend=be_api server=api02 timers=0/0/1/-1/9001 status=504 bytes=217 client=10.0.0.1:5123"
        );
        assert_eq!(format_cells("said \"hello\" and left"), "");
    }
}
