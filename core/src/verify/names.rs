//! Names in a claim stand in what it cites. See the table of `agreement`.

use alloc::format;

use memchr::memmem;

use super::agreement::Cited;
use super::corpus::Sources;
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::quotes;
use crate::claim::{Class, JudgedClaim};
use crate::text::figures::{Agreement, Code, CodeKind, Figures, agree_codes, figures};
use crate::text::part;
use crate::text::tokens::{Shape, Word, content_words, entity_matches, entity_root, words};

/// The most names of a claim that are looked up.
const MOST_NAMES: usize = 32;

/// Makes a claim ungrounded whose names are not those of the cited items.
pub(super) fn check(
    judged: &mut JudgedClaim,
    claimed: &Figures,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    if judged.class == Class::Grounded {
        let text = judged.claim.text.as_str();
        // More names than that are no one checkable statement: the next one counts as absent.
        // What the claim denies need not stand anywhere: "no 502 was recorded".
        let denies = |code: &Code| {
            let before = part(text, 0..code.span.start);
            words(before).last().is_some_and(|word| word.is("no") || word.is("without"))
        };
        let absent = claimed
            .codes
            .iter()
            .filter(|code| is_checkable(code, text) && !denies(code))
            .enumerate()
            .find_map(|(place, code)| {
                let name = part(text, code.span.clone());
                let held = place < MOST_NAMES && is_held(name, code.kind, cited, sources);
                (!held).then_some(code)
            });
        if let Some(code) = absent {
            let name = part(&judged.claim.text, code.span.clone());
            let sentence = format!("No cited item holds `{name}`.");
            findings.reclass(
                judged,
                CorrectionCode::NameNotInEvidence,
                Class::Ungrounded,
                sentence,
            );
        }
    }
    if !is_supported(judged) {
        return;
    }
    if judged.class == Class::Grounded
        && let Some((claimed, quoted)) = sibling(&judged.claim.text, cited)
    {
        let sentence = format!("The claim is about `{claimed}`, the quote about `{quoted}`.");
        findings.reclass(judged, CorrectionCode::NameConflict, Class::Ungrounded, sentence);
        return;
    }
    if let Some((claimed, quoted)) = other_entity(&judged.claim.text, cited, sources) {
        let sentence = format!("The claim is about `{claimed}`, the quote about `{quoted}`.");
        findings.reclass(judged, CorrectionCode::NameConflict, Class::Ungrounded, sentence);
    }
}

/// Whether a code is so particular that evidence for the claim must hold it.
pub(super) fn is_checkable(code: &Code, text: &str) -> bool {
    let name = part(text, code.span.clone());
    match code.kind {
        CodeKind::Date => false,
        CodeKind::Identifier => {
            let letters = name.bytes().any(|byte| byte.is_ascii_alphabetic());
            let joined = name.bytes().any(|byte| matches!(byte, b'-' | b'_'));
            let hash = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            letters && (joined || hash)
        }
        CodeKind::Version
        | CodeKind::Port
        | CodeKind::Address
        | CodeKind::HttpStatus
        | CodeKind::Issue
        | CodeKind::ExitCode => true,
    }
}

pub(super) fn is_held(
    name: &str,
    kind: CodeKind,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
) -> bool {
    let bare = match kind {
        CodeKind::Version => name.trim_start_matches(['v', 'V']),
        _ => name,
    };
    let stands_in = |text: &str| {
        quotes::find(text, name).is_some()
            || ends_a_name(text, name)
            || (kind == CodeKind::Identifier && holds_host(text, name))
            || (kind == CodeKind::Address && holds_address_and_port(text, name))
            || (kind == CodeKind::Version && holds_version(text, bare))
            || (kind == CodeKind::HttpStatus
                && words(text).any(|word| agree_codes(name, word.text) == Agreement::Same))
    };
    // `Exit Code: 0` is no `exit code 1`, whatever else holds a 1.
    let kinds = [CodeKind::ExitCode, CodeKind::HttpStatus, CodeKind::Port];
    if kinds.contains(&kind)
        && let Some(same) = quoted_code(name, kind, cited)
    {
        return same;
    }
    cited.quotes.iter().any(|quote| stands_in(quote))
        || cited.items.iter().any(|position| {
            let item = sources.item(*position);
            stands_in(sources.plain(*position))
                || item.is_some_and(|item| stands_in(&item.tool) || stands_in(&item.query))
        })
        || cited.items.iter().any(|position| {
            let folded_case =
                quotes::find(sources.lower_case(*position), &name.to_ascii_lowercase());
            folded_case.is_some()
        })
}

