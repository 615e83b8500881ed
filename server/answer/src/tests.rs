//! Tests that the work is linear in the text length, and that both parsers agree on well-formed JSON.

use gsar_core::ClaimId;
use proptest::prelude::*;

use super::*;
use crate::documents::Documents;

/// Adversarial texts, each given as a prefix and a part to repeat.
const HOSTILE: [(&str, &str); 24] = [
    ("", "{"),
    ("", "["),
    ("", "\""),
    ("", "'"),
    ("", "}"),
    ("", "`"),
    ("", "<think>"),
    ("", "[{"),
    ("", "{\"a\":"),
    ("", "{\"a\":1}"),
    ("", "{\"a\":1 b} "),
    ("", "{a"),
    ("", "{\"a"),
    ("{\"a\":", "\""),
    ("{\"a\":\"", "\","),
    ("{\"a\":\"", "\" , \"b\" "),
    ("{\"claims\":[", "{\"id\":\"c1\","),
    ("{\"claims\":[", "{\"id\":\"c1\" \"class\"}},"),
    ("{\"claims\":[", "{\"id\":\"c1\",\"note\":\"x\" y},"),
    ("{\"claims\":[", "@"),
    ("{\"claims\":[{\"id\":\"", "\"}\n"),
    ("{\"claims\":[{\"id\":\"c1\",\"note\":\"", "\" }] , "),
    ("{\\\"", "\\"),
    ("{", "/*#//"),
];

fn claims(count: usize) -> Vec<Claim> {
    let ids = (1..=count).filter_map(|number| ClaimId::new(format!("c{number}")).ok());
    ids.map(|id| Claim::new(id, "")).collect()
}

fn steps(text: &str) -> u64 {
    let bounds = Bounds { values: usize::MAX, ..Bounds::default() };
    let meter = Meter::new(text, &bounds);
    let _ = parse_metered(text, Form::Judgement, &claims(3), &bounds, &meter);
    meter.steps.get()
}

#[test]
fn work_is_linear_in_the_text_length() {
    for (prefix, part) in HOSTILE {
        let steps_for_size =
            |size: usize| steps(&format!("{prefix}{}", part.repeat(size / part.len())));
        let [once, twice, four_times] = [40_000, 80_000, 160_000].map(steps_for_size);
        assert!(twice <= 2 * once + 200, "{prefix:?} {part:?}: {once} {twice}");
        assert!(four_times <= 2 * twice + 200, "{prefix:?} {part:?}: {twice} {four_times}");
        assert!(once <= 13 * 40_000, "{prefix:?} {part:?}: {once}");
    }
}

#[test]
fn ordinary_answers_need_few_steps() {
    let entry = r#"{"id": "c1", "class": "grounded", "type": "tool_match", "note": "says \"up\"",
        "citations": [{"evidence": "e1", "field_path": null, "quote": "a "b" {c}"}]},"#;
    let text = format!("Here:\n{{\"claims\": [{}], }}", entry.repeat(200));
    let steps = steps(&text);
    assert!(steps <= 4 * text.len() as u64, "{steps} for {} bytes", text.len());
}

