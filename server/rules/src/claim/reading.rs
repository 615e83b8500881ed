//! What a claim says, in the terms that evidence is searched for.
//!
//! A claim is read once: its terms (names, codes, content words), its figures and times, its cues of
//! polarity and modality, and the words that tell what sort of statement it is. Words that evidence cannot
//! show are left out.

use std::ops::Range;
use std::sync::LazyLock;

use gsar_core::text::figures::{
    Agreement, CodeKind, Comparator, Dimension, Figure, Figures, Unit, agree, figures,
};
use gsar_core::text::polarity::{Marker, MarkerKind, markers};
use gsar_core::text::tokens::{Shape, Word, is_stop_word, words};

use crate::claim::discourse::is_sort;
use crate::evidence::observations::Corpus;
use crate::rules::attributes::{is_light, is_state};
use crate::vocabulary::affairs::{Group, groups};
use crate::vocabulary::common::is_common;
use crate::vocabulary::lexicon::{MISHAPS, Sense, known, shown_as};
use crate::vocabulary::polarity::{denies_by_word, fails, is_adverse};
use crate::vocabulary::thesaurus::said_in;
use crate::vocabulary::words::{Key, exact, key, parts, soft};

static MISHAP_KEYS: LazyLock<Vec<Key>> =
    LazyLock::new(|| MISHAPS.iter().map(|word| key(word)).collect());

/// The most terms of a claim: one bit each.
pub(crate) const MOST_TERMS: usize = 60;

/// What a term is to the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A name that the evidence knows.
    Entity,
    /// A name that the evidence has to show as it is written.
    Name,
    /// A number or version that names something.
    Code(CodeKind),
    /// A content word.
    Word,
    /// The sort of a thing, which tools often leave out.
    Kind,
    /// An ordinary word, which evidence need not show.
    Common,
    /// A word that demands more than the other words: an order, an extreme, a trend.
    Demand(Sense),
}

/// Something that the evidence has to show.
#[derive(Clone, Debug)]
pub(crate) struct Term<'c> {
    /// As the claim writes it.
    pub(crate) text: &'c str,
    /// Where, in the claim; empty for a term taken over from the claim before.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) role: Role,
    /// Under which keys the evidence may have it.
    pub(crate) keys: Vec<Key>,
    /// Whether a negation reaches it.
    pub(crate) negated: bool,
    /// Whether it names what should not happen: restarts, errors.
    pub(crate) is_mishap: bool,
}

impl Term<'_> {
    /// How much it counts, in quarters of a word.
    pub(crate) fn weight(&self) -> u32 {
        match self.role {
            Role::Entity | Role::Name | Role::Code(_) => 8,
            Role::Word => 4,
            Role::Kind | Role::Common => 1,
            Role::Demand(_) => 0,
        }
    }

    /// Whether a claim is not borne out without it.
    pub(crate) fn is_strict(&self) -> bool {
        matches!(self.role, Role::Entity | Role::Name | Role::Code(_))
    }
}

/// A claim as the rules read it.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'c> {
    /// The claim.
    pub(crate) text: &'c str,
    /// What the evidence has to show.
    pub(crate) terms: Vec<Term<'c>>,
    /// Its numbers.
    pub(crate) figures: Figures,
    /// Its cues of polarity and modality.
    pub(crate) markers: Vec<Marker>,
    /// Its words that tell the sort of statement, with their places.
    pub(crate) senses: Vec<(Sense, Range<usize>)>,
    /// Its words in quotation marks.
    pub(crate) quotations: Vec<Range<usize>>,
    /// Whether it denies something, by any word.
    pub(crate) denies: bool,
    /// Whether it speaks of something that did not succeed.
    pub(crate) fails: bool,
    /// Whether it holds a word of English at all.
    pub(crate) is_english: bool,
    /// The clause that it continues: the nearest before it that names something.
    pub(crate) before: Option<&'c str>,
    /// Whether it tells what the alert says: other evidence says nothing to that.
    pub(crate) is_from_alert: bool,
    /// Its states of affairs.
    pub(crate) affairs: Vec<Group>,
    /// Where the claim itself begins, when it was put behind the one that it continues; else 0.
    pub(crate) own: usize,
    /// What tools write for its words and phrases, whether or not the evidence has them.
    pub(crate) otherwise: Vec<Key>,
}

