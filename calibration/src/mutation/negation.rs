//! Makes claims false by adding or removing a negation.

use super::numbers::NUMBER_WORDS;
use super::tokens::{Token, at, cased, lower, replaced};

/// Negations with their positive counterparts; empty if the word is just removed.
#[rustfmt::skip]
const NEGATIONS: [(&str, &str); 9] = [
    ("not", ""), ("no", ""), ("never", ""), ("cannot", "can"), ("without", "with"),
    ("none", "some"), ("nothing", "something"), ("didn't", "did"), ("neither", "either"),
];

/// Words that turn a preceding negation into a degree.
const DEGREES: [&str; 14] = [
    "quite", "only", "more", "less", "longer", "later", "earlier", "worse", "better", "yet",
    "much", "even", "fewer", "other",
];

/// Verbs after which "not" is inserted.
const AUXILIARIES: [&str; 12] =
    ["is", "are", "was", "were", "will", "can", "could", "does", "did", "do", "would", "should"];

/// Behind these only before a participle: "had not ended", but never "had not a limit".
const PERFECTS: [&str; 3] = ["has", "have", "had"];

/// Words that introduce a presupposition.
const SUPPOSING: [&str; 4] = ["after", "before", "until", "since"];

/// Words that no finite verb follows.
const NO_SUBJECTS: [&str; 14] = [
    "the", "a", "an", "of", "be", "was", "were", "is", "are", "all", "these", "its", "their", "no",
];

/// Verbs as a report states things with them, and their stem.
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

/// Removes one negation of the claim, or adds one if there is none.
pub(super) fn negations(claim: &str, tokens: &[Token<'_>]) -> Vec<String> {
    let without: Vec<String> = tokens
        .iter()
        .enumerate()
        .filter_map(|(place, token)| {
            let (_, instead) = NEGATIONS.iter().find(|(word, _)| *word == token.lower)?;
            let next = at(tokens, place, 1);
            if next.is_some_and(|next| DEGREES.contains(&next.lower.as_str())) {
                return None;
            }
            Some(match (*instead, next) {
                ("", Some(next)) => {
                    let next_word = cased(next.text, token.text);
                    replaced(claim, token.span.start..next.span.end, &next_word)
                }
                ("", None) => return None,
                (instead, _) => replaced(claim, token.span.clone(), &cased(instead, token.text)),
            })
        })
        .collect();
    let has_negation =
        tokens.iter().any(|token| NEGATIONS.iter().any(|(word, _)| *word == token.lower));
    if has_negation { without } else { negated(claim, tokens).into_iter().collect() }
}

/// Negates the first verb of the claim.
fn negated(claim: &str, tokens: &[Token<'_>]) -> Option<String> {
    tokens.iter().enumerate().find_map(|(place, token)| {
        let word = token.lower.as_str();
        let next = lower(tokens, place, 1);
        let is_participle = next.ends_with("ed") || next.ends_with("en");
        // What came after a thing had happened supposes that it had.
        let supposed = word == "had"
            && tokens.iter().take(place).any(|token| SUPPOSING.contains(&token.lower.as_str()));
        if supposed {
            return None;
        }
        if AUXILIARIES.contains(&word) || PERFECTS.contains(&word) && is_participle {
            return Some(replaced(claim, token.span.end..token.span.end, " not"));
        }
        let (finite, stem) = VERBS.iter().find(|(finite, _)| *finite == word)?;
        // Behind a preposition, an article or a number it is a noun or a participle.
        let before = lower(tokens, place, -1);
        let is_verb =
            place > 0 && !NO_SUBJECTS.contains(&before) && !NUMBER_WORDS.contains(&before);
        let present = ["says", "shows", "sets", "gives", "lists", "holds", "carries", "runs"];
        let auxiliary =
            if present.contains(finite) || ["reports", "contains", "records"].contains(finite) {
                "does"
            } else {
                "did"
            };
        is_verb.then(|| replaced(claim, token.span.clone(), &format!("{auxiliary} not {stem}")))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn of(claim: &str) -> Vec<String> {
        negations(claim, &tokens(claim))
    }

    #[test]
    fn a_negation_is_put_in_at_the_first_verb() {
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
            assert_eq!(of(claim), [expected]);
        }
        for claim in [
            "each with the words",
            "four minutes after the pod had been refused",
            "it wrote all nine reports",
            "no longer than usual",
        ] {
            assert_eq!(of(claim), [""; 0]);
        }
    }

    #[test]
    fn a_negation_is_taken_out() {
        for (claim, expected) in [
            ("The node reports no memory pressure", "The node reports memory pressure"),
            ("No pod was evicted", "Pod was evicted"),
            ("It was not ready", "It was ready"),
            ("It ended without errors", "It ended with errors"),
            ("The search found none", "The search found some"),
        ] {
            assert_eq!(of(claim), [expected]);
        }
    }
}
