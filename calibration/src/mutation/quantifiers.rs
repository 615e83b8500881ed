//! Makes claims false by exchanging "all" and "none".

use super::tokens::{Token, at, cased, lower, replaced};

/// Quantifiers before a noun, and what they are exchanged for: before "of", and otherwise.
const BEFORE_NOUN: [(&str, &str, &str); 4] = [
    ("every", "none", "no"),
    ("each", "none", "no"),
    ("both", "neither", "neither of the"),
    ("neither", "both", "both"),
];

/// Quantifiers without a noun.
const ALONE: [(&str, &str); 8] = [
    ("none", "all"),
    ("most", "few"),
    ("few", "most"),
    ("many", "few"),
    ("always", "never"),
    ("never", "always"),
    ("everything", "nothing"),
    ("nothing", "everything"),
];

/// Replaces a quantifier with its opposite.
pub(super) fn quantifiers(claim: &str, tokens: &[Token<'_>]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut exchange = |token: &Token<'_>, by: &str| {
        texts.push(replaced(claim, token.span.clone(), &cased(by, token.text)));
    };
    for (place, token) in tokens.iter().enumerate() {
        let (before, next) = (lower(tokens, place, -1), lower(tokens, place, 1));
        if token.lower == "all" && !matches!(before, "at" | "in" | "not") {
            all(token, next, &mut exchange);
            continue;
        }
        // "They were each", "there was none": said of how things are.
        if matches!(before, "is" | "are" | "was" | "were") {
            continue;
        }
        if let Some((_, of, noun)) = BEFORE_NOUN.iter().find(|(word, ..)| *word == token.lower) {
            let stands_for_itself = matches!(next, "of" | "with" | "");
            exchange(token, if stands_for_itself { of } else { noun });
        }
        if let Some((_, by)) = ALONE.iter().find(|(word, _)| *word == token.lower)
            && !matches!(before, "at" | "a" | "the")
            && at(tokens, place, 1).is_none_or(|next| next.lower != "recent")
        {
            exchange(token, by);
        }
    }
    texts
}

fn all(token: &Token<'_>, next: &str, exchange: &mut impl FnMut(&Token<'_>, &str)) {
    match next {
        "of" => {
            exchange(token, "none");
            exchange(token, "only one");
        }
        "the" => {
            exchange(token, "none of");
            exchange(token, "only one of");
        }
        _ => {
            exchange(token, "none of the");
            exchange(token, "only one of the");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn every_quantifier_has_an_opposite() {
        for (claim, expected) in [
            ("all three pods run", "none of the three pods run"),
            ("All of them run", "Only one of them run"),
            ("each with the words", "none with the words"),
            ("Every line begins so", "No line begins so"),
            ("both replicas run", "neither of the replicas run"),
            ("The search found none", "The search found all"),
            ("It never answered", "It always answered"),
        ] {
            let found = quantifiers(claim, &tokens(claim));
            assert!(found.contains(&expected.to_owned()), "{found:?}");
        }
        for claim in [
            "at all",
            "at most 5",
            "a few seconds",
            "the most recent change",
            "they were each below",
        ] {
            assert_eq!(quantifiers(claim, &tokens(claim)), [""; 0]);
        }
    }
}
