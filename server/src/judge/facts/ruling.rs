//! Converts the outcomes of the rules to judged claims.

use std::ops::Range;

use gsar_core::evidence::{Citation, EvidenceKind, Target};
use gsar_core::report::{ClaimKind, clauses};
use gsar_core::text::polarity;
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim, Leaning, Role};
use gsar_extraction::rules::{Location, Outcome, Rule};

use super::Observations;
use crate::judge::push_unique;

const MAX_QUOTE: usize = 400;

/// The outcome of the rules for a claim or one of its statements.
pub(in crate::judge) struct Ruling {
    class: Class,
    citations: Vec<Citation>,
    /// The cited items, as indices in [`Observations::items`].
    items: Vec<usize>,
    note: String,
    rules: Vec<Rule>,
}

/// Returns an undecided verdict if the claim is a question or a proposal, and `None` if it is a statement.
pub(in crate::judge) fn non_statement_verdict(claim: &Claim) -> Option<JudgedClaim> {
    (ClaimKind::classify(&claim.text) != ClaimKind::Statement).then(|| {
        let leaning = Leaning { class: Class::Complementary, likelihood: None };
        let note = "it is a question or a proposal".to_owned();
        JudgedClaim { role: Role::Proposal, ..undecided_verdict(claim, leaning, note) }
    })
}

pub(in crate::judge) fn undecided_verdict(
    claim: &Claim,
    leaning: Leaning,
    note: String,
) -> JudgedClaim {
    JudgedClaim { undecided: Some(leaning), ..ungrounded_verdict(claim, note) }
}

/// Returns an ungrounded verdict. If the claim states a cause, its role is root cause, which blocks the
/// report.
pub(in crate::judge) fn ungrounded_verdict(claim: &Claim, note: String) -> JudgedClaim {
    let states_cause = polarity::causal_link(&claim.text).is_some();
    JudgedClaim {
        role: if states_cause { Role::RootCause } else { Role::default() },
        note,
        ..JudgedClaim::new(claim.clone(), Class::Ungrounded, EvidenceType::Inference)
    }
}

pub(in crate::judge) fn apply_rules(
    claim: &Claim,
    observations: &Observations<'_>,
) -> Option<Ruling> {
    rule_on_statement(&claim.text, observations)
        .or_else(|| rule_on_clauses(&claim.text, observations))
}

/// Applies the rules to each statement of a compound claim. The claim is supported if all its statements are
/// supported, and refuted if one of them is refuted.
fn rule_on_clauses(text: &str, observations: &Observations<'_>) -> Option<Ruling> {
    let parts = clauses(text);
    if parts.len() < 2 {
        return None;
    }
    let rulings: Vec<Option<Ruling>> = parts
        .into_iter()
        .filter_map(|part| text.get(part))
        .map(|part| rule_on_statement(part, observations))
        .collect();
    let all_decided = rulings.iter().all(Option::is_some);
    let is_refuted = rulings.iter().flatten().any(|ruling| !ruling.is_support());
    if rulings.len() < 2 || !(all_decided || is_refuted) {
        return None;
    }
    rulings.into_iter().flatten().reduce(Ruling::combine)
}

fn rule_on_statement(text: &str, observations: &Observations<'_>) -> Option<Ruling> {
    let (class, rule, location, verb) = match observations.index.check(text) {
        Outcome::Supports(rule, location) => (Class::Grounded, rule, location, "shows it"),
        Outcome::Refutes(rule, location) => (Class::Contradicted, rule, location, "says otherwise"),
        Outcome::Silent => return None,
    };
    let facts = observations.index.facts();
    let item_index = facts.item_of(location.record)?.0;
    let item = observations.items.get(item_index)?;
    let content = item.content.as_str();
    let record = facts.record(location.record)?.span.clone();
    let citation = |span: Range<usize>| Citation {
        target: Target::Evidence { id: item.id.clone(), field_path: String::new() },
        quote: content.get(span).unwrap_or_default().to_owned(),
        bytes: None,
    };
    let mut citations: Vec<Citation> =
        quoted_ranges(content, record, &location, rule).into_iter().map(citation).collect();
    citations.dedup();
    let note = format!("{} {verb} (rule {})", item.id, rule.name());
    Some(Ruling { class, citations, items: vec![item_index], note, rules: vec![rule] })
}

