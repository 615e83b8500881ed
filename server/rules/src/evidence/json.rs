//! A JSON walker that remembers where everything stands.
//!
//! Containers and leaves are reported in order with the byte spans of their keys and values in the
//! original text, so that a citation can quote it verbatim. The walk keeps its own stack: depth costs
//! memory of one frame per level up to [`DEEPEST`] and never recursion. It trusts nothing: on text that is
//! not JSON it stops where it no longer understands.

use std::ops::Range;

/// Containers nested deeper than this are skipped; the walk reports that it did.
pub(crate) const DEEPEST: usize = 100;

/// What the walk meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// An object or array begins.
    Open {
        /// How it is reached from the container around it.
        step: Step,
        /// Object or array.
        shape: Shape,
        /// Its first byte.
        at: usize,
    },
    /// The container opened last ends.
    Close {
        /// The byte after it.
        end: usize,
    },
    /// A string, number, literal, or an empty container.
    Leaf {
        /// How it is reached from the container around it.
        step: Step,
        /// What it is.
        kind: Leaf,
        /// Its bytes, quotes included.
        value: Range<usize>,
    },
}

/// How a value is reached from the container around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The document itself.
    Root,
    /// A member of an object; the bytes of its key without quotes.
    Member(Range<usize>),
    /// A place in an array.
    Index(u32),
}

/// Object or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// `[]` or `{}`
    Empty,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The whole document was read.
    Complete,
    /// Something was skipped: it was nested too deep, or not JSON, or the visitor had enough.
    Cut,
}

/// Whether the visitor wants to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on.
    More,
    /// Stop here.
    Enough,
}

/// Walks a document and hands every event to the visitor.
pub(crate) fn walk(text: &str, mut visit: impl FnMut(Event) -> Flow) -> End {
    let mut walker = Walker { bytes: text.as_bytes(), at: 0, frames: Vec::new(), skipped: false };
    match walker.run(&mut visit) {
        Some(()) if !walker.skipped => End::Complete,
        _ => End::Cut,
    }
}

struct Frame {
    shape: Shape,
    next_index: u32,
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    frames: Vec<Frame>,
    skipped: bool,
}

impl Walker<'_> {
    /// `None` when the text is not JSON from some place on, or the visitor had enough.
    fn run(&mut self, visit: &mut impl FnMut(Event) -> Flow) -> Option<()> {
        self.value(Step::Root, visit)?;
        while let Some(frame) = self.frames.last_mut() {
            let shape = frame.shape;
            self.skip_space();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' | b']' => {
                    self.at += 1;
                    self.frames.pop();
                    go_on(visit(Event::Close { end: self.at }))?;
                }
                _ => {
                    let step = match shape {
                        Shape::Object => {
                            let key = self.string()?;
                            self.skip_space();
                            if self.peek()? != b':' {
                                return None;
                            }
                            self.at += 1;
                            Step::Member(key.start + 1..key.end.saturating_sub(1))
                        }
                        Shape::Array => {
                            let index = frame_index(self.frames.last_mut()?);
                            Step::Index(index)
                        }
                    };
                    self.value(step, visit)?;
                }
            }
        }
        Some(())
    }

    fn value(&mut self, step: Step, visit: &mut impl FnMut(Event) -> Flow) -> Option<()> {
        self.skip_space();
        let start = self.at;
        let kind = match self.peek()? {
            b'"' => {
                self.string()?;
                Leaf::String
            }
            b'{' => return self.container(step, Shape::Object, visit),
            b'[' => return self.container(step, Shape::Array, visit),
            b't' => self.literal(b"true", Leaf::True)?,
            b'f' => self.literal(b"false", Leaf::False)?,
            b'n' => self.literal(b"null", Leaf::Null)?,
            b'-' | b'0'..=b'9' => {
                while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
                    self.at += 1;
                }
                Leaf::Number
            }
            _ => return None,
        };
        go_on(visit(Event::Leaf { step, kind, value: start..self.at }))
    }

    fn container(
        &mut self,
        step: Step,
        shape: Shape,
        visit: &mut impl FnMut(Event) -> Flow,
    ) -> Option<()> {
        let at = self.at;
        if self.frames.len() >= DEEPEST {
            self.skipped = true;
            return self.skip_container();
        }
        self.at += 1;
        self.skip_space();
        if matches!(self.peek()?, b'}' | b']') {
            self.at += 1;
            return go_on(visit(Event::Leaf { step, kind: Leaf::Empty, value: at..self.at }));
        }
        self.frames.push(Frame { shape, next_index: 0 });
        go_on(visit(Event::Open { step, shape, at }))
    }

    fn skip_container(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// The span of a string with its quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..)?;
            let to = memchr::memchr2(b'"', b'\\', rest)?;
            let escaped = rest.get(to).is_some_and(|byte| *byte == b'\\');
            self.at += to + 1 + usize::from(escaped);
            if !escaped {
                return Some(start..self.at);
            }
        }
    }

    fn literal(&mut self, word: &[u8], leaf: Leaf) -> Option<Leaf> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| {
            self.at += word.len();
            leaf
        })
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

fn frame_index(frame: &mut Frame) -> u32 {
    let index = frame.next_index;
    frame.next_index = index.saturating_add(1);
    index
}

fn go_on(flow: Flow) -> Option<()> {
    (flow == Flow::More).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leaves(text: &str) -> (Vec<(String, Leaf)>, End) {
        let mut found = Vec::new();
        let end = walk(text, |event| {
            if let Event::Leaf { step, kind, value } = event {
                let key = match step {
                    Step::Member(span) => text.get(span).unwrap().to_owned(),
                    Step::Index(index) => index.to_string(),
                    Step::Root => String::new(),
                };
                found.push((format!("{key}={}", text.get(value).unwrap()), kind));
            }
            Flow::More
        });
        (found, end)
    }

    #[test]
    fn leaves_keep_their_bytes() {
        let (found, end) =
            leaves(r#"{"a" : [1, "x\"y", {"b":true}], "c":{}, "d": null, "e": -1.5e3}"#);
        let texts: Vec<_> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["0=1", r#"1="x\"y""#, "b=true", "c={}", "d=null", "e=-1.5e3"]);
        assert_eq!(end, End::Complete);
    }

    #[test]
    fn depth_is_bounded_and_told() {
        let deep = format!("{{\"a\":{}1{},\"b\":2}}", "[".repeat(5000), "]".repeat(5000));
        let (found, end) = leaves(&deep);
        assert_eq!(found.last().map(|(text, _)| text.as_str()), Some("b=2"));
        assert_eq!(end, End::Cut);
        assert_eq!(leaves(&"[".repeat(100_000)).1, End::Cut);
    }

    proptest! {
        #[test]
        fn opens_and_closes_balance(value in "[\\[\\]{},:\"a0\\\\ ]{0,60}") {
            let mut depth = 0_i64;
            walk(&value, |event| {
                match event {
                    Event::Open { .. } => depth += 1,
                    Event::Close { .. } => depth -= 1,
                    Event::Leaf { value: span, .. } => assert!(span.end <= value.len()),
                }
                assert!(depth >= 0);
                Flow::More
            });
        }
    }
}