impl<'c> Reading<'c> {
    /// Reads a claim; names are what the evidence calls so.
    pub(crate) fn of(text: &'c str, corpus: &Corpus<'_>) -> Self {
        let mut reading = Reading {
            text,
            terms: Vec::with_capacity(16),
            figures: meant(text, figures(text)),
            markers: markers(text),
            senses: Vec::new(),
            quotations: quotations(text),
            denies: denies_by_word(text),
            fails: fails(text) || is_adverse(text),
            is_english: false,
            before: None,
            is_from_alert: is_from_alert(text),
            affairs: groups(text),
            own: 0,
            otherwise: Vec::new(),
        };
        // "The missing Service would have port 80" does not say that something is missing.
        reading.markers.retain(|marker| {
            let before = words(text.get(..marker.span.start).unwrap_or("")).last();
            let is_attribute = marker.kind == MarkerKind::Negation
                && text
                    .get(marker.span.clone())
                    .is_some_and(|cue| cue == "missing" || cue == "absent");
            !(is_attribute && before.is_some_and(|word| word.is("the")))
        });
        reading.denies |= reading.has(MarkerKind::Negation);
        let mut rest = words(text).peekable();
        while let Some(word) = rest.next() {
            reading.word(&word, rest.peek(), corpus);
        }
        reading.say_otherwise();
        reading.is_english |= words(text).any(|word| is_light(word.text));
        // "Two alarms concern search": a number in words is English.
        reading.is_english |= reading.figures.figures.iter().any(|figure| {
            text.get(figure.span.clone())
                .is_some_and(|written| written.bytes().all(|byte| byte.is_ascii_alphabetic()))
        });
        reading
    }

    /// Adds what tools write for the words and phrases of the claim. A phrase is one term: that of its first word which
    /// is one.
    fn say_otherwise(&mut self) {
        let all: Vec<(Key, Range<usize>)> =
            words(self.text).map(|word| (key(word.text), word.span)).collect();
        for said in said_in(&all) {
            self.otherwise.extend_from_slice(said.shown);
            let spans: Vec<&Range<usize>> =
                said.words.iter().filter_map(|at| all.get(*at)).map(|(_, span)| span).collect();
            let mut of_phrase = self.terms.iter_mut().filter(|term| {
                matches!(term.role, Role::Word | Role::Common) && spans.contains(&&term.span)
            });
            let Some(bearer) = of_phrase.next() else { continue };
            // "Turned off" has to be shown, however ordinary its verb is.
            if spans.len() > 1 {
                bearer.role = Role::Word;
            }
            if spans.len() == 1 && (is_state(bearer.text) || is_light(bearer.text)) {
                continue;
            }
            for term in of_phrase {
                term.role = Role::Common;
            }
            let other = |key: &&Key| !bearer.keys.contains(*key);
            let others: Vec<Key> = said.shown.iter().filter(other).copied().collect();
            bearer.keys.extend(others);
        }
    }

