//! Parses the lexicon in `lexicon.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Polarity;

/// Defines an enum with a lexicon list for each variant.
macro_rules! lists {
    ($(#[$doc:meta])* $name:ident { $($list:literal $member:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $(#[doc = $list] $member,)* }

        impl $name {
            const LISTS: &[(&str, Self)] = &[$(($list, Self::$member),)*];
        }
    };
}

lists! {
    /// The role of a word in a signal's name.
    Role {
        "fault" Fault, "backlog" Backlog, "load" Load, "share" Share, "stock" Stock, "weak_load" Weak,
        "setting" Setting, "bound" Bound, "not" Not, "count" Count, "timeout" Timeout, "budget" Budget, "up" Up,
        "particle" Particle,
    }
}

impl Role {
    pub(super) const fn polarity(self) -> Option<Polarity> {
        match self {
            Self::Fault => Some(Polarity::Fault),
            Self::Backlog => Some(Polarity::Backlog),
            Self::Load => Some(Polarity::Load),
            Self::Share => Some(Polarity::Share),
            Self::Stock => Some(Polarity::Stock),
            _ => None,
        }
    }
}

lists! {
    /// The meaning of a word or phrase in a sentence about faults.
    Sense {
        "fault" Fault, "concern" Concern, "fine" Fine, "works" Works, "recovery" Recovery, "stop" Stop,
        "observe" Observe, "doubt" Doubt, "name" Name, "absent" Absent, "none" None, "nothing_found" NothingFound,
        "contrast" Contrast, "intent" Intent, "neutral" Neutral, "ruled_out" RuledOut, "aux" Aux,
    }
}

lists! {
    /// The meaning that a word has for the number after it.
    NumberCue {
        "link" Link, "rise" Rise, "fall" Fall, "from" From, "threshold" Threshold, "upper" Upper, "lower" Lower,
        "identifier" Identifier, "times" Times,
    }
}

lists! {
    /// The faulty side of a reference.
    Bound { "threshold" ByPolarity, "upper" Upper, "lower" Lower, "whole" Whole, }
}

lists! {
    State { "fault" Fault, "well" Well, "over" Over, "ended" Ended, "answered" Answered, }
}

lists! {
    Level { "error" Error, "other" Other, "quiet" Quiet, }
}

impl NumberCue {
    pub(super) const fn bound(self) -> Option<Bound> {
        match self {
            Self::Threshold => Some(Bound::ByPolarity),
            Self::Upper => Some(Bound::Upper),
            Self::Lower => Some(Bound::Lower),
            _ => None,
        }
    }
}

pub(super) struct Words<T>(BTreeMap<String, T>);

impl<T: Copy> Words<T> {
    fn parse(lexicon: &toml::Table, name: &str, lists: &[(&str, T)]) -> Self {
        let mut words = BTreeMap::new();
        for (list, meaning) in lists {
            let list = lexicon.get(name).and_then(|table| table.get(*list)?.as_array());
            let entries = list.into_iter().flatten().filter_map(toml::Value::as_str);
            words.extend(entries.map(|word| (word.to_owned(), *meaning)));
        }
        Self(words)
    }

    pub(super) fn get(&self, word: &str) -> Option<T> {
        const MAX_PHRASE_BYTES: usize = 48;
        if word.len() > MAX_PHRASE_BYTES {
            return None;
        }
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.0.get(&word.to_ascii_lowercase()).copied();
        }
        self.0.get(word).copied()
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

pub(super) struct Lexicon {
    pub(super) signals: Words<Role>,
    pub(super) shares: Words<()>,
    pub(super) generic: Words<()>,
    pub(super) conditions: Words<bool>,
    pub(super) states: Words<State>,
    pub(super) words: Words<Sense>,
    pub(super) number_cues: Words<NumberCue>,
    pub(super) levels: Words<Level>,
    pub(super) tool_failures: Words<()>,
    /// The fields that contain a value's reference.
    pub(super) references: Words<Bound>,
    fields: BTreeMap<&'static str, Words<()>>,
}

pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let table: toml::Table = include_str!("lexicon.toml").parse().unwrap_or_default();
    Lexicon::parse(&table)
});

impl Lexicon {
    pub(super) fn is_field(&self, list: &str, name: &str) -> bool {
        self.fields.get(list).is_some_and(|names| names.has(name))
    }

    fn parse(table: &toml::Table) -> Self {
        const FIELDS: [&str; 12] = [
            "value", "name", "comparator", "desired", "level", "state", "prose", "label",
            "lifetime", "past", "signal", "total",
        ];
        let parse_words = |name| Words::parse(table, name, &[("words", ())]);
        Self {
            signals: Words::parse(table, "signals", Role::LISTS),
            shares: parse_words("shares"),
            generic: parse_words("generic"),
            conditions: Words::parse(table, "conditions", &[("true", true), ("false", false)]),
            states: Words::parse(table, "states", State::LISTS),
            words: Words::parse(table, "words", Sense::LISTS),
            number_cues: Words::parse(table, "number_cues", NumberCue::LISTS),
            levels: Words::parse(table, "levels", Level::LISTS),
            tool_failures: parse_words("tool_failures"),
            references: Words::parse(table, "fields", Bound::LISTS),
            fields: FIELDS.map(|list| (list, Words::parse(table, "fields", &[(list, ())]))).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn lexicon_words_are_lower_case_and_unique() {
        let lexicon: toml::Table = include_str!("lexicon.toml").parse().unwrap();
        for (name, table) in &lexicon {
            let mut unique_words = BTreeSet::new();
            for list in table.as_table().unwrap().values().filter_map(toml::Value::as_array) {
                for word in list.iter().map(|word| word.as_str().unwrap()) {
                    assert_eq!(word, word.to_lowercase(), "{name}");
                    // Lists of fields may overlap, for example because an unknown state is prose.
                    assert!(unique_words.insert(word) || name == "fields", "{name}: {word}");
                }
            }
            assert!(table.get("origin").is_some(), "{name}");
            assert!(!unique_words.is_empty(), "{name}");
        }
    }
}
