//! What a clause says of a series: its cues, its figures and times and the part that each plays.

use gsar_core::text::figures::{ClockTime, Comparator, Figure, Figures};
use gsar_core::text::tokens::Word;

use super::clauses::{Token, clauses, halves};
use super::gather::Track;
use super::nouns::{Nouns, is_role};
use super::phrases::Cue;
use super::reference::{self, Reference};
use super::roles::{fold, follows_length, fraction, is_measured, unit_before};
use super::shares;
use super::subject::Subject;
use super::timed::{self, Timed};

/// The part that a figure plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    From,
    To,
    By,
    Value,
}

/// The times of a clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    pub(super) at: Option<ClockTime>,
    pub(super) from: Option<ClockTime>,
    pub(super) until: Option<ClockTime>,
    /// What was sampled at its end is not in it: "before 16:20".
    pub(super) ends_before: bool,
    /// Only so many seconds from the start, or so many from the end.
    pub(super) first_seconds: Option<i64>,
    pub(super) last_seconds: Option<i64>,
    /// Only so many samples at the end.
    pub(super) last_samples: Option<usize>,
    /// So many seconds are stated as the time that it took.
    pub(super) within: Option<i64>,
    /// So many seconds are stated as the length of the window.
    pub(super) lasting: Option<i64>,
}

/// One clause about one series.
#[derive(Clone, Debug, Default)]
pub(super) struct Statement {
    pub(super) subject: Subject,
    pub(super) cues: Vec<Cue>,
    pub(super) values: Vec<(Part, Figure)>,
    pub(super) window: Window,
    /// "two of the fifteen samples": how many, and of how many.
    pub(super) counted: Option<(usize, Option<usize>)>,
    /// Two values are the ends of a range.
    pub(super) is_range: bool,
    /// A factor: "doubled", "fivefold".
    pub(super) factor: Option<Factor>,
    /// "monotonically", which allows of no step back, however small.
    pub(super) is_strict: bool,
    /// Words that are neither cues nor about the series.
    pub(super) rest: usize,
    /// Those of them that say of what or when the clause speaks, so that nothing follows from it.
    pub(super) unknown_subject: usize,
    /// More series of which the same is said.
    pub(super) more: Vec<Subject>,
    /// Another series that it is compared with.
    pub(super) other: Subject,
    /// How many seconds later than the other.
    pub(super) later: Option<i64>,
    /// A share of the peak or of the start: "a twentieth of its peak".
    pub(super) fraction: Option<i128>,
    /// How large a change the words ask for.
    pub(super) force: Force,
    /// Joined to the clause before by "when".
    pub(super) is_moment: bool,
    /// Figures that bring their own times.
    pub(super) timed: Vec<Timed>,
    /// A figure is a part of what is named: "of the requests".
    pub(super) of_whole: bool,
    /// The series of shares that it speaks of.
    pub(super) share: Option<Track>,
    /// Words that are known and name something else than its subject: the part of which a share is told.
    pub(super) part: Subject,
    /// How many of the words left over they are.
    pub(super) part_words: usize,
    /// What it says of which of several things.
    pub(super) reference: Reference,
    /// "stayed there": the value is that of the clause before.
    pub(super) keeps_value: bool,
    /// Its time is the latest: "by 09:05".
    pub(super) is_deadline: bool,
}

/// How large a change the words ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Force {
    /// "slightly".
    Slight,
    /// Nothing is said of it.
    #[default]
    Plain,
    /// "sharply", "surged".
    Strong,
}

/// So many times as much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub(super) numerator: i128,
    pub(super) denominator: i128,
    pub(super) comparator: Option<Comparator>,
}

impl Statement {
    /// Whether it has a cue.
    pub(super) fn has(&self, cue: Cue) -> bool {
        self.cues.contains(&cue)
    }

    /// The figures of a part.
    pub(super) fn value(&self, part: Part) -> Option<&Figure> {
        self.values.iter().find(|(of, _)| *of == part).map(|(_, figure)| figure)
    }

    /// Whether it takes more than looking at samples: a proportion, a difference, a mean, two series.
    pub(super) fn needs_arithmetic(&self) -> bool {
        let derives = [Cue::Gone, Cue::Average, Cue::Slower, Cue::Fraction];
        self.factor.is_some()
            || self.share.is_some()
            || self.later.is_some()
            || !self.other.is_empty()
            || self.value(Part::By).is_some()
            || self.cues.iter().any(|cue| derives.contains(cue))
    }

