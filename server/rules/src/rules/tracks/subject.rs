//! Which tracks a claim speaks of.
//!
//! Every word of the claim that is a word of some metric or label has to be one of the track's; of the tracks
//! that have them all, those are meant whose own name is named most completely. A track whose name turns the
//! quantity round (free, idle) is meant only where the claim says so.

use gsar_core::text::figures::Dimension;
use gsar_core::text::tokens::Word;

use super::gather::Track;
use super::vocabulary::{SOFT, TURNING, synonyms};
use crate::vocabulary::words::{Key, exact, key, parts};

/// What a claim calls the series that it speaks of.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    /// The keys of each word, any of which names it.
    words: Vec<Vec<Key>>,
    /// Words that tell apart what the other words leave open.
    hints: Vec<Vec<Key>>,
    /// What sort of thing it is, where some tracks are labelled so: "the primary".
    roles: Vec<Key>,
}

impl Subject {
    /// Whether no series is named.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a word is one of a metric's name.
    pub(super) fn measures(word: &Word<'_>, tracks: &[Track]) -> bool {
        let keys = alternatives(word.text);
        tracks.iter().any(|track| track.is_metric(&keys))
    }

    /// Whether a word is a label of some tracks and not of others.
    pub(super) fn names_some(word: &Word<'_>, tracks: &[Track]) -> bool {
        let keys = [exact(word.text)];
        let named = tracks.iter().filter(|track| track.is_own_label(&keys)).count();
        named > 0 && named < tracks.len()
    }

    /// One word.
    pub(super) fn of(word: &Word<'_>, tracks: &[Track]) -> Self {
        Self::with(&Self::default(), word, tracks)
    }

    /// A subject and one more word.
    pub(super) fn with(subject: &Self, word: &Word<'_>, tracks: &[Track]) -> Self {
        let mut fuller = subject.clone();
        fuller.add(word, tracks);
        fuller
    }

    /// Cores are those of processors.
    pub(super) fn of_cores(&mut self, tracks: &[Track]) {
        let keys = alternatives("cpu");
        let is_measured = |track: &Track| {
            let unit = track.scale.unit.map(|unit| unit.dimension);
            unit == Some(Dimension::Cores) && track.is_metric(&keys)
        };
        if tracks.iter().any(is_measured) && !self.words.contains(&keys) {
            self.words.push(keys);
        }
    }

    /// Says what sort of thing it is.
    pub(super) fn role(&mut self, word: &Word<'_>) {
        self.roles.push(exact(word.text));
    }

    /// With the words that need not be of a metric's name and are.
    pub(super) fn with_hints(mut self) -> Self {
        let hints = std::mem::take(&mut self.hints);
        self.words.extend(hints.into_iter().filter(|keys| !keys.is_empty()));
        self
    }

    /// The ways to part its words of metrics in two, each with its labels: one word, and the others.
    pub(super) fn splits(&self, tracks: &[Track]) -> Vec<(Self, Self)> {
        let is_metric = |keys: &Vec<Key>| tracks.iter().any(|track| track.is_metric(keys));
        let (metric, labels): (Vec<_>, Vec<_>) = self.words.iter().cloned().partition(is_metric);
        let made = |words: Vec<Vec<Key>>| Self {
            words: words.into_iter().chain(labels.iter().cloned()).collect(),
            hints: Vec::new(),
            roles: self.roles.clone(),
        };
        (0..metric.len())
            .map(|at| {
                let mut others = metric.clone();
                let one = others.remove(at);
                (made(vec![one]), made(others))
            })
            .filter(|(_, others)| others.words.len() > labels.len())
            .collect()
    }

