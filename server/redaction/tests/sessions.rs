//! Tests for redacting the texts of one request.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gsar_redaction::{Kind, Pattern, Redactor};

fn redactor() -> Redactor {
    Redactor::new(&[]).unwrap()
}

#[test]
fn equal_values_share_a_placeholder() {
    let texts = [
        "10.0.0.7 asks 10.0.0.8",
        "10.0.0.8 refused",
        "claim: 10.0.0.8 failed, jane@example.com saw it",
    ];
    let mut redaction = redactor().begin(1, texts);
    let prefix = redaction.prefix().to_owned();
    let hidden: Vec<String> = texts.iter().map(|text| redaction.hide(text).into_owned()).collect();
    assert_eq!(hidden[0], format!("{prefix}IP-1] asks {prefix}IP-2]"));
    assert_eq!(hidden[1], format!("{prefix}IP-2] refused"));
    assert_eq!(hidden[2], format!("claim: {prefix}IP-2] failed, {prefix}EMAIL-1] saw it"));
    assert_eq!(redaction.counts(), &[(Kind::Email, 1), (Kind::Ip, 2)].into());
    assert_eq!(redaction.restore(&format!("a quote: {}", hidden[1])), "a quote: 10.0.0.8 refused");
}

#[test]
fn a_secret_found_in_one_text_is_hidden_in_all() {
    let texts = ["tried s3cr3t-and-long at the door", "password=s3cr3t-and-long"];
    let mut redaction = redactor().begin(1, texts);
    let prefix = redaction.prefix().to_owned();
    assert_eq!(redaction.hide(texts[0]), format!("tried {prefix}SECRET-1] at the door"));
    assert_eq!(redaction.hide(texts[1]), format!("password={prefix}SECRET-1]"));
}

#[test]
fn url_passwords_are_hidden_in_all_texts() {
    let texts = ["postgres://shop:hunter2Trout@db/orders", "The password of shop is hunter2Trout."];
    let mut redaction = redactor().begin(1, texts);
    let hidden = texts.map(|text| redaction.hide(text).into_owned());
    assert!(hidden.iter().all(|text| !text.contains("hunter2Trout")), "{hidden:?}");
    assert!(
        hidden[0].ends_with("@db/orders") && hidden[1].starts_with("The password of shop is [")
    );
    assert_eq!(redaction.restore(&hidden[0]), texts[0]);
    assert_eq!(redaction.restore(&hidden[1]), texts[1]);
}

#[test]
fn cookie_expiry_times_are_not_secrets() {
    let texts = [
        "Set-Cookie: sid=ab12cd34ef56; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
        "down since 09:28:00 GMT",
    ];
    let mut redaction = redactor().begin(1, texts);
    assert_eq!(redaction.hide(texts[1]), texts[1]);
}

#[test]
fn placeholders_depend_on_the_salt() {
    let prefix = |salt| redactor().begin(salt, [""]).prefix().to_owned();
    assert_eq!(prefix(1), prefix(1));
    assert_ne!(prefix(1), prefix(2));
}

#[test]
fn skips_a_prefix_that_occurs_in_a_text() {
    let taken_prefix = redactor().begin(1, [""]).prefix().to_owned();
    let text = format!("{taken_prefix}IP-1] and 10.0.0.1");
    let mut redaction = redactor().begin(1, [text.as_str()]);
    assert_ne!(redaction.prefix(), taken_prefix);
    let hidden = redaction.hide(&text).into_owned();
    assert!(hidden.starts_with(&taken_prefix) && !hidden.contains("10.0.0.1"));
    assert_eq!(redaction.restore(&hidden), text);
}

#[test]
fn unknown_placeholders_are_not_restored() {
    let mut redaction = redactor().begin(1, ["10.0.0.1"]);
    redaction.hide("10.0.0.1");
    let prefix = redaction.prefix().to_owned();
    for text in
        [format!("{prefix}IP-2]"), format!("{prefix}SECRET-1]"), format!("{prefix}IP-1"), prefix]
    {
        assert_eq!(redaction.restore(&text), text);
    }
}

#[test]
fn custom_patterns_hide_their_group() {
    let pattern =
        Pattern { name: "CUSTOMER".to_owned(), expression: r"customer (\d{4,8})\b".to_owned() };
    let text = "customer 12345 at noon";
    let mut redaction = Redactor::new(&[pattern]).unwrap().begin(1, [text]);
    let hidden = redaction.hide(text).into_owned();
    assert_eq!(hidden, format!("customer {}CUSTOMER-1] at noon", redaction.prefix()));
}

#[test]
fn debug_output_contains_no_values() {
    let text = "password=hunter2hunter2";
    let mut redaction = redactor().begin(1, [text]);
    redaction.hide(text);
    assert!(!format!("{redaction:?} {:?}", redactor()).contains("hunter2"));
}

#[test]
fn hostile_texts_are_restored() {
    let texts = [
        "://".repeat(20_000),
        "a://b:c@".repeat(8_000),
        "@".repeat(60_000),
        "a@b.cc".repeat(10_000),
        "-----BEGIN PRIVATE KEY-----\n".repeat(3_000),
        "-----BEGIN ".repeat(6_000),
        "password=".repeat(8_000),
        "password=\"".repeat(8_000),
        "1.1.1.1.".repeat(8_000),
        ":".repeat(60_000),
        "eyJ".repeat(20_000),
        "4111 ".repeat(12_000),
        "+1 ".repeat(20_000),
        "\u{0}\u{202e}é".repeat(10_000),
        "Bearer ".repeat(10_000),
        "[".repeat(60_000),
    ];
    let mut redaction = redactor().begin(1, texts.iter().map(String::as_str));
    for text in &texts {
        let hidden = redaction.hide(text).into_owned();
        assert_eq!(
            redaction.restore(&hidden),
            *text,
            "{}",
            text.chars().take(12).collect::<String>()
        );
    }
}
