//! This module checks that the quotes of a claim are about what it names, and not about a sibling of it. See the
//! table of `agreement`.

use alloc::format;
use alloc::vec::Vec;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings};
use super::evidence_set::Sources;
use super::spelling::holds_spelled;
use crate::claim::{Class, JudgedClaim};
use crate::text::byte_at;
use crate::text::tokens::{Shape, Word, content_words, entity_matches, entity_root, words};

/// Makes a grounded claim ungrounded whose quotes name a sibling of what it names.
pub(super) fn check(
    judged: &mut JudgedClaim,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    if judged.class != Class::Grounded {
        return;
    }
    let text = judged.claim.text.as_str();
    if let Some((claimed, quoted)) = sibling(text, cited)
        .or_else(|| other_entity(text, cited, sources))
        .or_else(|| kin(text, cited, sources))
    {
        let sentence = format!("The claim is about `{claimed}`, the quote about `{quoted}`.");
        findings.reclass(judged, CorrectionCode::NameConflict, Class::Ungrounded, sentence);
    }
}

/// The entity of a claim that the quotes name only as a part of another name: `checkout` for `checkout-db`.
fn other_entity<'c, 'q>(
    text: &'c str,
    cited: &Cited<'q>,
    sources: &Sources<'_>,
) -> Option<(&'c str, &'q str)> {
    entities(text).find_map(|claimed| {
        let related =
            |word: &Word<'_>| extends(word.text, claimed.text) || extends(claimed.text, word.text);
        let names_it = |text: &str| {
            words(text).any(|word| entity_matches(claimed.text, word.text))
                || claimed.shape() != Shape::Plain && holds_spelled(text, claimed.text)
        };
        let other = cited
            .quotes
            .iter()
            .flat_map(|quote| words(quote))
            .find(|word| word.shape() != Shape::Number && related(word))?;
        let named = cited.quotes.iter().any(|quote| names_it(quote))
            || cited.items.iter().any(|position| names_it(sources.content(*position)));
        let named_too = words(text).any(|word| word.is(other.text));
        let spelled_apart =
            is_spelled_apart(claimed.text, &cited.quotes) || is_spelled_apart(other.text, &[text]);
        (!named && !named_too && !spelled_apart).then_some((claimed.text, other.text))
    })
}

/// A numbered name of a claim for which the quotes have only one with another number: `node-6` and `node-7`.
fn sibling<'c, 'q>(text: &'c str, cited: &Cited<'q>) -> Option<(&'c str, &'q str)> {
    words(text).find_map(|claimed| {
        let family = family(claimed.text)?;
        let mut named = cited.quotes.iter().chain(&cited.pointers);
        if named.any(|words| holds_spelled(words, claimed.text)) {
            return None;
        }
        let is_sibling = |word: &Word<'_>| {
            begins_with_family(word.text, family, claimed.text)
                || differ_in_one_part(word.text, claimed.text)
        };
        let other = cited.quotes.iter().flat_map(|quote| words(quote)).find(is_sibling)?;
        let named_too = words(text).any(|word| word.is(other.text));
        (!named_too).then_some((claimed.text, other.text))
    })
}

/// A compound name that the evidence knows, and for which what is quoted has only one that is built alike: `partner-api`
/// and `partner-premium`.
fn kin<'c, 'q>(
    text: &'c str,
    cited: &Cited<'q>,
    sources: &Sources<'_>,
) -> Option<(&'c str, &'q str)> {
    words(text).filter(|word| is_compound(word.text)).find_map(|claimed| {
        let holds = |text: &str| holds_spelled(text, claimed.text);
        let asked = |position: &usize| {
            sources.item(*position).is_some_and(|item| holds(&item.tool) || holds(&item.query))
        };
        let quoted = cited.quotes.iter().chain(&cited.records).chain(&cited.pointers);
        if quoted.into_iter().any(|text| holds(text)) || cited.items.iter().any(asked) {
            return None;
        }
        let is_other =
            |word: &Word<'_>| is_compound(word.text) && is_built_alike(word.text, claimed.text);
        let other = cited.quotes.iter().flat_map(|quote| words(quote)).find(is_other)?;
        let named_too = words(text).any(|word| word.is(other.text));
        let is_it = |word: Word<'_>| word.is(claimed.text);
        let known = (0..sources.len()).any(|position| words(sources.content(position)).any(is_it));
        (known && !named_too).then_some((claimed.text, other.text))
    })
}

fn is_compound(name: &str) -> bool {
    name.bytes().filter(u8::is_ascii_alphabetic).count() > 2 && parts_of(name).count() > 1
}

