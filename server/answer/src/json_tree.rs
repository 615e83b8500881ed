//! A JSON tree that preserves duplicate fields and marks strings with a guessed end.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::bounds::Meter;
use crate::error::Location;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node<'a> {
    Null,
    Flag(bool),
    Number(f64),
    Text(Text<'a>),
    List(Vec<Node<'a>>),
    Object(Vec<Member<'a>>),
    /// A malformed entry in a list of claims.
    Broken(Broken),
}

/// An object field. An object can have several fields with the same name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: Node<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text<'a> {
    pub(crate) value: Cow<'a, str>,
    /// `true` if the string contains an unescaped quotation mark, so that its end is a guess.
    pub(crate) has_guessed_end: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Broken {
    pub(crate) id: Option<String>,
    pub(crate) place: Location,
}

impl<'a> Node<'a> {
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Broken(_) => "not JSON",
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.value),
            _ => None,
        }
    }

    /// Parses well-formed JSON with `serde_json`. Returns `None` if the text is malformed or exceeds a limit.
    pub(crate) fn parse_strict(text: &'a str, meter: &Meter) -> Option<Self> {
        let mut json = serde_json::Deserializer::from_str(text);
        let node = Tree { meter, depth: 0 }.deserialize(&mut json).ok()?;
        json.end().ok().map(|()| node)
    }
}

#[derive(Clone, Copy)]
struct Tree<'m> {
    meter: &'m Meter,
    depth: usize,
}

impl Tree<'_> {
    fn inner<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if self.meter.allows_depth(depth) {
            Ok(Self { depth, ..self })
        } else {
            Err(E::custom("too deep"))
        }
    }
}

impl<'a> DeserializeSeed<'a> for Tree<'_> {
    type Value = Node<'a>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Node<'a>, D::Error> {
        if self.meter.count_value() {
            json.deserialize_any(self)
        } else {
            Err(D::Error::custom("too many values"))
        }
    }
}

impl<'a> Visitor<'a> for Tree<'_> {
    type Value = Node<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node<'a>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node<'a>, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node<'a>, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node<'a>, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node<'a>, E> {
        Ok(Node::Number(number))
    }

    fn visit_borrowed_str<E>(self, value: &'a str) -> Result<Node<'a>, E> {
        Ok(Node::Text(Text { value: Cow::Borrowed(value), has_guessed_end: false }))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node<'a>, E> {
        Ok(Node::Text(Text { value: Cow::Owned(value.to_owned()), has_guessed_end: false }))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Node<'a>, A::Error> {
        let inner = self.inner()?;
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element_seed(inner)? {
            entries.push(entry);
        }
        Ok(Node::List(entries))
    }

    fn visit_map<A: MapAccess<'a>>(self, mut object: A) -> Result<Node<'a>, A::Error> {
        let inner = self.inner()?;
        let mut members = Vec::with_capacity(5);
        while let Some(name) = object.next_key_seed(Name)? {
            members.push(Member { name, value: object.next_value_seed(inner)? });
        }
        Ok(Node::Object(members))
    }
}

/// Deserializes a field name, which is borrowed if it contains no escapes.
struct Name;

impl<'a> DeserializeSeed<'a> for Name {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Cow<'a, str>, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Name {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_borrowed_str<E>(self, name: &'a str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