#[test]
fn rejects_answers_that_exceed_a_limit() {
    let bounds = Bounds { bytes: 200, depth: 4, values: 40, claims: 3, citations: 1 };
    let parse = |text: &str| parse(text, Form::Judgement, &claims(2), &bounds);
    assert_eq!(parse(&" ".repeat(201)), Err(ParseError::TooLong { bytes: 201, allowed: 200 }));
    assert_eq!(
        parse(r#"{"claims": [], "gaps": [[[["x"]]]]}"#),
        Err(ParseError::TooDeep { allowed: 4 })
    );
    let text = format!(r#"{{"claims": [], "gaps": [{}"x"]}}"#, "1,".repeat(50));
    assert_eq!(parse(&text), Err(ParseError::TooManyValues { allowed: 40 }));
    assert_eq!(
        parse(r#"{"claims": [1, 2, 3, 4]}"#),
        Err(ParseError::TooManyClaims { given: 4, allowed: 3 })
    );
    let two_citations = r#"{"claims": [{"id": "c1", "class": "grounded", "type": "domain", "citations": ["e1", "e2"]}]}"#;
    let answer = parse(two_citations).unwrap();
    assert_eq!(answer.judged[0].citations.len(), 1);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let bounds = Bounds { bytes: usize::MAX, depth: usize::MAX, ..Bounds::default() };
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!(
            "{{\"claims\":[],\"gaps\":{}1{}}}",
            open.repeat(1_000_000),
            close.repeat(1_000_000)
        );
        assert_eq!(
            parse(&text, Form::Judgement, &[], &bounds),
            Err(ParseError::TooDeep { allowed: Bounds::MAX_DEPTH })
        );
    }
}

#[test]
fn schemas_are_strict() {
    fn check(schema: &serde_json::Value) {
        if let Some(properties) = schema["properties"].as_object() {
            let required: HashSet<&str> = schema["required"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|name| name.as_str())
                .collect();
            assert_eq!(required, properties.keys().map(String::as_str).collect());
            assert_eq!(schema["additionalProperties"], false);
        }
        if let Some(object) = schema.as_object() {
            object.values().for_each(check);
        }
        if let Some(list) = schema.as_array() {
            list.iter().for_each(check);
        }
    }
    let parsed = |form: Form| -> serde_json::Value {
        serde_json::from_str(&form.schema_for_prompt()).unwrap()
    };
    check(&parsed(Form::SecondLook));
    let schema = parsed(Form::Judgement);
    check(&schema);
    let entry = &schema["properties"]["claims"]["items"]["properties"];
    let classes: HashSet<&str> = entry["class"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    let types: HashSet<&str> =
        entry["type"]["enum"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(classes, gsar_core::Class::ALL.map(gsar_core::Class::name).into());
    assert_eq!(types, gsar_core::EvidenceType::ALL.map(gsar_core::EvidenceType::name).into());
    let roles: HashSet<&str> =
        entry["role"]["enum"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(roles, gsar_core::Role::ALL.map(gsar_core::Role::name).into());
}

#[test]
fn parses_a_second_look() {
    let parse_second_look =
        |text: &str| parse(text, Form::SecondLook, &claims(3), &Bounds::default());
    let answer = parse_second_look(
        "```json\n{\"statements\": [{\"id\": \"c1\", \"verdict\": \"shown\", \"words\": \"E1: ready\"},
        {\"id\": \"c2\", \"verdict\": \"Not Shown\", \"words\": \"for two hours\"}, {\"id\": \"c3\", \"class\": \"grounded\"}]}\n```",
    )
    .unwrap();
    let verdicts: Vec<_> =
        answer.judged.iter().map(|judged| (judged.class, judged.note.as_str())).collect();
    assert_eq!(
        verdicts,
        [
            (gsar_core::Class::Grounded, "E1: ready"),
            (gsar_core::Class::Ungrounded, "for two hours")
        ]
    );
    let repair = repair_prompt(&Ok(answer)).unwrap();
    assert!(
        repair.contains("it has no \"verdict\"; it must be shown, not_shown or refuted"),
        "{repair}"
    );
    let bare =
        parse_second_look(r#"[{"id": "c1", "verdict": "refuted", "words": "E2: 512Mi"}]"#).unwrap();
    assert_eq!(bare.judged[0].class, gsar_core::Class::Contradicted);
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let string = "[a-c \"'\\\\{}\\[\\]:,/#`.\n\u{201c}\u{201d}é🚨-]{0,12}";
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-1e6..1e6_f64).prop_map(Into::into),
        string.prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::vec((string, inner), 0..5).prop_map(|members| {
                members.into_iter().collect::<serde_json::Map<_, _>>().into()
            }),
        ]
    })
}

proptest! {

    #[test]
    fn both_parsers_agree_on_well_formed_json(json in json(), pretty in any::<bool>()) {
        let json = serde_json::json!({ "a": json });
        let text = if pretty { serde_json::to_string_pretty(&json).unwrap() } else { json.to_string() };
        let meter = Meter::new(&text, &Bounds::default());
        let documents = Documents::parse(&text, &meter).unwrap();
        prop_assert_eq!(documents.found.len(), 1);
        prop_assert!(documents.found[0].fixes.0.is_empty(), "{:?}", documents.found[0].fixes);
        let structured = Node::parse_strict(&text, &meter);
        prop_assert_eq!(Some(&documents.found[0].node), structured.as_ref());
    }

    #[test]
    fn reports_each_claim_once_for_any_text(text in "([ -~\n]|claims|\"id\":\"c1\"|\"class\":\"grounded\"|[{}\\[\\]\":,'])*") {
        let expected = claims(3);
        if let Ok(answer) = parse(&text, Form::Judgement, &expected, &Bounds::default()) {
            let judged = answer.judged.iter().map(|judged| judged.claim.id.clone());
            let mut reported: Vec<ClaimId> = judged.chain(answer.unjudged().cloned()).collect();
            reported.sort();
            prop_assert_eq!(reported, expected.iter().map(|claim| claim.id.clone()).collect::<Vec<_>>());
        }
    }
}
