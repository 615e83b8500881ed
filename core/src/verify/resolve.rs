//! This module resolves citations: what is found decides. It says nothing about whether a quote bears a claim out.
//!
//! | the citation | effect |
//! |---|---|
//! | of an unknown item, claim or circle; its quote stands nowhere | taken away |
//! | its pointer leads nowhere | the pointer is dropped, the quote decides |
//! | its quote stands in exactly one other item, which is neither a prior claim nor inferred | of that item, noted |
//! | its quote stands in the item but not in the cited field | a finding |
//! | quotes a short or frequent value without its field or key | a finding |

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::VerifiedClaim;
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::evidence_set::{EvidenceSet, Sources};
use super::quotes::{self, Place};
use super::references::ClaimGraph;
use crate::claim::{Class, JudgedClaim};
use crate::evidence::{Citation, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target};

/// What a valid citation points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// An item, and the text of the cited field where there is one.
    Item {
        /// Its place in the evidence, from 0.
        position: usize,
        /// The field's text.
        field: Option<String>,
        /// The place of the item that the judge named, where the quote stood in another: no type is above what it
        /// allows.
        named: Option<usize>,
    },
    /// Another claim, by its place among the verified ones.
    Claim(usize),
}

/// Keeps the citations that resolve and whose quote is found, fills in where the quotes stand, and returns
/// what each kept citation points at. `texts` holds the words of all claims where any cites another.
///
/// What is found decides: a pointer that leads nowhere is dropped, and a quote that stands in exactly one other
/// item moves there. A claim of whose citations each points beside its quote, or quotes a value that could be
/// of anything, is ungrounded.
pub(super) fn check_citations(
    claims: &mut [VerifiedClaim],
    texts: &[String],
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) -> Vec<Vec<Source>> {
    let graph = ClaimGraph::of(claims);
    let mut kept = Vec::with_capacity(claims.len());
    for (place, claim) in claims.iter_mut().enumerate() {
        let citations = core::mem::take(&mut claim.judged.citations);
        let mut points_at = Vec::with_capacity(citations.len());
        let mut vague = Vec::new();
        for (number, mut citation) in citations.into_iter().enumerate() {
            let checked = match citation.target.clone() {
                Target::Evidence { id, .. } => {
                    check_item(&mut citation, &id, evidence_set, sources)
                }
                Target::Claim(id) => graph
                    .resolve(place, &id)
                    .and_then(|source| check_claim_quote(&mut citation, source, texts)),
            };
            let sentence = |what: &str| format!("Citation {}: {what}.", number + 1);
            match checked {
                Ok(checked) => {
                    if let Some((code, what)) = &checked.note {
                        findings.note(&claim.judged, *code, sentence(what));
                    }
                    vague.extend(checked.vague.map(|(code, what)| (code, sentence(&what))));
                    points_at.push(checked.source);
                    claim.judged.citations.push(citation);
                }
                Err((code, what)) => findings.note(&claim.judged, code, sentence(&what)),
            }
        }
        find_vague(&mut claim.judged, vague, points_at.len(), findings);
        kept.push(points_at);
    }
    kept
}

/// Makes a claim ungrounded that has no citation but vague ones; notes them where it has others.
fn find_vague(
    judged: &mut JudgedClaim,
    vague: Vec<Refusal>,
    citations: usize,
    findings: &mut Findings,
) {
    let decides = is_supported(judged) && vague.len() == citations;
    for (at, (code, sentence)) in vague.into_iter().enumerate() {
        if decides && at == 0 {
            findings.reclass(judged, code, Class::Ungrounded, sentence);
        } else {
            findings.note(judged, code, sentence);
        }
    }
}

/// What is wrong with a citation.
pub(super) type Refusal = (CorrectionCode, String);

/// A citation that holds.
struct Checked {
    source: Source,
    /// What was put right in it.
    note: Option<Refusal>,
    /// Why it may be of something else.
    vague: Option<Refusal>,
}

impl Checked {
    const fn plain(source: Source) -> Self {
        Self { source, note: None, vague: None }
    }
}

