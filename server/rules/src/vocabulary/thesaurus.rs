//! Other words for the same: what a report says in its own way and how tools write it.
//!
//! A table only, of general operations English. One group is one meaning: its words and phrases stand for one another,
//! and after the bar stand further words that only tools write. Words of contrary meaning are never in one group, nor
//! is a word for how far a thing went beside one for how it ended. A star in a phrase is what stands between verb and
//! particle: "took … out".

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::LazyLock;

use crate::vocabulary::lexicon::AsIs;
use crate::vocabulary::words::{Key, key};

/// The most words that a star stands for.
const MOST_BETWEEN: usize = 4;

/// One meaning: `words and phrases | what only tools write`, parted by commas.
const GROUPS: &[&str] = &[
    // Beginning and ending.
    "begin, began, begun, start, commence, launch, initiate, kick off, kicked off, set off, set in \
     | started, startedat, starttime, starting",
    "trigger, set off, provoke, prompt, spark | triggered, initiated",
    "finish, complete, wrap up | finished, finishedat, completed, done",
    "end, conclude, come to an end, came to an end | ended, endedat, endtime, finished",
    "stop, halt, cease, shut down, shuts down, come to a halt, came to a halt, bring down, brought down, \
     wind down | shutdown, stopping, shutting",
    "reboot, restart, bounce, power-cycle, come back up, came back up | rebooting, restarting",
    "boot, start up, starts up, started up, come up, came up | boot, starting, startup, started",
    "abort, abandon, cancel, give up, gives up, gave up, given up, giving up, break off, broke off, broken off, \
     cut short, call off, called off | aborted, canceled, cancelled, timeout, timed, deadline",
    "run out of time, ran out of time, time out, timed out, times out | timeout, deadline, expired",
    "crash, die, died, dead, go down, goes down, went down, gone down, fall over, fell over, collapse, panic \
     | crashed, exited, fatal, terminated",
    "quit, exit, leave, terminate | exited, terminated, exit",
    "violate, violation, breach | violates, violated, failed",
    "hang, hung, stuck, stall, freeze, froze, frozen, stand still, stood still, block \
     | stuck, stalled, blocked, hanging, paused, pause",
    "resume, pick up again, picked up again, go on, went on, goes on, carry on, carried on, continue | resumed",
    // Refusing and allowing.
    "refuse, refusal, reject, rejection, deny, denial, forbid, forbade, turn away, turned away, turn down, \
     turned down, disallow | denied, forbidden, refused, rejected, unauthorized",
    "accept, admit, allow, permit, let in, let through | accepted, admitted, allowed",
    "drop, discard, throw away, threw away, thrown away | dropped, discarded",
    "throttle, rate-limit, hold back, held back | throttled, throttling, ratelimited",
    // Changing.
    "change, modify, alter, adjust, edit, amend, tweak, touch | modified, changed, patched, configured",
    "resize, enlarge, upsize, downsize | resized, modify, modifying, modified",
    "delete, deletion, remove, removal, take * out, took * out, taken out, take * off, took * off, taken off, withdraw, \
     withdrew, withdrawn, erase, wipe, purge, clear out, tear down, tore down, torn down, retire, decommission, \
     get rid of, got rid of | deleted, deleting, removed, destroyed, destroying, pruned",
    "add, introduce, bring in, brought in | added, new",
    "create, creation, set up, provision | created, createdat, creationtimestamp, provisioned",
    "replace, swap, substitute, exchange | replaced, replacing, replacement",
    "rename, give a new name | renamed",
    "move, relocate, migrate, shift, transfer | moved, migrated, relocated",
    "copy, duplicate, clone, replicate | copied, cloned",
    "revert, roll * back, rolls back, rolled back, rollback, undo, undid, undone, back out, backed out, put back \
     | reverted, rollback, undone",
    "deploy, deployment, roll * out, rolls out, rolled out, rollout, release, ship, go live, went live, install, put live \
     | deployed, released, rollout, installed, upgraded",
    "merge, pull in | merged, mergedat",
    "enable, activate, switch * on, switched on, turn * on, turned on | enabled, activated",
    "disable, deactivate, switch * off, switched off, turn * off, turned off | disabled, deactivated",
    "promote, take over, took over, taken over, elect | promoted, elected, promotion, switch-master",
    "failover, fail over, failed over, switchover, switch over, switched over | switch-master, failover",
    "autoscaler, autoscaling | hpa, autoscaling, successfulrescale, horizontalpodautoscaler, rescale",
    "rescale, scale | scaled, rescaled, successfulrescale, scaling",
    // Waiting, trying, taking time.
    "wait, pause, sleep, delay, hold off, held off | waiting, sleep, delay, delayed, backoff",
    "retry, try again, tries again, tried again, reattempt, repeat | retries, retried, retrying",
    "attempt, try, tries, tried | attempts, tried",
    "lag, lag behind, fall behind, falls behind, fell behind, fallen behind, trail, behind, behindhand \
     | lagging, delay, behind",
    "expire, lapse, run out, runs out, ran out, outdated | expired, expiry, expiration, expiresat, notafter",
    "lifetime, lifespan, validity, ttl, expiry, expiration, time to live | ttl, expiry, expiresin, maxage, expiration",
    "last, go on for, went on for | duration, took, elapsed",
    "interval, period, cadence, resolution, spacing | interval, step, period, every",
    // Having, lacking, being full.
    "left, left over, remain, spare, free, unused, available | remaining, avail, free, idle",
    "shortage, short, scarce, scarcity, too little, too few, run low, running low, low | insufficient, low",
    "exhaust, exhaustion, deplete, run out, ran out, running out, used up, use up, lack of | exhausted, enospc, \
     insufficient, full",
    "lack, miss, missing, absent, absence, omit | missing, absent, notfound, unset",
    "use, usage, consume, consumption, occupy, eat up, eats up, ate up, take up, takes up, took up | used, utilization, usage",
    "busy, in use, occupied, taken, active | active, used",
    "want, ask, demand, require, call for, calls for, called for | requests, desired, required, selector, selectors",
    "hold, keep, retain | held, retained, retention",
    "ceiling, cap, upper bound, upper limit, limit | limits, max, maximum, hard, quota",
    "threshold, trigger level, alarm level | threshold, warning, critical",
    "size, volume | size, bytes, length",
    "backlog, queue, waiting line, pile up, piled up | queue, queued, pending, backlog",
    // Finding, saying, answering.
    "answer, respond, response, reply, replies, replied | responded, returned, answered, status",
    "reach, contact, connect, get through, got through, dial | connect, connection, connected, dial",
    "resolve, look up, looks up, looked up, lookup, resolution | lookup, resolve, dns, dig, nslookup",
    "lookup, fetch, get, retrieve | get, fetch, retrieved",
    "fetch, pull, download | pulling, pulled, download",
    "search, look for, looked for, grep, filter | grep, filter, searched",
    "send, sent, deliver, dispatch, transmit | delivered, dispatched",
    "write, wrote, written, save, persist | saved, written",
    "execute, run, carry out, carried out | exec, command, running, args",
    "program, script, command | command, args, script",
    "alarm, alert, page, notification | alert, alerting, alertname, alarm",
    "go off, goes off, went off, gone off, fire | firing, fired, firedat, startsat, triggered, alerting",
    "warn, warning, caution | warn, warning",
    "blame, attribute, put down to, trace back, traced back | cause, reason, driver",
    "login, log in, logs in, logged in, sign in, signed in, log on, authenticate, authentication \
     | auth, login, signin, authenticated",
    "verify, validate, check, inspect, test | verified, validated, validation",
    "succeed, success, successful, successfully, go through, went through, gone through, work out, worked out \
     | succeeded, success, ok, passed",
    "fail, failure, unsuccessful, go wrong, went wrong, gone wrong, break, broke, broken | failed, error, failure",
    // Places and people.
    "place, schedule, assign, put on | assigned, scheduled",
    "address, endpoint, hostname | host, addr, endpoint, url",
    "account, identity, login | user, serviceaccount, username, account",
    "version, tag, release | version, tag, image",
    "primary, master, leader | primary, master, leader, writer",
    "secondary, standby, follower, slave | replica, standby, follower, secondary",
    "session, connection | sessions, connections, conn",
    "open, expose, listen | port, listening, containerport, exposed",
    "mount, attach | mounted, mounts, attached",
    "evict, eviction, push out, pushed out, displace | evicted, evicting",
    "average, mean | avg, mean, average",
    "median | p50, median",
    "sync, synchronise, synchronize, synchronisation, synchronization, reconcile | synced, syncing, reconciled",
    "by hand, manually, manual | manual",
    "automatically, automatic, by itself, on its own | automated, automatic, auto",
    "processor, cpu | cpu, cores",
    "traffic, load | requests, throughput",
    "customer, user, visitor | user, users, customer, client",
    "slow, slowly, sluggish, slowdown, slowness | slow, latency",
    "stale, staleness, out of date | stale, outdated",
];

