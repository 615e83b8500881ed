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
use super::polarity::denies_by_word;
use super::portions::{self, Portion, Quantifier, Share};
use super::reading::Role;
use super::ruling::{Basis, Case, Cite, Ruling};
use super::scope;
use super::slots::shows_other;
use super::words::{exact, key};

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
    let says_no = matches!(portion.quantifier, Quantifier::No);
    if portion.is_either && !matches!(portion.quantifier, Quantifier::All(_)) {
        return None;
    }
    if reading.denies != says_no || reading.is_causal() {
        return None;
    }
    if reading.has(MarkerKind::Hedge)
        || !reading.quotations.is_empty()
        || reading.text.contains(" '")
    {
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
    let finding = (chosen < findings.len()).then(|| findings.swap_remove(chosen))?;
    let refuted = finding.ruling.class == Class::Contradicted;
    (!refuted || !states_number(case, finding.item, &portion)).then_some(finding.ruling)
}

/// Whether an item states the claimed number itself, as `total: 12` does: then the list is not what was counted.
fn states_number(case: &Case<'_, '_, '_>, item: u32, portion: &Portion) -> bool {
    const MOST_FIELDS: usize = 4_000;
    let Quantifier::Number { part, .. } = &portion.quantifier else { return false };
    let root = case.corpus.roots.get(item as usize).and_then(|root| case.corpus.object(*root));
    let fields = root.map_or((0, 0), |root| root.fields);
    (fields.0..fields.1)
        .take(MOST_FIELDS)
        .filter(|field| is_total(case.corpus.name(*field)))
        .flat_map(|field| case.cache.values(case.corpus, field))
        .any(|value| agree(part, &value.figure) == Agreement::Same)
}

/// Adds the lists of items that were asked for the very things, though no member has a word of the claim.
fn add_asked_for(case: &Case<'_, '_, '_>, lists: &Lists, reached: &mut Vec<(u32, Vec<Member>)>) {
    for (number, list) in (0_u32..).zip(&lists.all) {
        let stands = case.marks.tool(list.item) | case.marks.around(case.corpus, list.parent);
        if stands != 0 && reached.binary_search_by_key(&number, |(number, _)| *number).is_err() {
            let at = reached.partition_point(|(other, _)| *other < number);
            reached.insert(at, (number, Vec::new()));
        }
    }
}

