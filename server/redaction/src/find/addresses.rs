//! Finds IPv4 and IPv6 addresses, but not their ports, prefix lengths or zones. Skips version numbers and
//! object identifiers.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use regex::Regex;

use super::boundary::{after, before, begins_word, chars_before, ends_word};
use super::{Span, compile_expression};
use crate::kind::Kind;
use crate::pattern::PatternError;

/// Words before a four-part version or object identifier.
const NOT_AN_ADDRESS: &str = r"(?i)(?:version|release|\bver|\brev|\bbuild|firmware|\boid|upgraded?|downgraded?|chart|tag)\w{0,3}[^\w\s]{0,3}(?:\s(?:is|to|from)\b)?[^\w]{0,3}$";
const CONTEXT: usize = 24;

pub(crate) struct Addresses {
    v4: Regex,
    v6: Regex,
    not_an_address: Regex,
}

impl Addresses {
    pub(crate) fn new() -> Result<Self, PatternError> {
        Ok(Self {
            v4: compile_expression("IPv4", r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")?,
            v6: compile_expression(
                "IPv6",
                r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?:\.[0-9]{1,3}){0,3}",
            )?,
            not_an_address: compile_expression("versions", NOT_AN_ADDRESS)?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let mut last_end = 0;
        for candidate in self.v4.find_iter(text) {
            if let Ok(address) = candidate.as_str().parse::<Ipv4Addr>()
                && is_hidden_v4(address)
                && self.is_address(text, candidate.range(), last_end)
            {
                last_end = candidate.end();
                spans.push(Span { range: candidate.range(), kind: Kind::Ip });
            }
        }
        let v6_ranges =
            self.v6.find_iter(text).filter_map(|candidate| self.v6_at(text, candidate.range()));
        spans.extend(v6_ranges.map(|range| Span { range, kind: Kind::Ip }));
    }

    /// Returns `true` if the context marks a candidate as an address. `last_end` is the end of the previous address.
    fn is_address(&self, text: &str, range: Range<usize>, last_end: usize) -> bool {
        let (text_before, text_after) = (before(text, range.start), after(text, range.end));
        if !begins_word(text, range.start) && !text_before.ends_with('_')
            || !ends_word(text, range.end)
        {
            return false;
        }
        let continues = text_after.strip_prefix('.').is_some_and(starts_with_digit)
            || text_after.starts_with('+')
            || text_after.strip_prefix('-').is_some_and(|rest| !self.starts_with_v4(rest))
                && !text_after.starts_with("->");
        let is_end_of_range = text_before.len() == last_end + 1 && last_end > 0;
        let is_part = text_before.ends_with(['.', '+'])
            || text_before.ends_with('-') && !is_end_of_range && !is_dash(text_before);
        !continues && !is_part && !self.is_version(text, range)
    }

    fn starts_with_v4(&self, text: &str) -> bool {
        self.v4.find_at(before(text, text.len().min(15)), 0).is_some_and(|found| found.start() == 0)
    }

    /// Returns `true` if a candidate is a product or image version, or follows a word such as `version`.
    fn is_version(&self, text: &str, range: Range<usize>) -> bool {
        let context = chars_before(text, range.start, CONTEXT);
        if self.not_an_address.is_match(context) {
            return true;
        }
        let last_word = context.rsplit(|c: char| c.is_whitespace() || "\"'(,;=".contains(c)).next();
        let last_word = last_word.unwrap_or_default();
        let is_image =
            last_word.ends_with(':') && last_word.contains('/') && !last_word.contains("//");
        is_image || is_product(last_word) && !is_reachable(text, range)
    }

    fn v6_at(&self, text: &str, range: Range<usize>) -> Option<Range<usize>> {
        let candidate = text.get(range.clone())?;
        let (start, candidate) = match candidate.strip_prefix(':') {
            Some(rest) if !rest.starts_with(':') => (range.start + 1, rest),
            _ => (range.start, candidate),
        };
        let candidate = match candidate.strip_suffix(':') {
            Some(rest) if !rest.ends_with(':') => rest,
            _ => candidate,
        };
        let address: Ipv6Addr = candidate.parse().ok()?;
        let end = start + candidate.len();
        let is_whole = begins_word(text, start)
            && ends_word(text, end)
            && !before(text, range.start).ends_with(':')
            && !after(text, range.end).starts_with(':');
        (is_whole && is_hidden_v6(address)).then_some(start..end)
    }
}

/// Returns `true` unless the address is a loopback, unspecified or broadcast address.
fn is_hidden_v4(address: Ipv4Addr) -> bool {
    !(address.is_loopback() || address.is_unspecified() || address.is_broadcast())
}

fn is_hidden_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = address.to_ipv4_mapped() {
        return is_hidden_v4(v4);
    }
    let first = address.segments().first().copied().unwrap_or_default();
    let is_private = address.is_unique_local() || address.is_unicast_link_local();
    let is_global = first & 0xe000 == 0x2000 || first == 0x64;
    is_global || address.is_multicast() || is_private
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns `true` if a text ends with a hyphen that joins nothing, such as in a list item, an arrow or an
/// empty access log field.
fn is_dash(text: &str) -> bool {
    let trimmed = text.trim_end_matches('-');
    trimmed.is_empty() || trimmed.ends_with(|c: char| c.is_whitespace() || "\"'([=".contains(c))
}

/// Returns `true` for a product name and a slash, as in `Chrome/120.0.0.1`.
fn is_product(word: &str) -> bool {
    let name = word.strip_suffix('/').unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || "_-+".contains(c))
}

/// Returns `true` if a candidate after a slash is an address, as in `node/10.0.0.4` or `host/52.1.2.3:9092`.
fn is_reachable(text: &str, range: Range<usize>) -> bool {
    let has_port = after(text, range.end).strip_prefix(':').is_some_and(starts_with_digit);
    let address = text.get(range).and_then(|candidate| candidate.parse::<Ipv4Addr>().ok());
    has_port || address.is_some_and(|address| address.is_private())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        Addresses::new().unwrap().find(text, &mut spans);
        spans.into_iter().map(|span| span.value(text)).collect()
    }

