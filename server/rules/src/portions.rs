//! How much of a list a claim speaks of: three of five, all, none, only one.
//!
//! The quantifier parts the claim's words into those that say which things are meant and those that say what is
//! so of them. Words that only say that something is listed are neither.

use std::ops::Range;

use gsar_core::text::figures::{Dimension, Figure};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use super::counts::as_figure;
use super::lexicon::Sense;
use super::reading::{Reading, Role};

/// How many things a claim speaks of.
#[derive(Clone, Debug)]
pub(crate) enum Quantifier {
    /// So many, and of how many if it says so.
    Number {
        /// How many are so.
        part: Figure,
        /// How many there are.
        whole: Option<Figure>,
    },
    /// Each one, and how many these are if it says so.
    All(Option<Figure>),
    /// Not one.
    No,
    /// A share of them, and how many there are if it says so.
    Share {
        /// How large a share.
        share: Share,
        /// Of how many.
        whole: Option<Figure>,
    },
}

/// A share of several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// More than half.
    Most,
    /// So many of so many: two of three for "two thirds".
    Parts(usize, usize),
}

/// What a claim says of a part of a list.
#[derive(Clone, Debug)]
pub(crate) struct Portion {
    pub(crate) quantifier: Quantifier,
    /// The terms that say which things are meant.
    pub(crate) subject: u64,
    /// The terms that say what is so of them.
    pub(crate) predicate: u64,
    /// The term that the number counts.
    pub(crate) noun: u64,
    /// Figures that bound a value of each thing, by their numbers.
    pub(crate) bounds: Vec<usize>,
    /// The terms of what is left out: "apart from crashpod".
    pub(crate) excepted: u64,
    /// The value that the claim says each has: "all conditions are True".
    pub(crate) truth: Option<bool>,
    /// Whether one of the predicate's terms is enough: "either Running or Completed".
    pub(crate) is_either: bool,
    /// Whether the number is one of events: "logged four times".
    pub(crate) is_of_events: bool,
    /// Whether the claim speaks of what an item shows, and not of all there is.
    pub(crate) is_of_listing: bool,
}

/// Words that only say that things are listed, named or told of.
const TELLING: &[&str] = &[
    "altogether",
    "appear",
    "appeared",
    "appears",
    "assigned",
    "attached",
    "bear",
    "bears",
    "begin",
    "belong",
    "belonged",
    "belongs",
    "captured",
    "carries",
    "carry",
    "combined",
    "comes",
    "concern",
    "concerned",
    "concerning",
    "concerns",
    "count",
    "counted",
    "counts",
    "different",
    "displayed",
    "distinct",
    "emitted",
    "entries",
    "entry",
    "exist",
    "existed",
    "exists",
    "fired",
    "flagged",
    "group",
    "holding",
    "holds",
    "individual",
    "involve",
    "involved",
    "involves",
    "issued",
    "item",
    "items",
    "kind",
    "label",
    "labeled",
    "labelled",
    "list",
    "listed",
    "listing",
    "lists",
    "logged",
    "makes",
    "match",
    "matches",
    "matching",
    "mention",
    "mentions",
    "number",
    "object",
    "objects",
    "occur",
    "occurred",
    "occurs",
    "output",
    "part",
    "place",
    "present",
    "printed",
    "raised",
    "reference",
    "referenced",
    "refer",
    "refers",
    "regard",
    "regarding",
    "relate",
    "related",
    "relates",
    "remaining",
    "result",
    "resulting",
    "results",
    "returned",
    "row",
    "rows",
    "separate",
    "series",
    "single",
    "sort",
    "stand",
    "stands",
    "table",
    "tagged",
    "targets",
    "there",
    "things",
    "together",
    "total",
    "type",
    "types",
    "unique",
    "various",
    "visible",
    "whose",
    "written",
    "made",
    "named",
    "called",
    "across",
    "put",
    "under",
    "longer",
    "shorter",
    "faster",
    "slower",
    "quicker",
    "larger",
    "bigger",
    "smaller",
    "take",
    "takes",
    "took",
    "need",
    "needs",
    "uses",
    "use",
    "least",
    "message",
    "messages",
    "resource",
    "resources",
    "application",
    "set",
    "ever",
    "apart",
    "except",
    "besides",
    "word",
    "words",
    "text",
];

