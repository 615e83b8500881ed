//! One list and what its members have of a claim: which are meant, which are so, and whether the list is one of the
//! things that the claim names.

use gsar_core::text::polarity::negates;
use gsar_core::text::tokens::words;

use crate::claim::phrases;
use crate::claim::portions::{Portion, Quantifier};
use crate::claim::reading::Role;
use crate::evidence::closed::{Extent, asks_for};
use crate::evidence::lists::List;
use crate::evidence::observations::{NONE, ValueKind};
use crate::matching::best_values::as_values;
use crate::matching::candidates::Target;
use crate::matching::magnitudes::bits_in;
use crate::matching::members::Member;
use crate::rules::counts::in_window;
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::words::{exact, key};

/// The most members that are cited.
const MOST_CITED: usize = 6;

/// The members of one list by what they have of a claim.
pub(crate) struct Tally<'a, 'b, 'e, 'c> {
    pub(crate) case: &'a Case<'b, 'e, 'c>,
    pub(crate) list: &'a List,
    pub(crate) portion: &'a Portion,
    /// The members that have any word of the claim; a word in a value of its own does not count in prose.
    pub(crate) members: Vec<Member>,
    /// Terms that stand around the list or in the request.
    pub(crate) context: u64,
    /// Terms that a member shows as a value.
    pub(crate) shown: u64,
    extent: Extent,
}

impl<'a, 'b, 'e, 'c> Tally<'a, 'b, 'e, 'c> {
    /// Tallies the members that have any word of the claim.
    pub(crate) fn of(
        case: &'a Case<'b, 'e, 'c>,
        list: &'a List,
        members: &[Member],
        portion: &'a Portion,
    ) -> Self {
        let mut members = if list.is_lines { members.to_vec() } else { as_values(members) };
        if portion.truth.is_some() {
            members = with_all(list, &members);
        }
        for member in &mut members {
            let clear = member.denied & !member.shown;
            member.shown = member.shown & !portion.negated | clear & portion.negated;
        }
        let extent = list.extent;
        let named = members.iter().fold(0, |bits, member| bits | member.named);
        Self {
            case,
            list,
            portion,
            context: case.marks.around(case.corpus, list.parent)
                | case.marks.tool(list.item)
                | named & portion.noun
                | kinds_of(case, list),
            shown: members.iter().fold(0, |bits, member| bits | member.shown),
            members,
            extent,
        }
    }

    /// Whether the list is one of the things that the claim counts.
    pub(crate) fn is_of_kind(&self) -> bool {
        let noun = self.portion.noun;
        // A list within a record of another: the containers of one of several pods.
        if !self.is_outermost() {
            let parent = self.case.corpus.object(self.list.parent);
            let heading = parent.map_or(0, |parent| {
                bits_in(self.case.reading, self.case.corpus.heading_words(parent), noun)
            });
            return noun != 0 && heading == noun;
        }
        if matches!(self.portion.quantifier, Quantifier::All(_)) {
            return true;
        }
        noun & !(self.shown | self.context) == 0
    }

    /// The terms of the claim that name sorts of things.
    pub(crate) fn sorts(&self) -> u64 {
        self.case.reading.bits(|term| term.role == Role::Kind)
    }

    /// The terms that stand around the list, in the request, or name what every member has.
    pub(crate) fn listed(&self) -> u64 {
        let everywhere = self.members.len() == self.list.members.len();
        let titled = self.members.iter().fold(u64::MAX, |bits, member| bits & member.titled);
        self.case.marks.around(self.case.corpus, self.list.parent)
            | self.case.marks.tool(self.list.item)
            | if everywhere && !self.members.is_empty() { titled } else { 0 }
    }

    /// Whether the sort of thing that the claim names is that of the list: no table of events for pods.
    pub(crate) fn is_of_sort(&self, members: &[&Member]) -> bool {
        let sorts = self.sorts() & self.portion.noun;
        let told = members.iter().fold(sorts, |bits, member| bits & member.exact);
        sorts & !(told | kinds_of(self.case, self.list)) == 0 || self.is_asked_for()
    }

    /// Whether the list itself is of what the claim counts: its heading or the request says so, or each member.
    pub(crate) fn is_asked_for(&self) -> bool {
        let reading = self.case.reading;
        let noun = self.portion.noun;
        let keys: Vec<_> = (reading.terms.iter().enumerate())
            .filter(|(place, _)| noun >> place & 1 == 1)
            .flat_map(|(_, term)| term.keys.clone())
            .collect();
        let parent = self.case.corpus.object(self.list.parent);
        let in_heading = parent.is_some_and(|parent| {
            // The last word of `consumer_groups` says what they are; `error_rates` are no errors.
            let heading = self.case.corpus.heading_words(parent);
            parent.parent != NONE
                && noun != 0
                && bits_in(reading, heading.last_chunk::<1>().map_or(&[][..], |last| last), noun)
                    == noun
        });
        let each = self.members.len() == self.list.members.len()
            && self.members.iter().all(|member| member.titled & noun == noun);
        if noun == 0 {
            let named = reading.bits(|term| {
                matches!(term.role, Role::Entity | Role::Name | Role::Kind | Role::Word)
                    && (term.role == Role::Kind || !phrases::tells_only(term.text))
            });
            return named != 0
                && named & !self.case.marks.tool(self.list.item) == 0
                && self.is_outermost();
        }
        let asked = self.case.corpus.item(self.list.item).is_some_and(|item| {
            asks_for(item, |word| keys.contains(&key(word)) || keys.contains(&exact(word)))
        });
        in_heading || each || asked && self.is_outermost()
    }

