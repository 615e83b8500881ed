//! Classifies evidence by the command that produced it.

use std::cmp::Reverse;

use gsar_core::evidence::{Classification, EvidenceKind, Lane};

/// Each line states a lane and a kind, followed by the commands that produce such items. The Python client reads the
/// same file.
const COMMANDS: &str = include_str!("../../python/src/gsar/commands.txt");

/// Returns the kind and lane of a tool's results, or `None` for an unknown tool. The tool may be a program, a command
/// such as `kubectl logs`, or a name such as `kubectl_logs`; the arguments may be JSON.
pub(crate) fn classify_command(tool: &str, arguments: &str) -> Option<Classification> {
    let is_separator = |c: char| c.is_whitespace() || "\"'{}[],:".contains(c);
    let words = tool.split('_').chain([arguments]).flat_map(|text| text.split(is_separator));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let (program, words) = words.split_first()?;
    let program = program.rsplit('/').next()?;
    let rows = COMMANDS.lines().filter_map(|line| line.split_once(": "));
    let commands =
        rows.flat_map(|(class, list)| list.split(", ").map(move |command| (class, command)));
    let matches = commands
        .filter_map(|(class, command)| Some((match_position(command, program, words)?, class)));
    let (_, class) = matches.min_by_key(|(position, _)| *position)?;
    let (lane, kind) = class.split_once(' ')?;
    Some(Classification { kind: EvidenceKind::from_name(kind)?, lane: Lane::from_name(lane)? })
}

/// Returns the position of a command's second word if all its words occur in order, possibly between options. Of two
/// commands at the same position, the longer one comes first.
fn match_position(command: &str, program: &str, words: &[&str]) -> Option<(usize, Reverse<usize>)> {
    let mut command = command.split(' ');
    if !command.next()?.eq_ignore_ascii_case(program) {
        return None;
    }
    let mut words = words.iter().enumerate();
    let positions: Option<Vec<usize>> = command
        .map(|expected| words.find(|(_, word)| **word == expected).map(|(at, _)| at))
        .collect();
    let positions = positions?;
    Some((positions.first().copied().unwrap_or(usize::MAX), Reverse(positions.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_commands_are_classified() {
        for (tool, arguments, expected) in [
            ("kubectl", "logs deploy/cart -n shop", "logs tool_output"),
            ("kubectl", "-n shop get pods", "static_infra tool_output"),
            ("kubectl", "get events -A", "logs tool_output"),
            ("kubectl logs", "", "logs tool_output"),
            ("kubectl_logs", r#"{"pod": "cart-1"}"#, "logs tool_output"),
            ("kubectl", r#"{"args": ["top", "nodes"]}"#, "metrics tool_output"),
            ("kubectl", "rollout history deploy/cart", "change change"),
            ("kubectl", "rollout status deploy/cart", "static_infra tool_output"),
            ("/usr/bin/git", "-C repository log -3", "change change"),
            ("PromQL", "up", "metrics tool_output"),
            ("query_loki_logs", "", "logs tool_output"),
            ("tempo", "", "traces tool_output"),
            ("argocd", "app get cart", "static_infra tool_output"),
            ("kubectl", "apply -f cart.yaml", ""),
            ("cat", "journalctl", ""),
            ("", "", ""),
        ] {
            let class = classify_command(tool, arguments);
            let class = class.map(|class| format!("{} {}", class.lane.name(), class.kind.name()));
            assert_eq!(class.unwrap_or_default(), expected, "{tool} {arguments}");
        }
    }

    #[test]
    fn every_listed_command_is_classified() {
        for line in COMMANDS.lines() {
            let (class, commands) = line.split_once(": ").unwrap();
            for command in commands.split(", ") {
                let found = classify_command(command, "").unwrap();
                assert_eq!(
                    format!("{} {}", found.lane.name(), found.kind.name()),
                    class,
                    "{command}"
                );
            }
        }
    }
}