    /// Whether it says anything of a series.
    pub(super) fn says_something(&self) -> bool {
        let moves = self.value(Part::From).is_some() && self.value(Part::To).is_some();
        let has_window = self.window.from.is_some() && self.window.until.is_some();
        let has_time = self.window.at.is_some() || has_window;
        moves
            || has_time && !self.values.is_empty()
            || !self.timed.is_empty()
            || self.factor.is_some()
            || self.cues.iter().any(|cue| Self::is_verb(*cue))
    }

    /// Whether a cue says something of a series.
    fn is_verb(cue: Cue) -> bool {
        const VERBS: [Cue; 20] = [
            Cue::Rise,
            Cue::Fall,
            Cue::Flat,
            Cue::Keep,
            Cue::Reach,
            Cue::Peak,
            Cue::Trough,
            Cue::Pass,
            Cue::Under,
            Cue::Return,
            Cue::Be,
            Cue::Gone,
            Cue::Average,
            Cue::Slower,
            Cue::NearZero,
            Cue::Saturated,
            Cue::Settle,
            Cue::AtEnd,
            Cue::AtStart,
            Cue::Never,
        ];
        VERBS.contains(&cue)
    }
}

/// Reads the clauses of a claim; one without a subject of its own continues the one before.
pub(super) fn statements(
    text: &str,
    figures: &Figures,
    before: Option<&Statement>,
    tracks: &[Track],
) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for clause in clauses(text, figures) {
        for half in halves(&clause) {
            let mut statement = statement(half, text, tracks);
            statement.continues(found.last().or(before));
            statement.leans_on(found.last().or(before), tracks);
            found.push(statement);
        }
    }
    found
}

impl Statement {
    /// Takes over what the clause before says of subject and time.
    fn continues(&mut self, before: Option<&Statement>) {
        let is_bare = self.subject.is_empty() && self.says_something();
        if let Some(before) = before.filter(|_| is_bare) {
            self.subject = before.subject.clone();
            self.more.clone_from(&before.more);
            self.unknown_subject += before.unknown_subject;
        }
        if self.keeps_value {
            self.stays(before);
        }
        if self.has(Cue::Thereafter) {
            self.window.from = before.and_then(|before| {
                before.window.at.clone().or_else(|| before.window.until.clone())
            });
            self.rest += usize::from(self.window.from.is_none());
        }
    }

    /// "and stayed there until 18:56": at the value that the clause before came to, from then on.
    fn stays(&mut self, before: Option<&Statement>) {
        let value = before.and_then(|before| match before.values.as_slice() {
            [(_, figure)] => Some(before.beyond(figure)),
            [(Part::From, _), (Part::To, figure)] => Some(figure.clone()),
            _ => None,
        });
        match (value, self.values.is_empty()) {
            (Some(value), true) => {
                self.values.push((Part::Value, value));
                if self.window.from.is_none() {
                    self.window.from = before.and_then(|before| before.window.at.clone());
                }
                self.rest += usize::from(self.window.from.is_none());
            }
            _ => self.not_understood(),
        }
    }

    /// "exceeded 90", "went below 5" as bounds.
    pub(super) fn beyond(&self, figure: &Figure) -> Figure {
        let comparator = match (self.has(Cue::Pass), self.has(Cue::Under)) {
            (true, false) => Some(Comparator::Over),
            (false, true) => Some(Comparator::Under),
            _ => None,
        };
        Figure { comparator: figure.comparator.or(comparator), ..figure.clone() }
    }

    /// Makes the series of the shares that it speaks of.
    pub(super) fn take_share(&mut self, tracks: &[Track]) {
        self.share = shares::derived(self, tracks);
        if self.share.is_some() {
            self.rest = self.rest.saturating_sub(self.part_words);
            self.unknown_subject = self.unknown_subject.saturating_sub(self.part_words);
        }
    }

    /// Whether it needs the clause before to be understood.
    pub(super) fn is_open(&self, tracks: &[Track]) -> bool {
        self.subject.is_empty() && self.says_something()
            || self.has(Cue::Thereafter)
            || self.has(Cue::Meanwhile)
            || self.has_value() && self.subject.tracks(tracks).is_empty()
    }

    fn has_value(&self) -> bool {
        !self.values.is_empty() || !self.timed.is_empty()
    }
}

