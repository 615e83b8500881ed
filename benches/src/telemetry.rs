//! Generates evidence of any size in the formats of common tools, and claims about it.

use std::fmt::Write as _;

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, Lane};
use gsar_core::{Claim, ClaimId, names};

/// A format of tool output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Log lines with a level and `key=value` pairs.
    Log,
    /// One JSON object per log entry, in one array.
    JsonLog,
    /// `kubectl get pods -o json`.
    Pods,
    /// A Prometheus range query response.
    Samples,
    /// A table with a header in capitals.
    Table,
    /// `Key: value` lines in sections.
    Describe,
    /// One JSON object per line.
    JsonLines,
    /// Only `key=value` pairs.
    Logfmt,
    /// Log lines with host and program.
    Syslog,
    /// A table with columns separated by bars.
    Bars,
    /// Comma-separated values with a header.
    Csv,
    /// A list of nested mappings.
    Yaml,
    /// Nested elements with attributes.
    Xml,
    /// A unified diff.
    Diff,
    /// Sentences.
    Prose,
}

names!(Shape {
    Log => "log lines",
    Logfmt => "logfmt",
    Syslog => "syslog",
    JsonLines => "JSON lines",
    JsonLog => "JSON log",
    Pods => "kubectl JSON",
    Samples => "range query",
    Table => "table",
    Bars => "table with bars",
    Csv => "CSV",
    Yaml => "YAML",
    Describe => "describe",
    Xml => "XML",
    Diff => "diff",
    Prose => "prose",
});

impl Shape {
    /// Generates an item of at least this many bytes.
    pub fn item(self, bytes: usize) -> anyhow::Result<EvidenceItem> {
        let text = self.text(bytes);
        let content = match self {
            Self::JsonLog | Self::Pods | Self::Samples => Content::Json(text),
            _ => Content::Text(text),
        };
        let id = EvidenceId::new(self.name().replace(' ', "-"))?;
        Ok(EvidenceItem {
            tool: "collect".to_owned(),
            attested: true,
            ..EvidenceItem::new(id, Lane::Logs, content)
        })
    }