    fn word(&mut self, word: &Word<'c>, next: Option<&Word<'c>>, corpus: &Corpus<'_>) {
        if is_stop_word(word.text) {
            self.is_english = true;
            if let Some(sense @ (Sense::Order | Sense::Compare)) = sense_of(word) {
                self.demand(word, sense);
            }
            return;
        }
        let inside =
            |span: &Range<usize>| span.start <= word.span.start && word.span.end <= span.end;
        if is_number_of_sort(self.text, word, next) {
            self.push(word, Role::Code(CodeKind::Issue), vec![exact(word.text)]);
            return;
        }
        if is_port_of_host(self.text, &word.span) {
            self.push(word, Role::Code(CodeKind::Port), vec![exact(word.text)]);
            return;
        }
        if let Some(figure) = self.figures.figures.iter().find(|figure| inside(&figure.span)) {
            // "doubled" is a word of English.
            self.is_english |= figure.unit.dimension == Dimension::Multiple;
            return;
        }
        if self.figures.times.iter().any(|time| inside(&time.span)) {
            return;
        }
        let code = self.figures.codes.iter().find(|code| inside(&code.span)).map(|code| code.kind);
        let shape = word.shape();
        match code {
            Some(CodeKind::Date) => return,
            Some(kind) if kind != CodeKind::Identifier || shape == Shape::Number => {
                // "version 2.31.0", "revision 58": the number is the name, the word before it its sort.
                if let Some(sort) = self.terms.last_mut()
                    && matches!(sort.role, Role::Word | Role::Common)
                    && self
                        .text
                        .get(sort.span.end..word.span.start)
                        .is_some_and(|gap| gap.trim_matches([' ', '#', '`']).is_empty())
                {
                    sort.role = Role::Kind;
                }
                self.push(word, Role::Code(kind), vec![exact(word.text)]);
                return;
            }
            _ => {}
        }
        if shape == Shape::Number || self.is_cue(word) {
            return;
        }
        let role = self.role(word, shape, next, corpus);
        let meaning = sense_of(word).filter(|_| !self.is_idiom(word));
        let quoted = self.quotations.iter().any(inside);
        if role == Role::Word && !quoted {
            match meaning {
                Some(Sense::Filler) => {
                    self.is_english = true;
                    return;
                }
                Some(Sense::Kind) => {
                    self.is_english = true;
                    self.push(word, Role::Kind, vec![key(word.text)]);
                    return;
                }
                Some(Sense::Change) => {
                    self.is_english = true;
                    self.senses.push((Sense::Change, word.span.clone()));
                }
                Some(sense) => {
                    self.is_english = true;
                    self.demand(word, sense);
                    return;
                }
                None => {}
            }
        }
        let role =
            if role == Role::Word && self.is_attributive(word, next) { Role::Name } else { role };
        let common =
            role == Role::Word && !quoted && !is_setting(word.text) && is_common(exact(word.text));
        let role = if common { Role::Common } else { role };
        let keys = claim_keys(word.text, role);
        // "job tariff-rebuild", "topic orders-v2": the word before a name says of what sort it is.
        if matches!(role, Role::Entity | Role::Name)
            && let Some(sort) = self.terms.last_mut()
            && matches!(sort.role, Role::Word | Role::Common)
            && is_sort(sort.text)
            && self.text.get(sort.span.end..word.span.start) == Some(" ")
        {
            sort.role = Role::Kind;
        }
        self.push(word, role, keys);
    }

    /// Whether an ordinary noun names a thing by standing before its sort: "the accounts database".
    fn is_attributive(&self, word: &Word<'_>, next: Option<&Word<'_>>) -> bool {
        const NOUNS: [&str; 20] = [
            "account", "accounts", "call", "calls", "case", "claims", "data", "document",
            "element", "figures", "files", "object", "offer", "offers", "order", "people",
            "program", "story", "team", "test",
        ];
        const SORTS: [&str; 16] = [
            "api", "bucket", "cache", "database", "db", "endpoint", "gateway", "index", "job",
            "page", "pool", "queue", "stream", "table", "topic", "worker",
        ];
        let before = self.text.get(..word.span.start).unwrap_or("");
        words(before).last().is_some_and(|word| word.is("the"))
            && NOUNS.iter().any(|noun| word.is(noun))
            && next.is_some_and(|next| SORTS.iter().any(|sort| next.is(sort)))
    }

    /// Whether a word of a trend is none here: "an alert was raised", "could not be reached".
    fn is_idiom(&self, word: &Word<'_>) -> bool {
        const RAISED: [&str; 9] = [
            "alarm",
            "alert",
            "alerts",
            "error",
            "errors",
            "exception",
            "incident",
            "ticket",
            "warning",
        ];
        let before = self.text.get(..word.span.start).unwrap_or("");
        let follows_be = ["be", "been"]
            .iter()
            .any(|auxiliary| words(before).last().is_some_and(|word| word.is(auxiliary)));
        let is_thrown = || words(self.text).any(|word| RAISED.iter().any(|what| word.is(what)));
        word.is("reached") && follows_be
            || word.is("raised") && self.figures.figures.is_empty() && is_thrown()
    }

