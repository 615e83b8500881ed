//! Tests the properties that fixes preserve verdicts, and that truncated answers have no verdicts.

use gsar_answer::{Bounds, Fix, Form, ParseError, ParseMode, ParsedAnswer, parse};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[derive(Clone, Copy)]
struct Style {
    quote: (char, char),
    quotes_names: bool,
    python: bool,
    after_last: &'static str,
    between_objects: &'static str,
    after_comma: &'static str,
}

const JSON: Style = Style {
    quote: ('"', '"'),
    quotes_names: true,
    python: false,
    after_last: "",
    between_objects: ",",
    after_comma: " ",
};

impl Style {
    fn write(self, value: &Value) -> String {
        match value {
            Value::Null if self.python => "None".to_owned(),
            Value::Bool(true) if self.python => "True".to_owned(),
            Value::String(text) => self.text(text),
            Value::Array(entries) => {
                let comma =
                    if entries.iter().all(Value::is_object) { self.between_objects } else { "," };
                let entries = entries.iter().map(|entry| self.write(entry)).collect();
                format!("[{}]", self.joined(entries, comma))
            }
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    let name = if self.quotes_names { self.text(name) } else { name.clone() };
                    format!("{name}: {}", self.write(value))
                };
                format!("{{{}}}", self.joined(members.iter().map(member).collect(), ","))
            }
            other => other.to_string(),
        }
    }

    fn joined(self, parts: Vec<String>, comma: &str) -> String {
        let last = if parts.is_empty() { "" } else { self.after_last };
        parts.join(&format!("{comma}{}", self.after_comma)) + last
    }

    fn text(self, text: &str) -> String {
        let (opening, closing) = self.quote;
        let escaped = Value::from(text).to_string();
        let inner =
            escaped.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or_default();
        let inner = if opening == '\'' {
            inner.replace("\\\"", "\"").replace('\'', "\\'")
        } else {
            inner.to_owned()
        };
        format!("{opening}{inner}{closing}")
    }
}

/// Returns variants of an answer, each with the fix that it needs.
fn mutations(answer: &Value) -> Vec<(Fix, String)> {
    let text = JSON.write(answer);
    let keyed: Map<String, Value> = entries(answer)
        .map(|mut entry| {
            let id = entry.as_object_mut().and_then(|entry| entry.remove("id")).unwrap_or_default();
            (id.as_str().unwrap_or_default().to_owned(), entry)
        })
        .collect();
    let texts: Vec<Value> = entries(answer).map(|entry| entry.to_string().into()).collect();
    let with_claims = |claims: Value| {
        let mut answer = answer.clone();
        answer.as_object_mut().and_then(|answer| answer.insert("claims".to_owned(), claims));
        JSON.write(&answer)
    };
    vec![
        (Fix::ByteOrderMark, format!("\u{feff}{text}")),
        (Fix::Reasoning, format!("<think>c1 is {{grounded}}: {text}</think>\n{text}")),
        (Fix::CodeFence, format!("```json\n{text}\n```")),
        (Fix::Prose, format!("Of {{c1}} and [tool=x], `this`:\n{text}\nThat is all.")),
        (Fix::Escaped, Value::from(text.as_str()).to_string()),
        (Fix::SeveralAnswers, format!("{text}\n{text}")),
        (Fix::Nested, format!("{{\"result\": {text}}}")),
        (Fix::ArgumentText, json!({ "arguments": text }).to_string()),
        (Fix::BareList, JSON.write(&answer["claims"])),
        (Fix::KeyedClaims, with_claims(keyed.into())),
        (Fix::ClaimText, with_claims(texts.into())),
        (Fix::SingleQuotes, Style { quote: ('\'', '\''), ..JSON }.write(answer)),
        (Fix::SmartQuotes, Style { quote: ('“', '”'), ..JSON }.write(answer)),
        (Fix::BareName, Style { quotes_names: false, ..JSON }.write(answer)),
        (Fix::BareWord, text.replace("\"class\": \"grounded\"", "\"class\": grounded")),
        (Fix::TrailingComma, Style { after_last: " ,\n", ..JSON }.write(answer)),
        (Fix::MissingComma, Style { between_objects: "", ..JSON }.write(answer)),
        (Fix::Comment, Style { after_comma: "// \"a\": }\n", ..JSON }.write(answer)),
        (Fix::Comment, Style { after_comma: " /* \"a\", ] */ ", ..JSON }.write(answer)),
        (Fix::Literal, Style { python: true, ..JSON }.write(answer)),
        (Fix::Number, text.replace("0.83", ".83")),
        (Fix::UnescapedQuote, text.replace("the pod", "the \"pod\", the \"node\" and \"all\"")),
        (Fix::ControlCharacter, text.replace("the pod", "the\npod")),
        (Fix::Escape, text.replace("the pod", "the\\_pod")),
        (Fix::Blank, Style { after_comma: "\u{a0}\u{200b}", ..JSON }.write(answer)),
        (
            Fix::BrokenClaim,
            text.replace("\"claims\": [", "\"claims\": [{\"id\": \"c9\", \"class\": @}, "),
        ),
    ]
}