/// One way of saying something.
struct Entry {
    /// Its words; `None` for what stands between verb and particle.
    phrase: Vec<Option<Key>>,
    /// Under which keys tools have it.
    shown: Vec<Key>,
}

type Table = HashMap<Key, Vec<Entry>, BuildHasherDefault<AsIs>>;

/// The entries, by their first word.
static ENTRIES: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for group in GROUPS {
        let (said, written) = group.split_once('|').unwrap_or((group, ""));
        let said: Vec<&str> = said.split(',').map(str::trim).collect();
        let single = said.iter().copied().filter(|phrase| !phrase.contains(' '));
        let mut shown: Vec<Key> =
            single.chain(written.split(',').map(str::trim)).map(key).collect();
        shown.sort_unstable();
        shown.dedup();
        for phrase in said {
            let phrase: Vec<Option<Key>> =
                phrase.split(' ').map(|word| (word != "*").then(|| key(word))).collect();
            if let Some(Some(first)) = phrase.first() {
                let entries = table.entry(*first).or_default();
                entries.push(Entry { phrase, shown: shown.clone() });
            }
        }
    }
    table
});

/// A way of saying something that a text has.
pub(crate) struct Said<'t> {
    /// The places of its words among the words of the text.
    pub(crate) words: Vec<usize>,
    /// Under which keys tools have it.
    pub(crate) shown: &'t [Key],
}

