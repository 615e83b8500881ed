//! What a line of free text says about faults, with the reach of its negations.
//!
//! In doubt nothing is said: what is hedged, merely not observed or asked is neither fault nor health.

use super::lexicon::Sense;
use super::tokens::{Kind, Token};

/// Words after a negation that it still reaches.
const REACH: u8 = 6;

/// What a line says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Faults stated.
    pub(super) faults: u32,
    /// Faults stated to be absent.
    pub(super) cleared: u32,
    /// Faults stated to be over.
    pub(super) recovered: u32,
    /// States of health.
    pub(super) fine: u32,
    /// What is hedged, not observed or without a value.
    pub(super) doubts: u32,
}

/// Phrases that state a fault although none of their words does.
const FAULT_PHRASES: &[&[&str]] = &[
    &["connection", "reset"],
    &["no", "endpoints"],
    &["no", "route", "to", "host"],
    &["no", "space", "left"],
    &["no", "such", "host"],
    &["out", "of", "disk"],
    &["out", "of", "memory"],
    &["out", "of", "space"],
    &["time", "out"],
    &["times", "out"],
    &["timing", "out"],
];

/// Reads the words of a line that nothing else has used.
pub(super) fn read(tokens: &[Token<'_>]) -> Said {
    let mut reading = Reading { tokens, said: Said::default(), clause: Clause::default() };
    let mut at = 0;
    while at < tokens.len() {
        at += reading.step(at).max(1);
    }
    reading.close();
    reading.said
}

/// The statement being read.
#[derive(Clone, Copy, Debug, Default)]
struct Clause {
    /// Words that the negation still reaches; 0 for none.
    reach: u8,
    /// The negation says *no longer*.
    ended: bool,
    /// What follows was not observed.
    unobserved: bool,
    /// What follows is only possible.
    hedged: bool,
    /// What follows has no data.
    without_data: bool,
    /// Faults stated so far.
    faults: u32,
}

struct Reading<'a, 'b> {
    tokens: &'a [Token<'b>],
    said: Said,
    clause: Clause,
}

impl Reading<'_, '_> {
    fn sense(&self, at: usize) -> Option<Sense> {
        self.tokens.get(at)?.sense()
    }

    fn is(&self, at: usize, sense: Sense) -> bool {
        self.sense(at) == Some(sense)
    }

