//! Claims about how many members of a list are so: three pods, all calls, no node, one only.
//!
//! Each list that the index leads to is tallied: a member is meant when it has the words of the subject, and is so
//! when it has those of the predicate. A word that no member has must stand around the list, or in the request.
//! What a member lacks refutes only where it shows something else in the very place.

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Figure, agree};
use gsar_core::text::polarity::{MarkerKind, negates};
use gsar_core::text::tokens::words;

use super::bounds::{self, Wanted};
use super::candidates::Target;
use super::closed::{Extent, asks_for, extent};
use super::counts::{as_figure, in_window};
use super::lists::{List, Lists};
use super::magnitudes::bits_in;
use super::members::{Member, members};
use super::note;
use super::observations::{NONE, ValueKind};
use super::portions::{self, Portion, Quantifier, Share};
use super::reading::Role;
use super::ruling::{Basis, Case, Cite, Ruling};
use super::slots::shows_other;
use super::words::{Key, exact, key};

/// The most members that are cited.
const MOST_CITED: usize = 6;

/// What one list says.
struct Finding {
    ruling: Ruling,
    /// How many of the claim's terms its members have.
    closeness: u32,
    item: u32,
}

/// Decides a claim about a part of a list.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let portion = portions::read(reading)?;
    let says_no = matches!(portion.quantifier, Quantifier::No(_)) || portion.negated != 0;
    let negations = reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation);
    if negations.count() > 1 {
        return None;
    }
    if portion.is_either && !matches!(portion.quantifier, Quantifier::All(_)) {
        return None;
    }
    if reading.has(MarkerKind::Negation) != says_no || reading.is_causal() {
        return None;
    }
    if !reading.quotations.is_empty() || reading.text.contains(" '") {
        return None;
    }
    let lists = case.cache.lists(case.corpus);
    let mut findings: Vec<Finding> = Vec::new();
    let mut reached = members(case, lists)?;
    add_asked_for(case, lists, &mut reached);
    for (number, found) in reached {
        if let Some(list) = lists.list(number)
            && let Some(finding) = Tally::of(case, lists, list, &found, &portion).decide()
        {
            findings.push(finding);
        }
    }
    let closest = findings.iter().map(|finding| finding.closeness).max()?;
    findings.retain(|finding| finding.closeness == closest);
    findings.sort_by_key(|finding| case.corpus.item(finding.item).map(|item| &item.id));
    let grounded = findings.iter().position(|finding| finding.ruling.class == Class::Grounded);
    let chosen = grounded.unwrap_or(0);
    (chosen < findings.len()).then(|| findings.swap_remove(chosen).ruling)
}

/// Adds the lists of items that were asked for the very things, though no member has a word of the claim.
fn add_asked_for(case: &Case<'_, '_, '_>, lists: &Lists, reached: &mut Vec<(u32, Vec<Member>)>) {
    for (number, list) in (0_u32..).zip(&lists.all) {
        let stands = case.marks.tool(list.item) | case.marks.around(case.corpus, list.parent);
        if stands != 0
            && reached.binary_search_by_key(&number, |(number, _)| *number).is_err()
        {
            let at = reached.partition_point(|(other, _)| *other < number);
            reached.insert(at, (number, Vec::new()));
        }
    }
}

/// The members of one list by what they have of a claim.
struct Tally<'a, 'b, 'e, 'c> {
    case: &'a Case<'b, 'e, 'c>,
    list: &'a List,
    portion: &'a Portion,
    /// The members that have any word of the claim; a word in a value of its own does not count in prose.
    members: Vec<Member>,
    /// Terms that stand around the list or in the request.
    context: u64,
    /// Terms that a member shows as a value.
    shown: u64,
    extent: Extent,
}

