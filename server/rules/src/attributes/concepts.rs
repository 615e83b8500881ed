//! What reports call an attribute, and under which keys tools state it.
//!
//! Tables only. A concept is a way of speaking ("may use up to", "kept for") for a quantity of one dimension, with
//! the words of the key paths that state it. General vocabulary of operations: nothing of a single system.

use std::ops::Range;
use std::sync::LazyLock;

use gsar_core::text::figures::Dimension;
use gsar_core::text::tokens::words;

use super::super::reading::Reading;
use super::super::words::{Key, key};

/// One attribute.
struct Entry {
    /// Phrases of a report; the words of one stand in this order, others between them.
    said: &'static [&'static str],
    /// Key paths of tools: all words of one have to stand in the key and the headings above it.
    keys: &'static [&'static str],
    /// Words that make a key path another attribute.
    except: &'static [&'static str],
    /// The dimension of its values.
    dimension: Dimension,
    /// Whether its value is a bound itself: "up to 2 cores" states the limit.
    is_bound: bool,
    /// Whether it is meant only where no other attribute of the dimension is: "may use" speaks of the limit.
    yields: bool,
}

use Dimension::{Bytes, Cores, Count, Duration, Percent, Rate};

const NOT_USED: &[&str] =
    &["limit", "request", "capacity", "allocatable", "free", "available", "total", "hard", "quota"];

const ENTRIES: [Entry; 29] = [
    Entry {
        said: &["restart in", "restart within", "restart over", "restart since"],
        keys: &["age", "uptime"],
        except: &[],
        dimension: Duration,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["last restart", "restart ago"],
        keys: &["last restart"],
        except: &[],
        dimension: Duration,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &[
            "limit",
            "cap",
            "may use",
            "can use",
            "may consume",
            "allow",
            "ceiling",
            "at most",
            "up to",
        ],
        keys: &["limit memory", "memory max"],
        except: &["request"],
        dimension: Bytes,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["limit", "cap", "may use", "can use", "allow", "ceiling", "at most", "up to"],
        keys: &["limit cpu"],
        except: &["request"],
        dimension: Cores,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["limit", "cap", "may use", "can use", "allow"],
        keys: &["limit cpu"],
        except: &["request"],
        dimension: Percent,
        is_bound: true,
        yields: true,
    },
    Entry {
        said: &["request", "ask", "reserve", "demand", "guarantee"],
        keys: &["request memory"],
        except: &["limit"],
        dimension: Bytes,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["request", "ask", "reserve", "demand", "guarantee"],
        keys: &["request cpu"],
        except: &["limit"],
        dimension: Cores,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["use", "consume", "usage", "consumption", "hold", "occupy", "take", "memory at"],
        keys: &["memory", "mem", "rss", "working set"],
        except: NOT_USED,
        dimension: Bytes,
        is_bound: false,
        yields: true,
    },
    Entry {
        said: &["use", "consume", "usage", "consumption", "burn", "take", "cpu at"],
        keys: &["cpu"],
        except: NOT_USED,
        dimension: Cores,
        is_bound: false,
        yields: true,
    },
    Entry {
        said: &["gpu request", "request gpu", "ask gpu", "ask", "request", "demand", "gpu"],
        keys: &["request gpu", "limit gpu"],
        except: &[],
        dimension: Count,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["restart", "restart count"],
        keys: &["restart", "restartcount"],
        except: &["policy", "last"],
        dimension: Count,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &[
            "exit code",
            "exit with",
            "exit status",
            "end code",
            "exit",
            "terminate code",
            "code",
        ],
        keys: &["exit code", "exit status"],
        except: &[],
        dimension: Count,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["old", "age", "up for", "run for", "exist for"],
        keys: &["age", "uptime"],
        except: &[],
        dimension: Duration,
        is_bound: false,
        yields: true,
    },
    Entry {
        said: &["keep", "kept", "retain", "retention", "stored for", "delete after"],
        keys: &["retention"],
        except: &["delete", "bytes", "check"],
        dimension: Duration,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["deadline", "progress deadline"],
        keys: &["deadline", "progress deadline"],
        except: &["active"],
        dimension: Duration,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["initial delay", "delay", "first wait", "wait before"],
        keys: &["delay", "initial delay"],
        except: &["delete"],
        dimension: Duration,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["period", "interval", "every", "run every", "probe every", "poll", "scrape"],
        keys: &["period", "interval"],
        except: &[],
        dimension: Duration,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["timeout", "time out after", "give up after", "wait at most"],
        keys: &["timeout"],
        except: &[],
        dimension: Duration,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["lifetime", "valid for", "expire after", "expiry", "live for", "last for", "ttl"],
        keys: &["expiry", "ttl", "lifetime", "expiration", "validity", "expire"],
        except: &["at"],
        dimension: Duration,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &[
            "take",
            "took",
            "last",
            "duration",
            "need",
            "run for",
            "complete in",
            "finish in",
            "answer in",
        ],
        keys: &["duration", "took", "elapsed", "response time", "latency", "run time", "runtime"],
        except: &["deadline"],
        dimension: Duration,
        is_bound: false,
        yields: true,
    },
    Entry {
        said: &["size", "large", "big"],
        keys: &["size", "image size"],
        except: &["limit"],
        dimension: Bytes,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &[
            "desire",
            "ask replica",
            "want",
            "configure replica",
            "specify replica",
            "scale to",
        ],
        keys: &["desired", "replica"],
        except: &[
            "available",
            "unavailable",
            "ready",
            "updated",
            "min",
            "max",
            "current",
            "old",
            "new",
        ],
        dimension: Count,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["threshold", "fire above", "fire when exceed", "fire over"],
        keys: &["threshold"],
        except: &[],
        dimension: Duration,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["threshold", "fire above", "fire when exceed", "fire over"],
        keys: &["threshold"],
        except: &[],
        dimension: Percent,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["hold at most", "at most", "maximum", "up to", "capacity", "max"],
        keys: &["max", "maximum", "max size", "capacity"],
        except: &[],
        dimension: Count,
        is_bound: true,
        yields: true,
    },
    Entry {
        said: &["account for", "session", "load", "contribute"],
        keys: &["load"],
        except: &[],
        dimension: Count,
        is_bound: false,
        yields: true,
    },
    Entry {
        said: &["rate limit", "limit", "throttle", "quota"],
        keys: &["rate limit", "quota", "limit"],
        except: &[],
        dimension: Rate,
        is_bound: true,
        yields: false,
    },
    Entry {
        said: &["failure rate", "fail", "timeout rate", "time out on", "error rate"],
        keys: &["failure rate", "timeout rate", "error rate", "fail"],
        except: &[],
        dimension: Percent,
        is_bound: false,
        yields: false,
    },
    Entry {
        said: &["connection", "pool size", "pool"],
        keys: &["pool size", "max pool"],
        except: &[],
        dimension: Count,
        is_bound: true,
        yields: true,
    },
];