/// Words that say that a claim speaks of what an item shows.
const LISTING: &[&str] = &[
    "captured",
    "displayed",
    "entries",
    "entry",
    "excerpt",
    "extract",
    "file",
    "line",
    "lines",
    "list",
    "listed",
    "listing",
    "lists",
    "log",
    "logged",
    "logs",
    "output",
    "printed",
    "result",
    "returned",
    "rows",
    "shown",
    "table",
    "tail",
    "visible",
];

/// Verbs that end what a quantifier speaks of.
const VERBS: &[&str] = &[
    "are",
    "is",
    "were",
    "was",
    "be",
    "been",
    "have",
    "has",
    "had",
    "do",
    "does",
    "did",
    "show",
    "shows",
    "showed",
    "come",
    "comes",
    "came",
    "go",
    "goes",
    "went",
    "belong",
    "belongs",
    "belonged",
    "fall",
    "falls",
    "fell",
    "fail",
    "fails",
    "failed",
    "succeed",
    "succeeded",
    "succeeds",
    "take",
    "takes",
    "took",
    "run",
    "runs",
    "ran",
    "use",
    "uses",
    "used",
    "wait",
    "waits",
    "waited",
    "need",
    "needs",
    "needed",
    "return",
    "returns",
    "returned",
    "contain",
    "contains",
    "concern",
    "concerns",
    "carry",
    "carries",
    "carried",
    "restarted",
    "restart",
    "crashed",
    "crash",
    "rose",
    "rises",
    "grew",
    "dropped",
    "appear",
    "appears",
    "exist",
    "exists",
    "remain",
    "remains",
    "remained",
    "stayed",
    "reported",
    "report",
    "reports",
    "raised",
    "fired",
    "request",
    "requests",
    "get",
    "gets",
    "got",
    "received",
    "authenticate",
];

/// Whether a word only says that something is listed, or where.
pub(crate) fn tells_only(word: &str) -> bool {
    TELLING.iter().chain(LISTING).any(|telling| word.eq_ignore_ascii_case(telling))
}

/// Reads the portion that a claim speaks of; `None` where it speaks of none, or in a way that is not understood.
pub(crate) fn read(reading: &Reading<'_>) -> Option<Portion> {
    only(reading)
        .or_else(|| all(reading))
        .or_else(|| no(reading))
        .or_else(|| share(reading))
        .or_else(|| number(reading))
        .or_else(|| range(reading))
}

/// The terms that have to be found: names, codes, content words, directions.
fn content(reading: &Reading<'_>) -> u64 {
    reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word | Role::Demand(Sense::Raise | Sense::Lower) => {
            !TELLING.iter().any(|telling| term.text.eq_ignore_ascii_case(telling))
        }
        Role::Kind | Role::Common | Role::Demand(_) => false,
    })
}

fn portion(reading: &Reading<'_>, quantifier: Quantifier, subject: u64) -> Portion {
    let excepted = excepted(reading);
    let truths = reading.bits(|term| is_truth(term.text).is_some());
    let truth = reading.terms.iter().find_map(|term| is_truth(term.text));
    let content = content(reading) & !excepted & !truths;
    let is_of_listing =
        words(reading.text).any(|word| LISTING.iter().any(|listing| word.is(listing)));
    Portion {
        quantifier,
        subject: content & subject,
        predicate: content & !subject,
        noun: 0,
        bounds: Vec::new(),
        excepted,
        truth,
        is_either: words(reading.text).any(|word| word.is("or")),
        is_of_events: false,
        is_of_listing,
    }
}

/// `True` or `False` as tools write them.
fn is_truth(word: &str) -> Option<bool> {
    match word {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        _ => None,
    }
}

