//! What a clause says of a series: its cues, its figures and times and the part that each plays.

use gsar_core::text::figures::{ClockTime, CodeKind, Comparator, Dimension, Figure, Figures};
use gsar_core::text::tokens::{Shape, Word, words};

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
            || self.later.is_some()
            || !self.other.is_empty()
            || self.value(Part::By).is_some()
            || self.cues.iter().any(|cue| derives.contains(cue))
    }

    /// Whether it says anything of a series.
    pub(super) fn says_something(&self) -> bool {
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
        self.factor.is_some() || self.cues.iter().any(|cue| VERBS.contains(cue))
    }
}

/// The clauses of a claim, each as tokens.
fn clauses<'c>(text: &'c str, figures: &Figures) -> Vec<Vec<Token<'c>>> {
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
            if word.is("when") {
                clause.push(Token::Cue(Cue::Moment, word.text));
            }
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
            let mut covered = figure.span.end;
            clause.push(Token::Figure(stated(text, figure)));
            // "87-93" is one word and two figures.
            for next in &figures.figures {
                if next.span.start >= covered && next.span.start < word.span.end {
                    covered = next.span.end;
                    clause.push(Token::Figure(stated(text, next)));
                }
            }
            place += taken(covered).max(1);
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
    const JOINING: [&str; 10] = [
        "although", "though", "while", "whereas", "but", "because", "when", "so", "then", "once",
    ];
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
    let is_near = last.last().is_some_and(|word| word.is("near"));
    match figure.comparator {
        Some(Comparator::AtMost) if rose => Figure { comparator: None, ..figure.clone() },
        None if is_near => Figure { approximate: true, ..figure.clone() },
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
                    statement.more.clone_from(&before.more);
                    statement.unknown_subject += before.unknown_subject;
                }
                if statement.has(Cue::Thereafter) {
                    statement.window.from = before.window.at.clone().or(before.window.until.clone());
                    statement.rest += usize::from(statement.window.from.is_none());
                }
            } else if statement.has(Cue::Thereafter) {
                statement.rest += 1;
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
                        | Cue::Return | Cue::Flat | Cue::Never | Cue::AtStart | Cue::AtEnd | Cue::Settle,
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
    let mut nouns = Nouns::default();
    for (place, token) in tokens.iter().enumerate() {
        let before = tokens.get(..place).unwrap_or_default();
        let after = tokens.get(place + 1..).unwrap_or_default();
        match token {
            Token::Cue(cue, written) => {
                found.take_cue(*cue, written, (before, after), &mut nouns, tracks);
            }
            Token::Figure(figure) => found.take_figure(figure, (before, after), text, tracks),
            Token::Time(time) => found.take_time(time, before, after),
            Token::Word(word) => nouns.take(word, before, &mut found, tracks),
            Token::Break => {}
        }
        nouns.is_after_verb |= found.says_something();
        nouns.is_compared |= found.later.is_some();
    }
    found
}

/// Sorts the words of a clause that are no cues.
#[derive(Debug, Default)]
struct Nouns {
    /// A verb stands before.
    is_after_verb: bool,
    /// "than", "after", "at the same time as" stands before: what follows is another series.
    is_compared: bool,
    /// "and" stands before, and no verb.
    is_another: bool,
    /// The subject stands behind the verb: "tripled its CPU request".
    is_late: bool,
}

