//! `rules/1`: a judge that decides simple claims by words and figures, cites what decided and leaves the rest
//! ungrounded. Deterministic; no model, no network.
//!
//! A claim is read into names, codes, content words, figures and times ([`claim`]); the evidence into fields
//! with keys, values and the names of what they tell of ([`evidence`]). The rules are asked in this order,
//! and the first that decides is believed:
//!
//! | rule | grounded when | contradicted when |
//! |---|---|---|
//! | cause | one message or chain of errors about the very thing states the cause for the effect | it states another cause for that effect |
//! | denial | the other rules refute what is denied of one thing | they bear it out |
//! | distance from the claim before, or from a stated instant | the two events are so far apart | they are not |
//! | change | a diff or two revisions show the direction and the values that the claim states | they show the other direction or another value |
//! | series | the sample at the time, the extreme or the ends of the window agree; every sample keeps the bound | all names and words of the claim fit the series, and its sample, extreme or some sample says otherwise |
//! | order in time | two dated lines or records lie as claimed: before, after, so far apart | they lie the other way round, or as far apart as the claim's length does not allow; both are in one item or named |
//! | one place | a line, row or object has every name and code, agrees on every figure, time, state and quotation, and has all but one in six of the words | it has all names and its figure or time under the same key, or the state that excludes the claimed one, differs; names joined by "to" stand in reverse; the line denies what the claim says |
//! | length, age, pace | start and end of one thing, `AGE`, `x256 over 58m` give the claimed length | they give another |
//! | instant | the line or record with all names and words is of the claimed instant or day | it is of another, on the day of the incident, and nothing like it is of the claimed one |
//! | first, last | the first or last of a list or log is what the claim says | another is |
//! | rank | a member of a list has more of the quantity that the claim names than the other, or than all | it has not |
//! | sum, rate, ratio | what members of a list have together, events by their time, or two stated quantities come to what the claim says | they come to something else |
//! | list | as many members of a list as claimed, each, none or only one show what the claim says | the number differs and nothing was cut from the list; a member shows something else in the very place |
//! | attribute | the key path of one thing states the value, state, label or setting that the claim names | it states another, or one that excludes the claimed one |
//! | things counted | all, or as many as stated, of the things that one item lists are so | one is not, or the item lists everything and the number differs |
//! | events counted | as many lines tell of it | the item lists everything and the number differs |
//! | nothing listed | a whole listing or log has what is denied under none of its names | |
//! | other name | | a name that nothing has stands where the evidence has another of its sort |
//! | search | a search for what the claim denies found nothing | a search for what the claim says is there found nothing |
//! | absence | an item that lists everything or answers a search would show it and does not | a record about the same names has it |
//! | one part mended | | nothing else decides, and the claim is borne out once a direction, figure or time is mended |
//! | otherwise | | never: the claim is ungrounded, and the note says what is missing |
//!
//! Held against every finding: one that would bear out the contrary of the claim as well decides nothing; a hedge is
//! never contradicted; a causal link needs a line that states a cause; a deed ("rolled back") needs a change, a check
//! or the word itself in the record; "before" and "after" need a line that says so or two instants; what a language
//! model inferred counts neither way; a claim without an English word is never decided. Where one item bears a claim
//! out and another, not older, says otherwise of the very same thing, the claim is ungrounded and both are cited.
//! Figures are compared only in one dimension and under a key or noun that the claim uses; ids, ports, versions and
//! dates are names, not figures. Names match as wholes: a pod by its workload, never `checkout` by `checkout-db`.
//!
//! The type follows the cited item: tool output, change and verification give `tool_match`, a step's output
//! `specific_data`, the signal `signal_match`; several items, counts and extremes give `synthesis`, an absence
//! `neg_evidence`. What nothing decides is `inference`, or `tool_match` where the claim poses as an observation.
//! `complementary` is never given.

mod claim;
mod evidence;
mod matching;
mod rules;
mod verdict;
mod vocabulary;

#[cfg(test)]
mod tests;

use gsar_core::evidence::{Citation, EvidenceItem, EvidenceKind, Target};
use gsar_core::report::clauses;
use gsar_core::text::figures::Date;
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};

use claim::discourse::Discourse;
use claim::reading::{Reading, Role};
use evidence::cache::Cache;
use evidence::observations::Corpus;
use matching::candidates::Marks;
use verdict::ruling::{Case, Cite, Ruling};

