//! A name that the evidence does not have at all, where it has another of that sort in the very place: "the violated
//! constraint is orders_pkey" against `violates unique constraint "users_pkey"`.
//!
//! The claim says of what sort the name is by the noun beside it. A field that states that noun with a name, and has
//! the claim's other names and words, says otherwise. Nothing is refuted where the one name is a part of the other:
//! reports shorten names.

use gsar_core::text::figures::CodeKind;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::{Word, is_stop_word, words};

use crate::claim::reading::{Role, Term};
use crate::matching::candidates::{Target, is_line};
use crate::rules::attributes::is_light;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::words::{Key, key, parts};

/// The most fields looked at for one noun.
const MOST_FIELDS: usize = 2_000;

/// Decides a claim whose one unknown name stands against another.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let denied = reading.denies || reading.has(MarkerKind::Negation);
    if denied
        || reading.has(MarkerKind::Hedge)
        || reading.has_alternatives()
        || reading.is_causal()
        || reading.has_open_order()
        || !reading.figures.times.is_empty()
        || reading.means(Sense::Change)
    {
        return None;
    }
    let anywhere = case.marks.anywhere();
    let mut unknown = reading.terms.iter().enumerate().filter(|(place, term)| {
        term.is_strict() && !term.span.is_empty() && anywhere >> place & 1 == 0
    });
    let (Some((place, term)), None) = (unknown.next(), unknown.next()) else { return None };
    let is_ordinal = term.text.starts_with(|c: char| c.is_ascii_digit())
        && ["st", "nd", "rd", "th"].iter().any(|ending| term.text.ends_with(ending));
    let is_number = term.text.bytes().all(|byte| byte.is_ascii_digit());
    if is_ordinal
        || is_number
        || matches!(term.role, Role::Code(CodeKind::Date | CodeKind::Issue | CodeKind::Port))
    {
        return None;
    }
    if !is_what_is_said(reading.text, term) {
        return None;
    }
    nouns(case, term).into_iter().find_map(|noun| {
        let found = other(case, place, term, &noun)?;
        let says = format!("{}, not {}", note::says(case, found), term.text);
        Some(Ruling::contradicted(Basis::Derived, vec![Cite::Field(found)], says))
    })
}

/// Whether a name is what a claim says of something ("runs on X", "the constraint is X"), and not that of which it says
/// something: what holds of another thing refutes nothing of this one.
fn is_what_is_said(text: &str, term: &Term<'_>) -> bool {
    const LEADS: [&str; 46] = [
        "is",
        "was",
        "are",
        "were",
        "be",
        "been",
        "called",
        "named",
        "runs",
        "ran",
        "running",
        "uses",
        "used",
        "using",
        "on",
        "to",
        "into",
        "from",
        "by",
        "with",
        "at",
        "in",
        "as",
        "under",
        "pull",
        "pulls",
        "pulled",
        "pulling",
        "request",
        "requests",
        "requested",
        "reference",
        "references",
        "referenced",
        "deploys",
        "deployed",
        "mounts",
        "mounted",
        "violates",
        "violated",
        "selects",
        "selected",
        "needs",
        "wants",
        "expects",
        "expected",
    ];
    let before: Vec<Word<'_>> = words(text.get(..term.span.start).unwrap_or("")).collect();
    before.iter().rev().take(4).any(|word| LEADS.iter().any(|lead| word.is(lead)))
        && !before.iter().rev().take(2).any(|word| word.is("of") || word.is("for"))
}

/// The noun that says what sort of name one is.
struct Noun {
    /// The keys of the word.
    keys: Vec<Key>,
    /// The bits of its terms.
    bits: u64,
}