    /// Takes note of a word that the evidence has to show by more than its other words.
    fn demand(&mut self, word: &Word<'c>, sense: Sense) {
        self.senses.push((sense, word.span.clone()));
        let measured = match sense {
            Sense::Order | Sense::Compare => self.is_measured(&word.span),
            _ => false,
        };
        if !measured {
            let mut keys = vec![exact(word.text), key(word.text)];
            keys.extend(shown_as(sense).iter().map(|other| key(other)));
            self.push(word, Role::Demand(sense), keys);
        }
    }

    /// Whether a figure or time follows at once: "after 4 restarts", "above 90 %".
    fn is_measured(&self, span: &Range<usize>) -> bool {
        self.figures
            .figures
            .iter()
            .map(|figure| figure.span.start)
            .chain(self.figures.times.iter().map(|time| time.span.start))
            .any(|at| {
                at >= span.end && words(self.text.get(span.end..at).unwrap_or("")).count() <= 1
            })
    }

    fn role(
        &self,
        word: &Word<'c>,
        shape: Shape,
        next: Option<&Word<'c>>,
        corpus: &Corpus<'_>,
    ) -> Role {
        let exact = exact(word.text);
        let is_common = known(exact).is_some_and(|known| known.is_common);
        if !is_common && corpus.by_name.count(exact) > 0 {
            return Role::Entity;
        }
        if matches!(shape, Shape::Identifier | Shape::Compound) {
            return Role::Name;
        }
        // "orders service": a word before the sort of a thing names the thing.
        let names_kind = next.is_some_and(|next| {
            let is_alert =
                ["alert", "alerts", "incident", "incidents"].iter().any(|kind| next.is(kind));
            sense_of(next) == Some(Sense::Kind) && !is_alert
        });
        let plain = sense_of(word).is_none() && shape == Shape::Plain && !is_preposition(word.text);
        if names_kind && plain && !is_participle(word.text) && word.text.is_ascii() {
            Role::Name
        } else {
            Role::Word
        }
    }

    fn push(&mut self, word: &Word<'c>, role: Role, keys: Vec<Key>) {
        if self.terms.len() >= MOST_TERMS {
            return;
        }
        let negated = self.is_negated(&word.span);
        let is_mishap =
            role == Role::Word && MISHAP_KEYS.iter().any(|mishap| keys.contains(mishap));
        self.terms.push(Term {
            text: word.text,
            span: word.span.clone(),
            role,
            keys,
            negated,
            is_mishap,
        });
    }

    /// Whether the word only denies, hedges, quantifies or links.
    fn is_cue(&self, word: &Word<'_>) -> bool {
        let inside = |marker: &&Marker| {
            marker.span.start <= word.span.start && word.span.end <= marker.span.end
        };
        self.markers.iter().find(inside).is_some_and(|marker| match marker.kind {
            MarkerKind::ActionDone => false,
            MarkerKind::Negation => !["failed", "failing", "fails", "missing", "absent", "unable"]
                .iter()
                .any(|content| word.is(content)),
            MarkerKind::Cause => {
                !["triggered", "triggering"].iter().any(|content| word.is(content))
            }
            MarkerKind::Hedge | MarkerKind::All | MarkerKind::None | MarkerKind::Some => true,
        })
    }

    /// Whether a negation reaches a place: it stands before it in the same clause.
    fn is_negated(&self, span: &Range<usize>) -> bool {
        self.markers.iter().any(|marker| {
            marker.kind == MarkerKind::Negation
                && marker.span.end <= span.start
                && !self.text.get(marker.span.end..span.start).is_some_and(ends_clause)
        })
    }

