//! Parses JSON with source positions. Evidence can be truncated, so a value that ends early is parsed as
//! far as possible.

use core::ops::Range;
use std::borrow::Cow;

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use super::{MAX_DEPTH, Node, Nodes, Tree, Value};
use crate::budget::Budget;

impl<'t> Tree<'t> {
    pub(in crate::facts) fn read(text: &'t str, budget: &Budget) -> Option<Self> {
        let strict = ScannerOptions {
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: true,
            allow_extended_string_escapes: false,
        };
        let mut parser = JsonParser {
            text,
            scanner: Scanner::new(text, &strict),
            nodes: Nodes::new(budget),
            open: Vec::new(),
            key: None,
            end: 0,
        };
        let closed = parser.value().is_some();
        let end = parser.end;
        while let Some(open) = parser.open.pop() {
            parser.close(open);
        }
        let tree = Tree { nodes: parser.nodes, end, closed };
        (!tree.nodes.is_empty()).then_some(tree)
    }
}

struct JsonParser<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    nodes: Nodes<'t>,
    open: Vec<usize>,
    key: Option<(Cow<'t, str>, Range<usize>)>,
    end: usize,
}

impl<'t> JsonParser<'t> {
    fn value(&mut self) -> Option<()> {
        let mut token = self.next()?;
        loop {
            match token {
                Token::CloseBrace | Token::CloseBracket => self.close_with(&token)?,
                first => self.begin(first)?,
            }
            let Some(open) = self.open.last().copied() else { return Some(()) };
            let is_object = self.nodes.get(open)?.value == Value::Object;
            let is_first = self.nodes.len() == open + 1;
            token = self.next()?;
            if matches!(token, Token::CloseBrace | Token::CloseBracket) {
                continue;
            }
            if !is_first {
                let Token::Comma = token else { return None };
                token = self.next()?;
            }
            if is_object {
                let Token::String(key) = token else { return None };
                self.key =
                    Some((key, self.scanner.token_start() + 1..self.scanner.token_end() - 1));
                let Token::Colon = self.next()? else { return None };
                token = self.next()?;
            }
        }
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.scanner.scan().ok()??;
        self.end = self.scanner.token_end();
        Some(token)
    }

    fn begin(&mut self, token: Token<'t>) -> Option<()> {
        let bytes = self.scanner.token_start()..self.scanner.token_end();
        let (value, span) = match token {
            Token::OpenBrace => (Value::Object, bytes),
            Token::OpenBracket => (Value::Array, bytes),
            Token::String(text) => (Value::Text(text), bytes.start + 1..bytes.end - 1),
            Token::Number(_) | Token::Boolean(_) | Token::Null => (Value::Bare, bytes),
            _ => return None,
        };
        let index = self.nodes.len();
        let has_members = matches!(value, Value::Object | Value::Array);
        if has_members && self.open.len() == MAX_DEPTH {
            return None;
        }
        self.nodes.push(Node { key: self.key.take(), value, span, after: index + 1 })?;
        if has_members {
            self.open.push(index);
        }
        Some(())
    }

    fn close_with(&mut self, token: &Token<'_>) -> Option<()> {
        let open = self.open.last().copied()?;
        let expected = match self.nodes.get(open)?.value {
            Value::Object => Token::CloseBrace,
            _ => Token::CloseBracket,
        };
        if *token != expected {
            return None;
        }
        self.open.pop();
        self.close(open);
        Some(())
    }

    fn close(&mut self, open: usize) {
        let after = self.nodes.len();
        let end = self.text.floor_char_boundary(self.end);
        if let Some(node) = self.nodes.get_mut(open) {
            node.after = after;
            node.span.end = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(tree: &Tree<'_>, node_index: usize) -> String {
        let members = || {
            tree.members(node_index)
                .map(|node_index| shape(tree, node_index))
                .collect::<Vec<_>>()
                .join(",")
        };
        let node = tree.node(node_index).unwrap();
        let key =
            if node.key.is_some() { format!("{}:", tree.key(node_index)) } else { String::new() };
        match &node.value {
            Value::Object => format!("{key}{{{}}}", members()),
            Value::Array => format!("{key}[{}]", members()),
            Value::Text(text) => format!("{key}'{text}'"),
            Value::Bare => format!("{key}."),
        }
    }

    fn read(text: &str) -> (String, usize, bool) {
        let tree = Tree::read(text, &Budget::unlimited()).unwrap();
        (shape(&tree, 0), tree.end, tree.closed)
    }

    #[test]
    fn parses_complete_and_truncated_values() {
        assert_eq!(read(r#"{"a": [1, {"b": "x\ny"}], "c": {}} tail"#).0, "{a:[.,{b:'x\ny'}],c:{}}");
        assert_eq!(read(r#"[] tail"#), ("[]".into(), 2, true));
        assert_eq!(read(r#"{"a": [1, {"b": "#).0, "{a:[.,{}]}");
        assert_eq!(read(r#"[{"a": 1}, ... 40 more"#), ("[{a:.}]".into(), 10, false));
        assert!(!read(r#"[1}"#).2);
        assert!(!read(&"[".repeat(100_000)).2);
        for text in ["", "INFO x", "]", "'a'"] {
            assert!(Tree::read(text, &Budget::unlimited()).is_none(), "{text}");
        }
    }
}