    fn mark(&self, at: usize, marks: &[char]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_mark(marks))
    }

    const fn negated(&self) -> bool {
        self.clause.reach > 0
    }

    /// Ends the statement.
    fn close(&mut self) {
        self.said.faults += self.clause.faults;
        self.clause = Clause::default();
    }

    /// Reads on from a token; says how many tokens it used.
    fn step(&mut self, at: usize) -> usize {
        let Some(token) = self.tokens.get(at) else { return 1 };
        if token.masked {
            return 1;
        }
        if let Kind::Mark(mark) = token.kind {
            self.separator(mark, at);
            return 1;
        }
        if let Some(length) = self.phrase(at) {
            self.fault();
            return length;
        }
        let Some(sense) = token.sense() else {
            self.clause.reach = self.clause.reach.saturating_sub(1);
            return 1;
        };
        match sense {
            Sense::Contrast => self.close(),
            Sense::Hedge => self.clause.hedged = true,
            Sense::Negator => return self.negator(at),
            Sense::Nor => self.clause.reach = REACH,
            // `errors dropped to zero`
            Sense::Nothing if at > 0 && self.is(at - 1, Sense::To) => self.said.recovered += 1,
            Sense::Nothing => self.clause.reach = REACH,
            Sense::Lack if self.is(at + 1, Sense::Of) => {
                self.negate();
                return 2;
            }
            Sense::And if !self.continues(at + 1) => self.clause.reach = 0,
            Sense::Fails | Sense::Unable if self.is(at + 1, Sense::To) => {
                return 2 + self.inability(at + 2, sense == Sense::Fails);
            }
            Sense::Cannot => return 1 + self.inability(at + 1, false),
            Sense::Could if self.is(at + 1, Sense::Negator) => {
                return 2 + self.inability(at + 2, false);
            }
            Sense::Fails if self.is(at + 1, Sense::Over) => return 2,
            Sense::Fails | Sense::Fault => return self.fault_word(at),
            Sense::Timed if self.is(at + 1, Sense::Out) => {
                self.fault();
                return 2;
            }
            Sense::Ruled if self.is(at + 1, Sense::Out) => {
                if self.clause.faults == 0 {
                    self.clause.reach = REACH;
                }
                self.said.cleared += self.clause.faults;
                self.clause.faults = 0;
                return 2;
            }
            Sense::On if matches!(self.sense(at + 1), Some(Sense::Fault | Sense::Fails)) => {
                self.said.doubts += 1;
                return 2;
            }
            Sense::Back if self.is(at + 1, Sense::To) && self.is(at + 2, Sense::Fine) => {
                self.recovery();
                return 3;
            }
            Sense::Fine => self.fine(),
            Sense::Concern if self.negated() => self.fault(),
            Sense::Concern => self.said.doubts += 1,
            Sense::Function if self.negated() => self.fault_despite_negation(),
            Sense::Recovery => {
                // `to recover` is an intent.
                if self.negated() || !(at > 0 && self.is(at - 1, Sense::To)) {
                    self.recovery();
                }
            }
            Sense::Stop => return self.stop(at),
            Sense::NoData if self.negated() => {
                self.clause.without_data = true;
                self.clause.reach = 0;
                self.said.doubts += 1;
            }
            _ => self.clause.reach = self.clause.reach.saturating_sub(1),
        }
        1
    }

    fn separator(&mut self, mark: char, at: usize) {
        match mark {
            '.' | ';' | '!' | '|' | '(' | ')' => self.close(),
            '?' => {
                self.said.doubts += self.clause.faults;
                self.clause.faults = 0;
                self.close();
            }
            ',' if !self.continues(at + 1) => self.clause.reach = 0,
            _ => {}
        }
    }

    /// Whether a list goes on: `no errors, timeouts or restarts`.
    fn continues(&self, at: usize) -> bool {
        let next = match self.sense(at) {
            Some(Sense::Or | Sense::And | Sense::Nor) => self.sense(at + 1),
            sense => sense,
        };
        matches!(
            next,
            Some(Sense::Fault | Sense::Concern | Sense::Fails | Sense::Fine | Sense::Function)
        )
    }

    fn phrase(&self, at: usize) -> Option<usize> {
        let is_at = |index: usize, word: &str| {
            self.tokens.get(index).is_some_and(|token| token.text.eq_ignore_ascii_case(word))
        };
        let found = FAULT_PHRASES.iter().find(|phrase| {
            phrase.iter().enumerate().all(|(offset, word)| is_at(at + offset, word))
        })?;
        Some(found.len())
    }

    /// Turns what follows around; a second negation turns it back.
    fn negate(&mut self) {
        self.clause.reach = if self.negated() { 0 } else { REACH };
    }

    fn negator(&mut self, at: usize) -> usize {
        if self.is(at + 1, Sense::Only) {
            return 2;
        }
        if self.is(at + 1, Sense::Longer) {
            // `the error no longer occurs`, `failing no more`
            if self.clause.faults > 0 && (self.ends(at + 2) || self.is(at + 2, Sense::Observe)) {
                self.said.recovered += self.clause.faults;
                self.clause.faults = 0;
                return 3;
            }
            self.clause.reach = REACH;
            self.clause.ended = true;
            return 2;
        }
        // `not able to recover`
        if self.is(at + 1, Sense::Could) && self.is(at + 2, Sense::To) {
            return 3 + self.inability(at + 3, false);
        }
        // `errors were not observed`
        let contraction = self
            .tokens
            .get(at)
            .is_some_and(|token| token.text.ends_with(['t', 'T']) && token.text.len() > 3);
        let never =
            self.tokens.get(at).is_some_and(|token| token.text.eq_ignore_ascii_case("never"));
        let auxiliary = never || contraction || (at > 0 && self.is(at - 1, Sense::Aux));
        let observed = (at + 1..at + 3).find(|next| self.is(*next, Sense::Observe));
        if let (true, true, Some(observed)) = (auxiliary, self.clause.faults > 0, observed) {
            self.said.doubts += self.clause.faults;
            self.clause.faults = 0;
            return observed + 1 - at;
        }
        self.negate();
        1
    }

    /// Not being able to do what the verb at `at` says; returns how many tokens the verb takes.
    fn inability(&mut self, at: usize, attempted: bool) -> usize {
        let passive = usize::from(self.is(at, Sense::Aux));
        let verb = at + passive;
        let over = usize::from(self.is(verb, Sense::Fails) && self.is(verb + 1, Sense::Over));
        match self.sense(verb) {
            Some(Sense::Observe) => {
                self.said.doubts += 1 + self.clause.faults;
                self.clause.faults = 0;
                self.clause.unobserved = true;
            }
            // What cannot fail states no fault.
            Some(Sense::Fault | Sense::Fails) if !attempted && over == 0 => self.said.doubts += 1,
            _ => self.fault(),
        }
        self.clause.reach = 0;
        passive + 1 + over
    }

    /// A word for a fault: a fault, its absence, or a part of another name.
    fn fault_word(&mut self, at: usize) -> usize {
        // `errors dropped`, `errors are down`: fewer faults are neither faults nor none.
        let falls =
            self.tokens.get(at).is_some_and(|token| matches!(token.text, "dropped" | "down"));
        let subject =
            if at > 1 && self.is(at - 1, Sense::Aux) { at - 2 } else { at.saturating_sub(1) };
        if falls && self.clause.faults > 0 && self.is(subject, Sense::Fault) {
            self.said.doubts += self.clause.faults;
            self.clause.faults = 0;
            return 1;
        }
        if self.is(at + 1, Sense::Compound)
            || self.is(at + 1, Sense::Lack) && !self.is(at + 2, Sense::Of)
        {
            return 2;
        }
        let close = at + 1 + usize::from(self.mark(at + 1, &['"', '\'']));
        if self.mark(close, &[':', '=']) {
            let quoted = usize::from(self.mark(close + 1, &['"', '\'', '<']));
            let value = close + 1 + quoted;
            match self.sense(value) {
                Some(Sense::Nothing) => {
                    self.said.cleared += 1;
                    return value + 1 - at;
                }
                Some(Sense::Absent) => {
                    self.said.doubts += 1;
                    return value + 1 - at;
                }
                Some(Sense::Negator) if self.ends(value + 1) => {
                    self.said.cleared += 1;
                    return value + 1 - at;
                }
                _ => {}
            }
        }
        self.fault();
        1
    }

    /// Whether a statement ends at a token.
    fn ends(&self, at: usize) -> bool {
        match self.tokens.get(at) {
            None => true,
            Some(token) => matches!(token.kind, Kind::Mark(_)),
        }
    }

    fn fault(&mut self) {
        if self.clause.hedged || self.clause.unobserved || self.clause.without_data {
            self.said.doubts += 1;
        } else if self.negated() && self.clause.ended {
            self.said.recovered += 1;
        } else if self.negated() {
            self.said.cleared += 1;
        } else {
            self.clause.faults += 1;
        }
    }

    /// Health that is not there.
    fn fault_despite_negation(&mut self) {
        self.clause.reach = 0;
        if self.clause.hedged {
            self.said.doubts += 1;
        } else {
            self.clause.faults += 1;
        }
    }

    fn fine(&mut self) {
        if self.clause.hedged || self.clause.without_data {
            self.said.doubts += 1;
        } else if self.negated() {
            self.fault_despite_negation();
        } else {
            self.said.fine += 1;
        }
    }

    fn recovery(&mut self) {
        if self.clause.hedged {
            self.said.doubts += 1;
        } else if self.negated() {
            self.fault_despite_negation();
        } else {
            self.said.recovered += 1;
        }
    }

    /// Something ends: a fault before or after the word, or the work of what worked.
    fn stop(&mut self, at: usize) -> usize {
        if self.is(at + 1, Sense::Function) {
            self.fault();
            return 2;
        }
        if matches!(self.sense(at + 1), Some(Sense::Fault | Sense::Fails)) {
            if self.negated() {
                self.clause.reach = 0;
                return 1;
            }
            self.said.recovered += 1;
            return 2;
        }
        if self.clause.faults > 0 && !self.negated() {
            self.said.recovered += 1;
        }
        1
    }
}
