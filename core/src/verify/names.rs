//! This module checks that the names in a claim stand in what it cites. See the table of `agreement`.

use alloc::format;

use super::agreement::Cited;
use super::corrections::{CorrectionCode, Findings};
use super::evidence_set::Sources;
use super::negation::clause_at;
use super::quotes;
use super::spelling::holds_spelled;
use crate::claim::{Class, JudgedClaim};
use crate::evidence::EvidenceKind;
use crate::text::figures::{Agreement, Code, CodeKind, Figures, agree_codes, figures};
use crate::text::part;
use crate::text::polarity::negates;
use crate::text::tokens::words;

/// The most names of a claim that are looked up.
const MAX_NAMES: usize = 32;

/// Makes a claim ungrounded whose names are not those of the cited items.
pub(super) fn check(
    judged: &mut JudgedClaim,
    claimed: &Figures,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    if judged.class != Class::Grounded {
        return;
    }
    let text = judged.claim.text.as_str();
    // More names than that are no one checkable statement: the next one counts as absent.
    let absent = claimed.codes.iter().filter(|code| is_checkable(code, text)).enumerate().find_map(
        |(place, code)| {
            let name = part(text, code.span.clone());
            let held = place < MAX_NAMES
                && (is_held(name, code.kind, cited, sources)
                    || is_absent(code, text, sources)
                    || is_subject(name, cited, sources));
            (!held).then_some(code)
        },
    );
    if let Some(code) = absent {
        let name = part(&judged.claim.text, code.span.clone());
        let sentence = format!("No cited item holds `{name}`.");
        findings.reclass(judged, CorrectionCode::NameNotInEvidence, Class::Ungrounded, sentence);
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
            || quotes::find(text, bare).is_some()
            || holds_spelled(text, bare)
            || (kind == CodeKind::Identifier && holds_host(text, name))
            || (kind == CodeKind::Address && holds_address_and_port(text, name))
            || (kind == CodeKind::HttpStatus
                && words(text).any(|word| agree_codes(name, word.text) == Agreement::Same))
    };
    let quoted = || cited.quotes.iter().any(|quote| stands_in(quote));
    // `Exit Code: 0` is no `exit code 1`, whatever else holds a 1.
    match kind {
        CodeKind::ExitCode if let Some(same) = quoted_code(name, kind, cited) => return same,
        CodeKind::HttpStatus | CodeKind::Port if quoted_code(name, kind, cited) == Some(false) => {
            return quoted();
        }
        _ => {}
    }
    quoted()
        || cited.items.iter().any(|position| {
            let item = sources.item(*position);
            stands_in(sources.plain(*position))
                || item.is_some_and(|item| stands_in(&item.tool) || stands_in(&item.query))
        })
}

/// Whether a claim denies something of a name, which then need not stand where it is cited: "no 502 was recorded",
/// "10.0.0.7 is not on the list".
fn is_absent(code: &Code, text: &str, sources: &mut Sources<'_>) -> bool {
    let before = part(text, 0..code.span.start);
    let none = words(before).last().is_some_and(|word| word.is("no") || word.is("without"));
    let name = part(text, code.span.clone());
    let mut every = 0..sources.len();
    let denied = negates(text, &code.span) || is_left_out(clause_at(text, code.span.start));
    none || denied && every.any(|position| holds_spelled(sources.plain(position), name))
}

/// Whether a clause says that something is no part of something: "is not on the list".
fn is_left_out(clause: &str) -> bool {
    const PARTS: [&str; 6] = ["on", "in", "among", "listed", "included", "part"];
    let mut spoken = words(clause).skip_while(|word| !word.is("not"));
    spoken.next().is_some()
        && spoken.next().is_some_and(|word| PARTS.iter().any(|entry| word.is(entry)))
}

/// Whether a name is that of what the whole case is about: a signal holds it, and the cited items hold no other name like
/// it. What a host printed need not say which host it is.
fn is_subject(name: &str, cited: &Cited<'_>, sources: &mut Sources<'_>) -> bool {
    let every = 0..sources.len();
    let mut signals = every.filter(|position| {
        sources.item(*position).is_some_and(|item| item.kind == EvidenceKind::Signal)
    });
    let has_kin = |text: &str| words(text).any(|word| is_kin(word.text, name));
    signals.any(|position| holds_spelled(sources.content(position), name))
        && !cited.items.iter().any(|position| {
            let item = sources.item(*position);
            item.is_some_and(|item| has_kin(&item.tool) || has_kin(&item.query))
                || has_kin(sources.plain(*position))
        })
}

/// Whether two names are built alike and begin or end alike: `orders-db-1` and `orders-db-3`, `eu-west-1a` and `eu-west-1b`.
fn is_kin(other: &str, name: &str) -> bool {
    let parts = |name: &str| name.split(['-', '_']).count();
    let (Some((first, _)), Some((other_first, _))) =
        (name.split_once(['-', '_']), other.split_once(['-', '_']))
    else {
        return false;
    };
    parts(name) == parts(other)
        && first.eq_ignore_ascii_case(other_first)
        && !name.eq_ignore_ascii_case(other)
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

#[cfg(test)]
mod tests {
    use super::super::testing::{codes, single};
    use super::*;
    use crate::claim::EvidenceType::ToolMatch;

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

    #[test]
    fn a_name_that_is_denied_or_that_the_case_is_about_need_not_stand_where_it_is_cited() {
        use super::super::testing::{claims, judged, tool, verified};
        use crate::evidence::{EvidenceItem, EvidenceKind};
        let alert =
            EvidenceItem { kind: EvidenceKind::Signal, ..tool("alert", "swap is full on dbx-07") };
        let items = [
            alert,
            tool("e1", "Free swap = 0kB"),
            tool("e2", "ghi-3: Free swap = 0kB, dbx-08"),
            tool("e3", "banned: 10.0.0.9\nseen: 10.0.0.7"),
        ];
        for (claim, cited, quote, held) in [
            ("The swap of dbx-07 was used up", "e1", "Free swap = 0kB", true),
            ("The swap of ghi-3 was used up", "e1", "Free swap = 0kB", false),
            ("The swap of dbx-07 was used up", "e2", "Free swap = 0kB", false),
            ("10.0.0.7 is not on the list of banned addresses", "e3", "banned: 10.0.0.9", true),
        ] {
            let given = claims(&[claim]);
            let answer = [judged(&given[0], Class::Grounded, ToolMatch, &[(cited, quote)])];
            let result = verified(&given, &answer, &items);
            let missing = codes(&result).contains(&CorrectionCode::NameNotInEvidence);
            assert_eq!(missing, !held, "{claim} / {cited}: {:?}", result.corrections);
        }
    }
}
