//! Converts a complete answer to a verdict for each expected claim, and to the other fields.

use std::collections::HashMap;

use gsar_core::fixed_point::Millionths;
use gsar_core::{Claim, ClaimId};

use crate::answer_form::Form;
use crate::bounds::{Bounds, Meter};
use crate::claim_entry::{ClaimVerdict, Entry};
use crate::error::ParseError;
use crate::fix::{Fix, Fixes};
use crate::json_tree::{Member, Node, Text};
use crate::judge_score;
use crate::parsed::{LossReason, LostEntry};

#[derive(Debug)]
pub(crate) struct Expected<'c> {
    pub(crate) form: Form,
    pub(crate) claims: &'c [Claim],
    positions: HashMap<&'c str, usize>,
}

impl<'c> Expected<'c> {
    pub(crate) fn new(form: Form, claims: &'c [Claim]) -> Self {
        let mut positions = HashMap::with_capacity(claims.len());
        for (position, claim) in claims.iter().enumerate() {
            positions.entry(claim.id.as_str()).or_insert(position);
        }
        Self { form, claims, positions }
    }

    fn position(&self, id: &str) -> Option<usize> {
        self.positions.get(id).copied()
    }

    fn id(&self, position: usize) -> Option<ClaimId> {
        self.claims.get(position).map(|claim| claim.id.clone())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClaimState {
    Missing,
    Judged(ClaimVerdict),
    Lost,
}

#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) fixes: Fixes,
    pub(crate) claims: Vec<ClaimState>,
    pub(crate) lost: Vec<LostEntry>,
    pub(crate) invented: Vec<String>,
    pub(crate) score: Option<Millionths>,
    pub(crate) explanation: String,
    pub(crate) gaps: Vec<String>,
    pub(crate) contradictions: Vec<String>,
    pub(crate) abstained: Option<String>,
}

pub(crate) enum Claims<'n, 'a> {
    None,
    List(&'n [Node<'a>]),
    Keyed(&'n [Member<'a>]),
}

impl Draft {
    pub(crate) fn new(
        entries: &Claims<'_, '_>,
        fixes: Fixes,
        expected: &Expected<'_>,
        bounds: &Bounds,
    ) -> Result<Self, ParseError> {
        let count = match entries {
            Claims::None => 0,
            Claims::List(entries) => entries.len(),
            Claims::Keyed(members) => members.len(),
        };
        if count > bounds.claims {
            return Err(ParseError::TooManyClaims { given: count, allowed: bounds.claims });
        }
        let claims = vec![ClaimState::Missing; expected.claims.len()];
        let mut draft = Self { fixes, claims, ..Self::default() };
        match entries {
            Claims::None => {}
            Claims::List(entries) => draft.add_list(entries, expected, bounds),
            Claims::Keyed(members) => {
                draft.fixes.add(Fix::KeyedClaims);
                for (number, Member { name, value }) in members.iter().enumerate() {
                    draft.add_entry(
                        Entry::parse(value, Some(name), expected.form, bounds.citations),
                        number + 1,
                        expected,
                    );
                }
            }
        }
        Ok(draft)
    }

