//! A stretch of a claim, read as something that happened: "the first failed pull", "the pod was created".
//!
//! Names and content words have to be found; words for any event may be; the verb says which phase is meant, and
//! "first" and "last" which of several. Where it happened is found elsewhere.

use std::ops::Range;

use gsar_core::text::figures::CodeKind;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::{Word, words};

use crate::claim::lengths::lengths;
use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::moments::Moment;
use crate::verdict::ruling::Case;
use crate::vocabulary::event_words::{FAILING, LASTING, LEFT_OUT, STAND_INS, WHICH, any};
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::phases::{CREATING, ENDING, Phase, STARTING, phase_of_word};

/// Which of several is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    All,
    First,
    Last,
}

/// A stretch of a claim, as something that happened.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) span: Range<usize>,
    /// Names and codes.
    pub(crate) strict: u64,
    /// Content words.
    pub(crate) words: u64,
    /// Words for any event: "alert", "happened".
    pub(crate) light: u64,
    pub(crate) kinds: u64,
    /// Words for a direction or extreme, which the place has to show.
    pub(crate) demands: u64,
    pub(crate) phase: Option<Phase>,
    pub(crate) phase_bits: u64,
    pub(crate) pick: Pick,
    /// Words right behind a preposition: where it happened, not what.
    pub(crate) placed: u64,
    /// "one", "that".
    pub(crate) stand_ins: u64,
    /// Names of several parts that tools may write otherwise: "back-off", "heap-dump".
    pub(crate) compounds: u64,
    pub(crate) is_line: bool,
    /// Whether it ended, and did not only break off.
    pub(crate) says_ended: bool,
    /// "That run", "the last run": of a container.
    pub(crate) is_run: bool,
    /// "The previous run".
    pub(crate) is_previous: bool,
    pub(crate) of_pod: bool,
    pub(crate) of_alert: bool,
    pub(crate) of_restart: bool,
    pub(crate) of_container: bool,
    /// Stretches that say something else: a length, an instant.
    pub(crate) apart: Vec<Range<usize>>,
    /// Instants that it says it happened at.
    pub(crate) times: Vec<Moment>,
    /// States of affairs, each as a word of its own.
    pub(crate) affairs: Vec<Affair>,
}

/// A state of affairs that a stretch speaks of; it stands for the words of its phrase.
#[derive(Clone, Debug)]
pub(crate) struct Affair {
    /// Its bit among the words.
    pub(crate) bit: u64,
    /// The affairs that it may be.
    pub(crate) affairs: u64,
    /// The terms of its phrase.
    pub(crate) terms: u64,
}

/// The bits of affairs, beyond those of the terms.
const AFFAIR_BITS: [u64; 3] = [1 << 60, 1 << 61, 1 << 63];

/// The affairs within a stretch. "Stopped" alone is a phase, and a word that anything may be called says nothing.
fn affairs_in(reading: &Reading<'_>, span: &Range<usize>, apart: &[Range<usize>]) -> Vec<Affair> {
    let groups = reading.affairs.iter().rev().zip(AFFAIR_BITS);
    let inside = groups.filter(|(group, _)| {
        span.start <= group.span.start
            && group.span.end <= span.end
            && !apart
                .iter()
                .any(|apart| apart.start < group.span.end && group.span.start < apart.end)
    });
    inside
        .filter_map(|(group, bit)| {
            let own = |term: &Term<'_>| !term.span.is_empty() && group.has(&term.span);
            let loose = reading.bits(|term| own(term) && !term.is_strict());
            let phrase = reading.text.get(group.span.clone()).unwrap_or("");
            let is_phase = words(phrase).all(|word| phase_of_word(word.text).is_some());
            (!is_phase).then_some(Affair { bit, affairs: group.affairs, terms: loose })
        })
        .collect()
}

/// Whether the word before a place says where or of whom.
fn follows_preposition(text: &str, at: usize) -> bool {
    let before = words(text.get(..at).unwrap_or("")).last();
    before
        .is_some_and(|word| any(word.text, &["on", "of", "in", "at", "from", "for", "to", "into"]))
}