/// The names after "apart from", "except", "besides", "other than".
fn excepted(reading: &Reading<'_>) -> u64 {
    const EXCEPTING: [&str; 5] =
        ["apart from ", "except for ", "except ", "besides ", "other than "];
    let lower = reading.text.to_ascii_lowercase();
    let Some(at) = EXCEPTING.iter().find_map(|cue| lower.find(cue).map(|at| at + cue.len())) else {
        return 0;
    };
    let mut names = reading.terms.iter().enumerate().filter(|(_, term)| {
        matches!(term.role, Role::Entity | Role::Name) && term.span.start >= at
    });
    names.next().map_or(0, |(place, _)| 1 << place)
}

/// The terms in a stretch of the claim.
fn terms_in(reading: &Reading<'_>, span: Range<usize>) -> u64 {
    reading.bits(|term| {
        !term.span.is_empty() && span.start <= term.span.start && term.span.end <= span.end
    })
}

/// Where the things that begin at a place end: at the next verb, or with the claim.
fn end_of_things(reading: &Reading<'_>, from: usize) -> (usize, bool) {
    let rest = reading.text.get(from..).unwrap_or("");
    let verb = words(rest)
        .find(|word| VERBS.iter().any(|verb| word.is(verb)))
        .map(|word| from + word.span.start);
    match verb {
        Some(at) => (at, true),
        None => (reading.text.len(), false),
    }
}

/// Whether a figure counts things: whole, without a unit.
fn counts(figure: &Figure) -> bool {
    figure.unit.dimension == Dimension::Count && figure.value.places == 0
}

/// Whether the demands of a claim are only those that a portion can answer.
fn demands_nothing_else(reading: &Reading<'_>, taken: u64) -> bool {
    let open = reading.bits(|term| {
        let is_preposition =
            ["under", "over", "least"].iter().any(|word| term.text.eq_ignore_ascii_case(word));
        matches!(term.role, Role::Demand(sense) if !matches!(sense, Sense::Raise | Sense::Lower))
            && !is_preposition
    });
    open & !taken == 0
}

/// "X only", "only X", "X is the only pod in a crash loop": all of the others' words are true of X alone.
fn only(reading: &Reading<'_>) -> Option<Portion> {
    const ONLY: [&str; 5] = ["only", "alone", "solely", "exclusively", "sole"];
    let mut cues = words(reading.text).filter(|word| ONLY.iter().any(|only| word.is(only)));
    let cue = cues.next()?;
    if cues.next().is_some() || !reading.figures.figures.is_empty() {
        return None;
    }
    let focus = focus_of(reading, &cue.span)?;
    let taken = terms_in(reading, cue.span.clone());
    if !demands_nothing_else(reading, taken) {
        return None;
    }
    let subject = content(reading) & !focus;
    (subject != 0).then(|| portion(reading, Quantifier::All(None), subject))
}

/// The thing of which "only" says that there is no other.
fn focus_of(reading: &Reading<'_>, cue: &Range<usize>) -> Option<u64> {
    let text = reading.text;
    let is_name = |role: Role| matches!(role, Role::Entity | Role::Name);
    let named = |place: usize| (0 < place + 1).then_some(1_u64 << place);
    let before = words(text.get(..cue.start)?).last();
    let is_the_only = before.as_ref().is_some_and(|word| word.is("the") || word.is("a"));
    let terms = || reading.terms.iter().enumerate().filter(|(_, term)| !term.span.is_empty());
    if is_the_only {
        // "crashpod is the only pod …": the name before the verb.
        let mut names =
            terms().filter(|(_, term)| is_name(term.role) && term.span.end <= cue.start);
        let (place, _) = names.next()?;
        return names.next().is_none().then(|| named(place)).flatten();
    }
    let after = terms().find(|(_, term)| term.span.start >= cue.end);
    let prior = terms().rfind(|(_, term)| term.span.end <= cue.start);
    let touches = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|gap| {
            words(gap).all(|word| {
                [
                    "in",
                    "on",
                    "from",
                    "to",
                    "by",
                    "the",
                    "of",
                    "at",
                    "for",
                    "with",
                    "into",
                    "namespace",
                ]
                .iter()
                .any(|joining| word.is(joining))
            }) && !gap.contains([',', ';', ':', '.'])
        })
    };
    let ends_clause = text.get(cue.end..).is_some_and(|rest| {
        rest.trim_start().is_empty() || rest.trim_start().starts_with(['.', ',', ';'])
    });
    if ends_clause {
        return prior
            .filter(|(_, term)| is_name(term.role) && touches(term.span.end, cue.start))
            .and_then(|(place, _)| named(place));
    }
    after
        .filter(|(_, term)| is_name(term.role) && touches(cue.end, term.span.start))
        .and_then(|(place, _)| named(place))
}

