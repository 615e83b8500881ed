//! How a claim ties a cause to an effect: "X because Y", "X due to Y", "T blames X on Y". Decides nothing.

use std::ops::Range;

use gsar_core::text::tokens::{Word, words};

use crate::vocabulary::event_words::any;

/// A cause and an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linked {
    /// What became of something: bytes of the claim.
    pub(crate) effect: Range<usize>,
    /// Why.
    pub(crate) cause: Range<usize>,
    /// The words that tie them, and who says so: they need no counterpart.
    pub(crate) ties: Vec<Range<usize>>,
}

/// Words between an effect and its cause, the longest first.
const AFTER_EFFECT: [&[&str]; 23] = [
    &["is", "attributed", "to"],
    &["was", "attributed", "to"],
    &["were", "attributed", "to"],
    &["is", "put", "down", "to"],
    &["on", "account", "of"],
    &["as", "a", "result", "of"],
    &["as", "a", "consequence", "of"],
    &["for", "the", "reason", "that"],
    &["with", "the", "reason", "that"],
    &["was", "caused", "by"],
    &["were", "caused", "by"],
    &["is", "caused", "by"],
    &["was", "triggered", "by"],
    &["is", "because"],
    &["was", "because"],
    &["because", "of"],
    &["due", "to"],
    &["owing", "to"],
    &["thanks", "to"],
    &["caused", "by"],
    &["resulting", "from"],
    &["stems", "from"],
    &["because"],
];

/// Verbs with which a tool names a cause, and what stands between effect and cause.
const BLAMING: [(&str, &str, Order); 10] = [
    ("blames", "on", Order::EffectFirst),
    ("blamed", "on", Order::EffectFirst),
    ("attributes", "to", Order::EffectFirst),
    ("attributed", "to", Order::EffectFirst),
    ("puts", "down", Order::EffectFirst),
    ("explains", "with", Order::EffectFirst),
    ("blames", "for", Order::CauseFirst),
    ("names", "as", Order::CauseFirst),
    ("gives", "as", Order::CauseFirst),
    ("cites", "as", Order::CauseFirst),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    EffectFirst,
    CauseFirst,
}

/// The cause and effect that a claim ties together; `None` where it ties none, or several.
pub(crate) fn linked(text: &str) -> Option<Linked> {
    let all: Vec<Word<'_>> = words(text).collect();
    let reader = Reader { text, all: &all };
    reader.blamed().or_else(|| reader.tied())
}

struct Reader<'t, 'r> {
    text: &'t str,
    all: &'r [Word<'t>],
}

impl Reader<'_, '_> {
    fn start(&self, at: usize) -> usize {
        self.all.get(at).map_or(self.text.len(), |word| word.span.start)
    }

    fn end(&self, at: usize) -> usize {
        self.all.get(at).map_or(self.text.len(), |word| word.span.end)
    }

    fn are(&self, at: usize, wanted: &[&str]) -> bool {
        wanted
            .iter()
            .enumerate()
            .all(|(place, wanted)| self.all.get(at + place).is_some_and(|word| word.is(wanted)))
    }

    /// "X because Y", "Because of Y, X".
    fn tied(&self) -> Option<Linked> {
        let mut ties = (0..self.all.len()).filter_map(|at| {
            let tie = AFTER_EFFECT.iter().find(|tie| self.are(at, tie)).map(|tie| (at, tie.len()));
            tie.or_else(|| self.lacks(at).then_some((at, 1)))
        });
        let (at, width) = ties.next()?;
        let length = self.text.len();
        if ties.any(|(other, _)| other >= at + width) {
            return None;
        }
        let tie = self.start(at)..self.end(at + width - 1);
        if at > 0 {
            let effect = 0..tie.start;
            return Some(Linked { effect, cause: tie.end..length, ties: vec![tie] });
        }
        let comma = self.text.get(tie.end..)?.find(',')? + tie.end;
        Some(Linked { effect: comma + 1..length, cause: tie.end..comma, ties: vec![tie] })
    }

    /// "For want of Y", "for lack of Y".
    fn lacks(&self, at: usize) -> bool {
        let what = |word: &Word<'_>| any(word.text, &["lack", "want", "shortage"]);
        self.are(at, &["for"])
            && self.all.get(at + 1).is_some_and(what)
            && self.are(at + 2, &["of"])
    }

    /// "T blames X on Y", "T names Y as the cause of X".
    fn blamed(&self) -> Option<Linked> {
        let length = self.text.len();
        for at in 1..self.all.len() {
            for (verb, joint, order) in BLAMING {
                if !self.are(at, &[verb]) {
                    continue;
                }
                let Some(place) = (at + 2..self.all.len()).find(|place| self.are(*place, &[joint]))
                else {
                    continue;
                };
                let mut until = place + 1;
                if joint == "as" {
                    let reason = |word: &Word<'_>| any(word.text, &["cause", "reason"]);
                    let named = (place + 1..place + 5)
                        .find(|place| self.all.get(*place).is_some_and(reason));
                    let Some(named) = named else { continue };
                    until = named + 2;
                } else if joint == "down" {
                    until = place + 2;
                }
                let (one, other) = (self.end(at)..self.start(place), self.end(until - 1)..length);
                let ties = vec![0..self.end(at), self.start(place)..self.end(until - 1)];
                let (effect, cause) = match order {
                    Order::EffectFirst => (one, other),
                    Order::CauseFirst => (other, one),
                };
                return Some(Linked { effect, cause, ties });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_and_effect_are_told_apart() {
        for (text, effect, cause) in [
            (
                "The pod is Pending because its claim is unbound",
                "The pod is Pending",
                "its claim is unbound",
            ),
            ("Due to a full disk, writes failed", "writes failed", "a full disk"),
            ("RDS attributes the lag to a burst of writes", "the lag", "a burst of writes"),
            ("The log blames a burst of writes for the lag", "the lag", "a burst of writes"),
            (
                "RDS names a burst of writes as the root cause of the lag",
                "the lag",
                "a burst of writes",
            ),
        ] {
            let found = linked(text).unwrap_or_else(|| panic!("{text}"));
            let part = |span: Range<usize>| text.get(span).unwrap_or("").trim();
            assert_eq!((part(found.effect), part(found.cause)), (effect, cause), "{text}");
        }
        for text in ["The pod restarted", "because of that", "X because Y because Z"] {
            assert_eq!(linked(text), None, "{text}");
        }
    }
}
