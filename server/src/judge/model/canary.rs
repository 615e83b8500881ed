//! Creates canaries: claims that no evidence can support, which expose a model that grounds every claim. A
//! canary is a copy of another claim with random names, so that the model cannot recognize it.

use gsar_core::text::polarity::{MarkerKind, markers};
use gsar_core::text::tokens::{Shape, is_stop_word, words};
use gsar_core::{Claim, ClaimId};

use super::framed::Piece;
use super::rng::Rng;
use crate::judge::{Question, push_unique};

const MAX_ATTEMPTS: usize = 16;
const MAX_BYTES: usize = 400;
const MIN_WORDS: usize = 4;

const SUBJECTS: [&str; 40] = [
    "invoicing", "ledger", "catalog", "pricing", "billing", "shipping", "inventory", "login",
    "session", "profile", "search", "notifier", "gateway", "loyalty", "exporter", "importer",
    "ingest", "reporting", "audit", "webhook", "scheduler", "media", "geocoder", "taxes", "fraud",
    "wallet", "quota", "mailer", "archive", "identity", "basket", "refunds", "returns", "routing",
    "booking", "courier", "voucher", "partner", "review", "address",
];
const PARTS: [&str; 8] = ["api", "db", "worker", "cache", "service", "proxy", "queue", "web"];

const STATEMENT_OPENERS: [&str; 30] = [
    "a", "an", "the", "in", "at", "on", "during", "after", "before", "by", "from", "between",
    "since", "until", "each", "another", "several", "two", "three", "four", "five", "one", "about",
    "nearly", "within", "with", "when", "while", "there", "over",
];
/// Words of advice, and words that can make a claim true for an absent name.
const UNSUITABLE: [&str; 30] = [
    "should", "must", "need", "needs", "could", "would", "can", "recommend", "recommended",
    "consider", "ensure", "propose", "proposed", "suggest", "next", "only", "other", "else",
    "except", "besides", "unlike", "unrelated", "unaffected", "unchanged", "normal", "healthy",
    "different", "external", "never", "absent",
];
/// Words that occur in English compounds. Names do not contain them.
const COMPOUND_WORDS: [&str; 44] = [
    "of", "only", "out", "up", "down", "off", "on", "in", "by", "to", "the", "and", "long",
    "short", "high", "low", "half", "full", "first", "second", "third", "two", "three", "four",
    "one", "hour", "minute", "day", "week", "time", "term", "wide", "side", "level", "based",
    "running", "known", "free", "specific", "related", "facing", "lived", "end", "self",
];

const TEMPLATES: [&str; 6] = [
    "The NAME deployment was scaled to two replicas.",
    "The NAME pods were evicted from their node.",
    "The connections of NAME were refused by its database.",
    "The certificate of NAME was renewed on the same day.",
    "The queue of NAME grew until its consumers were restarted.",
    "The memory of NAME reached its limit twice.",
];

/// Copies one of the question's claims, with a new ID and with names that are absent from the question.
/// Returns `None` if no absent name or no free ID was found.
pub(super) fn create_canary(
    question: &Question,
    part: &[Piece<'_>],
    rng: &mut Rng,
) -> Option<Claim> {
    let texts: Vec<String> = part
        .iter()
        .flat_map(|piece| [piece.content, &*piece.item.tool, &*piece.item.query])
        .chain(question.claims.iter().map(|claim| claim.text.as_str()))
        .chain([&*question.synthesis])
        .map(str::to_ascii_lowercase)
        .collect();
    let mut claims: Vec<&Claim> =
        question.claims.iter().filter(|claim| is_suitable(&claim.text)).collect();
    rng.shuffle(&mut claims);
    claims.sort_by_key(|claim| names(&claim.text).is_empty());
    let text = match claims.first() {
        Some(claim) => alter(&claim.text, &texts, rng)?,
        None => rng.choose(&TEMPLATES)?.replace("NAME", &absent_name("", &texts, rng)?),
    };
    Some(Claim::new(free_id(&question.claims, rng)?, text))
}

/// Returns `true` if the text is a plain statement about one entity, and thus cannot be true for an absent
/// name.
fn is_suitable(text: &str) -> bool {
    let Some(first) = words(text).next() else { return false };
    let begins_with_name = is_name(first.text) || first.shape() == Shape::Number;
    let is_statement = begins_with_name
        || (text.starts_with(char::is_uppercase)
            && STATEMENT_OPENERS.iter().any(|word| first.is(word)));
    let is_plain = markers(text)
        .iter()
        .all(|marker| matches!(marker.kind, MarkerKind::Cause | MarkerKind::ActionDone));
    is_statement
        && is_plain
        && text.len() <= MAX_BYTES
        && !text.contains(['?', '\n'])
        && words(text).count() >= MIN_WORDS
        && !words(text).any(|word| UNSUITABLE.iter().any(|unsuitable| word.is(unsuitable)))
}

/// Replaces all names and changes figures. If the claim contains no name, adds one.
fn alter(text: &str, texts: &[String], rng: &mut Rng) -> Option<String> {
    let mut altered = with_other_figures(text, rng);
    let mut old_names: Vec<String> = names(&altered).into_iter().map(str::to_owned).collect();
    // A name can be a prefix of another one.
    old_names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    if old_names.is_empty() {
        let name = absent_name("", texts, rng)?;
        return Some(format!("In {name}, {}", lowercase_first_stop_word(&altered)));
    }
    for name in old_names {
        altered = altered.replace(&name, &absent_name(&name, texts, rng)?);
    }
    Some(altered)
}

fn names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for word in words(text).filter(|word| is_name(word.text)) {
        push_unique(&mut names, word.text);
    }
    names
}

