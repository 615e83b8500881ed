//! What a clause says of a series: its cues, its figures and times and the part that each plays.

use gsar_core::text::figures::{ClockTime, CodeKind, Comparator, Dimension, Figure, Figures};
use gsar_core::text::tokens::{Word, words};

use super::gather::Track;
use super::phrases::{Cue, cue_at};
use super::subject::Subject;

/// A word, phrase, figure or time of a clause.
#[derive(Clone, Debug)]
pub(super) enum Token<'c> {
    Cue(Cue, &'c str),
    Figure(Figure),
    Time(ClockTime),
    Word(Word<'c>),
    /// A comma, colon or the like.
    Break,
}

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
    /// Only so many seconds from the start, or so many from the end.
    pub(super) first_seconds: Option<i64>,
    pub(super) last_seconds: Option<i64>,
    /// Only so many samples at the end.
    pub(super) last_samples: Option<usize>,
    /// So many seconds are stated as the time that it took.
    pub(super) within: Option<i64>,
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
    /// Another series that it is compared with.
    pub(super) other: Subject,
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

    /// Whether it says anything of a series.
    pub(super) fn says_something(&self) -> bool {
        const VERBS: [Cue; 15] = [
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
        ];
        self.factor.is_some() || self.cues.iter().any(|cue| VERBS.contains(cue))
    }
}

/// The clauses of a claim, each as tokens.
pub(super) fn clauses<'c>(text: &'c str, figures: &Figures) -> Vec<Vec<Token<'c>>> {
    let all: Vec<Word<'c>> = words(text).collect();
    let mut clauses = vec![Vec::new()];
    let mut end = 0;
    let mut place = 0;
    while let Some(word) = all.get(place) {
        let gap = text.get(end.min(word.span.start)..word.span.start).unwrap_or("");
        let rest = all.get(place..).unwrap_or_default();
        if gap.contains(';') || joins_clauses(rest) {
            clauses.push(Vec::new());
        }
        let Some(clause) = clauses.last_mut() else { break };
        if gap.contains([',', ':', '(', ')']) {
            clause.push(Token::Break);
        }
        if joins_clauses(rest) {
            end = word.span.end;
            place += 1;
            continue;
        }
        let inside = |span: &std::ops::Range<usize>| {
            span.start <= word.span.start && word.span.end <= span.end || span.start == word.span.start
        };
        let taken = |span_end: usize| rest.iter().take_while(|word| word.span.start < span_end).count();
        if let Some(time) = figures.times.iter().find(|time| inside(&time.span)) {
            clause.push(Token::Time(time.clone()));
            place += taken(time.span.end).max(1);
        } else if let Some(figure) = figures.figures.iter().find(|figure| inside(&figure.span)) {
            clause.push(Token::Figure(stated(text, figure)));
            place += taken(figure.span.end).max(1);
        } else if figures.codes.iter().any(|code| code.kind == CodeKind::Date && inside(&code.span)) {
            clause.push(Token::Word(word.clone()));
            place += 1;
        } else if let Some((cue, length)) = cue_at(rest) {
            clause.push(Token::Cue(cue, word.text));
            place += length;
        } else {
            clause.push(Token::Word(word.clone()));
            place += 1;
        }
        end = all.get(place.saturating_sub(1)).map_or(end, |word| word.span.end);
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Whether a word begins another clause.
fn joins_clauses(rest: &[Word<'_>]) -> bool {
    const JOINING: [&str; 9] =
        ["although", "though", "while", "whereas", "but", "because", "when", "so", "then"];
    let Some(first) = rest.first() else { return false };
    if JOINING.iter().any(|word| first.is(word)) {
        return true;
    }
    let compares = ["well", "of", "a", "much", "high", "low", "many"];
    first.is("as") && rest.get(1).is_some_and(|next| !compares.iter().any(|word| next.is(word)))
}

/// A figure as the clause means it: "shot up to 31 s" states a value, no bound.
fn stated(text: &str, figure: &Figure) -> Figure {
    let before = text.get(..figure.span.start).unwrap_or("");
    let mut last = words(before).collect::<Vec<_>>();
    while last.last().is_some_and(|word| {
        ["about", "roughly", "some", "around", "nearly", "almost", "just", "over"].iter().any(|a| word.is(a))
    }) {
        last.pop();
    }
    let is_up_to = matches!(last.as_slice(), [.., up, to] if up.is("up") && to.is("to"));
    let rose = is_up_to && last.len() > 2;
    match figure.comparator {
        Some(Comparator::AtMost) if rose => Figure { comparator: None, ..figure.clone() },
        _ => figure.clone(),
    }
}

/// Reads the clauses of a claim; one without a subject of its own continues the one before.
pub(super) fn statements(text: &str, figures: &Figures, tracks: &[Track]) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for clause in clauses(text, figures) {
        for half in halves(&clause) {
            let mut statement = statement(half, text, tracks);
            if let Some(before) = found.last() {
                let continues = statement.subject.is_empty() && statement.says_something();
                if continues {
                    statement.subject = before.subject.clone();
                }
            }
            found.push(statement);
        }
    }
    found
}

/// Parts a clause at an "and" that joins two predicates.
fn halves<'a, 'c>(clause: &'a [Token<'c>]) -> Vec<&'a [Token<'c>]> {
    let says = |tokens: &[Token<'_>]| {
        tokens.iter().any(|token| {
            matches!(
                token,
                Token::Cue(
                    Cue::Rise | Cue::Fall | Cue::Keep | Cue::Reach | Cue::Peak | Cue::Pass | Cue::Be
                        | Cue::Return | Cue::Flat | Cue::Never,
                    _
                )
            )
        })
    };
    for (place, token) in clause.iter().enumerate() {
        let Some((left, right)) = clause.split_at_checked(place) else { continue };
        let is_and = matches!(token, Token::Cue(Cue::And, _));
        let joins_figures = matches!(left.last(), Some(Token::Figure(_) | Token::Time(_)))
            && left.iter().any(|token| matches!(token, Token::Cue(Cue::Between, _)));
        if is_and && !joins_figures && says(left) && right.get(1..).is_some_and(says) {
            let mut both = vec![left];
            both.extend(right.get(1..).map(halves).into_iter().flatten());
            return both;
        }
    }
    vec![clause]
}

