//! A JSON reader that keeps every number as it is written.
//!
//! A general reader turns `0.1` into the nearest binary fraction; here a number must be compared with a
//! threshold as exact decimal text. Depth is bounded, so hostile nesting is refused, not followed.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Deeper documents are not read.
const MAX_DEPTH: u32 = 64;

/// A JSON value that borrows from its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    /// The literal.
    Number(&'a str),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// Members in the order in which they are written.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Reads one document; `None` when the text is not exactly one, or is nested too deep.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_space();
        (reader.at == text.len()).then_some(value)
    }

    /// The text of a string.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The literal of a number, or the text of a string.
    pub(super) fn as_scalar(&self) -> Option<&str> {
        match self {
            Self::Number(literal) => Some(literal),
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Json<'a>) -> Option<Json<'a>> {
        self.rest().starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self, depth: u32) -> Option<Json<'a>> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number().map(Json::Number),
        }
    }

    fn object(&mut self, depth: u32) -> Option<Json<'a>> {
        self.take(b'{')?;
        let mut members = Vec::new();
        self.skip_space();
        if self.take(b'}').is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.skip_space();
            let key = self.string()?;
            self.skip_space();
            self.take(b':')?;
            members.push((key, self.value(depth + 1)?));
            self.skip_space();
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return Some(Json::Object(members));
            }
        }
    }

    fn array(&mut self, depth: u32) -> Option<Json<'a>> {
        self.take(b'[')?;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']').is_some() {
            return Some(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b',').is_none() {
                self.take(b']')?;
                return Some(Json::Array(items));
            }
        }
    }

    fn number(&mut self) -> Option<&'a str> {
        let start = self.at;
        let _ = self.take(b'-');
        if self.take(b'0').is_none() {
            self.digits()?;
        }
        if self.take(b'.').is_some() {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.text.get(start..self.at)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.take(b'"')?;
        let mut unescaped: Option<String> = None;
        loop {
            let rest = self.rest();
            let plain =
                rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')?;
            let run = rest.get(..plain)?;
            self.at += plain;
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(match unescaped {
                        None => Cow::Borrowed(run),
                        Some(mut text) => {
                            text.push_str(run);
                            Cow::Owned(text)
                        }
                    });
                }
                b'\\' => {
                    self.at += 1;
                    let text = unescaped.get_or_insert_default();
                    text.push_str(run);
                    let escaped = self.escape()?;
                    unescaped.get_or_insert_default().push(escaped);
                }
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return None,
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let unit = self.hex()?;
        if !(0xd800..0xdc00).contains(&unit) {
            return char::from_u32(unit);
        }
        self.take(b'\\')?;
        self.take(b'u')?;
        let low = self.hex()?;
        if !(0xdc00..0xe000).contains(&low) {
            return None;
        }
        char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at.checked_add(4)?)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn accepted(text: &str) -> bool {
        Json::parse(text).is_some()
    }

    #[test]
    fn numbers_stay_as_written() {
        let Some(Json::Array(items)) = Json::parse("[0.10, -1e400, 9007199254740993]") else {
            panic!("it parses");
        };
        assert_eq!(
            items,
            [Json::Number("0.10"), Json::Number("-1e400"), Json::Number("9007199254740993")]
        );
    }

    #[test]
    fn escapes_are_resolved() {
        let text = Json::parse(r#""a\n\"\\\u00e9\ud83d\ude00z""#);
        assert_eq!(text, Some(Json::Text("a\n\"\\é😀z".into())));
        assert!(!accepted(r#""\ud83d""#));
    }

    #[test]
    fn deep_nesting_is_refused() {
        for depth in [66, 100_000] {
            assert!(!accepted(&"[".repeat(depth)));
            assert!(!accepted(&format!("{}{}", "[".repeat(depth), "]".repeat(depth))));
        }
        assert!(accepted(&format!("{}{}", "[".repeat(60), "]".repeat(60))));
    }

    fn any_document() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            ".{0,8}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn same(ours: &Json<'_>, theirs: &serde_json::Value) -> bool {
        use serde_json::Value;
        match (ours, theirs) {
            (Json::Null, Value::Null) => true,
            (Json::Bool(a), Value::Bool(b)) => a == b,
            (Json::Number(a), Value::Number(b)) => *a == b.to_string(),
            (Json::Text(a), Value::String(b)) => a == b,
            (Json::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Json::Object(a), Value::Object(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(key, a)| b.get(&**key).is_some_and(|b| same(a, b)))
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn documents_read_as_by_a_general_reader(document in any_document()) {
            let text = document.to_string();
            let ours = Json::parse(&text);
            prop_assert!(ours.is_some_and(|ours| same(&ours, &document)), "{}", text);
        }

        #[test]
        fn what_is_accepted_is_json(text in r#"[\[\]{}:,"\\ntrue0-9.eE+\- u]{0,24}"#) {
            // Infinite doubles are the one thing a general reader refuses and this one keeps.
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            let out_of_range = theirs.as_ref().is_err_and(|error| error.to_string().contains("range"));
            prop_assert!(accepted(&text) == theirs.is_ok() || out_of_range, "{}", text);
        }

        #[test]
        fn reading_never_panics(text in ".{0,64}") {
            let _ = Json::parse(&text);
        }
    }
}
