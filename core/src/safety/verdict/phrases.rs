//! Counts the statements about faults in a line, taking negations and hedges into account.

use gsar_extraction::text::polarity::MarkerKind;

use super::lexicon::Sense;
use super::statement::Token;

/// The number of words that a negation affects.
const REACH: u8 = 6;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StatementCounts {
    pub(super) faults: u32,
    /// The faults that are reported to be absent.
    pub(super) cleared: u32,
    /// The faults that are reported to be over.
    pub(super) recovered: u32,
    pub(super) fine: u32,
    /// The statements that are hedged or not based on observations.
    pub(super) doubts: u32,
}

pub(super) fn count_statements(tokens: &[Token<'_>], is_question: bool) -> StatementCounts {
    let mut reader =
        ClauseReader { tokens, counts: StatementCounts::default(), clause: Clause::default() };
    let mut index = 0;
    while index < tokens.len() {
        index += reader.read_words(index).max(1);
    }
    if is_question {
        reader.doubt_faults();
    }
    reader.close_clause();
    reader.counts
}

#[derive(Clone, Copy, Debug, Default)]
struct Clause {
    /// The number of words still affected by the negation.
    reach: u8,
    /// `true` if the negation is *no longer*.
    is_ended: bool,
    /// `true` if the following words are hedged, not based on observations, or state that there is no data.
    is_hedged: bool,
    /// `true` if the negation denied a fault, so that a list can continue.
    has_denied_fault: bool,
    /// The number of faults so far.
    faults: u32,
}

struct ClauseReader<'t, 'a> {
    tokens: &'t [Token<'a>],
    counts: StatementCounts,
    clause: Clause,
}

impl ClauseReader<'_, '_> {
    fn sense(&self, index: usize) -> Option<Sense> {
        self.tokens.get(index).filter(|token| !token.is_used)?.sense.map(|(sense, _)| sense)
    }

    fn has_sense(&self, index: usize, sense: Sense) -> bool {
        self.sense(index) == Some(sense)
    }

    fn is_word(&self, index: usize, words: &[&str]) -> bool {
        let is_word =
            |token: &Token<'_>| words.iter().any(|word| word.eq_ignore_ascii_case(token.text));
        self.tokens.get(index).is_some_and(is_word)
    }

    fn gap_has(&self, index: usize, marks: &[char]) -> bool {
        self.tokens.get(index).is_some_and(|token| token.gap_has(marks))
    }

    const fn is_negated(&self) -> bool {
        self.clause.reach > 0
    }

    fn close_clause(&mut self) {
        self.counts.faults += self.clause.faults;
        self.clause = Clause::default();
    }

    fn doubt_faults(&mut self) {
        self.counts.doubts += self.clause.faults;
        self.clause.faults = 0;
    }

