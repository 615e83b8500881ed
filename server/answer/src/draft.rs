//! This module reads one complete answer: what it says of each expected claim, and its other fields.

use std::collections::HashMap;

use gsar_core::fixed::Millionths;
use gsar_core::{Claim, ClaimId};

use crate::bounds::{Bounds, Meter};
use crate::entry::{ClaimVerdict, Entry, left_out};
use crate::fix::{Fix, Fixes};
use crate::form::Form;
use crate::node::{Member, Node, Text};
use crate::reading::{Correction, CorrectionKind, Loss, Lost};
use crate::score;
use crate::unreadable::Unreadable;

/// The claims that were asked about, by their ids.
#[derive(Debug)]
pub(crate) struct Expected<'c> {
    pub(crate) form: Form,
    pub(crate) claims: &'c [Claim],
    places: HashMap<&'c str, usize>,
}

impl<'c> Expected<'c> {
    pub(crate) fn new(form: Form, claims: &'c [Claim]) -> Self {
        let mut places = HashMap::with_capacity(claims.len());
        for (place, claim) in claims.iter().enumerate() {
            places.entry(claim.id.as_str()).or_insert(place);
        }
        Self { form, claims, places }
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    fn id(&self, place: usize) -> Option<ClaimId> {
        self.claims.get(place).map(|claim| claim.id.clone())
    }
}

/// What an answer says of an expected claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Said {
    #[default]
    Nothing,
    ClaimVerdict(ClaimVerdict),
    /// Something that nothing can be taken from.
    Lost,
}

/// One complete answer.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) fixes: Fixes,
    /// One for each expected claim.
    pub(crate) said: Vec<Said>,
    pub(crate) lost: Vec<Lost>,
    pub(crate) invented: Vec<String>,
    pub(crate) corrections: Vec<Correction>,
    pub(crate) score: Option<Millionths>,
    pub(crate) explanation: String,
    pub(crate) gaps: Vec<String>,
    pub(crate) contradictions: Vec<String>,
    pub(crate) abstained: Option<String>,
}

/// Where the list of claims comes from.
pub(crate) enum Claims<'n, 'a> {
    None,
    List(&'n [Node<'a>]),
    Keyed(&'n [Member<'a>]),
}

impl Draft {
    pub(crate) fn new(
        claims: &Claims<'_, '_>,
        fixes: Fixes,
        expected: &Expected<'_>,
        bounds: &Bounds,
    ) -> Result<Self, Unreadable> {
        let given = match claims {
            Claims::None => 0,
            Claims::List(entries) => entries.len(),
            Claims::Keyed(members) => members.len(),
        };
        if given > bounds.claims {
            return Err(Unreadable::TooManyClaims { given, allowed: bounds.claims });
        }
        let said = vec![Said::Nothing; expected.claims.len()];
        let mut draft = Self { fixes, said, ..Self::default() };
        match claims {
            Claims::None => {}
            Claims::List(entries) => draft.take_list(entries, expected, bounds),
            Claims::Keyed(members) => {
                draft.fixes.add(Fix::KeyedClaims);
                for (number, Member { name, value }) in members.iter().enumerate() {
                    draft.take(
                        Entry::of(value, Some(name), expected.form, bounds.citations),
                        number + 1,
                        expected,
                    );
                }
            }
        }
        Ok(draft)
    }

