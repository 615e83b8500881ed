//! Finds JSON documents in an item, including documents in strings, and resolves JSON pointers.

pub(super) mod json;

use core::ops::Range;
use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::escapes::{TracedText, unescape};
use crate::text::part;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The byte range in the item, including the name.
    pub(super) span: Range<usize>,
    /// The unescaped string, or the JSON text of a value that is not a string.
    pub(super) text: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Documents<'a> {
    layers: Vec<Layer<'a>>,
    documents: Vec<Document>,
    /// The documents in each string, by the layer and the offset of the string.
    inside: BTreeMap<(usize, usize), Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Layer<'a> {
    text: Cow<'a, str>,
    /// The outer layer with the mapping to it; `None` for the item's content.
    traced: Option<(usize, TracedText)>,
}

#[derive(Clone, Debug)]
struct Document {
    layer: usize,
    span: Range<usize>,
}

const MAX_DEPTH: usize = 3;
const MAX_DOCUMENTS: usize = 20_000;
const MAX_TOKENS: usize = 64;

impl<'a> Documents<'a> {
    pub(super) fn parse(content: &'a str) -> Self {
        let mut documents = Self::default();
        documents.layers.push(Layer { text: Cow::Borrowed(content), traced: None });
        documents.add_layer(0, 0, None);
        documents
    }

    fn add_layer(&mut self, layer: usize, depth: usize, string: Option<(usize, usize)>) {
        let Some(text) = self.layers.get(layer).map(|layer| layer.text.clone()) else { return };
        for span in document_spans(&text) {
            if self.documents.len() >= MAX_DOCUMENTS {
                return;
            }
            if let Some(string) = string {
                self.inside.entry(string).or_default().push(self.documents.len());
            }
            self.documents.push(Document { layer, span: span.clone() });
            if depth >= MAX_DEPTH {
                continue;
            }
            for string in json::strings(&text, &span) {
                if !part(&text, string.clone()).contains(['{', '[']) {
                    continue;
                }
                let traced = unescape(&text, string.clone());
                if document_spans(&traced.text).is_empty() {
                    continue;
                }
                let inner = Cow::Owned(traced.text.clone());
                self.layers.push(Layer { text: inner, traced: Some((layer, traced)) });
                self.add_layer(self.layers.len() - 1, depth + 1, Some((layer, string.start)));
            }
        }
    }

    /// Resolves a pointer to at most one field per document.
    pub(super) fn fields(&self, pointer: &str) -> Vec<Field> {
        const MAX_FIELDS: usize = 4_096;
        let Some(path) = pointer.strip_prefix('/') else { return Vec::new() };
        let tokens: Vec<Cow<'_, str>> =
            path.split('/').take(MAX_TOKENS + 1).map(unescape_token).collect();
        if tokens.len() > MAX_TOKENS {
            return Vec::new();
        }
        let value_of = |document: &Document| (document.layer, document.span.clone());
        let mut fields: Vec<Field> = self
            .documents
            .iter()
            .filter_map(|document| self.follow(value_of(document), None, &tokens))
            .take(MAX_FIELDS)
            .collect();
        // The documents in JSON lines are treated as the elements of an array.
        if let Some((first, rest)) = tokens.split_first()
            && let Some(document) = first.parse::<usize>().ok().and_then(|index| self.line(index))
            && let Some(field) = self.follow(value_of(document), None, rest)
            && !fields.contains(&field)
        {
            fields.push(field);
        }
        fields
    }

    /// Returns the document at an index, if the item contains several documents.
    fn line(&self, index: usize) -> Option<&Document> {
        let mut outer = self.documents.iter().filter(|document| document.layer == 0);
        let document = outer.clone().nth(index);
        outer.nth(1).and(document)
    }