    /// Reads the next words. Returns the number of words read.
    fn read_words(&mut self, index: usize) -> usize {
        let Some(token) = self.tokens.get(index) else { return 1 };
        self.read_separator(index);
        if token.is_used {
            if token.negates {
                self.clause.reach = REACH;
            }
            return 1;
        }
        // A phrase takes precedence over a cue that it contains (`no space left`).
        let (sense, length) = token.sense.unzip();
        let length = length.unwrap_or(1);
        if let Some((kind, words)) = token.cue
            && !(sense == Some(Sense::Fault) && length > words)
        {
            return self.read_cue(index, kind, words);
        }
        match sense {
            None | Some(Sense::Aux | Sense::Neutral | Sense::Name) => {
                self.clause.reach = self.clause.reach.saturating_sub(u8::from(sense.is_none()));
            }
            Some(Sense::Contrast) => self.close_clause(),
            Some(Sense::Doubt) => {
                // Such as `timeouts are expected`.
                if index > 0 && self.has_sense(index - 1, Sense::Aux) {
                    self.doubt_faults();
                }
                self.clause.is_hedged = true;
            }
            Some(Sense::Fault) => return self.read_fault(index, length),
            Some(Sense::Concern) if self.is_negated() => self.add_fault(),
            Some(Sense::Concern | Sense::Absent) => self.counts.doubts += 1,
            // Such as `Pause Young (Normal)`.
            Some(Sense::Fine) if token.gap.ends_with('(') && self.gap_has(index + 1, &[')']) => {}
            Some(Sense::Fine) => self.add_health(|counts| &mut counts.fine),
            Some(Sense::Works) if self.is_negated() => self.add_denied_health(),
            // `to recover` is an intention.
            Some(Sense::Recovery)
                if !self.is_negated() && index > 0 && self.is_word(index - 1, &["to"]) => {}
            Some(Sense::Recovery) => self.add_health(|counts| &mut counts.recovered),
            Some(Sense::Stop) => return self.read_stop(index),
            Some(Sense::Observe) if self.is_negated() => self.doubt_faults(),
            Some(Sense::NothingFound) if self.is_negated() => {
                self.clause.is_hedged = true;
                self.counts.doubts += 1;
            }
            Some(Sense::Intent) if self.has_sense(index + 1, Sense::Fault) => {
                self.counts.doubts += 1;
                return 2;
            }
            Some(Sense::RuledOut) => {
                if self.clause.faults == 0 {
                    self.clause.reach = REACH;
                }
                self.counts.cleared += self.clause.faults;
                self.clause.faults = 0;
            }
            Some(_) => {}
        }
        length
    }

    fn read_separator(&mut self, index: usize) {
        if self.gap_has(index, &['?']) {
            self.doubt_faults();
        }
        let Some(token) = self.tokens.get(index) else { return };
        let ends_sentence = token.gap.ends_with(['.', '!', '?']) || token.gap.contains(". ");
        if ends_sentence || token.gap_has(&[';', '|', '(', ')', '?']) {
            self.close_clause();
        } else if (token.gap_has(&[',']) || self.is_word(index, &["and"]))
            && !self.list_continues(index)
        {
            self.clause.reach = 0;
            self.counts.faults += core::mem::take(&mut self.clause.faults);
        }
    }

    /// Returns `true` if a list continues (`no errors, timeouts or restarts`).
    fn list_continues(&self, index: usize) -> bool {
        let next = index + usize::from(self.is_word(index, &["and", "or", "nor"]));
        let previous = index.checked_sub(1).and_then(|index| self.tokens.get(index));
        if self.is_negated()
            && !self.clause.has_denied_fault
            && !previous.is_some_and(|token| token.is_used)
        {
            return false;
        }
        let listable_senses = [Sense::Fault, Sense::Concern, Sense::Fine, Sense::Works];
        self.sense(next).is_some_and(|sense| listable_senses.contains(&sense))
    }

    fn read_cue(&mut self, index: usize, kind: MarkerKind, words: usize) -> usize {
        if kind == MarkerKind::Hedge {
            self.clause.is_hedged = true;
            return words;
        }
        let next = index + words;
        let follows_could = index > 0 && self.is_word(index - 1, &["could", "can"]);
        let has_able_to = self.is_word(next, &["able"]) && self.is_word(next + 1, &["to"]);
        if has_able_to || follows_could {
            return words + self.read_inability(next + 2 * usize::from(has_able_to), false);
        }
        if self.is_word(index, &["failed", "fails", "failing"]) {
            return words + self.read_inability(next, true);
        }
        if self.is_word(
            index,
            &["unable", "cannot", "can't", "can\u{2019}t", "couldn't", "couldn\u{2019}t"],
        ) {
            return words + self.read_inability(next, false);
        }
        let has_longer = words > 1 && self.is_word(index + 1, &["longer"]);
        let has_more = self.is_word(next, &["more"]);
        if has_longer || has_more {
            let length = words + usize::from(has_more);
            let ends_clause =
                self.tokens.get(index + length).is_none_or(|token| !token.gap.trim().is_empty());
            // Such as `the error no longer occurs` or `failing no more`.
            if self.clause.faults > 0
                && (ends_clause || self.has_sense(index + length, Sense::Observe))
            {
                self.counts.recovered += core::mem::take(&mut self.clause.faults);
                return length + 1;
            }
            self.clause.is_ended = true;
            self.clause.reach = REACH;
            return length;
        }
        // A second negation cancels the first, except in `neither … nor`.
        let is_double = self.is_negated() && !self.is_word(index, &["nor"]);
        self.clause.reach = if is_double { 0 } else { REACH };
        words
    }