impl Ruling {
    pub(in crate::judge) fn is_support(&self) -> bool {
        self.class == Class::Grounded
    }

    pub(in crate::judge) fn note(&self) -> &str {
        &self.note
    }

    pub(in crate::judge) fn into_verdict(
        self,
        claim: &Claim,
        observations: &Observations<'_>,
    ) -> JudgedClaim {
        let evidence_type = evidence_type(&self.items, observations);
        JudgedClaim {
            citations: self.citations,
            note: self.note,
            rules: self.rules.into_iter().map(|rule| rule.name().to_owned()).collect(),
            ..JudgedClaim::new(claim.clone(), self.class, evidence_type)
        }
    }

    /// Combines the rulings on two statements. The stricter ruling wins.
    fn combine(self, other: Self) -> Self {
        match self.class.cmp(&other.class) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Equal => {
                let mut combined = self;
                combined.citations.extend(other.citations);
                combined.items.extend(other.items);
                other.rules.into_iter().for_each(|rule| push_unique(&mut combined.rules, rule));
                if combined.note != other.note {
                    combined.note = format!("{}; {}", combined.note, other.note);
                }
                combined
            }
        }
    }
}

/// Returns the ranges to quote. For a verbatim match, they are the matching lines. Otherwise, they are the
/// whole record if it is short, or else the lines of the deciding cells. Deciding cells outside the record
/// are always quoted.
fn quoted_ranges(
    content: &str,
    record: Range<usize>,
    location: &Location,
    rule: Rule,
) -> Vec<Range<usize>> {
    if rule == Rule::Verbatim {
        return location.spans.iter().map(|span| trim_span(content, span.clone())).collect();
    }
    let record = trim_span(content, record);
    let is_short = record.len() <= MAX_QUOTE;
    let mut ranges = Vec::new();
    if is_short && !record.is_empty() {
        ranges.push(record.clone());
    }
    for span in &location.spans {
        let is_in_record = record.start <= span.start && span.end <= record.end;
        if !(is_short && is_in_record) {
            ranges.push(enclosing_line(content, span));
        }
    }
    ranges.sort_by_key(|span| span.start);
    ranges.dedup();
    ranges
}

/// Returns the line that contains a cell. If the line is too long, returns the cell and some text before it.
fn enclosing_line(content: &str, cell: &Range<usize>) -> Range<usize> {
    const MAX_BYTES_BEFORE: usize = 120;
    let text_before = content.get(..cell.start).unwrap_or_default();
    let text_after = content.get(cell.end..).unwrap_or_default();
    let start = text_before.rfind('\n').map_or(0, |index| index + 1);
    let end = cell.end + text_after.find('\n').unwrap_or(text_after.len());
    let line = trim_span(content, start..end);
    if line.len() <= MAX_QUOTE {
        return line;
    }
    let separator_end =
        text_before.rfind(['{', '[', ',', ';', '|']).map_or(start, |index| index + 1);
    let start =
        separator_end.max(content.ceil_char_boundary(cell.start.saturating_sub(MAX_BYTES_BEFORE)));
    let end = content.floor_char_boundary(cell.end.min(start + MAX_QUOTE));
    trim_span(content, start..end)
}