/// What of the table a text has, by the keys of its words.
pub(crate) fn said_in(text: &[(Key, Range<usize>)]) -> Vec<Said<'static>> {
    let mut found = Vec::new();
    for (start, (first, _)) in text.iter().enumerate() {
        for entry in ENTRIES.get(first).map_or(&[][..], Vec::as_slice) {
            if let Some(words) = places(text, start, &entry.phrase) {
                found.push(Said { words, shown: &entry.shown });
            }
        }
    }
    found
}

/// Where the words of a phrase stand that begins at a place.
fn places(
    text: &[(Key, Range<usize>)],
    start: usize,
    phrase: &[Option<Key>],
) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(phrase.len());
    let (mut at, mut slack) = (start, 0);
    for part in phrase {
        let Some(wanted) = part else {
            slack = MOST_BETWEEN;
            continue;
        };
        let place = (at..=at + slack)
            .find(|place| text.get(*place).is_some_and(|word| word.0 == *wanted))?;
        places.push(place);
        (at, slack) = (place + 1, 0);
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use gsar_core::text::tokens::words;

    use super::*;

    fn shows(text: &str, tool: &str) -> bool {
        let keys: Vec<_> = words(text).map(|word| (key(word.text), word.span)).collect();
        said_in(&keys).iter().any(|said| said.shown.contains(&key(tool)))
    }

    #[test]
    fn what_tools_write_is_found_under_other_words() {
        for (text, tool) in [
            ("the node was rebooted", "restarting"),
            ("the names were taken out of the zone", "remove"),
            ("it took the timer off the host", "removed"),
            ("the caller gave up after 2 s", "deadline"),
            ("the failover was kicked off", "initiated"),
            ("requests were turned away", "rejected"),
            ("coalescing was switched on", "enabled"),
            ("the release was rolled back", "revert"),
        ] {
            assert!(shows(text, tool), "{text} {tool}");
        }
    }

    #[test]
    fn contrary_words_are_not() {
        for (text, tool) in [
            ("coalescing was switched off", "enabled"),
            ("the requests were accepted", "rejected"),
            ("the job succeeded", "failed"),
            ("the primary", "replica"),
            ("the file was added", "removed"),
            ("it took the timer to the house of the owner who went off", "removed"),
        ] {
            assert!(!shows(text, tool), "{text} {tool}");
        }
    }
}