    /// Reads the verb that something was unable to do. Returns the number of words read.
    fn read_inability(&mut self, index: usize, is_failed_attempt: bool) -> usize {
        let aux_count = usize::from(self.has_sense(index, Sense::Aux));
        match self.sense(index + aux_count) {
            Some(Sense::Observe) => {
                self.counts.doubts += 1;
                self.doubt_faults();
                self.clause.is_hedged = true;
            }
            // A statement that something cannot fail does not state a fault.
            Some(Sense::Fault) if !is_failed_attempt => self.counts.doubts += 1,
            _ => self.add_fault(),
        }
        self.clause.reach = 0;
        aux_count + 1
    }

    fn read_fault(&mut self, index: usize, length: usize) -> usize {
        let next = index + length;
        // A decrease (`errors dropped`, `errors are down`) is neither a fault nor its absence.
        let is_decrease =
            self.tokens.get(index).is_some_and(|token| matches!(token.text, "dropped" | "down"));
        let subject_distance =
            if index > 1 && self.has_sense(index - 1, Sense::Aux) { 2 } else { 1 };
        let has_fault_subject = index
            .checked_sub(subject_distance)
            .is_some_and(|index| self.has_sense(index, Sense::Fault));
        if is_decrease && has_fault_subject && self.clause.faults > 0 {
            self.doubt_faults();
            return length;
        }
        if self.has_sense(next, Sense::Name) && !self.gap_has(next, &[':', '=']) {
            return length + 1;
        }
        if self.gap_has(next, &[':', '=']) {
            match self.sense(next) {
                Some(Sense::None) => {
                    self.counts.cleared += 1;
                    return length + 1;
                }
                Some(Sense::Absent) => {
                    self.counts.doubts += 1;
                    return length + 1;
                }
                _ => {}
            }
        }
        self.add_fault();
        length
    }

    fn add_fault(&mut self) {
        if self.clause.is_hedged {
            self.counts.doubts += 1;
        } else if self.is_negated() && self.clause.is_ended {
            self.counts.recovered += 1;
        } else if self.is_negated() {
            self.counts.cleared += 1;
            self.clause.has_denied_fault = true;
        } else {
            self.clause.faults += 1;
        }
    }

    fn add_health(&mut self, count: fn(&mut StatementCounts) -> &mut u32) {
        if self.is_negated() {
            self.add_denied_health();
        } else if self.clause.is_hedged {
            self.counts.doubts += 1;
        } else {
            *count(&mut self.counts) += 1;
        }
    }

    fn add_denied_health(&mut self) {
        self.clause.reach = 0;
        if self.clause.is_hedged {
            self.counts.doubts += 1;
        } else {
            self.clause.faults += 1;
        }
    }

    fn read_stop(&mut self, index: usize) -> usize {
        match self.sense(index + 1) {
            Some(Sense::Works) => {
                self.add_fault();
                2
            }
            Some(Sense::Fault) if self.is_negated() => {
                self.clause.reach = 0;
                1
            }
            Some(Sense::Fault) => {
                self.counts.recovered += 1;
                2
            }
            _ => {
                self.counts.recovered += u32::from(self.clause.faults > 0 && !self.is_negated());
                1
            }
        }
    }
}