impl<'a, 'b, 'e, 'c> Tally<'a, 'b, 'e, 'c> {
    fn of(
        case: &'a Case<'b, 'e, 'c>,
        _lists: &Lists,
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
        let item = case.corpus.item(list.item);
        let extent = item.map_or(Extent::Part, |item| extent(item, list.members.len()));
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

    fn decide(&self) -> Option<Finding> {
        let wanted = self.portion.subject | self.portion.predicate;
        let denied = self.members.iter().fold(0, |bits, member| bits | member.denied);
        if wanted & !(self.shown | self.context | denied) != 0 || !self.is_of_kind() {
            return None;
        }
        // `ready: false` in a container and a condition `Ready True`: it is not clear which is meant.
        let predicate = self.portion.predicate;
        let is_unclear = predicate.count_ones() == 1
            && self.members.iter().any(|member| member.shown & member.denied & predicate != 0);
        if is_unclear && self.portion.negated == 0 {
            return None;
        }
        let ruling = match &self.portion.quantifier {
            Quantifier::Number { part, whole } => self.number(part, whole.as_ref()),
            Quantifier::All(number) => self.all(number.as_ref()),
            Quantifier::No(number) => self.none(number.as_ref()),
            Quantifier::Share { share, whole } => self.share(*share, whole.as_ref()),
        }?;
        Some(Finding { ruling, closeness: (wanted & self.shown).count_ones(), item: self.list.item })
    }

    /// Whether the list is one of the things that the claim counts.
    fn is_of_kind(&self) -> bool {
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
    fn sorts(&self) -> u64 {
        self.case.reading.bits(|term| term.role == Role::Kind)
    }

    /// The terms that stand around the list, in the request, or name what every member has.
    fn listed(&self) -> u64 {
        let everywhere = self.members.len() == self.list.members.len();
        let titled = self.members.iter().fold(u64::MAX, |bits, member| bits & member.titled);
        self.case.marks.around(self.case.corpus, self.list.parent)
            | self.case.marks.tool(self.list.item)
            | if everywhere && !self.members.is_empty() { titled } else { 0 }
    }

    /// Whether the sort of thing that the claim names is that of the list: no table of events for pods.
    fn is_of_sort(&self, members: &[&Member]) -> bool {
        let sorts = self.sorts() & self.portion.noun;
        let told = members.iter().fold(sorts, |bits, member| bits & member.exact);
        sorts & !(told | kinds_of(self.case, self.list)) == 0 || self.is_asked_for()
    }

    /// Whether the list itself is of what the claim counts: its heading or the request says so, or each member.
    fn is_asked_for(&self) -> bool {
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
            parent.parent != NONE && noun != 0 && bits_in(reading, heading.last_chunk::<1>().map_or(&[][..], |last| last), noun) == noun
        });
        let each = self.members.len() == self.list.members.len()
            && self.members.iter().all(|member| member.titled & noun == noun);
        if noun == 0 {
            let named = reading.bits(|term| {
                matches!(term.role, Role::Entity | Role::Name | Role::Kind | Role::Word)
                    && (term.role == Role::Kind || !portions::tells_only(term.text))
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
    fn is_outermost(&self) -> bool {
        self.case.corpus.around(self.list.parent).all(|(_, around)| {
            around.parent == NONE || !around.is_record
        })
    }

    /// Whether a member has some terms, as far as members of this list have them at all.
    fn has(&self, member: &Member, terms: u64) -> bool {
        terms & self.shown & !member.shown == 0
            && member.shown & self.portion.excepted == 0
            && self.is_true(member)
            && (self.case.reading.figures.times.is_empty() || self.is_in_window(member))
    }

    /// Whether a field of the member has the truth value that the claim states.
    fn is_true(&self, member: &Member) -> bool {
        self.portion.truth.is_none_or(|truth| {
            let wanted = if truth { ValueKind::True } else { ValueKind::False };
            let corpus = self.case.corpus;
            member.fields(corpus).any(|field| corpus.field(field).is_some_and(|found| found.kind == wanted))
        })
    }

    fn is_in_window(&self, member: &Member) -> bool {
        member.fields(self.case.corpus).any(|field| in_window(self.case, field))
    }

    fn with(&self, terms: u64) -> Vec<&Member> {
        let nothing = terms & self.shown == 0 && self.portion.truth.is_none();
        if nothing && self.case.reading.figures.times.is_empty() {
            return Vec::new();
        }
        self.members.iter().filter(|member| self.has(member, terms)).collect()
    }

    fn number(
        &self,
        part: &Figure,
        whole: Option<&Figure>,
    ) -> Option<Ruling> {
        let listed = self.listed();
        if self.portion.noun & !listed & !self.sorts() != 0 && !self.list.is_lines {
            return None;
        }
        // What the list is of need not stand in each of its members.
        let wanted = (self.portion.subject | self.portion.predicate) & !(self.portion.noun & listed);
        let is_whole_list = wanted & self.shown == 0
            && wanted & !self.context == 0
            && self.portion.truth.is_none()
            && self.portion.negated == 0;
        if is_whole_list && !self.is_asked_for() {
            return None;
        }
        if !self.case.reading.figures.times.is_empty() && is_whole_list {
            return None;
        }
        let satisfied = self.with(wanted);
        if self.portion.is_of_events && !self.list.is_lines && !is_whole_list {
            return None;
        }
        let number = if is_whole_list { self.list.members.len() } else { satisfied.len() };
        let all = match whole {
            Some(_) if self.portion.subject & self.shown == 0 => self.list.members.len(),
            Some(_) => self.with(self.portion.subject).len(),
            None => self.list.members.len(),
        };
        if !self.is_of_sort(&satisfied) {
            return None;
        }
        if number == 0 || satisfied.iter().any(|member| self.denies(member)) {
            return None;
        }
        let same = |figure, number| agree(figure, &as_figure(number)) == Agreement::Same;
        let whole_agrees = whole.is_none_or(|whole| same(whole, all));
        let says = note::count(self.case, self.list.item, number, self.list.members.len());
        let cites = self.cites(&satisfied);
        if same(part, number) && whole_agrees {
            let trusts = self.is_complete();
            return trusts.then(|| Ruling::grounded(Basis::Derived, cites, says));
        }
        if !whole_agrees && self.list.is_lines {
            return None;
        }
        let too_few = part.comparator.is_none() && !part.approximate
            && agree(part, &as_figure(number)) == Agreement::Different
            && part.value.mantissa < i128::try_from(number).unwrap_or(i128::MAX);
        // "One pod is Pending" may be said where several are.
        let spelled = self.case.reading.text.get(part.span.clone()).unwrap_or("");
        let says_only = words(self.case.reading.text)
            .any(|word| ["only", "just", "exactly", "single"].iter().any(|only| word.is(only)));
        if spelled.eq_ignore_ascii_case("one") && too_few && whole.is_none() && !says_only {
            return None;
        }
        let decisive = self.is_complete() || too_few;
        let differs = agree(part, &as_figure(number)) == Agreement::Different
            || !whole_agrees && same(part, number);
        (decisive && differs && self.is_told_apart())
            .then(|| Ruling::contradicted(Basis::Derived, cites, says))
    }

    fn all(&self, number: Option<&Figure>) -> Option<Ruling> {
        let (subject, predicate) = (self.portion.subject, self.portion.predicate);
        if !self.portion.bounds.is_empty() {
            return self.bounded(Wanted::Each);
        }
        if predicate & self.shown == 0 && self.portion.truth.is_none() {
            return None;
        }
        let meant: Vec<Member> = if subject & self.shown == 0 {
            self.everyone()
        } else {
            self.with(subject).into_iter().cloned().collect()
        };
        let is_so = |member: &&Member| {
            if self.portion.is_either {
                member.shown & predicate != 0
            } else {
                self.has(member, predicate)
            }
        };
        let so: Vec<&Member> = meant.iter().filter(is_so).collect();
        if self.portion.is_only && so.is_empty() && subject & self.shown != 0 && self.is_outermost() {
            let field = meant.first().filter(|member| !self.denies(member))?.field?;
            let says = note::says(self.case, field);
            return Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], says));
        }
        let example = so.first()?;
        let other = meant.iter().filter(|member| !is_so(member)).find_map(|member| {
            if let Some(truth) = self.portion.truth {
                return self.untrue(member, truth);
            }
            shows_other(self.case, example, member, predicate & self.shown & !member.shown)
        });
        if let Some(field) = other.filter(|_| self.list.is_lines || self.is_of_sort(&so)) {
            return Some(Ruling::contradicted(
                Basis::Stated,
                vec![Cite::Field(field)],
                note::says(self.case, field),
            ));
        }
        let agrees = number.is_none_or(|number| agree(number, &as_figure(so.len())) == Agreement::Same);
        let too_few = so.len() < 2 && number.is_none() && !self.portion.is_only;
        let trusts = self.is_of_sort(&so) && self.is_complete();
        if so.len() != meant.len() || too_few || !agrees || !trusts || so.iter().any(|member| self.denies(member)) {
            return None;
        }
        let says = note::count(self.case, self.list.item, so.len(), meant.len());
        Some(Ruling::grounded(Basis::Derived, self.cites(&so), says))
    }

    /// "Each call took longer than five seconds": every member states a quantity that keeps to it.
    fn bounded(&self, wanted: Wanted) -> Option<Ruling> {
        let meant = self.with(self.portion.subject | self.portion.predicate);
        let all = if meant.is_empty() { self.everyone() } else { meant.into_iter().cloned().collect() };
        let bounds = bounds::read(self.case.reading, &self.portion.bounds)?;
        let ruling = bounds::weigh(self.case, &all, &bounds, wanted, self.portion)?;
        (ruling.class == Class::Contradicted || self.is_complete()).then_some(ruling)
    }

    fn share(
        &self,
        share: Share,
        whole: Option<&Figure>,
    ) -> Option<Ruling> {
        let (subject, predicate) = (self.portion.subject, self.portion.predicate);
        if predicate & self.shown == 0 || !self.is_complete() {
            return None;
        }
        let all = if subject & self.shown == 0 { self.list.members.len() } else { self.with(subject).len() };
        let so = self.with(subject | predicate);
        let agrees = whole.is_none_or(|whole| agree(whole, &as_figure(all)) == Agreement::Same);
        if all < 2 || !agrees || so.is_empty() || so.iter().any(|member| self.denies(member)) {
            return None;
        }
        let holds = match share {
            Share::Most => so.len() * 2 > all,
            Share::Parts(part, of) => so.len() * of == all * part,
        };
        let says = note::count(self.case, self.list.item, so.len(), all);
        let cites = self.cites(&so);
        if holds {
            return Some(Ruling::grounded(Basis::Derived, cites, says));
        }
        self.is_told_apart().then(|| Ruling::contradicted(Basis::Derived, cites, says))
    }

    /// Every member says of what the claim denies that it is not so.
    fn all_deny(&self, number: Option<&Figure>) -> Option<Ruling> {
        let (subject, predicate) = (self.portion.subject, self.portion.predicate);
        let meant: Vec<Member> = if subject & self.shown == 0 {
            self.everyone()
        } else {
            self.with(subject).into_iter().cloned().collect()
        };
        let deny = meant.iter().all(|member| member.denied & predicate == predicate);
        let agrees = number.is_none_or(|number| agree(number, &as_figure(meant.len())) == Agreement::Same);
        if predicate == 0 || meant.is_empty() || !deny || !agrees || !self.is_complete() {
            return None;
        }
        let says = note::count(self.case, self.list.item, meant.len(), meant.len());
        let cites = self.cites(&meant.iter().collect::<Vec<_>>());
        Some(Ruling::grounded(Basis::Derived, cites, says))
    }

    /// The field of a member that has the other truth value.
    fn untrue(&self, member: &Member, truth: bool) -> Option<u32> {
        let other = if truth { ValueKind::False } else { ValueKind::True };
        let corpus = self.case.corpus;
        member.fields(corpus).find(|field| corpus.field(*field).is_some_and(|found| found.kind == other))
    }

    fn none(&self, number: Option<&Figure>) -> Option<Ruling> {
        let wanted = self.portion.subject | self.portion.predicate;
        if !self.portion.bounds.is_empty() {
            return self.bounded(Wanted::None);
        }
        // "No pod": the list has to be one of pods.
        let stands = self.case.marks.around(self.case.corpus, self.list.parent)
            | self.case.marks.tool(self.list.item);
        let is_of_things = self.portion.noun & stands != 0 && self.portion.excepted == 0;
        if !is_of_things || self.list.is_lines && !self.portion.is_of_listing {
            return None;
        }
        let so = self.with(wanted);
        let denied = self.members.iter().fold(0, |bits, member| bits | member.denied);
        let is_shown = self.portion.predicate & self.shown != 0 && wanted & denied & !self.shown == 0;
        let Some(first) = so.first().filter(|_| is_shown) else {
            return self.all_deny(number);
        };
        let field = first.field.filter(|_| !self.denies(first))?;
        Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], note::says(self.case, field)))
    }

    /// All members, also those without a word of the claim.
    fn everyone(&self) -> Vec<Member> {
        let mut everyone = with_all(self.list, &self.members);
        everyone.retain(|member| member.shown & self.portion.excepted == 0);
        everyone
    }

    /// Whether what the list does not show is not there, as far as the claim reaches.
    fn is_complete(&self) -> bool {
        match self.extent {
            Extent::Whole => true,
            Extent::Window => self.portion.is_of_listing,
            Extent::Filtered => {
                self.portion.is_of_listing
                    || self.case.marks.tool(self.list.item) & (self.portion.subject | self.portion.predicate) != 0
            }
            Extent::Part => false,
        }
    }

    /// Whether a differing number refutes: things in a record are told apart, lines may tell of one thing twice.
    fn is_told_apart(&self) -> bool {
        !self.list.is_lines || self.portion.is_of_listing
    }

    fn denies(&self, member: &Member) -> bool {
        match member.target {
            Target::Line(field) => {
                self.case.cache.polarity(self.case.corpus, field).denies
                    && denies_words(self.case, field)
            }
            Target::Object(_) => false,
        }
    }

    fn cites(&self, members: &[&Member]) -> Vec<Cite> {
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

/// The members with their names only where most members bear them: `service`, not `dependency`.
fn by_usual_key(members: &[Member]) -> Vec<Member> {
    let mut uses: Vec<(u64, Key, usize)> = Vec::new();
    for (bits, key) in members.iter().flat_map(|member| &member.keyed) {
        match uses.iter_mut().find(|(known, other, _)| known == bits && other == key) {
            Some((.., number)) => *number += 1,
            None => uses.push((*bits, *key, 1)),
        }
    }
    let best = |bits: u64| {
        let of = uses.iter().filter(|(known, ..)| *known == bits);
        of.max_by_key(|(_, key, number)| (*number, std::cmp::Reverse(*key))).map(|(_, key, _)| *key)
    };
    let usual = |member: &Member| {
        member.keyed.iter().fold(0, |all, (bits, key)| if best(*bits) == Some(*key) { all | bits } else { all })
    };
    let names = uses.iter().fold(0, |all, (bits, ..)| all | bits);
    members
        .iter()
        .map(|member| {
            let usual = usual(member);
            Member {
                borne: member.borne & !names | usual,
                exact: member.exact & !names | usual,
                ..member.clone()
            }
        })
        .collect()
}

/// The members with what they show where it is shown best: as a name, as a whole value, in a short one, in prose.
fn as_values(members: &[Member]) -> Vec<Member> {
    let members = &by_usual_key(members);
    let union = |bits: fn(&Member) -> u64| members.iter().fold(0, |all, member| all | bits(member));
    let borne = union(|member| member.borne);
    let exact = union(|member| member.exact) & !borne;
    let short = union(|member| member.short) & !(borne | exact);
    let best = |member: &Member| {
        member.borne & borne
            | member.exact & exact
            | member.short & short
            | member.shown & !(borne | exact | short)
    };
    members.iter().map(|member| Member { shown: best(member), ..member.clone() }).collect()
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