    /// Whether the list is the item's own, and not one within a record of it.
    pub(crate) fn is_outermost(&self) -> bool {
        self.case
            .corpus
            .around(self.list.parent)
            .all(|(_, around)| around.parent == NONE || !around.is_record)
    }

    /// Whether a member has some terms, as far as members of this list have them at all.
    pub(crate) fn has(&self, member: &Member, terms: u64) -> bool {
        terms & self.shown & !member.shown == 0
            && member.shown & self.portion.excepted == 0
            && self.is_true(member)
            && (self.case.reading.figures.times.is_empty() || self.is_in_window(member))
    }

    /// Whether a field of the member has the truth value that the claim states.
    pub(crate) fn is_true(&self, member: &Member) -> bool {
        self.portion.truth.is_none_or(|truth| {
            let wanted = if truth { ValueKind::True } else { ValueKind::False };
            let corpus = self.case.corpus;
            member
                .fields(corpus)
                .any(|field| corpus.field(field).is_some_and(|found| found.kind == wanted))
        })
    }

    pub(crate) fn is_in_window(&self, member: &Member) -> bool {
        member.fields(self.case.corpus).any(|field| in_window(self.case, field))
    }

    pub(crate) fn with(&self, terms: u64) -> Vec<&Member> {
        let nothing = terms & self.shown == 0 && self.portion.truth.is_none();
        if nothing && self.case.reading.figures.times.is_empty() {
            return Vec::new();
        }
        self.members.iter().filter(|member| self.has(member, terms)).collect()
    }

    /// All members, also those without a word of the claim.
    pub(crate) fn everyone(&self) -> Vec<Member> {
        let mut everyone = with_all(self.list, &self.members);
        everyone.retain(|member| member.shown & self.portion.excepted == 0);
        everyone
    }

    /// Whether what the list does not show is not there, as far as the claim reaches.
    pub(crate) fn is_complete(&self) -> bool {
        match self.extent {
            Extent::Whole => true,
            Extent::Window => self.portion.is_of_listing,
            Extent::Filtered => {
                self.portion.is_of_listing
                    || self.case.marks.tool(self.list.item)
                        & (self.portion.subject | self.portion.predicate)
                        != 0
            }
            Extent::Part => false,
        }
    }

    /// Whether a differing number refutes: things in a record are told apart, lines may tell of one thing twice.
    pub(crate) fn is_told_apart(&self) -> bool {
        !self.list.is_lines || self.portion.is_of_listing
    }

    pub(crate) fn denies(&self, member: &Member) -> bool {
        match member.target {
            Target::Line(field) => {
                self.case.cache.polarity(self.case.corpus, field).denies
                    && denies_words(self.case, field)
            }
            Target::Object(_) => false,
        }
    }

    pub(crate) fn cites(&self, members: &[&Member]) -> Vec<Cite> {
        if members.is_empty() {
            return vec![Cite::Item(self.list.item)];
        }
        members.iter().take(MOST_CITED).filter_map(|member| member.field).map(Cite::Field).collect()
    }
}

/// Whether a negation in a line reaches a word that the claim has too.
fn denies_words(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let line = case.corpus.value(field);
    let ours = |word: &str| bits_in(case.reading, &[key(word), exact(word)], u64::MAX) != 0;
    words(line).any(|word| ours(word.text) && negates(line, &word.span))
}

/// All members of a list, also those without a word of the claim.
fn with_all(list: &List, members: &[Member]) -> Vec<Member> {
    let mut everyone = Vec::with_capacity(list.members.len());
    let mut next = members.iter().peekable();
    for target in &list.members {
        if next.peek().is_some_and(|member| member.target == *target) {
            everyone.extend(next.next().cloned());
        } else {
            everyone.push(Member::without_words(*target));
        }
    }
    everyone
}

/// Kinds that the item or the list is of, by other words than the claim's.
fn kinds_of(case: &Case<'_, '_, '_>, list: &List) -> u64 {
    const OTHER_WORDS: [(&str, &[&str]); 4] = [
        ("alert", &["anomaly", "alarm", "monitor", "alerts"]),
        ("alerts", &["anomaly", "alarm", "monitor", "alert"]),
        ("line", &["log", "logs"]),
        ("event", &["anomaly"]),
    ];
    let Some(item) = case.corpus.item(list.item) else { return 0 };
    let tool = item.tool.to_ascii_lowercase();
    case.reading.bits(|term| {
        OTHER_WORDS.iter().any(|(kind, others)| {
            term.text.eq_ignore_ascii_case(kind) && others.iter().any(|other| tool.contains(other))
        })
    })
}
