//! Finds e-mail addresses. Skips names of units, nodes, packages and repositories that contain an at sign.

use memchr::memmem;

use super::Span;
use super::boundary::{after, before};
use crate::kind::Kind;

const MAX_LOCAL_CHARS: usize = 64;
const MAX_DOMAIN_CHARS: usize = 253;
/// Final labels that are not mail domains: systemd units, files, names within a cluster.
const NON_MAIL_LABELS: [&str; 24] = [
    "service", "timer", "socket", "mount", "target", "slice", "scope", "device", "path", "svc",
    "cluster", "default", "internal", "localdomain", "png", "jpg", "svg", "css", "js", "ts", "py",
    "go", "json", "yaml",
];
/// Program names that occur as local parts.
const PROGRAMS: [&str; 5] = ["git", "rabbit", "celery", "ejabberd", "emqx"];

pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    for sign in ["@", "%40"] {
        for position in memmem::find_iter(text.as_bytes(), sign) {
            let Some(local) = local_part(before(text, position)) else { continue };
            let Some(domain) = domain(after(text, position + sign.len())) else { continue };
            if !PROGRAMS.contains(&local) {
                let range = position - local.len()..position + sign.len() + domain.len();
                spans.push(Span { range, kind: Kind::Email });
            }
        }
    }
}

fn local_part(text: &str) -> Option<&str> {
    let is_local = |c: char| c.is_alphanumeric() || "._+-".contains(c);
    let start = text
        .char_indices()
        .rev()
        .take(MAX_LOCAL_CHARS)
        .take_while(|(_, c)| is_local(*c))
        .last()
        .map_or(text.len(), |(index, _)| index);
    let local = after(text, start);
    let has_escape = before(text, start).ends_with('\\') && local.starts_with(['n', 'r', 't']);
    let local = if has_escape { after(local, 1) } else { local };
    let local = local.trim_start_matches(['.', '-', '+']);
    local.starts_with(|c: char| c.is_alphanumeric() || c == '_').then_some(local)
}

/// Returns the domain at the start of a text: two or more labels, the last of which consists of letters only.
fn domain(text: &str) -> Option<&str> {
    let is_domain = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let end = text
        .char_indices()
        .take(MAX_DOMAIN_CHARS)
        .find(|(_, c)| !is_domain(*c))
        .or_else(|| text.char_indices().nth(MAX_DOMAIN_CHARS))
        .map_or(text.len(), |(index, _)| index);
    let domain = before(text, end).trim_end_matches(['.', '-']);
    let (name, last) = domain.rsplit_once('.')?;
    let is_top_level = last.chars().count() >= 2
        && last.chars().all(char::is_alphabetic)
        && !NON_MAIL_LABELS.contains(&last);
    let is_in_cluster = domain.ends_with(".cluster.local");
    let is_name = name.split('.').all(|label| !label.is_empty());
    (is_top_level && is_name && !is_in_cluster).then_some(domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_addresses_among_other_at_signs() {
        for (text, expected) in [
            ("from jane.doe+x@mail.example.com.", Some("jane.doe+x@mail.example.com")),
            ("<jürgen@bücher.de>", Some("jürgen@bücher.de")),
            ("user%3Djane%40example.com&x", Some("3Djane%40example.com")),
            (r"\njane@example.com", Some("jane@example.com")),
            ("mailto:a@b.io", Some("a@b.io")),
            ("getty@tty1.service", None),
            ("git@github.com:org/repo", None),
            ("lodash@4.17.21", None),
            ("img@sha256:abcd", None),
            ("rabbit@q-0.q-nodes.shop.svc.cluster.local", None),
            ("Foo@1a2b.3c", None),
            ("icon@2x.png", None),
            ("a@b", None),
            ("@b.example", None),
            ("a@b..example", None),
        ] {
            let mut spans = Vec::new();
            find(text, &mut spans);
            let address = spans.first().map(|span| span.value(text));
            assert_eq!(address, expected, "{text}");
        }
    }
}