/// "All pods are Running", "both calls fail", "memory went down on every node".
fn all(reading: &Reading<'_>) -> Option<Portion> {
    let cue = reading
        .markers
        .iter()
        .find(|marker| marker.kind == MarkerKind::All)
        .map(|marker| marker.span.clone());
    let both = words(reading.text).find(|word| word.is("both")).map(|word| word.span);
    let is_both = cue.is_none();
    let cue = cue.or(both)?;
    let before = words(reading.text.get(..cue.start)?).last();
    if before
        .is_some_and(|word| word.is("in") || word.is("at") || word.is("after") || word.is("not"))
    {
        return None;
    }
    let written = reading.text.get(cue.clone())?;
    let next = reading.text.get(cue.end..)?.trim_start();
    let is_period = reading
        .figures
        .figures
        .iter()
        .any(|figure| !counts(figure) && reading.text.get(figure.span.start..) == Some(next));
    if is_period
        || written.eq_ignore_ascii_case("entire")
        || written.eq_ignore_ascii_case("entirely")
    {
        return None;
    }
    if !demands_nothing_else(reading, 0) {
        return None;
    }
    let (end, has_verb) = end_of_things(reading, cue.end);
    let mut number = is_both.then(|| as_figure(2));
    let mut bounds = Vec::new();
    for (order, figure) in reading.figures.figures.iter().enumerate() {
        if counts(figure) && cue.end <= figure.span.start && figure.span.end <= end {
            number = Some(figure.clone());
        } else {
            bounds.push(order);
        }
    }
    let subject = terms_in(reading, cue.end..end);
    let mut portion = portion(reading, Quantifier::All(number), subject);
    portion.bounds = bounds;
    let says_something =
        portion.predicate != 0 || portion.truth.is_some() || !portion.bounds.is_empty();
    (says_something && (has_verb || portion.predicate != 0 || !portion.bounds.is_empty()))
        .then_some(portion)
}

/// "No pod is Pending", "none of the calls failed", "neither container is running".
fn no(reading: &Reading<'_>) -> Option<Portion> {
    let none = reading.markers.iter().filter(|marker| marker.kind == MarkerKind::None);
    let cue = none.map(|marker| marker.span.clone()).next()?;
    let negations =
        reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation).count();
    if negations > 1 || !demands_nothing_else(reading, 0) {
        return None;
    }
    let (end, _) = end_of_things(reading, cue.end);
    let bounds: Vec<usize> = (0..reading.figures.figures.len()).collect();
    let mut portion = portion(reading, Quantifier::No, terms_in(reading, cue.end..end));
    portion.bounds = bounds;
    portion.noun = noun(reading, cue.end).unwrap_or(0);
    Some(portion)
}

