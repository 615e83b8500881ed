//! Facts, and a judge that knows them.

use std::collections::BTreeSet;

use gsar_core::evidence::{Citation, EvidenceId};
use gsar_core::report::ClaimKind;
use gsar_core::text::tokens::{is_stop_word, words};
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};
use gsar_server::judge::{Judgement, Question};

/// Each tuple contains a thing, a true statement about it, and a false one.
pub const FACTS: [(&str, &str, &str); 20] = [
    ("payments-db", "kept every row at 14:02", "lost 4 TB"),
    ("checkout-api", "answered 200 at 14:03", "crashed at 14:03"),
    ("cart-cache", "held 512 keys", "lost 731 keys"),
    ("orders-queue", "drained at 14:05", "overflowed at 14:05"),
    ("node wk-4", "stayed ready all day", "failed twice"),
    ("edge-proxy", "served 99 % of requests", "rejected 37 % of requests"),
    ("search-index", "was complete at 14:07", "was corrupted at 14:07"),
    ("mail-relay", "sent 1200 messages", "dropped 880 messages"),
    ("billing-job", "finished at 02:00", "was killed at 02:00"),
    ("auth-service", "had 3 replicas", "had 1 replica"),
    ("session-store", "used 40 % of memory", "exhausted its memory"),
    ("image-resizer", "restarted once", "restarted 19 times"),
    ("report-db", "was read-only until 15:00", "was deleted at 15:00"),
    ("metrics-agent", "ran version 2.4.1", "ran version 9.9.9"),
    ("feature-flags", "were unchanged", "were wiped at 13:30"),
    ("dns-resolver", "answered in 4 ms", "timed out for 52 minutes"),
    ("vault-agent", "renewed its lease at 12:00", "leaked 6 secrets"),
    ("stream-worker", "lagged by 10 seconds", "lagged by 9 hours"),
    ("load-balancer", "had 4 healthy targets", "had 0 healthy targets"),
    ("backup-job", "wrote 80 GiB", "wrote 0 bytes"),
];

pub fn log() -> String {
    let lines: Vec<String> =
        FACTS.iter().map(|(thing, fact, _)| format!("{thing} {fact}")).collect();
    lines.join("\n")
}

pub fn truthful(question: &Question) -> Judgement {
    let judged = question.claims.iter().map(judge_truthfully).collect();
    Judgement { judged, ..Judgement::default() }
}

/// Words that the forms add to a report. They state nothing about the facts.
const FORM_WORDS: [&str; 17] = [
    "action", "add", "alert", "anyone", "cause", "found", "know", "more", "no", "note", "restore",
    "root", "state", "thing", "what", "x", "yes",
];

fn content_words(text: &str) -> BTreeSet<String> {
    let known_words = words(text).filter(|word| !is_stop_word(word.text));
    known_words.map(|word| word.text.to_lowercase()).collect()
}

/// Judges a claim by the facts about the things that it names. Questions and proposals are complementary.
fn judge_truthfully(claim: &Claim) -> JudgedClaim {
    let words = content_words(&claim.text);
    let mentions = |thing: &str| content_words(thing).iter().all(|word| words.contains(word));
    let facts = FACTS.iter().filter(|(thing, _, _)| mentions(thing));
    let facts: Vec<&(&str, &str, &str)> = facts.collect();
    let mut unexplained_words = words.clone();
    for (thing, fact, _) in &facts {
        let known_words = content_words(&format!("{thing} {fact}"));
        if known_words.is_subset(&words) {
            unexplained_words.retain(|word| !known_words.contains(word));
        }
    }
    unexplained_words.retain(|word| !FORM_WORDS.contains(&word.as_str()));
    let denies_a_lie =
        facts.iter().any(|(thing, _, lie)| claim.text == format!("It is false that {thing} {lie}"));
    let class = match ClaimKind::classify(&claim.text) {
        ClaimKind::Question | ClaimKind::Proposal => Class::Complementary,
        ClaimKind::Statement if facts.is_empty() => Class::Ungrounded,
        ClaimKind::Statement if unexplained_words.is_empty() || denies_a_lie => Class::Grounded,
        ClaimKind::Statement => Class::Contradicted,
    };
    let id = EvidenceId::new("log").unwrap();
    let citations = facts
        .iter()
        .map(|(thing, fact, _)| Citation::new(id.clone(), format!("{thing} {fact}")))
        .collect();
    JudgedClaim { citations, ..JudgedClaim::new(claim.clone(), class, EvidenceType::ToolMatch) }
}