fn check_item(
    citation: &mut Citation,
    id: &EvidenceId,
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
) -> Result<Checked, Refusal> {
    let Some(position) = evidence_set.position(id) else {
        return Err((CorrectionCode::UnknownEvidence, format!("the evidence has no item `{id}`")));
    };
    let pointer = match &citation.target {
        Target::Evidence { field_path, .. } => field_path.clone(),
        Target::Claim(_) => String::new(),
    };
    let mut fields =
        if pointer.is_empty() { Vec::new() } else { sources.fields(position, &pointer) };
    let missing = !pointer.is_empty() && fields.is_empty();
    let unknown = || {
        let what =
            format!("item `{id}` has no field `{pointer}` (a JSON pointer such as `/a/0/b`)");
        (CorrectionCode::UnknownField, what)
    };
    if citation.quote.is_empty() {
        citation.bytes = None;
        if missing || fields.len() > 1 {
            return Err(unknown());
        }
        let field = fields.pop().map(|field| field.text);
        return Ok(Checked::plain(Source::Item { position, field, named: None }));
    }
    let mut note = missing.then(unknown);
    let mut vague = None;
    let place = quotes::locate_in_item(citation, position, &fields, sources);
    let source = Source::Item { position, field: None, named: None };
    let source = match place {
        Some(Place::At(bytes)) => {
            if fields.is_empty() && quotes::is_ambiguous(&citation.quote, sources.content(position))
            {
                vague = Some((
                    CorrectionCode::QuoteAmbiguous,
                    format!(
                        "\"{}\" alone may be any value of item `{id}`; quote it with its field or key",
                        shortened(&citation.quote)
                    ),
                ));
            }
            citation.bytes = Some(bytes);
            source
        }
        Some(Place::OutsideField(bytes)) => {
            vague = Some((
                CorrectionCode::QuoteOutsideField,
                format!("\"{}\" does not stand in `{pointer}`", shortened(&citation.quote)),
            ));
            citation.bytes = Some(bytes);
            source
        }
        None => {
            let (there, bytes) = only_other_place(&citation.quote, position, sources)
                .ok_or_else(|| not_found("the cited item", &citation.quote))?;
            note = Some((
                CorrectionCode::QuoteMoved,
                format!("\"{}\" stands in item `{}`", shortened(&citation.quote), there.id),
            ));
            citation.target = Target::Evidence { id: there.id.clone(), field_path: String::new() };
            citation.bytes = Some(bytes);
            let moved = evidence_set.position(&there.id).unwrap_or(position);
            return Ok(Checked {
                source: Source::Item { position: moved, field: None, named: Some(position) },
                note,
                vague,
            });
        }
    };
    if missing {
        citation.target = Target::Evidence { id: id.clone(), field_path: String::new() };
    }
    Ok(Checked { source, note, vague })
}

/// The one other item in which a quote stands word by word, unless it is a prior claim or inferred.
fn only_other_place<'a>(
    quote: &str,
    named: usize,
    sources: &mut Sources<'a>,
) -> Option<(&'a EvidenceItem, Range<usize>)> {
    if quotes::says_nothing(quote) {
        return None;
    }
    let mut only = None;
    for position in (0..sources.len()).filter(|position| *position != named) {
        let Some(place) = quotes::locate_verbatim(quote, position, sources) else { continue };
        if only.is_some() {
            return None;
        }
        only = sources.item(position).map(|item| (item, place));
    }
    only.filter(|(item, _)| {
        let inferred = item.lane == Lane::LlmInferred || item.kind == EvidenceKind::PriorClaim;
        !inferred && !quotes::is_ambiguous(quote, item.content.as_str())
    })
}

fn check_claim_quote(
    citation: &mut Citation,
    source: Source,
    texts: &[String],
) -> Result<Checked, Refusal> {
    citation.bytes = None;
    if let (Source::Claim(claim), false) = (&source, citation.quote.is_empty()) {
        let text = texts.get(*claim).map_or("", String::as_str);
        let place = quotes::locate_in_text(&citation.quote, text);
        citation.bytes = Some(place.ok_or_else(|| not_found("the cited claim", &citation.quote))?);
    }
    Ok(Checked::plain(source))
}

fn not_found(name: &str, quote: &str) -> Refusal {
    let what = format!("{name} does not contain \"{}\"", shortened(quote));
    (CorrectionCode::QuoteNotFound, what)
}

