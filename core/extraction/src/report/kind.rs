//! Distinguishes statements, questions and proposals. The kind depends only on the words, so equal claims have equal
//! kinds.

use super::code::is_command;
use super::words::{has_past_form, has_past_verb};
use crate::text::part;
use crate::text::sentences::is_recommendation;
use crate::text::tokens::words;

/// The kind of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimKind {
    /// A statement of fact.
    Statement,
    /// A question. It can be complementary at most.
    Question,
    /// A proposed action, including commands and configuration. It can be complementary at most, because the proposal
    /// itself is not a finding.
    Proposal,
}

names!(ClaimKind { Statement => "statement", Question => "question", Proposal => "proposal" });

impl ClaimKind {
    /// Classifies a claim. When in doubt, classifies it as a statement.
    #[must_use]
    pub fn classify(text: &str) -> Self {
        let closers = ['*', '_', '"', '\'', ')', ']', '”', '’', ' ', '\n'];
        let bare = text.trim_end_matches(closers);
        if bare.ends_with(['?', '？', '؟']) && !text.starts_with(PRESUPPOSITION_PREFIX) {
            return Self::Question;
        }
        if is_proposal(text) { Self::Proposal } else { Self::Statement }
    }
}

/// The prefix of statements that represent a question's presupposition.
pub(super) const PRESUPPOSITION_PREFIX: &str = "The answer to “";

#[rustfmt::skip]
const LABELS: [&str; 13] = [
    "action", "action item", "action items", "command", "configuration", "follow-up", "next step",
    "next steps", "proposal", "recommendation", "recommendations", "recommended action", "todo",
];

fn is_proposal(text: &str) -> bool {
    let plain = text.trim().trim_matches(['*', '_', '`']).trim();
    if let Some(colon) = plain.find(':') {
        let label = part(plain, 0..colon).trim().to_ascii_lowercase();
        let rest = part(plain, colon + 1..plain.len()).trim();
        if LABELS.contains(&label.as_str()) {
            let is_code = label == "command" || label == "configuration";
            return is_recommendation(rest, true)
                || is_command(rest)
                || is_code && !has_past_verb(rest)
                || !has_past_form(rest);
        }
    }
    is_command(plain) || is_recommendation(plain, false) || is_intention(plain)
}

/// Returns `true` for an announced action: "We will add an alert".
fn is_intention(text: &str) -> bool {
    let mut first_words = words(text);
    let has_subject = first_words.next().is_some_and(|word| word.is("we") || word.is("i"));
    let has_intent = first_words.next().is_some_and(|word| {
        ["will", "shall", "plan", "intend", "should"].iter().any(|verb| word.is(verb))
    });
    has_subject && has_intent && !has_past_verb(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_programs_are_not_commands() {
        for statement in [
            "kubectl events returned none for the pod.",
            "mysql raised no alert of any kind.",
            "docker holds the disk.",
        ] {
            assert_eq!(ClaimKind::classify(statement), ClaimKind::Statement, "{statement}");
        }
        for command in ["kubectl get pods -n shop", "systemctl restart mysql", "Restart the pods."]
        {
            assert_eq!(ClaimKind::classify(command), ClaimKind::Proposal, "{command}");
        }
        assert_eq!(ClaimKind::classify("Why did it restart?"), ClaimKind::Question);
    }
}
