//! The redaction of a request: the same value has the same placeholder in all of its texts, and placeholders can be
//! replaced by their values.
//!
//! A placeholder is `[TAG-KIND-NUMBER]`, for example `[k7fq-IP-1]`. The tag is derived from the caller's salt and
//! occurs in none of the initial texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;

use crate::Redactor;
use crate::find::{Span, merged};
use crate::kind::Kind;

/// The minimum length in bytes of secrets that are hidden wherever they occur; shorter ones are hidden only where
/// found. A password such as `admin` would otherwise remove a common word from every line.
pub const MIN_SWEPT_BYTES: usize = 8;
/// The maximum length of a placeholder after its tag, in bytes: a kind, a hyphen, a number and a bracket.
const MAX_REST_BYTES: usize = crate::pattern::MAX_NAME_BYTES + 22;
/// The maximum number of passes: hiding a value may reveal further ones.
const MAX_ROUNDS: usize = 4;

/// The counts of hidden values of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of different values.
    pub values: usize,
    /// The number of occurrences.
    pub places: usize,
}

/// The placeholders of a request. Its `Debug` output shows counts, never values.
pub struct Redaction {
    redactor: Redactor,
    /// The start of every placeholder: `[TAG-`.
    opening: String,
    /// The secrets of the initial texts.
    secrets: Option<AhoCorasick>,
    /// The placeholder of each value.
    placeholders: HashMap<(Kind, String), String>,
    /// The value of each placeholder.
    values: HashMap<String, String>,
    counts: BTreeMap<Kind, Counts>,
}

impl Redaction {
    pub(crate) fn new(redactor: Redactor, salt: u128, texts: &[&str]) -> Self {
        let opening = opening(salt, texts);
        let secrets = secret_search(&redactor, texts);
        Self {
            redactor,
            opening,
            secrets,
            placeholders: HashMap::new(),
            values: HashMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Replaces what is found in a text by placeholders. Existing placeholders of this redaction are kept.
    ///
    /// [`restore`](Self::restore) returns the original text unless that contains a placeholder issued by this
    /// redaction.
    pub fn hide<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let mut hidden = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            let spans = self.spans(&hidden);
            if spans.is_empty() {
                break;
            }
            hidden = Cow::Owned(self.replace(&hidden, &spans));
        }
        hidden
    }

    /// Replaces the placeholders of this redaction in a text by their values.
    #[must_use]
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut restored = String::new();
        let mut done = 0;
        for (range, value) in self.issued(text) {
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

    /// Returns the placeholders in a text from [`hide`](Self::hide), each with the length of the value it replaces.
    #[must_use]
    pub fn replaced_in(&self, hidden: &str) -> Vec<(Range<usize>, usize)> {
        self.issued(hidden).map(|(range, value)| (range, value.len())).collect()
    }

    /// Returns the counts of hidden values by kind.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<Kind, Counts> {
        &self.counts
    }

    /// Returns the start of every placeholder, for example `[k7fq-`, to describe them in a prompt.
    #[must_use]
    pub fn opening(&self) -> &str {
        &self.opening
    }

    /// Returns the spans to hide in a text: everything found, secrets of other texts, and text that only looks like a
    /// placeholder.
    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = self.redactor.find(text);
        if let Some(secrets) = &self.secrets {
            spans.extend(
                secrets
                    .find_iter(text)
                    .map(|found| Span { range: found.range(), kind: Kind::Secret }),
            );
        }
        let mut issued = Vec::new();
        for start in memmem::find_iter(text.as_bytes(), &self.opening) {
            match self.placeholder_at(text, start) {
                Some((range, _)) => issued.push(range),
                None => {
                    let range = start..start + self.opening.len();
                    spans.push(Span { range, kind: Kind::Lookalike });
                }
            }
        }
        without(merged(spans), &issued)
    }

    fn replace(&mut self, text: &str, spans: &[Span]) -> String {
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

    /// Returns the placeholder of a value, creating it if needed.
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

    /// Returns the issued placeholders in a text, with their values.
    fn issued<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (Range<usize>, &'s str)> {
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

/// Returns the start of placeholders, which occurs in none of the texts. Four letters are usually enough; the tag grows
/// with the attempts, so that there is always one.
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

/// Builds a search for the secrets of all texts.
fn secret_search(redactor: &Redactor, texts: &[&str]) -> Option<AhoCorasick> {
    let mut secrets: HashSet<&str> = HashSet::new();
    for text in texts {
        for span in redactor.find(text) {
            if !span.kind.is_credential() {
                continue;
            }
            let value = span.value(text);
            // The password of user:password is a credential by itself.
            let password = value
                .split_once(':')
                .map(|(_, password)| password)
                .filter(|password| !password.contains(char::is_whitespace));
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

/// Returns the spans that touch none of the ranges. Both must be in order.
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
