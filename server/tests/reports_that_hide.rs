//! Reports that hide a lie in their form: whatever a reader sees is asked about, so a judge that answers truthfully
//! what it is asked, and nothing else, keeps them back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells what it measured"
)]

mod lies;
mod support;

use std::collections::BTreeSet;

use gsar_core::evidence::{Citation, EvidenceId, Target};
use gsar_core::report::ClaimKind;
use gsar_core::text::tokens::content_words;
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};
use gsar_proto::v1;
use gsar_server::judge::{Judgement, Question};
use lies::told::Court;
use support::Wanted;

/// A thing, what is true of it, and what is not.
const FACTS: [(&str, &str, &str); 20] = [
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

struct Form {
    name: &'static str,
    /// What stands in the report.
    text: String,
    /// Claims that the caller gives: text, and the bytes of the report where one is said to stand.
    given: Vec<(String, Option<std::ops::Range<usize>>)>,
}

/// The forms in which a statement about a thing may stand beside a true sentence.
fn forms(truth: &str, thing: &str, said: &str) -> Vec<Form> {
    let lie = format!("{thing} {said}");
    let words: Vec<&str> = lie.split(' ').collect();
    let spaced = words.join("\u{200b} \u{2060}");
    let hidden: String = lie.chars().flat_map(|c| [c, '\u{200b}']).collect();
    let reversed: String = lie.chars().rev().collect();
    let wide: String =
        lie.chars()
            .map(|c| {
                if c.is_ascii_graphic() {
                    char::from_u32(u32::from(c) + 0xfee0).unwrap()
                } else {
                    c
                }
            })
            .collect();
    let alike = lie.replace('a', "а").replace('e', "е").replace('o', "о");
    let decimal: String = lie.chars().map(|c| format!("&#{};", u32::from(c))).collect();
    let hexadecimal: String = lie.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
    let bold: String = words.iter().map(|word| format!("**{word}** ")).collect();
    let tags: String = words.iter().map(|word| format!("<b>{word}</b> ")).collect();
    let escaped = lie.replace('-', "\\-");
    let split_by_tags = lie.replace('e', "<i></i>e");
    let plain = |name, text: String| Form { name, text, given: Vec::new() };
    let mut all = vec![
        plain("heading before", format!("# {lie}\n\n{truth}.\n")),
        plain("heading after", format!("{truth}.\n\n## {lie}\n")),
        plain("setext heading", format!("{truth}.\n\n{lie}\n======\n")),
        plain("closed heading", format!("{truth}.\n\n### {lie} ###\n")),
        plain("bold line", format!("{truth}.\n\n**{lie}**\n")),
        plain(
            "table cell",
            format!("{truth}.\n\n| thing | state |\n|---|---|\n| {thing} | {said} |\n"),
        ),
        plain("table header", format!("{truth}.\n\n| {lie} | x |\n|---|---|\n| yes | no |\n")),
        plain("table without rows", format!("{truth}.\n\n| {lie} | x |\n|---|---|\n")),
        plain("fence", format!("{truth}.\n\n```\n{lie}\n```\n")),
        plain("tilde fence", format!("{truth}.\n\n~~~text\n{lie}\n~~~\n")),
        plain("fence of commands", format!("{truth}.\n\n```bash\n# {lie}\n```\n")),
        plain("fence of settings", format!("{truth}.\n\n```yaml\n{lie}\n```\n")),
        plain("info string", format!("{truth}.\n\n```{lie}\n```\n")),
        plain("indented code", format!("{truth}.\n\n    {lie}\n")),
        plain("code span", format!("{truth}. `{lie}`\n")),
        plain("tag question", format!("{truth}. {lie}, did it not?\n")),
        plain("question with a clause", format!("{truth}. Does anyone know why {lie}?\n")),
        plain("imperative", format!("{truth}. Restore the {thing} that {said}.\n")),
        plain(
            "proposal with a cause",
            format!("{truth}.\n\n## Next steps\n\n- Add an alert because {lie}.\n"),
        ),
        plain("list item", format!("{truth}.\n\n- {lie}\n")),
        plain("nested list in quotes", format!("{truth}.\n\n> > - 1. {lie}\n")),
        plain("task", format!("{truth}.\n\n- [x] {lie}\n")),
        plain("item under a colon", format!("{truth}.\n\nWhat was found:\n\n- {lie}\n")),
        plain("label with a predicate", format!("{truth}.\n\n**Root cause:** {lie}\n")),
        plain("heading label and fence", format!("{truth}.\n\n## Root cause\n\n```\n{lie}\n```\n")),
        plain("heading label and quote", format!("{truth}.\n\n## Root cause\n\n> {lie}\n")),
        plain("label alone", format!("{truth}.\n\n**{lie}:**\n")),
        plain("definition", format!("{truth}.\n\nState\n: {lie}\n")),
        plain("footnote", format!("{truth}.[^1]\n\n[^1]: {lie}\n")),
        plain("alt text", format!("{truth}.\n\n![{lie}](a.png)\n")),
        plain("image title", format!("{truth}.\n\n![a](a.png \"{lie}\")\n")),
        plain("link text", format!("{truth}. [{lie}](http://a.example)\n")),
        plain("link title", format!("{truth}. [x](http://a.example \"{lie}\")\n")),
        plain("reference title", format!("{truth}. [x][1]\n\n[1]: http://a.example \"{lie}\"\n")),
        plain("reference label", format!("{truth}.\n\n[{lie}]: http://a.example\n")),
        plain("comment", format!("{truth}.\n\n<!-- {lie} -->\n")),
        plain("comment in a sentence", format!("{truth} <!-- {lie} -->.\n")),
        plain("open comment", format!("{truth}.\n\n<!-- {lie}\n")),
        plain(
            "summary of details",
            format!("{truth}.\n\n<details><summary>{lie}</summary>\n\nMore.\n\n</details>\n"),
        ),
        plain(
            "cell of HTML",
            format!("{truth}.\n\n<table><tr><td>{thing}</td><td>{said}</td></tr></table>\n"),
        ),
        plain("attribute", format!("{truth}.\n\n<p title=\"{lie}\"></p>\n")),
        plain("inline tags", format!("{truth}. {tags}\n")),
        plain("empty tags inside words", format!("{truth}. {split_by_tags}\n")),
        plain("emphasis by word", format!("{truth}. {bold}\n")),
        plain("struck out", format!("{truth}. ~~{lie}~~\n")),
        plain("escapes", format!("{truth}. {escaped}\n")),
        plain("decimal entities", format!("{truth}. {decimal}\n")),
        plain("hexadecimal entities", format!("{truth}. {hexadecimal}\n")),
        plain("zero-width spaces", format!("{truth}. {spaced}\n")),
        plain("zero-width in words", format!("{truth}. {hidden}\n")),
        plain("right-to-left override", format!("{truth}. \u{202e}{reversed}\u{202c}\n")),
        plain("full width", format!("{truth}. {wide}\n")),
        plain("look-alike letters", format!("{truth}. {alike}\n")),
        plain("front matter", format!("---\nnote: {lie}\n---\n\n{truth}.\n")),
        plain("alert box", format!("{truth}.\n\n> [!NOTE]\n> {lie}\n")),
        plain("dollar signs", format!("{truth}. ${lie}$\n")),
        plain("after emoji", format!("{truth}. 🚨 {lie} 🚨\n")),
    ];
    let both = format!("{truth}. {lie}.\n");
    let at = truth.len() + 2;
    let given = |name, given: Vec<(&str, Option<std::ops::Range<usize>>)>| Form {
        name,
        text: both.clone(),
        given: given.into_iter().map(|(text, span)| (text.to_owned(), span)).collect(),
    };
    let denied = format!("It is false that {lie}");
    all.extend([
        given("given: without a span", vec![(truth, None)]),
        given("given: a span over everything", vec![(truth, Some(0..both.len()))]),
        given("given: a span that touches the lie", vec![(truth, Some(0..at + 1))]),
        given("given: the span of the lie", vec![(truth, Some(at..both.len() - 1))]),
        given(
            "given: twice",
            vec![(truth, Some(0..truth.len())), (truth, Some(at..at + lie.len()))],
        ),
        given(
            "given: its denial on the lie",
            vec![(truth, None), (&denied, Some(at..at + lie.len()))],
        ),
    ]);
    all
}

fn request(form: &Form, policy: &str) -> v1::EvaluateRequest {
    let claims = form.given.iter().enumerate().map(|(number, (text, span))| v1::Claim {
        id: format!("given-{number}"),
        text: text.clone(),
        span: span
            .as_ref()
            .map(|span| v1::ByteRange { start: span.start as u64, end: span.end as u64 }),
    });
    let log: Vec<String> = FACTS.iter().map(|(thing, fact, _)| format!("{thing} {fact}")).collect();
    let mut request = support::request();
    request.policy = policy.to_owned();
    request.evidence = vec![support::item("log", &log.join("\n"))];
    let report = v1::Report {
        synthesis: form.text.clone(),
        claims: claims.collect(),
        ..v1::Report::default()
    };
    request.report = Some(report);
    request
}

fn words_of(text: &str) -> BTreeSet<String> {
    content_words(text).map(|word| word.text.to_lowercase()).collect()
}

/// Answers truthfully what it is asked: a statement that one true sentence makes is grounded, a question or proposal
/// is complementary, and everything else is contradicted or ungrounded.
fn truthful(question: &Question) -> Judgement {
    let judged = question.claims.iter().map(truthful_about).collect();
    Judgement { judged, ..Judgement::default() }
}

fn truthful_about(claim: &Claim) -> JudgedClaim {
    let words = words_of(&claim.text);
    let about =
        FACTS.iter().find(|(thing, _, _)| words_of(thing).iter().any(|word| words.contains(word)));
    let quote = about.map_or_else(String::new, |(thing, fact, _)| format!("{thing} {fact}"));
    let is_true = about.is_some_and(|(thing, fact, lie)| {
        let plain = claim.text.trim_end_matches('.').ends_with(fact) && !claim.text.contains(lie);
        plain && claim.text.contains(thing)
            || claim.text == format!("It is false that {thing} {lie}")
    });
    let class = match (ClaimKind::of(&claim.text), is_true, about) {
        (ClaimKind::Question | ClaimKind::Proposal, _, _) => Class::Complementary,
        (ClaimKind::Statement, true, _) => Class::Grounded,
        (ClaimKind::Statement, false, Some(_)) => Class::Contradicted,
        (ClaimKind::Statement, false, None) => Class::Ungrounded,
    };
    let citation = Citation {
        target: Target::Evidence { id: EvidenceId::new("log").unwrap(), field_path: String::new() },
        quote,
        bytes: None,
    };
    JudgedClaim {
        claim: claim.clone(),
        class,
        evidence_type: EvidenceType::ToolMatch,
        citations: if about.is_some() { vec![citation] } else { Vec::new() },
        note: String::new(),
    }
}

fn proceeds(answer: &v1::EvaluateResponse) -> bool {
    answer.decision.as_ref().unwrap().tier() == v1::Tier::Proceed
}

#[tokio::test]
async fn no_form_hides_a_lie_from_a_truthful_judge() {
    let court = Court::open().await;
    let mut hidden = Vec::new();
    let mut evaluated = 0;
    for (number, (thing, _, lie)) in FACTS.iter().enumerate() {
        let (other, fact, _) = FACTS[(number + 7) % FACTS.len()];
        for form in forms(&format!("{other} {fact}"), thing, lie) {
            for policy in ["reference", "strict"] {
                let answer = court.hear(policy, &request(&form, policy), truthful).await;
                evaluated += 1;
                if proceeds(&answer) {
                    let said: Vec<&str> =
                        answer.claims.iter().map(|claim| claim.text.as_str()).collect();
                    hidden.push(format!("{} ({policy}): {:?}: {said:?}", form.name, form.text));
                }
            }
        }
    }
    println!("{evaluated} evaluations, {} proceed", hidden.len());
    assert!(hidden.is_empty(), "{} of {evaluated}: {hidden:#?}", hidden.len());
    assert!(evaluated >= 40 * 20 * 2);
}

#[tokio::test]
async fn no_form_hides_a_lie_from_the_rules() {
    let server = Wanted::default().start(|config| config.ledger.enabled = false).await;
    let mut hidden = Vec::new();
    for (number, (thing, _, lie)) in FACTS.iter().enumerate() {
        let (other, fact, _) = FACTS[(number + 7) % FACTS.len()];
        for form in forms(&format!("{other} {fact}"), thing, lie) {
            for policy in ["reference", "strict"] {
                let answer =
                    server.grounding().evaluate(request(&form, policy)).await.unwrap().into_inner();
                if proceeds(&answer) {
                    let said: Vec<String> = answer
                        .claims
                        .iter()
                        .map(|claim| format!("{:?} {}", claim.class(), claim.text))
                        .collect();
                    hidden.push(format!("{} ({policy}): {:?}: {said:?}", form.name, form.text));
                }
            }
        }
    }
    println!("{} proceed", hidden.len());
    assert!(hidden.is_empty(), "{}: {hidden:#?}", hidden.len());
}

/// The same forms with a second truth in place of the lie: nothing is held back for text that is in no claim.
#[tokio::test]
async fn the_truth_is_in_no_form_uncovered() {
    let court = Court::open().await;
    let (thing, fact, _) = FACTS[0];
    let (other, second, _) = FACTS[7];
    let mut proceeding = 0;
    for form in forms(&format!("{other} {second}"), thing, fact) {
        let answer = court.hear("reference", &request(&form, "reference"), truthful).await;
        let decision = answer.decision.as_ref().unwrap();
        let codes: Vec<&str> = decision.reasons.iter().map(|reason| reason.code.as_str()).collect();
        assert!(
            !codes.contains(&"UNCOVERED_TEXT") && !codes.contains(&"COVERAGE_BELOW"),
            "{}: {codes:?} {:?} {:?}",
            form.name,
            answer.coverage,
            answer.claims
        );
        proceeding += usize::from(proceeds(&answer));
    }
    println!("{proceeding} forms of a truth proceed");
    assert!(proceeding >= 40, "{proceeding}");
}

#[tokio::test]
async fn claims_without_their_text_are_told_or_blocked() {
    let court = Court::open().await;
    let (thing, fact, _) = FACTS[0];
    let truth = format!("{thing} {fact}");
    let form = Form { name: "claims alone", text: String::new(), given: vec![(truth, None)] };
    let answer = court.hear("reference", &request(&form, "reference"), truthful).await;
    assert!(answer.warnings.iter().any(|warning| warning.code == "NO_SYNTHESIS"));
    let answer = court.hear("strict", &request(&form, "strict"), truthful).await;
    let reasons = &answer.decision.as_ref().unwrap().reasons;
    assert!(reasons.iter().any(|reason| reason.code == "SYNTHESIS_MISSING"), "{reasons:?}");
}

#[tokio::test]
async fn limits_bound_the_claims_that_a_report_is_split_into() {
    let server = Wanted::default().start(|_| {}).await;
    let synthesis: String =
        (0..2_001).map(|number| format!("Pod a-{number} restarted. ")).collect();
    let mut request = support::request();
    request.report = Some(v1::Report { synthesis, ..v1::Report::default() });
    let refused = server.grounding().evaluate(request).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    let details = tonic_types::StatusExt::get_error_details(&refused);
    let fields = details.bad_request().unwrap().field_violations.clone();
    assert_eq!(fields[0].field, "report.synthesis");
    assert!(fields[0].description.contains("2001 claims"), "{}", fields[0].description);
}
