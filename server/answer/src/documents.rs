//! This module finds the JSON documents that stand in an answer among other words.
//!
//! Reasoning is left out. A brace that begins no JSON is a word like any other. Nothing is taken from a text with JSON that
//! cannot be read: where its strings end is not known, and what stands in one of them is not an answer.

use crate::bounds::Meter;
use crate::fix::{Fix, Fixes};
use crate::lenient::{Fault, Lenient};
use crate::node::Node;
use crate::unreadable::{Place, Unreadable};

/// Marks around what a model says to itself.
const REASONING: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[THINK]", "[/THINK]"),
    ("\u{25c1}think\u{25b7}", "\u{25c1}/think\u{25b7}"),
];

/// What begins the header of a message in the format of gpt-oss, which ends with [`MESSAGE`]. The message on the channel
/// `final` is the answer, whatever else its header says.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
/// The same where a server has left its marks out: reasoning is glued to the word before it and behind it.
const BARE: (&str, &str) = ("analysis", "assistantfinal");

/// One object or list of an answer.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) fixes: Fixes,
}

/// What stands in an answer.
#[derive(Debug, Default)]
pub(crate) struct Documents<'a> {
    /// In their order.
    pub(crate) found: Vec<Document<'a>>,
    /// Fixes of what stands around them.
    pub(crate) around: Fixes,
    /// Braces of sentences that are open.
    open: usize,
}

impl<'a> Documents<'a> {
    /// Finds every document of a text.
    pub(crate) fn of(text: &'a str, meter: &Meter) -> Result<Self, Unreadable> {
        let mut documents = Self::default();
        let mut reader = Lenient::new(text, meter);
        if let Some(start) = behind_bare_reasoning(text) {
            documents.around = Fixes(vec![Fix::Reasoning]);
            reader.at = start;
        }
        while let Some(byte) = reader.byte(reader.at) {
            let at = reader.at;
            match byte {
                b'{' | b'[' if byte == b'{' || begins_list_of_objects(text, at) => {
                    documents.take(text, &mut reader, meter)?;
                }
                b'`' if text.get(at..).is_some_and(|rest| rest.starts_with("```")) => {
                    documents.around.add(Fix::CodeFence);
                    reader.at = at + fence(text, at);
                }
                b'<' | b'[' | 0xe2 => match reasoning(text, at)? {
                    Some(end) => {
                        documents.found.clear();
                        documents.around = Fixes(vec![Fix::Reasoning]);
                        reader.at = end;
                    }
                    None => documents.pass(text, &mut reader, byte)?,
                },
                _ => documents.pass(text, &mut reader, byte)?,
            }
        }
        if documents.found.len() > 1 {
            documents.around.add(Fix::Prose);
        }
        if meter.is_exhausted() { Err(Unreadable::Tangled) } else { Ok(documents) }
    }

    /// Takes the document that begins where the reader is, or goes past what only looks like one.
    fn take(
        &mut self,
        text: &'a str,
        reader: &mut Lenient<'a, '_>,
        meter: &Meter,
    ) -> Result<(), Unreadable> {
        let at = reader.at;
        match reader.begin(at) {
            Ok(node) => {
                let fixes = std::mem::take(&mut reader.fixes);
                self.found.push(Document { node, fixes });
            }
            Err(Fault::Unexpected(_)) if !reader.is_json => {
                self.around.add(Fix::Prose);
                self.open += 1;
                reader.at = at + 1;
            }
            Err(fault) => return Err(whole(fault, text, meter)),
        }
        Ok(())
    }

    /// Goes past a byte of a sentence. After a document, what looks like the rest of JSON tells that it ended too early.
    fn pass(
        &mut self,
        text: &str,
        reader: &mut Lenient<'a, '_>,
        byte: u8,
    ) -> Result<(), Unreadable> {
        let at = reader.at;
        let is_rest = match byte {
            b'}' => self.open == 0,
            b'"' => reader.byte(reader.after_white_space(at + 1)) == Some(b':'),
            _ => false,
        };
        if is_rest && !self.found.is_empty() {
            return Err(Unreadable::Malformed(Place::of(text, at, "the end of the JSON")));
        }
        if byte == b'}' {
            self.open = self.open.saturating_sub(1);
        }
        if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
            self.around.add(Fix::Prose);
        }
        reader.at += 1;
        Ok(())
    }
}

/// A fault that no other reading of the text avoids.
fn whole(fault: Fault, text: &str, meter: &Meter) -> Unreadable {
    match fault {
        Fault::Ended if meter.is_exhausted() => Unreadable::Tangled,
        Fault::Ended => Unreadable::Truncated { bytes: text.len() },
        Fault::Unexpected(unexpected) => Unreadable::Malformed(unexpected.place(text)),
        Fault::TooDeep => Unreadable::TooDeep { allowed: meter.depth_allowed },
        Fault::TooManyValues => Unreadable::TooManyValues { allowed: meter.values_allowed },
    }
}

/// Whether a bracket begins a list of objects: any other one is a part of a sentence, such as `[1]`.
fn begins_list_of_objects(text: &str, at: usize) -> bool {
    text.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// Bytes of a code fence, with the name of its language.
fn fence(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let marks = rest.len() - rest.trim_start_matches('`').len();
    let name = rest.get(marks..).unwrap_or_default().bytes().take(16);
    marks + name.take_while(u8::is_ascii_alphanumeric).count()
}

/// The byte after the reasoning that begins or ends at `at`.
fn reasoning(text: &str, at: usize) -> Result<Option<usize>, Unreadable> {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(header) = rest.strip_prefix(CHANNEL) {
        let answer = answer_channel(header).ok_or(Unreadable::OnlyReasoning { bytes: text.len() });
        return answer.map(|place| Some(at + CHANNEL.len() + place));
    }
    for (begin, end) in REASONING {
        if rest.starts_with(end) {
            return Ok(Some(at + end.len()));
        }
        if rest.starts_with(begin) {
            return match rest.find(end) {
                Some(place) => Ok(Some(at + place + end.len())),
                None => Err(Unreadable::OnlyReasoning { bytes: text.len() }),
            };
        }
    }
    Ok(None)
}

/// Where the message on the channel `final` begins, behind the mark of a channel.
fn answer_channel(mut header: &str) -> Option<usize> {
    let whole = header.len();
    loop {
        if header.trim_start().starts_with("final") {
            let message = header.find(MESSAGE)?;
            return Some(whole - header.len() + message + MESSAGE.len());
        }
        let next = header.find(CHANNEL)?;
        header = header.get(next + CHANNEL.len()..)?;
    }
}

/// Where the answer begins behind reasoning without marks. Where its end stands twice, one may be a quote, and neither is taken.
fn behind_bare_reasoning(text: &str) -> Option<usize> {
    let (begin, end) = BARE;
    let mut ends = text.match_indices(end);
    match (text.trim_start().starts_with(begin), ends.next(), ends.next()) {
        (true, Some((place, _)), None) => Some(place + end.len()),
        _ => None,
    }
}
