//! Recognizes commands and settings in code, and finds lines that occur in the evidence.

use std::collections::BTreeSet;

use super::words::{has_past_form, has_predicate};
use crate::budget::Budget;
use crate::text::fold::fold;
use crate::text::part;

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

/// Words that occur in sentences but not in commands.
const ARTICLES: [&str; 3] = ["the", "an", "its"];

pub(super) fn is_command(text: &str) -> bool {
    let text = text.trim();
    let bare = text.strip_prefix("$ ").unwrap_or(text);
    let mut tokens = bare.split_whitespace();
    let Some(first) = tokens.next() else { return false };
    let is_prose = |text: &str| {
        let plain: Vec<&str> = text
            .split_whitespace()
            .filter(|token| token.bytes().all(|byte| byte.is_ascii_lowercase()))
            .collect();
        // A sentence about a program contains a past form or an article. A command contains neither.
        has_past_form(&plain.join(" ")) || plain.iter().any(|word| ARTICLES.contains(word))
    };
    if !PROGRAMS.contains(&first) || is_prose(bare) {
        return false;
    }
    tokens.next().is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Commands,
    Configuration,
    Other,
}

impl Language {
    pub(super) fn from_info(info: &str) -> Self {
        const COMMANDS: [&str; 10] = [
            "bash", "console", "powershell", "promql", "psql", "sh", "shell", "sql", "terminal",
            "zsh",
        ];
        const CONFIGURATION: [&str; 11] = [
            "conf", "diff", "dockerfile", "hcl", "ini", "nginx", "properties", "terraform", "toml",
            "yaml", "yml",
        ];
        let name = info.split([' ', ',', '{']).next().unwrap_or_default().to_ascii_lowercase();
        if COMMANDS.contains(&name.as_str()) {
            Self::Commands
        } else if CONFIGURATION.contains(&name.as_str()) {
            Self::Configuration
        } else {
            Self::Other
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeLine {
    Command,
    Setting,
    Statement,
}

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

/// Returns `true` for a program name with an option or a path.
fn looks_like_command(text: &str) -> bool {
    let bare = text.trim().trim_start_matches("$ ");
    let mut tokens = bare.split_whitespace();
    let program = tokens.next().unwrap_or_default();
    let is_program_name = program
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'/' | b'.'));
    is_program_name
        && !has_predicate(bare)
        && tokens.any(|token| token.starts_with('-') || token.contains('/'))
}

/// Returns `true` for a one-word key with a short value that is not a statement.
fn is_setting(text: &str) -> bool {
    const MAX_WORDS: usize = 6;
    let bare = text.trim().trim_start_matches(['+', '-', ' ']);
    let Some(sign) = bare.find([':', '=']) else { return false };
    let (key, value) = (part(bare, 0..sign).trim(), part(bare, sign + 1..bare.len()).trim());
    !key.is_empty()
        && !key.contains(char::is_whitespace)
        && value.split_whitespace().count() <= MAX_WORDS
        && !has_predicate(value)
}

/// The normalized lines and values in the evidence.
#[derive(Debug, Default)]
pub(super) struct EvidenceLines {
    lines: BTreeSet<String>,
    /// JSON items without whitespace.
    compact: Vec<String>,
    searched_bytes: usize,
}

/// The maximum number of evidence bytes to search for report lines. Report lines beyond this limit become claims.
const MAX_SEARCHED: usize = 256 << 20;

impl EvidenceLines {
    pub(super) fn read(evidence: &[&str], budget: &Budget) -> Self {
        let mut found = Self::default();
        for item in evidence {
            let lines = item.lines().take_while(|line| budget.spend(line.len()));
            found.lines.extend(lines.map(normalize).filter(|line| !line.is_empty()));
            if item.trim_start().starts_with(['{', '[']) {
                found.compact.push(item.chars().filter(|c| !c.is_whitespace()).collect());
            }
        }
        found
    }

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
            && self.lines.iter().any(|evidence_line| is_shortened(evidence_line, &pieces))
    }

    fn spend_search(&mut self, bytes: usize) -> bool {
        self.searched_bytes = self.searched_bytes.saturating_add(bytes);
        self.searched_bytes <= MAX_SEARCHED
    }

    fn has_value(&mut self, line: &str) -> bool {
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if !compact.starts_with('"') || compact.len() < 4 {
            return false;
        }
        if !self.spend_search(self.compact.iter().map(String::len).sum()) {
            return false;
        }
        self.compact.iter().any(|document| {
            document.match_indices(&compact).any(|(position, _)| {
                let next = part(document, position + compact.len()..document.len()).chars().next();
                let before = part(document, 0..position).chars().next_back();
                next.is_none_or(|c| matches!(c, ',' | '}' | ']'))
                    && before.is_none_or(|c| matches!(c, ',' | '{' | '['))
            })
        })
    }
}

/// Returns `true` if a line consists of the pieces in order, with text omitted between them.
fn is_shortened(line: &str, pieces: &[&str]) -> bool {
    const MIN_BYTES: usize = 8;
    let matched_length: usize = pieces.iter().map(|piece| piece.trim().len()).sum();
    if matched_length < MIN_BYTES {
        return false;
    }
    let mut rest = line;
    for (index, piece) in pieces.iter().enumerate() {
        let piece = piece.trim();
        if piece.is_empty() {
            continue;
        }
        let (first, last) = (index == 0, index + 1 == pieces.len());
        let position = match (first, last) {
            (true, _) => rest.starts_with(piece).then_some(0),
            (_, true) => rest.ends_with(piece).then(|| rest.len() - piece.len()),
            _ => rest.find(piece),
        };
        let Some(position) = position else { return false };
        let piece_end = position + piece.len();
        let cuts_word = |text: &str, position: usize| {
            let is_alphanumeric = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            is_alphanumeric(part(text, 0..position).chars().next_back())
                && is_alphanumeric(part(text, position..text.len()).chars().next())
        };
        if cuts_word(rest, position) || cuts_word(rest, piece_end) {
            return false;
        }
        rest = part(rest, piece_end..rest.len());
    }
    true
}

fn normalize(line: &str) -> String {
    let folded = fold(line);
    folded.trim().trim_end_matches(',').trim_start_matches("$ ").to_owned()
}
