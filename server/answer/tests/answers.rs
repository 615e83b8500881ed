//! Checks answers with mistakes against expected results.
//!
//! Each case in `tests/answers/*.json` has a name, the answer, the parse mode or error name (`rung`), and
//! the states of the claims c1, c2 and c3. `fixes` and `score` (millionths) are compared if present;
//! `invented` and `abstained` are always compared.

use std::collections::BTreeMap;

use gsar_answer::{Bounds, Form, ParseMode, ParsedAnswer, parse, repair_prompt};
use gsar_core::{Claim, ClaimId};
use serde_json::Value;

const TABLES: [(&str, &str); 5] = [
    ("structured", include_str!("answers/structured.json")),
    ("around", include_str!("answers/around.json")),
    ("shape", include_str!("answers/shape.json")),
    ("syntax", include_str!("answers/syntax.json")),
    ("truncated", include_str!("answers/truncated.json")),
];

fn claims() -> Vec<Claim> {
    let ids = ["c1", "c2", "c3"].into_iter().filter_map(|id| ClaimId::new(id).ok());
    ids.map(|id| Claim::new(id.clone(), format!("claim {id}"))).collect()
}

fn partition(answer: &ParsedAnswer) -> BTreeMap<String, String> {
    let judged = answer.judged.iter().map(|judged| {
        (
            judged.claim.id.to_string(),
            format!("{} {}", judged.class.name(), judged.evidence_type.name()),
        )
    });
    let lost = answer.lost.iter().filter_map(|lost| {
        lost.claim.as_ref().map(|claim| (claim.to_string(), format!("lost {}", lost.reason.name())))
    });
    let missing = answer.missing.iter().map(|claim| (claim.to_string(), "missing".to_owned()));
    judged.chain(lost).chain(missing).collect()
}

fn check(case: &Value) -> Result<(), String> {
    let answer = case["answer"].as_str().ok_or("no answer")?;
    let expected_mode = case["rung"].as_str().ok_or("no rung")?;
    let outcome = parse(answer, Form::Judgement, &claims(), &Bounds::default());
    let mode = match &outcome {
        Ok(answer) => answer.mode.name(),
        Err(error) => error.name(),
    };
    let compare = |what: &str, actual: String, expected: String| {
        if actual == expected {
            Ok(())
        } else {
            Err(format!("{what}: {actual} instead of {expected}"))
        }
    };
    compare("mode", mode.to_owned(), expected_mode.to_owned())?;
    let Ok(answer) = &outcome else { return Ok(()) };
    let expected: BTreeMap<String, String> = case["claims"]
        .as_object()
        .ok_or("no claims")?
        .iter()
        .map(|(id, state)| (id.clone(), state.as_str().unwrap_or_default().to_owned()))
        .collect();
    compare("partition", format!("{:?}", partition(answer)), format!("{expected:?}"))?;
    if let (ParseMode::Salvaged(fixes), Some(expected)) = (&answer.mode, case["fixes"].as_array()) {
        let actual: Vec<&str> = fixes.iter().map(|fix| fix.name()).collect();
        let expected: Vec<&str> = expected.iter().filter_map(Value::as_str).collect();
        compare("fixes", format!("{actual:?}"), format!("{expected:?}"))?;
    }
    let invented = case["invented"].as_array().map_or_else(Vec::new, Clone::clone);
    compare(
        "invented",
        Value::from(answer.invented.clone()).to_string(),
        Value::from(invented).to_string(),
    )?;
    if let Some(score) = case["score"].as_u64() {
        compare(
            "score",
            format!("{:?}", answer.score.map(|score| u64::from(score.get()))),
            format!("{:?}", Some(score)),
        )?;
    }
    let abstained = case["abstained"].as_str().map(str::to_owned);
    compare("abstained", format!("{:?}", answer.abstained), format!("{abstained:?}"))?;
    let is_settled = answer.unjudged().next().is_none() || answer.abstained.is_some();
    compare("asks again", repair_prompt(&outcome).is_some().to_string(), (!is_settled).to_string())
}

#[test]
fn answers_match_the_expected_results() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for (table, text) in TABLES {
        for case in serde_json::from_str::<Vec<Value>>(text).unwrap() {
            checked += 1;
            if let Err(reason) = check(&case) {
                failures
                    .push(format!("{table}: {}: {reason}\n    {}", case["name"], case["answer"]));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {checked} cases failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(checked >= 120, "{checked}");
}
