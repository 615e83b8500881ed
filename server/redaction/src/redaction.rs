//! This module redacts one question: the same value has the same placeholder in all of its texts, and placeholders
//! turn back into values.
//!
//! A placeholder is `[TAG-KIND-NUMBER]`, for example `[k7fq-IP-1]`. The tag comes from the caller's salt and occurs in
//! none of the texts with which the redaction began.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;

use crate::Redactor;
use crate::find::{Span, merged};
use crate::kind::Kind;

/// Secrets at least this long, in bytes, are hidden wherever they stand; shorter ones only where they were found.
/// A password such as `admin` would take a word out of every line.
pub const MIN_SWEPT_BYTES: usize = 8;
/// The longest placeholder after its tag, in bytes: a kind, a hyphen, a number and a bracket.
const MAX_REST_BYTES: usize = crate::pattern::MAX_NAME_BYTES + 22;
/// How often what is hidden may bring further places to light: each time the text is looked through again.
const MAX_ROUNDS: usize = 4;

/// How much of one kind was hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many different values there are.
    pub values: usize,
    /// How many places they stand at.
    pub places: usize,
}

/// The placeholders of one question. Printing it shows counts, never values.
pub struct Redaction {
    redactor: Redactor,
    /// What every placeholder begins with: `[TAG-`.
    opening: String,
    /// Secrets of the texts with which the redaction began.
    swept: Option<AhoCorasick>,
    /// The placeholder of each value.
    placeholders: HashMap<(Kind, String), String>,
    /// The value of each placeholder.
    values: HashMap<String, String>,
    counts: BTreeMap<Kind, Counts>,
}

impl Redaction {
    pub(crate) fn new(redactor: Redactor, salt: u128, texts: &[&str]) -> Self {
        let opening = opening(salt, texts);
        let swept = sweeper(&redactor, texts);
        Self {
            redactor,
            opening,
            swept,
            placeholders: HashMap::new(),
            values: HashMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// The text with placeholders in place of what was found. Placeholders of this redaction that stand in it already
    /// are left as they are.
    ///
    /// [`restore`](Self::restore) gives the very text back, for every text that contains no placeholder that this
    /// redaction has given out.
    pub fn hide<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let mut hidden = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            let spans = self.spans(&hidden);
            if spans.is_empty() {
                break;
            }
            hidden = Cow::Owned(self.replaced(&hidden, &spans));
        }
        hidden
    }

    /// The text with values in place of the placeholders of this redaction.
    #[must_use]
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut restored = String::new();
        let mut done = 0;
        for (range, value) in self.given_out(text) {
            restored.push_str(text.get(done..range.start).unwrap_or_default());
            restored.push_str(value);
            done = range.end;
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        restored.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(restored)
    }

    /// Where placeholders stand in a text that [`hide`](Self::hide) gave, each with how many bytes it replaced.
    #[must_use]
    pub fn replaced_in(&self, hidden: &str) -> Vec<(Range<usize>, usize)> {
        self.given_out(hidden).map(|(range, value)| (range, value.len())).collect()
    }