    /// Whether the claim has a cue of that kind.
    pub(crate) fn has(&self, kind: MarkerKind) -> bool {
        self.markers.iter().any(|marker| marker.kind == kind)
    }

    /// Whether the claim links a cause and an effect: "an alert was triggered at 14:02" does not.
    pub(crate) fn is_causal(&self) -> bool {
        self.markers.iter().filter(|marker| marker.kind == MarkerKind::Cause).any(|marker| {
            let cue = self.text.get(marker.span.clone()).unwrap_or("");
            let before = self.text.get(..marker.span.start).unwrap_or("");
            let passive = words(before).last().is_none_or(|word| {
                ["was", "were", "is", "been", "got", "being"]
                    .iter()
                    .any(|auxiliary| word.is(auxiliary))
            });
            !(cue.eq_ignore_ascii_case("triggered") && passive)
        })
    }

    /// Whether the claim has a word of that sense.
    pub(crate) fn means(&self, wanted: Sense) -> bool {
        self.senses.iter().any(|(sense, _)| *sense == wanted)
    }

    /// Whether an order in time is claimed that no figure of the claim states.
    pub(crate) fn has_open_order(&self) -> bool {
        self.terms.iter().any(|term| term.role == Role::Demand(Sense::Order))
    }

    /// Whether the claim leaves several things open: "Running or Completed".
    pub(crate) fn has_alternatives(&self) -> bool {
        words(self.text).any(|word| word.is("or") || word.is("either"))
    }