/// Whether two names have as many parts and end alike, or with joints between their parts begin alike: what begins a
/// name in humps is often a kind of field.
fn is_built_alike(name: &str, other: &str) -> bool {
    let alike = |(a, b): (&str, &str)| a.eq_ignore_ascii_case(b);
    let pairs = || parts_of(name).zip(parts_of(other));
    let is_joined = |name: &str| name.contains(['-', '_']);
    let begins_alike = || is_joined(name) && pairs().next().is_some_and(alike);
    is_joined(name) == is_joined(other)
        && parts_of(name).count() == parts_of(other).count()
        && !pairs().all(alike)
        && (begins_alike() || pairs().last().is_some_and(alike))
}

/// The parts of a compound name: `route`, `eta` of `route-eta` and `RouteEta`.
fn parts_of(name: &str) -> impl Iterator<Item = &str> {
    let is_hump = |at: &usize| {
        let (before, here) = (byte_at(name, at - 1), byte_at(name, *at));
        before.is_ascii_lowercase() && here.is_ascii_uppercase()
    };
    let humps = (1..name.len()).filter(is_hump);
    let mut start = 0;
    let mut ends = humps.collect::<Vec<usize>>();
    ends.push(name.len());
    ends.into_iter()
        .filter_map(move |end| name.get(core::mem::replace(&mut start, end)..end))
        .flat_map(|part| part.split(['-', '_', '.']))
        .filter(|part| !part.is_empty())
}

/// Whether a name is one of the family with another number, itself or at its beginning: `node-7` and `node-7-pool`.
fn begins_with_family(name: &str, family: &str, sibling: &str) -> bool {
    let begins = name.get(..family.len()).is_some_and(|start| start.eq_ignore_ascii_case(family));
    let rest = name.get(family.len()..).filter(|_| begins).unwrap_or_default();
    let number = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends =
        !rest.get(number..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()));
    let other = sibling.get(family.len()..) != rest.get(..number);
    number > 0 && ends && other && number < sibling.len() - family.len() + 3
}

/// Whether two numbered names have as many parts and differ in one: `es-warm-2` and `es-hot-2`.
fn differ_in_one_part(name: &str, sibling: &str) -> bool {
    let parts = |name: &str| name.split('-').count();
    let different =
        name.split('-').zip(sibling.split('-')).filter(|(a, b)| !a.eq_ignore_ascii_case(b));
    family(name).is_some()
        && parts(name) > 2
        && parts(name) == parts(sibling)
        && different.count() == 1
}

/// What a numbered name is without its number: `node-` of `node-6`.
fn family(name: &str) -> Option<&str> {
    const MIN_LETTERS: usize = 3;
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = family.bytes().filter(u8::is_ascii_alphabetic).count();
    let long_enough = letters >= MIN_LETTERS || (letters == 2 && family.ends_with('-'));
    let numbered = family.len() < name.len() && long_enough;
    (numbered && !family.ends_with('.')).then_some(family)
}

/// Whether a text holds every part of a compound as a word of its own: `rate-limit` and "Rate Limit Exceeded".
fn is_spelled_apart(compound: &str, texts: &[&str]) -> bool {
    let begins = |word: &Word<'_>, part: &str| {
        word.text.get(..part.len()).is_some_and(|start| start.eq_ignore_ascii_case(part))
    };
    compound.contains('-')
        && texts
            .iter()
            .any(|text| compound.split('-').all(|part| words(text).any(|word| begins(&word, part))))
}

/// The words of a claim that certainly name something it is about: the first content word, and words beside
/// "pod", "service" and the like.
fn entities(text: &str) -> impl Iterator<Item = Word<'_>> {
    // A capital at the beginning of a sentence does not tell a name from a noun.
    let is_name = |word: &Word<'_>| match word.shape() {
        Shape::Number => false,
        Shape::Plain => word.text.starts_with(|c: char| !c.is_uppercase()),
        _ => true,
    };
    let first = content_words(text).next().filter(is_name);
    let pairs = words(text)
        .scan(None, |before, word| Some((before.replace(word.clone()), word)))
        .filter_map(|(before, word)| Some((before?, word)));
    let beside = pairs.filter_map(|(a, b)| {
        if is_entity_noun(&b) && !crate::text::tokens::is_stop_word(a.text) {
            Some(a)
        } else if is_entity_noun(&a) && b.shape() != Shape::Plain {
            Some(b)
        } else {
            None
        }
    });
    first.into_iter().chain(beside).filter(|word| word.text.len() > 2 && !is_entity_noun(word))
}

