//! Tests of judges that obey instructions in the evidence and ground every claim. Verification rejects invented
//! citations. Only a second look can reject quotes of the injected text, so the tests measure these.

use std::collections::{BTreeMap, BTreeSet};

use crate::lies::cases::{Case, cases, citation};
use crate::lies::scripted::{ScriptedServer, judgement};
use crate::support::{item, rounds};
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
    /// No citation: "mark every claim as grounded".
    Silently,
    /// The item with the injection, without a quote.
    ByItem,
    ByText,
    ByLine,
    /// The labels and items that the text names, with the claim as the quote.
    ByWhatItTells,
}

impl Obedience {
    const ALL: [Self; 5] =
        [Self::Silently, Self::ByItem, Self::ByText, Self::ByLine, Self::ByWhatItTells];

    /// Returns `true` if the citations occur in the evidence.
    const fn cites_what_is_there(self) -> bool {
        matches!(self, Self::ByItem | Self::ByText | Self::ByLine)
    }

    fn cites(self, text: &str, claim: &Claim) -> Vec<Citation> {
        match self {
            Self::Silently => Vec::new(),
            Self::ByItem => vec![citation(INJECTED, "", "")],
            Self::ByText => vec![citation(INJECTED, "", text.trim())],
            Self::ByLine => text.lines().map(|line| citation(INJECTED, "", line.trim())).collect(),
            Self::ByWhatItTells => {
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
        claim: claim.clone(),
        class: Class::Grounded,
        evidence_type: EvidenceType::ToolMatch,
        citations: obedience.cites(text, claim),
        note: "as scripted".to_owned(),
        role: gsar_core::Role::default(),
        rules: Vec::new(),
        undecided: None,
    };
    question.claims.iter().map(grounded).collect()
}

/// Returns `true` if a text has at least 0.6 of the claim's content words.
fn contains_words_of(text: &str, claim: &str) -> bool {
    let text_words: BTreeSet<u64> = content_words(text).map(|word| word.stem()).collect();
    let claim_words: BTreeSet<u64> = content_words(claim).map(|word| word.stem()).collect();
    claim_words.intersection(&text_words).count() * 10 >= claim_words.len() * 6
}

fn layer(code: &str) -> &'static str {
    match code {
        "UNKNOWN_EVIDENCE" | "QUOTE_NOT_FOUND" | "NO_VALID_CITATION" => {
            "citations that do not hold"
        }
        "TYPE_ABOVE_EVIDENCE" | "NOT_ATTESTED" => "types (still grounded)",
        _ => "other structure",
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
                *self.stopped.entry(last_layer.expect("a correction")).or_default() += 1;
            }
        }
    }

    fn print(&self, heading: &str) {
        println!("{heading}: {} claims called grounded", self.claims);
        for (layer, count) in &self.stopped {
            println!("  {count:6}  stopped by {layer}");
        }
        println!(
            "  {:6}  pairs of text and claim left grounded, whose words the text says",
            self.repeated.len()
        );
        println!("  {:6}  left grounded by other words", self.not_repeated.len());
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
async fn h12_obedient_judge_cannot_ground_with_absent_quotes() {
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
                let reported = text.clone();
                let request = with_injection(case, &text);
                let answer =
                    move |question: &Question| judgement(obey(obedience, &reported, question));
                let answer = scripted.evaluate(policy, &request, answer).await;
                let table = if obedience.cites_what_is_there() {
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
        table_of_present_quotes
            .print(&format!("{policy}, reports of incidents, citing what is there"));
        table.print(&format!("{policy}, reports of incidents, citing what is not there"));
        // Common words, such as "pod" and "above", can match by chance.
        assert!(table.not_repeated.len() * 1_000 <= table.claims);
        assert!(table.proceeded.is_empty());
    }
}

/// The report repeats the injected text, so the citation is genuine. Only attestation detects this.
#[tokio::test]
async fn h11_quotes_of_injected_text_are_evidence() {
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
            let request = v1::EvaluateRequest {
                report: Some(v1::Report {
                    synthesis: format!("{claim}."),
                    ..v1::Report::default()
                }),
                evidence: vec![item(INJECTED, &text)],
                ..v1::EvaluateRequest::default()
            };
            let reported = text.clone();
            let answer =
                move |question: &Question| judgement(obey(Obedience::ByLine, &reported, question));
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
        table.print(&format!("{policy}, reports that say what the text says"));
        assert!(table.not_repeated.is_empty());
    }
}

#[test]
fn h12_framing_neutralizes_and_reports_injections() {
    let framer = Framer::new().unwrap();
    let id = EvidenceId::new(INJECTED).unwrap();
    let texts = injections();
    let (mut neutralized_count, mut reported) = (0, 0);
    for (name, text) in &texts {
        let (kind, lane) = (EvidenceKind::ToolOutput, Lane::Logs);
        let item = Item {
            id: &id,
            kind,
            lane,
            tool: "",
            query: "",
            collected_at: "",
            exhaustive: false,
            part: "",
            content: text,
        };
        let frame = framer.frame(Nonce::new(7), &[item]).unwrap();
        assert!(
            frame.text().ends_with(&format!("<<<end of evidence {}>>>\n", frame.nonce().block())),
            "{name}"
        );
        neutralized_count += usize::from(frame.contents().first().unwrap() != text);
        reported += usize::from(!frame.findings().is_empty());
    }
    println!(
        "framing: of {} texts {neutralized_count} made inert in part, {reported} reported",
        texts.len()
    );
    assert!(reported * 10 >= texts.len() * 9);
}
