//! How a claim puts two things in an order in time, and how far apart: "X came half a minute after Y".

use std::ops::Range;

use gsar_core::text::tokens::{Word, words};

use crate::claim::lengths::Length;

/// How two things lie in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// The first is earlier.
    Before,
    /// The first is later.
    After,
    /// They lie in the same second, minute or sample.
    Together,
    /// Some length lies between them, whichever is first.
    Apart,
}

/// Two things and how they lie in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) link: Link,
    /// What the first thing is called: bytes of the claim.
    pub(crate) first: Range<usize>,
    /// What the second thing is called.
    pub(crate) second: Range<usize>,
    /// The words that link them.
    pub(crate) words: Range<usize>,
    /// How far apart they lie.
    pub(crate) length: Option<Length>,
}

/// The ways to read a claim as two things in time; the likeliest first, none where it puts nothing in order.
pub(crate) fn relations(text: &str, lengths: &[Length]) -> Vec<Relation> {
    let all: Vec<Word<'_>> = words(text).collect();
    // "The 900 s and the 1800 s threshold were crossed five minutes apart": the length beside the link.
    let beside = lengths.iter().find(|length| {
        let next = words(text.get(length.span.end..).unwrap_or("")).next();
        next.is_some_and(|next| {
            [
                "apart", "after", "before", "later", "earlier", "ahead", "prior", "older", "newer",
                "passed", "elapsed",
            ]
            .iter()
            .any(|link| next.is(link))
        })
    });
    let lengths = match (lengths, beside) {
        ([] | [_], _) => lengths,
        (_, Some(beside)) => std::slice::from_ref(beside),
        _ => return Vec::new(),
    };
    let reader = Reader { text, all: &all, lengths };
    let between = reader.between();
    if !between.is_empty() {
        return between;
    }
    let already = all.iter().position(|word| word.is("already"));
    if let Some(already) = already
        && let Some(when) = all.iter().position(|word| word.is("when"))
        && when > 0
    {
        let _ = already;
        return reader.around(when, 1, Link::Before);
    }
    for at in 0..all.len() {
        let Some((link, width)) = reader.link(at) else { continue };
        return reader.around(at, width, link);
    }
    reader.apart().into_iter().collect()
}

struct Reader<'t, 'r> {
    text: &'t str,
    all: &'r [Word<'t>],
    lengths: &'r [Length],
}

impl Reader<'_, '_> {
    fn is(&self, at: usize, wanted: &str) -> bool {
        self.all.get(at).is_some_and(|word| word.is(wanted))
    }

    fn are(&self, at: usize, wanted: &[&str]) -> bool {
        wanted.iter().enumerate().all(|(place, word)| self.is(at + place, word))
    }

    fn start(&self, at: usize) -> usize {
        self.all.get(at).map_or(self.text.len(), |word| word.span.start)
    }

    fn end(&self, at: usize) -> usize {
        self.all.get(at).map_or(self.text.len(), |word| word.span.end)
    }

    /// The words that put two things in order, and how many they are.
    fn link(&self, at: usize) -> Option<(Link, usize)> {
        const LINKS: [(&[&str], Link); 32] = [
            (&["at", "the", "same", "time", "as"], Link::Together),
            (&["at", "the", "same", "moment", "as"], Link::Together),
            (&["in", "the", "same", "second", "as"], Link::Together),
            (&["in", "the", "same", "minute", "as"], Link::Together),
            (&["within", "the", "same", "minute", "as"], Link::Together),
            (&["at", "the", "same", "minute", "as"], Link::Together),
            (&["simultaneously", "with"], Link::Together),
            (&["as", "soon", "as"], Link::After),
            (&["more", "recent", "than"], Link::After),
            (&["more", "recently", "than"], Link::After),
            (&["only", "once"], Link::After),
            (&["was", "followed", "by"], Link::Before),
            (&["were", "followed", "by"], Link::Before),
            (&["followed", "by"], Link::Before),
            (&["preceded", "by"], Link::After),
            (&["followed", "on"], Link::After),
            (&["ahead", "of"], Link::Before),
            (&["prior", "to"], Link::Before),
            (&["earlier", "than"], Link::Before),
            (&["sooner", "than"], Link::Before),
            (&["older", "than"], Link::Before),
            (&["later", "than"], Link::After),
            (&["newer", "than"], Link::After),
            (&["younger", "than"], Link::After),
            (&["subsequent", "to"], Link::After),
            (&["following"], Link::After),
            (&["before"], Link::Before),
            (&["after"], Link::After),
            (&["once"], Link::After),
            (&["then"], Link::Before),
            (&["preceded"], Link::Before),
            (&["until"], Link::Before),
        ];
        const BY_LENGTH: [(&str, Link); 7] = [
            ("trails", Link::After),
            ("trailed", Link::After),
            ("lags", Link::After),
            ("lagged", Link::After),
            ("leads", Link::Before),
            ("precedes", Link::Before),
            ("predates", Link::Before),
        ];
        if let Some((phrase, link)) = LINKS.iter().find(|(phrase, _)| self.are(at, phrase)) {
            let is_count = phrase == &["once"] && self.all.get(at + 1).is_none();
            let until = phrase == &["until"] && self.lengths.is_empty();
            return (!is_count && !until).then_some((*link, phrase.len()));
        }
        let by_length = BY_LENGTH.iter().find(|(word, _)| self.is(at, word))?;
        let behind = usize::from(self.is(at + 1, "behind"));
        Some((by_length.1, 1 + behind))
    }

