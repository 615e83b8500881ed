//! Parses JSON with typical model mistakes. Every fix is reported, malformed entries in a list of claims are
//! skipped, and a text that ends early yields [`Fault::Ended`].
//!
//! | module | subject |
//! |---|---|
//! | [`strings`] | strings and field names, and their ends |
//! | [`whitespace`] | whitespace and comments |
//! | [`recovery`] | resuming after a malformed entry |
//!
//! Each visit to a byte is counted, so that the work is bounded by the text length.

mod recovery;
mod strings;
mod whitespace;

use crate::bounds::Meter;
use crate::error::Location;
use crate::fix::{Fix, Fixes};
use crate::json_tree::{Broken, Member, Node, Text};

use strings::Position;

/// An error that prevents parsing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Ended,
    Unexpected(Unexpected),
    TooDeep,
    TooManyValues,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unexpected {
    pub(crate) offset: usize,
    pub(crate) expected: &'static str,
}

impl Unexpected {
    pub(crate) fn location(self, text: &str) -> Location {
        Location::new(text, self.offset, self.expected)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    Object,
    List,
}

#[derive(Debug)]
pub(crate) struct Lenient<'a, 'm> {
    text: &'a str,
    meter: &'m Meter,
    open: Vec<Bracket>,
    pub(crate) offset: usize,
    pub(crate) fixes: Fixes,
    /// `true` once the current value has a quoted name or a complete field, which shows that its brace is not
    /// prose.
    pub(crate) is_json: bool,
    skipped: Option<Unexpected>,
}

impl<'a, 'm> Lenient<'a, 'm> {
    pub(crate) fn new(text: &'a str, meter: &'m Meter) -> Self {
        Self {
            text,
            meter,
            open: Vec::new(),
            offset: 0,
            fixes: Fixes::default(),
            is_json: false,
            skipped: None,
        }
    }

    pub(crate) fn begin(&mut self, offset: usize) -> Result<Node<'a>, Fault> {
        self.offset = offset;
        self.open.clear();
        self.fixes = Fixes::default();
        self.is_json = false;
        self.skipped = None;
        let is_bare_list = self.byte(offset) == Some(b'[');
        let node = self.value(is_bare_list)?;
        // Recovery relies on double quotes, which may occur unescaped in strings with other quotes.
        let has_other_quotes =
            [Fix::SingleQuotes, Fix::SmartQuotes].iter().any(|fix| self.fixes.0.contains(fix));
        match self.skipped {
            Some(unexpected) if has_other_quotes => Err(Fault::Unexpected(unexpected)),
            _ => Ok(node),
        }
    }

    /// Returns a byte and counts the step. Returns `None` at the end of the text, or if the step limit is
    /// exceeded.
    pub(crate) fn byte(&self, offset: usize) -> Option<u8> {
        if self.meter.count_step() { self.text.as_bytes().get(offset).copied() } else { None }
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn unexpected<T>(&self, expected: &'static str) -> Result<T, Fault> {
        Err(Fault::Unexpected(Unexpected { offset: self.offset, expected }))
    }

    fn value(&mut self, is_claim_list: bool) -> Result<Node<'a>, Fault> {
        if !self.meter.count_value() {
            return Err(Fault::TooManyValues);
        }
        match self.byte(self.offset) {
            None => Err(Fault::Ended),
            Some(b'{') => self.object().map(Node::Object),
            Some(b'[') => self.list(is_claim_list).map(Node::List),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() => self.word(),
            Some(_) if self.quote(self.offset).is_some() => {
                self.string(Position::Value).map(Node::Text)
            }
            Some(_) => self.unexpected("a value"),
        }
    }

    fn enter(&mut self, bracket: Bracket) -> Result<(), Fault> {
        self.offset += 1;
        self.open.push(bracket);
        if self.meter.allows_depth(self.open.len()) { Ok(()) } else { Err(Fault::TooDeep) }
    }

    fn leave(&mut self) {
        self.offset += 1;
        self.open.pop();
    }