/// Returns `true` for names such as `payments-db`, `node_3` or `app.log`, and `false` for `long-running` or
/// `OOMKilled`.
fn is_name(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '_', '.']).collect();
    let begins_with_letter = word.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_compound_word =
        |part: &&str| COMPOUND_WORDS.iter().any(|entry| part.eq_ignore_ascii_case(entry));
    begins_with_letter
        && word.is_ascii()
        && parts.len() > 1
        && parts.iter().all(|part| !part.is_empty())
        && parts.iter().any(|part| part.len() > 2)
        && !parts.iter().any(is_compound_word)
}

/// Generates a name of the same form as `original` that none of the lowercase texts contains.
fn absent_name(original: &str, texts: &[String], rng: &mut Rng) -> Option<String> {
    (0..MAX_ATTEMPTS).find_map(|_| {
        let name = match original {
            "" => format!("{}-{}", rng.choose(&SUBJECTS)?, rng.choose(&PARTS)?),
            original => other_name(original, rng)?,
        };
        let lower = name.to_ascii_lowercase();
        texts.iter().all(|text| !text.contains(&lower)).then_some(name)
    })
}

fn other_name(name: &str, rng: &mut Rng) -> Option<String> {
    let is_word =
        |part: &&str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let subject = name.split(['-', '_', '.']).find(is_word);
    let with_new_subject = match subject {
        Some(subject) => {
            let new_subject = rng.choose(&SUBJECTS)?;
            let new_subject = match subject.bytes().all(|byte| byte.is_ascii_uppercase()) {
                true => new_subject.to_ascii_uppercase(),
                false => (*new_subject).to_owned(),
            };
            name.replacen(subject, &new_subject, 1)
        }
        None => name.to_owned(),
    };
    let with_new_digits =
        with_new_subject.chars().map(|character| match character.is_ascii_digit() {
            true => char::from_digit(u32::try_from(rng.number_below(9) + 1).unwrap_or(1), 10)
                .unwrap_or('7'),
            false => character,
        });
    Some(with_new_digits.collect())
}

/// In figures and minutes, changes all digits except the first one. Hours, dates and addresses remain
/// unchanged.
fn with_other_figures(text: &str, rng: &mut Rng) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut copied_end = 0;
    for word in words(text).filter(|word| word.shape() == Shape::Number) {
        let is_address = word.text.contains('-') || word.text.matches('.').count() > 1;
        changed.push_str(text.get(copied_end..word.span.start).unwrap_or_default());
        copied_end = word.span.end;
        if is_address {
            changed.push_str(word.text);
            continue;
        }
        let (hours, figure) = match word.text.split_once(':') {
            Some((hours, rest)) => (format!("{hours}:"), rest),
            None => (String::new(), word.text),
        };
        changed.push_str(&hours);
        let mut is_first = true;
        for character in figure.chars() {
            let digit = char::from_digit(u32::try_from(rng.number_below(10)).unwrap_or(0), 10);
            let keeps_character = is_first || !character.is_ascii_digit();
            changed.push(if keeps_character { character } else { digit.unwrap_or(character) });
            is_first = !character.is_ascii_digit() && character != ',' && character != '.';
        }
    }
    changed.push_str(text.get(copied_end..).unwrap_or_default());
    changed
}

fn lowercase_first_stop_word(text: &str) -> String {
    let Some(first) =
        words(text).next().filter(|first| is_stop_word(first.text) || first.is("the"))
    else {
        return text.to_owned();
    };
    let rest = text.get(first.span.end..).unwrap_or_default();
    format!("{}{rest}", first.text.to_lowercase())
}

fn free_id(claims: &[Claim], rng: &mut Rng) -> Option<ClaimId> {
    let sample_id = rng.choose(claims)?.id.as_str();
    let prefix = sample_id.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let digits = sample_id.get(prefix.len()..).unwrap_or_default();
    let number: usize = digits.parse().unwrap_or(0);
    let width = digits.len();
    let is_free = |id: &String| claims.iter().all(|claim| claim.id.as_str() != id);
    let id = (1..=claims.len() + 1)
        .map(|step| format!("{prefix}{:0width$}", number.saturating_add(step)))
        .find(is_free)?;
    ClaimId::new(id).ok()
}

#[cfg(test)]
mod tests;
