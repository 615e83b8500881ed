//! Clauses that lean on what was said before: "its p99", "the other two", "all the while".

use gsar_core::text::figures::{Decimal, Figure, Unit};
use gsar_core::text::tokens::{Word, words};

use super::clauses::Token;
use super::gather::Track;
use super::nouns::is_role;
use super::phrases::Cue;
use super::statement::Statement;
use super::subject::Subject;

/// Whether a word points to a thing named before: "its p99", "that one", "the pod", but not "its peak".
pub(super) fn points_back(word: &str, after: &[Token<'_>], is_first: bool) -> bool {
    const OWN: [&str; 4] = ["its", "it", "their", "they"];
    const THAT: [&str; 2] = ["that", "this"];
    let is = |listed: &[&str]| listed.iter().any(|known| word.eq_ignore_ascii_case(known));
    let names = matches!(after.first(), Some(Token::Word(_)));
    is(&THAT) || is_role(word) || is(&OWN) && (is_first || names)
}

/// What a clause says of which of several things.
#[derive(Clone, Debug, Default)]
pub(super) struct Reference {
    /// "its", "that": a thing named before.
    pub(super) is_back: bool,
    /// "the others", "the other two": those that were not named, and how many they are.
    pub(super) others: Option<Option<usize>>,
    /// The words that name those which are not meant.
    excluded: Vec<Subject>,
}

/// "the other two", "the others": how many, where it says so.
pub(super) fn others(after: &[Token<'_>]) -> Option<usize> {
    match after.first() {
        Some(Token::Figure(figure)) if figure.unit == Unit::COUNT && figure.value.places == 0 => {
            usize::try_from(figure.value.mantissa).ok()
        }
        _ => None,
    }
}

impl Statement {
    /// Finds the thing that a clause points back to by the names in the claim and in the one before it.
    pub(super) fn resolve(&mut self, text: &str, before: Option<&str>, tracks: &[Track]) {
        if self.reference.others.is_some() {
            self.subject = self.subject.of_metric(tracks);
            let said = words(text).chain(before.into_iter().flat_map(words));
            self.reference.excluded = said
                .filter(|word| Subject::names_some(word, tracks))
                .map(|word| Subject::of(&word, tracks))
                .collect();
            if self.reference.excluded.is_empty() {
                self.not_understood();
            }
            return;
        }
        let Some(before) = before.filter(|_| self.reference.is_back) else { return };
        let meant = self.subject.tracks(tracks);
        if meant.len() < 2 || self.subject.has_label(tracks) {
            return;
        }
        let mut fuller = self.subject.clone();
        for word in words(before).filter(|word| Subject::names_some(word, tracks)) {
            let mut next = fuller.clone();
            let alone = Subject::with(&self.subject, &word, tracks).tracks(tracks).is_empty();
            next.add(&word, tracks);
            if alone {
                continue;
            }
            if next.tracks(tracks).is_empty() {
                return;
            }
            fuller = next;
        }
        self.subject = fuller;
    }

    /// Of the tracks that a subject has, those that are meant.
    pub(super) fn meant<'t>(&self, found: Vec<&'t Track>) -> Vec<&'t Track> {
        let Some(number) = self.reference.others else { return found };
        let named =
            |track: &Track| self.reference.excluded.iter().any(|name| name.is_borne_by(track));
        let rest: Vec<&Track> = found.iter().copied().filter(|track| !named(track)).collect();
        let is_part = !rest.is_empty() && rest.len() < found.len();
        if is_part && number.is_none_or(|number| number == rest.len()) { rest } else { Vec::new() }
    }
}

/// "no key", "no errors at all": a figure of nothing, where what follows is measured.
pub(super) fn nothing(written: &str, after: &[Token<'_>], tracks: &[Track]) -> Option<Figure> {
    let next = after.iter().find(|token| !matches!(token, Token::Cue(Cue::Filler, _)));
    let noun: &Word<'_> = match next {
        Some(Token::Word(word)) if written.eq_ignore_ascii_case("no") => word,
        _ => return None,
    };
    let states_more = after.iter().any(|token| {
        matches!(
            token,
            Token::Figure(_)
                | Token::Cue(Cue::Rise | Cue::Fall | Cue::Than | Cue::Reach | Cue::Pass, _)
        )
    });
    let others = after.iter().filter(|token| matches!(token, Token::Word(_))).count();
    (!states_more && others == 1 && Subject::measures(noun, tracks)).then_some(Figure {
        span: 0..0,
        value: Decimal { mantissa: 0, places: 0 },
        unit: Unit::COUNT,
        approximate: false,
        comparator: None,
    })
}

impl Statement {
    /// Takes over time and metric from the clause before, where this one leaves them open.
    pub(super) fn leans_on(&mut self, before: Option<&Statement>, tracks: &[Track]) {
        if self.has(Cue::Meanwhile) {
            match before.map(|before| &before.window) {
                Some(window)
                    if window.from.is_some()
                        && window.until.is_some()
                        && self.window.at.is_none() =>
                {
                    self.window.from.clone_from(&window.from);
                    self.window.until.clone_from(&window.until);
                }
                _ => self.not_understood(),
            }
        }
        if let Some(before) = before
            && !self.subject.is_empty()
            && self.subject.tracks(tracks).is_empty()
            && self.subject.has_label(tracks)
            && (!self.values.is_empty() || !self.timed.is_empty())
        {
            let merged = before.subject.of_metric(tracks).and(&self.subject);
            if !merged.tracks(tracks).is_empty() {
                self.subject = merged;
                if self.window.at.is_none() && self.window.from.is_none() {
                    self.window.at.clone_from(&before.window.at);
                }
            }
        }
    }
}