    /// The bits of the terms that a test accepts.
    pub(crate) fn bits(&self, mut accepts: impl FnMut(&Term<'c>) -> bool) -> u64 {
        let mut bits = 0;
        for (place, term) in self.terms.iter().enumerate() {
            if accepts(term) {
                bits |= 1 << place;
            }
        }
        bits
    }

    /// How much the terms of some bits count.
    pub(crate) fn weight(&self, bits: u64) -> u32 {
        self.terms
            .iter()
            .enumerate()
            .filter(|(place, _)| bits >> place & 1 == 1)
            .map(|(_, term)| term.weight())
            .sum()
    }

    /// The terms near a figure that say what it is the value of: the content words before it as far as the
    /// figure or comma before, else those after it.
    pub(crate) fn attribute(&self, figure: &Range<usize>) -> u64 {
        const NEAREST: usize = 3;
        let boundary = self
            .text
            .get(..figure.start)
            .map_or(0, |before| before.rfind([',', ';', ':', '(']).map_or(0, |at| at + 1));
        let boundary = self
            .figures
            .figures
            .iter()
            .filter(|other| {
                other.span.end <= figure.start && !joined_range(self.text, &other.span, figure)
            })
            .map(|other| other.span.end)
            .fold(boundary, usize::max);
        let content = |term: &Term<'c>| matches!(term.role, Role::Word) || term.role == Role::Name;
        let mut found = 0;
        let mut count = 0;
        for (place, term) in self.terms.iter().enumerate().rev() {
            let before = term.span.end <= figure.start
                && term.span.start >= boundary
                && !term.span.is_empty();
            if before && content(term) && count < NEAREST {
                found |= 1 << place;
                count += 1;
            }
        }
        if found == 0 {
            found = self.noun(figure);
        }
        if found == 0 {
            let carried = |term: &Term<'c>| term.span.is_empty() && content(term);
            found = self.bits(carried);
        }
        found
    }

    /// The term that a count counts: the first content word right after it.
    pub(crate) fn noun(&self, figure: &Range<usize>) -> u64 {
        let after = self.terms.iter().enumerate().find(|(_, term)| {
            !term.span.is_empty()
                && term.span.start >= figure.end
                && !matches!(term.role, Role::Code(_) | Role::Entity | Role::Demand(_))
        });
        let Some((place, term)) = after else { return 0 };
        let between = self.text.get(figure.end..term.span.start).unwrap_or("");
        if ends_clause(between)
            || words(between).any(|word| word.is("of") || is_stop_word(word.text))
        {
            0
        } else {
            1 << place
        }
    }

    /// The content word just before a count: "passed all 6 checks".
    pub(crate) fn verb(&self, figure: &Range<usize>) -> u64 {
        let before = self.terms.iter().enumerate().rev().find(|(_, term)| {
            !term.span.is_empty() && term.span.end <= figure.start && term.role == Role::Word
        });
        let Some((place, term)) = before else { return 0 };
        let between = self.text.get(term.span.end..figure.start).unwrap_or("");
        if ends_clause(between) || words(between).count() > 1 { 0 } else { 1 << place }
    }

    /// Takes over what "its", "this revision" and an elliptic clause refer to.
    pub(crate) fn take_over(&mut self, before: &Reading<'c>) {
        let names_something = |term: &Term<'c>| {
            !term.span.is_empty() && matches!(term.role, Role::Entity | Role::Name | Role::Word)
        };
        self.before = if before.terms.iter().any(names_something) {
            Some(before.text)
        } else {
            before.before.or(Some(before.text))
        };
        let refers = words(self.text).take(8).any(|word| {
            ["its", "it", "they", "their", "this", "these", "that", "which", "both"]
                .iter()
                .any(|pronoun| word.is(pronoun))
        });
        let own_subject = self
            .terms
            .iter()
            .any(|term| matches!(term.role, Role::Entity | Role::Code(CodeKind::Identifier)));
        if refers && !own_subject {
            let is_subject = |term: &&Term<'c>| {
                matches!(
                    term.role,
                    Role::Entity
                        | Role::Code(CodeKind::Identifier | CodeKind::Version | CodeKind::Issue)
                )
            };
            if let Some(subject) = before.terms.iter().find(is_subject) {
                self.carry(subject);
            }
        }
        self.compare_with(before);
        let has_word = self.terms.iter().any(|term| term.role == Role::Word);
        if !has_word && !self.figures.figures.is_empty() {
            let attribute =
                before.figures.figures.last().map_or(0, |figure| before.attribute(&figure.span));
            for (place, term) in before.terms.iter().enumerate() {
                if attribute >> place & 1 == 1 {
                    self.carry(term);
                }
            }
        }
    }

    /// Takes over what another wording of the same claim took over.
    pub(crate) fn resume(&mut self, other: &Reading<'c>) {
        self.before = other.before;
        for term in other.terms.iter().filter(|term| term.span.is_empty()) {
            self.carry(term);
        }
    }

    /// "…between 666 and 705 MiB, which is above the limit of 512 MiB": the comparison is one of stated figures.
    fn compare_with(&mut self, before: &Reading<'c>) {
        let [bound] = self.figures.figures.as_slice() else { return };
        let relative =
            words(self.text).next().is_some_and(|word| word.is("which") || word.is("that"));
        let Some(place) =
            self.terms.iter().position(|term| term.role == Role::Demand(Sense::Compare))
        else {
            return;
        };
        let word = self.terms.get(place).map_or("", |term| term.text).to_ascii_lowercase();
        let comparator = match word.as_str() {
            "above" | "over" | "higher" | "greater" | "more" | "exceeds" | "exceeded" => {
                Comparator::Over
            }
            "below" | "under" | "less" | "lower" => Comparator::Under,
            _ => return,
        };
        let bound = Figure { comparator: Some(comparator), ..bound.clone() };
        let mut compared = before
            .figures
            .figures
            .iter()
            .filter(|figure| figure.unit.dimension == bound.unit.dimension)
            .peekable();
        if relative
            && compared.peek().is_some()
            && compared.all(|figure| agree(&bound, figure) == Agreement::Same)
        {
            self.terms.remove(place);
        }
    }

    fn carry(&mut self, term: &Term<'c>) {
        let known = self.terms.iter().any(|own| own.keys == term.keys);
        if !known && self.terms.len() < MOST_TERMS {
            self.terms.push(Term { span: 0..0, ..term.clone() });
        }
    }
}

