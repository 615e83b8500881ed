//! This module reads numbers written as one word.

/// The number that a word from "zero" to "twenty", or from "thirty" to "ninety" by tens, spells, in any case.
#[must_use]
pub fn spelled(word: &str) -> Option<u8> {
    const SPELLED: [(&str, u8); 28] = [
        ("zero", 0),
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("thirteen", 13),
        ("fourteen", 14),
        ("fifteen", 15),
        ("sixteen", 16),
        ("seventeen", 17),
        ("eighteen", 18),
        ("nineteen", 19),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
    ];
    SPELLED
        .iter()
        .find(|(spelled, _)| word.eq_ignore_ascii_case(spelled))
        .map(|(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_word_are_read() {
        for (word, number) in
            [("zero", 0), ("Seven", 7), ("nineteen", 19), ("TWENTY", 20), ("ninety", 90)]
        {
            assert_eq!(spelled(word), Some(number), "{word}");
        }
        for word in ["", "hundred", "twenty-one", "7", "once"] {
            assert_eq!(spelled(word), None, "{word}");
        }
    }
}