/// Gives every token of a clause its part.
fn statement(tokens: &[Token<'_>], text: &str, tracks: &[Track]) -> Statement {
    let mut found = Statement::default();
    let mut after_than = false;
    for (place, token) in tokens.iter().enumerate() {
        let before = tokens.get(..place).unwrap_or_default();
        let after = tokens.get(place + 1..).unwrap_or_default();
        match token {
            Token::Cue(cue, written) => {
                found.is_strict |= written.eq_ignore_ascii_case("monotonically");
                after_than |= *cue == Cue::Than;
                if *cue == Cue::Fold {
                    found.factor = fold(written, before);
                    found.rest += usize::from(found.factor.is_none());
                } else if *cue != Cue::Filler {
                    found.cues.push(*cue);
                }
            }
            Token::Figure(figure) => found.take_figure(figure, before, after, text),
            Token::Time(time) => found.take_time(time, before, after),
            Token::Word(word) => {
                let subject = if after_than { &mut found.other } else { &mut found.subject };
                let known = subject.add(word, tracks);
                found.rest += usize::from(!known);
            }
            Token::Break => {}
        }
    }
    found
}

/// The last cue that is no filler.
fn leading(before: &[Token<'_>]) -> Option<Cue> {
    before
        .iter()
        .rev()
        .take_while(|token| matches!(token, Token::Cue(..)))
        .find_map(|token| match token {
            Token::Cue(Cue::Filler | Cue::Sample, _) => None,
            Token::Cue(cue, _) => Some(*cue),
            _ => None,
        })
}

/// "fivefold", "about seventyfold", "more than tenfold".
fn fold(written: &str, before: &[Token<'_>]) -> Option<Factor> {
    const NUMBERS: [(&str, i128); 22] = [
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("twelve", 12),
        ("fifteen", 15),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
        ("hundred", 100),
        ("thousand", 1000),
        ("eleven", 11),
    ];
    let stem = written.get(..written.len().checked_sub(4)?)?.trim_end_matches('-');
    let number = NUMBERS.iter().find(|(name, _)| stem.eq_ignore_ascii_case(name)).map(|(_, n)| *n);
    let numerator = number.or_else(|| stem.parse().ok())?;
    let recent: Vec<&str> = before
        .iter()
        .rev()
        .take(3)
        .filter_map(|token| match token {
            Token::Cue(_, written) => Some(*written),
            _ => None,
        })
        .collect();
    let says = |words: &[&str]| recent.iter().any(|word| words.contains(word));
    let comparator = if says(&["more", "over", "than"]) {
        Some(Comparator::Over)
    } else if says(&["less", "under"]) {
        Some(Comparator::Under)
    } else {
        None
    };
    Some(Factor { numerator, denominator: 1, comparator })
}

impl Statement {
    fn take_figure(
        &mut self,
        figure: &Figure,
        before: &[Token<'_>],
        after: &[Token<'_>],
        text: &str,
    ) {
        let lead = leading(before);
        let whole = usize::try_from(figure.value.mantissa).ok().filter(|_| figure.value.places == 0);
        let next_is_sample = after.iter().take(2).any(|token| matches!(token, Token::Cue(Cue::Sample | Cue::Consecutive, _)));
        if figure.unit.dimension == Dimension::Multiple {
            let Some(denominator) = 10_i128.checked_pow(figure.value.places) else { return };
            self.factor = Some(Factor {
                numerator: figure.value.mantissa,
                denominator,
                comparator: figure.comparator,
            });
            return;
        }
        if figure.unit.dimension == Dimension::Count && next_is_sample {
            match (lead, self.counted) {
                (Some(Cue::Last), _) => self.window.last_samples = whole,
                (_, Some((count, None))) => self.counted = Some((count, whole)),
                _ => self.counted = whole.map(|count| (count, None)),
            }
            return;
        }
        let follows_of = after.first().is_some_and(|token| matches!(token, Token::Cue(Cue::Filler, "of")));
        let of_samples = follows_of && after.iter().take(5).any(|token| matches!(token, Token::Cue(Cue::Sample, _)));
        if figure.unit.dimension == Dimension::Count && of_samples {
            self.counted = whole.map(|count| (count, None));
            return;
        }
        if figure.unit.dimension == Dimension::Duration {
            let seconds = i64::try_from(figure.value.mantissa).ok().and_then(|mantissa| {
                let nanos = mantissa.checked_mul(i64::try_from(figure.unit.factor).ok()?)?;
                Some(nanos / 1_000_000_000 / 10_i64.checked_pow(figure.value.places)?)
            });
            match lead {
                Some(Cue::First) => {
                    self.window.first_seconds = seconds;
                    return;
                }
                Some(Cue::Last) => {
                    self.window.last_seconds = seconds;
                    return;
                }
                Some(Cue::Within) => {
                    self.window.within = seconds;
                    return;
                }
                Some(Cue::Every) => return,
                _ => {}
            }
            let before_is = |wanted: &str| {
                matches!(before.last(), Some(Token::Cue(Cue::Filler, word)) if word.eq_ignore_ascii_case(wanted))
            };
            if before_is("for") || before_is("over") || before_is("the") {
                return;
            }
        }
        let second = self.values.last().is_some_and(|(_, first)| {
            let between = text.get(first.span.end..figure.span.start).unwrap_or("").trim();
            let joined = matches!(between, "-" | "–" | "to" | "and");
            joined && (between != "to" || !self.has(Cue::From))
        });
        let part = match lead {
            Some(Cue::From) => Part::From,
            Some(Cue::To) if !second => Part::To,
            Some(Cue::By) => Part::By,
            _ => Part::Value,
        };
        if second {
            self.is_range = true;
            if let Some((of, _)) = self.values.last_mut() {
                *of = Part::Value;
            }
            self.values.push((Part::Value, figure.clone()));
            return;
        }
        let figure = match lead {
            Some(Cue::Above) if figure.comparator.is_none() => {
                Figure { comparator: Some(Comparator::Over), ..figure.clone() }
            }
            Some(Cue::Below) if figure.comparator.is_none() => {
                Figure { comparator: Some(Comparator::Under), ..figure.clone() }
            }
            _ => figure.clone(),
        };
        self.values.push((part, figure));
    }

    fn take_time(&mut self, time: &ClockTime, before: &[Token<'_>], after: &[Token<'_>]) {
        let lead = leading(before);
        let goes_on = matches!(after.first(), Some(Token::Cue(Cue::On, _)));
        let follows_time = matches!(before, [.., Token::Time(_), Token::Cue(Cue::And | Cue::To | Cue::Until, _)]);
        let slot = if follows_time {
            if self.window.from.is_none() {
                self.window.from = self.window.at.take();
            }
            &mut self.window.until
        } else {
            match lead {
                Some(Cue::From | Cue::Between) => &mut self.window.from,
                Some(Cue::Until) => &mut self.window.until,
                _ if goes_on => &mut self.window.from,
                _ => &mut self.window.at,
            }
        };
        if slot.is_some() {
            self.rest += 1;
        }
        *slot = Some(time.clone());
    }
}