    fn add_list(&mut self, entries: &[Node<'_>], expected: &Expected<'_>, bounds: &Bounds) {
        for (number, entry) in entries.iter().enumerate() {
            let inner = embedded_json(entry, bounds);
            if inner.is_some() {
                self.fixes.add(Fix::ClaimText);
            }
            let entry = inner.as_ref().unwrap_or(entry);
            self.add_entry(
                Entry::parse(entry, None, expected.form, bounds.citations),
                number + 1,
                expected,
            );
        }
    }

    fn add_entry(&mut self, entry: Entry<'_>, entry_number: usize, expected: &Expected<'_>) {
        let id = entry.id.as_deref();
        let position = id.and_then(|id| expected.position(id));
        match (position, entry.verdict) {
            (Some(position), Ok(verdict)) => self.judge(position, verdict),
            (Some(position), Err(reason)) => {
                self.lose(position, Some(entry_number), reason, expected)
            }
            (None, Ok(_)) => self.invent(id.unwrap_or_default()),
            (None, Err(reason)) => {
                if let Some(id) = id {
                    self.invent(id);
                }
                self.lost.push(LostEntry { claim: None, entry: Some(entry_number), reason });
            }
        }
    }

    fn judge(&mut self, position: usize, verdict: ClaimVerdict) {
        let Some(state) = self.claims.get_mut(position) else { return };
        match state {
            ClaimState::Lost => {}
            ClaimState::Missing => *state = ClaimState::Judged(verdict),
            ClaimState::Judged(earlier) => earlier.merge(verdict),
        }
    }

    /// Marks a claim as lost, even if other entries judge it, because the unusable entry may contradict them.
    fn lose(
        &mut self,
        position: usize,
        entry: Option<usize>,
        reason: LossReason,
        expected: &Expected<'_>,
    ) {
        if let Some(state) = self.claims.get_mut(position) {
            let is_first = *state != ClaimState::Lost;
            *state = ClaimState::Lost;
            let claim = if is_first { expected.id(position) } else { None };
            self.lost.push(LostEntry { claim, entry, reason });
        }
    }

    fn invent(&mut self, id: &str) {
        let end = id.floor_char_boundary(ClaimId::MAX_BYTES);
        self.invented.push(id.get(..end).unwrap_or_default().to_owned());
    }

    /// Marks claims as lost if an earlier answer assigns a different class to them.
    pub(crate) fn compare(&mut self, earlier: &Self, expected: &Expected<'_>) {
        for (position, earlier_state) in earlier.claims.iter().enumerate() {
            let (first, last) = match (earlier_state, self.claims.get(position)) {
                (ClaimState::Judged(first), Some(ClaimState::Judged(last))) => {
                    (first.class, last.class)
                }
                _ => continue,
            };
            if first != last {
                self.lose(position, None, LossReason::AnswersDiffer { first, last }, expected);
            }
        }
    }

    pub(crate) fn set_other_fields(&mut self, fields: &OtherFields<'_, '_>) {
        self.score = fields.score.and_then(judge_score::parse);
        self.explanation = fields.explanation.and_then(Node::as_str).unwrap_or_default().to_owned();
        self.gaps = fields.gaps.map(texts).unwrap_or_default();
        self.contradictions = fields.contradictions.map(texts).unwrap_or_default();
        self.abstained = fields.abstain.and_then(abstain_reason);
    }
}

fn texts(node: &Node<'_>) -> Vec<String> {
    let entries = match node {
        Node::List(entries) => entries.as_slice(),
        single => std::slice::from_ref(single),
    };
    entries.iter().filter_map(Node::as_str).map(str::to_owned).collect()
}

/// Parses a string that contains JSON. Returns `None` if the end of the string was guessed.
pub(crate) fn embedded_json<'n>(node: &'n Node<'_>, bounds: &Bounds) -> Option<Node<'n>> {
    match node {
        Node::Text(Text { value, has_guessed_end: false })
            if value.trim_start().starts_with(['{', '[']) =>
        {
            Node::parse_strict(value, &Meter::new(value, bounds))
        }
        _ => None,
    }
}

#[derive(Debug, Default)]
pub(crate) struct OtherFields<'n, 'a> {
    pub(crate) score: Option<&'n Node<'a>>,
    pub(crate) explanation: Option<&'n Node<'a>>,
    pub(crate) gaps: Option<&'n Node<'a>>,
    pub(crate) contradictions: Option<&'n Node<'a>>,
    pub(crate) abstain: Option<&'n Node<'a>>,
}

/// Returns the reason for an abstention. Any value other than a form of "no" is an abstention.
pub(crate) fn abstain_reason(node: &Node<'_>) -> Option<String> {
    match node {
        Node::Null | Node::Flag(false) => None,
        Node::Text(text) => {
            let value = text.value.trim();
            let is_no =
                ["", "null", "none", "false", "no"].iter().any(|no| value.eq_ignore_ascii_case(no));
            (!is_no).then(|| value.to_owned())
        }
        Node::Object(members) => {
            let reason = members.iter().find(|member| member.name == "reason");
            Some(reason.and_then(|reason| reason.value.as_str()).unwrap_or_default().to_owned())
        }
        _ => Some(String::new()),
    }
}