/// The nouns beside a name: "the constraint is X", "a claim called X", "the X node".
fn nouns(case: &Case<'_, '_, '_>, term: &Term<'_>) -> Vec<Noun> {
    const LINKING: [&str; 9] =
        ["called", "named", "number", "name", "set", "kept", "labelled", "titled", "now"];
    let reading = case.reading;
    let is_noun = |word: &Word<'_>| {
        !is_stop_word(word.text) && !LINKING.iter().any(|linking| word.is(linking))
    };
    let all: Vec<Word<'_>> = words(reading.text).collect();
    let before = all.iter().rev().filter(|word| word.span.end <= term.span.start);
    let before = before.take(4).find(|word| is_noun(word));
    let after = all.iter().find(|word| word.span.start >= term.span.end);
    let after = after.filter(|word| {
        is_noun(word) && reading.text.get(term.span.end..word.span.start) == Some(" ")
    });
    let noun = |word: &Word<'_>| {
        let bits = reading.bits(|term| term.span == word.span);
        let mut keys = vec![key(word.text)];
        if ["version", "tag", "release"].iter().any(|version| word.is(version)) {
            keys.extend(["version", "tag", "image"].iter().map(|version| key(version)));
        }
        Noun { keys, bits }
    };
    before.into_iter().chain(after).map(noun).collect()
}

/// A field that states the noun with another name, and has what else the claim says.
fn other(case: &Case<'_, '_, '_>, place: usize, term: &Term<'_>, noun: &Noun) -> Option<u32> {
    let mut fields: Vec<u32> =
        noun.keys.iter().flat_map(|key| case.corpus.by_word.of(*key).take(MOST_FIELDS)).collect();
    fields.sort_unstable();
    fields.dedup();
    let mut found = None;
    for field in fields {
        let mut stated = stated_names(case, field, noun);
        stated.retain(|name| is_alike(term.text, bare(name)));
        if stated.is_empty() || !is_tied(case, field, noun.bits | 1 << place) {
            continue;
        }
        if stated.iter().any(|name| is_part(term.text, bare(name))) {
            return None;
        }
        found = found.or(Some(field));
    }
    found
}

/// The names that a field states with a noun: under a key of it, or right after it.
fn stated_names<'a>(case: &Case<'a, '_, '_>, field: u32, noun: &Noun) -> Vec<&'a str> {
    const TELLING_NOTHING: [&str; 4] = ["name", "ref", "number", "tag"];
    let (name, value) = (case.corpus.name(field), case.corpus.value(field));
    let is_noun = |word: &str| noun.keys.contains(&key(word));
    let is_covered = |word: &str| {
        is_noun(word) || TELLING_NOTHING.iter().any(|nothing| word.eq_ignore_ascii_case(nothing))
    };
    let is_key = is_noun(name)
        || parts(name).any(is_noun) && parts(name).all(is_covered)
        || name.contains(' ') && words(name).all(|word| is_covered(word.text));
    if is_key && !value.is_empty() && !value.contains([' ', ',']) {
        return vec![value];
    }
    let all: Vec<Word<'a>> = words(value).collect();
    all.windows(2)
        .filter_map(|pair| {
            let [first, second] = pair else { return None };
            let gap = value.get(first.span.end..second.span.start)?;
            let is_joined = !gap.is_empty() && gap.chars().all(|c| " \"'`:=#\\".contains(c));
            (is_joined && is_noun(first.text) && is_name(second.text)).then_some(second.text)
        })
        .collect()
}

