//! Recognizes commands and titles, which define the scope of the text after them, and signs of truncated output.

use memchr::memmem;

use crate::text::part;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// A command that starts at an offset in the line.
    Command(usize),
    /// A comment or heading that starts at an offset in the line.
    Title(usize),
}

pub(super) fn opening(line: &str) -> Option<Opening> {
    let trimmed = line.trim_end();
    if is_call(trimmed) {
        return Some(Opening::Command(0));
    }
    command(trimmed).map(Opening::Command).or_else(|| title(trimmed).map(Opening::Title))
}

/// Returns `true` for a tool call: `fetch_pod_logs {"namespace": "shop"}`.
fn is_call(line: &str) -> bool {
    const MAX_NAME: usize = 64;
    let is_name_byte = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    let length = line.bytes().take(MAX_NAME).take_while(is_name_byte).count();
    let is_named_call = part(line, length..line.len()).starts_with(" {\"")
        && part(line, 0..length).contains('_')
        && line.ends_with('}');
    is_named_call || line.starts_with("Params used for the tool call")
}

/// Returns the start of a command after a prompt: `$ `, `[root@db ~]# `, `mysql> `, `shop=> `,
/// `PS C:\> `, `ch-2 :) `.
fn command(line: &str) -> Option<usize> {
    const MAX_PROMPT: usize = 48;
    if let Some(rest) = line.strip_prefix("$ ") {
        return (!rest.is_empty()).then_some(2);
    }
    let window = part(line, 0..line.floor_char_boundary(MAX_PROMPT));
    if window.starts_with("PS ") {
        return window.find("> ").map(|position| position + 2);
    }
    if !window.bytes().any(|byte| matches!(byte, b'$' | b'#' | b'>' | b')')) {
        return None;
    }
    ["]$ ", "]# ", "$ ", "# ", "=> ", "=*> ", ":) ", "> "].into_iter().find_map(|sign| {
        let position = window.find(sign)?;
        let name = part(window, 0..position).trim_end();
        let name = if sign == ":) " { name } else { part(window, 0..position) };
        is_prompt(name, sign).then_some(position + sign.len())
    })
}

/// Returns `true` if a name and a sign form a prompt.
fn is_prompt(name: &str, sign: &str) -> bool {
    let has_host = |name: &str| name.contains('@') || name.contains(':');
    let is_bare =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:@/~()".contains(&byte));
    let starts_with_letter = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match sign {
        "]$ " | "]# " => name.starts_with('[') && name.matches(' ').count() <= 2,
        "# " if name.ends_with('=') => {
            starts_with_letter && is_database(name.trim_end_matches('='))
        }
        "# " => is_bare && starts_with_letter && (has_host(name) || is_device(name)),
        "$ " => is_bare && starts_with_letter && has_host(name),
        "=> " | "=*> " | ":) " => is_bare && starts_with_letter,
        _ => is_bare && starts_with_letter && (is_shell(name) || has_host(name) || is_device(name)),
    }
}

/// Returns `true` for a host or device name such as `edge-r1`.
fn is_device(name: &str) -> bool {
    name.contains('-') && name.contains(|c: char| c.is_ascii_digit())
}

fn is_database(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn is_shell(name: &str) -> bool {
    const SHELLS: [&str; 14] = [
        "mysql", "sql", "SQL", "redis", "mongo", "mongosh", "cqlsh", "sqlite", "MariaDB", "hbase",
        "irb", "influx", "neo4j", "test",
    ];
    let first = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    SHELLS.contains(&first)
}

fn title(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let mark_length =
        trimmed.bytes().take_while(|byte| matches!(byte, b'#' | b'=' | b'-' | b'/')).count();
    let marks = part(trimmed, 0..mark_length);
    let rest = part(trimmed, mark_length..trimmed.len());
    let has_words = rest.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let is_mark = match marks {
        "#" | "##" | "###" | "####" => {
            rest.starts_with([' ', '\t'])
                || (mark_length == 1 && rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        }
        "--" | "//" => rest.starts_with(' '),
        "==" | "===" | "====" | "==>" | "=====" => true,
        "---" | "----" | "-----" => rest.starts_with(' ') && rest.trim_end().ends_with("--"),
        _ => false,
    };
    (has_words && is_mark && indent == 0)
        .then(|| indent + mark_length + rest.len() - rest.trim_start().len())
}

pub(super) fn limits_output(request: &str) -> bool {
    const WORDS: [&str; 12] = [
        "--tail", "tail", "head", "grep", "egrep", "zgrep", "limit", "--limit", "top", "sample",
        "--max-items", "rg",
    ];
    let mut words = request.split(|c: char| {
        c.is_whitespace() || matches!(c, '=' | '|' | '(' | ')' | ',' | '"' | '\'')
    });
    words.any(|word| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

pub(super) fn mentions_truncation(text: &str) -> bool {
    const MARKS: [&str; 10] = [
        "\n...", "\n…", "[...]", "truncated", "omitted", "showing ", "more rows", "more lines",
        " more)", "trimmed",
    ];
    let is_found = |mark: &&str| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    text.trim_end().ends_with("...") || MARKS.iter().any(is_found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_commands_and_titles() {
        for (line, expected) in [
            ("$ kubectl get pods", Some((true, "kubectl get pods"))),
            ("[gw-nat-2 ~]$ ss -s", Some((true, "ss -s"))),
            ("root@db-1:~# uptime", Some((true, "uptime"))),
            ("mysql> SELECT 1;", Some((true, "SELECT 1;"))),
            ("shop=> select 1;", Some((true, "select 1;"))),
            ("telemetry=# select 1;", Some((true, "select 1;"))),
            ("ch-2 :) SELECT 1", Some((true, "SELECT 1"))),
            ("PS C:\\> Get-HotFix", Some((true, "Get-HotFix"))),
            ("# capture of 12 March", Some((false, "capture of 12 March"))),
            ("-- previous Saturday", Some((false, "previous Saturday"))),
            ("=== cart ===", Some((false, "cart ==="))),
            ("fetch_logs {\"pod\": \"a\"}", Some((true, "fetch_logs {\"pod\": \"a\"}"))),
            ("rp-07# ss -s", Some((true, "ss -s"))),
            ("value -> 5", None),
            ("latency > 5 s", None),
            ("--------", None),
            ("- item", None),
            ("#1 is down", None),
        ] {
            let found = opening(line).map(|opening| match opening {
                Opening::Command(start) => (true, part(line, start..line.len())),
                Opening::Title(start) => (false, part(line, start..line.len())),
            });
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn recognizes_truncated_output() {
        assert!(limits_output("kubectl logs x --tail=14"));
        assert!(limits_output("journalctl | grep oom"));
        assert!(!limits_output("kubectl get pods -n headless"));
        assert!(mentions_truncation("a\n< truncated lines 2-9 >\nb"));
        assert!(!mentions_truncation("a\nb"));
    }
}
