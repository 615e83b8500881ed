//! Detects the language of a report from its scripts and stop words. Names are BCP 47 tags.
//!
//! Incident prose is full of identifiers, figures and quoted lines, which mislead detectors based on letter
//! frequency. So only plain words outside code and quotes count, and a text with too few words has no
//! detected language.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const ENGLISH: &[&str] = &[
    "after", "all", "and", "are", "at", "be", "because", "been", "before", "but", "by", "during",
    "for", "from", "had", "has", "have", "it", "its", "not", "of", "only", "than", "that", "the",
    "then", "these", "this", "to", "was", "were", "when", "which", "while", "with",
];

/// Words in other Latin-script languages that are rare in English reports.
const OTHERS: &[(&str, &[&str])] = &[
    (
        "de",
        &[
            "auf", "aus", "bei", "das", "dass", "dem", "der", "des", "durch", "ein", "eine",
            "einem", "einen", "einer", "für", "hat", "hatte", "ist", "kein", "keine", "mit",
            "nach", "nicht", "sich", "sind", "und", "vom", "von", "vor", "waren", "weil", "wird",
            "wurde", "wurden", "während", "zu", "zum", "zur", "über",
        ],
    ),
    (
        "fr",
        &[
            "au", "aux", "avec", "car", "ce", "ces", "cette", "dans", "de", "des", "du", "elle",
            "en", "est", "et", "été", "était", "la", "le", "les", "ont", "par", "pas", "pendant",
            "pour", "que", "qui", "se", "sont", "sur", "un", "une", "à", "après",
        ],
    ),
    (
        "es",
        &[
            "al", "como", "con", "cuando", "de", "del", "desde", "después", "durante", "el", "en",
            "era", "es", "está", "fue", "fueron", "ha", "hasta", "la", "las", "los", "más", "para",
            "por", "porque", "que", "se", "sin", "su", "un", "una", "y",
        ],
    ),
    (
        "pt",
        &[
            "ao", "após", "com", "da", "das", "de", "dos", "durante", "e", "em", "estava", "foi",
            "foram", "mais", "na", "nas", "nos", "não", "os", "para", "pela", "pelo", "por",
            "porque", "que", "se", "sem", "um", "uma", "à",
        ],
    ),
    (
        "it",
        &[
            "al", "alla", "alle", "che", "con", "da", "dal", "dalla", "dei", "del", "della",
            "delle", "di", "dopo", "e", "era", "gli", "ha", "hanno", "il", "la", "nel", "nella",
            "perché", "più", "sono", "stata", "stati", "stato", "sul", "un", "una", "è",
        ],
    ),
    (
        "nl",
        &[
            "aan", "bij", "dat", "de", "deze", "door", "een", "en", "geen", "had", "heeft", "het",
            "maar", "met", "naar", "niet", "om", "omdat", "ook", "op", "te", "tijdens", "uit",
            "van", "voor", "waren", "werd", "werden", "worden", "zijn",
        ],
    ),
    (
        "pl",
        &[
            "był", "była", "było", "były", "dla", "do", "i", "jest", "na", "nie", "od", "oraz",
            "po", "podczas", "ponieważ", "przez", "przed", "się", "to", "w", "z", "za", "ze",
            "został", "została", "zostały", "że",
        ],
    ),
    (
        "sv",
        &[
            "att", "av", "blev", "det", "efter", "en", "ett", "från", "för", "har", "hade", "inte",
            "med", "när", "och", "på", "som", "till", "under", "var",
        ],
    ),
    (
        "da",
        &[
            "af", "at", "blev", "den", "der", "det", "efter", "en", "et", "fra", "har", "havde",
            "ikke", "med", "og", "på", "som", "til", "var", "under",
        ],
    ),
    (
        "tr",
        &[
            "bir", "bu", "da", "daha", "de", "değil", "gibi", "için", "ile", "kadar", "olan",
            "olarak", "oldu", "sonra", "tarafından", "ve", "çok", "önce",
        ],
    ),
];

#[derive(Clone, Copy)]
enum StopWord {
    English,
    /// The index of the language in [`OTHERS`], and the index of the word in its list.
    Other {
        language: usize,
        index: usize,
    },
}

/// The languages in which a word is a stop word.
static STOP_WORDS: LazyLock<BTreeMap<&str, Vec<StopWord>>> = LazyLock::new(|| {
    let mut stop_words: BTreeMap<&str, Vec<StopWord>> = BTreeMap::new();
    for word in ENGLISH {
        stop_words.entry(word).or_default().push(StopWord::English);
    }
    for (language, (_, words)) in OTHERS.iter().enumerate() {
        for (index, word) in words.iter().enumerate() {
            stop_words.entry(word).or_default().push(StopWord::Other { language, index });
        }
    }
    stop_words
});

/// The minimum number of distinct stop words to identify a language.
const MIN_STOP_WORDS: usize = 3;
/// The minimum number of words to identify another script.
const MIN_SCRIPT_WORDS: usize = 3;
/// The minimum number of words to report an unknown language in Latin script.
const MIN_WORDS: usize = 12;

/// Detects the language of a text. Returns a BCP 47 tag such as `en`, `und-Cyrl` if only the script is known,
/// `und` for an unknown language in Latin script, or `None` if there are too few words.
#[must_use]
pub fn language(text: &str) -> Option<&'static str> {
    let mut counts = WordCounts::default();
    for line in prose(text) {
        for word in line.split(is_word_separator).filter(|word| !word.is_empty()) {
            counts.add(word);
        }
    }
    counts.language()
}

