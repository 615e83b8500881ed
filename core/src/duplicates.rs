//! Merges duplicate claims (docs/POLICY.md, "The guards").
//!
//! Merging never raises a score. If all duplicates are supported, they count once, with the smallest of their weights.
//! If any duplicate is unsupported, only the unsupported duplicates count, each with the largest weight.

use crate::claim::{Class, EvidenceType};
use crate::policy::PolicyValues;
use crate::tally::Tally;
use crate::text::figures::Unit;
use crate::text::fold::fold;
use crate::text::part;
use crate::text::tokens::{Shape, words};
use crate::verify::VerdictStatus;

/// Returns a key that ignores differences in case, punctuation and white space, but not in figures, units, signs or
/// names.
#[must_use]
pub fn key(text: &str) -> String {
    let folded = fold(text);
    let mut key = String::with_capacity(folded.len());
    let mut read_to = 0;
    let mut follows_number = false;
    for word in words(&folded) {
        push_signs(part(&folded, read_to..word.span.start), &mut key);
        if !key.is_empty() {
            key.push(' ');
        }
        let shape = word.shape();
        let is_verbatim = match shape {
            Shape::Plain => {
                follows_number && (word.text.len() <= 2 || Unit::from_name(word.text).is_some())
            }
            Shape::Compound => false,
            Shape::Identifier => word.text.bytes().any(|byte| byte.is_ascii_digit()),
            Shape::Number => true,
        };
        if is_verbatim {
            key.push_str(word.text);
        } else if word.text.is_ascii() {
            let start = key.len();
            key.push_str(word.text);
            if let Some(word_key) = key.get_mut(start..) {
                word_key.make_ascii_lowercase();
            }
        } else {
            let plain_character = |c| if c == '\u{2019}' { '\'' } else { c };
            key.extend(word.text.chars().flat_map(char::to_lowercase).map(plain_character));
        }
        follows_number = shape == Shape::Number;
        read_to = word.span.end;
    }
    push_signs(part(&folded, read_to..folded.len()), &mut key);
    key
}

/// Pushes those signs between two words that change the meaning of a figure.
fn push_signs(between: &str, key: &mut String) {
    if matches!(between, "" | " " | ", " | ". ") {
        return;
    }
    let mut characters = between.chars().peekable();
    let mut follows_space = key.is_empty();
    while let Some(character) = characters.next() {
        let precedes_value = characters.peek().is_none_or(|next| !next.is_whitespace());
        match character {
            '%' | '<' | '>' | '≤' | '≥' | '=' | '≠' | '~' | '≈' | '+' | '±' | '#' | '$' | '€'
            | '£' | '°' | '×' | '/' | '^' | '→' => key.push(character),
            // A minus sign, as opposed to a dash.
            '-' | '\u{2212}' if follows_space && precedes_value => key.push('-'),
            // A decimal point without a leading zero.
            '.' if follows_space && characters.peek().is_none() => key.push('.'),
            _ => {}
        }
        follows_space = character.is_whitespace() || matches!(character, '(' | '[' | '=' | '-');
    }
}

/// A group of duplicate claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The indices of the claims, ascending; at least two.
    pub claims: Vec<usize>,
    /// The strictest class among the claims.
    pub class: Class,
    /// The evidence type that determines the weight of each counted claim.
    pub evidence_type: EvidenceType,
    /// The number of claims that are not counted: all but one if all are supported, or else the supported ones.
    pub set_aside: u32,
}

/// The keys of a partition's claims, or `None` if the policy counts every duplicate.
#[derive(Clone, Debug)]
pub struct Keys(Option<Vec<String>>);

impl Keys {
    /// Computes the keys of claims, if the policy merges duplicates.
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>, policy: &PolicyValues) -> Self {
        Self(policy.guards.duplicates_count_once.then(|| texts.map(key).collect()))
    }
}

/// Counts claims, and merges duplicates if the policy requires it. Returns the tally and the merges.
pub fn canonical_tally(
    keys: &Keys,
    claims: impl Iterator<Item = (Class, EvidenceType, VerdictStatus)>,
    policy: &PolicyValues,
) -> (Tally, Vec<Merge>) {
    let mut tally = Tally::default();
    let Keys(Some(keys)) = keys else {
        claims.for_each(|(class, evidence_type, status)| {
            add(&mut tally, class, evidence_type, status);
        });
        return (tally, Vec::new());
    };
    let mut members: Vec<Member<'_>> = keys
        .iter()
        .zip(claims)
        .enumerate()
        .map(|(index, (key, (class, evidence_type, status)))| Member {
            key,
            index,
            class,
            evidence_type,
            status,
        })
        .collect();
    members.sort_unstable_by(|a, b| a.key.cmp(b.key).then(a.index.cmp(&b.index)));
    let mut merges = Vec::new();
    for group in members.chunk_by(|a, b| a.key == b.key) {
        merges.extend(add_group(&mut tally, group, policy));
    }
    merges.sort_unstable_by(|a, b| a.claims.first().cmp(&b.claims.first()));
    (tally, merges)
}