    /// How much was hidden so far, by kind.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<Kind, Counts> {
        &self.counts
    }

    /// What every placeholder of this redaction begins with, for example `[k7fq-`: what a prompt tells a model about.
    #[must_use]
    pub fn opening(&self) -> &str {
        &self.opening
    }

    /// What is to be hidden in a text: all that is found, secrets known from elsewhere, and what only looks like a
    /// placeholder.
    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = self.redactor.find(text);
        if let Some(swept) = &self.swept {
            spans.extend(
                swept
                    .find_iter(text)
                    .map(|found| Span { range: found.range(), kind: Kind::Secret }),
            );
        }
        let mut given_out = Vec::new();
        for start in memmem::find_iter(text.as_bytes(), &self.opening) {
            match self.placeholder_at(text, start) {
                Some((range, _)) => given_out.push(range),
                None => {
                    let range = start..start + self.opening.len();
                    spans.push(Span { range, kind: Kind::Lookalike });
                }
            }
        }
        without(merged(spans), &given_out)
    }

    fn replaced(&mut self, text: &str, spans: &[Span]) -> String {
        let mut hidden = String::with_capacity(text.len());
        let mut done = 0;
        for span in spans {
            let value = span.value(text);
            hidden.push_str(text.get(done..span.range.start).unwrap_or_default());
            hidden.push_str(self.placeholder(&span.kind, value));
            done = span.range.end;
        }
        hidden.push_str(text.get(done..).unwrap_or_default());
        hidden
    }

    /// The placeholder of a value: a new one where it has none.
    fn placeholder(&mut self, kind: &Kind, value: &str) -> &str {
        let counts = self.counts.entry(kind.clone()).or_default();
        counts.places += 1;
        self.placeholders.entry((kind.clone(), value.to_owned())).or_insert_with(|| {
            counts.values += 1;
            let placeholder = format!("{}{}-{}]", self.opening, kind.name(), counts.values);
            self.values.insert(placeholder.clone(), value.to_owned());
            placeholder
        })
    }

    /// The placeholders given out that stand in a text, with their values.
    fn given_out<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (Range<usize>, &'s str)> {
        memmem::find_iter(text.as_bytes(), &self.opening)
            .filter_map(|start| self.placeholder_at(text, start))
    }

    fn placeholder_at(&self, text: &str, start: usize) -> Option<(Range<usize>, &str)> {
        let rest = text.as_bytes().get(start + self.opening.len()..)?;
        let closing = memchr::memchr(b']', rest.get(..MAX_REST_BYTES).unwrap_or(rest))?;
        let range = start..start + self.opening.len() + closing + 1;
        let value = self.values.get(text.get(range.clone())?)?;
        Some((range, value))
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redaction")
            .field("opening", &self.opening)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// What placeholders begin with: it occurs in none of the texts. Four letters are enough for nearly all texts; the tag
/// grows with the attempts, so that there is always one.
fn opening(salt: u128, texts: &[&str]) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnopqrstuvwxyz2345678";
    let mut attempt: u32 = 0;
    loop {
        let digest = blake3::Hasher::new()
            .update(&salt.to_le_bytes())
            .update(&attempt.to_le_bytes())
            .finalize();
        let length = 4 + usize::try_from(attempt / 4).unwrap_or(usize::MAX).min(28);
        let letters = digest.as_bytes().iter().take(length);
        let tag: String = letters
            .filter_map(|byte| LETTERS.get(usize::from(byte % 32)))
            .map(|letter| char::from(*letter))
            .collect();
        let opening = format!("[{tag}-");
        let finder = memmem::Finder::new(&opening);
        if texts.iter().all(|text| finder.find(text.as_bytes()).is_none()) {
            return opening;
        }
        attempt = attempt.wrapping_add(1);
    }
}

/// Searches for the secrets of the texts, however they stand there.
fn sweeper(redactor: &Redactor, texts: &[&str]) -> Option<AhoCorasick> {
    let mut secrets: HashSet<&str> = HashSet::new();
    for text in texts {
        for span in redactor.find(text) {
            if !span.kind.gives_access() {
                continue;
            }
            let value = span.value(text);
            // Of user:password the password gives access by itself.
            let password = value.split_once(':').map(|(_, password)| password);
            let long = [Some(value), password].into_iter().flatten();
            secrets.extend(long.filter(|value| value.len() >= MIN_SWEPT_BYTES));
        }
    }
    if secrets.is_empty() {
        return None;
    }
    let mut secrets: Vec<&str> = secrets.into_iter().collect();
    secrets.sort_unstable();
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(secrets).ok()
}

/// The spans that touch none of the ranges. Both ascend.
fn without(spans: Vec<Span>, ranges: &[Range<usize>]) -> Vec<Span> {
    let mut ranges = ranges.iter().peekable();
    spans
        .into_iter()
        .filter(|span| {
            while ranges.next_if(|range| range.end <= span.range.start).is_some() {}
            ranges.peek().is_none_or(|range| range.start >= span.range.end)
        })
        .collect()
}
