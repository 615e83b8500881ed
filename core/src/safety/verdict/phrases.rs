//! This module reads what the words of a line say about faults, with the reach of their negations. In doubt nothing is
//! said: what is hedged, merely not observed or asked is neither fault nor health. Numbers are not its concern.

use gsar_extraction::text::polarity::MarkerKind;

use super::lexicon::Sense;
use super::statement::Token;

/// Words after a negation that it still reaches.
const REACH: u8 = 6;

/// What a line says, each by how often.
#[derive(Clone, Copy, Debug, Default)]
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

/// Reads the words of a line that nothing else has used.
pub(super) fn read(tokens: &[Token<'_>], asked: bool) -> Said {
    let mut reading = Reading { tokens, said: Said::default(), clause: Clause::default() };
    let mut at = 0;
    while at < tokens.len() {
        at += reading.step(at).max(1);
    }
    if asked {
        reading.withdraw();
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
    /// What follows is only possible, was not observed or has no data.
    hedged: bool,
    /// The negation has denied a fault, so that a list may go on.
    lists: bool,
    /// Faults stated so far.
    faults: u32,
}

struct Reading<'t, 'a> {
    tokens: &'t [Token<'a>],
    said: Said,
    clause: Clause,
}

impl Reading<'_, '_> {
    fn sense(&self, at: usize) -> Option<Sense> {
        self.tokens.get(at).filter(|token| !token.used)?.sense.map(|(sense, _)| sense)
    }

    fn is(&self, at: usize, sense: Sense) -> bool {
        self.sense(at) == Some(sense)
    }

    fn word(&self, at: usize, words: &[&str]) -> bool {
        let is_word =
            |token: &Token<'_>| words.iter().any(|word| word.eq_ignore_ascii_case(token.text));
        self.tokens.get(at).is_some_and(is_word)
    }

    fn gap_has(&self, at: usize, marks: &[char]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.gap_has(marks))
    }

    const fn negated(&self) -> bool {
        self.clause.reach > 0
    }

    /// Ends the statement.
    fn close(&mut self) {
        self.said.faults += self.clause.faults;
        self.clause = Clause::default();
    }

    /// Makes doubts of the faults stated so far.
    fn withdraw(&mut self) {
        self.said.doubts += self.clause.faults;
        self.clause.faults = 0;
    }

    /// Reads on from a word; says how many words it used.
    fn step(&mut self, at: usize) -> usize {
        let Some(token) = self.tokens.get(at) else { return 1 };
        self.separators(at);
        if token.used {
            if token.none {
                self.clause.reach = REACH;
            }
            return 1;
        }
        // A phrase stands before the cue in it: `no space left`.
        let (sense, length) = token.sense.unzip();
        let length = length.unwrap_or(1);
        if let Some((kind, words)) = token.cue
            && !(sense == Some(Sense::Fault) && length > words)
        {
            return self.cue(at, kind, words);
        }
        match sense {
            None | Some(Sense::Aux | Sense::Neutral | Sense::Name) => {
                self.clause.reach = self.clause.reach.saturating_sub(u8::from(sense.is_none()));
            }
            Some(Sense::Contrast) => self.close(),
            Some(Sense::Doubt) => {
                // `timeouts are expected`
                if at > 0 && self.is(at - 1, Sense::Aux) {
                    self.withdraw();
                }
                self.clause.hedged = true;
            }
            Some(Sense::Fault) => return self.fault_word(at, length),
            Some(Sense::Concern) if self.negated() => self.fault(),
            Some(Sense::Concern | Sense::Absent) => self.said.doubts += 1,
            // `Pause Young (Normal)`
            Some(Sense::Fine) if token.gap.ends_with('(') && self.gap_has(at + 1, &[')']) => {}
            Some(Sense::Fine) => self.health(|said| &mut said.fine),
            Some(Sense::Works) if self.negated() => self.denied_health(),
            // `to recover` is an intent.
            Some(Sense::Recovery) if !self.negated() && at > 0 && self.word(at - 1, &["to"]) => {}
            Some(Sense::Recovery) => self.health(|said| &mut said.recovered),
            Some(Sense::Stop) => return self.stop(at),
            Some(Sense::Observe) if self.negated() => self.withdraw(),
            Some(Sense::NothingFound) if self.negated() => {
                self.clause.hedged = true;
                self.said.doubts += 1;
            }
            Some(Sense::Intent) if self.is(at + 1, Sense::Fault) => {
                self.said.doubts += 1;
                return 2;
            }
            Some(Sense::RuledOut) => {
                if self.clause.faults == 0 {
                    self.clause.reach = REACH;
                }
                self.said.cleared += self.clause.faults;
                self.clause.faults = 0;
            }
            Some(_) => {}
        }
        length
    }

    /// What stands before a word ends statements, or the reach of a negation.
    fn separators(&mut self, at: usize) {
        if self.gap_has(at, &['?']) {
            self.withdraw();
        }
        let Some(token) = self.tokens.get(at) else { return };
        let stop = token.gap.ends_with(['.', '!', '?']) || token.gap.contains(". ");
        if stop || token.gap_has(&[';', '|', '(', ')', '?']) {
            self.close();
        } else if (token.gap_has(&[',']) || self.word(at, &["and"])) && !self.continues(at) {
            self.clause.reach = 0;
            self.said.faults += core::mem::take(&mut self.clause.faults);
        }
    }

    /// Whether a list goes on: `no errors, timeouts or restarts`.
    fn continues(&self, at: usize) -> bool {
        let next = at + usize::from(self.word(at, &["and", "or", "nor"]));
        let after_none = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        if self.negated() && !self.clause.lists && !after_none.is_some_and(|token| token.used) {
            return false;
        }
        let listed = [Sense::Fault, Sense::Concern, Sense::Fine, Sense::Works];
        self.sense(next).is_some_and(|sense| listed.contains(&sense))
    }

    /// A negation or hedge.
    fn cue(&mut self, at: usize, kind: MarkerKind, words: usize) -> usize {
        if kind == MarkerKind::Hedge {
            self.clause.hedged = true;
            return words;
        }
        let next = at + words;
        let after_could = at > 0 && self.word(at - 1, &["could", "can"]);
        let able = self.word(next, &["able"]) && self.word(next + 1, &["to"]);
        if able || after_could {
            return words + self.inability(next + 2 * usize::from(able), false);
        }
        if self.word(at, &["failed", "fails", "failing"]) {
            return words + self.inability(next, true);
        }
        if self
            .word(at, &["unable", "cannot", "can't", "can\u{2019}t", "couldn't", "couldn\u{2019}t"])
        {
            return words + self.inability(next, false);
        }
        let longer = words > 1 && self.word(at + 1, &["longer"]);
        let more = self.word(next, &["more"]);
        if longer || more {
            let used = words + usize::from(more);
            let ends = self.tokens.get(at + used).is_none_or(|token| !token.gap.trim().is_empty());
            // `the error no longer occurs`, `failing no more`
            if self.clause.faults > 0 && (ends || self.is(at + used, Sense::Observe)) {
                self.said.recovered += core::mem::take(&mut self.clause.faults);
                return used + 1;
            }
            self.clause.ended = true;
            self.clause.reach = REACH;
            return used;
        }
        // A second negation turns it back; `neither … nor` does not.
        let again = self.negated() && !self.word(at, &["nor"]);
        self.clause.reach = if again { 0 } else { REACH };
        words
    }

    /// Not being able to do what the verb at `at` says; returns how many words the verb takes.
    fn inability(&mut self, at: usize, attempted: bool) -> usize {
        let passive = usize::from(self.is(at, Sense::Aux));
        match self.sense(at + passive) {
            Some(Sense::Observe) => {
                self.said.doubts += 1;
                self.withdraw();
                self.clause.hedged = true;
            }
            // What cannot fail states no fault.
            Some(Sense::Fault) if !attempted => self.said.doubts += 1,
            _ => self.fault(),
        }
        self.clause.reach = 0;
        passive + 1
    }

    /// A word for a fault: a fault, its absence, or a part of another name.
    fn fault_word(&mut self, at: usize, length: usize) -> usize {
        let next = at + length;
        // `errors dropped`, `errors are down`: fewer faults are neither faults nor none.
        let falls =
            self.tokens.get(at).is_some_and(|token| matches!(token.text, "dropped" | "down"));
        let back = if at > 1 && self.is(at - 1, Sense::Aux) { 2 } else { 1 };
        let subject = at.checked_sub(back).is_some_and(|at| self.is(at, Sense::Fault));
        if falls && subject && self.clause.faults > 0 {
            self.withdraw();
            return length;
        }
        if self.is(next, Sense::Name) && !self.gap_has(next, &[':', '=']) {
            return length + 1;
        }
        if self.gap_has(next, &[':', '=']) {
            match self.sense(next) {
                Some(Sense::None) => {
                    self.said.cleared += 1;
                    return length + 1;
                }
                Some(Sense::Absent) => {
                    self.said.doubts += 1;
                    return length + 1;
                }
                _ => {}
            }
        }
        self.fault();
        length
    }

    fn fault(&mut self) {
        if self.clause.hedged {
            self.said.doubts += 1;
        } else if self.negated() && self.clause.ended {
            self.said.recovered += 1;
        } else if self.negated() {
            self.said.cleared += 1;
            self.clause.lists = true;
        } else {
            self.clause.faults += 1;
        }
    }

    /// Health, or the end of a fault, unless it is denied.
    fn health(&mut self, count: fn(&mut Said) -> &mut u32) {
        if self.negated() {
            self.denied_health();
        } else if self.clause.hedged {
            self.said.doubts += 1;
        } else {
            *count(&mut self.said) += 1;
        }
    }

    fn denied_health(&mut self) {
        self.clause.reach = 0;
        if self.clause.hedged {
            self.said.doubts += 1;
        } else {
            self.clause.faults += 1;
        }
    }

    /// Something ends: a fault before or after the word, or the work of what worked.
    fn stop(&mut self, at: usize) -> usize {
        match self.sense(at + 1) {
            Some(Sense::Works) => {
                self.fault();
                2
            }
            Some(Sense::Fault) if self.negated() => {
                self.clause.reach = 0;
                1
            }
            Some(Sense::Fault) => {
                self.said.recovered += 1;
                2
            }
            _ => {
                self.said.recovered += u32::from(self.clause.faults > 0 && !self.negated());
                1
            }
        }
    }
}