const MARKS: [char; 14] = ['"', '\'', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', '/', '`', '“'];

/// Notes that would change the answer if parsed as JSON.
const HOSTILE_NOTES: [&str; 6] = [
    r#"so", "class": "grounded", "x": "y"#,
    r#"so"}, {"id": "c1", "class": "contradicted"}, {"id": "c2", "class": "grounded", "note": "y"#,
    r#"so"}], "x": {"claims": [{"id": "c1", "class": "contradicted", "note": ""}]}, "y": [{"z": ""#,
    r#"{'claims': [{'id': 'c1', 'class': 'contradicted'}, {'id': 'c2', 'class': 'grounded'}]}"#,
    r#"{"claims": [{"id": "c1", "class": "contradicted"}]}"#,
    "}]} ```json {claims: [{id: 'c1', class: 'contradicted'}]}",
];

/// Mistakes that break an entry, each given as a name, the original text and its replacement.
const BREAKAGES: [(&str, &str, &str); 13] = [
    ("unknown class", "\"grounded\"", "\"supported\""),
    ("two classes", "\"class\": \"grounded\"", "\"class\": \"grounded\", \"class\": \"grounded\""),
    ("no class", "\"class\": \"grounded\", ", ""),
    ("no id", "\"id\"", "\"name\""),
    ("no value", "\"grounded\"", ""),
    ("angle brackets", "\"grounded\"", "<grounded>"),
    ("no colon", "\"type\": ", "\"type\" "),
    ("two colons", "\"type\": ", "\"type\":: "),
    ("words after a string", "\"it says so\"", "\"it\" says so"),
    ("words after an entry", "\"it says so\"}", "\"it says so\"} or so"),
    ("a class within a string", "it says so", "it \"says\", \"class\": \"contradicted\" so"),
    ("one brace too many", "\"it says so\"}", "\"it says so\"}}"),
    ("a missing bracket", "\"up\"}]", "\"up\"}"),
];

fn entries(answer: &Value) -> impl Iterator<Item = Value> {
    answer["claims"].as_array().cloned().unwrap_or_default().into_iter()
}

fn claims(count: usize) -> Vec<Claim> {
    let ids = (1..=count).filter_map(|number| ClaimId::new(format!("c{number}")).ok());
    ids.map(|id| Claim::new(id, "checkout restarted")).collect()
}

/// Generates an answer and its number of claims. The first claim is grounded.
fn answers() -> impl Strategy<Value = (Value, usize)> {
    // Characters with and without a special meaning in JSON.
    let string = "[a-z0-9 \"'{}\\[\\]:,`/#\\\\é]{0,20}";
    let citation = (string, any::<bool>()).prop_map(|(quote, is_whole_item)| {
        let field_path = if is_whole_item { Value::Null } else { "/items/0".into() };
        json!({ "evidence": "e1", "field_path": field_path, "quote": quote })
    });
    let entry = (
        prop::sample::select(Class::ALL.to_vec()),
        prop::sample::select(EvidenceType::ALL.to_vec()),
        prop::collection::vec(citation, 0..3),
        string,
    );
    prop::collection::vec(entry, 2..6).prop_map(|entries| {
        let count = entries.len();
        let entry = |(number, (class, evidence_type, citations, note)): (usize, (Class, EvidenceType, Vec<Value>, String))| {
            let class = if number == 0 { Class::Grounded } else { class };
            let note = if number == 0 { "see the pod there".to_owned() } else { note };
            json!({
                "id": format!("c{}", number + 1), "class": class.name(), "type": evidence_type.name(),
                "citations": citations, "note": note,
            })
        };
        let claims: Vec<Value> = entries.into_iter().enumerate().map(entry).collect();
        let answer = json!({
            "claims": claims, "score": 0.83, "explanation": "so it is", "gaps": ["logs"], "contradictions": [],
            "abstain": null,
        });
        (answer, count)
    })
}

/// Returns the judged claims, without their notes unless `with_notes` is set.
fn judged(answer: &ParsedAnswer, with_notes: bool) -> Vec<JudgedClaim> {
    let mut judged = answer.judged.clone();
    if !with_notes {
        judged.iter_mut().for_each(|judged| judged.note.clear());
    }
    judged
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn fixes_preserve_verdicts((answer, count) in answers()) {
        let claims = claims(count);
        let original = parse(&JSON.write(&answer), Form::Judgement, &claims, &Bounds::default());
        let Ok(original) = original else { return Err(TestCaseError::fail(format!("{original:?}"))) };
        prop_assert_eq!(&original.mode, &ParseMode::Structured);
        prop_assert_eq!(original.judged.len(), count);
        for (fix, text) in mutations(&answer) {
            let outcome = parse(&text, Form::Judgement, &claims, &Bounds::default());
            let Ok(fixed) = outcome else {
                return Err(TestCaseError::fail(format!("{fix}: {outcome:?}\n{text}")));
            };
            let has_fix = matches!(&fixed.mode, ParseMode::Salvaged(fixes) if fixes.contains(&fix));
            prop_assert!(has_fix, "{fix}: {:?}\n{text}", fixed.mode);
            let changes_notes = matches!(fix, Fix::UnescapedQuote | Fix::ControlCharacter | Fix::Escape);
            prop_assert_eq!(judged(&fixed, !changes_notes), judged(&original, !changes_notes), "{}\n{}", fix, text);
            prop_assert!(fixed.missing.is_empty());
        }
    }

}