    fn text(self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 1024);
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let (head, tail, between) = match self {
            Self::Log => ("", "", ""),
            Self::JsonLog => ("[", "]", ","),
            Self::Pods => ("{\"items\":[", "]}", ","),
            Self::Samples => (
                "{\"data\":{\"result\":[{\"metric\":{\"pod\":\"cart-1\"},\"values\":[",
                "]}]}}",
                ",",
            ),
            Self::Table => {
                ("NAME                        READY   STATUS    RESTARTS   AGE\n", "", "")
            }
            Self::Bars => (" pod | took_ms | heap_mib \n-----+---------+----------\n", "", ""),
            Self::Csv => ("time,pod,level,took_ms,heap_mib\n", "", ""),
            Self::Yaml => ("pods:\n", "", ""),
            Self::Xml => ("<pods>\n", "</pods>\n", ""),
            Self::Diff => ("--- a/limits.yaml\n+++ b/limits.yaml\n", "", ""),
            Self::Describe | Self::JsonLines | Self::Logfmt | Self::Syslog | Self::Prose => {
                ("", "", "")
            }
        };
        text.push_str(head);
        let mut entry = 0_u64;
        while text.len() + tail.len() < bytes {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            if entry > 0 {
                text.push_str(between);
            }
            self.entry(&mut text, entry, seed);
            entry += 1;
        }
        text.push_str(tail);
        text
    }

    fn entry(self, text: &mut String, entry: u64, random: u64) {
        let (minute, second, milli) = (entry / 60 % 60, entry % 60, random % 1000);
        let (took, heap, pod) = (random % 900 + 20, random / 7 % 512, random / 11 % 48);
        let level = if random.is_multiple_of(29) { "ERROR" } else { "INFO" };
        let _ = match self {
            Self::Log => writeln!(
                text,
                "2026-03-12T14:{minute:02}:{second:02}.{milli:03}Z {level} cart-{pod} request served route=/pay took={took}ms heap_mib={heap}"
            ),
            Self::JsonLog => write!(
                text,
                "{{\"timestamp\":\"2026-03-12T14:{minute:02}:{second:02}.{milli:03}Z\",\"level\":\"{level}\",\"pod\":\"cart-{pod}\",\"message\":\"request served\",\"took_ms\":{took}}}"
            ),
            Self::Pods => write!(
                text,
                "{{\"metadata\":{{\"name\":\"cart-{entry}\",\"namespace\":\"shop\"}},\"status\":{{\"phase\":\"Running\",\"containerStatuses\":[{{\"name\":\"cart\",\"ready\":true,\"restartCount\":{}}}]}}}}",
                random % 5
            ),
            Self::Samples => write!(text, "[{},\"{heap}.{milli:03}\"]", 1_773_324_240 + entry * 15),
            Self::Table => writeln!(
                text,
                "cart-{entry:<20}    1/1     Running   {:<10} {}h",
                random % 5,
                random % 90
            ),
            Self::Describe => writeln!(
                text,
                "Name:          cart-{entry}\nNamespace:     shop\nStatus:        Running\nLimits:\n  cpu:         500m\n  memory:      {heap}Mi\n"
            ),
            Self::JsonLines => writeln!(
                text,
                "{{\"ts\":\"2026-03-12T14:{minute:02}:{second:02}.{milli:03}Z\",\"level\":\"{level}\",\"pod\":\"cart-{pod}\",\"msg\":\"request served\",\"took_ms\":{took}}}"
            ),
            Self::Logfmt => writeln!(
                text,
                "ts=2026-03-12T14:{minute:02}:{second:02}.{milli:03}Z level={level} pod=cart-{pod} msg=\"request served\" route=/pay took={took}ms heap_mib={heap}"
            ),
            Self::Syslog => writeln!(
                text,
                "Mar 12 14:{minute:02}:{second:02} node-{pod} kubelet[{took}]: container cart of pod cart-{pod} was restarted after {milli} ms"
            ),
            Self::Bars => writeln!(text, " cart-{pod} | {took} | {heap} "),
            Self::Csv => writeln!(
                text,
                "2026-03-12T14:{minute:02}:{second:02}Z,cart-{pod},{level},{took},{heap}"
            ),
            Self::Yaml => writeln!(
                text,
                "- name: cart-{entry}\n  phase: Running\n  limits:\n    cpu: 500m\n    memory: {heap}Mi\n  restarts: {}",
                random % 5
            ),
            Self::Xml => writeln!(
                text,
                "  <pod name=\"cart-{entry}\" phase=\"Running\"><restarts>{}</restarts><memory unit=\"MiB\">{heap}</memory></pod>",
                random % 5
            ),
            Self::Diff => writeln!(
                text,
                "@@ -{0},3 +{0},3 @@\n cart-{pod}:\n-  memory: {heap}Mi\n+  memory: {took}Mi\n   cpu: 500m",
                entry * 4 + 1
            ),
            Self::Prose => writeln!(
                text,
                "At 14:{minute:02}:{second:02} pod cart-{pod} answered in {took} ms, and its heap held {heap} MiB. Nothing else was seen."
            ),
        };
    }
}

/// Returns twenty claims: some true, some false, and some unrelated.
pub fn claims() -> anyhow::Result<Vec<Claim>> {
    const TEXTS: [&str; 10] = [
        "Pod cart-17 served a request on /pay in 35 ms at 14:02:17",
        "Pod cart-9 is Running",
        "The heap of cart-3 never exceeded 600 MiB",
        "All pods in namespace shop are Running",
        "cart-12 was OOMKilled at 14:05",
        "No deadlock was logged by cart-4",
        "Errors rose after 14:10",
        "The pod cart-21 restarted 4 times",
        "cart-8 logged an error before cart-9",
        "The database primary failed over to another zone",
    ];
    TEXTS
        .iter()
        .cycle()
        .take(20)
        .enumerate()
        .map(|(number, text)| Ok(Claim::new(ClaimId::new(format!("c{}", number + 1))?, *text)))
        .collect()
}
