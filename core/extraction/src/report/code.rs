//! This module distinguishes commands and settings from what else stands in code, and finds whole lines of evidence.
//! It knows nothing of Markdown.

use std::collections::BTreeSet;

use super::blocks::Language;
use super::words::{has_past_form, has_predicate};
use crate::budget::Budget;
use crate::text::fold::fold;
use crate::text::part;

/// Programs whose name begins a command.
#[rustfmt::skip]
const PROGRAMS: [&str; 66] = [
    "ALTER", "CREATE", "DELETE", "EXPLAIN", "INSERT", "SELECT", "SET", "UPDATE", "VACUUM",
    "ansible", "apt", "argocd", "aws", "az", "bash", "cat", "cd", "chmod", "chown", "cp", "crictl",
    "curl", "df", "dig", "docker", "du", "echo", "etcdctl", "export", "find", "flux", "gcloud",
    "git", "grep", "gsar", "helm", "htop", "ip", "iptables", "istioctl", "journalctl", "jq",
    "kafka-consumer-groups.sh", "kubectl", "kustomize", "ln", "ls", "make", "mkdir", "mv", "mysql",
    "nslookup", "openssl", "ping", "podman", "psql", "redis-cli", "rm", "rsync", "sed", "ssh",
    "sudo", "systemctl", "tail", "terraform", "vault",
];

/// Words of sentences that stand in no command.
const ARTICLES: [&str; 3] = ["the", "an", "its"];

/// Whether a text is a command to run.
pub(super) fn is_command(text: &str) -> bool {
    let text = text.trim();
    let bare = text.strip_prefix("$ ").unwrap_or(text);
    let mut tokens = bare.split_whitespace();
    let Some(first) = tokens.next() else { return false };
    let prose = |text: &str| {
        let plain: Vec<&str> = text
            .split_whitespace()
            .filter(|token| token.bytes().all(|byte| byte.is_ascii_lowercase()))
            .collect();
        // A sentence about a program tells what it did, or has articles; a command has neither.
        has_past_form(&plain.join(" ")) || plain.iter().any(|word| ARTICLES.contains(word))
    };
    if !PROGRAMS.contains(&first) || prose(bare) {
        return false;
    }
    tokens.next().is_some()
}

/// What a line of a code block is, besides evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeLine {
    /// To be run.
    Command,
    /// A setting.
    Setting,
    /// Anything else.
    Statement,
}

/// What a line of a code block is.
pub(super) fn line(text: &str, language: Language) -> CodeLine {
    if is_command(text) {
        return CodeLine::Command;
    }
    match language {
        Language::Commands if looks_like_command(text) => CodeLine::Command,
        Language::Configuration if is_setting(text) => CodeLine::Setting,
        _ => CodeLine::Statement,
    }
}

/// In a block of commands: a program and at least one option or path.
fn looks_like_command(text: &str) -> bool {
    let bare = text.trim().trim_start_matches("$ ");
    let mut tokens = bare.split_whitespace();
    let program = tokens.next().unwrap_or_default();
    let named = program
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'/' | b'.'));
    named
        && !has_predicate(bare)
        && tokens.any(|token| token.starts_with('-') || token.contains('/'))
}

/// A key of one word and a short value that states nothing.
fn is_setting(text: &str) -> bool {
    const MAX_WORDS: usize = 6;
    let bare = text.trim().trim_start_matches(['+', '-', ' ']);
    let Some(at) = bare.find([':', '=']) else { return false };
    let (key, value) = (part(bare, 0..at).trim(), part(bare, at + 1..bare.len()).trim());
    !key.is_empty()
        && !key.contains(char::is_whitespace)
        && value.split_whitespace().count() <= MAX_WORDS
        && !has_predicate(value)
}

/// The lines and values of the evidence, as they are compared.
#[derive(Debug, Default)]
pub(super) struct EvidenceLines {
    lines: BTreeSet<String>,
    /// The whole of each item without white space, for values of JSON.
    compact: Vec<String>,
    /// Bytes of the evidence that were searched.
    searched: usize,
}

/// The most bytes of evidence that are searched for the lines of a report. Lines beyond it are claims.
const MAX_SEARCHED: usize = 256 << 20;

impl EvidenceLines {
    /// Reads evidence.
    pub(super) fn read(evidence: &[&str], budget: &Budget) -> Self {
        let mut records = Self::default();
        for item in evidence {
            let lines = item.lines().take_while(|line| budget.spend(line.len()));
            records.lines.extend(lines.map(normalize).filter(|line| !line.is_empty()));
            if item.trim_start().starts_with(['{', '[']) {
                records.compact.push(item.chars().filter(|c| !c.is_whitespace()).collect());
            }
        }
        records
    }

    /// Whether a text is a whole line or value of the evidence, ellipses apart.
    pub(super) fn has_line(&mut self, text: &str) -> bool {
        let line = normalize(text);
        if line.is_empty() {
            return false;
        }
        if self.lines.contains(&line) || self.has_value(&line) {
            return true;
        }
        let pieces: Vec<&str> = line.split("...").flat_map(|piece| piece.split('…')).collect();
        pieces.len() > 1
            && self.spend_search(self.lines.iter().map(String::len).sum())
            && self.lines.iter().any(|whole| is_shortened(whole, &pieces))
    }

    /// Whether that many bytes more may be searched.
    fn spend_search(&mut self, bytes: usize) -> bool {
        self.searched = self.searched.saturating_add(bytes);
        self.searched <= MAX_SEARCHED
    }

    /// Whether a member of a JSON document reads so.
    fn has_value(&mut self, line: &str) -> bool {
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if !compact.starts_with('"') || compact.len() < 4 {
            return false;
        }
        if !self.spend_search(self.compact.iter().map(String::len).sum()) {
            return false;
        }
        self.compact.iter().any(|document| {
            document.match_indices(&compact).any(|(at, _)| {
                let next = part(document, at + compact.len()..document.len()).chars().next();
                let before = part(document, 0..at).chars().next_back();
                next.is_none_or(|c| matches!(c, ',' | '}' | ']'))
                    && before.is_none_or(|c| matches!(c, ',' | '{' | '['))
            })
        })
    }
}

/// Whether a line reads as the pieces in order, cut only where the pieces part.
fn is_shortened(whole: &str, pieces: &[&str]) -> bool {
    const MIN_BYTES: usize = 8;
    let held: usize = pieces.iter().map(|piece| piece.trim().len()).sum();
    if held < MIN_BYTES {
        return false;
    }
    let mut rest = whole;
    for (number, piece) in pieces.iter().enumerate() {
        let piece = piece.trim();
        if piece.is_empty() {
            continue;
        }
        let (first, last) = (number == 0, number + 1 == pieces.len());
        let at = match (first, last) {
            (true, _) => rest.starts_with(piece).then_some(0),
            (_, true) => rest.ends_with(piece).then(|| rest.len() - piece.len()),
            _ => rest.find(piece),
        };
        let Some(at) = at else { return false };
        let after = at + piece.len();
        let cuts = |text: &str, at: usize| {
            let edge = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            edge(part(text, 0..at).chars().next_back())
                && edge(part(text, at..text.len()).chars().next())
        };
        if cuts(rest, at) || cuts(rest, after) {
            return false;
        }
        rest = part(rest, after..rest.len());
    }
    true
}

fn normalize(line: &str) -> String {
    let folded = fold(line);
    folded.trim().trim_end_matches(',').trim_start_matches("$ ").to_owned()
}
