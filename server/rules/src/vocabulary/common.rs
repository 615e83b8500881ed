//! Ordinary English words that a claim uses around what it says.
//!
//! Evidence need not show them: a log line that has the rest of the claim bears it out without "eventually" or
//! "carries". No word here tells a state, a quantity, an order, a direction, a denial or a quantifier.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use crate::vocabulary::lexicon::AsIs;
use crate::vocabulary::words::{Key, exact};

/// Whether the word with that exact key is an ordinary one.
pub(crate) fn is_common(exact: Key) -> bool {
    COMMON.contains(&exact)
}

static COMMON: LazyLock<HashSet<Key, BuildHasherDefault<AsIs>>> =
    LazyLock::new(|| WORDS.split_ascii_whitespace().map(exact).collect());

/// Sorted.
const WORDS: &str = "\
accordingly account accounts achieve acquire activity acts actual add additional additionally adds admit \
admits afterwards allegedly almost along already altogether among amount announce announced announces anyway \
apiece apparent apparently appear appeared appears applies apply appropriate area argument arrive arrived \
arrives aside ask asked asks aspect attempt attempted attempts attribute attributed attributes away back \
background barely based basically basis became become becomes becoming behave behaves belong belonged \
belonging belongs besides bit blame blamed blames body brief briefly bring brings broad brought build built \
call called caller callers calls captured carried carries carry case cases categorised category certain \
chain character choose chosen circumstances cite cites claim claimed claims class classed classified clear \
clearly closely collect collected come comes comment commented common commonly compare compared complain \
complained complains component components comprise comprises concern concerned concerns concrete condition \
conduct conducted confirm consequence consequent consider considerable considered consist consisting \
consists content contents context corresponding could counted counts course cover covered covers data dated \
declare declared declares deemed deep deeply define defined defines degree deliver denote depend depends \
depict depicted depicts derive derived describe described describes detail details detect detected determine \
different direct display displayed displays distinct do document documented doing done drive driven drives \
dubbed due easily effect effectively element emit emits emitted encounter encountered enter entered enters \
entirely entry especially essentially establish established even eventually evident evidently exact exactly \
examined example excerpt exhibit exhibits exist existed existing exists explain explained explains explicit \
explicitly express extent extra face faced faces fact factor fairly fetch fetched field fields figure \
figures file files finding findings fit fits flag flagged flags focus follow formerly forms forward further \
furthermore gave general generally given giving go goes going gone good group groups hand handed handle \
handled handles hands happen happens hardly height hence here highlight highlights hold holds idea \
identified identifies identify impact implies imply important in-depth indeed indicate individual \
information instead involve involved involves issues itself keep keeps kept key kind kinds known label \
labelled labels largely lead leads length level levels lie lies likewise line lines list listed listing \
lists literal literally live lives locate located look looked looks made maintain maintained make makes \
making manage managed map maps mark marked marks match matched matches matter may mean means meant meanwhile \
measure measurement meet meets mention mentioned mentions merely met method might mode moment moreover much \
multiple mutual named namely names naming natural naturally nature nearby nearly necessary need needed needs \
nevertheless nonetheless notable notably note noted notes notice noticed notices number numbers object \
observe observes observing obtain obtained obvious obviously occasion occur occurred occurrence occurs offer \
offers onto operate operates operation order ordinary outcome overall overview own page pair part particular \
particularly partly parts path pattern people perform performed performs phase picture piece place placed \
places placing plain plainly point pointed points position possibility potential practically precise \
precisely presented presents presumably presumed presumes primarily print printed printing prints prior \
probable problem produce produced produces program prompt promptly property provide provided provides pure \
purely purpose put puts question quite quote quoted quotes range rather read reading readings reads real \
really receive received receives record refer reference referenced references refers reflect reflects \
regarded region register registered relative relatively relevant relies rely remain remarkably reportedly \
represent represents request require required requires respect respective respectively respond rest rests \
result resulted results return returned returns reveal reveals right role roughly row rows rule saying scale \
scope section seem seemed seems sense separate separately series set setting settings shall shape share side \
sides sign significant significantly similar similarly simple simply simultaneous simultaneously sit sits \
situation snapshot so-called somewhat soon sort span speak speaks special specific specifically spend spends \
spent spoke spoken spot stand stands state stated statement stating status step steps still stood store \
stored stores story straight stretch strict strictly string structure subject subsequent subsequently \
substantial substantially successive suffer suffered suffers suggest summary supply supposedly symptom table \
take taken takes taking team tell tells term termed terms test text theirs themselves there thereby therein \
thing things thorough though thread thus tie tied times title titled tool top total touch touched toward \
towards trail treat treated treats tried tries true try trying turn turned turns type types typical \
typically undergo underlying underwent unit upon usual usually value values various version very view \
virtually visible visibly want wanted wants warn warned warns way ways well whatever whatsoever whichever \
widely window word world worth would write writes written wrote yet yield yielded yields";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_a_statement_are_common() {
        for word in ["eventually", "carries", "captured", "appears", "roughly"] {
            assert!(is_common(exact(word)), "{word}");
        }
    }

    #[test]
    fn words_that_decide_are_not() {
        for word in [
            "ready", "missing", "failed", "slow", "empty", "full", "all", "only", "after",
            "before", "never", "without", "down", "higher", "most", "expired", "healthy", "denied",
            "unset",
        ] {
            assert!(!is_common(exact(word)), "{word}");
        }
    }
}