/// "Half of the alerts are critical", "two thirds of the pods", "most of the calls".
fn share(reading: &Reading<'_>) -> Option<Portion> {
    const SHARES: [(&str, Share); 10] = [
        ("half", Share::Parts(1, 2)),
        ("a third", Share::Parts(1, 3)),
        ("one third", Share::Parts(1, 3)),
        ("two thirds", Share::Parts(2, 3)),
        ("a quarter", Share::Parts(1, 4)),
        ("one quarter", Share::Parts(1, 4)),
        ("three quarters", Share::Parts(3, 4)),
        ("a fifth", Share::Parts(1, 5)),
        ("most", Share::Most),
        ("the majority", Share::Most),
    ];
    let lower = reading.text.to_ascii_lowercase();
    let (at, length, share) = SHARES.iter().find_map(|(written, share)| {
        let at = lower.find(written)?;
        let whole_word =
            lower.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(' '));
        let rest = lower.get(at + written.len()..)?;
        let of =
            rest.trim_start().starts_with("of ") || *share == Share::Most && rest.starts_with(' ');
        (whole_word && of).then_some((at, written.len(), *share))
    })?;
    let before = words(reading.text.get(..at)?).last();
    let bounded =
        ["than", "over", "under", "nearly", "almost", "about", "roughly", "at", "the", "not"];
    if before.is_some_and(|word| bounded.iter().any(|bound| word.is(bound))) {
        return None;
    }
    let cue = at..at + length;
    if !demands_nothing_else(reading, terms_in(reading, cue.clone())) {
        return None;
    }
    let (end, has_verb) = end_of_things(reading, cue.end);
    let inside = |figure: &&Figure| cue.start <= figure.span.start && figure.span.end <= cue.end;
    let mut others = reading.figures.figures.iter().filter(|figure| !inside(figure));
    let whole = others.next();
    let counted = whole
        .is_none_or(|whole| counts(whole) && cue.end <= whole.span.start && whole.span.end <= end);
    if others.next().is_some() || !counted || !has_verb {
        return None;
    }
    let quantifier = Quantifier::Share { share, whole: whole.cloned() };
    let portion = portion(reading, quantifier, terms_in(reading, cue.end..end));
    (portion.predicate != 0).then_some(portion)
}

/// "Database calls take between 5 and 10 seconds": each of them does.
fn range(reading: &Reading<'_>) -> Option<Portion> {
    let [low, high] = reading.figures.figures.as_slice() else { return None };
    let (end, has_verb) = end_of_things(reading, 0);
    let before = reading.text.get(..low.span.start)?;
    let joins = words(reading.text.get(low.span.end..high.span.start)?).all(|word| word.is("and"));
    let between = words(before).last().is_some_and(|word| word.is("between"));
    if !(has_verb && between && joins && demands_nothing_else(reading, 0)) {
        return None;
    }
    let mut portion = portion(reading, Quantifier::All(None), terms_in(reading, 0..end));
    portion.bounds = vec![0, 1];
    Some(portion)
}

/// "Three pods are Pending", "two of the five nodes are not ready", "of the 22 requests, 21 succeeded".
fn number(reading: &Reading<'_>) -> Option<Portion> {
    let taken = reading.bits(|term| term.text.eq_ignore_ascii_case("only"));
    if !demands_nothing_else(reading, taken) {
        return None;
    }
    let text = reading.text;
    let counting: Vec<&Figure> =
        reading.figures.figures.iter().filter(|figure| counts(figure)).collect();
    if counting.len() != reading.figures.figures.len() {
        return None;
    }
    let one_of =
        words(text).zip(words(text).skip(1)).find(|(one, of)| one.is("one") && of.is("of"));
    let starts_with_of = words(text).next().is_some_and(|word| word.is("of"));
    let (part, whole) = match (counting.as_slice(), one_of) {
        ([whole], Some((one, _))) if one.span.end <= whole.span.start => {
            (Figure { span: one.span, ..as_figure(1) }, Some((*whole).clone()))
        }
        ([], Some((one, _))) => (Figure { span: one.span, ..as_figure(1) }, None),
        ([part], None) => ((*part).clone(), None),
        ([whole, part], None) if starts_with_of => ((*part).clone(), Some((*whole).clone())),
        ([part, whole], None) if is_of(text, part, whole) => {
            ((*part).clone(), Some((*whole).clone()))
        }
        _ => return None,
    };
    let counted_from = whole.as_ref().map_or(part.span.end, |whole| whole.span.end);
    let (end, _) = end_of_things(reading, counted_from);
    if whole.is_none() && is_repeated(reading, &part) {
        let mut portion = portion(reading, Quantifier::Number { part, whole }, 0);
        portion.is_of_events = true;
        portion.is_of_listing = true;
        return Some(portion);
    }
    let counts_lines = words(text.get(counted_from..)?).take(2).any(|word| {
        ["lines", "entries", "rows", "records", "line", "entry"].iter().any(|noun| word.is(noun))
    });
    if whole.is_none() && counts_lines {
        let mut portion = portion(reading, Quantifier::Number { part, whole }, 0);
        portion.is_of_events = true;
        portion.is_of_listing = true;
        return Some(portion);
    }
    let noun = noun(reading, counted_from)?;
    let mut portion =
        portion(reading, Quantifier::Number { part, whole }, terms_in(reading, counted_from..end));
    portion.noun = noun;
    Some(portion)
}