pub use evidence::observations::MOST_BYTES;

/// The name of this version of the rules.
pub const NAME: &str = "rules/1";

/// Evidence, read once for any number of claims.
#[derive(Debug)]
pub struct Observations<'e> {
    corpus: Corpus<'e>,
    day: Option<Date>,
    cache: Cache<'e>,
}

impl<'e> Observations<'e> {
    /// Reads at most [`MOST_BYTES`] of the evidence; what was cut is told by [`Self::gaps`].
    #[must_use]
    pub fn read(evidence: &'e [EvidenceItem]) -> Self {
        let corpus = Corpus::read(evidence);
        let day = day_of_incident(&corpus);
        Self { corpus, day, cache: Cache::default() }
    }

    /// Reads lists, series and dated events now instead of when a first claim asks for them: for evidence that is kept
    /// and asked again and again.
    #[must_use]
    pub fn prepared(self) -> Self {
        self.cache.lists(&self.corpus);
        self.cache.chronicle(&self.corpus, self.day);
        self.cache.tracks.gather(&self.corpus);
        self
    }

    /// What was not read, one sentence each.
    #[must_use]
    pub fn gaps(&self) -> &[String] {
        &self.corpus.gaps
    }

    /// Judges claims in the order in which the report makes them: a later one may refer to what an earlier one
    /// names. Asks `go_on` before each claim.
    ///
    /// # Errors
    /// [`Interrupted`] when `go_on` says no before the last claim.
    pub fn judge(
        &self,
        claims: &[Claim],
        go_on: impl Fn() -> bool,
    ) -> Result<Vec<JudgedClaim>, Interrupted> {
        let mut judged: Vec<JudgedClaim> = Vec::with_capacity(claims.len());
        let mut verdict: Option<Stated> = None;
        let mut clause: Option<Stated> = None;
        let mut before = Class::Ungrounded;
        let finished = self.read_claims(claims, go_on, |claim, step| match step {
            Step::Try { case, repeats } => {
                let stated = stated(case);
                let is_decided = stated.class != Class::Ungrounded;
                // What is wrong with a repeated statement is not wrong with this one.
                let is_own = !repeats || before != Class::Contradicted;
                if clause.is_none() || is_decided && is_own || !is_decided && !repeats {
                    clause = Some(stated);
                }
                is_decided && is_own
            }
            Step::Clause => {
                let Some(stated) = clause.take() else { return false };
                before = stated.class;
                verdict = Some(match verdict.take() {
                    Some(verdict) => verdict.and(stated),
                    None => stated,
                });
                false
            }
            Step::Claim => {
                judged.push(judged_claim(claim, verdict.take()));
                false
            }
        });
        finished.map_err(|()| Interrupted { judged: judged.len(), claims: claims.len() })?;
        Ok(judged)
    }

    /// How each claim was read, and the places that were weighed for it: sentences for a person who wonders why.
    #[must_use]
    pub fn considered(&self, claims: &[Claim]) -> Vec<Vec<String>> {
        let mut all = Vec::with_capacity(claims.len());
        let mut lines = Vec::new();
        // It is never told to stop.
        let _ = self.read_claims(
            claims,
            || true,
            |_, step| {
                match step {
                    Step::Try { case, .. } => lines.extend(verdict::considered::considered(case)),
                    Step::Clause => {}
                    Step::Claim => all.push(std::mem::take(&mut lines)),
                }
                false
            },
        );
        all
    }