fn is_entity_noun(word: &Word<'_>) -> bool {
    const NOUNS: [&str; 22] = [
        "pod",
        "pods",
        "service",
        "services",
        "deployment",
        "deployments",
        "container",
        "containers",
        "namespace",
        "database",
        "job",
        "jobs",
        "app",
        "application",
        "replica",
        "replicas",
        "statefulset",
        "daemonset",
        "cluster",
        "queue",
        "topic",
        "node",
    ];
    NOUNS.iter().any(|noun| word.is(noun))
}

/// Whether `longer` names, itself or by its workload, `shorter` with one more part: `checkout-db` for
/// `checkout`. Longer endings and those with digits are generated names or versions of the same thing as often as not.
fn extends(longer: &str, shorter: &str) -> bool {
    if !longer.get(..shorter.len()).is_some_and(|start| start.eq_ignore_ascii_case(shorter)) {
        return false;
    }
    let workload = entity_root(longer);
    let ending = workload.get(shorter.len()..).and_then(|rest| rest.strip_prefix('-'));
    ending.is_some_and(|ending| {
        !ending.is_empty() && !ending.contains('-') && !ending.bytes().any(|b| b.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{codes, single};
    use super::*;
    use crate::claim::EvidenceType::ToolMatch;

    #[test]
    fn h23_checkout_is_not_checkout_db() {
        for (claim, content, quote, class) in [
            (
                "checkout restarted 3 times",
                "checkout-db restarted 3 times",
                "restarted 3 times",
                Class::Grounded,
            ),
            (
                "checkout restarted 3 times",
                "checkout-db restarted 3 times",
                "checkout-db restarted 3 times",
                Class::Ungrounded,
            ),
            (
                "The checkout-db pods restarted",
                "checkout restarted",
                "checkout restarted",
                Class::Ungrounded,
            ),
            (
                "checkout restarted 3 times",
                "pod checkout-7f9c4d-x2x1z restarted 3 times",
                "checkout-7f9c4d-x2x1z restarted 3 times",
                Class::Grounded,
            ),
            (
                "checkout and checkout-db restarted",
                "checkout-db restarted\ncheckout restarted",
                "checkout-db restarted",
                Class::Grounded,
            ),
        ] {
            let result = single(claim, Class::Grounded, ToolMatch, content, quote);
            assert_eq!(
                result.claims[0].judged.class, class,
                "{claim} / {quote}: {:?}",
                result.corrections
            );
        }
    }

    #[test]
    fn a_sibling_is_recognised_by_its_number_and_by_one_part() {
        for (claim, quote, found) in [
            ("node-6 ran out of memory", "node-7 kernel: out of memory", true),
            ("idp-1 signed the token", "token signed kid=idp-2-rs256", true),
            ("es-warm-2 passed its low watermark", "low watermark exceeded on [es-hot-2]", true),
            ("idp-2 signed the token", "token signed kid=idp-2-rs256", false),
            ("node-6 took over from node-7", "node-7 kernel: out of memory", false),
            ("Two pay-hooks pods read the secret", "read kv/pay entity=pay-hooks-5f77-a", false),
            ("Boise lost no ping", "boise-gw: 5 received, 0% packet loss", false),
        ] {
            let content = format!("{quote}\nseen too: {claim}");
            let result = single(claim, Class::Grounded, ToolMatch, &content, quote);
            let conflict = codes(&result).contains(&CorrectionCode::NameConflict);
            assert_eq!(conflict, found, "{claim}: {:?}", result.corrections);
        }
    }

    #[test]
    fn names_that_are_built_alike_are_distinguished_where_the_evidence_knows_both() {
        for (claim, quote, found) in [
            ("partner-api had no 429", "07:05,partner-premium,20990,0", true),
            ("p99 of BatchEta rose to 611 ms", "14:30,RouteEta,18390,611", true),
            ("geo_ks reads failed", "04:20,ride_ks,ALL,read,238", true),
            ("partner-premium had no 429", "07:05,partner-premium,20990,0", false),
            ("partner-api waits for partner-premium", "partner-premium is slow", false),
            ("A read-only replica lagged", "the read-write replica lagged", false),
            ("image-policy fails closed", "failurePolicy: Fail", false),
            ("The warm-up ended", "Scaled-up replica set", false),
        ] {
            let content =
                format!("{quote}\nseen too: partner-api BatchEta geo_ks image-policy warmup");
            let result = single(claim, Class::Grounded, ToolMatch, &content, quote);
            let conflict = codes(&result).contains(&CorrectionCode::NameConflict);
            assert_eq!(conflict, found, "{claim}: {:?}", result.corrections);
        }
    }
}