/// "The failure is logged four times": a verb of telling before a number of times.
fn is_repeated(reading: &Reading<'_>, part: &Figure) -> bool {
    const REPEATED: [&str; 20] = [
        "logged",
        "appears",
        "appear",
        "appeared",
        "occurs",
        "occur",
        "occurred",
        "printed",
        "recorded",
        "repeated",
        "repeats",
        "reported",
        "seen",
        "shown",
        "shows",
        "mentioned",
        "written",
        "emitted",
        "observed",
        "found",
    ];
    let (before, after) =
        (reading.text.get(..part.span.start), reading.text.get(part.span.start..));
    let told = before
        .is_some_and(|before| words(before).any(|word| REPEATED.iter().any(|verb| word.is(verb))));
    let times = after.is_some_and(|after| {
        words(after).take(2).any(|word| word.is("times") || word.is("twice") || word.is("once"))
    });
    told && times
}

/// Whether "of the" joins a part and a whole.
fn is_of(text: &str, part: &Figure, whole: &Figure) -> bool {
    let between = text.get(part.span.end..whole.span.start).unwrap_or("");
    words(between).next().is_some_and(|word| word.is("of")) && words(between).count() <= 4
}

/// What is counted: the last of the words that follow the number up to a preposition or verb.
fn noun(reading: &Reading<'_>, from: usize) -> Option<u64> {
    /// Nouns that a number measures or counts in a field, not in a list.
    const MEASURED: &[&str] = &[
        "attempts",
        "bytes",
        "characters",
        "connections",
        "copies",
        "core",
        "cores",
        "cpu",
        "cpus",
        "day",
        "days",
        "hours",
        "ms",
        "minutes",
        "partitions",
        "percent",
        "points",
        "replica",
        "replicas",
        "restart",
        "restarts",
        "retries",
        "runs",
        "samples",
        "seconds",
        "sessions",
        "threads",
        "tokens",
        "units",
        "weeks",
        "workers",
        "gpus",
        "gpu",
    ];
    let rest = reading.text.get(from..)?;
    let (mut from, mut rest) = (from, rest);
    let of =
        words(rest).take_while(|word| word.is("of") || word.is("the") || word.is("its")).last();
    if let Some(of) = of {
        from += of.span.end;
        rest = reading.text.get(from..)?;
    }
    let end = words(rest)
        .find(|word| {
            VERBS.iter().any(|verb| word.is(verb))
                || [
                    "of", "in", "on", "for", "from", "with", "to", "by", "at", "that", "which",
                    "whose", "across", "per", "into", "under", "and",
                ]
                .iter()
                .any(|joining| word.is(joining))
                    && word.span.start > 0
        })
        .map_or(reading.text.len(), |word| from + word.span.start);
    let in_phrase = terms_in(reading, from..end);
    let (place, term) = reading
        .terms
        .iter()
        .enumerate()
        .rfind(|(place, term)| in_phrase >> place & 1 == 1 && !tells_only(term.text))?;
    let measured = MEASURED.iter().any(|noun| term.text.eq_ignore_ascii_case(noun));
    (!measured).then_some(1 << place)
}
