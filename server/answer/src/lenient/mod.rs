//! This module reads JSON as chat models write it and never completes it.
//!
//! Crates that repair JSON close what was cut off, fill in what is missing and do not tell what they did; relaxed
//! dialects such as JSON5 refuse a stray quotation mark and lose fifty claims with one. Here a text that ends early is
//! [`Fault::Ended`], every fix is named, and an entry of a list of claims that cannot be read is passed over alone.
//!
//! | module | subject |
//! |---|---|
//! | [`strings`] | strings and names of fields, and where they end |
//! | [`blanks`] | what may stand between values |
//! | [`recovery`] | where to go on after an entry that cannot be read |
//!
//! Every byte looked at is counted, so that the work is bounded by the length of the text whatever stands in it.

mod blanks;
mod recovery;
mod strings;

use crate::bounds::Meter;
use crate::fix::{Fix, Fixes};
use crate::node::{Broken, Member, Node, Text};
use crate::unreadable::Place;

use strings::Position;

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The text ended first.
    Ended,
    /// Something else stands there.
    Unexpected(Unexpected),
    TooDeep,
    TooManyValues,
}

/// What was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unexpected {
    /// Its place in the text, in bytes from 0.
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

impl Unexpected {
    pub(crate) fn place(self, text: &str) -> Place {
        Place::of(text, self.at, self.expected)
    }
}

/// What is open around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    Object,
    List,
}

/// Reads values one after another.
#[derive(Debug)]
pub(crate) struct Lenient<'a, 'm> {
    text: &'a str,
    meter: &'m Meter,
    open: Vec<Bracket>,
    /// The offset of the next byte.
    pub(crate) at: usize,
    /// What was fixed since the last [`Lenient::begin`].
    pub(crate) fixes: Fixes,
    /// Whether the value that is being read has had a name in quotes or a field with its value: it is no brace of a
    /// sentence.
    pub(crate) is_json: bool,
    /// What was not there in the first entry that was passed over.
    passed_over: Option<Unexpected>,
}

impl<'a, 'm> Lenient<'a, 'm> {
    pub(crate) fn new(text: &'a str, meter: &'m Meter) -> Self {
        Self {
            text,
            meter,
            open: Vec::new(),
            at: 0,
            fixes: Fixes::default(),
            is_json: false,
            passed_over: None,
        }
    }

