//! This module turns what rules say of a claim into a judged claim with citations.

use std::ops::Range;

use gsar_core::evidence::{Citation, EvidenceKind, Target};
use gsar_core::report::{ClaimKind, clauses};
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim, Role};
use gsar_extraction::claim::TypedClaim;
use gsar_extraction::facts::RecordId;
use gsar_extraction::rules::{Held, Outcome, RuleId, cited};

use super::Observations;

/// The most bytes of a quote.
const MAX_QUOTE: usize = 400;

/// What is said of a claim, or of one of its statements.
struct Ruling {
    class: Class,
    citations: Vec<Citation>,
    /// The places, among the observations, of the items that are cited.
    items: Vec<usize>,
    note: String,
    rules: Vec<RuleId>,
}

/// A claim, judged.
pub(super) fn judged(claim: &Claim, observations: &Observations<'_>) -> JudgedClaim {
    if ClaimKind::of(&claim.text) != ClaimKind::Statement {
        return JudgedClaim {
            claim: claim.clone(),
            class: Class::Complementary,
            evidence_type: EvidenceType::ComplementaryFinding,
            citations: Vec::new(),
            note: "it states no fact: it asks or proposes".to_owned(),
            role: Role::Proposal,
            rules: Vec::new(),
            undecided: None,
        };
    }
    let whole = of_statement(&claim.text, observations);
    let Ruling { class, citations, items, note, rules } = match whole.class {
        Class::Ungrounded => of_parts(&claim.text, observations).unwrap_or(whole),
        _ => whole,
    };
    JudgedClaim {
        claim: claim.clone(),
        class,
        evidence_type: evidence_type(class, &items, observations),
        role: Role::default(),
        citations,
        note,
        rules: rules.into_iter().map(|RuleId(name)| name.to_owned()).collect(),
        undecided: None,
    }
}

/// A claim that is of a class for reasons of someone else: what supports or refutes it, or what it is about, is cited.
pub(super) fn judged_as(
    claim: &Claim,
    class: Class,
    records: &[RecordId],
    note: String,
    observations: &Observations<'_>,
) -> JudgedClaim {
    let records = if class == Class::Ungrounded { &[] } else { records };
    let read = TypedClaim::read(&claim.text);
    let ruling = Ruling::resting_on(&read, records, class, observations);
    JudgedClaim {
        claim: claim.clone(),
        class,
        evidence_type: match class {
            Class::Complementary => EvidenceType::ComplementaryFinding,
            _ => evidence_type(class, &ruling.items, observations),
        },
        citations: ruling.citations,
        note,
        role: Role::default(),
        rules: Vec::new(),
        undecided: None,
    }
}

/// What is said of the statements that a claim joins: all have to be shown, and one that is refuted suffices. `None`
/// for a claim that is one statement, and where one of them does not name what it is about.
fn of_parts(text: &str, observations: &Observations<'_>) -> Option<Ruling> {
    let parts = clauses(text);
    let parts: Vec<&str> = parts.into_iter().filter_map(|part| text.get(part)).collect();
    if parts.len() < 2 || parts.iter().any(|part| TypedClaim::read(part).names().next().is_none()) {
        return None;
    }
    let rulings = parts.into_iter().map(|part| of_statement(part, observations));
    rulings.reduce(Ruling::and)
}

fn of_statement(text: &str, observations: &Observations<'_>) -> Ruling {
    let claim = TypedClaim::read(text);
    let held = Held::new(&claim, &observations.index);
    let (outcome, rules) = held.rule();
    let names: Vec<&str> = rules.iter().map(|RuleId(name)| *name).collect();
    let names = names.join(", ");
    let (class, records, says) = match outcome {
        Outcome::Supports(records) => (Class::Grounded, records, "shows it"),
        Outcome::Refutes(records) => (Class::Contradicted, records, "says otherwise"),
        Outcome::Silent => {
            return Ruling {
                class: Class::Ungrounded,
                citations: Vec::new(),
                items: Vec::new(),
                note: lacking(&held),
                rules: Vec::new(),
            };
        }
    };
    let ruling = Ruling::resting_on(&claim, &records, class, observations);
    let cited = ruling.items.iter().filter_map(|item| observations.items.get(*item));
    let ids: Vec<&str> = cited.map(|item| item.id.as_str()).collect();
    let note = format!("{} {says} (rule {names})", ids.join(" with "));
    Ruling { note, rules, ..ruling }
}