/// Iterates over lines outside code fences, without backticked and quoted parts.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines()
        .filter(move |line| {
            let is_fence = matches!(line.trim_start().get(..3), Some("```" | "~~~"));
            is_code ^= is_fence;
            !is_fence && !is_code
        })
        .flat_map(|line| outside_marks(line, '`'))
        .flat_map(|part| outside_marks(part, '"'))
}

/// Iterates over the parts of a line outside pairs of a mark. Ignores an unpaired mark.
fn outside_marks(line: &str, mark: char) -> impl Iterator<Item = &str> {
    let paired_count = line.matches(mark).count() / 2 * 2;
    line.splitn(paired_count + 1, mark).step_by(2)
}

/// Returns `true` if a character separates words. Identifier punctuation does not.
fn is_word_separator(character: char) -> bool {
    !(character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | ':' | '/' | '@' | '='))
}

#[derive(Default)]
struct WordCounts {
    plain: usize,
    /// Plain words with non-ASCII letters.
    accented: usize,
    english: usize,
    /// For each language in [`OTHERS`], the number of stop words and a bit set of distinct ones.
    others: [(usize, u64); OTHERS.len()],
    /// The number of words in each script, estimated from the letters if the script does not use spaces.
    scripts: Vec<(&'static str, usize)>,
}

impl WordCounts {
    fn add(&mut self, word: &str) {
        let word = word.trim_matches(|edge: char| !edge.is_alphanumeric());
        if let Some(script) = Some(word).filter(|word| !word.is_ascii()).and_then(script) {
            let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
            // In scripts without spaces, two letters are about one word.
            let word_count =
                if matches!(script, "zh" | "ja" | "th") { letters.div_ceil(2) } else { 1 };
            match self.scripts.iter_mut().find(|(name, _)| *name == script) {
                Some((_, count)) => *count += word_count,
                None => self.scripts.push((script, word_count)),
            }
            return;
        }
        let lower = match word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            true => Cow::Borrowed(word),
            false => Cow::Owned(word.to_lowercase()),
        };
        let is_lower_after_first = word.chars().skip(1).all(char::is_lowercase);
        if lower.is_empty() || !is_lower_after_first || !lower.chars().all(char::is_alphabetic) {
            return;
        }
        self.plain += 1;
        self.accented += usize::from(!lower.is_ascii());
        for stop_word in STOP_WORDS.get(&*lower).into_iter().flatten() {
            match *stop_word {
                StopWord::English => self.english += 1,
                StopWord::Other { language, index } => {
                    if let Some((count, distinct_bits)) = self.others.get_mut(language) {
                        *count += 1;
                        *distinct_bits |= 1 << (index % 64);
                    }
                }
            }
        }
    }

    fn language(&self) -> Option<&'static str> {
        if let Some((script, words)) = self.main_script()
            && words >= MIN_SCRIPT_WORDS
            && words > self.english * 2
        {
            return Some(script);
        }
        let best = OTHERS.iter().zip(&self.others).max_by_key(|(_, (count, _))| *count);
        if let Some(((tag, _), (count, distinct))) = best
            && distinct.count_ones() as usize >= MIN_STOP_WORDS
            && *count > self.english
        {
            return Some(tag);
        }
        if self.english >= MIN_STOP_WORDS {
            return Some("en");
        }
        let is_other = self.plain >= MIN_WORDS && self.accented * 10 >= self.plain;
        is_other.then_some("und")
    }

    /// Returns the most frequent script, and the number of words in all scripts. Japanese text also contains Chinese
    /// characters.
    fn main_script(&self) -> Option<(&'static str, usize)> {
        let total = self.scripts.iter().map(|(_, words)| words).sum();
        let is_japanese = self.scripts.iter().any(|(script, _)| *script == "ja");
        let most_frequent = self.scripts.iter().max_by_key(|(_, words)| *words)?;
        Some((if is_japanese && most_frequent.0 == "zh" { "ja" } else { most_frequent.0 }, total))
    }
}

/// Returns the script of a word unless it is Latin. A single letter is a unit or a sign (`μ`, `Ω`).
fn script(word: &str) -> Option<&'static str> {
    let mut scripts = word.chars().filter(|letter| letter.is_alphabetic()).map(script_of);
    if word.chars().any(|letter| script_of(letter) == Some("ja")) {
        return Some("ja");
    }
    let first = scripts.find_map(|script| script)?;
    let other_count = scripts.flatten().count();
    (other_count > 0 || matches!(first, "zh")).then_some(first)
}

fn script_of(letter: char) -> Option<&'static str> {
    match u32::from(letter) {
        0x0370..=0x03ff | 0x1f00..=0x1fff => Some("el"),
        0x0400..=0x052f => Some("und-Cyrl"),
        0x0530..=0x058f => Some("hy"),
        0x0590..=0x05ff => Some("he"),
        0x0600..=0x06ff | 0x0750..=0x077f | 0xfb50..=0xfdff | 0xfe70..=0xfeff => Some("und-Arab"),
        0x0900..=0x0dff => Some("und"),
        0x0e00..=0x0e7f => Some("th"),
        0x10a0..=0x10ff => Some("ka"),
        0x1100..=0x11ff | 0xac00..=0xd7af => Some("ko"),
        0x3040..=0x30ff => Some("ja"),
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3134f => Some("zh"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