    fn object(&mut self) -> Result<Vec<Member<'a>>, Fault> {
        let mut members = Vec::new();
        self.enter(Bracket::Object)?;
        self.skip_blanks();
        if self.byte(self.offset) == Some(b'}') {
            self.leave();
            return Ok(members);
        }
        loop {
            let is_quoted = self.quote(self.offset).is_some();
            let name = self.name()?;
            self.skip_blanks();
            match self.byte(self.offset) {
                None => return Err(Fault::Ended),
                Some(b':') => self.offset += 1,
                Some(_) => return self.unexpected("a colon"),
            }
            self.is_json |= is_quoted;
            self.skip_blanks();
            let is_claim_list = name == "claims";
            members.push(Member { name, value: self.value(is_claim_list)? });
            self.is_json = true;
            if self.parse_separator(Bracket::Object)? {
                return Ok(members);
            }
        }
    }

    fn list(&mut self, is_claim_list: bool) -> Result<Vec<Node<'a>>, Fault> {
        let mut entries = Vec::new();
        self.enter(Bracket::List)?;
        self.skip_blanks();
        if self.byte(self.offset) == Some(b']') {
            self.leave();
            return Ok(entries);
        }
        loop {
            let start = self.offset;
            let level = self.open.len();
            let result = self
                .value(false)
                .and_then(|entry| Ok((entry, self.parse_separator(Bracket::List)?)));
            let (entry, is_last) = match result {
                Err(Fault::Unexpected(unexpected)) if is_claim_list => {
                    self.open.truncate(level);
                    let id = self.broken_entry_id(start);
                    self.skip_entry(start, unexpected)?;
                    self.fixes.add(Fix::BrokenClaim);
                    self.skipped.get_or_insert(unexpected);
                    let broken_entry = Broken { id, place: unexpected.location(self.text) };
                    let is_last = self.byte(self.offset) != Some(b'{')
                        && self.parse_separator(Bracket::List)?;
                    (Node::Broken(broken_entry), is_last)
                }
                result => result?,
            };
            entries.push(entry);
            if is_last {
                return Ok(entries);
            }
        }
    }

    /// Parses the separator after a value. Returns `true` at the end of the object or list.
    fn parse_separator(&mut self, bracket: Bracket) -> Result<bool, Fault> {
        let (end, expected) = match bracket {
            Bracket::Object => (b'}', "a comma or `}`"),
            Bracket::List => (b']', "a comma or `]`"),
        };
        let has_line_break = self.skip_blanks();
        let is_next_entry = match self.byte(self.offset) {
            None => return Err(Fault::Ended),
            Some(byte) if byte == end => {
                self.leave();
                return Ok(true);
            }
            Some(b',') => {
                self.offset += 1;
                self.skip_blanks();
                if self.byte(self.offset) != Some(end) {
                    return Ok(false);
                }
                self.fixes.add(Fix::TrailingComma);
                self.leave();
                return Ok(true);
            }
            Some(b'{') => bracket == Bracket::List,
            Some(_) => {
                bracket == Bracket::Object && has_line_break && self.quote(self.offset).is_some()
            }
        };
        if is_next_entry {
            self.fixes.add(Fix::MissingComma);
            Ok(false)
        } else {
            self.unexpected(expected)
        }
    }

    fn number(&mut self) -> Result<Node<'a>, Fault> {
        let start = self.offset;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.byte(self.offset) {
            self.offset += 1;
        }
        let literal = self.slice(start, self.offset);
        match self.byte(self.offset) {
            None => Err(Fault::Ended),
            Some(b'%') => {
                self.offset += 1;
                self.fixes.add(Fix::Number);
                Ok(plain_text(self.slice(start, self.offset)))
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
        let start = self.offset;
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
        let next = self.after_blank(self.offset);
        match self.byte(next) {
            None => Err(Fault::Ended),
            Some(b',' | b'}' | b']') => {
                if let Some(fix) = fix {
                    self.fixes.add(fix);
                }
                Ok(node)
            }
            Some(_) => {
                self.offset = start;
                self.unexpected("a value in quotes")
            }
        }
    }

    fn bare_word(&mut self) -> &'a str {
        let start = self.offset;
        while self
            .byte(self.offset)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        {
            self.offset += 1;
        }
        self.slice(start, self.offset)
    }
}

fn plain_text(value: &str) -> Node<'_> {
    Node::Text(Text { value: value.into(), has_guessed_end: false })
}