/// Whether "between 3 and 5" or "3 to 5" joins two figures.
fn joined_range(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    let between = text.get(first.end..second.start).unwrap_or(",").trim();
    matches!(between, "and" | "to" | "-" | "–" | "MiB and" | "MiB to")
}

/// Whether a stretch between two words ends a clause.
fn ends_clause(between: &str) -> bool {
    between.contains([',', ';', ':', '(', ')'])
        || words(between).any(|word| {
            ["but", "while", "although", "and", "yet"].iter().any(|breaker| word.is(breaker))
        })
}

/// The keys under which evidence may have a word.
fn claim_keys(word: &str, role: Role) -> Vec<Key> {
    let mut keys = Vec::with_capacity(4);
    keys.push(exact(word));
    let add = |keys: &mut Vec<Key>, key: Key| {
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    if role != Role::Entity {
        add(&mut keys, key(word));
        for other in known(exact(word)).map_or(&[][..], |known| &known.others) {
            add(&mut keys, *other);
        }
        if word.contains('-') {
            let joined: String = parts(word).collect();
            add(&mut keys, key(&joined));
            for other in known(exact(&joined)).map_or(&[][..], |known| &known.others) {
                add(&mut keys, *other);
            }
            add(&mut keys, soft(&joined));
        } else if matches!(role, Role::Word | Role::Common) || is_exception(word) {
            add(&mut keys, soft(word));
        }
    } else {
        add(&mut keys, key(word));
    }
    keys
}

/// The figures of a claim as they are meant: "add up to 21" and "tries it up to three times" state the number itself,
/// "slightly more than 1 GiB" a number close to it.
fn meant(text: &str, mut read: Figures) -> Figures {
    // `/dev/zero` and `prod-db:3333` hold no figures.
    read.figures.retain(|figure| {
        let before = text.get(..figure.span.start).unwrap_or("");
        let is_number = words(text.get(figure.span.start..).unwrap_or(""))
            .next()
            .is_some_and(|word| is_number_after(before, &word, text.get(figure.span.end..)));
        let is_port = is_port_of_host(text, &figure.span);
        !before.ends_with('/') && !is_port && !is_number && !is_pronoun(text, figure)
    });
    for figure in &mut read.figures {
        let mut before = words(text.get(..figure.span.start).unwrap_or("")).collect::<Vec<_>>();
        let mut last = || before.pop();
        let (first, second, third) = (last(), last(), last());
        let is = |word: &Option<Word<'_>>, wanted: &[&str]| {
            word.as_ref().is_some_and(|word| wanted.iter().any(|wanted| word.is(wanted)))
        };
        let is_up_to = is(&first, &["to"]) && is(&second, &["up"]);
        let adds = is(&third, &["add", "adds", "added", "adding", "sum", "sums"]);
        let is_whole = figure.unit == Unit::COUNT && figure.value.places == 0;
        if is_up_to && (adds || is_whole) {
            figure.comparator = None;
        }
        const CLOSELY: [&str; 5] = ["slightly", "just", "little", "barely", "shade"];
        let is_close = [&first, &second, &third].iter().any(|word| is(word, &CLOSELY));
        if is_close && matches!(figure.comparator, Some(Comparator::Over | Comparator::Under)) {
            figure.comparator = None;
            figure.approximate = true;
        }
    }
    read
}

/// Whether "one" stands for a thing: "another one", "the one on wk-2".
fn is_pronoun(text: &str, figure: &Figure) -> bool {
    let is_among = |word: &Word<'_>, table: &[&str]| table.iter().any(|entry| word.is(entry));
    let written = text.get(figure.span.clone()).unwrap_or("");
    if !written.eq_ignore_ascii_case("one") {
        return false;
    }
    let before = words(text.get(..figure.span.start).unwrap_or("")).last();
    let after = words(text.get(figure.span.end..).unwrap_or("")).next();
    let ends = after.as_ref().is_none_or(|word| {
        is_among(word, &["at", "before", "by", "for", "from", "in", "of", "on", "that", "to"])
    });
    before.is_some_and(|word| {
        is_among(&word, &["another", "other", "every", "each"])
            || ends && is_among(&word, &["the", "that", "this", "which", "new", "old", "slow"])
    })
}

