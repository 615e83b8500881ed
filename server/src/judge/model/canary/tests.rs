use std::collections::HashSet;

use gsar_datasets::ReportKind;

use super::*;
use crate::judge::model::shuffled_question::tests::question;

const EVIDENCE: &str = "payments-db pool is full at 14:05\nnode-3 Ready\nbilling-db idle";

fn canary_for(question: &Question, rng: &mut Rng) -> Option<Claim> {
    let items = question.evidence.iter();
    let part: Vec<Piece<'_>> = items.map(Piece::from_item).collect();
    create_canary(question, &part, rng)
}

#[test]
fn copies_a_claim_with_an_absent_name() {
    let question = question("", &["The pool of payments-db was full at 14:05."], EVIDENCE);
    let texts: HashSet<String> = (0..500)
        .map(|seed| canary_for(&question, &mut Rng::from_seed(seed)).unwrap().text)
        .collect();
    assert!(texts.len() > 100, "{}", texts.len());
    for text in texts {
        let name =
            text.strip_prefix("The pool of ").and_then(|rest| rest.split(' ').next()).unwrap();
        assert!(name.ends_with("-db") && !EVIDENCE.contains(name), "{text}");
        assert!(text.contains(" was full at 14:0"), "{text}");
    }
}

#[test]
fn a_claim_without_a_name_gets_one() {
    let with_figure = question("", &["The pool size is 20."], EVIDENCE);
    let question = question("", &["The pool size was 20 all day."], EVIDENCE);
    assert!(!is_suitable("The pool size was 20 all day."), "`all` may include an unknown name");
    let texts: HashSet<String> = (0..100)
        .map(|seed| canary_for(&question, &mut Rng::from_seed(seed)).unwrap().text)
        .collect();
    assert!(texts.len() > 50);
    let text = canary_for(&with_figure, &mut Rng::from_seed(1)).unwrap().text;
    assert!(
        text.starts_with("In ") && text.contains("-") && text.contains(", the pool size is 2"),
        "{text}"
    );
}

#[test]
fn rejects_claims_that_another_name_may_satisfy() {
    for text in [
        "The pool of payments-db was not full.",
        "No pod of payments-db restarted.",
        "All pods of payments-db restarted twice.",
        "The payments-db pool may have been full.",
        "The payments-db pool should be raised to 40.",
        "Restart the payments-db pod that failed.",
        "Was the payments-db pool full at 14:05?",
        "The pods other than payments-db kept running.",
        "The payments-db pods were healthy at 14:05.",
        "because the pool of payments-db was full",
        "The pool grew.",
    ] {
        assert!(!is_suitable(text), "{text}");
    }
    for text in [
        "The pool of payments-db was full at 14:05.",
        "payments-db refused 40 connections.",
        "At 14:05 payments-db restarted because its node failed.",
    ] {
        assert!(is_suitable(text), "{text}");
    }
}

#[test]
fn recognizes_names() {
    for name in
        ["payments-db", "checkout-7f9c4d-x2x1z", "app.log", "mem_limit", "Orders-API", "node-3"]
    {
        assert!(is_name(name), "{name}");
        let new_name = other_name(name, &mut Rng::from_seed(7)).unwrap();
        let separators = |name: &str| {
            name.chars().filter(|character| "-_.".contains(*character)).collect::<String>()
        };
        assert_ne!(new_name, name);
        assert_eq!(separators(&new_name), separators(name), "{new_name}");
    }
    for word in [
        "long-running", "out-of-memory", "OOMKilled", "e.g", "p99", "14:05", "10.0.3.4", "20",
        "two-hour",
    ] {
        assert!(!is_name(word), "{word}");
    }
}

#[test]
fn the_id_resembles_the_other_claim_ids() {
    for (ids, expected) in [
        (vec!["c1"], "c2"),
        (vec!["c1", "c2", "c3"], "c4"),
        (vec!["claim-07"], "claim-08"),
        (vec!["cause"], "cause1"),
    ] {
        let claim = |id: &&str| Claim::new(ClaimId::new(*id).unwrap(), "");
        let claims: Vec<Claim> = ids.iter().map(claim).collect();
        assert_eq!(free_id(&claims, &mut Rng::from_seed(1)).unwrap().as_str(), expected);
    }
}

/// Only names and figures distinguish the canary from a claim.
#[test]
fn canaries_of_incidents_resemble_their_claims() {
    let mut copy_count = 0;
    let incidents = gsar_datasets::incidents().unwrap();
    for incident in &incidents {
        let labels = incident.labels(ReportKind::Contradicted).unwrap();
        let claims: Vec<&str> = labels.iter().map(|label| label.text.as_str()).collect();
        let files = std::fs::read_dir(incident.evidence()).unwrap();
        let texts = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        let evidence: String =
            texts.map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
        let question = question("", &claims, &evidence);
        for seed in 0..20 {
            let text = canary_for(&question, &mut Rng::from_seed(seed)).unwrap().text;
            let new_names: Vec<&str> = names(&text)
                .into_iter()
                .filter(|name| {
                    !evidence.contains(name) && claims.iter().all(|claim| !claim.contains(name))
                })
                .collect();
            assert!(!new_names.is_empty(), "{text}");
            let plain_words_of = |text: &str| -> Vec<String> {
                let plain_words =
                    words(text).filter(|word| !is_name(word.text) && word.shape() != Shape::Number);
                plain_words.map(|word| word.text.to_lowercase()).collect()
            };
            let plain_words = plain_words_of(&text);
            let is_copy = claims.iter().any(|claim| {
                let claim_words = plain_words_of(claim);
                plain_words == claim_words
                    || plain_words.strip_prefix(&["in".to_owned()]) == Some(&claim_words)
            });
            copy_count += usize::from(is_copy);
        }
    }
    println!("{copy_count} of {} canaries are altered claims", incidents.len() * 20);
    assert!(copy_count * 20 >= incidents.len() * 20 * 19);
}