/// Whether a claim says that something was so, without denial, guess or "all".
pub(crate) fn is_plain(reading: &Reading<'_>) -> bool {
    is_plain_from(reading, 0)
}

/// Whether what a claim says from a place on is so.
pub(crate) fn is_plain_from(reading: &Reading<'_>, own: usize) -> bool {
    const CONTENT: [&str; 8] =
        ["failed", "failing", "fails", "fail", "missing", "absent", "unable", "failure"];
    let mut told = reading.markers.iter().filter(|marker| marker.span.start >= own);
    told.all(|marker| match marker.kind {
        MarkerKind::Negation => {
            let cue = reading.text.get(marker.span.clone()).unwrap_or("");
            // "Not quite five minutes" denies nothing.
            words(cue).next().is_some_and(|word| any(word.text, &CONTENT))
                || lengths(reading.text).iter().any(|length| {
                    length.span.start <= marker.span.start && marker.span.end <= length.span.end
                })
        }
        // "Every 30 seconds" is no quantifier.
        MarkerKind::All => {
            let after = reading.text.get(marker.span.end..).unwrap_or("");
            crate::claim::lengths::lengths(after)
                .first()
                .is_some_and(|length| length.span.start <= 1)
        }
        MarkerKind::Hedge | MarkerKind::None => false,
        MarkerKind::Some | MarkerKind::Cause | MarkerKind::ActionDone => true,
    })
}

/// Reads a stretch of a claim; `apart` are stretches inside it that say something else.
pub(crate) fn asked(case: &Case<'_, '_, '_>, span: Range<usize>, apart: &[Range<usize>]) -> Asked {
    let reading = case.reading;
    let text = reading.text.get(span.clone()).unwrap_or("");
    let own = |term: &Term<'_>| {
        !term.span.is_empty()
            && span.start <= term.span.start
            && term.span.end <= span.end
            && !apart.iter().any(|apart| apart.start < term.span.end && term.span.start < apart.end)
    };
    let bits =
        |accepts: &dyn Fn(&Term<'_>) -> bool| reading.bits(|term| own(term) && accepts(term));
    let light = |term: &Term<'_>| any(term.text, &LEFT_OUT);
    let is_phase = |term: &Term<'_>| phase_of_word(term.text).is_some();
    // An ordinary word tells which of several is meant only where the evidence has it.
    let common = bits(&|term| term.role == Role::Common);
    let shown = bits(&|term| term.role == Role::Common && !light(term) && !is_phase(term))
        & case.marks.anywhere();
    let affairs = affairs_in(reading, &span, apart);
    let covered = affairs.iter().fold(0, |bits, affair| bits | affair.terms);
    let in_affair = |word: &Word<'_>| {
        let start = span.start + word.span.start;
        let terms = reading.bits(|term| term.span.start == start && !term.span.is_empty());
        terms & covered != 0
    };
    let all: Vec<Word<'_>> = words(text).collect();
    let telling: Vec<Word<'_>> = all.iter().filter(|word| !in_affair(word)).cloned().collect();
    let has = |wanted: &[&str]| all.iter().any(|word| any(word.text, wanted));
    let mut asked = Asked {
        strict: bits(&|term| term.is_strict()),
        words: bits(&|term| term.role == Role::Word && !light(term) && !is_phase(term)) | shown,
        light: bits(&|term| is_content(term) && light(term)) | common & !shown,
        kinds: bits(&|term| term.role == Role::Kind && !light(term)),
        demands: bits(&|term| is_demanding(term) && !light(term) && !is_phase(term)),
        phase_bits: bits(&is_phase),
        phase: phase_of(&telling),
        pick: pick_of(&all),
        placed: bits(&|term| follows_preposition(reading.text, term.span.start)),
        stand_ins: bits(&|term| any(term.text, &STAND_INS)),
        compounds: 0,
        is_line: has(&["line", "lines", "entry", "log", "record", "message"]),
        says_ended: has(&["ended", "ends", "end", "stopped", "stops", "ceased"]),
        is_run: has(&["run", "attempt", "life", "container", "crash", "kill"]),
        is_previous: has(&["previous", "prior", "former", "last"]),
        of_pod: has(&["pod", "pods", "pod's"]),
        of_alert: has(&["alert", "alert's", "alarm", "incident"]),
        of_restart: has(&["restart", "restarts", "restarted"]),
        of_container: has(&["container", "containers", "container's"]),
        apart: apart.to_vec(),
        times: Vec::new(),
        span: span.clone(),
        affairs: Vec::new(),
    };
    // "The previous container": no name, though it stands before the sort of a thing.
    let which =
        bits(&|term| matches!(term.role, Role::Name | Role::Word) && any(term.text, &WHICH));
    asked.strict &= !which;
    asked.words &= !which;
    asked.light |= which;
    // A call that "failed with 500": the status says that it failed.
    if bits(&is_failure_status) != 0 {
        let failing = bits(&|term| any(term.text, &FAILING));
        asked.light |= asked.words & failing;
        asked.words &= !failing;
    }
    asked.loosen_names(case);
    asked.light |= (asked.words | asked.demands | asked.phase_bits) & covered;
    asked.words = asked.words & !covered | affairs.iter().fold(0, |bits, affair| bits | affair.bit);
    asked.demands &= !covered;
    asked.phase_bits &= !covered;
    asked.affairs = affairs;
    asked
}