    /// Reads the clauses of each claim, first as they stand and then completed by what was told before, and hands
    /// them over with what they lead to. Once `visit` says that a clause is decided, it is read no other way.
    /// `Err` when `go_on` said no.
    fn read_claims<'c>(
        &self,
        claims: &'c [Claim],
        go_on: impl Fn() -> bool,
        mut visit: impl FnMut(&'c Claim, Step<'_, '_, 'e, '_>) -> bool,
    ) -> Result<(), ()> {
        let corpus = &self.corpus;
        let mut marks = Marks::new(corpus);
        let mut before: Option<Reading<'c>> = None;
        let mut discourse = Discourse::default();
        for claim in claims {
            if !go_on() {
                return Err(());
            }
            if let Some(before) = &before
                && let Some((joined, own)) = rules::ellipses::joined(before.text, &claim.text)
            {
                let mut reading = Reading::of(&joined, corpus);
                reading.own = own;
                if self.visit_whole(
                    claim,
                    &reading,
                    &mut marks,
                    rules::ellipses::decide,
                    &mut visit,
                ) {
                    discourse.mention(&reading);
                    continue;
                }
            }
            if rules::causes::ties(&claim.text) {
                let mut reading = Reading::of(&claim.text, corpus);
                if let Some(before) = &before {
                    reading.take_over(before);
                }
                if self.visit_whole(claim, &reading, &mut marks, rules::causes::decide, &mut visit)
                {
                    discourse.tell(&reading);
                    before = Some(reading);
                    continue;
                }
            }
            for clause in clauses(&claim.text) {
                let text = claim.text.get(clause).unwrap_or(&claim.text);
                let mut reading = Reading::of(text, corpus);
                if let Some(before) = &before {
                    reading.take_over(before);
                }
                let mut is_decided = |reading: &Reading<'_>, repeats: bool| {
                    self.visit(reading, &mut marks, |case| {
                        visit(claim, Step::Try { case, repeats })
                    })
                };
                let completed = discourse.complete(&reading);
                let by_completion = completed
                    .iter()
                    .any(|way| is_decided(&Reading::of(&way.text, corpus), way.repeats));
                // What only points is about anything as it stands.
                let points = completed.iter().any(|way| !way.repeats && way.is_about_another);
                if !by_completion && !points {
                    is_decided(&reading, false);
                }
                match completed.first() {
                    // It only adds a distance to what was told.
                    Some(way) if way.repeats => discourse.mention(&reading),
                    Some(way) => discourse.tell(&Reading::of(&way.text, corpus)),
                    None => discourse.tell(&reading),
                }
                visit(claim, Step::Clause);
                before = Some(reading);
            }
            visit(claim, Step::Claim);
        }
        Ok(())
    }

    /// Hands a claim over undivided, where a rule for whole claims decides it and `visit` agrees.
    fn visit_whole<'c>(
        &self,
        claim: &'c Claim,
        reading: &Reading<'_>,
        marks: &mut Marks,
        rule: fn(&Case<'_, '_, '_>) -> Option<Ruling>,
        visit: &mut impl FnMut(&'c Claim, Step<'_, '_, 'e, '_>) -> bool,
    ) -> bool {
        let is_decided = self.visit(reading, marks, |case| {
            rule(case).is_some() && visit(claim, Step::Try { case, repeats: false })
        });
        if is_decided {
            visit(claim, Step::Clause);
            visit(claim, Step::Claim);
        }
        is_decided
    }

    /// Hands a reading over with what it leads to.
    fn visit(
        &self,
        reading: &Reading<'_>,
        marks: &mut Marks,
        visit: impl FnOnce(&Case<'_, 'e, '_>) -> bool,
    ) -> bool {
        marks.mark(&self.corpus, reading);
        let candidates = marks.candidates(&self.corpus, reading);
        visit(&Case {
            corpus: &self.corpus,
            cache: &self.cache,
            marks,
            reading,
            candidates: &candidates,
            day: self.day,
        })
    }
}

/// What comes next in the reading of claims.
enum Step<'s, 'a, 'e, 'r> {
    /// A clause, in one way to read it.
    Try {
        case: &'s Case<'a, 'e, 'r>,
        /// Whether it repeats the clause before.
        repeats: bool,
    },
    /// The end of a clause.
    Clause,
    /// The end of a claim.
    Claim,
}

/// Judging was stopped before the last claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped after {judged} of {claims} claims")]
pub struct Interrupted {
    /// Claims judged by then.
    pub judged: usize,
    /// Claims to judge.
    pub claims: usize,
}

/// What is said of a claim, or of one of the clauses of a claim that joins several.
struct Stated {
    class: Class,
    evidence_type: EvidenceType,
    citations: Vec<Citation>,
    note: String,
}

impl Stated {
    /// What is said of two clauses together: the strictest, with what decided it.
    fn and(mut self, other: Self) -> Self {
        match self.class.cmp(&other.class) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Equal => {
                let rank = |wanted| EvidenceType::ALL.iter().position(|listed| *listed == wanted);
                if rank(other.evidence_type) > rank(self.evidence_type) {
                    self.evidence_type = other.evidence_type;
                }
                for citation in other.citations {
                    if !self.citations.contains(&citation) {
                        self.citations.push(citation);
                    }
                }
                if self.note != other.note {
                    self.note = format!("{}; {}", self.note, other.note);
                }
                self
            }
        }
    }
}

