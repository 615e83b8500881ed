//! Swaps quantifiers such as "all" and "none".

use super::tokens::{Token, at, lower, match_case, replace_span};

/// Quantifiers before a noun, with their replacements before "of" and before the noun.
const BEFORE_NOUN: [(&str, &str, &str); 4] = [
    ("every", "none", "no"),
    ("each", "none", "no"),
    ("both", "neither", "neither of the"),
    ("neither", "both", "both"),
];

/// Quantifiers that are not followed by a noun.
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

pub(super) fn quantifiers(claim: &str, tokens: &[Token<'_>]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut replace = |token: &Token<'_>, by: &str| {
        texts.push(replace_span(claim, token.span.clone(), &match_case(by, token.text)));
    };
    for (index, token) in tokens.iter().enumerate() {
        let (before, next) = (lower(tokens, index, -1), lower(tokens, index, 1));
        if token.lower == "all" && !matches!(before, "at" | "in" | "not") {
            replace_all(token, next, &mut replace);
            continue;
        }
        // "They were each" and "there was none" are predicates.
        if matches!(before, "is" | "are" | "was" | "were") {
            continue;
        }
        if let Some((_, of, noun)) = BEFORE_NOUN.iter().find(|(word, ..)| *word == token.lower) {
            let is_pronoun = matches!(next, "of" | "with" | "");
            replace(token, if is_pronoun { of } else { noun });
        }
        if let Some((_, by)) = ALONE.iter().find(|(word, _)| *word == token.lower)
            && !matches!(before, "at" | "a" | "the")
            && at(tokens, index, 1).is_none_or(|next| next.lower != "recent")
        {
            replace(token, by);
        }
    }
    texts
}

fn replace_all(token: &Token<'_>, next: &str, replace: &mut impl FnMut(&Token<'_>, &str)) {
    match next {
        "of" => {
            replace(token, "none");
            replace(token, "only one");
        }
        "the" => {
            replace(token, "none of");
            replace(token, "only one of");
        }
        _ => {
            replace(token, "none of the");
            replace(token, "only one of the");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn replaces_quantifiers() {
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
