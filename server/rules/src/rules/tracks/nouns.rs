//! The words of a clause that are no cues: whether they name the series, another one, or something unknown.

use gsar_core::text::tokens::{Shape, Word};

use super::clauses::Token;
use super::gather::Track;
use super::phrases::Cue;
use super::statement::Statement;
use super::subject::Subject;

/// Sorts the words of a clause that are no cues.
#[derive(Debug, Default)]
pub(super) struct Nouns {
    /// A verb stands before.
    pub(super) is_after_verb: bool,
    /// "than", "after", "at the same time as" stands before: what follows is another series.
    pub(super) is_compared: bool,
    /// "and" stands before, and no verb.
    pub(super) is_another: bool,
    /// The subject stands behind the verb: "tripled its CPU request".
    is_late: bool,
}

impl Nouns {
    /// Takes a word for a part of the subject, of another series, or of nothing that is known.
    pub(super) fn take(
        &mut self,
        word: &Word<'_>,
        before: &[Token<'_>],
        found: &mut Statement,
        tracks: &[Track],
    ) {
        if is_role(word.text) && !self.is_compared {
            if Subject::names_some(word, tracks) {
                found.subject.role(word);
            } else {
                found.subject.hint(word, tracks);
            }
            return;
        }
        if self.is_compared {
            let known = found.other.add(word, tracks);
            found.rest += usize::from(!known);
            found.unknown_subject += usize::from(!known);
            return;
        }
        let is_first = found.subject.is_empty();
        if self.is_after_verb && !is_first || self.is_another && !self.is_after_verb {
            let mut fuller = found.subject.clone();
            if fuller.add(word, tracks) && !fuller.tracks(tracks).is_empty() {
                found.subject = fuller;
                return;
            }
        }
        if self.is_after_verb && !is_first {
            if found.part.add(word, tracks) {
                found.part_words += 1;
            }
            found.rest += 1;
            found.unknown_subject += usize::from(self.is_late || names_a_thing(word, before));
            return;
        }
        let is_late = self.is_after_verb;
        let subject = if self.is_another {
            if found.more.is_empty() {
                found.more.push(Subject::default());
            }
            found.more.last_mut()
        } else {
            Some(&mut found.subject)
        };
        if !subject.is_some_and(|subject| subject.add(word, tracks)) {
            found.not_understood();
        }
        self.is_late |= is_late && !found.subject.is_empty();
    }
}

/// Whether a word says what sort of thing it is, and may be the thing's name.
pub(super) fn is_role(word: &str) -> bool {
    const ROLES: [&str; 21] = [
        "leader",
        "reader",
        "writer",
        "app",
        "application",
        "cluster",
        "container",
        "database",
        "host",
        "instance",
        "job",
        "machine",
        "main",
        "node",
        "pod",
        "primary",
        "process",
        "server",
        "service",
        "vm",
        "workload",
    ];
    ROLES.iter().any(|role| word.eq_ignore_ascii_case(role))
}

/// Whether a word that no track has says of whom a clause speaks: a name, or what "on", "of" and "for" bring in.
fn names_a_thing(word: &Word<'_>, before: &[Token<'_>]) -> bool {
    const ARTICLES: [&str; 6] = ["the", "a", "an", "its", "this", "that"];
    let is_plain = word.shape() == Shape::Plain;
    let article = |token: &&Token<'_>| matches!(token, Token::Cue(_, text) if ARTICLES.iter().any(|article| text.eq_ignore_ascii_case(article)));
    let brings_in = match before.iter().rev().find(|token| !article(token)) {
        // "after the deploy" is a time that nothing here knows.
        Some(Token::Cue(Cue::On | Cue::From | Cue::Until | Cue::At | Cue::By | Cue::To, _)) => true,
        Some(Token::Cue(_, text)) => {
            text.eq_ignore_ascii_case("for") || text.eq_ignore_ascii_case("of") && !is_plain
        }
        _ => false,
    };
    word.shape() == Shape::Identifier || brings_in
}