impl Nouns {
    fn take(
        &mut self,
        word: &Word<'_>,
        before: &[Token<'_>],
        found: &mut Statement,
        tracks: &[Track],
    ) {
        if self.is_compared {
            let known = found.other.add(word, tracks);
            found.rest += usize::from(!known);
            found.unknown_subject += usize::from(!known);
            return;
        }
        let is_first = found.subject.is_empty();
        if self.is_after_verb && !is_first || self.is_another && !self.is_after_verb {
            let mut fuller = found.subject.clone();
            if fuller.add(word, tracks) && !fuller.tracks(tracks).is_empty() {
                found.subject = fuller;
                return;
            }
        }
        if self.is_after_verb && !is_first {
            found.rest += 1;
            found.unknown_subject += usize::from(self.is_late || names_a_thing(word, before));
            return;
        }
        let is_late = self.is_after_verb;
        let subject = if self.is_another {
            if found.more.is_empty() {
                found.more.push(Subject::default());
            }
            found.more.last_mut()
        } else {
            Some(&mut found.subject)
        };
        if !subject.is_some_and(|subject| subject.add(word, tracks)) {
            found.not_understood();
        }
        self.is_late |= is_late && !found.subject.is_empty();
    }
}

/// Whether a word after a number is the unit of a level and counts no things.
fn is_unit(word: &Word<'_>) -> bool {
    const UNITS: [&str; 8] =
        ["operations", "ops", "sessions", "messages", "queries", "calls", "events", "items"];
    UNITS.iter().any(|unit| word.is(unit))
}

/// Whether a word says what sort of thing it is, and may be the thing's name.
fn is_role(word: &str) -> bool {
    const ROLES: [&str; 21] = [
        "leader", "reader", "writer", "app", "application", "cluster", "container", "database", "host", "instance", "job", "machine",
        "main", "node", "pod", "primary", "process", "server", "service", "vm", "workload",
    ];
    ROLES.iter().any(|role| word.eq_ignore_ascii_case(role))
}

/// Whether a word that no track has says of whom a clause speaks: a name, or what "on", "of" and "for" bring in.
fn names_a_thing(word: &Word<'_>, before: &[Token<'_>]) -> bool {
    const ARTICLES: [&str; 6] = ["the", "a", "an", "its", "this", "that"];
    let is_plain = word.shape() == Shape::Plain;
    let article = |token: &&Token<'_>| {
        matches!(token, Token::Cue(_, text) if ARTICLES.iter().any(|article| text.eq_ignore_ascii_case(article)))
    };
    let brings_in = match before.iter().rev().find(|token| !article(token)) {
        // "after the deploy" is a time that nothing here knows.
        Some(Token::Cue(Cue::On | Cue::From | Cue::Until | Cue::At | Cue::By | Cue::To, _)) => true,
        Some(Token::Cue(_, text)) => {
            text.eq_ignore_ascii_case("for") || text.eq_ignore_ascii_case("of") && !is_plain
        }
        _ => false,
    };
    word.shape() == Shape::Identifier || brings_in
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

