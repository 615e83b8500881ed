//! Parses log line prefixes: time, level, host, program and so on.

use core::ops::Range;

use crate::facts::names::is_level;
use crate::facts::text::trim;
use crate::facts::times::{epoch, time_at};
use crate::text::figures::ClockTime;
use crate::text::{byte_at, char_at, part};

#[derive(Clone, Debug, Default)]
pub(super) struct Prefix {
    pub(super) time: Option<ClockTime>,
    pub(super) cells: Vec<(&'static str, Range<usize>)>,
    pub(super) end: usize,
}

impl Prefix {
    pub(super) fn is_log(&self) -> bool {
        self.time.is_some() || self.has("level")
    }

    fn has(&self, attribute: &str) -> bool {
        self.cells.iter().any(|(name, _)| *name == attribute)
    }
}

const MAX_PARTS: usize = 12;

pub(super) fn prefix(line: &str) -> Prefix {
    let mut prefix = Prefix::default();
    for _ in 0..MAX_PARTS {
        let start = skip_separators(line, prefix.end, prefix.is_log());
        let piece = piece(line, start, &prefix);
        let Some((end, found)) = piece else { break };
        match found {
            Piece::Nothing => {}
            Piece::Time(time) => prefix.time = Some(time),
            Piece::Cells(cells) => prefix.cells.extend(cells.into_iter().flatten()),
            Piece::Level(time, level) => {
                prefix.time = Some(time);
                prefix.cells.push(("level", level));
            }
        }
        prefix.end = end;
    }
    let message = part(line, prefix.end..line.len());
    prefix.end = line.len() - message.trim_start_matches([' ', '\t', ':', '|']).len();
    if byte_at(line, prefix.end) == b'-' && byte_at(line, prefix.end + 1) == b' ' {
        prefix.end += 2;
    }
    prefix
}

enum Piece {
    Nothing,
    Time(ClockTime),
    /// klog combines the level with the time.
    Level(ClockTime, Range<usize>),
    Cells([Option<(&'static str, Range<usize>)>; 3]),
}

/// Skips whitespace, and a separator dash in a known log line.
fn skip_separators(line: &str, start: usize, is_log: bool) -> usize {
    let mut offset = start;
    while matches!(byte_at(line, offset), b' ' | b'\t' | b'|') {
        offset += 1;
    }
    let is_dash = byte_at(line, offset) == b'-' && byte_at(line, offset + 1) == b' ';
    if is_log && is_dash { offset + 2 } else { offset }
}

fn piece(line: &str, start: usize, prefix: &Prefix) -> Option<(usize, Piece)> {
    let rest = part(line, start..line.len());
    if prefix.time.is_none()
        && let Some(time) = time_at(rest)
    {
        let end = start + time.span.end;
        let is_part_of_word =
            char_at(line, end).is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '/');
        let time_in_line = ClockTime { span: start..end, ..time };
        let is_klog =
            byte_at(line, start).is_ascii_uppercase() && byte_at(line, start + 1).is_ascii_digit();
        return match (is_part_of_word, is_klog) {
            (true, _) => None,
            (false, true) => Some((end, Piece::Level(time_in_line, start..start + 1))),
            (false, false) => Some((end, Piece::Time(time_in_line))),
        };
    }
    match byte_at(rest, 0) {
        b'[' => bracketed(line, start, prefix),
        b'<' => priority(rest)
            .map(|length| (start + length, Piece::Nothing))
            .or_else(|| angled_level(line, start)),
        b'{' if prefix.time.is_some() => {
            query_id(rest).map(|length| (start + length, Piece::Nothing))
        }
        _ => word(line, start, prefix),
    }
}

/// Parses a syslog priority: `<189>4412: `.
fn priority(rest: &str) -> Option<usize> {
    let count_digits = |text: &str| text.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let digit_count = count_digits(rest.get(1..)?);
    let close = 1 + digit_count;
    if digit_count == 0 || byte_at(rest, close) != b'>' {
        return None;
    }
    let number_length = count_digits(part(rest, close + 1..rest.len()));
    let has_colon = byte_at(rest, close + 1 + number_length) == b':';
    // In RFC 5424 format, the version is here.
    let has_version = number_length == 1 && byte_at(rest, close + 2) == b' ';
    Some(close + 1 + if has_colon || has_version { number_length + 1 } else { 0 })
}

/// Parses a ClickHouse level: `<Error>`.
fn angled_level(line: &str, start: usize) -> Option<(usize, Piece)> {
    let window = part(line, start..line.floor_char_boundary((start + 16).min(line.len())));
    let close = window.find('>')?;
    let level = part(window, 1..close);
    is_level(level).then(|| {
        (start + close + 1, Piece::Cells([Some(("level", start + 1..start + close)), None, None]))
    })
}

/// Parses a ClickHouse query id, `{}` or `{a81e}`, between the thread and the level.
fn query_id(rest: &str) -> Option<usize> {
    let window = part(rest, 0..rest.floor_char_boundary(48));
    let close = window.find('}')?;
    let id = part(window, 1..close);
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-').then_some(close + 1)
}

fn bracketed(line: &str, start: usize, prefix: &Prefix) -> Option<(usize, Piece)> {
    const MAX_BYTES: usize = 64;
    let rest = part(line, start..line.len());
    let window = part(rest, 0..rest.floor_char_boundary(MAX_BYTES));
    let close = window.find(']')?;
    let Range { start: from, end: to } = trim(line, start + 1..start + close);
    let inner = part(line, from..to);
    let end = start + close + 1;
    let end = end + usize::from(byte_at(line, end) == b':' && byte_at(line, end + 1) == b' ');
    if prefix.time.is_none()
        && let Some(time) = time_at(inner).or_else(|| epoch(inner))
    {
        return Some((end, Piece::Time(ClockTime { span: from..from + time.span.end, ..time })));
    }
    if inner.is_empty()
        || inner.contains(['=', ',', '"', '{'])
        || !inner.starts_with(|c: char| c.is_alphanumeric())
    {
        return None;
    }
    let attribute = if is_level(inner) && !prefix.has("level") {
        "level"
    } else if inner.bytes().all(|byte| byte.is_ascii_digit()) {
        "pid"
    } else {
        "component"
    };
    Some((end, Piece::Cells([Some((attribute, from..to)), None, None])))
}

/// Parses a word in a prefix: a level, `host program[pid]:`, `file.go:12]`.
fn word(line: &str, start: usize, prefix: &Prefix) -> Option<(usize, Piece)> {
    let (word, end) = word_at(line, start)?;
    let bare = word.trim_end_matches(':');
    if is_level(bare)
        && !prefix.has("level")
        && (!prefix.has("program")
            || bare.bytes().all(|byte| byte.is_ascii_uppercase())
            || word.ends_with(':'))
        && (prefix.time.is_some() || line.len() > end)
    {
        let is_upper_case = bare.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_certain = prefix.time.is_some()
            || (is_upper_case && word.ends_with(':'))
            || line.get(end..).is_some_and(|rest| time_at(rest.trim_start()).is_some());
        return is_certain.then(|| {
            (end, Piece::Cells([Some(("level", start..start + bare.len())), None, None]))
        });
    }
    let time = prefix.time.as_ref()?;
    // In klog format, the thread id precedes the file.
    if byte_at(line, time.span.start).is_ascii_uppercase()
        && word.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Some((end, Piece::Cells([Some(("pid", start..end)), None, None])));
    }
    if let Some(source) =
        word.strip_suffix(']').filter(|source| source.contains(':') && !source.contains('['))
    {
        return Some((
            end,
            Piece::Cells([Some(("source", start..start + source.len())), None, None]),
        ));
    }
    if prefix.has("program") {
        return None;
    }
    if byte_at(line, 0) == b'<' && !prefix.has("host") {
        return rfc5424(line, start);
    }
    if let Some(cells) = program(line, start) {
        let [name, pid] = cells;
        return Some((end, Piece::Cells([name, pid, None])));
    }
    let (_, program_end) = word_at(line, end + 1)?;
    let has_bracketed_time = time.span.start > 0 && byte_at(line, time.span.start - 1) == b'[';
    let is_host = !has_bracketed_time
        && !prefix.has("level")
        && !prefix.has("host")
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte))
        && !word.ends_with(':');
    let program_cells = program(line, end + 1)
        .filter(|_| is_host && byte_at(line, end) == b' ' && program_end <= line.len())?;
    let [name, pid] = program_cells;
    Some((program_end, Piece::Cells([Some(("host", start..end)), name, pid])))
}