    fn follow(
        &self,
        (layer, value): (usize, Range<usize>),
        name: Option<usize>,
        tokens: &[Cow<'_, str>],
    ) -> Option<Field> {
        let text = self.layers.get(layer)?.text.as_ref();
        let Some((token, rest)) = tokens.split_first() else {
            let text = match json::string(text, &value) {
                Some(string) => unescape(text, string).text,
                None => String::from(part(text, value.clone())),
            };
            let span = name.unwrap_or(value.start)..value.end;
            return Some(Field { span: self.original(layer, span), text });
        };
        if let Some(string) = json::string(text, &value) {
            let inside = self.inside.get(&(layer, string.start))?;
            return inside.iter().find_map(|document| {
                let document = self.documents.get(*document)?;
                self.follow((document.layer, document.span.clone()), None, tokens)
            });
        }
        let member = json::member(text, &value, token)?;
        self.follow((layer, member.value), member.name.map(|name| name.start), rest)
    }

    fn original(&self, mut layer: usize, mut span: Range<usize>) -> Range<usize> {
        while let Some((outer, traced)) = self.layers.get(layer).and_then(|at| at.traced.as_ref()) {
            span = traced.original(&span);
            layer = *outer;
        }
        span
    }
}

fn unescape_token(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// Returns the spans of the objects and arrays that begin at the start of a line.
fn document_spans(text: &str) -> Vec<Range<usize>> {
    /// The maximum number of failed attempts to parse a document with several lines.
    const MAX_FAILED: usize = 32;
    let mut spans = Vec::new();
    let (mut line_start, mut failed_attempts) = (0, 0);
    while line_start < text.len() && spans.len() < MAX_DOCUMENTS {
        let line_end = memchr::memchr(b'\n', part(text, line_start..text.len()).as_bytes())
            .map_or(text.len(), |line_length| line_start + line_length);
        let line = part(text, line_start..line_end);
        let start = line_start + (line.len() - line.trim_start().len());
        line_start = line_end + 1;
        if !line.trim_start().starts_with(['{', '[']) {
            continue;
        }
        if let Some(end) = document_end(part(text, start..line_end)) {
            spans.push(start..start + end);
        } else if line_end < text.len() && failed_attempts < MAX_FAILED {
            match document_end(part(text, start..text.len())) {
                Some(end) => {
                    spans.push(start..start + end);
                    line_start = line_start.max(start + end);
                }
                None => failed_attempts += 1,
            }
        }
    }
    spans
}

fn document_end(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "{\n  \"pods\": [\n    {\"name\": \"a\", \"note\": \"say \\\"hi\\\"\\nnow\"},\n    {\"name\": \"b/c\"}\n  ]\n}";

    fn texts(content: &str, pointer: &str) -> Vec<String> {
        Documents::parse(content).fields(pointer).into_iter().map(|field| field.text).collect()
    }

    #[test]
    fn a_pointer_resolves_in_a_wrapped_document() {
        let blocks = serde_json::json!({"content": [{"type": "text", "text": BODY}]}).to_string();
        let nested = serde_json::json!({"result": blocks}).to_string();
        let contents = [
            BODY.to_owned(),
            format!("$ kubectl get pods -o json\n{BODY}"),
            format!("$ kubectl get pods -o json\n\n{BODY}\n$ date\nMon May 6"),
            blocks,
            nested,
        ];
        for content in contents {
            assert_eq!(texts(&content, "/pods/0/name"), ["a"], "{content}");
            assert_eq!(texts(&content, "/pods/0/note"), ["say \"hi\"\nnow"], "{content}");
            assert_eq!(texts(&content, "/pods/1/name"), ["b/c"], "{content}");
            assert!(texts(&content, "/pods/2/name").is_empty());
        }
    }

    #[test]
    fn a_pointer_resolves_through_strings() {
        let blocks = serde_json::json!({"content": [{"type": "text", "text": BODY}]}).to_string();
        assert_eq!(texts(&blocks, "/content/0/text/pods/1/name"), ["b/c"]);
        let documents = Documents::parse(&blocks);
        let field = documents.fields("/pods/1/name").remove(0);
        assert_eq!(blocks.get(field.span), Some(r#"name\": \"b/c\""#));
    }

    #[test]
    fn json_lines_are_both_a_list_and_separate_documents() {
        let lines = "$ jq -c .\n{\"msg\": \"x\"}\nnot json\n{\"msg\": \"y\"}\n";
        assert_eq!(texts(lines, "/1/msg"), ["y"]);
        assert_eq!(texts(lines, "/msg"), ["x", "y"]);
        assert!(texts(lines, "/2/msg").is_empty());
    }

    #[test]
    fn pointers_resolve_according_to_the_standard() {
        let document =
            serde_json::json!({"": 1, "a": [[2, 3], {"b/c": 4, "~": 5}], "0": {"01": 6}});
        let content = document.to_string();
        for pointer in [
            "/", "//", "a", "/a", "/a/0", "/a/0/1", "/a/0/01", "/a/0/+1", "/a/0/-", "/a/0/2",
            "/a/0/1/0", "/a/1/b~1c", "/a/1/~0", "/a/1/b/c", "/0/01", "/0/1", "/a/", "/a/0/",
        ] {
            let expected: Vec<String> =
                document.pointer(pointer).map(ToString::to_string).into_iter().collect();
            assert_eq!(texts(&content, pointer), expected, "{pointer}");
        }
    }

    #[test]
    fn invalid_json_has_no_documents() {
        for content in ["[FIRING] x\n[RESOLVED] y", "{not json}", "", "{\"a\": 1", "plain"] {
            assert!(texts(content, "/a").is_empty(), "{content}");
            assert!(texts(content, "/0").is_empty(), "{content}");
        }
        let unclosed = "[1,\n".repeat(10_000);
        assert!(texts(&unclosed, "/0").is_empty());
    }
}
