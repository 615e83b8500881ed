//! Generates reports whose tier is known.

use gsar_client::v1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Case {
    True,
    False,
    /// One statement in three is refuted.
    PartlyFalse,
    /// The evidence is irrelevant.
    Unshown,
    /// There is no evidence.
    NoEvidence,
}

impl Case {
    pub(crate) const DRAWN: [Self; 8] = [
        Self::True,
        Self::True,
        Self::True,
        Self::True,
        Self::False,
        Self::PartlyFalse,
        Self::Unshown,
        Self::NoEvidence,
    ];

    /// Returns the tiers to expect under the policy `reference`.
    pub(crate) const fn tiers(self) -> &'static [v1::Tier] {
        match self {
            Self::True => &[v1::Tier::Proceed],
            Self::PartlyFalse => &[v1::Tier::Regenerate],
            Self::False => &[v1::Tier::Replan],
            // The rules leave the claims undecided.
            Self::Unshown => &[v1::Tier::Replan, v1::Tier::Abstain],
            Self::NoEvidence => &[v1::Tier::Abstain],
        }
    }

    fn claims(self, number: u64) -> Vec<String> {
        let (size, limit) = (size(number), size(number) * 2);
        let pool = |size| format!("The connection_pool_size of db-{number} is {size}.");
        let max = |limit| format!("The max_connections of db-{number} is {limit}.");
        let idle = format!("The idle_timeout of db-{number} is {}.", size * 3);
        match self {
            Self::True => vec![pool(size), max(limit)],
            Self::False => vec![pool(size + 7), max(limit + 9)],
            Self::PartlyFalse => vec![pool(size), max(limit + 9), idle],
            Self::Unshown | Self::NoEvidence => {
                vec![format!("The replication slot of db-{number} was dropped by the operator.")]
            }
        }
    }
}

fn size(number: u64) -> u64 {
    20 + number % 80
}

/// Builds a case's request. Deterministic for a given case and number.
pub(crate) fn request(case: Case, number: u64) -> v1::EvaluateRequest {
    let claims = case.claims(number);
    let synthesis = claims.join(" ");
    let claims = claims.into_iter().enumerate().map(|(index, text)| v1::Claim {
        id: format!("c{}", index + 1),
        text,
        ..v1::Claim::default()
    });
    let evidence = match case {
        Case::NoEvidence => Vec::new(),
        _ => vec![item("settings", &evidence(number)), item("log", &log(number))],
    };
    v1::EvaluateRequest {
        report: Some(v1::Report { synthesis, claims: claims.collect(), ..v1::Report::default() }),
        evidence,
        policy: "reference".to_owned(),
        ..v1::EvaluateRequest::default()
    }
}

pub(crate) fn evidence(number: u64) -> String {
    let size = size(number);
    format!(
        "{{\"name\": \"db-{number}\", \"connection_pool_size\": {size}, \"max_connections\": {}, \"idle_timeout\": {}}}\n",
        size * 2,
        size * 3
    )
}

/// Generates log lines that are irrelevant, as most tool output is.
fn log(number: u64) -> String {
    (0..20 + number % 60)
        .map(|line| {
            format!(
                "12:{:02}:{:02} worker {line} of job {number} took {} ms\n",
                line / 60,
                line % 60,
                100 + line * 3
            )
        })
        .collect()
}

pub(crate) fn item(id: &str, text: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: id.to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: v1::EvidenceLane::StaticInfra.into(),
        tool: "show settings".to_owned(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..v1::EvidenceItem::default()
    }
}
