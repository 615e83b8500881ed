//! Converts an entry in the list of claims to a verdict, or to the reason for its loss.

use std::borrow::Cow;

use gsar_core::evidence::{Citation, EvidenceId, Target};
use gsar_core::{Class, EvidenceType, Role};

use crate::answer_form::Form;
use crate::error::Location;
use crate::json_tree::{Member, Node, Text};
use crate::parsed::LossReason;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClaimVerdict {
    pub(crate) class: Class,
    pub(crate) evidence_type: EvidenceType,
    pub(crate) role: Role,
    pub(crate) citations: Vec<Citation>,
    pub(crate) note: String,
}

impl ClaimVerdict {
    /// Merges another verdict on the same claim and retains the stricter one.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.is_stricter(self) {
            *self = other;
        }
    }

    /// Returns `true` if this verdict has the stricter class. If the classes are equal, the weaker evidence
    /// type is stricter for supported claims, and the stronger type for other claims.
    fn is_stricter(&self, other: &Self) -> bool {
        let by_type = match self.class {
            Class::Grounded | Class::Complementary => self.evidence_type > other.evidence_type,
            Class::Ungrounded | Class::Contradicted => self.evidence_type < other.evidence_type,
        };
        self.class > other.class || (self.class == other.class && by_type)
    }
}

#[derive(Debug)]
pub(crate) struct Entry<'n> {
    pub(crate) id: Option<Cow<'n, str>>,
    pub(crate) verdict: Result<ClaimVerdict, LossReason>,
}

#[derive(Default)]
struct Fields<'n, 'a> {
    id: Option<&'n Node<'a>>,
    class: Option<&'n Node<'a>>,
    evidence_type: Option<&'n Node<'a>>,
    role: Option<&'n Node<'a>>,
    citations: Option<&'n Node<'a>>,
    note: Option<&'n Node<'a>>,
    duplicate: Option<&'static str>,
}

impl<'n, 'a> Fields<'n, 'a> {
    fn new(members: &'n [Member<'a>], form: Form) -> Self {
        let mut fields = Self::default();
        for Member { name, value } in members {
            let (field, slot) = match (form, name.as_ref()) {
                (_, "id") => ("id", &mut fields.id),
                (Form::Judgement, "class") => ("class", &mut fields.class),
                (Form::Judgement, "type") => ("type", &mut fields.evidence_type),
                (Form::Judgement, "role") => ("role", &mut fields.role),
                (Form::Judgement, "citations") => ("citations", &mut fields.citations),
                (Form::Judgement, "note") => ("note", &mut fields.note),
                (Form::SecondLook, "verdict") => ("verdict", &mut fields.class),
                (Form::SecondLook, "words") => ("words", &mut fields.note),
                _ => continue,
            };
            if slot.replace(value).is_some() {
                fields.duplicate = Some(field);
            }
        }
        fields
    }
}

impl<'n> Entry<'n> {
    /// Parses an entry. `key` is its field name if the claims are an object.
    pub(crate) fn parse(
        node: &'n Node<'_>,
        key: Option<&'n str>,
        form: Form,
        max_citations: usize,
    ) -> Self {
        let key_id = key.map(Cow::Borrowed);
        let lost_entry = |id, loss| Self { id, verdict: Err(loss) };
        match node {
            Node::Object(members) => Self::parse_fields(members, key_id, form, max_citations),
            Node::Text(text) if key_id.is_some() => {
                let class = Node::Text(text.clone());
                let fields = Fields { class: Some(&class), ..Fields::default() };
                Self { id: key_id, verdict: verdict(&fields, form, max_citations) }
            }
            Node::Broken(broken) => lost_entry(
                broken.id.as_deref().map(Cow::Borrowed),
                LossReason::Malformed(broken.place.clone()),
            ),
            _ => lost_entry(key_id, LossReason::NotAnObject { given: node.describe(), form }),
        }
    }

    fn parse_fields(
        members: &'n [Member<'_>],
        key_id: Option<Cow<'n, str>>,
        form: Form,
        max_citations: usize,
    ) -> Self {
        let fields = Fields::new(members, form);
        let field_id = fields.id.and_then(id);
        let is_guessed = matches!(fields.id, Some(Node::Text(Text { has_guessed_end: true, .. })));
        let ids_differ =
            matches!((&field_id, &key_id), (Some(field_id), Some(key_id)) if field_id != key_id);
        let id = key_id.or(field_id);
        let loss = if let Some(field) = fields.duplicate {
            Some(LossReason::DuplicateField { field })
        } else if id.is_none() && !is_guessed {
            Some(LossReason::NoId)
        } else if ids_differ {
            Some(LossReason::IdsDiffer)
        } else if is_guessed || members.iter().any(|member| may_contain_field(&member.value)) {
            Some(LossReason::UnescapedQuotes)
        } else {
            None
        };
        let verdict = loss.map_or_else(|| verdict(&fields, form, max_citations), Err);
        Self { id, verdict }
    }
}

fn id<'n>(node: &'n Node<'_>) -> Option<Cow<'n, str>> {
    match node {
        Node::Text(Text { value, has_guessed_end: false }) => {
            Some(Cow::Borrowed(value.trim())).filter(|id| !id.is_empty())
        }
        Node::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Some(Cow::Owned(number.to_string()))
        }
        _ => None,
    }
}

