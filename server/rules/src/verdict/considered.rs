//! What the rules saw in a claim, and which places of the evidence they weighed: for a person who wonders why.
//!
//! Nothing here decides. Each line is a sentence of its own.

use crate::claim::reading::{Reading, Role};
use crate::matching::candidates::Target;
use crate::matching::fit::{Except, Fit, fields, fit};
use crate::verdict::decide::item_number;
use crate::verdict::note::shortened;
use crate::verdict::ruling::{Case, Cite};

/// The most places told of for one claim.
const MOST_PLACES: usize = 5;

/// How a claim, or one clause of it, was read and what was weighed for it.
pub(crate) fn considered(case: &Case<'_, '_, '_>) -> Vec<String> {
    let mut lines = vec![reading(case.reading)];
    let fits = case
        .candidates
        .iter()
        .take(MOST_PLACES)
        .map(|candidate| fit(case, *candidate, Except::default()));
    lines.extend(fits.map(|fit| place(case, &fit)));
    if case.candidates.is_empty() {
        lines.push("no place in the evidence has half of it".to_owned());
    }
    lines
}

/// What a clause asks of the evidence.
fn reading(reading: &Reading<'_>) -> String {
    let mut parts = vec![format!("reads `{}`", shortened(reading.text.trim()))];
    let of_role = |accepts: fn(Role) -> bool| -> Vec<&str> {
        reading.terms.iter().filter(|term| accepts(term.role)).map(|term| term.text).collect()
    };
    let mut add = |what: &str, words: Vec<&str>| {
        if !words.is_empty() {
            parts.push(format!("{what} {}", words.join(", ")));
        }
    };
    add("names", of_role(|role| matches!(role, Role::Entity | Role::Name | Role::Code(_))));
    add("words", of_role(|role| role == Role::Word));
    add("sorts of things", of_role(|role| role == Role::Kind));
    add("not needed", of_role(|role| role == Role::Common));
    add("order, extreme or trend", of_role(|role| matches!(role, Role::Demand(_))));
    let written = |span: &std::ops::Range<usize>| reading.text.get(span.clone()).unwrap_or("");
    add("figures", reading.figures.figures.iter().map(|figure| written(&figure.span)).collect());
    add("times", reading.figures.times.iter().map(|time| written(&time.span)).collect());
    add("cues", reading.markers.iter().map(|marker| written(&marker.span)).collect());
    parts.join("; ")
}

/// What a place has of the claim, and what not.
fn place(case: &Case<'_, '_, '_>, fit: &Fit) -> String {
    let terms = |bits: u64| -> Vec<&str> {
        let terms = case.reading.terms.iter().enumerate();
        terms.filter(|(place, _)| bits >> place & 1 == 1).map(|(_, term)| term.text).collect()
    };
    let field = match fit.candidate.target {
        Target::Line(field) => field,
        Target::Object(_) => fields(case.corpus, fit.candidate.target)
            .max_by_key(|field| (case.marks.field(*field).count_ones(), std::cmp::Reverse(*field)))
            .unwrap_or_default(),
    };
    let (cite, quote) = (Cite::Field(field), case.corpus.line(field));
    let item = case.corpus.item(item_number(case, cite));
    let id = item.map_or_else(String::new, |item| item.id.to_string());
    let needed = case.reading.bits(|term| !matches!(term.role, Role::Kind | Role::Common));
    let lacking = terms(needed & !fit.found);
    let mut parts = vec![format!("weighed {id} `{}`", shortened(quote))];
    if !lacking.is_empty() {
        parts.push(format!("lacks {}", lacking.join(", ")));
    }
    if fit.open > 0 {
        parts.push(format!(
            "says nothing to {} of {} figures, times and states",
            fit.open, fit.parts
        ));
    }
    if let Some((_, otherwise)) = fit.refutations.first() {
        parts.push(format!("says otherwise: {otherwise}"));
    }
    if fit.polarity_differs {
        parts.push("denies what the claim says, or the other way round".to_owned());
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use gsar_core::{Claim, ClaimId};

    use crate::Observations;
    use crate::tests::text;

    #[test]
    fn it_tells_what_was_read_and_what_was_weighed() {
        let evidence = [text(
            "pods",
            "kubectl get pods",
            "NAME     READY   STATUS    RESTARTS\ncart-1   1/1     Running   4\n",
        )];
        let claim = Claim {
            id: ClaimId::new("c1").unwrap(),
            text: "The pod cart-1 restarted 5 times at 14:02".to_owned(),
            span: None,
        };
        let considered = Observations::read(&evidence).considered(&[claim]);
        let lines = considered.first().unwrap();
        assert_eq!(
            lines.first().unwrap(),
            "reads `The pod cart-1 restarted 5 times at 14:02`; names cart-1; words restarted; sorts of things pod; figures 5; times 14:02"
        );
        assert!(lines[1].starts_with("weighed pods `cart-1"), "{lines:?}");
        assert!(lines[1].contains("4"), "{lines:?}");
    }
}