/// Parses `host program pid id -` in RFC 5424 format.
fn rfc5424(line: &str, start: usize) -> Option<(usize, Piece)> {
    let (_, host_end) = word_at(line, start)?;
    let (_, program_end) = word_at(line, host_end + 1)?;
    let (pid, end) = word_at(line, program_end + 1)?;
    let is_pid = pid == "-" || pid.bytes().all(|byte| byte.is_ascii_digit());
    let rest = part(line, end..line.len());
    let end = line.len() - rest.trim_start_matches(" -").len();
    let cells = [
        ("host", start..host_end),
        ("program", host_end + 1..program_end),
        ("pid", program_end + 1..end.min(program_end + 1 + pid.len())),
    ];
    is_pid.then(|| (end, Piece::Cells(cells.map(Some))))
}

type Cell = Option<(&'static str, Range<usize>)>;

/// Parses `program[pid]:` or `program:` at an offset.
fn program(line: &str, start: usize) -> Option<[Cell; 2]> {
    let (word, end) = word_at(line, start)?;
    let name = word.strip_suffix(':').or_else(|| word.ends_with(']').then_some(word))?;
    let last = byte_at(line, end);
    let (name, pid) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, pid)) => (name, Some(pid)),
        None => (name, None),
    };
    let is_name = !name.is_empty()
        && name.len() <= 48
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/@()#".contains(&byte));
    let is_error =
        name.ends_with("Error") || name.ends_with("Exception") || is_level(name) || name == "panic";
    if !is_name || is_error || !matches!(last, b' ' | 0) {
        return None;
    }
    let pid = pid.filter(|pid| !pid.is_empty()).map(|pid| {
        let pid_start = start + name.len() + 1;
        ("pid", pid_start..pid_start + pid.len())
    });
    Some([Some(("program", start..start + name.len())), pid])
}