/// The last cue before a figure, words of comparison aside: "by" in "by more than".
fn preposition(before: &[Token<'_>]) -> Option<Cue> {
    before
        .iter()
        .rev()
        .map_while(|token| match token {
            Token::Cue(cue, _) => Some(*cue),
            _ => None,
        })
        .find(|cue| !matches!(cue, Cue::Filler | Cue::Sample | Cue::Than | Cue::Above | Cue::Below))
}

/// "fivefold", "about seventyfold", "more than tenfold".
fn fold(written: &str, before: &[Token<'_>]) -> Option<Factor> {
    const NUMBERS: [(&str, i128); 25] = [
        ("quintupled", 5),
        ("sextupled", 6),
        ("septupled", 7),
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
    let stem = match NUMBERS.iter().find(|(name, _)| written.eq_ignore_ascii_case(name)) {
        Some((name, _)) => name,
        None => written.get(..written.len().checked_sub(4)?)?.trim_end_matches('-'),
    };
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

/// Whether a figure or time follows at once.
fn is_measured(after: &[Token<'_>]) -> bool {
    let next = after.iter().find(|token| {
        !matches!(token, Token::Cue(Cue::Filler | Cue::First | Cue::Last | Cue::Above | Cue::Below | Cue::Than, _))
    });
    matches!(next, Some(Token::Figure(_) | Token::Time(_)))
}

impl Statement {
    /// Part of the clause is not understood: nothing follows from it.
    fn not_understood(&mut self) {
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
            "sharply", "surged", "surging", "soared", "spiked", "spiking", "jumped", "plunged",
            "plummeted", "collapsed", "heavily", "dramatically",
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
            Cue::Fold => {
                self.factor = fold(written, before);
                self.rest += usize::from(self.factor.is_none());
            }
            Cue::Moment => self.is_moment = true,
            Cue::Fraction => {
                self.fraction = fraction(written);
                self.cues.push(cue);
            }
            Cue::Filler => {
                let word = Word { text: written, span: 0..0 };
                if is_role(written) && Subject::names_some(&word, tracks) {
                    self.subject.add(&word, tracks);
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

    fn take_figure(
        &mut self,
        figure: &Figure,
        (before, after): (&[Token<'_>], &[Token<'_>]),
        text: &str,
        tracks: &[Track],
    ) {
        let lead = leading(before);
        if self.is_share_of(figure, before) {
            return;
        }
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
        let counts_things = matches!(after.first(), Some(Token::Cue(Cue::Filler, word))
            if is_role(word.trim_end_matches('s')) || is_role(word));
        let counts_others = match after.first() {
            Some(Token::Word(noun)) => !is_unit(noun) && !Subject::measures(noun, tracks),
            _ => false,
        };
        if figure.unit.dimension == Dimension::Count && (counts_things || counts_others) {
            self.not_understood();
            return;
        }
        let is_distance = after.iter().take(3).any(|token| {
            matches!(token, Token::Cue(Cue::From | Cue::Until, _))
                || matches!(token, Token::Cue(_, word) if word.eq_ignore_ascii_case("later"))
        });
        if figure.unit.dimension == Dimension::Count && next_is_sample && is_distance {
            self.rest += 1;
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
                Some(Cue::Every) => {
                    self.window.lasting = seconds;
                    return;
                }
                _ => {}
            }
            let sign = match after.first() {
                Some(Token::Cue(Cue::From, word)) if word.eq_ignore_ascii_case("after") => Some(1),
                Some(Token::Cue(Cue::Until, word)) if word.eq_ignore_ascii_case("before") => Some(-1),
                _ => None,
            };
            let next = after.iter().skip(1).find(|token| !matches!(token, Token::Cue(Cue::Filler, _)));
            let is_distance = matches!(next, Some(Token::Word(_)))
                && !matches!(lead, Some(Cue::Above | Cue::Below | Cue::To | Cue::Reach));
            if let (Some(sign), Some(seconds), true) =
                (sign, seconds, is_distance && self.says_something())
            {
                self.later = Some(sign * seconds);
                return;
            }
            let over = matches!(before.last(), Some(Token::Cue(Cue::Above, word)) if word.eq_ignore_ascii_case("over"));
            if over && !self.values.is_empty() {
                self.window.lasting = seconds;
                return;
            }
            let before_is = |wanted: &str| {
                matches!(before.last(), Some(Token::Cue(Cue::Filler, word)) if word.eq_ignore_ascii_case(wanted))
            };
            if before_is("for") || before_is("over") || before_is("the") {
                self.window.lasting = seconds;
                return;
            }
        }
        let second = self.values.last().is_some_and(|(_, first)| {
            let between = text.get(first.span.end..figure.span.start).unwrap_or("").trim();
            let joined = matches!(between, "-" | "–" | "to" | "and");
            joined && (between != "to" || !self.has(Cue::From))
        });
        let part = match preposition(before) {
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
        // "from 3420 at 11:20 to 11840 at 11:21".
        let of_start = matches!(before, [.., Token::Figure(_), Token::Cue(Cue::At, _)])
            && matches!(self.values.last(), Some((Part::From, _)))
            && lead == Some(Cue::At);
        if of_start && self.window.from.is_none() {
            self.window.from = Some(time.clone());
            return;
        }
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
        if slot.is_some() && lead == Some(Cue::By) {
            // "of 02:00 … by 02:14".
            self.window.from = self.window.at.take();
            self.window.until = Some(time.clone());
            return;
        }
        if slot.is_some() {
            self.rest += 1;
        }
        *slot = Some(time.clone());
        self.is_deadline |= lead == Some(Cue::By);
    }
}

impl Statement {
    /// "within 3 % of 25,000": a range around a figure.
    fn is_share_of(&mut self, figure: &Figure, before: &[Token<'_>]) -> bool {
        let [.., Token::Figure(share), Token::Cue(Cue::Filler, "of")] = before else { return false };
        let is_percent = share.unit.dimension == Dimension::Percent;
        if !is_percent || !self.has(Cue::Within) || figure.unit.dimension == Dimension::Percent {
            return false;
        }
        let ends = || {
            let whole = 100_i128.checked_mul(10_i128.checked_pow(share.value.places)?)?;
            let end = |factor: i128| {
                Some(Figure {
                    value: gsar_core::text::figures::Decimal {
                        mantissa: figure.value.mantissa.checked_mul(factor)?,
                        places: figure.value.places + share.value.places + 2,
                    },
                    ..figure.clone()
                })
            };
            Some((end(whole - share.value.mantissa)?, end(whole + share.value.mantissa)?))
        };
        let Some((low, high)) = ends() else { return false };
        self.values = vec![(Part::Value, low), (Part::Value, high)];
        self.is_range = true;
        true
    }
}

/// "a twentieth": 20.
fn fraction(written: &str) -> Option<i128> {
    const PARTS: [(&str, i128); 12] = [
        ("third", 3),
        ("quarter", 4),
        ("fifth", 5),
        ("sixth", 6),
        ("eighth", 8),
        ("tenth", 10),
        ("twelfth", 12),
        ("fifteenth", 15),
        ("twentieth", 20),
        ("thirtieth", 30),
        ("fiftieth", 50),
        ("hundredth", 100),
    ];
    PARTS.iter().find(|(name, _)| written.eq_ignore_ascii_case(name)).map(|(_, part)| *part)
}