/// Why nothing was said.
fn lacking(held: &Held<'_, '_, '_>) -> String {
    const MAX_NAMED: usize = 4;
    match held.left_over() {
        Some((_, terms)) if terms.is_empty() => {
            "its words stand in one record, which does not state it".to_owned()
        }
        Some((_, terms)) => {
            let named: Vec<String> =
                terms.iter().take(MAX_NAMED).map(|term| format!("\"{term}\"")).collect();
            let more = if terms.len() > MAX_NAMED { " and more" } else { "" };
            format!("no record states all of it; the nearest lacks {}{more}", named.join(", "))
        }
        None => "no record is about it".to_owned(),
    }
}

impl Ruling {
    fn resting_on(
        claim: &TypedClaim<'_>,
        records: &[RecordId],
        class: Class,
        observations: &Observations<'_>,
    ) -> Self {
        let mut ruling = Self {
            class,
            citations: Vec::new(),
            items: Vec::new(),
            note: String::new(),
            rules: Vec::new(),
        };
        let facts = observations.index.facts();
        for id in records {
            let (Some(record), Some(item)) = (facts.record(*id), facts.item_of(*id)) else {
                continue;
            };
            let Some(source) = observations.items.get(item.0) else { continue };
            let content = source.content.as_str();
            let spans = quotes(content, &record.span, cited(claim, *id, &observations.index));
            for span in spans {
                let citation = Citation {
                    target: Target::Evidence { id: source.id.clone(), field_path: String::new() },
                    quote: content.get(span).unwrap_or_default().to_owned(),
                    bytes: None,
                };
                if !ruling.citations.contains(&citation) {
                    ruling.citations.push(citation);
                }
            }
            if !ruling.items.contains(&item.0) {
                ruling.items.push(item.0);
            }
        }
        ruling
    }

    /// What is said of two statements together: the strictest, with what decides it.
    fn and(self, other: Self) -> Self {
        match self.class.cmp(&other.class) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Equal => {
                let mut both = self;
                both.citations.extend(other.citations);
                both.items.extend(other.items);
                for rule in other.rules {
                    if !both.rules.contains(&rule) {
                        both.rules.push(rule);
                    }
                }
                if both.note != other.note {
                    both.note = format!("{}; {}", both.note, other.note);
                }
                both
            }
        }
    }
}

/// What is quoted of a record: all of it where that is short, else the lines of the cells that count; and the lines of
/// cells that hold for it and stand elsewhere.
fn quotes(content: &str, record: &Range<usize>, cells: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let whole = trimmed(content, record.clone());
    let is_short = whole.len() <= MAX_QUOTE;
    let mut found = Vec::new();
    if is_short && !whole.is_empty() {
        found.push(whole.clone());
    }
    for cell in cells {
        let is_within = whole.start <= cell.start && cell.end <= whole.end;
        if !(is_short && is_within) {
            found.push(line_around(content, &cell));
        }
    }
    found.sort_by_key(|span| span.start);
    found.dedup();
    found
}