    /// Reads the object or list that begins at `at`, and ends after it.
    pub(crate) fn begin(&mut self, at: usize) -> Result<Node<'a>, Fault> {
        self.at = at;
        self.open.clear();
        self.fixes = Fixes::default();
        self.is_json = false;
        self.passed_over = None;
        let bare_list_of_claims = self.byte(at) == Some(b'[');
        let node = self.value(bare_list_of_claims)?;
        // Double quotes show where to go on, which stand in strings between other quotes as they are.
        let other_quotes =
            [Fix::SingleQuotes, Fix::SmartQuotes].iter().any(|fix| self.fixes.0.contains(fix));
        match self.passed_over {
            Some(unexpected) if other_quotes => Err(Fault::Unexpected(unexpected)),
            _ => Ok(node),
        }
    }

    /// Counts and gives a byte; nothing at the end of the text, or when too many bytes were looked at.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        if self.meter.step() { self.text.as_bytes().get(at).copied() } else { None }
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn unexpected<T>(&self, expected: &'static str) -> Result<T, Fault> {
        Err(Fault::Unexpected(Unexpected { at: self.at, expected }))
    }

    fn value(&mut self, of_claims: bool) -> Result<Node<'a>, Fault> {
        if !self.meter.value() {
            return Err(Fault::TooManyValues);
        }
        match self.byte(self.at) {
            None => Err(Fault::Ended),
            Some(b'{') => self.object().map(Node::Object),
            Some(b'[') => self.list(of_claims).map(Node::List),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() => self.word(),
            Some(_) if self.quote(self.at).is_some() => {
                self.string(Position::Value).map(Node::Text)
            }
            Some(_) => self.unexpected("a value"),
        }
    }

    fn enter(&mut self, bracket: Bracket) -> Result<(), Fault> {
        self.at += 1;
        self.open.push(bracket);
        if self.meter.level(self.open.len()) { Ok(()) } else { Err(Fault::TooDeep) }
    }

    fn leave(&mut self) {
        self.at += 1;
        self.open.pop();
    }

    fn object(&mut self) -> Result<Vec<Member<'a>>, Fault> {
        let mut members = Vec::new();
        self.enter(Bracket::Object)?;
        self.blank();
        if self.byte(self.at) == Some(b'}') {
            self.leave();
            return Ok(members);
        }
        loop {
            let quoted = self.quote(self.at).is_some();
            let name = self.name()?;
            self.blank();
            match self.byte(self.at) {
                None => return Err(Fault::Ended),
                Some(b':') => self.at += 1,
                Some(_) => return self.unexpected("a colon"),
            }
            self.is_json |= quoted;
            self.blank();
            let of_claims = name == "claims";
            members.push(Member { name, value: self.value(of_claims)? });
            self.is_json = true;
            if self.is_last(Bracket::Object)? {
                return Ok(members);
            }
        }
    }

    /// Reads a list. In one of claims an entry that cannot be read is passed over.
    fn list(&mut self, of_claims: bool) -> Result<Vec<Node<'a>>, Fault> {
        let mut entries = Vec::new();
        self.enter(Bracket::List)?;
        self.blank();
        if self.byte(self.at) == Some(b']') {
            self.leave();
            return Ok(entries);
        }
        loop {
            let start = self.at;
            let level = self.open.len();
            let whole =
                self.value(false).and_then(|entry| Ok((entry, self.is_last(Bracket::List)?)));
            let (entry, is_last) = match whole {
                Err(Fault::Unexpected(unexpected)) if of_claims => {
                    self.open.truncate(level);
                    let id = self.id_of_broken(start);
                    self.pass_over(start, unexpected)?;
                    self.fixes.add(Fix::BrokenClaim);
                    self.passed_over.get_or_insert(unexpected);
                    let broken = Broken { id, place: unexpected.place(self.text) };
                    let is_last =
                        self.byte(self.at) != Some(b'{') && self.is_last(Bracket::List)?;
                    (Node::Broken(broken), is_last)
                }
                whole => whole?,
            };
            entries.push(entry);
            if is_last {
                return Ok(entries);
            }
        }
    }

    /// Reads what stands after a value: true at the end of the object or list.
    fn is_last(&mut self, bracket: Bracket) -> Result<bool, Fault> {
        let (end, expected) = match bracket {
            Bracket::Object => (b'}', "a comma or `}`"),
            Bracket::List => (b']', "a comma or `]`"),
        };
        let broke_line = self.blank();
        let is_next_entry = match self.byte(self.at) {
            None => return Err(Fault::Ended),
            Some(byte) if byte == end => {
                self.leave();
                return Ok(true);
            }
            Some(b',') => {
                self.at += 1;
                self.blank();
                if self.byte(self.at) != Some(end) {
                    return Ok(false);
                }
                self.fixes.add(Fix::TrailingComma);
                self.leave();
                return Ok(true);
            }
            Some(b'{') => bracket == Bracket::List,
            Some(_) => bracket == Bracket::Object && broke_line && self.quote(self.at).is_some(),
        };
        if is_next_entry {
            self.fixes.add(Fix::MissingComma);
            Ok(false)
        } else {
            self.unexpected(expected)
        }
    }

    fn number(&mut self) -> Result<Node<'a>, Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.byte(self.at) {
            self.at += 1;
        }
        let literal = self.slice(start, self.at);
        match self.byte(self.at) {
            None => Err(Fault::Ended),
            Some(b'%') => {
                self.at += 1;
                self.fixes.add(Fix::Number);
                Ok(plain_text(self.slice(start, self.at)))
            }
            Some(_) => {
                if let Ok(number) = serde_json::from_str(literal) {
                    return Ok(Node::Number(number));
                }
                let Ok(number) = literal.parse() else {
                    return self.unexpected("a number");
                };
                self.fixes.add(Fix::Number);
                Ok(Node::Number(number))
            }
        }
    }

    fn word(&mut self) -> Result<Node<'a>, Fault> {
        let start = self.at;
        let word = self.bare_word();
        let (node, fix) = match word {
            "true" => (Node::Flag(true), None),
            "false" => (Node::Flag(false), None),
            "null" => (Node::Null, None),
            "True" => (Node::Flag(true), Some(Fix::Literal)),
            "False" => (Node::Flag(false), Some(Fix::Literal)),
            "None" | "NaN" | "nan" | "undefined" | "Infinity" => (Node::Null, Some(Fix::Literal)),
            _ => (plain_text(word), Some(Fix::BareWord)),
        };
        let after = self.after_blank(self.at);
        match self.byte(after) {
            None => Err(Fault::Ended),
            Some(b',' | b'}' | b']') => {
                if let Some(fix) = fix {
                    self.fixes.add(fix);
                }
                Ok(node)
            }
            Some(_) => {
                self.at = start;
                self.unexpected("a value in quotes")
            }
        }
    }

    fn bare_word(&mut self) -> &'a str {
        let start = self.at;
        while self
            .byte(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        {
            self.at += 1;
        }
        self.slice(start, self.at)
    }
}

fn plain_text(words: &str) -> Node<'_> {
    Node::Text(Text { words: words.into(), requoted: false })
}