struct Member<'a> {
    key: &'a str,
    index: usize,
    class: Class,
    evidence_type: EvidenceType,
    status: VerdictStatus,
}

impl Member<'_> {
    fn is_supported(&self) -> bool {
        self.status == VerdictStatus::AsJudged
            && matches!(self.class, Class::Grounded | Class::Complementary)
    }
}

fn add_group(tally: &mut Tally, group: &[Member<'_>], policy: &PolicyValues) -> Option<Merge> {
    if let [only] = group {
        add(tally, only.class, only.evidence_type, only.status);
        return None;
    }
    // Ties in weight are broken by evidence type, so that the order of the claims does not matter.
    let weight =
        |member: &&Member<'_>| (policy.weights.get(member.evidence_type), member.evidence_type);
    let class = group.iter().map(|member| member.class).max()?;
    let claims = group.iter().map(|member| member.index).collect();
    if group.iter().all(Member::is_supported) {
        let evidence_type = group.iter().min_by_key(weight)?.evidence_type;
        tally.add(class, evidence_type, 1);
        return Some(Merge { claims, class, evidence_type, set_aside: count(group.len() - 1) });
    }
    let evidence_type = group.iter().max_by_key(weight)?.evidence_type;
    for member in group.iter().filter(|member| !member.is_supported()) {
        add(tally, member.class, evidence_type, member.status);
    }
    let set_aside = count(group.iter().filter(|member| member.is_supported()).count());
    let is_changed =
        set_aside > 0 || group.iter().any(|member| member.evidence_type != evidence_type);
    is_changed.then_some(Merge { claims, class, evidence_type, set_aside })
}

fn count(claims: usize) -> u32 {
    u32::try_from(claims).unwrap_or(u32::MAX)
}

fn add(tally: &mut Tally, class: Class, evidence_type: EvidenceType, status: VerdictStatus) {
    match status {
        VerdictStatus::AsJudged => tally.add(class, evidence_type, 1),
        VerdictStatus::UnverifiedContradiction => tally.add_unverified_contradiction(evidence_type),
        VerdictStatus::Dropped => tally.add_dropped(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_point::Millionths;
    use crate::policy::{Preset, preset};
    use crate::score::ScoreTerms;
    use proptest::prelude::*;

    use Class::{Complementary, Contradicted, Grounded, Ungrounded};
    use EvidenceType::{Inference, Synthesis, ToolMatch};

    fn tally_texts<'a>(
        claims: impl Iterator<Item = (&'a str, Class, EvidenceType, VerdictStatus)> + Clone,
        policy: &PolicyValues,
    ) -> (Tally, Vec<Merge>) {
        let keys = Keys::new(claims.clone().map(|(text, ..)| text), policy);
        canonical_tally(&keys, claims.map(|(_, class, kind, status)| (class, kind, status)), policy)
    }

    fn tally_claims(claims: &[(&str, Class, EvidenceType)]) -> (Tally, Vec<Merge>) {
        let claims = claims
            .iter()
            .map(|(text, class, kind)| (*text, *class, *kind, VerdictStatus::AsJudged));
        tally_texts(claims, &preset(Preset::Reference))
    }

    #[test]
    fn keys_ignore_case_punctuation_and_white_space() {
        assert_eq!(
            key("  The Pod\u{200b} **restarted** 3 times."),
            key("the pod, restarted 3 times!")
        );
        assert_eq!(key("it didn’t recover"), key("It didn't recover."));
        assert_eq!(key("ＯＯＭ at 14:02"), key("oom at 14:02"));
    }

    #[test]
    fn h32_different_figures_or_names_have_different_keys() {
        for (a, b) in [
            ("restarted 3 times", "restarted 4 times"),
            ("a change of -5 %", "a change of 5 %"),
            ("CPU > 90 %", "CPU < 90 %"),
            ("latency 1.5 s", "latency 15 s"),
            ("memory of 5 M", "memory of 5 m"),
            ("at 8 Mb", "at 8 MB"),
            ("checkout failed", "checkout-db failed"),
            ("at 14:02", "at 14:20"),
            ("a factor of .5", "a factor of 5"),
            ("checkout failed", "checkout did not fail"),
            ("5 %", "5"),
        ] {
            assert_ne!(key(a), key(b), "{a} / {b}");
        }
    }

    #[test]
    fn h32_repeating_a_grounded_claim_changes_nothing() {
        let claims =
            [("pod restarted 3 times", Grounded, ToolMatch), ("dns failed", Ungrounded, ToolMatch)];
        let (expected, merges) = tally_claims(&claims);
        assert!(merges.is_empty());
        let (tally, merges) = tally_claims(&[
            claims[0],
            claims[1],
            ("Pod restarted 3 times.", Grounded, ToolMatch),
            ("*pod* restarted 3 times", Grounded, ToolMatch),
        ]);
        assert_eq!(tally, expected);
        assert_eq!(
            merges,
            [Merge {
                claims: vec![0, 2, 3],
                class: Grounded,
                evidence_type: ToolMatch,
                set_aside: 2
            }],
        );
    }

    #[test]
    fn h32_duplicates_get_the_strictest_class() {
        let (tally, merges) = tally_claims(&[
            ("dns failed", Grounded, ToolMatch),
            ("DNS failed.", Contradicted, Inference),
            ("dns failed!", Ungrounded, Synthesis),
        ]);
        assert_eq!(tally, Tally::from_claims([(Contradicted, ToolMatch), (Ungrounded, ToolMatch)]));
        assert_eq!(merges[0].set_aside, 1);
        assert_eq!(merges[0].class, Contradicted);
    }

    #[test]
    fn supported_duplicates_count_once_at_the_smallest_weight() {
        let (tally, _) =
            tally_claims(&[("a b", Grounded, ToolMatch), ("A b", Complementary, Inference)]);
        assert_eq!(tally, Tally::from_claims([(Complementary, Inference)]));
    }

    #[test]
    fn the_paper_preset_counts_every_copy() {
        let claims = [("a", Grounded, ToolMatch, VerdictStatus::AsJudged); 3];
        let (tally, merges) = tally_texts(claims.into_iter(), &preset(Preset::Paper));
        assert_eq!(tally.count(Grounded), 3);
        assert!(merges.is_empty());
    }

    #[test]
    fn dropped_claims_and_unverified_contradictions_keep_their_status() {
        let claims = [
            ("a", Grounded, ToolMatch, VerdictStatus::AsJudged),
            ("A.", Ungrounded, Inference, VerdictStatus::UnverifiedContradiction),
            ("b", Ungrounded, ToolMatch, VerdictStatus::Dropped),
        ];
        let (tally, _) = tally_texts(claims.into_iter(), &preset(Preset::Reference));
        assert_eq!(tally.count(Grounded), 0);
        assert_eq!(tally.count_unverified_contradictions(), 1);
        assert_eq!(tally.dropped(), 1);
    }

    fn claims() -> impl Strategy<Value = Vec<(usize, Class, EvidenceType, VerdictStatus)>> {
        let status = prop_oneof![
            4 => Just(VerdictStatus::AsJudged),
            1 => Just(VerdictStatus::UnverifiedContradiction),
            1 => Just(VerdictStatus::Dropped),
        ];
        let class = prop::sample::select(Class::ALL.to_vec());
        let kind = prop::sample::select(EvidenceType::ALL.to_vec());
        prop::collection::vec((0_usize..4, class, kind, status), 0..12)
    }

    const TEXTS: [&str; 4] = ["pod restarted", "dns failed", "p99 rose to 5 s", "all is well"];

    proptest! {
        #[test]
        fn merging_never_raises_either_score(claims in claims(), name in prop::sample::select(vec![Preset::Reference, Preset::Strict]), rho in 0_u32..3_000_000) {
            let policy = preset(name);
            let mut values = policy.values().clone();
            values.rho = Millionths::new(rho);
            let entries = || claims.iter().map(|(text, class, kind, status)| (TEXTS[*text], *class, *kind, *status));
            let (merged, _) = tally_texts(entries(), &values);
            let mut unmerged = Tally::default();
            entries().for_each(|(_, class, kind, status)| add(&mut unmerged, class, kind, status));
            let (merged, unmerged) = (ScoreTerms::new(&values, &merged), ScoreTerms::new(&values, &unmerged));
            prop_assert!(merged.score(&values) <= unmerged.score(&values));
            prop_assert!(merged.guarded_score(&values) <= unmerged.guarded_score(&values));
        }

        #[test]
        fn a_copy_of_a_supported_claim_never_changes_the_tally(claims in claims(), which in any::<prop::sample::Index>()) {
            let policy = preset(Preset::Reference);
            let mut claims = claims;
            let supported: Vec<_> = claims.iter().copied().filter(|(_, class, _, status)| {
                matches!(class, Grounded | Complementary) && *status == VerdictStatus::AsJudged
            }).collect();
            prop_assume!(!supported.is_empty());
            let tally = |claims: &[(usize, Class, EvidenceType, VerdictStatus)]| {
                tally_texts(claims.iter().map(|(text, class, kind, status)| (TEXTS[*text], *class, *kind, *status)), &policy).0
            };
            let before = tally(&claims);
            claims.push(*which.get(&supported));
            prop_assert_eq!(tally(&claims), before);
        }

        #[test]
        fn keys_ignore_surrounding_white_space(text in "\\PC{0,60}") {
            let expected = key(&text);
            prop_assert_eq!(key(&text.to_uppercase().to_lowercase()), key(&text.to_uppercase().to_lowercase()));
            prop_assert_eq!(key(&format!("  {text}  ")), expected);
        }
    }
}