/// The line of a cell; of one too long, the cell with what stands before it.
fn line_around(content: &str, cell: &Range<usize>) -> Range<usize> {
    const BEFORE: usize = 120;
    let before = content.get(..cell.start).unwrap_or_default();
    let after = content.get(cell.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = cell.end + after.find('\n').unwrap_or(after.len());
    let line = trimmed(content, start..end);
    if line.len() <= MAX_QUOTE {
        return line;
    }
    let nearest = before.rfind(['{', '[', ',', ';', '|']).map_or(start, |at| at + 1);
    let start = nearest.max(content.ceil_char_boundary(cell.start.saturating_sub(BEFORE)));
    let end = content.floor_char_boundary(cell.end.min(start + MAX_QUOTE));
    trimmed(content, start..end)
}

fn trimmed(content: &str, span: Range<usize>) -> Range<usize> {
    let text = content.get(span.clone()).unwrap_or_default();
    let start = span.start + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Where a claim's support comes from.
fn evidence_type(class: Class, items: &[usize], observations: &Observations<'_>) -> EvidenceType {
    let mut kinds = items.iter().filter_map(|item| Some(observations.items.get(*item)?.kind));
    match (class, kinds.next(), items.iter().any(|item| Some(item) != items.first())) {
        (Class::Ungrounded, ..) | (_, None, _) => EvidenceType::Inference,
        (_, _, true) => EvidenceType::Synthesis,
        (_, Some(EvidenceKind::StepOutput), _) => EvidenceType::SpecificData,
        (_, Some(EvidenceKind::Signal), _) => EvidenceType::SignalMatch,
        _ => EvidenceType::ToolMatch,
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::ClaimId;
    use gsar_core::evidence::{EvidenceItem, Lane};

    use super::super::testing::item;
    use super::*;

    const PODS: &str = "NAME    READY  STATUS            RESTARTS\n\
                        cart-1  1/1    Running           0\n\
                        cart-2  0/1    CrashLoopBackOff  7\n";

    fn judged_over(text: &str, items: &[EvidenceItem]) -> JudgedClaim {
        let claim = Claim { id: ClaimId::new("c1").unwrap(), text: text.to_owned(), span: None };
        judged(&claim, &Observations::read(items))
    }

    #[test]
    fn the_record_that_decides_is_cited() {
        let items = [item("pods", PODS)];
        for (text, class) in [
            ("Pod cart-2 is in CrashLoopBackOff.", Class::Grounded),
            ("Pod cart-1 is in CrashLoopBackOff.", Class::Contradicted),
            ("cart-1 is Running; cart-2 is in CrashLoopBackOff.", Class::Grounded),
            ("cart-1 is Running; cart-2 is haunted by gremlins.", Class::Ungrounded),
            ("Should cart-2 be restarted?", Class::Complementary),
            ("cart-2 was restarted by hand.", Class::Ungrounded),
        ] {
            let judged = judged_over(text, &items);
            assert_eq!(judged.class, class, "{text}: {}", judged.note);
            let decides = matches!(class, Class::Grounded | Class::Contradicted);
            assert_eq!(judged.citations.is_empty(), !decides, "{text}");
            for citation in &judged.citations {
                assert!(PODS.contains(&citation.quote), "{}", citation.quote);
            }
        }
    }

    #[test]
    fn the_note_names_the_item_and_the_rule() {
        let judged = judged_over("Pod cart-2 is in CrashLoopBackOff.", &[item("pods", PODS)]);
        assert!(judged.note.starts_with("pods shows it (rule "), "{}", judged.note);
    }

    #[test]
    fn what_a_model_inferred_is_no_evidence() {
        let inferred = EvidenceItem { lane: Lane::LlmInferred, ..item("guess", PODS) };
        let earlier = EvidenceItem { kind: EvidenceKind::PriorClaim, ..item("earlier", PODS) };
        let judged = judged_over("Pod cart-2 is in CrashLoopBackOff.", &[inferred, earlier]);
        assert_eq!(judged.class, Class::Ungrounded);
    }

    #[test]
    fn of_a_long_record_the_lines_that_count_are_quoted() {
        let filler: String = (0..40).map(|n| format!("  setting_{n}: value-{n}\n")).collect();
        let content = format!("pool:\n  name: main-pool\n{filler}  size: 50\n");
        let size = content.find("50").unwrap();
        let cells = std::iter::once(size..size + 2).collect();
        let quoted = quotes(&content, &(0..content.len()), cells);
        let texts: Vec<&str> = quoted.into_iter().filter_map(|span| content.get(span)).collect();
        assert_eq!(texts, ["size: 50"]);
    }

    proptest::proptest! {
        #[test]
        fn quotes_stand_in_their_item(content in "(\\PC|[a-z]{1,9}=|[0-9]{1,4}|\n| |\"|\\{|,){0,80}", claim in "([a-z]{1,9} |[0-9]{1,4} |is |was )(\\PC|[a-z ]){0,20}") {
            let items = [item("any", &content)];
            for citation in judged_over(&claim, &items).citations {
                proptest::prop_assert!(content.contains(&citation.quote));
                proptest::prop_assert!(!citation.quote.is_empty());
            }
        }
    }
}
