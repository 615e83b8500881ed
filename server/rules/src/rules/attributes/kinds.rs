//! States, types and classes that exclude each other: one thing has one of them at a time.
//!
//! A field with another value of the same group refutes the claimed one where the field is about the claim's
//! subject, stands under a key for states or types, and nothing about that subject has the claimed value.

use gsar_core::text::tokens::words;

use super::Found;
use super::reach::{is_about_kind, is_negligible, needed, tie};
use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::ValueKind;
use crate::matching::candidates::is_line;
use crate::rules::counts::is_universal;
use crate::verdict::note;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::{key, parts};

/// Groups of values of which a thing has one; each sorted by nothing.
const GROUPS: [&[&str]; 24] = [
    &[
        "running",
        "pending",
        "succeeded",
        "failed",
        "completed",
        "crashloopbackoff",
        "imagepullbackoff",
        "errimagepull",
        "containercreating",
        "terminating",
        "evicted",
        "createcontainerconfigerror",
        "podinitializing",
    ],
    &["oomkilled", "completed", "error", "containercannotrun", "deadlineexceeded", "evicted"],
    &["synced", "outofsync"],
    &["healthy", "degraded", "missing", "progressing", "suspended", "unhealthy"],
    &["stable", "rebalancing", "preparingrebalance", "completingrebalance", "empty", "dead"],
    &["open", "closed", "half-open", "half_open"],
    &["enabled", "disabled"],
    &["active", "inactive", "terminating"],
    &["gauge", "counter", "histogram", "summary"],
    &["clusterip", "nodeport", "loadbalancer", "externalname"],
    &["bound", "pending", "lost", "released"],
    &["ready", "notready"],
    &["firing", "resolved", "inactive"],
    &["critical", "warning", "info", "error", "debug"],
    &["high", "medium", "low", "critical"],
    &["rollingupdate", "recreate"],
    &["always", "ifnotpresent", "never", "onfailure"],
    &["manual", "automated", "automatic"],
    &["increasing", "decreasing", "stable", "flat"],
    &["besteffort", "burstable", "guaranteed"],
    &["configmap", "secret", "persistentvolumeclaim", "emptydir", "hostpath", "projected"],
    &["deployment", "statefulset", "daemonset", "job", "cronjob", "configmap", "secret", "ingress"],
    &["passed", "failed", "skipped"],
    &["leader", "follower"],
];

/// Keys under which states and types stand.
const STATE_KEYS: [&str; 26] = [
    "status",
    "state",
    "phase",
    "health",
    "type",
    "kind",
    "severity",
    "priority",
    "mode",
    "trend",
    "policy",
    "role",
    "sync",
    "reason",
    "conclusion",
    "result",
    "outcome",
    "strategy",
    "class",
    "level",
    "condition",
    "qos",
    "lifecycle",
    "stage",
    "verdict",
    "metric_type",
];

/// A state that a claim names: the place of its term, and the groups that have it.
pub(crate) struct Slot {
    place: usize,
    group: &'static [&'static str],
}

/// The states that a claim names.
pub(crate) fn slots(case: &Case<'_, '_, '_>) -> Vec<Slot> {
    let mut found = Vec::new();
    for (place, term) in case.reading.terms.iter().enumerate() {
        if matches!(term.role, Role::Code(_)) || term.span.is_empty() || is_name_part(case, term) {
            continue;
        }
        if tells_event(case.reading.text, term) {
            continue;
        }
        for group in &GROUPS {
            if group.iter().any(|member| is_same(member, term.text)) {
                found.push(Slot { place, group });
            }
        }
    }
    found
}

/// Whether a word tells of something that happened once, which a present state does not deny: "was evicted".
fn tells_event(text: &str, term: &Term<'_>) -> bool {
    const EVENTS: [&str; 2] = ["evicted", "released"];
    const AUXILIARIES: [&str; 8] = ["been", "being", "got", "had", "has", "have", "was", "were"];
    let before = text.get(..term.span.start).and_then(|before| words(before).last());
    EVENTS.iter().any(|event| term.text.eq_ignore_ascii_case(event))
        && before.is_some_and(|word| AUXILIARIES.iter().any(|auxiliary| word.is(auxiliary)))
}

/// Whether a word is a state, however it is joined: "OOM-killed".
fn is_same(state: &str, word: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        text.bytes().filter(|byte| *byte != b'-').map(|byte| byte.to_ascii_lowercase()).collect()
    };
    state.eq_ignore_ascii_case(word) || word.contains('-') && letters(state) == letters(word)
}

/// Whether a word is quoted or joined to what it names: "the job checkout-report".
fn is_name_part(case: &Case<'_, '_, '_>, term: &Term<'_>) -> bool {
    term.role == Role::Kind && {
        let before = case.reading.text.get(..term.span.start).unwrap_or("");
        let article = gsar_core::text::tokens::words(before).last();
        !article
            .is_some_and(|word| word.is("a") || word.is("an") || word.is("type") || word.is("kind"))
    }
}

