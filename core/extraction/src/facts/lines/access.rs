//! Parses requests in access log lines: method, path, status, size, client.

use core::ops::Range;

use crate::text::{byte_at, part};

pub(super) type Cells = Vec<(&'static str, Range<usize>)>;

const METHODS: [&str; 9] =
    ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "CONNECT", "PRI"];

/// Parses a request such as `"GET /cart HTTP/1.1" 504 167`, or from HAProxy `… 503 217 - - "GET /cart HTTP/1.1"`.
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
    let after = near(line, end + 1);
    let mut after = spans(line, after).into_iter();
    let status = after.next().filter(|status| is_status(part(line, status.clone())));
    if let Some(status) = status {
        cells.push(("status", status));
        let size = after.next().filter(|size| is_number(part(line, size.clone())));
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
fn haproxy(line: &str, request: usize, cells: &mut Cells) {
    let words = spans(line, 0..request.saturating_sub(1));
    for window in words.windows(4) {
        let [server, timers, status, size] = window else { continue };
        let of = |range: &Range<usize>| part(line, range.clone());
        let timed = of(timers).split('/').count() == 5
            && of(timers).bytes().all(|b| b.is_ascii_digit() || b"/-+".contains(&b));
        if timed && is_status(of(status)) && is_number(of(size).trim_start_matches('+')) {
            if let Some((backend, _)) = of(server).split_once('/') {
                let middle = server.start + backend.len();
                cells.push(("backend", server.start..middle));
                cells.push(("server", middle + 1..server.end));
            }
            cells.push(("timers", timers.clone()));
            cells.push(("status", status.clone()));
            cells.push(("bytes", size.clone()));
            return;
        }
    }
}

fn quoted_request(line: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(quote) = part(line, from..line.len()).find('"') {
        let start = from + quote + 1;
        let rest = part(line, start..line.len());
        let method = METHODS
            .iter()
            .any(|method| rest.strip_prefix(*method).is_some_and(|rest| rest.starts_with(' ')));
        if method {
            let end = start + rest.find('"')?;
            return part(line, start..end).contains("HTTP/").then_some((start, end));
        }
        from = start;
    }
    None
}

fn near(line: &str, start: usize) -> Range<usize> {
    start..line.floor_char_boundary((start + 48).min(line.len()).max(start))
}

fn spans(line: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let text = part(line, range.clone());
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        let space = matches!(byte, b' ' | b'\t');
        match start {
            None if !space => start = Some(at),
            Some(from) if space => {
                found.push(range.start + from..range.start + at);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| range.start + from..range.start + text.len()));
    found
}

fn is_status(word: &str) -> bool {
    word.len() == 3 && is_number(word) && (b'1'..=b'5').contains(&byte_at(word, 0))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_address(word: &str) -> bool {
    let dots = word.bytes().filter(|byte| *byte == b'.').count();
    dots == 3 && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let cells =
            request(line).into_iter().map(|(name, at)| format!("{name}={}", part(line, at)));
        cells.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parses_requests_in_access_logs() {
        assert_eq!(
            read(
                r#"10.0.0.1 - - [12/Mar/2024:14:01:02 +0000] "POST /api/quotes HTTP/1.1" 504 167 "-" "curl""#
            ),
            "method=POST path=/api/quotes protocol=HTTP/1.1 status=504 bytes=167 client=10.0.0.1"
        );
        assert_eq!(
            read(
                r#"10.0.0.1:5123 [12/Mar/2024:14:01:02.118] fe be_api/api02 0/0/1/-1/9001 504 217 - - sH-- 1/1/0/0/0 0/0 "GET /x HTTP/1.1""#
            ),
            "method=GET path=/x protocol=HTTP/1.1 backend=be_api server=api02 timers=0/0/1/-1/9001 status=504 bytes=217 client=10.0.0.1:5123"
        );
        assert_eq!(read("said \"hello\" and left"), "");
    }
}