    /// The two things around the words that link them.
    fn around(&self, at: usize, width: usize, link: Link) -> Vec<Relation> {
        let length = self.lengths.first().cloned();
        if length.as_ref().is_some_and(|length| !self.is_distance(length, at)) {
            return Vec::new();
        }
        let linked = self.start(at)..self.end(at + width - 1);
        let before = 0..self.start(at);
        let after = self.end(at + width - 1)..self.text.len();
        let before = self.without_length(before);
        let is_opening = words(self.text.get(before.clone()).unwrap_or("")).next().is_none();
        if !is_opening {
            let comma = self.text.get(after.clone()).and_then(|rest| rest.find([',', ';', '(']));
            let stop = comma.map_or(after.end, |comma| after.start + comma);
            let second = self.without_length(after.start..stop);
            // "X came before Y, 97 s earlier" but "X came before Y, and Z" says more than that.
            let rest = self.without_length(stop..self.text.len());
            let says_more = words(self.text.get(rest).unwrap_or(""))
                .any(|word| !["earlier", "later", "and", "by"].iter().any(|plain| word.is(plain)));
            if says_more {
                return Vec::new();
            }
            return vec![Relation { link, first: before, second, words: linked, length }];
        }
        // "After Y, X", "Some 46 seconds after Y X".
        let reversed = match link {
            Link::Before => Link::After,
            Link::After => Link::Before,
            other => other,
        };
        let rest = self.text.get(after.clone()).unwrap_or("");
        if let Some(comma) = rest.find(',') {
            let first = after.start..after.start + comma;
            let second = after.start + comma + 1..after.end;
            return vec![Relation { link: reversed, first, second, words: linked, length }];
        }
        const OPENING: [&str; 9] = ["the", "a", "an", "its", "their", "this", "that", "it", "they"];
        (at + width + 1..self.all.len().saturating_sub(1))
            .filter(|place| {
                self.all.get(*place).is_some_and(|word| {
                    OPENING.iter().any(|opening| word.is(opening))
                        && !self.all.get(place - 1).is_some_and(|before| is_preposition(before))
                })
            })
            .map(|place| Relation {
                link: reversed,
                first: after.start..self.start(place),
                second: self.start(place)..after.end,
                words: linked.clone(),
                length: length.clone(),
            })
            .collect()
    }

    /// Whether a length says how far apart two things are: "D after", "by D", "D earlier". "Gave up after waiting 30
    /// seconds" says no such thing.
    fn is_distance(&self, length: &Length, link: usize) -> bool {
        let between = self.text.get(length.span.end..self.start(link)).unwrap_or("-");
        let next = words(self.text.get(length.span.end..).unwrap_or("")).next();
        let last = words(self.text.get(..length.span.start).unwrap_or("")).last();
        length.span.end <= self.start(link) && only_joins(between)
            || next.is_some_and(|word| word.is("earlier") || word.is("later"))
            || last.is_some_and(|word| word.is("by"))
    }

    /// A stretch of the claim without a length at its end or beginning, and without the words that only join it.
    fn without_length(&self, span: Range<usize>) -> Range<usize> {
        let mut span = span;
        if let Some(length) = self.lengths.first() {
            let tail = self.text.get(length.span.end..span.end).unwrap_or("-");
            if length.span.start >= span.start && length.span.end <= span.end && only_joins(tail) {
                span.end = length.span.start;
            }
            let head = self.text.get(span.start..length.span.start).unwrap_or("-");
            if length.span.start >= span.start && length.span.end <= span.end && only_joins(head) {
                span.start = length.span.end;
            }
        }
        span
    }

