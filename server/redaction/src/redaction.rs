//! The redaction of one request: hides values behind placeholders and restores them.
//!
//! A placeholder is `[TAG-KIND-NUMBER]`, for example `[k7fq-IP-1]`. The tag is derived from the caller's
//! salt and does not occur in the initial texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;

use crate::Redactor;
use crate::find::{Span, merge};
use crate::kind::Kind;

/// The minimum length in bytes of secrets that are hidden in all texts. Shorter secrets are hidden only where
/// they are detected: sweeping a password such as `admin` would remove a common word from every line.
pub const MIN_SWEPT_BYTES: usize = 8;
/// The maximum length in bytes of a placeholder after its tag: kind, hyphen, number and bracket.
const MAX_REST_BYTES: usize = crate::pattern::MAX_NAME_BYTES + 22;
/// The maximum number of passes; hiding a value can reveal other values.
const MAX_ROUNDS: usize = 4;

/// One request's placeholders. `Debug` prints counts, never values.
pub struct Redaction {
    redactor: Redactor,
    /// The prefix of every placeholder, `[TAG-`.
    prefix: String,
    /// Matches the secrets found in the initial texts.
    secrets: Option<AhoCorasick>,
    placeholders: HashMap<(Kind, String), String>,
    values: HashMap<String, String>,
    counts: BTreeMap<Kind, usize>,
}

impl Redaction {
    pub(crate) fn new(redactor: Redactor, salt: u128, texts: &[&str]) -> Self {
        let prefix = prefix(salt, texts);
        let secrets = build_secret_matcher(&redactor, texts);
        Self {
            redactor,
            prefix,
            secrets,
            placeholders: HashMap::new(),
            values: HashMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Replaces secrets and personal data in `text` with placeholders. Leaves existing placeholders in place.
    ///
    /// [`restore`](Self::restore) returns the original text, unless that already contained an issued placeholder.
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

    /// Replaces the placeholders in `text` with their values.
    #[must_use]
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut restored = String::new();
        let mut copied_to = 0;
        for (range, value) in self.issued_placeholders(text) {
            restored.push_str(text.get(copied_to..range.start).unwrap_or_default());
            restored.push_str(value);
            copied_to = range.end;
        }
        if copied_to == 0 {
            return Cow::Borrowed(text);
        }
        restored.push_str(text.get(copied_to..).unwrap_or_default());
        Cow::Owned(restored)
    }

    /// Returns the placeholders in a hidden text, each with the byte length of the value it replaces.
    #[must_use]
    pub fn replacements(&self, hidden: &str) -> Vec<(Range<usize>, usize)> {
        self.issued_placeholders(hidden).map(|(range, value)| (range, value.len())).collect()
    }

    /// Returns the number of distinct hidden values by kind.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<Kind, usize> {
        &self.counts
    }

    /// Returns the prefix of every placeholder, for example `[k7fq-`, for use in a prompt.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = self.redactor.find(text);
        if let Some(secrets) = &self.secrets {
            spans.extend(
                secrets
                    .find_iter(text)
                    .map(|secret| Span { range: secret.range(), kind: Kind::Secret }),
            );
        }
        let mut issued = Vec::new();
        for start in memmem::find_iter(text.as_bytes(), &self.prefix) {
            match self.placeholder_at(text, start) {
                Some((range, _)) => issued.push(range),
                None => {
                    let range = start..start + self.prefix.len();
                    spans.push(Span { range, kind: Kind::Lookalike });
                }
            }
        }
        remove_overlapping(merge(spans), &issued)
    }

    fn replace(&mut self, text: &str, spans: &[Span]) -> String {
        let mut hidden = String::with_capacity(text.len());
        let mut copied_to = 0;
        for span in spans {
            let value = span.value(text);
            hidden.push_str(text.get(copied_to..span.range.start).unwrap_or_default());
            hidden.push_str(self.placeholder(&span.kind, value));
            copied_to = span.range.end;
        }
        hidden.push_str(text.get(copied_to..).unwrap_or_default());
        hidden
    }

    fn placeholder(&mut self, kind: &Kind, value: &str) -> &str {
        let count = self.counts.entry(kind.clone()).or_default();
        self.placeholders.entry((kind.clone(), value.to_owned())).or_insert_with(|| {
            *count += 1;
            let placeholder = format!("{}{}-{count}]", self.prefix, kind.name());
            self.values.insert(placeholder.clone(), value.to_owned());
            placeholder
        })
    }

    fn issued_placeholders<'s>(
        &'s self,
        text: &'s str,
    ) -> impl Iterator<Item = (Range<usize>, &'s str)> {
        memmem::find_iter(text.as_bytes(), &self.prefix)
            .filter_map(|start| self.placeholder_at(text, start))
    }

    fn placeholder_at(&self, text: &str, start: usize) -> Option<(Range<usize>, &str)> {
        let rest = text.as_bytes().get(start + self.prefix.len()..)?;
        let closing = memchr::memchr(b']', rest.get(..MAX_REST_BYTES).unwrap_or(rest))?;
        let range = start..start + self.prefix.len() + closing + 1;
        let value = self.values.get(text.get(range.clone())?)?;
        Some((range, value))
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redaction")
            .field("prefix", &self.prefix)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

/// Returns a placeholder prefix that occurs in none of the texts. The tag has four letters and grows with
/// repeated attempts.
fn prefix(salt: u128, texts: &[&str]) -> String {
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
        let prefix = format!("[{tag}-");
        let finder = memmem::Finder::new(&prefix);
        if texts.iter().all(|text| finder.find(text.as_bytes()).is_none()) {
            return prefix;
        }
        attempt = attempt.wrapping_add(1);
    }
}

fn build_secret_matcher(redactor: &Redactor, texts: &[&str]) -> Option<AhoCorasick> {
    let mut secrets: HashSet<&str> = HashSet::new();
    for text in texts {
        for span in redactor.find(text) {
            if !span.kind.is_credential() {
                continue;
            }
            let value = span.value(text);
            // In user:password, the password alone is a credential too.
            let password = value
                .split_once(':')
                .map(|(_, password)| password)
                .filter(|password| !password.contains(char::is_whitespace));
            let candidates = [Some(value), password].into_iter().flatten();
            secrets.extend(candidates.filter(|value| value.len() >= MIN_SWEPT_BYTES));
        }
    }
    if secrets.is_empty() {
        return None;
    }
    let mut secrets: Vec<&str> = secrets.into_iter().collect();
    secrets.sort_unstable();
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(secrets).ok()
}

fn remove_overlapping(spans: Vec<Span>, ranges: &[Range<usize>]) -> Vec<Span> {
    let mut ranges = ranges.iter().peekable();
    spans
        .into_iter()
        .filter(|span| {
            while ranges.next_if(|range| range.end <= span.range.start).is_some() {}
            ranges.peek().is_none_or(|range| range.start >= span.range.end)
        })
        .collect()
}
