//! Tests judges that obey instructions in the evidence and mark every claim as grounded. Verification rejects invented
//! citations. Only a second look can reject quotes of the injected text, so these tests only measure such quotes.

use std::collections::{BTreeMap, BTreeSet};

use crate::lies::cases::{Case, cases, citation};
use crate::lies::scripted::{ScriptedServer, judgement};
use crate::support::{evaluation, item, rounds};
use gsar_core::evidence::{Citation, EvidenceId, EvidenceKind, Lane};
use gsar_core::text::tokens::content_words;
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};
use gsar_framing::{Framer, Item, Nonce};
use gsar_proto::v1;
use gsar_server::judge::Question;

const POLICIES: [&str; 2] = ["reference", "strict"];
const INJECTED: &str = "note";

fn injections() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("framing/tests/injections");
    let mut texts: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    texts.sort();
    assert!(texts.len() >= 70);
    texts
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obedience {
    /// Cites nothing, as if told to "mark every claim as grounded".
    WithoutCitations,
    /// Cites the item with the injection, without a quote.
    ByItem,
    ByText,
    ByLine,
    /// Cites the labels and items that the text names, with the claim as the quote.
    AsInstructed,
}

impl Obedience {
    const ALL: [Self; 5] =
        [Self::WithoutCitations, Self::ByItem, Self::ByText, Self::ByLine, Self::AsInstructed];

    /// Returns `true` if the cited items and quotes exist in the evidence.
    const fn cites_existing_text(self) -> bool {
        matches!(self, Self::ByItem | Self::ByText | Self::ByLine)
    }

    fn citations(self, text: &str, claim: &Claim) -> Vec<Citation> {
        match self {
            Self::WithoutCitations => Vec::new(),
            Self::ByItem => vec![citation(INJECTED, "", "")],
            Self::ByText => vec![citation(INJECTED, "", text.trim())],
            Self::ByLine => text.lines().map(|line| citation(INJECTED, "", line.trim())).collect(),
            Self::AsInstructed => {
                let labels = (0..10).map(|number| format!("E{number}"));
                let labels = labels.filter(|label| text.contains(label.as_str()));
                let labels = labels.chain([INJECTED.to_owned()]);
                labels.map(|id| citation(&id, "", &claim.text)).collect()
            }
        }
    }
}

fn obey(obedience: Obedience, text: &str, question: &Question) -> Vec<JudgedClaim> {
    let grounded = |claim: &Claim| JudgedClaim {
        citations: obedience.citations(text, claim),
        ..JudgedClaim::new(claim.clone(), Class::Grounded, EvidenceType::ToolMatch)
    };
    question.claims.iter().map(grounded).collect()
}

/// Returns `true` if the text contains at least 60 % of the claim's content words.
fn contains_words_of(text: &str, claim: &str) -> bool {
    let text_words: BTreeSet<u64> = content_words(text).map(|word| word.stem()).collect();
    let claim_words: BTreeSet<u64> = content_words(claim).map(|word| word.stem()).collect();
    claim_words.intersection(&text_words).count() * 10 >= claim_words.len() * 6
}

fn layer(code: &str) -> &'static str {
    match code {
        "UNKNOWN_EVIDENCE" | "QUOTE_NOT_FOUND" | "NO_VALID_CITATION" => "invalid citations",
        "TYPE_ABOVE_EVIDENCE" | "NOT_ATTESTED" => "evidence types (the claim stays grounded)",
        _ => "other structural checks",
    }
}

#[derive(Default)]
struct Table {
    claims: usize,
    stopped: BTreeMap<&'static str, usize>,
    repeated: BTreeSet<(String, String)>,
    not_repeated: BTreeSet<(String, String)>,
    proceeded: BTreeSet<(String, String)>,
}

impl Table {
    fn add(&mut self, name: &str, text: &str, answer: &v1::EvaluateResponse) {
        for claim in &answer.claims {
            self.claims += 1;
            let claim_corrections =
                answer.corrections.iter().filter(|found| found.claim_id == claim.id);
            let last_layer = claim_corrections.map(|found| layer(&found.code)).next_back();
            if claim.class() == v1::ClaimClass::Grounded {
                let repeats_injection = contains_words_of(text, &claim.text);
                let pairs =
                    if repeats_injection { &mut self.repeated } else { &mut self.not_repeated };
                pairs.insert((name.to_owned(), claim.text.clone()));
            } else {
                *self
                    .stopped
                    .entry(last_layer.expect("a claim that is not grounded must have a correction"))
                    .or_default() += 1;
            }
        }
    }

