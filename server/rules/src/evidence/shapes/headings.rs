//! Lines that stand above what follows them: prompts, banners, commits, parts of a plan.

/// What a line opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// The answer to a command: `$ df -h`.
    Answer,
    /// What a host, file or pod says: `== db-1`, `==> app.log <==`, `# app-7f9c-x2x1z`.
    Banner,
    /// A commit of a log.
    Commit,
}

/// What a line without white space around it opens.
pub(crate) fn opens(written: &str) -> Option<Opens> {
    const LONGEST: usize = 120;
    if written.starts_with("$ ") && written.len() > 2 {
        return Some(Opens::Answer);
    }
    if is_commit(written) {
        return Some(Opens::Commit);
    }
    let framed = written.starts_with("== ") || written.starts_with("=== ") || is_tail(written);
    let name = written.strip_prefix("# ").filter(|name| is_name(name));
    (written.len() <= LONGEST && (framed || name.is_some())).then_some(Opens::Banner)
}

/// `==> /var/log/app.log <==`
fn is_tail(written: &str) -> bool {
    written.starts_with("==> ") && written.ends_with(" <==")
}

/// The name of a host or pod: several parts, nothing else.
fn is_name(written: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-./".contains(&byte);
    written.contains('-')
        && written.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && written.bytes().all(plain)
}

fn is_commit(written: &str) -> bool {
    let Some(rest) = written.strip_prefix("commit ") else { return false };
    let id = rest.split(' ').next().unwrap_or("");
    id.len() >= 7 && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a line says that a diff follows that has no lines of its own to say so.
pub(crate) fn announces_diff(written: &str) -> bool {
    [" has changed:", " has been added:", " has been removed:"]
        .iter()
        .any(|ending| written.ends_with(ending))
}

/// The length of the time that the log of a job puts before each line: `2026-02-24T13:18:52.4410872Z `.
pub(crate) fn stamp(line: &str) -> Option<usize> {
    const LENGTH: usize = 28;
    let stamp = line.get(..LENGTH)?.as_bytes();
    let is_stamp = stamp.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        10 => *byte == b'T',
        13 | 16 => *byte == b':',
        19 => *byte == b'.',
        27 => *byte == b'Z',
        _ => byte.is_ascii_digit(),
    });
    let ends = line.get(LENGTH..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    (is_stamp && ends).then_some(LENGTH)
}
