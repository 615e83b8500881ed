//! Finds the list of claims in JSON, at the top level or nested in objects, lists and strings. Each
//! object with claims is a separate answer.

use crate::bounds::{Bounds, Meter};
use crate::convert::{Claims, Draft, Expected, OtherFields, abstain_reason, embedded_json};
use crate::documents::Documents;
use crate::error::ParseError;
use crate::fix::{Fix, Fixes};
use crate::json_tree::{Member, Node, Text};

const MAX_NESTED: usize = 5;
const MAX_ANSWERS: usize = 8;
const TEXT_FIELDS: [&str; 8] =
    ["arguments", "input", "parameters", "result", "response", "output", "answer", "content"];

pub(crate) struct AnswerFinder<'s> {
    pub(crate) expected: &'s Expected<'s>,
    pub(crate) bounds: &'s Bounds,
    pub(crate) meter: &'s Meter,
    pub(crate) drafts: Vec<Draft>,
}

/// An object with claims or an abstention.
struct Envelope<'n, 'a> {
    claims: Option<&'n Node<'a>>,
    rest: OtherFields<'n, 'a>,
}

impl<'n, 'a> Envelope<'n, 'a> {
    /// Returns `None` for an object with neither claims nor an abstention.
    fn parse(members: &'n [Member<'a>]) -> Result<Option<Self>, ParseError> {
        let mut claims = None;
        let mut rest = OtherFields::default();
        let mut duplicate = None;
        for Member { name, value } in members {
            let (field, slot) = match name.as_ref() {
                "claims" | "statements" => ("claims", &mut claims),
                "score" => ("score", &mut rest.score),
                "explanation" => ("explanation", &mut rest.explanation),
                "gaps" => ("gaps", &mut rest.gaps),
                "contradictions" => ("contradictions", &mut rest.contradictions),
                "abstain" => ("abstain", &mut rest.abstain),
                _ => continue,
            };
            if slot.replace(value).is_some() {
                duplicate = Some(field);
            }
        }
        let has_claims = matches!(claims, Some(Node::List(_) | Node::Object(_) | Node::Text(_)));
        if !has_claims && rest.abstain.and_then(abstain_reason).is_none() {
            return Ok(None);
        }
        duplicate.map_or(Ok(Some(Self { claims, rest })), |field| {
            Err(ParseError::DuplicateField { field })
        })
    }
}

impl AnswerFinder<'_> {
    pub(crate) fn find_in_text(
        &mut self,
        text: &str,
        fixes: &Fixes,
        depth: usize,
    ) -> Result<(), ParseError> {
        let documents = Documents::parse(text, self.meter)?;
        let draft_count = self.drafts.len();
        for document in &documents.found {
            let mut fixes = fixes.clone();
            fixes.add_all(&documents.text_fixes);
            fixes.add_all(&document.fixes);
            self.find_in_value(&document.node, &fixes, depth)?;
        }
        if self.drafts.len() > draft_count {
            Ok(())
        } else if documents.found.is_empty() {
            Err(ParseError::NoJson)
        } else {
            Err(ParseError::NoClaims)
        }
    }

    pub(crate) fn find_in_value(
        &mut self,
        node: &Node<'_>,
        fixes: &Fixes,
        depth: usize,
    ) -> Result<(), ParseError> {
        match node {
            Node::Object(members) => match Envelope::parse(members)? {
                Some(envelope) => self.add_answer(&envelope, fixes.clone()),
                None => self.find_in_members(members, fixes, depth),
            },
            Node::List(entries) if is_list_of_claims(entries) => {
                let fixes = with_fix(fixes, Fix::BareList);
                self.push(Draft::new(&Claims::List(entries), fixes, self.expected, self.bounds)?)
            }
            Node::List(entries) if depth < MAX_NESTED => {
                let fixes = with_fix(fixes, Fix::Nested);
                entries.iter().try_for_each(|entry| self.find_in_value(entry, &fixes, depth + 1))
            }
            _ => Ok(()),
        }
    }

    fn find_in_members(
        &mut self,
        members: &[Member<'_>],
        fixes: &Fixes,
        depth: usize,
    ) -> Result<(), ParseError> {
        if depth >= MAX_NESTED {
            return Ok(());
        }
        for Member { name, value } in members {
            match value {
                Node::Text(Text { value, has_guessed_end: false })
                    if TEXT_FIELDS.contains(&name.as_ref()) && value.contains('{') =>
                {
                    match self.find_in_text(value, &with_fix(fixes, Fix::ArgumentText), depth + 1) {
                        Ok(()) | Err(ParseError::NoJson | ParseError::NoClaims) => {}
                        Err(error) => return Err(error),
                    }
                }
                value => self.find_in_value(value, &with_fix(fixes, Fix::Nested), depth + 1)?,
            }
        }
        Ok(())
    }

    fn add_answer(
        &mut self,
        envelope: &Envelope<'_, '_>,
        mut fixes: Fixes,
    ) -> Result<(), ParseError> {
        let inner = envelope.claims.and_then(|claims| embedded_json(claims, self.bounds));
        if inner.is_some() {
            fixes.add(Fix::ClaimText);
        }
        let claims = match inner.as_ref().or(envelope.claims) {
            Some(Node::List(entries)) => Claims::List(entries),
            Some(Node::Object(members)) => Claims::Keyed(members),
            Some(Node::Text(_)) => return Err(ParseError::NoClaims),
            _ => Claims::None,
        };
        let mut draft = Draft::new(&claims, fixes, self.expected, self.bounds)?;
        draft.set_other_fields(&envelope.rest);
        self.push(draft)
    }

    fn push(&mut self, draft: Draft) -> Result<(), ParseError> {
        if self.drafts.len() == MAX_ANSWERS {
            return Err(ParseError::SeveralAnswers { allowed: MAX_ANSWERS });
        }
        self.drafts.push(draft);
        Ok(())
    }
}

fn with_fix(fixes: &Fixes, fix: Fix) -> Fixes {
    let mut fixes = fixes.clone();
    fixes.add(fix);
    fixes
}

fn is_list_of_claims(entries: &[Node<'_>]) -> bool {
    let first = entries.iter().find_map(|entry| match entry {
        Node::Object(members) => Some(members),
        _ => None,
    });
    first.is_some_and(|members| {
        let has = |name: &str| members.iter().any(|member| member.name == name);
        has("id") && (has("class") || has("verdict"))
    })
}