fn word_at(line: &str, start: usize) -> Option<(&str, usize)> {
    const MAX_BYTES: usize = 96;
    let rest = line.get(start..)?;
    let window = part(rest, 0..rest.floor_char_boundary(MAX_BYTES));
    let length = window
        .find([' ', '\t'])
        .or_else(|| (window.len() == rest.len()).then_some(window.len()))?;
    (length > 0).then(|| (part(window, 0..length), start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let parsed = prefix(line);
        let time = parsed.time.map_or("-", |time| part(line, time.span));
        let cells: Vec<_> = parsed
            .cells
            .into_iter()
            .map(|(name, range)| format!("{name}={}", part(line, range)))
            .collect();
        format!("{time} | {} | {}", cells.join(" "), part(line, parsed.end..line.len()))
    }

    #[test]
    fn parses_log_prefixes() {
        for (line, expected) in [
            (
                "Jun  2 19:12:02 mgo-a1 kernel: [7711820.114] mongod invoked oom-killer",
                "Jun  2 19:12:02 | host=mgo-a1 program=kernel component=7711820.114 | mongod invoked oom-killer",
            ),
            (
                "Jun  2 19:12:02 mgo-a1 systemd[1]: unit failed",
                "Jun  2 19:12:02 | host=mgo-a1 program=systemd pid=1 | unit failed",
            ),
            (
                "2024/03/12 14:03:46 [error] 2217#2217: *88137 upstream timed out",
                "2024/03/12 14:03:46 | level=error | 2217#2217: *88137 upstream timed out",
            ),
            (
                "[2026-03-04 09:41:02,911] INFO [GroupCoordinator 2]: Preparing",
                "2026-03-04 09:41:02,911 | level=INFO component=GroupCoordinator 2 | Preparing",
            ),
            (
                "I0312 14:01:02.118220       1 proxier.go:123] synced",
                "I0312 14:01:02.118220 | level=I pid=1 source=proxier.go:123 | synced",
            ),
            (
                "2025-08-21T07:58:31Z\tERROR\tsetup\tproblem",
                "2025-08-21T07:58:31Z | level=ERROR | setup\tproblem",
            ),
            (
                "[7] 2024/09/30 21:58:10.402112 [INF] JetStream",
                "2024/09/30 21:58:10.402112 | pid=7 level=INF | JetStream",
            ),
            (
                "<189>4412: Apr  2 18:00:02.114 UTC: %SYS-5-CONFIG_I: Configured",
                "Apr  2 18:00:02.114 UTC | | %SYS-5-CONFIG_I: Configured",
            ),
            (
                "21/Aug/2025 07:58:31 BST | deploy-9914 | helm upgrade",
                "21/Aug/2025 07:58:31 |  | BST | deploy-9914 | helm upgrade",
            ),
            ("Error: UPGRADE FAILED", "- |  | Error: UPGRADE FAILED"),
            ("worker was deployed", "- |  | worker was deployed"),
        ] {
            assert_eq!(read(line).replace("  |", " |"), expected.replace("  |", " |"), "{line}");
        }
    }
}