/// Whether a word looks like a name: it has digits, joints or inner capitals.
fn is_name(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or("");
    word.bytes().any(|byte| byte.is_ascii_digit())
        || word.contains(['-', '_', '.'])
        || inner.bytes().any(|byte| byte.is_ascii_uppercase())
            && inner.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A name without its registry, repository or scheme: the tag of `registry.example.com/shop/api:v2`.
fn bare(name: &str) -> &str {
    name.trim_end_matches('.').rsplit(['/', ':']).next().unwrap_or("")
}

/// Whether two names are of one shape: numbers, versions, names with joints, plain words.
fn is_alike(claimed: &str, stated: &str) -> bool {
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let is_version = |name: &str| {
        let bare = name.strip_prefix('v').unwrap_or(name);
        bare.starts_with(|c: char| c.is_ascii_digit()) && bare.contains('.')
    };
    !stated.is_empty()
        && is_number(claimed) == is_number(stated)
        && is_version(claimed) == is_version(stated)
        && is_name(claimed) == is_name(stated)
}

/// Whether one name is a part of the other.
fn is_part(claimed: &str, stated: &str) -> bool {
    let (one, two) = (claimed.to_ascii_lowercase(), stated.to_ascii_lowercase());
    one.contains(&two) || two.contains(&one)
}

/// Whether a field has what else a claim says: its other names, and all but one of its words where it has names.
fn is_tied(case: &Case<'_, '_, '_>, field: u32, accounted: u64) -> bool {
    let (corpus, reading) = (case.corpus, case.reading);
    let Some(found) = corpus.field(field) else { return false };
    let target = if is_line(corpus, field) {
        Target::Line(field)
    } else {
        Target::Object(corpus.record(found.object))
    };
    let around = case.marks.around(corpus, found.object) | case.marks.field(field);
    let here = case.marks.candidate(corpus, target).terms | around;
    let names = reading.bits(Term::is_strict) & !accounted;
    let content = reading.bits(|term| {
        term.role == Role::Word && !is_light(term.text)
            || matches!(term.role, Role::Demand(_)) && !is_light(term.text)
    }) & !accounted;
    let sorts = reading.bits(|term| term.role == Role::Kind) & !accounted;
    let lacking = (content & !here).count_ones();
    let is_hard = corpus.item(corpus.item_of(field)).is_some_and(|item| item.lane.is_hard());
    let tied = names & here | sorts & here;
    is_hard
        && names & !here == 0
        && (lacking == 0 && (tied | content & here) != 0 || lacking == 1 && names & here != 0)
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, text};

    #[test]
    fn an_unknown_name_stands_against_the_one_of_its_sort() {
        let log = text(
            "log",
            "logs billing-worker",
            "2026-03-02T10:00:01Z ERROR billing-worker insert failed: duplicate key value violates unique \
             constraint \"invoice_pkey\"\n\
             2026-03-02T10:00:09Z WARN billing-worker pulling image \"registry.local/billing:v3.1.0\"\n",
        );
        let claim = text(
            "claim",
            "kubectl describe pod ledger-0",
            "Name:         ledger-0\nNamespace:    books\nLabels:       app=ledger\nVolumes:\n  data:\n    \
             ClaimName:  ledger-data-pvc\n",
        );
        expect(
            &[log, claim],
            &[
                ("The violated constraint is invoice_pkey", Grounded),
                ("The violated constraint is customer_pkey", Contradicted),
                ("billing-worker pulls the image billing:v3.7.0", Contradicted),
                ("billing-worker pulls the image billing:v3.1.0", Grounded),
                ("ledger-0 waits for a claim called ledger-wal-pvc", Contradicted),
                // A part of the name may be a short form of it.
                ("ledger-0 waits for a claim called ledger-data", Ungrounded),
                ("payroll-0 waits for a claim called payroll-pvc", Ungrounded),
            ],
        );
    }

    #[test]
    fn other_words_for_the_same_are_read_and_their_contraries_are_not() {
        let log = text(
            "log",
            "journalctl -u gateway",
            "2026-03-02T10:00:01Z gateway upstream switchover initiated\n\
             2026-03-02T10:00:04Z gateway connection to cache-2 aborted: context deadline exceeded\n\
             2026-03-02T10:00:09Z gateway route /beta removed\n\
             2026-03-02T10:00:12Z gateway secrets is forbidden: user reporter cannot list secrets\n",
        );
        expect(
            &[log],
            &[
                ("The upstream switchover was kicked off at 10:00:01Z", Grounded),
                ("The upstream switchover was kicked off at 10:00:31Z", Ungrounded),
                ("The upstream switchover was wound down at 10:00:01Z", Ungrounded),
                ("gateway gave up its connection to cache-2", Grounded),
                ("gateway gave up its connection to cache-3", Ungrounded),
                ("The gateway route /beta was taken out", Grounded),
                ("The gateway route /beta was brought in", Ungrounded),
            ],
        );
    }
}