    /// "D passed between X and Y", "D passed from X to Y".
    fn between(&self) -> Vec<Relation> {
        const VERBS: [&str; 13] = [
            "passed",
            "pass",
            "elapsed",
            "lay",
            "lie",
            "lies",
            "went",
            "apart",
            "separate",
            "separated",
            "took",
            "gap",
            "lasted",
        ];
        let Some(length) = self.lengths.first() else { return Vec::new() };
        if !self.all.iter().any(|word| VERBS.iter().any(|verb| word.is(verb))) {
            return Vec::new();
        }
        for (opening, joint) in [
            ("between", "and"),
            ("from", "to"),
            ("from", "until"),
            ("separate", "from"),
            ("separated", "from"),
        ] {
            let Some(from) = self.all.iter().position(|word| word.is(opening)) else { continue };
            let stop = if length.span.start > self.start(from) {
                length.span.start
            } else {
                self.text.len()
            };
            let joints: Vec<usize> = (from + 2..self.all.len())
                .filter(|place| self.is(*place, joint) && self.end(*place) < stop)
                .collect();
            let link = if opening == "between" { Link::Apart } else { Link::Before };
            return joints
                .into_iter()
                .map(|place| Relation {
                    link,
                    first: self.end(from)..self.start(place),
                    second: self.end(place)..stop,
                    words: self.start(place)..self.end(place),
                    length: Some(length.clone()),
                })
                .collect();
        }
        Vec::new()
    }

    /// "X and Y were reported a bit over five minutes apart".
    fn apart(&self) -> Option<Relation> {
        let length = self.lengths.first()?;
        let after = self.text.get(length.span.end..)?;
        if !words(after).next().is_some_and(|word| word.is("apart")) {
            return None;
        }
        let joint = self.all.iter().position(|word| word.is("and"))?;
        Some(Relation {
            link: Link::Apart,
            first: 0..self.start(joint),
            second: self.end(joint)..length.span.start,
            words: self.start(joint)..self.end(joint),
            length: Some(length.clone()),
        })
    }
}

fn is_preposition(word: &Word<'_>) -> bool {
    const PREPOSITIONS: [&str; 17] = [
        "of", "in", "on", "at", "for", "from", "to", "by", "with", "into", "between", "and", "or",
        "than", "all", "when", "which",
    ];
    PREPOSITIONS.iter().any(|entry| word.is(entry))
}

/// Whether a stretch between a length and the words around it says nothing.
fn only_joins(text: &str) -> bool {
    words(text).all(|word| {
        [
            "by", "already", "only", "just", "shortly", "exactly", "earlier", "later", "and",
            "well", "long",
        ]
        .iter()
        .any(|plain| word.is(plain))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::claim::lengths::lengths;

    fn read(text: &str) -> Option<(Link, &str, &str)> {
        let found = relations(text, &lengths(text)).into_iter().next()?;
        let part = |span: Range<usize>| text.get(span).unwrap_or("").trim().trim_matches(',');
        Some((found.link, part(found.first), part(found.second)))
    }

    #[test]
    fn two_sides_and_what_links_them() {
        for (text, link, first, second) in [
            ("X came half a minute after Y", Link::After, "X came", "Y"),
            ("After Y, X came", Link::Before, "Y", "X came"),
            ("X was followed by Y", Link::Before, "X", "Y"),
            ("X is five seconds older than Y", Link::Before, "X is", "Y"),
            ("X started only once Y had ended", Link::After, "X started", "Y had ended"),
            ("X trails Y by about a tenth of a second", Link::After, "X", "Y by"),
            ("Ten minutes passed between X and Y", Link::Apart, "X", "Y"),
            ("X was already open when Y closed", Link::Before, "X was already open", "Y closed"),
            ("X came well before Y, 97 s earlier", Link::Before, "X came well", "Y"),
        ] {
            assert_eq!(read(text), Some((link, first, second)), "{text}");
        }
        assert_eq!(read("X restarted four times"), None);
        assert_eq!(read("X came after Y, and Z failed"), None);
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(\\PC|after |before |between |and |5 s |, |the |passed |once ){0,20}") {
            for relation in relations(&text, &lengths(&text)) {
                prop_assert!(text.get(relation.first).is_some() && text.get(relation.second).is_some());
            }
        }
    }
}