    /// Both together.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.words.extend(other.words.iter().cloned());
        self.hints.extend(other.hints.iter().cloned());
        self.roles.extend(other.roles.iter().copied());
        self
    }

    /// The words that say what is measured, not of whom.
    pub(super) fn of_metric(&self, tracks: &[Track]) -> Self {
        let is_metric = |keys: &&Vec<Key>| tracks.iter().any(|track| track.is_metric(keys));
        Self {
            words: self.words.iter().filter(is_metric).cloned().collect(),
            hints: self.hints.clone(),
            roles: Vec::new(),
        }
    }

    /// Whether a word of it is a label of some tracks and not of others.
    pub(super) fn has_label(&self, tracks: &[Track]) -> bool {
        self.words.iter().any(|keys| {
            let named = tracks.iter().filter(|track| track.is_own_label(keys)).count();
            named > 0 && named < tracks.len() && !tracks.iter().any(|track| track.is_metric(keys))
        })
    }

    /// Whether every word is a label of a track.
    pub(super) fn is_borne_by(&self, track: &Track) -> bool {
        !self.words.is_empty() && self.words.iter().all(|keys| track.is_own_label(keys))
    }

    /// Adds a word that may be one of a metric's name and need not be.
    pub(super) fn hint(&mut self, word: &Word<'_>, tracks: &[Track]) {
        let keys = alternatives(word.text);
        if tracks.iter().any(|track| track.is_metric(&keys)) {
            self.hints.push(keys);
        }
    }

    /// The subjects that each of its words would be alone.
    pub(super) fn each(&self) -> impl Iterator<Item = Subject> {
        self.words.iter().map(|keys| Subject {
            words: vec![keys.clone()],
            hints: Vec::new(),
            roles: self.roles.clone(),
        })
    }

    /// Adds a word where it is one of any track's metric or labels; false where it is none.
    pub(super) fn add(&mut self, word: &Word<'_>, tracks: &[Track]) -> bool {
        let mut inner = parts(word.text).peekable();
        if inner.peek().is_some() && !tracks.iter().any(|track| track.is_labelled(word.text)) {
            let all: Vec<Vec<Key>> = inner.map(alternatives).collect();
            let known = |keys: &Vec<Key>| tracks.iter().any(|track| track.has(keys));
            let is_metric = !all.is_empty()
                && tracks.iter().any(|track| all.iter().all(|keys| track.is_metric(keys)));
            if is_metric && all.iter().all(known) {
                self.words.extend(all);
                return true;
            }
            // "SELECTs": capitals make no compound of a word that a metric has.
            let whole = alternatives(word.text);
            let is_word = word.text.bytes().all(|byte| byte.is_ascii_alphabetic())
                && tracks.iter().any(|track| track.is_metric(&whole));
            if is_word {
                self.words.push(whole);
            }
            return is_word;
        }
        let mut keys = alternatives(word.text);
        keys.push(exact(word.text));
        let known = tracks.iter().any(|track| track.has(&keys));
        if known {
            self.words.push(keys);
        }
        known || word.is("use") || word.is("consumption") || SOFT.iter().any(|soft| word.is(soft))
    }

    /// The tracks that are meant: all of one metric and thing, or several that the claim does not tell apart.
    pub(super) fn tracks<'t>(&self, tracks: &'t [Track]) -> Vec<&'t Track> {
        if self.is_empty() {
            return Vec::new();
        }
        let turning: Vec<Key> = TURNING.iter().map(|word| key(word)).collect();
        let soft: Vec<Key> = SOFT.iter().map(|word| key(word)).collect();
        let mut found: Vec<(usize, usize, &Track)> = Vec::new();
        let telling: Vec<&Vec<Key>> =
            self.words.iter().filter(|keys| tells_one_metric(keys, tracks)).collect();
        for track in tracks {
            let named = |part: &Key| self.words.iter().any(|keys| keys.contains(part));
            let is_told = telling.iter().any(|keys| track.is_trait(keys));
            let about_metric = is_told || self.words.iter().any(|keys| track.is_metric(keys));
            let all = self.words.iter().all(|keys| track.has(keys));
            let turned = track.metric.iter().any(|part| turning.contains(part) && !named(part));
            if !about_metric || !all || turned {
                continue;
            }
            let missing =
                track.metric.iter().filter(|part| !soft.contains(part) && !named(part)).count();
            let hinted = |part: &Key| self.hints.iter().any(|keys| keys.contains(part));
            let covered = track.metric.iter().filter(|part| named(part) || hinted(part)).count();
            let is_exact = self
                .words
                .iter()
                .any(|keys| keys.first().is_some_and(|own| track.metric.contains(own)));
            if missing == 0 || is_exact || is_told {
                found.push((missing, covered, track));
            }
        }
        for role in &self.roles {
            if found.iter().any(|(.., track)| track.is_own_label(&[*role])) {
                found.retain(|(.., track)| track.is_own_label(&[*role]));
            }
        }
        let Some(least) = found.iter().map(|(missing, ..)| *missing).min() else {
            return Vec::new();
        };
        found.retain(|(missing, ..)| *missing == least);
        let most = found.iter().map(|(_, covered, _)| *covered).max().unwrap_or(0);
        found.retain(|(_, covered, _)| *covered == most);
        let one_metric = found.iter().all(|(.., track)| {
            found.first().is_some_and(|(.., first)| first.metric == track.metric)
        });
        if least > 0 && !one_metric {
            return Vec::new();
        }
        let mut tracks: Vec<&Track> = found.into_iter().map(|(.., track)| track).collect();
        tracks.sort_by_key(|track| track.known);
        distinct(tracks)
    }
}

/// What two shapes read alike is one track.
fn distinct(tracks: Vec<&Track>) -> Vec<&Track> {
    let mut found: Vec<&Track> = Vec::with_capacity(tracks.len());
    for track in tracks {
        let read = |track: &Track| {
            track.points.iter().map(|point| (point.micros, point.value)).collect::<Vec<_>>()
        };
        let is_known = found.iter().any(|known| {
            known.name == track.name
                && known.known == track.known
                && known.points.len() == track.points.len()
                && read(known) == read(track)
        });
        if !is_known {
            found.push(track);
        }
    }
    found
}

/// Whether a word is a label of tracks of one metric only: the mode `idle`.
fn tells_one_metric(keys: &[Key], tracks: &[Track]) -> bool {
    let mut bearers = tracks.iter().filter(|track| track.is_trait(keys));
    let Some(first) = bearers.next() else { return false };
    let is_everywhere = tracks.iter().all(|track| track.is_trait(keys));
    !is_everywhere && bearers.all(|track| track.metric == first.metric)
}

/// The keys under which a metric may have a word.
fn alternatives(word: &str) -> Vec<Key> {
    let mut keys = vec![key(word)];
    keys.extend(synonyms(word).map(key));
    keys
}

impl Track {
    /// Whether one of some keys is a word of its metric.
    fn is_metric(&self, keys: &[Key]) -> bool {
        keys.iter().any(|key| self.metric.contains(key))
    }

    /// Whether one of some keys is a word of its metric or labels.
    fn has(&self, keys: &[Key]) -> bool {
        self.is_metric(keys)
            || keys.iter().any(|key| self.labels.contains(key) || self.context.contains(key))
    }

    fn is_trait(&self, keys: &[Key]) -> bool {
        keys.iter().any(|key| self.traits.contains(key))
    }

    fn is_own_label(&self, keys: &[Key]) -> bool {
        keys.iter().any(|key| self.labels.contains(key))
    }

    fn is_labelled(&self, word: &str) -> bool {
        let word = exact(word);
        self.labels.contains(&word) || self.context.contains(&word)
    }
}
