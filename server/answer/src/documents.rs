//! Finds JSON documents in an answer that also contains reasoning, code fences or prose.
//!
//! Reasoning is skipped, and braces that do not start JSON are treated as prose. If JSON is malformed, the
//! whole text is rejected, because it is unknown where its strings end.

use crate::bounds::Meter;
use crate::error::{Location, ParseError};
use crate::fix::{Fix, Fixes};
use crate::json_tree::Node;
use crate::lenient::{Fault, Lenient};

/// Start and end markers of reasoning.
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

/// The start of a message header in the gpt-oss format. [`MESSAGE`] ends the header, and the answer is on
/// the channel `final`.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
/// The gpt-oss channel names that remain, joined to the text, if a server strips the special tokens.
const BARE_CHANNELS: (&str, &str) = ("analysis", "assistantfinal");

#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) fixes: Fixes,
}

#[derive(Debug, Default)]
pub(crate) struct Documents<'a> {
    pub(crate) found: Vec<Document<'a>>,
    pub(crate) text_fixes: Fixes,
    open_braces: usize,
}

impl<'a> Documents<'a> {
    pub(crate) fn parse(text: &'a str, meter: &Meter) -> Result<Self, ParseError> {
        let mut documents = Self::default();
        let mut parser = Lenient::new(text, meter);
        if let Some(start) = after_bare_reasoning(text) {
            documents.text_fixes = Fixes(vec![Fix::Reasoning]);
            parser.offset = start;
        }
        while let Some(byte) = parser.byte(parser.offset) {
            let offset = parser.offset;
            match byte {
                b'{' | b'[' if byte == b'{' || begins_list_of_objects(text, offset) => {
                    documents.parse_document(text, &mut parser, meter)?;
                }
                b'`' if text.get(offset..).is_some_and(|rest| rest.starts_with("```")) => {
                    documents.text_fixes.add(Fix::CodeFence);
                    parser.offset = offset + fence_length(text, offset);
                }
                b'<' | b'[' | 0xe2 => match reasoning_end(text, offset)? {
                    Some(end) => {
                        documents.found.clear();
                        documents.text_fixes = Fixes(vec![Fix::Reasoning]);
                        parser.offset = end;
                    }
                    None => documents.skip_byte(text, &mut parser, byte)?,
                },
                _ => documents.skip_byte(text, &mut parser, byte)?,
            }
        }
        if documents.found.len() > 1 {
            documents.text_fixes.add(Fix::Prose);
        }
        if meter.is_exhausted() { Err(ParseError::TooComplex) } else { Ok(documents) }
    }

    /// Parses the document at the current position, or skips a brace in prose.
    fn parse_document(
        &mut self,
        text: &'a str,
        parser: &mut Lenient<'a, '_>,
        meter: &Meter,
    ) -> Result<(), ParseError> {
        let offset = parser.offset;
        match parser.begin(offset) {
            Ok(node) => {
                let fixes = std::mem::take(&mut parser.fixes);
                self.found.push(Document { node, fixes });
            }
            Err(Fault::Unexpected(_)) if !parser.is_json => {
                self.text_fixes.add(Fix::Prose);
                self.open_braces += 1;
                parser.offset = offset + 1;
            }
            Err(fault) => return Err(parse_error(fault, text, meter)),
        }
        Ok(())
    }

    /// Skips a byte of prose. JSON syntax after a document means that the document ended too early.
    fn skip_byte(
        &mut self,
        text: &str,
        parser: &mut Lenient<'a, '_>,
        byte: u8,
    ) -> Result<(), ParseError> {
        let offset = parser.offset;
        let is_json = match byte {
            b'}' => self.open_braces == 0,
            b'"' => parser.byte(parser.after_whitespace(offset + 1)) == Some(b':'),
            _ => false,
        };
        if is_json && !self.found.is_empty() {
            return Err(ParseError::Malformed(Location::new(text, offset, "the end of the JSON")));
        }
        if byte == b'}' {
            self.open_braces = self.open_braces.saturating_sub(1);
        }
        if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
            self.text_fixes.add(Fix::Prose);
        }
        parser.offset += 1;
        Ok(())
    }
}

fn parse_error(fault: Fault, text: &str, meter: &Meter) -> ParseError {
    match fault {
        Fault::Ended if meter.is_exhausted() => ParseError::TooComplex,
        Fault::Ended => ParseError::Truncated { bytes: text.len() },
        Fault::Unexpected(unexpected) => ParseError::Malformed(unexpected.location(text)),
        Fault::TooDeep => ParseError::TooDeep { allowed: meter.max_depth },
        Fault::TooManyValues => ParseError::TooManyValues { allowed: meter.max_values },
    }
}

/// Returns `true` if a bracket starts a list of objects. Other brackets, as in `[1]`, are prose.
fn begins_list_of_objects(text: &str, offset: usize) -> bool {
    text.get(offset + 1..).is_some_and(|rest| rest.trim_start().starts_with('{'))
}

fn fence_length(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    let length = rest.len() - rest.trim_start_matches('`').len();
    let name = rest.get(length..).unwrap_or_default().bytes().take(16);
    length + name.take_while(u8::is_ascii_alphanumeric).count()
}

/// Returns the end of the reasoning that starts or ends at `offset`.
fn reasoning_end(text: &str, offset: usize) -> Result<Option<usize>, ParseError> {
    let rest = text.get(offset..).unwrap_or_default();
    if let Some(header) = rest.strip_prefix(CHANNEL) {
        let answer = answer_channel(header).ok_or(ParseError::OnlyReasoning { bytes: text.len() });
        return answer.map(|position| Some(offset + CHANNEL.len() + position));
    }
    for (opening, closing) in REASONING {
        if rest.starts_with(closing) {
            return Ok(Some(offset + closing.len()));
        }
        if rest.starts_with(opening) {
            return match rest.find(closing) {
                Some(position) => Ok(Some(offset + position + closing.len())),
                None => Err(ParseError::OnlyReasoning { bytes: text.len() }),
            };
        }
    }
    Ok(None)
}

/// Returns the start of the message on the channel `final`. `header` is the text after a channel marker.
fn answer_channel(mut header: &str) -> Option<usize> {
    let length = header.len();
    loop {
        if header.trim_start().starts_with("final") {
            let message = header.find(MESSAGE)?;
            return Some(length - header.len() + message + MESSAGE.len());
        }
        let next = header.find(CHANNEL)?;
        header = header.get(next + CHANNEL.len()..)?;
    }
}

/// Returns the start of the answer after reasoning without special tokens, or `None` if the end
/// marker is ambiguous.
fn after_bare_reasoning(text: &str) -> Option<usize> {
    let (opening, closing) = BARE_CHANNELS;
    let mut ends = text.match_indices(closing);
    match (text.trim_start().starts_with(opening), ends.next(), ends.next()) {
        (true, Some((position, _)), None) => Some(position + closing.len()),
        _ => None,
    }
}