/// Whether digits are the number by which one of a sort is called: "pull request 318", "alert 2217".
fn is_number_of_sort(text: &str, word: &Word<'_>, next: Option<&Word<'_>>) -> bool {
    let before = text.get(..word.span.start).unwrap_or("");
    let after = next.and_then(|next| text.get(next.span.start..));
    is_number_after(before, word, after.or(Some("")))
}

fn is_number_after(before: &str, word: &Word<'_>, after: Option<&str>) -> bool {
    const SORTS: [&str; 11] = [
        "alert", "build", "change", "commit", "incident", "issue", "job", "order", "pipeline",
        "request", "ticket",
    ];
    const FEWEST_DIGITS: usize = 3;
    let is_number =
        word.text.len() >= FEWEST_DIGITS && word.text.bytes().all(|byte| byte.is_ascii_digit());
    let of_sort = words(before).last().is_some_and(|sort| {
        SORTS.iter().any(|entry| sort.is(entry))
            && before.get(sort.span.end..).is_some_and(|gap| gap == " ")
    });
    // "At the request 300 pods were added": a number of things.
    let counts = words(after.unwrap_or("")).next().is_some_and(|next| {
        next.text.ends_with('s') && !is_stop_word(next.text) && !is_light(next.text)
    });
    is_number && of_sort && !counts
}

/// Whether a word only says where something is or goes.
fn is_preposition(word: &str) -> bool {
    const PREPOSITIONS: [&str; 14] = [
        "across", "against", "among", "beside", "beyond", "inside", "near", "onto", "outside",
        "per", "toward", "towards", "upon", "via",
    ];
    PREPOSITIONS.iter().any(|entry| word.eq_ignore_ascii_case(entry))
}

/// Whether a claim tells what the alert says: other evidence says nothing to that.
fn is_from_alert(text: &str) -> bool {
    const SAYING: [&str; 14] = [
        "says",
        "said",
        "names",
        "reports",
        "reported",
        "gives",
        "gave",
        "puts",
        "speaks",
        "states",
        "mentions",
        "according",
        "claims",
        "describes",
    ];
    let has = |wanted: &str| words(text).any(|word| word.is(wanted));
    has("alert") && SAYING.iter().any(|saying| has(saying))
}

/// Whether digits are the port of a host: `prod-db:3333`.
fn is_port_of_host(text: &str, span: &Range<usize>) -> bool {
    let is_number = text
        .get(span.clone())
        .is_some_and(|word| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit()));
    let host = text.get(..span.start).and_then(|before| before.strip_suffix(':'));
    let name = host.and_then(|host| host.rsplit([' ', '/', '(', '`', '"']).next());
    is_number && name.is_some_and(|name| name.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Whether a word is the name of an exception, which tools write with its package.
fn is_exception(word: &str) -> bool {
    word.ends_with("Error") || word.ends_with("Exception")
}

/// Whether a word is written as the name of a setting: `REGION`.
fn is_setting(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// What a word is to the rules; `None` for content.
fn sense_of(word: &Word<'_>) -> Option<Sense> {
    known(exact(word.text)).and_then(|known| known.sense)
}

fn is_participle(word: &str) -> bool {
    word.ends_with("ed") || word.ends_with("ing") || word.ends_with("en")
}

/// What stands in quotation marks or back-ticks and has more than one word.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (open, close) in [('"', '"'), ('“', '”'), ('`', '`')] {
        let mut from = 0;
        while let Some(start) =
            text.get(from..).and_then(|rest| rest.find(open)).map(|at| from + at + open.len_utf8())
        {
            let Some(end) =
                text.get(start..).and_then(|rest| rest.find(close)).map(|at| start + at)
            else {
                break;
            };
            if text.get(start..end).is_some_and(|inner| inner.trim().contains(' ')) {
                found.push(start..end);
            }
            from = end + close.len_utf8();
        }
    }
    found
}