/// Returns `true` if a string with a guessed end may contain a field that changes the verdict.
fn may_contain_field(node: &Node<'_>) -> bool {
    match node {
        Node::Text(Text { value, has_guessed_end: true }) => {
            ["id", "class", "type", "verdict"].into_iter().any(|field| {
                value.match_indices(field).any(|(position, _)| {
                    let following = value.get(position + field.len()..).unwrap_or_default();
                    let unquoted = following.trim_start_matches([
                        '"', '\'', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}',
                    ]);
                    unquoted.trim_start().starts_with(':')
                })
            })
        }
        Node::List(entries) => entries.iter().any(may_contain_field),
        Node::Object(members) => members.iter().any(|member| may_contain_field(&member.value)),
        _ => false,
    }
}

fn verdict(
    fields: &Fields<'_, '_>,
    form: Form,
    max_citations: usize,
) -> Result<ClaimVerdict, LossReason> {
    Ok(ClaimVerdict {
        class: class(fields.class, form)?,
        evidence_type: match form {
            Form::Judgement => evidence_type(fields.evidence_type),
            Form::SecondLook => EvidenceType::Inference,
        },
        role: role(fields.role),
        citations: citations(fields.citations, max_citations)?,
        note: fields.note.and_then(Node::as_str).unwrap_or_default().to_owned(),
    })
}

fn class(node: Option<&Node<'_>>, form: Form) -> Result<Class, LossReason> {
    let node = node.filter(|node| **node != Node::Null).ok_or(LossReason::NoClass { form })?;
    let Some(name) = node.as_str() else {
        return Err(LossReason::UnknownClass { given: node.describe().to_owned(), form });
    };
    form.class(name)
        .or_else(|| form.class(&normalize_name(name)))
        .ok_or_else(|| LossReason::UnknownClass { given: quote(name), form })
}

/// Parses a claim's role; defaults to observation.
fn role(node: Option<&Node<'_>>) -> Role {
    let name = node.and_then(Node::as_str).map(normalize_name);
    name.and_then(|name| Role::from_name(&name)).unwrap_or_default()
}

/// Parses a claim's evidence type; defaults to inference.
fn evidence_type(node: Option<&Node<'_>>) -> EvidenceType {
    let Some(name) = node.and_then(Node::as_str) else { return EvidenceType::Inference };
    EvidenceType::from_name(name)
        .or_else(|| EvidenceType::from_name(&normalize_name(name)))
        .unwrap_or(EvidenceType::Inference)
}

/// Parses a claim's citations. Invalid citations and those over the limit are dropped.
fn citations(node: Option<&Node<'_>>, max_citations: usize) -> Result<Vec<Citation>, LossReason> {
    let nodes = match node {
        Some(Node::List(nodes)) => nodes.as_slice(),
        Some(single @ (Node::Object(_) | Node::Text(_))) => std::slice::from_ref(single),
        _ => &[],
    };
    nodes.iter().filter_map(|node| citation(node).transpose()).take(max_citations).collect()
}

/// Parses a citation. Returns `None` if the citation is invalid, and an error if the claim is lost.
fn citation(node: &Node<'_>) -> Result<Option<Citation>, LossReason> {
    let members = match node {
        Node::Text(text) => return Ok(new_citation(Some(&text.value), "", "")),
        Node::Object(members) => members,
        _ => return Ok(None),
    };
    let (mut evidence, mut field_path, mut quote) = (None, None, None);
    for Member { name, value } in members {
        let (field, slot) = match name.as_ref() {
            "evidence" => ("evidence", &mut evidence),
            "field_path" => ("field_path", &mut field_path),
            "quote" => ("quote", &mut quote),
            _ => continue,
        };
        if slot.replace(value).is_some() {
            return Err(LossReason::DuplicateField { field });
        }
    }
    let optional = |node: Option<&'_ Node<'_>>| match node {
        None | Some(Node::Null) => Some(String::new()),
        Some(node) => node.as_str().map(str::to_owned),
    };
    Ok(match (optional(field_path), optional(quote)) {
        (Some(field_path), Some(quote)) => {
            new_citation(evidence.and_then(Node::as_str), &field_path, &quote)
        }
        _ => None,
    })
}

fn new_citation(evidence: Option<&str>, field_path: &str, quote: &str) -> Option<Citation> {
    let id = EvidenceId::new(evidence?.trim()).ok()?;
    let target = Target::Evidence { id, field_path: field_path.to_owned() };
    Some(Citation { target, quote: quote.to_owned(), bytes: None })
}

/// Normalizes a class, type or role name, truncated to [`Location::MAX_SHOWN`] characters.
fn normalize_name(name: &str) -> String {
    let normalize = |c: char| match c {
        ' ' | '-' => '_',
        other => other.to_ascii_lowercase(),
    };
    name.trim().chars().take(Location::MAX_SHOWN).map(normalize).collect()
}

/// Quotes a text, truncated to [`Location::MAX_SHOWN`] characters.
fn quote(text: &str) -> String {
    let truncated: String = text.chars().take(Location::MAX_SHOWN).collect();
    format!("{truncated:?}")
}
