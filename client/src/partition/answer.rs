//! The result of scoring a line.

use std::io::{self, Write};

use gsar_core::fixed_point::Fraction;
use gsar_core::{Origin, Tier, decide};

use super::line::{Line, LineError};
use super::policies::{Policies, ResolvedPolicy, unknown_policy};

/// The result of scoring a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The line was scored.
    Decided {
        /// The id as written, or `null`.
        id: String,
        /// The published score, or `None` if no claim has weight.
        score: Option<Fraction>,
        /// The tier.
        tier: Tier,
        /// `true` if the policy is looser than the server's default, so that the server rejects reports under it.
        hypothetical: bool,
    },
    /// The line is invalid.
    Refused {
        /// The number of the line, starting at 1.
        number: u64,
        /// The error.
        error: LineError,
    },
}

impl Answer {
    /// Scores a line locally, with a preset.
    #[must_use]
    pub fn offline(policies: &Policies, number: u64, text: &Result<String, String>) -> Self {
        let score_line = || {
            let text = text.as_ref().map_err(|reason| LineError(reason.clone()))?;
            let line = Line::parse(text)?;
            match policies.resolve(&line)? {
                ResolvedPolicy::Known(policy) => {
                    let decision = decide(&policy, &line.tally, Origin::Caller, None);
                    let score = decision.score.map(|score| score.fraction());
                    Ok(Self::Decided {
                        id: line.raw_id(),
                        score,
                        tier: decision.tier,
                        hypothetical: false,
                    })
                }
                ResolvedPolicy::Unknown(name) => Err(unknown_policy(&name)),
            }
        };
        score_line().unwrap_or_else(|error| Self::Refused { number, error })
    }

    /// Returns `true` if the line is invalid.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }

    /// Writes the answer as one line of JSON.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Decided { id, score, tier, hypothetical } => {
                write!(out, "{{\"id\":{id},\"score\":")?;
                match score {
                    Some(score) => {
                        let (num, den) = (score.numerator(), score.denominator());
                        serde_json::to_writer(&mut *out, &score.to_f64())?;
                        write!(out, ",\"num\":{num},\"den\":{den}")?;
                    }
                    None => write!(out, "null,\"num\":null,\"den\":null")?,
                }
                let mark = if *hypothetical { ",\"hypothetical\":true" } else { "" };
                writeln!(out, ",\"decision\":\"{}\"{mark}}}", tier.name())
            }
            Self::Refused { number, error } => {
                write!(out, "{{\"line\":{number},\"error\":")?;
                serde_json::to_writer(&mut *out, &error.0)?;
                writeln!(out, "}}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> String {
        let mut out = Vec::new();
        let policies = Policies::new("reference");
        Answer::offline(&policies, 7, &Ok(text.to_owned())).write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn scores_the_worked_example() {
        let text = r#"{"id":"example","grounded":["tool_match","specific_data"],"ungrounded":["inference"],"contradicted":["inference"],"complementary":["complementary_finding"],"policy":"paper"}"#;
        assert_eq!(
            answer(text),
            "{\"id\":\"example\",\"score\":0.7567567567567568,\"num\":28,\"den\":37,\"decision\":\"regenerate\"}\n"
        );
        let without_rho = text.replace("\"paper\"", "\"paper\",\"rho\":0");
        assert_eq!(
            answer(&without_rho),
            "{\"id\":\"example\",\"score\":0.8235294117647058,\"num\":14,\"den\":17,\"decision\":\"proceed\"}\n"
        );
    }

    #[test]
    fn empty_partition_has_a_score_only_under_the_paper_policy() {
        assert_eq!(
            answer(r#"{"id":1,"policy":"paper"}"#),
            "{\"id\":1,\"score\":0.5,\"num\":1,\"den\":2,\"decision\":\"replan\"}\n"
        );
        for policy in ["reference", "strict"] {
            assert_eq!(
                answer(&format!(r#"{{"id":1,"policy":"{policy}"}}"#)),
                "{\"id\":1,\"score\":null,\"num\":null,\"den\":null,\"decision\":\"abstain\"}\n"
            );
        }
    }

    #[test]
    fn guarded_score_decides_and_published_score_is_printed() {
        // The published score is 1, but the guards do not count complementary claims.
        assert_eq!(
            answer(r#"{"id":[1, 2],"complementary":["synthesis"]}"#),
            "{\"id\":[1, 2],\"score\":1.0,\"num\":1,\"den\":1,\"decision\":\"replan\"}\n"
        );
    }

    #[test]
    fn invalid_lines_result_in_an_error() {
        assert_eq!(
            answer(r#"{"id":1,"policy":"night-shift"}"#),
            "{\"line\":7,\"error\":\"policy: unknown policy `night-shift`; see `gsar policy list`\"}\n"
        );
        assert_eq!(
            answer(r#"{"id":1,"rho":0.1234567}"#),
            "{\"line\":7,\"error\":\"column 24: rho: `0.1234567` has more than six decimal places; expected a number such as 0.5 with at most six decimal places\"}\n"
        );
        assert!(
            answer(r#"{"id":1,"rho":11}"#)
                .starts_with("{\"line\":7,\"error\":\"rho: `11` is out of range; expected 0 to 10")
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_results_in_one_line_of_json(text in "[^\n\r]{0,80}", key in "[a-z_]{0,9}") {
            for text in [text.clone(), format!("{{\"{key}\":{text}}}"), format!("{{\"id\":{text}}}")] {
                let answer = answer(&text);
                let json: Result<serde_json::Value, _> = serde_json::from_str(&answer);
                proptest::prop_assert!(json.is_ok(), "{} {}", text, answer);
                proptest::prop_assert_eq!(answer.lines().count(), 1);
            }
        }
    }
}