/// Whether a claim speaks of all of several: "both ledger pods".
fn is_of_several(reading: &Reading<'_>) -> bool {
    let says = |wanted: &str| words(reading.text).any(|word| word.is(wanted));
    is_universal(reading) || ["both", "all", "each", "every", "neither"].iter().any(|all| says(all))
}

/// Whether a word is a state.
pub(crate) fn is_state(word: &str) -> bool {
    GROUPS.iter().any(|group| group.iter().any(|member| member.eq_ignore_ascii_case(word)))
}

/// What the evidence says to a state.
pub(crate) fn weigh(case: &Case<'_, '_, '_>, slot: &Slot, naming: u64) -> Found {
    const MOST: usize = 3_000;
    let Some(term) = case.reading.terms.get(slot.place) else { return Found::Open };
    let bit = 1_u64 << slot.place;
    let needed = needed(case, naming | bit);
    if needed == 0 {
        return Found::Open;
    }
    let mut agreeing: Option<u32> = None;
    let mut differing: Option<u32> = None;
    // The items that have the claimed state, and those that have another.
    let mut items: (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for member in slot.group {
        let is_claimed = is_same(member, term.text);
        // `ready: false` stands under its key, not under a word for it.
        let stands = if *member == "notready" { "ready" } else { member };
        for field in case.corpus.by_word.of(key(stands)).take(MOST) {
            if !has_value(case, field, member) {
                continue;
            }
            let Some(tie) = tie(case, field) else { continue };
            let lacking = needed & !tie.all;
            let lacks = lacking != 0 && !is_negligible(case, field, lacking, tie.all, 0);
            if lacks || !is_about_kind(case, &tie) {
                continue;
            }
            let of = if is_claimed { &mut items.0 } else { &mut items.1 };
            of.push(case.corpus.item_of(field));
            let side = if is_claimed { &mut agreeing } else { &mut differing };
            if side.is_none_or(|before| field < before) {
                *side = Some(field);
            }
        }
    }
    // Where another item says otherwise of the same, the evidence disagrees with itself.
    let is_disputed = items.1.iter().any(|item| !items.0.contains(item))
        || differing.is_some() && slot.group.contains(&"notready");
    match (agreeing, differing) {
        (Some(field), None) if !term.negated => Found::Agrees(field),
        (Some(field), _) if !term.negated && !is_disputed && !is_of_several(case.reading) => {
            Found::Agrees(field)
        }
        (None, Some(field)) if !term.negated => Found::Differs(field, note::says(case, field)),
        _ => Found::Open,
    }
}

/// Whether a field has a state for its value: alone or at the start of it, or as a cell of a row.
fn has_value(case: &Case<'_, '_, '_>, field: u32, member: &str) -> bool {
    let corpus = case.corpus;
    let Some(found) = corpus.field(field) else { return false };
    let value = corpus.value(field);
    if let Some(is_ready) = readiness(corpus.name(field), found.kind, value) {
        return member == if is_ready { "ready" } else { "notready" };
    }
    if found.kind != ValueKind::Text {
        return false;
    }
    if is_line(corpus, field) {
        let cells: Vec<&str> = if value.contains(" | ") {
            value.split(" | ").map(str::trim).collect()
        } else {
            value.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
        };
        return cells.len() >= 3 && cells.iter().any(|cell| cell.eq_ignore_ascii_case(member));
    }
    if has_pair(value, member) {
        return true;
    }
    let name = corpus.name(field);
    let is_state_key = STATE_KEYS.iter().any(|state| {
        name.eq_ignore_ascii_case(state)
            || parts(name).any(|part| part.eq_ignore_ascii_case(state))
            || name.split(' ').any(|part| part.eq_ignore_ascii_case(state))
    });
    let first = value.split([' ', '(', ',']).next().unwrap_or("");
    is_state_key && first.eq_ignore_ascii_case(member)
}

/// Whether a text has a state as a pair: `reason=OOMKilled`.
fn has_pair(text: &str, member: &str) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let key =
            text.get(..at).unwrap_or("").rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        let value = text.get(at + 1..).unwrap_or("");
        let value = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        value.eq_ignore_ascii_case(member)
            && key.is_some_and(|key| STATE_KEYS.iter().any(|state| key.eq_ignore_ascii_case(state)))
    })
}

/// What `ready: true` or the cell `0/1` of a column READY says; nothing wanted is neither.
fn readiness(name: &str, kind: ValueKind, value: &str) -> Option<bool> {
    if !name.eq_ignore_ascii_case("ready") {
        return None;
    }
    match kind {
        ValueKind::True => return Some(true),
        ValueKind::False => return Some(false),
        ValueKind::Text | ValueKind::Number | ValueKind::Nothing => {}
    }
    let (ready, wanted) = value.split_once('/')?;
    let (ready, wanted) = (ready.trim().parse::<u32>().ok()?, wanted.trim().parse::<u32>().ok()?);
    (wanted > 0).then_some(ready >= wanted)
}