fn shortened(quote: &str) -> String {
    const MAX_SHOWN_BYTES: usize = 80;
    let mut short: String = quote.chars().take(MAX_SHOWN_BYTES).collect();
    if short.len() < quote.len() {
        short.push_str(" [cut]");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, codes, json, judged, tool, verified, verified_under};
    use super::*;
    use crate::claim::EvidenceType::{SignalMatch, ToolMatch};
    use crate::policy::Preset;

    fn cite(id: &str, field_path: &str, quote: &str) -> Citation {
        Citation {
            target: Target::Evidence {
                id: EvidenceId::new(id).unwrap(),
                field_path: String::from(field_path),
            },
            quote: String::from(quote),
            bytes: None,
        }
    }

    const PODS: &str = r#"{"pods": [{"name": "checkout", "state": "restarted", "ready": true, "restarts": 3},
        {"name": "payments", "state": "running", "ready": true, "restarts": 0}]}"#;

    #[test]
    fn h09_a_citation_of_an_unknown_item_or_field_fails() {
        let given = claims(&["the pod was restarted"]);
        let items = [json("e1", r#"{"pod": {"state": "restarted"}}"#)];
        let mut answer = judged(&given[0], Class::Grounded, ToolMatch, &[("e9", "restarted")]);
        answer.citations.push(Citation {
            target: Target::Evidence {
                id: EvidenceId::new("e1").unwrap(),
                field_path: String::from("/pod/phase"),
            },
            quote: String::new(),
            bytes: None,
        });
        let result = verified(&given, &[answer], &items);
        assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
        assert_eq!(
            codes(&result),
            [
                CorrectionCode::UnknownEvidence,
                CorrectionCode::UnknownField,
                CorrectionCode::NoValidCitation
            ],
        );
    }

    #[test]
    fn a_field_that_exists_is_a_valid_citation() {
        let given = claims(&["the pod was restarted"]);
        let items = [json("e1", r#"{"pod": {"state": "restarted"}}"#)];
        let mut answer = judged(&given[0], Class::Grounded, ToolMatch, &[]);
        answer.citations.push(Citation {
            target: Target::Evidence {
                id: EvidenceId::new("e1").unwrap(),
                field_path: String::from("/pod/state"),
            },
            quote: String::from("restarted"),
            bytes: None,
        });
        let result = verified(&given, &[answer], &items);
        assert!(result.corrections.is_empty(), "{:?}", result.corrections);
        assert_eq!(result.claims[0].judged.citations[0].bytes, Some(19..28));
    }

    #[test]
    fn a_pointer_that_leads_nowhere_is_dropped_and_the_quote_decides() {
        let given = claims(&["checkout was restarted"]);
        for content in [PODS.replace("pods", "items"), format!("state of checkout: {PODS}")] {
            let mut answer = judged(&given[0], Class::Grounded, ToolMatch, &[]);
            answer.citations.push(cite("e1", "/pods/0/state", "\"state\": \"restarted\""));
            let result = verified(&given, &[answer], &[tool("e1", &content)]);
            assert_eq!(codes(&result), [CorrectionCode::UnknownField]);
            let kept = &result.claims[0].judged;
            assert_eq!(kept.class, Class::Grounded);
            assert_eq!(kept.citations[0].target, cite("e1", "", "").target);
        }
    }

    #[test]
    fn a_pointer_is_followed_in_text_and_in_strings() {
        let given = claims(&["checkout was restarted"]);
        let blocks = serde_json::json!({"content": [{"type": "text", "text": PODS}]});
        for item in [
            json("e1", PODS),
            tool("e1", PODS),
            tool("e1", &format!("$ kubectl get pods -o json\n{PODS}")),
            json("e1", &blocks.to_string()),
        ] {
            for quote in [
                "restarted",
                "\"restarted\"",
                "\"state\":\"restarted\"",
                "checkout\", \"state\": \"restarted",
            ] {
                let mut answer = judged(&given[0], Class::Grounded, ToolMatch, &[]);
                answer.citations.push(cite("e1", "/pods/0/state", quote));
                let result = verified(&given, &[answer], core::slice::from_ref(&item));
                assert!(result.corrections.is_empty(), "{quote}: {:?}", result.corrections);
                assert!(result.claims[0].judged.citations[0].bytes.is_some());
            }
        }
    }

    #[test]
    fn h09_a_quote_beside_the_cited_field_is_a_finding() {
        let given = claims(&["checkout was running and ready"]);
        for content in [json("e1", PODS), tool("e1", PODS)] {
            let mut answer = judged(&given[0], Class::Grounded, ToolMatch, &[]);
            answer.citations.push(cite("e1", "/pods/0/state", "running"));
            let result = verified(&given, &[answer.clone()], core::slice::from_ref(&content));
            assert_eq!(codes(&result), [CorrectionCode::QuoteOutsideField]);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
            answer.citations.push(cite("e1", "/pods/1/state", "running"));
            let result = verified(&given, &[answer], core::slice::from_ref(&content));
            assert_eq!(result.claims[0].judged.class, Class::Grounded);
        }
    }

    #[test]
    fn h09_a_value_that_may_be_of_anything_needs_its_field_or_key() {
        let given = claims(&["payments has restarted 0 times and is ready"]);
        for (field_path, quote, class) in [
            ("", "0", Class::Ungrounded),
            ("", "\"restarts\": 0", Class::Grounded),
            ("/pods/1/restarts", "0", Class::Grounded),
        ] {
            let mut answer = judged(&given[0], Class::Grounded, ToolMatch, &[]);
            answer.citations.push(cite("e1", field_path, quote));
            let result = verified(&given, &[answer], &[json("e1", PODS)]);
            assert_eq!(result.claims[0].judged.class, class, "{field_path} {quote}");
        }
        let often = "checkout Running, payments Running, cart Running, mail Running, ads Running";
        let given = claims(&["payments is running"]);
        let answer = judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "Running")]);
        let result = verified(&given, &[answer], &[tool("e1", often)]);
        assert_eq!(codes(&result), [CorrectionCode::QuoteAmbiguous]);
    }

    #[test]
    fn a_quote_of_exactly_one_other_item_moves_there() {
        let given = claims(&["checkout logged an exhausted pool"]);
        let line = "checkout: connection pool exhausted after 15 errors";
        let log = tool("e2", line);
        let answer = judged(&given[0], Class::Grounded, ToolMatch, &[("e1", line)]);
        let cited = tool("e1", "checkout is fine");
        let result =
            verified(&given, core::slice::from_ref(&answer), &[cited.clone(), log.clone()]);
        assert_eq!(codes(&result), [CorrectionCode::QuoteMoved]);
        assert_eq!(result.claims[0].judged.citations[0].target, cite("e2", "", "").target);
        assert_eq!(result.claims[0].judged.citations[0].bytes, Some(0..line.len()));

        let inferred = EvidenceItem { lane: Lane::LlmInferred, ..log.clone() };
        let prior = EvidenceItem { kind: EvidenceKind::PriorClaim, ..log.clone() };
        let twice = [log.clone(), tool("e3", line)];
        let other_figure = tool("e2", &line.replace("15", "16"));
        for others in [&[inferred][..], &[prior], &twice, &[other_figure]] {
            let items = [core::slice::from_ref(&cited), others].concat();
            let result = verified(&given, core::slice::from_ref(&answer), &items);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
            assert!(codes(&result).contains(&CorrectionCode::QuoteNotFound));
        }
    }

    #[test]
    fn a_quote_that_says_nothing_moves_nowhere() {
        let given = claims(&["checkout logged a full disk"]);
        let items = [tool("e1", "checkout is fine"), tool("e2", "checkout: / is 100% full")];
        for quote in ["/", ":", " / "] {
            let answer = judged(&given[0], Class::Grounded, ToolMatch, &[("e1", quote)]);
            let result = verified(&given, &[answer], &items);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded, "{quote}");
            assert!(codes(&result).contains(&CorrectionCode::QuoteNotFound), "{quote}");
            assert!(!codes(&result).contains(&CorrectionCode::QuoteMoved), "{quote}");
        }
    }

    #[test]
    fn h10_a_moved_citation_allows_no_better_type() {
        let given = claims(&["checkout logged an exhausted pool"]);
        let log =
            EvidenceItem { attested: true, ..tool("e2", "checkout: connection pool exhausted") };
        let quoted: &[(&str, &str)] = &[("e1", "connection pool exhausted")];
        let answer = [judged(&given[0], Class::Grounded, ToolMatch, quoted)];
        let alert = EvidenceItem { kind: EvidenceKind::Signal, ..tool("e1", "checkout fires") };
        let result = verified(&given, &answer, &[alert, log.clone()]);
        assert_eq!(result.claims[0].judged.evidence_type, SignalMatch);
        let result = verified_under(Preset::Strict, &given, &answer, &[tool("e1", "fine"), log]);
        assert!(codes(&result).contains(&CorrectionCode::NotAttested));
    }
}
