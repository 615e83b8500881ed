//! Adds or removes a negation.

use super::numbers::NUMBER_WORDS;
use super::tokens::{Token, at, lower, match_case, replace_span};

/// Negations and their replacements. An empty replacement means that the negation is removed.
#[rustfmt::skip]
const NEGATIONS: [(&str, &str); 9] = [
    ("not", ""), ("no", ""), ("never", ""), ("cannot", "can"), ("without", "with"),
    ("none", "some"), ("nothing", "something"), ("didn't", "did"), ("neither", "either"),
];

/// Words that turn a preceding negation into a comparison.
const DEGREES: [&str; 14] = [
    "quite", "only", "more", "less", "longer", "later", "earlier", "worse", "better", "yet",
    "much", "even", "fewer", "other",
];

/// Auxiliaries followed by an inserted "not".
const AUXILIARIES: [&str; 12] =
    ["is", "are", "was", "were", "will", "can", "could", "does", "did", "do", "would", "should"];

/// Auxiliaries followed by "not" only before a participle: "had not ended", but not "had not a limit".
const PERFECT_AUXILIARIES: [&str; 3] = ["has", "have", "had"];

/// Conjunctions that presuppose what follows.
const PRESUPPOSING: [&str; 4] = ["after", "before", "until", "since"];

/// Words that a finite verb cannot follow.
const NOT_BEFORE_VERB: [&str; 14] = [
    "the", "a", "an", "of", "be", "was", "were", "is", "are", "all", "these", "its", "their", "no",
];

/// Finite verb forms common in reports, with their stems.
#[rustfmt::skip]
const VERBS: [(&str, &str); 58] = [
    ("fired", "fire"), ("ran", "run"), ("came", "come"), ("failed", "fail"), ("passed", "pass"),
    ("peaked", "peak"), ("answered", "answer"), ("started", "start"), ("began", "begin"),
    ("ended", "end"), ("restarted", "restart"), ("rose", "rise"), ("fell", "fall"),
    ("grew", "grow"), ("dropped", "drop"), ("climbed", "climb"), ("reached", "reach"),
    ("lay", "lie"), ("took", "take"), ("returned", "return"), ("logged", "log"),
    ("reported", "report"), ("recorded", "record"), ("showed", "show"), ("exceeded", "exceed"),
    ("lowered", "lower"), ("raised", "raise"), ("changed", "change"), ("removed", "remove"),
    ("added", "add"), ("completed", "complete"), ("finished", "finish"), ("stopped", "stop"),
    ("killed", "kill"), ("lost", "lose"), ("held", "hold"), ("stayed", "stay"), ("served", "serve"),
    ("sent", "send"), ("received", "receive"), ("became", "become"), ("went", "go"),
    ("expired", "expire"), ("increased", "increase"), ("decreased", "decrease"), ("timed", "time"),
    ("found", "find"), ("says", "say"), ("shows", "show"), ("reports", "report"),
    ("contains", "contain"), ("sets", "set"), ("gives", "give"), ("records", "record"),
    ("lists", "list"), ("holds", "hold"), ("carries", "carry"), ("runs", "run"),
];

/// Removes one negation from the claim, or adds one if it has none.
pub(super) fn negations(claim: &str, tokens: &[Token<'_>]) -> Vec<String> {
    let without: Vec<String> = tokens
        .iter()
        .enumerate()
        .filter_map(|(index, token)| {
            let (_, replacement) = NEGATIONS.iter().find(|(word, _)| *word == token.lower)?;
            let next = at(tokens, index, 1);
            if next.is_some_and(|next| DEGREES.contains(&next.lower.as_str())) {
                return None;
            }
            Some(match (*replacement, next) {
                ("", Some(next)) => {
                    let next_word = match_case(next.text, token.text);
                    replace_span(claim, token.span.start..next.span.end, &next_word)
                }
                ("", None) => return None,
                (replacement, _) => {
                    replace_span(claim, token.span.clone(), &match_case(replacement, token.text))
                }
            })
        })
        .collect();
    let has_negation =
        tokens.iter().any(|token| NEGATIONS.iter().any(|(word, _)| *word == token.lower));
    if has_negation { without } else { negate_first_verb(claim, tokens).into_iter().collect() }
}

fn negate_first_verb(claim: &str, tokens: &[Token<'_>]) -> Option<String> {
    tokens.iter().enumerate().find_map(|(index, token)| {
        let word = token.lower.as_str();
        let next = lower(tokens, index, 1);
        let is_participle = next.ends_with("ed") || next.ends_with("en");
        // "After it had ended" presupposes that it ended.
        let is_presupposed = word == "had"
            && tokens.iter().take(index).any(|token| PRESUPPOSING.contains(&token.lower.as_str()));
        if is_presupposed {
            return None;
        }
        if AUXILIARIES.contains(&word) || PERFECT_AUXILIARIES.contains(&word) && is_participle {
            return Some(replace_span(claim, token.span.end..token.span.end, " not"));
        }
        let (finite, stem) = VERBS.iter().find(|(finite, _)| *finite == word)?;
        // After a preposition, an article or a number, the word is a noun or a participle.
        let before = lower(tokens, index, -1);
        let is_verb =
            index > 0 && !NOT_BEFORE_VERB.contains(&before) && !NUMBER_WORDS.contains(&before);
        let present = ["says", "shows", "sets", "gives", "lists", "holds", "carries", "runs"];
        let auxiliary =
            if present.contains(finite) || ["reports", "contains", "records"].contains(finite) {
                "does"
            } else {
                "did"
            };
        is_verb.then(|| replace_span(claim, token.span.clone(), &format!("{auxiliary} not {stem}")))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn mutate(claim: &str) -> Vec<String> {
        negations(claim, &tokens(claim))
    }

    #[test]
    fn negates_the_first_verb() {
        for (claim, expected) in [
            ("The pod was ready", "The pod was not ready"),
            ("The job had ended", "The job had not ended"),
            ("Alert B fired at 14:02", "Alert B did not fire at 14:02"),
            ("The log says \"x\"", "The log does not say \"x\""),
            (
                "The last kill came after the job had ended",
                "The last kill did not come after the job had ended",
            ),
        ] {
            assert_eq!(mutate(claim), [expected]);
        }
        for claim in [
            "each with the words",
            "four minutes after the pod had been refused",
            "it wrote all nine reports",
            "no longer than usual",
        ] {
            assert_eq!(mutate(claim), [""; 0]);
        }
    }

    #[test]
    fn removes_a_negation() {
        for (claim, expected) in [
            ("The node reports no memory pressure", "The node reports memory pressure"),
            ("No pod was evicted", "Pod was evicted"),
            ("It was not ready", "It was ready"),
            ("It ended without errors", "It ended with errors"),
            ("The search found none", "The search found some"),
        ] {
            assert_eq!(mutate(claim), [expected]);
        }
    }
}