fn stated(case: &Case<'_, '_, '_>) -> Stated {
    let verdict = verdict::decide::decide(case);
    let mut citations: Vec<Citation> = Vec::with_capacity(verdict.cites.len() + 1);
    let bearer = verdict.cites.iter().find_map(|cite| bearer(case, *cite));
    for cite in verdict.cites.iter().copied().chain(bearer.map(Cite::Field)) {
        if let Some(citation) = citation(case, cite)
            && !citations.contains(&citation)
        {
            citations.push(citation);
        }
    }
    Stated {
        class: verdict.class,
        evidence_type: verdict.evidence_type,
        citations,
        note: verdict.note,
    }
}

fn judged_claim(claim: &Claim, stated: Option<Stated>) -> JudgedClaim {
    let nothing = || Stated {
        class: Class::Ungrounded,
        evidence_type: EvidenceType::Inference,
        citations: Vec::new(),
        note: "the claim holds no words".to_owned(),
    };
    let Stated { class, evidence_type, citations, note } = stated.unwrap_or_else(nothing);
    JudgedClaim { claim: claim.clone(), class, evidence_type, citations, note }
}

/// The field that says of whom a cited JSON field tells, when the claim names it and the quote does not.
fn bearer(case: &Case<'_, '_, '_>, cite: Cite) -> Option<u32> {
    let Cite::Field(field) = cite else { return None };
    let entity = case.reading.terms.iter().enumerate().find(|(_, term)| term.role == Role::Entity);
    let (place, entity) = entity?;
    if case.marks.field(field) >> place & 1 == 1 {
        return None;
    }
    let names = case.corpus.by_name.of(*entity.keys.first()?).take(1_000);
    names
        .filter_map(|name| case.corpus.names.get(name as usize))
        .find(|name| case.corpus.holds(name.object, field))
        .map(|name| name.field)
}

/// The longest quote, in bytes.
const LONGEST_QUOTE: usize = 400;

fn citation(case: &Case<'_, '_, '_>, cite: Cite) -> Option<Citation> {
    let corpus = case.corpus;
    let item = verdict::decide::item_number(case, cite);
    let id = corpus.item(item)?.id.clone();
    let (field_path, span) = match cite {
        Cite::Field(field) => {
            let found = corpus.field(field)?;
            let long =
                found.quote.1 - found.quote.0 > u32::try_from(LONGEST_QUOTE).unwrap_or(u32::MAX);
            let span = if long { found.value } else { found.quote };
            (corpus.pointer(found.place, found.object), span)
        }
        Cite::Sample { series, sample } => {
            let series = corpus.series.get(series as usize)?;
            let sample = corpus.samples.get(sample as usize)?;
            (corpus.pointer(sample.place, series.object), sample.quote)
        }
        Cite::Item(_) => {
            return Some(Citation {
                target: Target::Evidence { id, field_path: String::new() },
                quote: String::new(),
                bytes: None,
            });
        }
    };
    let text = corpus.text(item);
    let start = span.0 as usize;
    let mut end = (span.1 as usize).min(start + LONGEST_QUOTE);
    while end > start && !text.is_char_boundary(end) {
        end -= 1;
    }
    let quote = text.get(start..end)?.to_owned();
    Some(Citation { target: Target::Evidence { id, field_path }, quote, bytes: Some(start..end) })
}

/// The day that the signal speaks of; else the one day on which everything was collected.
fn day_of_incident(corpus: &Corpus<'_>) -> Option<Date> {
    const MOST_FIELDS: usize = 200;
    let signal = corpus.evidence.iter().position(|item| item.kind == EvidenceKind::Signal);
    let in_signal = signal
        .and_then(|number| corpus.roots.get(number))
        .and_then(|root| corpus.object(*root))
        .and_then(|root| {
            (root.fields.0..root.fields.1)
                .take(MOST_FIELDS)
                .flat_map(|field| evidence::values::times(corpus, field))
                .find_map(|time| time.date.filter(|date| date.year >= 1980))
        });
    in_signal.or_else(|| {
        let mut days = corpus
            .evidence
            .iter()
            .filter_map(|item| item.collected_at)
            .filter_map(evidence::values::day_of);
        let first = days.next()?;
        days.all(|day| day == first).then_some(first)
    })
}