/// Gives every token of a clause its part.
fn statement(tokens: &[Token<'_>], text: &str, tracks: &[Track]) -> Statement {
    let mut found = Statement::default();
    let mut nouns = Nouns::default();
    let merged = shares::merged(tokens);
    let tokens = merged.as_deref().unwrap_or(tokens);
    found.of_whole = merged.is_some();
    let parted = timed::part(tokens);
    let tokens = match &parted {
        Some((timed, rest)) => {
            found.timed.clone_from(timed);
            rest.as_slice()
        }
        None => tokens,
    };
    for (place, token) in tokens.iter().enumerate() {
        let before = tokens.get(..place).unwrap_or_default();
        let after = tokens.get(place + 1..).unwrap_or_default();
        match token {
            Token::Cue(cue, written) => {
                found.take_cue(*cue, written, (before, after), &mut nouns, tracks);
            }
            Token::Figure(figure) => {
                found.of_whole |= shares::is_of_whole(after, tracks);
                found.take_figure(figure, (before, after), text, tracks);
            }
            Token::Time(time) => found.take_time(time, before, after),
            Token::Word(word) => nouns.take(word, before, &mut found, tracks),
            Token::Break => {}
        }
        nouns.is_after_verb |= found.says_something() && found.timed.is_empty()
            || matches!(token, Token::Cue(cue, _) if Statement::is_verb(*cue));
        nouns.is_compared |= found.later.is_some();
    }
    found
}

impl Statement {
    /// Part of the clause is not understood: nothing follows from it.
    pub(super) fn not_understood(&mut self) {
        self.rest += 1;
        self.unknown_subject += 1;
    }

    fn take_cue(
        &mut self,
        cue: Cue,
        written: &str,
        (before, after): (&[Token<'_>], &[Token<'_>]),
        nouns: &mut Nouns,
        tracks: &[Track],
    ) {
        const STRONG: [&str; 12] = [
            "sharply",
            "surged",
            "surging",
            "soared",
            "spiked",
            "spiking",
            "jumped",
            "plunged",
            "plummeted",
            "collapsed",
            "heavily",
            "dramatically",
        ];
        const SLIGHT: [&str; 3] = ["slightly", "little", "slight"];
        let is = |listed: &[&str]| listed.iter().any(|word| written.eq_ignore_ascii_case(word));
        self.is_strict |= is(&["monotonically"]);
        if is(&STRONG) {
            self.force = Force::Strong;
        } else if is(&SLIGHT) && self.says_something() {
            self.force = Force::Slight;
        }
        match cue {
            Cue::Others => self.reference.others = Some(reference::others(after)),
            Cue::Not if reference::nothing(written, after, tracks).is_some() => {
                let nothing = reference::nothing(written, after, tracks);
                self.values.extend(nothing.map(|figure| (Part::Value, figure)));
                self.cues.push(Cue::Keep);
            }
            Cue::Stay => {
                self.keeps_value = true;
                self.cues.push(Cue::Keep);
            }
            Cue::Fold => {
                self.factor = fold(written, before);
                self.rest += usize::from(self.factor.is_none());
            }
            Cue::Moment => self.is_moment = true,
            Cue::Fraction => {
                self.fraction = fraction(written);
                self.cues.push(cue);
            }
            Cue::Filler if is(&["later", "earlier"]) && follows_length(before) => {
                let seconds = unit_before(before).filter(|_| is(&["later"]));
                let moves = self.value(Part::From).is_some() && self.value(Part::To).is_some();
                match seconds {
                    Some(seconds) if moves => self.window.within = Some(seconds),
                    _ => self.not_understood(),
                }
            }
            Cue::Filler => {
                self.of_whole |= is(&["share"]);
                self.reference.is_back |=
                    reference::points_back(written, after, self.subject.is_empty());
                let word = Word { text: written, span: 0..0 };
                if is_role(written) && Subject::names_some(&word, tracks) {
                    self.subject.role(&word);
                } else {
                    // "requests per second": a word that says nothing may belong to the metric's name.
                    self.subject.hint(&word, tracks);
                }
            }
            Cue::Vague => self.not_understood(),
            Cue::Within if written.eq_ignore_ascii_case("within") && !is_measured(after) => {
                self.not_understood();
            }
            Cue::Pass | Cue::Under | Cue::Reach if self.cues.last() == Some(&Cue::Not) => {
                self.cues.pop();
                self.cues.extend([Cue::Never, cue]);
            }
            Cue::Above | Cue::Below if self.has(Cue::Not) => {
                self.cues.retain(|cue| *cue != Cue::Not);
                self.cues.extend([Cue::Never, cue]);
            }
            _ => {
                let next = after.iter().find(|token| !matches!(token, Token::Cue(Cue::Filler, _)));
                let names = matches!(next, Some(Token::Word(_)));
                nouns.is_compared |= matches!(cue, Cue::Than | Cue::SameTime) && names;
                nouns.is_another |=
                    cue == Cue::And && !nouns.is_after_verb && !self.subject.is_empty();
                self.cues.push(cue);
            }
        }
    }
}
