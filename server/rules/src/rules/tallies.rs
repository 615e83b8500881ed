//! Claims about how many members of a list are so: three pods, all calls, no node, one only.
//!
//! Each list that the index leads to is tallied: a member is meant when it has the words of the subject, and is so
//! when it has those of the predicate. A word that no member has must stand around the list, or in the request.
//! What a member lacks refutes only where it shows something else in the very place.

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Figure, agree};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::portions::{self, Portion, Quantifier, Share};
use crate::claim::reading::Role;
use crate::evidence::lists::Lists;
use crate::evidence::observations::ValueKind;
use crate::matching::magnitudes::bits_in;
use crate::matching::members::{Member, members};
use crate::matching::scope;
use crate::matching::slots::shows_other;
use crate::rules::bounds::{self, Wanted};
use crate::rules::counts::as_figure;
use crate::rules::tally::Tally;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

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
            && let Some(finding) = Tally::of(case, list, &found, &portion).decide()
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
    let unsure =
        refuted && (restricts(reading.text) || states_number(case, finding.item, &portion));
    (!unsure).then_some(finding.ruling)
}

/// Whether a claim narrows what it speaks of by more than names: "with the new value", "every one of them". What the
/// list shows of all of them then refutes nothing.
fn restricts(text: &str) -> bool {
    const NARROWING: [&str; 26] = [
        "again",
        "another",
        "current",
        "earlier",
        "following",
        "further",
        "latest",
        "new",
        "newer",
        "next",
        "old",
        "older",
        "other",
        "others",
        "previous",
        "remaining",
        "rest",
        "same",
        "such",
        "that",
        "them",
        "then",
        "these",
        "they",
        "this",
        "those",
    ];
    words(text).any(|word| NARROWING.iter().any(|narrowing| word.is(narrowing)))
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

/// Whether a field says that there is nothing of what its key names.
fn is_nothing(case: &Case<'_, '_, '_>, field: u32) -> bool {
    case.cache.values(case.corpus, field).iter().any(|value| value.figure.value.mantissa == 0)
}

/// Whether a key says how many there are of something.
fn is_total(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["total", "count", "entries", "hits", "matches", "number", "returned", "rows", "size"]
        .iter()
        .any(|total| name.contains(total))
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

impl Tally<'_, '_, '_, '_> {
    fn decide(&self) -> Option<Finding> {
        let wanted = self.portion.subject | self.portion.predicate;
        let denied = self.members.iter().fold(0, |bits, member| bits | member.denied);
        let commons = self.case.reading.bits(|term| term.role == Role::Common);
        if wanted & !(self.shown | self.context | denied | commons) != 0 || !self.is_of_kind() {
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
        Some(Finding {
            ruling,
            closeness: (wanted & self.shown).count_ones(),
            item: self.list.item,
        })
    }

    fn number(&self, part: &Figure, whole: Option<&Figure>) -> Option<Ruling> {
        let listed = self.listed();
        if self.portion.noun & !listed & !self.sorts() != 0 && !self.list.is_lines {
            return None;
        }
        // What the list is of need not stand in each of its members.
        let wanted =
            (self.portion.subject | self.portion.predicate) & !(self.portion.noun & listed);
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
        if !whole_agrees && (self.list.is_lines || all < 2) {
            return None;
        }
        let too_few = part.comparator.is_none()
            && !part.approximate
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
        if self.portion.is_only && so.is_empty() && subject & self.shown != 0 && self.is_outermost()
        {
            let field = meant.first().filter(|member| !self.denies(member))?.field?;
            if is_nothing(self.case, field) {
                return None;
            }
            let says = note::says(self.case, field);
            return Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], says));
        }
        let example = so.first()?;
        let other = meant.iter().filter(|member| !is_so(member)).find_map(|member| {
            if let Some(truth) = self.portion.truth {
                return self.untrue(member, truth);
            }
            // A line has to have the rest of what is said, and in that place a word of the same sort.
            let lacks = predicate & self.shown & !member.shown;
            let is_other_line = self.list.is_lines && lacks.count_ones() > 1;
            let other =
                shows_other(self.case, example, member, lacks).filter(|_| !is_other_line)?;
            let asked = !self.list.is_lines || self.portion.is_of_listing || self.is_asked_for();
            (asked || other.is_akin).then_some(other.field)
        });
        // "Only X has Y" where Y is what a key names: who has it, the values say.
        if self.portion.is_only && !self.shows_in_values(subject) {
            return None;
        }
        // A field that bears a name of the claim itself shows nothing else.
        let names = self.case.reading.bits(|term| term.role == Role::Entity);
        let other = other.filter(|field| self.case.marks.field(*field) & names == 0);
        if self.list.is_lines && !self.is_asked_for() && other.is_some() {
            return None;
        }
        if let Some(field) = other.filter(|_| self.list.is_lines || self.is_of_sort(&so)) {
            return Some(Ruling::contradicted(
                Basis::Stated,
                vec![Cite::Field(field)],
                note::says(self.case, field),
            ));
        }
        let agrees =
            number.is_none_or(|number| agree(number, &as_figure(so.len())) == Agreement::Same);
        let too_few = so.len() < 2 && number.is_none() && !self.portion.is_only;
        let trusts = self.is_of_sort(&so) && self.is_complete();
        if so.len() != meant.len()
            || too_few
            || !agrees
            || !trusts
            || so.iter().any(|member| self.denies(member))
        {
            return None;
        }
        let says = note::count(self.case, self.list.item, so.len(), meant.len());
        Some(Ruling::grounded(Basis::Derived, self.cites(&so), says))
    }

    /// Whether some member shows terms in values of its own, not in keys only.
    fn shows_in_values(&self, terms: u64) -> bool {
        let corpus = self.case.corpus;
        let in_values =
            self.members.iter().flat_map(|member| member.fields(corpus)).fold(0, |bits, field| {
                let words = corpus.field(field).map_or(&[][..], |found| corpus.value_words(found));
                bits | bits_in(self.case.reading, words, terms)
            });
        terms & in_values != 0
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

    /// Every member says of what the claim denies that it is not so.
    fn all_deny(&self, number: Option<&Figure>) -> Option<Ruling> {
        let (subject, predicate) = (self.portion.subject, self.portion.predicate);
        let meant: Vec<Member> = if subject & self.shown == 0 {
            self.everyone()
        } else {
            self.with(subject).into_iter().cloned().collect()
        };
        let deny = meant.iter().all(|member| member.denied & predicate == predicate);
        let agrees =
            number.is_none_or(|number| agree(number, &as_figure(meant.len())) == Agreement::Same);
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
        member
            .fields(corpus)
            .find(|field| corpus.field(*field).is_some_and(|found| found.kind == other))
    }

    fn none(&self, number: Option<&Figure>) -> Option<Ruling> {
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
        let denied = self.members.iter().fold(0, |bits, member| bits | member.denied);
        let is_shown =
            self.portion.predicate & self.shown != 0 && wanted & denied & !self.shown == 0;
        let Some(first) = so.first().filter(|_| is_shown) else {
            return self.all_deny(number);
        };
        let field = first.field.filter(|_| !self.denies(first))?;
        Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            note::says(self.case, field),
        ))
    }
}
