//! The table `[[evidence.attested]]`: the channels that attest evidence.

use serde::{Deserialize, Serialize};

use super::Problems;
use super::values::{Config, Listen};

/// A rule that attests evidence by listener, process, principal and tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attested {
    /// One of the addresses in `listen`.
    pub listen: Listen,
    /// The client process's user ID, as reported by the kernel. Only for Unix sockets. If absent, any
    /// process is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer_uid: Option<u32>,
    /// The sending principal. If absent, any principal is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The tools whose items are attested: names, or prefixes that end in `*`. Empty means all tools.
    #[serde(default)]
    pub tools: Vec<String>,
}

impl Attested {
    /// Returns `true` if items of this tool are attested.
    #[must_use]
    pub fn includes(&self, tool: &str) -> bool {
        let matches_tool = |name: &String| match name.strip_suffix('*') {
            Some(prefix) => tool.starts_with(prefix),
            None => tool == name,
        };
        self.tools.is_empty() || self.tools.iter().any(matches_tool)
    }
}

pub(super) fn check(config: &Config, problems: &mut Problems) {
    for (index, attested) in config.evidence.attested.iter().enumerate() {
        let index = index.to_string();
        let mut add = |key: &str, description: String| {
            problems.add(&["evidence", "attested", &index, key], description);
        };
        let Attested { listen, peer_uid, principal, tools } = attested;
        if principal.is_some() && config.security.principals.is_none() {
            let description =
                "has no effect without security.principals; set it, or remove this key";
            add("principal", description.to_owned());
        }
        if !config.listen.contains(listen) {
            let listeners: Vec<String> = config.listen.iter().map(ToString::to_string).collect();
            add(
                "listen",
                format!("{listen} is not in listen; use one of {}", listeners.join(", ")),
            );
        }
        if peer_uid.is_some() && !matches!(listen, Listen::Unix(_)) {
            let description = format!(
                "{listen} does not identify its peers, because only Unix sockets do; leave out peer_uid, or name a unix:// address"
            );
            add("peer_uid", description);
        }
        for tool in tools {
            if tool.is_empty()
                || tool == "*"
                || tool.trim_end_matches('*').contains('*')
                || tool.ends_with("**")
            {
                let description = format!(
                    "invalid tool pattern `{tool}`; use a name, or a prefix that ends in one *, such as `kubectl *`"
                );
                add("tools", description);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attested(listen: &str, peer_uid: Option<u32>, tools: &[&str]) -> Attested {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        Attested { listen: listen.parse().unwrap(), peer_uid, principal: None, tools }
    }

    #[test]
    fn matches_tools_by_name_or_prefix() {
        let tools = attested("unix:///a", None, &["kubectl *", "promql"]);
        for (tool, expected) in [
            ("kubectl get pods", true),
            ("kubectl", false),
            ("kubectl-evil get", false),
            ("promql", true),
            ("promql2", false),
            ("", false),
        ] {
            assert_eq!(tools.includes(tool), expected, "{tool}");
        }
        assert!(attested("unix:///a", None, &[]).includes(""));
    }

    #[test]
    fn reports_rules_that_cannot_apply() {
        let mut config = Config {
            listen: vec!["unix:///a".parse().unwrap(), "grpc://127.0.0.1:4317".parse().unwrap()],
            ..Config::default()
        };
        config.evidence.attested = vec![
            attested("unix:///a", Some(7), &["kubectl *"]),
            attested("unix:///b", None, &["*", ""]),
            attested("grpc://127.0.0.1:4317", Some(7), &["a*b", "a**"]),
        ];
        let mut problems = Problems::default();
        check(&config, &mut problems);
        let text = problems.to_string();
        for words in [
            "6 problems",
            "evidence.attested.1.listen: unix:///b is not in listen; use one of unix:///a, grpc://",
            "evidence.attested.1.tools: invalid tool pattern `*`",
            "evidence.attested.1.tools: invalid tool pattern ``",
            "evidence.attested.2.peer_uid: grpc://127.0.0.1:4317 does not identify",
            "evidence.attested.2.tools: invalid tool pattern `a*b`",
            "evidence.attested.2.tools: invalid tool pattern `a**`",
        ] {
            assert!(text.contains(words), "expected {words:?} in: {text}");
        }
    }
}