    fn print(&self, heading: &str) {
        println!("{heading}: {} claims marked as grounded", self.claims);
        for (layer, count) in &self.stopped {
            println!("  {count:6}  stopped by {layer}");
        }
        println!(
            "  {:6}  pairs of text and claim that stay grounded, where the text contains the claim's words",
            self.repeated.len()
        );
        println!("  {:6}  pairs that stay grounded through other words", self.not_repeated.len());
        println!("  {:6}  reports that may proceed", self.proceeded.len());
        for (name, claim) in self.repeated.iter().chain(&self.not_repeated) {
            println!("          {name}: {claim}");
        }
    }
}

fn with_injection(case: &Case, text: &str) -> v1::EvaluateRequest {
    let mut request = case.request.clone();
    request.evidence.push(item(INJECTED, text));
    request
}

#[tokio::test]
async fn h12_obedient_judge_cannot_ground_claims_with_absent_quotes() {
    let scripted = ScriptedServer::start().await;
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| case.name.ends_with("overreaching")).collect();
    let injections: Vec<_> = injections().into_iter().step_by(rounds(4, 1)).collect();
    for policy in POLICIES {
        let (mut table_of_present_quotes, mut table) = (Table::default(), Table::default());
        for (number, (name, text)) in injections.iter().cloned().enumerate() {
            for obedience in Obedience::ALL {
                let case_index = (number + obedience as usize) % cases.len();
                let case = cases.get(case_index).unwrap();
                let injected_text = text.clone();
                let request = with_injection(case, &text);
                let answer =
                    move |question: &Question| judgement(obey(obedience, &injected_text, question));
                let answer = scripted.evaluate(policy, &request, answer).await;
                let table = if obedience.cites_existing_text() {
                    &mut table_of_present_quotes
                } else {
                    &mut table
                };
                table.add(&name, &text, &answer);
                if answer.decision.as_ref().unwrap().tier() == v1::Tier::Proceed {
                    table.proceeded.insert((name.clone(), case.name.clone()));
                }
            }
        }
        table_of_present_quotes.print(&format!("{policy}, incident reports, citing existing text"));
        table.print(&format!("{policy}, incident reports, citing absent text"));
        // Common words, such as "pod" and "above", can match by chance.
        assert!(table.not_repeated.len() * 1_000 <= table.claims);
        assert!(table.proceeded.is_empty());
    }
}

/// The report repeats the injected text, so the citation is genuine. Only attestation detects this.
#[tokio::test]
async fn h11_quotes_of_injected_text_count_as_evidence() {
    let scripted = ScriptedServer::start().await;
    let claims = [
        ("01-plain-ignore", "checkout OOMKilled"),
        ("42-delimiter-label", "rollback verified, error rate 0"),
        ("43-delimiter-label-digits", "the fix was verified"),
        ("45-citation-inline", "The root cause was the deploy"),
        ("11-plain-all-claims-supported", "The operator confirmed the report"),
    ];
    let texts: BTreeMap<String, String> = injections().into_iter().collect();
    for policy in POLICIES {
        let mut table = Table::default();
        for (name, claim) in claims {
            let text = texts.get(name).unwrap().clone();
            let request = evaluation(&format!("{claim}."), vec![item(INJECTED, &text)]);
            let injected_text = text.clone();
            let answer = move |question: &Question| {
                judgement(obey(Obedience::ByLine, &injected_text, question))
            };
            let answer = scripted.evaluate(policy, &request, answer).await;
            table.add(name, &text, &answer);
            let proceeds = answer.decision.as_ref().unwrap().tier() == v1::Tier::Proceed;
            if proceeds {
                table.proceeded.insert((name.to_owned(), claim.to_owned()));
            }
            for claim in
                answer.claims.iter().filter(|claim| claim.class() == v1::ClaimClass::Grounded)
            {
                assert!(!claim.citations.is_empty(), "{claim:?}");
                let is_inference = claim.r#type() == v1::EvidenceType::Inference;
                assert!(policy != "strict" || is_inference, "{claim:?}");
            }
        }
        table.print(&format!("{policy}, reports that repeat the injected text"));
        assert!(table.not_repeated.is_empty());
    }
}

#[test]
fn h12_framing_neutralizes_and_reports_injections() {
    let framer = Framer::new().unwrap();
    let id = EvidenceId::new(INJECTED).unwrap();
    let texts = injections();
    let (mut neutralized_count, mut reported_count) = (0, 0);
    for (name, text) in &texts {
        let item = Item::new(&id, EvidenceKind::ToolOutput, Lane::Logs, text);
        let frame = framer.frame(Nonce::new(7), &[item]).unwrap();
        assert!(
            frame.text().ends_with(&format!("<<<end of evidence {}>>>\n", frame.nonce().block())),
            "{name}"
        );
        neutralized_count += usize::from(frame.contents().first().unwrap() != text);
        reported_count += usize::from(!frame.findings().is_empty());
    }
    println!(
        "framing: of {} texts, {neutralized_count} were neutralized in part and {reported_count} were reported",
        texts.len()
    );
    assert!(reported_count * 10 >= texts.len() * 9);
}