/// A status of HTTP that says that a call failed.
fn is_failure_status(term: &Term<'_>) -> bool {
    term.role == Role::Code(CodeKind::HttpStatus) && term.text.starts_with(['4', '5'])
}

fn is_content(term: &Term<'_>) -> bool {
    use Sense::{Lower, Peak, Raise, Trough};
    matches!(term.role, Role::Word | Role::Demand(Raise | Lower | Peak | Trough))
}

/// Whether a place has to show more than the words of a term: a direction, an extreme.
fn is_demanding(term: &Term<'_>) -> bool {
    let Role::Demand(sense) = term.role else { return false };
    !matches!(sense, Sense::Order | Sense::Extreme | Sense::Compare)
        && !any(term.text, &["only", "just"])
}

/// The phase that the verb of a stretch means.
fn phase_of(all: &[Word<'_>]) -> Option<Phase> {
    let has = |wanted: &str| all.iter().any(|word| word.is(wanted));
    let phase = all.iter().rev().find_map(|word| phase_of_word(word.text));
    let came_up =
        all.windows(2).any(|pair| matches!(pair, [came, up] if came.is("came") && up.is("up")));
    match phase {
        Some(Phase::Start) if has("running") && !has("already") => None,
        None if came_up => Some(Phase::Start),
        other => other,
    }
}

fn pick_of(all: &[Word<'_>]) -> Pick {
    let has = |wanted: &[&str]| all.iter().any(|word| any(word.text, wanted));
    if has(&["first", "earliest", "initial", "initially", "oldest", "any"]) {
        Pick::First
    } else if has(&["last", "latest", "final", "newest", "recent"]) {
        Pick::Last
    } else {
        Pick::All
    }
}

impl Asked {
    /// "CPU alerts", "back-off": no names, unless the evidence has them.
    fn loosen_names(&mut self, case: &Case<'_, '_, '_>) {
        let reading = case.reading;
        let named = reading.bits(|term| {
            term.role == Role::Name && !term.text.bytes().any(|byte| byte.is_ascii_digit())
        });
        let hyphenated = reading.bits(|term| term.text.contains('-'));
        if (named & self.strict) | (hyphenated & self.words) == 0 {
            return;
        }
        let unknown = !case.marks.anywhere();
        let small = reading
            .bits(|term| term.text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
        let before_alert = reading.bits(|term| {
            let after = reading.text.get(term.span.end..).unwrap_or("");
            words(after)
                .next()
                .is_some_and(|word| any(word.text, &["alert", "alerts", "incident", "incidents"]))
        });
        let compounds = self.strict & named & hyphenated & small & unknown;
        self.compounds = compounds | self.words & hyphenated & unknown;
        let loose = compounds | self.strict & named & before_alert;
        self.strict &= !loose;
        self.words |= loose;
    }

    /// Takes over from the other side what an ellipsis leaves out: "after fastapi-app", "than the one on adservice".
    /// Whether it is the run of a container.
    pub(crate) fn is_run(&self) -> bool {
        self.is_run
    }

    /// Every term of it.
    pub(crate) fn all(&self) -> u64 {
        self.strict | self.words | self.kinds | self.demands | self.phase_bits | self.light
    }

    /// Whether it has neither a name nor a word of its own: "the pod was created".
    pub(crate) fn is_unnamed(&self) -> bool {
        self.strict | self.words | self.demands == 0
    }

    /// The words that name the phase in the text of a tool.
    pub(crate) fn phase_words(&self) -> &'static [&'static str] {
        match self.phase {
            Some(Phase::Start) => STARTING.get(1..).unwrap_or_default(),
            Some(Phase::End) => &ENDING,
            Some(Phase::Created) => &CREATING,
            _ => &[],
        }
    }

    /// Forgets in which phase the claim speaks of the thing.
    pub(crate) fn drop_phase(&mut self, case: &Case<'_, '_, '_>) {
        self.phase = None;
        self.light |= self.phase_bits;
        self.phase_bits = 0;
        self.words &= !case.reading.bits(|term| any(term.text, &LASTING));
        self.light |= case.reading.bits(|term| any(term.text, &LASTING));
    }

    /// Takes words for such as tell of any event.
    pub(crate) fn forget(&mut self, case: &Case<'_, '_, '_>, table: &[&str]) {
        let forgotten = (self.words | self.demands | self.phase_bits)
            & case.reading.bits(|term| any(term.text, table));
        self.light |= forgotten;
        self.words &= !forgotten;
        self.demands &= !forgotten;
    }

    /// The same thing in another phase: when it started, when it ended.
    pub(crate) fn in_phase(&self, phase: Phase) -> Self {
        let light = self.light | self.phase_bits;
        Self { phase: Some(phase), phase_bits: 0, light, ..self.clone() }
    }

    pub(crate) fn complete(&mut self, text: &str, other: &Asked) {
        let own = text.get(self.span.clone()).unwrap_or("");
        let stands_for = words(own).any(|word| any(word.text, &STAND_INS));
        let refers =
            words(own).any(|word| any(word.text, &["its", "it", "their", "they", "itself"]));
        let bare = self.words | self.demands | self.light | self.kinds == 0
            && self.phase.is_none()
            && !self.is_any_line();
        if stands_for || bare && self.strict == 0 && !refers {
            self.words |= other.words & !other.placed;
            self.affairs.extend(other.affairs.iter().cloned());
            self.words &= !self.stand_ins;
            self.demands |= other.demands;
            self.light |= other.light;
        }
        if refers
            && self.words | self.strict | self.demands == 0
            && (self.phase.is_none() || self.kinds == 0)
        {
            self.words |= other.words;
            self.affairs.extend(other.affairs.iter().cloned());
        }
        if self.phase.is_none() && (bare || stands_for) {
            self.phase = other.phase;
            self.phase_bits |= other.phase_bits;
        }
        if refers {
            self.strict |= other.strict;
        }
    }

    /// "The first line": of the log that the other side is about.
    pub(crate) fn is_any_line(&self) -> bool {
        self.pick != Pick::All
            && self.strict | self.words | self.kinds | self.demands == 0
            && self.phase.is_none()
            && self.is_line
    }

    /// Whether a term is one that the place has to have.
    pub(crate) fn has(&self, place: usize) -> bool {
        self.all() >> place & 1 == 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.strict | self.words | self.kinds == 0 && self.phase.is_none()
    }
}