    fn take_list(&mut self, entries: &[Node<'_>], expected: &Expected<'_>, bounds: &Bounds) {
        for (number, entry) in entries.iter().enumerate() {
            let inner = document_in(entry, bounds);
            if inner.is_some() {
                self.fixes.add(Fix::ClaimText);
            }
            let entry = inner.as_ref().unwrap_or(entry);
            self.take(
                Entry::of(entry, None, expected.form, bounds.citations),
                number + 1,
                expected,
            );
        }
    }

    fn take(&mut self, entry: Entry<'_>, number: usize, expected: &Expected<'_>) {
        let id = entry.id.as_deref();
        let place = id.and_then(|id| expected.place(id));
        match (place, entry.verdict) {
            (Some(place), Ok(verdict)) => self.judge(place, verdict),
            (Some(place), Err(reason)) => self.lose(place, Some(number), reason, expected),
            (None, Ok(_)) => self.invent(id.unwrap_or_default()),
            (None, Err(reason)) => {
                if let Some(id) = id {
                    self.invent(id);
                }
                self.lost.push(Lost { claim: None, entry: Some(number), reason });
            }
        }
    }

    fn judge(&mut self, place: usize, verdict: ClaimVerdict) {
        let Some(said) = self.said.get_mut(place) else { return };
        match said {
            Said::Lost => {}
            Said::Nothing => *said = Said::ClaimVerdict(verdict),
            Said::ClaimVerdict(earlier) => earlier.join(verdict),
        }
    }

    /// Loses a claim: whatever else the answer says of it, this entry may have said otherwise.
    fn lose(&mut self, place: usize, entry: Option<usize>, reason: Loss, expected: &Expected<'_>) {
        if let Some(said) = self.said.get_mut(place) {
            let first = *said != Said::Lost;
            *said = Said::Lost;
            let claim = if first { expected.id(place) } else { None };
            self.lost.push(Lost { claim, entry, reason });
        }
    }

    fn invent(&mut self, id: &str) {
        let end = id.floor_char_boundary(ClaimId::MAX_BYTES);
        self.invented.push(id.get(..end).unwrap_or_default().to_owned());
    }

    /// Loses the claims to which an earlier answer gives another class.
    pub(crate) fn compare(&mut self, earlier: &Self, expected: &Expected<'_>) {
        for (place, first) in earlier.said.iter().enumerate() {
            let (first, last) = match (first, self.said.get(place)) {
                (Said::ClaimVerdict(first), Some(Said::ClaimVerdict(last))) => {
                    (first.class, last.class)
                }
                _ => continue,
            };
            if first != last {
                self.lose(place, None, Loss::AnswersDiffer { first, last }, expected);
            }
        }
    }

    /// Reads the fields beside the claims.
    pub(crate) fn read_rest(&mut self, rest: &Rest<'_, '_>) {
        if let Some(node) = rest.score {
            match score::of(node) {
                Ok(score) => {
                    self.score = score.value;
                    if score.is_percentage {
                        self.correct(CorrectionKind::Percentage);
                    }
                }
                Err(given) => self.correct(CorrectionKind::FieldLeftOut { field: "score", given }),
            }
        }
        if let Some(node) = rest.explanation {
            self.explanation = self.text("explanation", node);
        }
        if let Some(node) = rest.gaps {
            self.gaps = self.texts("gaps", node);
        }
        if let Some(node) = rest.contradictions {
            self.contradictions = self.texts("contradictions", node);
        }
        self.abstained = rest.abstain.and_then(reason_to_abstain);
    }

    fn correct(&mut self, kind: CorrectionKind) {
        self.corrections.push(Correction { claim: None, kind });
    }

    fn text(&mut self, field: &'static str, node: &Node<'_>) -> String {
        match node {
            Node::Text(text) => text.words.to_string(),
            Node::Null => String::new(),
            other => {
                self.correct(left_out(field, other));
                String::new()
            }
        }
    }

    fn texts(&mut self, field: &'static str, node: &Node<'_>) -> Vec<String> {
        let entries = match node {
            Node::List(entries) => entries.as_slice(),
            Node::Null => &[],
            one => std::slice::from_ref(one),
        };
        if let Some(other) = entries.iter().find(|entry| entry.words().is_none()) {
            self.correct(left_out(field, other));
        }
        entries.iter().filter_map(Node::words).map(str::to_owned).collect()
    }
}

/// The JSON that a whole string holds; nothing where the end of that string was a guess.
pub(crate) fn document_in<'n>(node: &'n Node<'_>, bounds: &Bounds) -> Option<Node<'n>> {
    match node {
        Node::Text(Text { words, requoted: false })
            if words.trim_start().starts_with(['{', '[']) =>
        {
            Node::structured(words, &Meter::new(words, bounds))
        }
        _ => None,
    }
}

/// The fields of an answer beside its claims.
#[derive(Debug, Default)]
pub(crate) struct Rest<'n, 'a> {
    pub(crate) score: Option<&'n Node<'a>>,
    pub(crate) explanation: Option<&'n Node<'a>>,
    pub(crate) gaps: Option<&'n Node<'a>>,
    pub(crate) contradictions: Option<&'n Node<'a>>,
    pub(crate) abstain: Option<&'n Node<'a>>,
}

/// Why the judge does not judge. Whatever is said there but no is an abstention.
pub(crate) fn reason_to_abstain(node: &Node<'_>) -> Option<String> {
    match node {
        Node::Null | Node::Flag(false) => None,
        Node::Text(text) => {
            let words = text.words.trim();
            let says_no =
                ["", "null", "none", "false", "no"].iter().any(|no| words.eq_ignore_ascii_case(no));
            (!says_no).then(|| words.to_owned())
        }
        Node::Object(members) => {
            let reason = members.iter().find(|member| member.name == "reason");
            Some(reason.and_then(|reason| reason.value.words()).unwrap_or_default().to_owned())
        }
        _ => Some(String::new()),
    }
}