/// Whether a key says how many there are of something.
fn is_total(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["total", "count", "entries", "hits", "matches", "number", "returned", "rows", "size"]
        .iter()
        .any(|total| name.contains(total))
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
        if wanted & !(self.shown | self.context) != 0 || !self.is_of_kind() {
            return None;
        }
        let ruling = match &self.portion.quantifier {
            Quantifier::Number { part, whole } => self.number(part, whole.as_ref()),
            Quantifier::All(number) => self.all(number.as_ref()),
            Quantifier::No => self.none(),
            Quantifier::Share { share, whole } => self.share(*share, whole.as_ref()),
        }?;
        Some(Finding {
            ruling,
            closeness: (wanted & self.shown).count_ones(),
            item: self.list.item,
        })
    }

    /// Whether the list is one of the things that the claim counts.
    fn is_of_kind(&self) -> bool {
        let kinds = self.case.reading.bits(|term| term.role == Role::Kind && !term.span.is_empty());
        let noun = self.portion.noun;
        let wanted = (kinds & noun) | noun;
        wanted & !(self.shown | self.context) == 0
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
            parent.parent != NONE
                && bits_in(reading, self.case.corpus.heading_words(parent), noun) == noun
        });
        let each = self.members.len() == self.list.members.len()
            && self.members.iter().all(|member| member.named & noun == noun);
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
        self.case
            .corpus
            .around(self.list.parent)
            .all(|(_, around)| around.parent == NONE || !around.is_record)
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
            member
                .fields(corpus)
                .any(|field| corpus.field(field).is_some_and(|found| found.kind == wanted))
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

    fn number(&self, part: &Figure, whole: Option<&Figure>) -> Option<Ruling> {
        let wanted = self.portion.subject | self.portion.predicate;
        let is_whole_list = wanted & self.shown == 0 && self.portion.truth.is_none();
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
        let too_few = part.comparator.is_none()
            && !part.approximate
            && agree(part, &as_figure(number)) == Agreement::Different
            && part.value.mantissa < i128::try_from(number).unwrap_or(i128::MAX);
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
        let meant: Vec<Member> = if scope::is_stretch(self.case) {
            meant.into_iter().filter(|member| self.is_in_window(member)).collect()
        } else {
            meant
        };
        let is_so = |member: &&Member| {
            if self.portion.is_either {
                member.shown & predicate != 0
            } else {
                self.has(member, predicate)
            }
        };
        let so: Vec<&Member> = meant.iter().filter(is_so).collect();
        let example = so.first()?;
        let other = meant.iter().filter(|member| !is_so(member)).find_map(|member| {
            if let Some(truth) = self.portion.truth {
                return self.untrue(member, truth);
            }
            shows_other(self.case, example, member, predicate & self.shown & !member.shown)
        });
        // A field that bears a name of the claim itself shows nothing else.
        let names = self.case.reading.bits(|term| term.role == Role::Entity);
        let other = other.filter(|field| self.case.marks.field(*field) & names == 0);
        if self.list.is_lines && !self.is_asked_for() && other.is_some() {
            return None;
        }
        if let Some(field) = other {
            return Some(Ruling::contradicted(
                Basis::Stated,
                vec![Cite::Field(field)],
                note::says(self.case, field),
            ));
        }
        let agrees =
            number.is_none_or(|number| agree(number, &as_figure(so.len())) == Agreement::Same);
        if so.len() != meant.len()
            || !agrees
            || !self.is_complete()
            || so.iter().any(|member| self.denies(member))
        {
            return None;
        }
        let says = note::count(self.case, self.list.item, so.len(), meant.len());
        Some(Ruling::grounded(Basis::Derived, self.cites(&so), says))
    }

    /// "Each call took longer than five seconds": every member states a quantity that keeps to it.
    fn bounded(&self, wanted: Wanted) -> Option<Ruling> {
        let meant = self.with(self.portion.subject | self.portion.predicate);
        let all =
            if meant.is_empty() { self.everyone() } else { meant.into_iter().cloned().collect() };
        let bounds = bounds::read(self.case.reading, &self.portion.bounds)?;
        let ruling = bounds::weigh(self.case, &all, &bounds, wanted, self.portion)?;
        (ruling.class == Class::Contradicted || self.is_complete()).then_some(ruling)
    }

    fn share(&self, share: Share, whole: Option<&Figure>) -> Option<Ruling> {
        let (subject, predicate) = (self.portion.subject, self.portion.predicate);
        if predicate & self.shown == 0 || !self.is_complete() {
            return None;
        }
        let all = if subject & self.shown == 0 {
            self.list.members.len()
        } else {
            self.with(subject).len()
        };
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

    /// The field of a member that has the other truth value.
    fn untrue(&self, member: &Member, truth: bool) -> Option<u32> {
        let other = if truth { ValueKind::False } else { ValueKind::True };
        let corpus = self.case.corpus;
        member
            .fields(corpus)
            .find(|field| corpus.field(*field).is_some_and(|found| found.kind == other))
    }

    fn none(&self) -> Option<Ruling> {
        let wanted = self.portion.subject | self.portion.predicate;
        if !self.portion.bounds.is_empty() {
            return self.bounded(Wanted::None);
        }
        // "No event came more than 40 minutes late" denies the figure, not the events.
        let denies_figure = !self.case.reading.figures.figures.is_empty();
        if denies_figure || self.portion.predicate & self.shown == 0 {
            return None;
        }
        // "No pod": the list has to be one of pods.
        let stands = self.case.marks.around(self.case.corpus, self.list.parent)
            | self.case.marks.tool(self.list.item);
        let is_of_things = self.portion.noun & stands != 0 && self.portion.excepted == 0;
        if !is_of_things || self.list.is_lines && !self.portion.is_of_listing {
            return None;
        }
        let so = self.with(wanted);
        let first = so.first().filter(|member| !self.denies(member))?;
        let field = first.field?;
        Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            note::says(self.case, field),
        ))
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
                    || self.case.marks.tool(self.list.item)
                        & (self.portion.subject | self.portion.predicate)
                        != 0
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

/// Whether a negation in a line reaches a word that the claim has too, or the line denies it by a word.
fn denies_words(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let line = case.corpus.value(field);
    let ours = |word: &str| bits_in(case.reading, &[key(word), exact(word)], u64::MAX) != 0;
    denies_by_word(line) || words(line).any(|word| ours(word.text) && negates(line, &word.span))
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

/// The members with what they show where it is shown best: as a name, as a whole value, in a short one, in prose.
fn as_values(members: &[Member]) -> Vec<Member> {
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
