//! This module asks every rule of every claim. It counts nothing.

use gsar_core::Class;
use gsar_extraction::claim::TypedClaim;
use gsar_extraction::facts::{Facts, Item, RecordId};
use gsar_extraction::rules::{Held, Index, Outcome, RuleId, together};

use super::sources::{Case, Claim, Source};

/// The most characters of evidence that are shown of a record.
const MAX_SHOWN: usize = 300;

/// A claim with what the rules say of it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The place of its case, from 0.
    pub(super) case: usize,
    pub(super) text: String,
    /// What a person says.
    pub(super) class: Class,
    pub(super) mistake: Option<String>,
    /// What each rule says that is not silent.
    pub(super) said: Vec<(RuleId, Outcome)>,
    /// The records that the rules rest on; where they are silent, the one that lacks least.
    pub(super) records: Vec<String>,
    /// The words of the claim that this one lacks.
    pub(super) lacking: Vec<String>,
}

/// What is said of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Supported,
    Refuted,
    Nothing,
}

impl Said {
    pub(super) const fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Supports(_) => Self::Supported,
            Outcome::Refutes(_) => Self::Refuted,
            Outcome::Silent => Self::Nothing,
        }
    }

    /// The class that it puts a claim in, where it does.
    pub(super) const fn class(self) -> Option<Class> {
        match self {
            Self::Supported => Some(Class::Grounded),
            Self::Refuted => Some(Class::Contradicted),
            Self::Nothing => None,
        }
    }
}

impl Row {
    /// What those rules that are kept say together.
    pub(super) fn said_by(&self, kept: impl Fn(RuleId) -> bool) -> Said {
        let kept = self.said.iter().filter(|(rule, _)| kept(*rule));
        Said::of(&together(kept.map(|(_, outcome)| outcome)))
    }

    /// What one rule by itself says.
    pub(super) fn said_alone(&self, rule: RuleId) -> Said {
        let mine = self.said.iter().find(|(of, _)| *of == rule);
        mine.map_or(Said::Nothing, |(_, outcome)| Said::of(outcome))
    }
}

/// What the rules say of every claim of a source.
pub(super) fn rulings(source: &Source) -> Vec<Row> {
    let of_case = |(place, case): (usize, &Case)| {
        let items = case.evidence.iter().map(|item| Item {
            tool: &item.tool,
            query: &item.query,
            content: &item.content,
            exhaustive: false,
        });
        let index = Index::new(Facts::read(items.collect::<Vec<_>>()));
        case.claims.iter().map(|claim| row(place, claim, &index)).collect::<Vec<_>>()
    };
    source.cases.iter().enumerate().flat_map(of_case).collect()
}

fn row(case: usize, claim: &Claim, index: &Index<'_>) -> Row {
    let typed = TypedClaim::read(&claim.text);
    let held = Held::new(&typed, index);
    let said = held.each_rule();
    let mut lacking = Vec::new();
    let records: Vec<RecordId> = if said.is_empty() {
        let best = held.left_over();
        let best = best.map(|(record, terms)| {
            lacking = terms.into_iter().map(str::to_owned).collect();
            record
        });
        best.into_iter().collect()
    } else {
        said.iter().flat_map(|(_, outcome)| records(outcome)).copied().collect()
    };
    Row {
        case,
        text: claim.text.clone(),
        class: claim.class,
        mistake: claim.mistake.clone(),
        said,
        records: records.into_iter().filter_map(|record| shown(record, index)).collect(),
        lacking,
    }
}

fn records(outcome: &Outcome) -> &[RecordId] {
    match outcome {
        Outcome::Supports(records) | Outcome::Refutes(records) => records,
        Outcome::Silent => &[],
    }
}

/// The words of a record, on one line.
fn shown(id: RecordId, index: &Index<'_>) -> Option<String> {
    let facts = index.facts();
    let item = facts.item(facts.item_of(id)?)?;
    let text = item.content.get(facts.record(id)?.span.clone())?;
    Some(text.chars().take(MAX_SHOWN).collect::<String>().replace('\n', "\\n"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row of a case: the class of the label, and what rules say, `+name` or `-name`.
    pub(in crate::rules) fn row(case: usize, class: Class, said: &[&'static str]) -> Row {
        let said = said.iter().map(|said| match said.split_at(1) {
            ("+", rule) => (RuleId(rule), Outcome::Supports(Vec::new())),
            (_, rule) => (RuleId(rule), Outcome::Refutes(Vec::new())),
        });
        Row {
            case,
            text: "It is up.".to_owned(),
            class,
            mistake: None,
            said: said.collect(),
            records: Vec::new(),
            lacking: Vec::new(),
        }
    }

    #[test]
    fn a_rule_that_is_left_out_no_longer_stands_against_another() {
        let row = row(0, Class::Grounded, &["+value", "-owner"]);
        assert_eq!(row.said_by(|_| true), Said::Nothing);
        assert_eq!(row.said_by(|rule| rule.0 != "owner"), Said::Supported);
        assert_eq!(row.said_alone(RuleId("owner")), Said::Refuted);
        assert_eq!(row.said_alone(RuleId("rank")), Said::Nothing);
    }

    #[test]
    fn rules_are_asked_of_the_evidence_of_their_case() {
        let content =
            r#"{"pods": [{"name": "cart-1", "restarts": 4}, {"name": "stock-1", "restarts": 9}]}"#;
        let item = super::super::sources::Item {
            id: String::new(),
            tool: String::new(),
            query: String::new(),
            content: content.to_owned(),
        };
        let claim = |text: &str, class| Claim { text: text.to_owned(), class, mistake: None };
        let claims = vec![
            claim("cart-1 had 4 restarts.", Class::Grounded),
            claim("cart-1 had 9 restarts.", Class::Contradicted),
            claim("cart-1 was moved to Oslo.", Class::Ungrounded),
        ];
        let case = Case { name: "a".to_owned(), evidence: vec![item], claims };
        let rows = rulings(&Source { name: "set".to_owned(), cases: vec![case] });
        let said: Vec<Said> = rows.iter().map(|row| row.said_by(|_| true)).collect();
        assert_eq!(said, [Said::Supported, Said::Refuted, Said::Nothing]);
        assert!(rows[0].records[0].contains("cart-1"), "{:?}", rows[0].records);
        assert!(rows[2].lacking.contains(&"Oslo".to_owned()), "{:?}", rows[2].lacking);
    }
}