/// An attribute with its words as keys.
pub(crate) struct Concept {
    said: Vec<Vec<Key>>,
    /// Key paths that state it.
    pub(crate) paths: Vec<Vec<Key>>,
    except: Vec<Key>,
    dimension: Dimension,
    /// Whether its value is a bound itself.
    pub(crate) is_bound: bool,
    yields: bool,
}

static CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    let all = |phrases: &[&str]| -> Vec<Vec<Key>> {
        phrases.iter().map(|phrase| phrase.split(' ').map(key).collect()).collect()
    };
    ENTRIES
        .iter()
        .map(|entry| Concept {
            said: all(entry.said),
            paths: all(entry.keys),
            except: entry.except.iter().map(|word| key(word)).collect(),
            dimension: entry.dimension,
            is_bound: entry.is_bound,
            yields: entry.yields,
        })
        .collect()
});

impl Concept {
    /// Whether a key path states it: the words of the key itself, and those with the headings above it.
    pub(crate) fn is_stated(&self, own: &[Key], path: &[Key]) -> bool {
        let has = |word: &Key| path.contains(word);
        !self.except.iter().any(has)
            && self
                .paths
                .iter()
                .any(|words| words.iter().all(has) && words.iter().any(|word| own.contains(word)))
    }
}

/// An attribute that a claim speaks of, with the terms that say so.
#[derive(Clone, Copy)]
pub(crate) struct Spoken {
    pub(crate) concept: &'static Concept,
    /// The terms of the phrase.
    pub(crate) bits: u64,
}

/// The attributes of one dimension that a claim speaks of.
pub(crate) fn spoken(reading: &Reading<'_>, dimension: Dimension) -> Vec<Spoken> {
    let claim: Vec<(Key, Range<usize>)> =
        words(reading.text).map(|word| (key(word.text), word.span)).collect();
    let mut found = Vec::new();
    for concept in CONCEPTS.iter().filter(|concept| concept.dimension == dimension) {
        let mut bits = 0;
        let mut is_said = false;
        for phrase in &concept.said {
            if let Some(spans) = phrase_in(&claim, phrase) {
                is_said = true;
                bits |= reading.bits(|term| spans.contains(&term.span));
            }
        }
        if is_said {
            found.push(Spoken { concept, bits });
        }
    }
    if found.iter().any(|spoken| !spoken.concept.yields) {
        found.retain(|spoken| !spoken.concept.yields);
    }
    found
}

/// Where the words of a phrase stand in a claim: in order, at most three words between two of them.
fn phrase_in(claim: &[(Key, Range<usize>)], phrase: &[Key]) -> Option<Vec<Range<usize>>> {
    const WIDEST_GAP: usize = 3;
    let (first, rest) = phrase.split_first()?;
    let starts = claim.iter().enumerate().filter(|(_, (word, _))| word == first);
    for (start, (_, span)) in starts {
        let mut spans = vec![span.clone()];
        let mut at = start + 1;
        for wanted in rest {
            let next = claim
                .iter()
                .enumerate()
                .skip(at)
                .take(WIDEST_GAP + 1)
                .find(|(_, (word, _))| word == wanted);
            let Some((place, (_, span))) = next else { break };
            spans.push(span.clone());
            at = place + 1;
        }
        if spans.len() == phrase.len() {
            return Some(spans);
        }
    }
    None
}