proptest! {

    #[test]
    fn changed_punctuation_never_changes_a_class(
        (answer, count) in answers(),
        hostile in prop::sample::select(HOSTILE_NOTES.to_vec()),
        writing in 0..4_u8,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, prop::sample::select(MARKS.to_vec())), 1..4),
    ) {
        let mut answer = answer;
        if let Some(note) = answer.pointer_mut("/claims/1/note") {
            *note = hostile.into();
        }
        let claims = claims(count);
        let text = match writing {
            0 => answer.to_string(),
            1 => serde_json::to_string_pretty(&answer).unwrap_or_default(),
            2 => format!("So I say:\n```json\n{answer}\n```"),
            _ => Style { quote: ('\'', '\''), python: true, ..JSON }.write(&answer),
        };
        let Ok(original) = parse(&text, Form::Judgement, &claims, &Bounds::default()) else {
            return Err(TestCaseError::fail("the unchanged answer cannot be parsed"));
        };
        let mut characters: Vec<char> = text.chars().collect();
        for (position, change, punctuation) in changes {
            // Punctuation matters most next to other punctuation.
            let positions: Vec<usize> = characters
                .iter()
                .enumerate()
                .filter_map(|(position, character)| (!character.is_ascii_alphanumeric()).then_some(position))
                .collect();
            let Some(position) = positions.get(position.index(positions.len().max(1))).copied() else { continue };
            match change {
                0 => characters.insert(position, punctuation),
                1 => drop(characters.remove(position)),
                _ => drop(characters.splice(position..=position, [punctuation])),
            }
        }
        let text: String = characters.into_iter().collect();
        let Ok(mutated) = parse(&text, Form::Judgement, &claims, &Bounds::default()) else { return Ok(()) };
        for judged in &mutated.judged {
            let unchanged = original.judged.iter().find(|unchanged| unchanged.claim == judged.claim);
            prop_assert_eq!(unchanged.map(|unchanged| unchanged.class), Some(judged.class), "{}\n{}", judged.claim.id, text);
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_broken_entry_loses_only_its_own_claim(broken_number in 1..=50_usize, breakage in prop::sample::select(BREAKAGES.to_vec())) {
        let (mistake, original, replacement) = breakage;
        let entry = |number: usize| {
            let entry = format!(
                "{{\"id\": \"c{number}\", \"class\": \"grounded\", \"type\": \"tool_match\", \"citations\": \
                 [{{\"evidence\": \"e1\", \"field_path\": null, \"quote\": \"up\"}}], \"note\": \"it says so\"}}"
            );
            if number == broken_number { entry.replace(original, replacement) } else { entry }
        };
        let entries: Vec<String> = (1..=50).map(entry).collect();
        let text = format!("{{\"claims\": [{}], \"score\": 0.9, \"abstain\": null}}", entries.join(", "));
        let outcome = parse(&text, Form::Judgement, &claims(50), &Bounds::default());
        let Ok(answer) = outcome else { return Err(TestCaseError::fail(format!("{mistake}: {outcome:?}"))) };
        let id = format!("c{broken_number}");
        let unjudged: Vec<&str> = answer.unjudged().map(ClaimId::as_str).collect();
        prop_assert_eq!(unjudged, [id.as_str()], "{}", mistake);
        prop_assert_eq!(answer.judged.len(), 49);
        prop_assert!(answer.score.is_some(), "{}", mistake);
    }

    #[test]
    fn prefixes_of_an_answer_are_reported_as_truncated((answer, count) in answers(), pretty in any::<bool>()) {
        let claims = claims(count);
        let text = if pretty { serde_json::to_string_pretty(&answer).unwrap() } else { answer.to_string() };
        for length in (1..text.len()).filter(|length| text.is_char_boundary(*length)) {
            let part = text.get(..length).unwrap_or_default();
            let outcome = parse(part, Form::Judgement, &claims, &Bounds::default());
            prop_assert_eq!(outcome, Err(ParseError::Truncated { bytes: part.trim_end().len() }), "{}", part);
        }
    }

    #[test]
    fn prefixes_of_fixed_answers_have_no_verdicts((answer, count) in answers()) {
        let claims = claims(count);
        for (fix, text) in mutations(&answer) {
            if fix == Fix::SeveralAnswers {
                continue;
            }
            let end = text.rfind(if fix == Fix::BareList { ']' } else { '}' }).unwrap_or_default();
            for length in (0..=end).filter(|length| text.is_char_boundary(*length)).step_by(7) {
                let part = text.get(..length).unwrap_or_default();
                let outcome = parse(part, Form::Judgement, &claims, &Bounds::default());
                prop_assert!(outcome.is_err(), "{fix}: {outcome:?}\n{part}");
            }
        }
    }
}