/// Whether a text holds the host of a qualified name: `mongo-1` for `mongo-1.fra`.
fn holds_host(text: &str, name: &str) -> bool {
    let host = name.split_once('.').map(|(host, _)| host);
    host.is_some_and(|host| host.contains('-') && quotes::find(text, host).is_some())
}

/// Whether a text holds the address and the port of an endpoint in columns of their own.
fn holds_address_and_port(text: &str, name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(address, port)| {
        quotes::find(text, address).is_some() && quotes::find(text, port).is_some()
    })
}

/// Whether a name stands at the end of a longer one: `exec-32` in `http-nio-8080-exec-32`.
fn ends_a_name(text: &str, name: &str) -> bool {
    words(text).any(|word| word.text.strip_suffix(name).is_some_and(|rest| rest.ends_with('-')))
}

/// Whether the quotes hold a code of this kind, and if so whether one of them is this.
fn quoted_code(name: &str, kind: CodeKind, cited: &Cited<'_>) -> Option<bool> {
    let mut any = None;
    for quote in &cited.quotes {
        for code in figures(quote).codes.iter().filter(|code| code.kind == kind) {
            let same = agree_codes(name, part(quote, code.span.clone())) == Agreement::Same;
            any = Some(any.unwrap_or(false) || same);
        }
    }
    any
}

/// Whether a version stands in a text, with or without a `v` in front.
fn holds_version(text: &str, bare: &str) -> bool {
    memmem::find_iter(text.as_bytes(), bare.as_bytes()).any(|start| {
        let end = start + bare.len();
        let marked =
            usize::from(matches!(crate::text::byte_at(text, start.wrapping_sub(1)), b'v' | b'V'));
        quotes::is_whole(text, &(start - marked.min(start)..end))
            || quotes::is_whole(text, &(start..end))
    })
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
        let names_it = |text: &str| words(text).any(|word| entity_matches(claimed.text, word.text));
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
    let quoted = || cited.quotes.iter().flat_map(|quote| words(quote));
    let in_pointers = |name: &str| cited.pointers.iter().any(|path| path.contains(name));
    words(text).find_map(|claimed| {
        let family = family(claimed.text)?;
        let named =
            quoted().any(|word| word.text.contains(claimed.text)) || in_pointers(claimed.text);
        let is_sibling = |word: &Word<'_>| {
            word.text.len() < claimed.text.len() + 3
                && self::family(word.text).is_some_and(|other| other.eq_ignore_ascii_case(family))
        };
        let other = quoted().find(is_sibling).filter(|_| !named)?;
        let named_too = words(text).any(|word| word.is(other.text));
        (!named_too).then_some((claimed.text, other.text))
    })
}

/// What a numbered name is without its number: `node-` of `node-6`.
fn family(name: &str) -> Option<&str> {
    const MIN_LETTERS: usize = 3;
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = family.bytes().filter(u8::is_ascii_alphabetic).count();
    let numbered = family.len() < name.len() && letters >= MIN_LETTERS;
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
    let first = content_words(text).next().filter(|word| word.shape() != Shape::Number);
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
    fn h23_a_pod_version_or_code_that_no_item_holds_is_ungrounded() {
        let content = "Deployment checkout runs image shop/checkout:v2.3.1 on node-6, HTTP 503 and exit code 137";
        for held in [
            "version 2.3.1 was deployed",
            "It ran on node-6",
            "It returned HTTP 503",
            "5xx rose",
            "exit code 137",
            "v2.3.1 runs on NODE-6",
        ] {
            let result =
                single(held, Class::Grounded, ToolMatch, content, "Deployment checkout runs");
            assert_eq!(
                result.claims[0].judged.class,
                Class::Grounded,
                "{held}: {:?}",
                result.corrections
            );
        }
        for absent in [
            "version 2.3.10 was deployed",
            "It ran on node-7",
            "It returned HTTP 404",
            "4xx rose",
            "exit code 1",
            "pod checkout-7f9c4d-x2x1z runs",
        ] {
            let result =
                single(absent, Class::Grounded, ToolMatch, content, "Deployment checkout runs");
            assert_eq!(codes(&result), [CorrectionCode::NameNotInEvidence], "{absent}");
        }
    }
}