fn trim_span(content: &str, span: Range<usize>) -> Range<usize> {
    let text = content.get(span.clone()).unwrap_or_default();
    let start = span.start + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

fn evidence_type(items: &[usize], observations: &Observations<'_>) -> EvidenceType {
    let mut kinds = items.iter().filter_map(|item| Some(observations.items.get(*item)?.kind));
    match (kinds.next(), items.iter().any(|item| Some(item) != items.first())) {
        (None, _) => EvidenceType::Inference,
        (_, true) => EvidenceType::Synthesis,
        (Some(EvidenceKind::StepOutput), _) => EvidenceType::SpecificData,
        (Some(EvidenceKind::Signal), _) => EvidenceType::SignalMatch,
        _ => EvidenceType::ToolMatch,
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::ClaimId;
    use gsar_core::budget::Budget;
    use gsar_core::evidence::{EvidenceItem, Lane};
    use gsar_extraction::facts::RecordId;

    use super::super::testing::item;
    use super::*;

    const PODS: &str = "NAME    READY  STATUS            RESTARTS\n\
                        cart-1  1/1    Running           0\n\
                        cart-2  0/1    CrashLoopBackOff  7\n";

    fn judge_claim(text: &str, items: &[EvidenceItem]) -> JudgedClaim {
        let claim = Claim::new(ClaimId::new("c1").unwrap(), text);
        Observations::read(items, &Budget::unlimited())
            .judge(&[claim], &Budget::unlimited())
            .unwrap()
            .remove(0)
    }

    #[test]
    fn cites_the_deciding_record() {
        let items = [item("pods", PODS)];
        for (text, class) in [
            ("Pod cart-2 is in CrashLoopBackOff.", Some(Class::Grounded)),
            ("Pod cart-1 is in CrashLoopBackOff.", Some(Class::Contradicted)),
            ("cart-1 is Running; cart-2 is in CrashLoopBackOff.", Some(Class::Grounded)),
            ("cart-1 is Running; cart-2 is haunted by gremlins.", None),
            ("Should cart-2 be restarted?", None),
            ("cart-2 was restarted by hand.", None),
        ] {
            let verdict = judge_claim(text, &items);
            let decided_class = verdict.undecided.is_none().then_some(verdict.class);
            assert_eq!(decided_class, class, "{text}: {}", verdict.note);
            let has_evidence = matches!(class, Some(Class::Grounded | Class::Contradicted));
            assert_eq!(verdict.citations.is_empty(), !has_evidence, "{text}");
            for citation in &verdict.citations {
                assert!(PODS.contains(&citation.quote), "{}", citation.quote);
            }
        }
    }

    #[test]
    fn the_note_names_the_item_and_the_rule() {
        let verdict = judge_claim("Pod cart-2 is in CrashLoopBackOff.", &[item("pods", PODS)]);
        assert!(verdict.note.starts_with("pods shows it (rule "), "{}", verdict.note);
    }

    #[test]
    fn inferences_and_prior_claims_are_not_evidence() {
        let inference = EvidenceItem { lane: Lane::LlmInferred, ..item("guess", PODS) };
        let prior_claim = EvidenceItem { kind: EvidenceKind::PriorClaim, ..item("earlier", PODS) };
        let verdict = judge_claim("Pod cart-2 is in CrashLoopBackOff.", &[inference, prior_claim]);
        assert!(verdict.undecided.is_some());
    }

    #[test]
    fn quotes_only_the_deciding_lines_of_a_long_record() {
        let filler: String = (0..40).map(|n| format!("  setting_{n}: value-{n}\n")).collect();
        let content = format!("pool:\n  name: main-pool\n{filler}  size: 50\n");
        let size = content.find("50").unwrap();
        let location =
            Location { record: RecordId(0), spans: std::iter::once(size..size + 2).collect() };
        let ranges = quoted_ranges(&content, 0..content.len(), &location, Rule::Value);
        let texts: Vec<&str> = ranges.into_iter().filter_map(|span| content.get(span)).collect();
        assert_eq!(texts, ["size: 50"]);
    }

    proptest::proptest! {
        #[test]
        fn quotes_are_substrings_of_their_item(content in "(\\PC|[a-z]{1,9}=|[0-9]{1,4}|\n| |\"|\\{|,){0,80}", claim in "([a-z]{1,9} |[0-9]{1,4} |is |was )(\\PC|[a-z ]){0,20}") {
            let items = [item("any", &content)];
            for citation in judge_claim(&claim, &items).citations {
                proptest::prop_assert!(content.contains(&citation.quote));
                proptest::prop_assert!(!citation.quote.is_empty());
            }
        }
    }
}
