//! What the members of a list show where they show it best: as a name, as a whole value, in a short one, in prose.
//!
//! A word that is all of a value in some members does not count in the prose of others, and a name only under the key
//! under which most members bear it.

use crate::matching::members::Member;
use crate::vocabulary::words::Key;

/// The members with their names only where most members bear them: `service`, not `dependency`.
fn by_usual_key(members: &[Member]) -> Vec<Member> {
    let mut uses: Vec<(u64, Key, usize)> = Vec::new();
    for (bits, key) in members.iter().flat_map(|member| &member.keyed) {
        match uses.iter_mut().find(|(known, other, _)| known == bits && other == key) {
            Some((.., number)) => *number += 1,
            None => uses.push((*bits, *key, 1)),
        }
    }
    let best = |bits: u64| {
        let of = uses.iter().filter(|(known, ..)| *known == bits);
        of.max_by_key(|(_, key, number)| (*number, std::cmp::Reverse(*key))).map(|(_, key, _)| *key)
    };
    let usual = |member: &Member| {
        member
            .keyed
            .iter()
            .fold(0, |all, (bits, key)| if best(*bits) == Some(*key) { all | bits } else { all })
    };
    let names = uses.iter().fold(0, |all, (bits, ..)| all | bits);
    members
        .iter()
        .map(|member| {
            let usual = usual(member);
            Member {
                borne: member.borne & !names | usual,
                exact: member.exact & !names | usual,
                ..member.clone()
            }
        })
        .collect()
}

/// The members with what they show where it is shown best: as a name, as a whole value, in a short one, in prose.
pub(crate) fn as_values(members: &[Member]) -> Vec<Member> {
    let members = &by_usual_key(members);
    let union = |bits: fn(&Member) -> u64| members.iter().fold(0, |all, member| all | bits(member));
    let borne = union(|member| member.borne);
    let exact = union(|member| member.exact) & !borne;
    let short = union(|member| member.short) & !(borne | exact);
    let best = |member: &Member| {
        member.borne & borne
            | member.exact & exact
            | member.short & short
            | member.shown & !(borne | exact | short)
    };
    members.iter().map(|member| Member { shown: best(member), ..member.clone() }).collect()
}