    #[test]
    fn finds_addresses_in_their_context() {
        for (text, expected) in [
            ("from 203.0.113.9:5432.", "203.0.113.9"),
            ("10.1.0.0/16", "10.1.0.0"),
            (r#""msg": "a\n203.0.113.9 b""#, "203.0.113.9"),
            ("\u{1b}[32m203.0.113.9\u{1b}[0m", "203.0.113.9"),
            ("Node: minikube/192.168.49.2", "192.168.49.2"),
            ("broker/52.1.2.3:9092", "52.1.2.3"),
            ("/52.1.2.3:9092", "52.1.2.3"),
            ("http://52.1.2.3/x", "52.1.2.3"),
            ("203.0.113.9 - - [x]", "203.0.113.9"),
            ("- 203.0.113.9", "203.0.113.9"),
            ("203.0.113.9->10.0.0.1", "203.0.113.9 10.0.0.1"),
            ("203.0.113.9-203.0.113.12", "203.0.113.9 203.0.113.12"),
            ("203.0.113.9 -> -", "203.0.113.9"),
            ("client_203.0.113.9", "203.0.113.9"),
            ("dial tcp [2001:db8::1]:443: refused", "2001:db8::1"),
            ("addr: fe80::1%eth0", "fe80::1"),
            ("2001:db8:85a3:0:0:8a2e:370:7334", "2001:db8:85a3:0:0:8a2e:370:7334"),
            ("::ffff:203.0.113.9", "::ffff:203.0.113.9 203.0.113.9"),
            ("fd00::/8", "fd00::"),
        ] {
            let mut expected: Vec<&str> = expected.split(' ').collect();
            let mut found = found(text);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn ignores_versions_and_identifiers() {
        for text in [
            "v1.2.3.4",
            "chrome/120.0.0.1",
            "version 1.2.3.4",
            r#""version": "1.2.3.4""#,
            "app-1.2.3.4.jar",
            "registry.example/shop/app:1.2.3.4",
            "1.2.3.4.5",
            "1.3.6.1.4.1.311.21",
            "OID 2.5.29.17",
            "256.1.1.1",
            "01.02.03.04",
            "1.2.3.4-alpine",
            "1.2.3.4+build",
            "0.0.0.0:80",
            "127.0.0.1",
            "::1",
            "12:34:56.789",
            "2026-03-12T14:02:17Z",
            "aa:bb:cc:dd:ee:ff",
            "std::mem::swap",
            "a::b",
            "dead::beef",
            "16:27:ac:a5:76:28:2d:36:63:1b",
            "upgraded from 1.2.3.4",
            "99.9.1",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn finds_private_addresses() {
        let text =
            "10.0.0.1 172.16.0.1 192.168.0.1 169.254.1.1 fe80::1 fd00::1 8.8.8.8 2001:db8::1";
        assert_eq!(found(text).len(), 8);
    }
}
