//! Property tests over arbitrary texts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gsar_redaction::{Kind, Pattern, Redaction, Redactor};
use proptest::prelude::*;
use std::sync::LazyLock;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| {
    let pattern = Pattern { name: "CUSTOMER".to_owned(), expression: r"C-(\d{4})".to_owned() };
    Redactor::new(&[pattern]).unwrap()
});

fn begin(texts: &[String]) -> Redaction {
    REDACTOR.begin(42, texts.iter().map(String::as_str))
}

/// Generates values to hide, text around them, and arbitrary text.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~]{0,12}",
        1 => any::<String>(),
        2 => prop_oneof![
            Just(" "), Just("\n"), Just("\\n"), Just("\""), Just(","), Just(":"), Just("="), Just("-"),
            Just("."), Just("@"), Just("["), Just("]"), Just("password="), Just("token: "), Just("://"), Just("Bearer "),
            Just("\"api_key\": \""), Just("-----BEGIN PRIVATE KEY-----"), Just("-----END PRIVATE KEY-----"),
            Just("version "), Just("%40"), Just("Cookie: "),
        ].prop_map(str::to_owned),
        3 => prop_oneof![
            "[0-9]{1,3}(\\.[0-9]{1,3}){3}", "[a-z]{1,6}@[a-z]{1,6}\\.[a-z]{2,3}", "AKIA[A-Z2-7]{16}", "C-[0-9]{4}",
            "[a-z]{3,8}://[a-z]{1,4}:[a-z0-9@/]{1,6}@[a-z]{1,4}", "\\+49[0-9]{9,11}", "fe80::[0-9a-f]{1,4}",
            "password=[a-zA-Z0-9&,;!]{1,14}", Just("4111 1111 1111 1111".to_owned()),
            "\\[[a-z]{4}-(IP|SECRET)-[0-9]\\]",
        ],
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hidden_texts_are_restored(texts in prop::collection::vec(text(), 1..4)) {
        let mut redaction = begin(&texts);
        let hidden: Vec<String> = texts.iter().map(|text| redaction.hide(text).into_owned()).collect();
        for (text, hidden) in texts.iter().zip(&hidden) {
            prop_assert_eq!(&redaction.restore(hidden), text);
            prop_assert_eq!(&redaction.hide(hidden), hidden, "hiding a hidden text changes nothing");
        }
    }

    #[test]
    fn later_texts_are_restored_too(first in text(), second in text()) {
        let mut redaction = begin(std::slice::from_ref(&first));
        redaction.hide(&first);
        let second = format!("{second}{}IP-77]{}", redaction.prefix(), redaction.prefix());
        let hidden = redaction.hide(&second).into_owned();
        prop_assert_eq!(redaction.restore(&hidden), second);
    }

    #[test]
    fn detected_secrets_are_hidden(texts in prop::collection::vec(text(), 1..4)) {
        let mut redaction = begin(&texts);
        let secrets: Vec<&str> = texts
            .iter()
            .flat_map(|text| REDACTOR.find(text).into_iter().map(move |span| (text, span)))
            .filter(|(_, span)| matches!(span.kind, Kind::Secret | Kind::PrivateKey) && span.range.len() >= 8)
            .map(|(text, span)| span.value(text))
            .collect();
        for text in &texts {
            let hidden = redaction.hide(text).into_owned();
            let prefix = redaction.prefix().to_owned();
            let unredacted: String = hidden
                .split(&prefix)
                .enumerate()
                .map(|(index, part)| if index == 0 { part } else { part.split_once(']').map_or("", |(_, rest)| rest) })
                .collect::<Vec<_>>()
                .join("\u{0}");
            for secret in &secrets {
                prop_assert!(!unredacted.contains(secret), "{} in {}", secret, unredacted);
            }
        }
    }

    #[test]
    fn spans_are_in_order_and_on_character_boundaries(text in text()) {
        let mut end = 0;
        for span in REDACTOR.find(&text) {
            prop_assert!(span.range.start >= end && span.range.end > span.range.start);
            prop_assert!(text.get(span.range.clone()).is_some());
            end = span.range.end;
        }
    }
}
