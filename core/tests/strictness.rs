//! Checks that a stricter policy never improves a tier, using random policies and partitions.

use gsar_core::assess::{Subject, assess};
use gsar_core::budget::Budget;
use gsar_core::coverage::Coverage;
use gsar_core::evidence::{
    Citation, Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target,
};
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{
    PolicyValues, SecondLook, SecondLookFailure, UndefinedScore, VerificationMode,
};
use gsar_core::second_look::{SecondLookResult, SecondLookVerdict};
use gsar_core::{
    Claim, ClaimId, Class, EvidenceType, Headline, JudgedClaim, Origin, Policy, Preset, Role,
    Tally, TextFindings, decide, preset,
};

const ONE: u32 = 1_000_000;

/// A deterministic random number generator (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn draw_below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(bound).unwrap()).unwrap()
    }

    fn is_one_in(&mut self, bound: usize) -> bool {
        self.draw_below(bound) == 0
    }

    fn ids(&mut self) -> Vec<ClaimId> {
        let id = self.is_one_in(3).then(|| ClaimId::new("c1").unwrap());
        id.into_iter().collect()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.draw_below(from.len())]
    }

    /// Returns a random share, which is often at a boundary.
    fn share(&mut self) -> Millionths {
        let picked = [0, 1, 100_000, 200_000, 500_000, 600_000, 800_000, 999_999, ONE];
        match self.is_one_in(3) {
            true => Millionths::new(u32::try_from(self.draw_below(1_000_001)).unwrap()),
            false => Millionths::new(self.pick(&picked)),
        }
    }

    fn weights(&mut self, values: &mut PolicyValues) {
        let mut weights: Vec<Millionths> = (0..8).map(|_| self.share()).collect();
        if !self.is_one_in(4) {
            weights.sort_unstable_by(|a, b| b.cmp(a));
        }
        for (evidence_type, weight) in EvidenceType::ALL.into_iter().zip(weights) {
            values.weights.set(evidence_type, weight);
        }
    }

    fn rho(&mut self) -> Millionths {
        Millionths::new(self.pick(&[0, 1, 300_000, 500_000, ONE, 2_000_000, 10_000_000]))
    }

    fn limit(&mut self) -> Option<Millionths> {
        (!self.is_one_in(3)).then(|| self.share())
    }

    /// Changes a random field or a random group of fields.
    fn change_field(&mut self, values: &mut PolicyValues) {
        let coin = self.is_one_in(2);
        let guards = &mut values.guards;
        match self.draw_below(16) {
            0 => values.tau_proceed = self.share(),
            1 => values.tau_regenerate = self.share(),
            2 => values.rho = self.rho(),
            3 => values.ungrounded_floor = self.share(),
            4 => {
                let modes = [UndefinedScore::Half, UndefinedScore::Absent];
                values.undefined_score = self.pick(&modes);
            }
            5 => {
                let modes =
                    [VerificationMode::Off, VerificationMode::Observe, VerificationMode::Enforce];
                values.verification = self.pick(&modes);
            }
            6 if coin => values.second_look = self.pick(&SecondLook::ALL),
            6 => values.second_look_failure = self.pick(&SecondLookFailure::ALL),
            7 => self.weights(values),
            8 => values.weights.set(self.pick(&EvidenceType::ALL), self.share()),
            9 => guards.duplicates_count_once = coin,
            10 => guards.rho_at_least_one = coin,
            11 => guards.complementary_limit = self.limit(),
            12 => guards.contradiction_blocks = coin,
            13 => guards.min_grounded = u32::try_from(self.draw_below(4)).unwrap(),
            14 => guards.min_coverage = self.limit(),
            _ if coin => guards.headline_must_be_grounded = self.is_one_in(2),
            _ => guards.tool_match_needs_attestation = self.is_one_in(2),
        }
    }

    /// Makes a random field stricter. The change is usually accepted as stricter.
    fn tighten(&mut self, values: &mut PolicyValues) {
        let share = self.share();
        let guards = &mut values.guards;
        match self.draw_below(14) {
            0 => values.tau_proceed = values.tau_proceed.max(share),
            1 => values.tau_regenerate = values.tau_regenerate.max(share),
            2 => values.rho = values.rho.max(self.rho()),
            3 => values.ungrounded_floor = values.ungrounded_floor.max(share),
            4 => values.undefined_score = UndefinedScore::Absent,
            5 => values.verification = VerificationMode::Enforce,
            6 if self.is_one_in(2) => values.second_look = SecondLook::All,
            6 => values.second_look_failure = SecondLookFailure::Abstain,
            7 => {
                for evidence_type in EvidenceType::ALL {
                    let weight = values.weights.get(evidence_type).min(share);
                    let heaviest = values.weights.as_array().iter().max().copied();
                    values.ungrounded_floor = values.ungrounded_floor.max(heaviest.unwrap());
                    values.weights.set(evidence_type, weight);
                }
            }
            8 => guards.duplicates_count_once = true,
            9 => guards.rho_at_least_one = true,
            10 => {
                let limit = guards.complementary_limit.map_or(share, |limit| limit.min(share));
                guards.complementary_limit = Some(limit);
            }
            11 => guards.contradiction_blocks = true,
            12 => guards.min_coverage = guards.min_coverage.max(Some(share)),
            _ if self.is_one_in(2) => guards.headline_must_be_grounded = true,
            _ => guards.tool_match_needs_attestation = true,
        }
    }

    /// Returns a random policy and a policy derived from it, or `None` if either is invalid.
    fn pair(&mut self) -> Option<(Policy, Policy)> {
        // A policy derived from `paper` can have zero weights.
        let mut values = preset(Preset::Paper).values().clone();
        if self.is_one_in(2) {
            let name = self.pick(&[Preset::Reference, Preset::Strict]);
            values = PolicyValues { base: Preset::Paper, ..preset(name).values().clone() };
        }
        for _ in 0..self.draw_below(8) {
            self.change_field(&mut values);
        }
        let mut changed = values.clone();
        for _ in 0..1 + self.draw_below(4) {
            match self.is_one_in(4) {
                true => self.change_field(&mut changed),
                false => self.tighten(&mut changed),
            }
        }
        Some((Policy::new(values).ok()?, Policy::new(changed).ok()?))
    }

    fn partition(&mut self) -> (Tally, Origin, Option<TextFindings>) {
        let mut tally = Tally::default();
        let only_type = self.is_one_in(4).then(|| self.pick(&EvidenceType::ALL));
        let only_class = self.is_one_in(4).then(|| self.pick(&Class::ALL));
        for _ in 0..self.draw_below(7) {
            let class = only_class.unwrap_or_else(|| match self.is_one_in(2) {
                true => Class::Grounded,
                false => self.pick(&Class::ALL),
            });
            let evidence_type = only_type.unwrap_or_else(|| self.pick(&EvidenceType::ALL));
            tally.add(class, evidence_type, u32::try_from(1 + self.draw_below(6)).unwrap());
        }
        if self.is_one_in(6) {
            tally.add_unverified_contradiction(self.pick(&EvidenceType::ALL));
        }
        if self.is_one_in(6) {
            tally.add_dropped();
        }
        let findings = self.is_one_in(2).then(|| {
            let sentences = self.draw_below(5);
            let covered = self.draw_below(sentences + 1);
            let to_u32 = |count: usize| u32::try_from(count).unwrap();
            let (covered, sentences) = (to_u32(covered), to_u32(sentences));
            TextFindings {
                headline: Headline {
                    root_causes: self.ids(),
                    remedies: self.ids(),
                    has_others: self.is_one_in(2),
                },
                second_look_error: self.is_one_in(4).then(|| "late".to_owned()),
                coverage: Some(Coverage {
                    covered,
                    sentences,
                    uncovered: Vec::new(),
                    spans: Vec::new(),
                    words: Vec::new(),
                }),
                duplicates: 0,
            }
        });
        (tally, self.pick(&[Origin::Caller, Origin::Judge]), findings)
    }
}

/// Checks every partition under each pair of policies that is accepted as stricter. Returns the number of these pairs.
fn count_accepted(
    seed: u64,
    pairs: usize,
    partitions: &[(Tally, Origin, Option<TextFindings>)],
) -> usize {
    let mut dice = Dice(seed);
    let mut accepted_count = 0;
    let mut drawn_count = 0;
    while drawn_count < pairs {
        let Some((policy, stricter)) = dice.pair() else { continue };
        drawn_count += 1;
        if stricter == policy || stricter.at_least_as_strict_as(&policy).is_err() {
            continue;
        }
        accepted_count += 1;
        for (tally, origin, findings) in partitions {
            let before = decide(&policy, tally, *origin, findings.as_ref());
            let after = decide(&stricter, tally, *origin, findings.as_ref());
            assert!(
                after.tier >= before.tier,
                "{:?} becomes {:?}: {tally:?} {origin:?} {findings:?}\n{:#?}\n{:#?}",
                before.tier,
                after.tier,
                policy.values(),
                stricter.values(),
            );
        }
    }
    accepted_count
}

fn partitions() -> Vec<(Tally, Origin, Option<TextFindings>)> {
    let mut dice = Dice(7);
    (0..1_000).map(|_| dice.partition()).collect()
}

// The pairs are split into two tests, which run in parallel.
#[test]
fn no_stricter_policy_improves_a_tier_in_5000_pairs_and_1000_partitions() {
    let accepted_count = count_accepted(1, 5_000, &partitions());
    assert!(accepted_count > 800, "only {accepted_count} pairs were accepted");
}

#[test]
fn no_stricter_policy_improves_a_tier_in_5000_other_pairs_and_1000_partitions() {
    let accepted_count = count_accepted(2, 5_000, &partitions());
    assert!(accepted_count > 800, "only {accepted_count} pairs were accepted");
}

const WORDS: [&str; 10] = [
    "checkout restarted 3 times",
    "checkout restarted 5 times",
    "p99 latency rose to 1.8 s at 14:02",
    "p99 latency rose to 1200 ms at 14:07",
    "the connection pool was not exhausted",
    "the connection pool was exhausted",
    "no DNS failures were found",
    "the pool was likely exhausted",
    "version v2.3.1 runs on node-6",
    "memory limit is 512Mi",
];

struct Report {
    synthesis: String,
    claims: Vec<Claim>,
    judged: Vec<JudgedClaim>,
    evidence: Vec<EvidenceItem>,
    second_looks: Vec<SecondLookResult>,
    second_look_error: Option<String>,
}

impl Report {
    fn random(dice: &mut Dice) -> Self {
        let texts: Vec<&str> = (0..1 + dice.draw_below(6)).map(|_| dice.pick(&WORDS)).collect();
        let claims: Vec<Claim> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| Claim::new(ClaimId::new(format!("c{index}")).unwrap(), *text))
            .collect();
        let evidence = (0..3).map(|index| item(dice, index)).collect();
        let answers = claims.len() + usize::from(dice.is_one_in(4));
        let mut judged = Vec::new();
        for index in 0..answers {
            // A claim is occasionally omitted or duplicated.
            let index = if dice.is_one_in(8) {
                dice.draw_below(claims.len())
            } else {
                index % claims.len()
            };
            judged.push(answer(dice, &claims, index));
        }
        let mut synthesis = texts.join(". ");
        synthesis.push('.');
        let second_look = |claim: &Claim| {
            dice.is_one_in(2).then(|| SecondLookResult {
                claim: claim.id.clone(),
                verdict: dice.pick(&SecondLookVerdict::ALL),
                explanation: String::new(),
                judge: String::new(),
            })
        };
        let second_looks = claims.iter().filter_map(second_look).collect();
        let second_look_error = dice.is_one_in(4).then(|| "late".to_owned());
        Self { synthesis, claims, judged, evidence, second_looks, second_look_error }
    }

    fn tier(&self, policy: &Policy, origin: Origin) -> gsar_core::Tier {
        let subject = Subject {
            second_looks: &self.second_looks,
            second_look_error: self.second_look_error.clone(),
            synthesis: &self.synthesis,
            ..Subject::new(&self.claims, self.judged.clone(), &self.evidence, origin)
        };
        assess(policy, subject, &Budget::unlimited()).decision.tier
    }
}

fn item(dice: &mut Dice, index: usize) -> EvidenceItem {
    let lines: Vec<&str> = (0..1 + dice.draw_below(4)).map(|_| dice.pick(&WORDS)).collect();
    let id = EvidenceId::new(format!("e{index}")).unwrap();
    let kind = dice.pick(&EvidenceKind::ALL);
    let lane = dice.pick(&[Lane::Logs, Lane::Metrics, Lane::LlmInferred]);
    EvidenceItem {
        kind,
        tool: "kubectl logs".to_owned(),
        query: if dice.is_one_in(2) { "dns".to_owned() } else { String::new() },
        exhaustive: dice.is_one_in(3),
        attested: dice.is_one_in(2),
        ..EvidenceItem::new(id, lane, Content::Text(lines.join("\n")))
    }
}

fn answer(dice: &mut Dice, claims: &[Claim], index: usize) -> JudgedClaim {
    let claim = claims[index].clone();
    let citations = (0..1 + dice.draw_below(2))
        .map(|_| {
            let (target, quote) = match dice.is_one_in(4) {
                true => (Target::Claim(claims[dice.draw_below(claims.len())].id.clone()), ""),
                false => {
                    let id = EvidenceId::new(format!("e{}", dice.draw_below(3))).unwrap();
                    let quotes = [claim.text.as_str(), dice.pick(&WORDS), ""];
                    (Target::Evidence { id, field_path: String::new() }, dice.pick(&quotes))
                }
            };
            Citation { target, quote: quote.to_owned(), bytes: None }
        })
        .collect();
    let class = match dice.draw_below(6) {
        0 => Class::Ungrounded,
        1 => Class::Contradicted,
        2 => Class::Complementary,
        _ => Class::Grounded,
    };
    let evidence_type = dice.pick(&EvidenceType::ALL);
    let role = dice.pick(&Role::ALL);
    JudgedClaim { role, citations, ..JudgedClaim::new(claim, class, evidence_type) }
}

fn check_that_no_stricter_policy_improves_a_report(reports: usize, pairs: usize) {
    let mut dice = Dice(3);
    let reports: Vec<Report> = (0..reports).map(|_| Report::random(&mut dice)).collect();
    let mut accepted_count = 0;
    for _ in 0..pairs {
        let Some((policy, stricter)) = dice.pair() else { continue };
        if stricter == policy || stricter.at_least_as_strict_as(&policy).is_err() {
            continue;
        }
        accepted_count += 1;
        for report in &reports {
            for origin in [Origin::Caller, Origin::Judge] {
                let before = report.tier(&policy, origin);
                let after = report.tier(&stricter, origin);
                assert!(
                    after >= before,
                    "{before:?} becomes {after:?}: {origin:?}\n{:#?}\n{:#?}\n{:#?}\n{:#?}",
                    report.judged,
                    report.evidence,
                    policy.values(),
                    stricter.values(),
                );
            }
        }
    }
    assert!(accepted_count * 10 > pairs, "only {accepted_count} of {pairs} pairs were accepted");
}

#[test]
fn no_stricter_policy_improves_the_tier_of_a_report() {
    check_that_no_stricter_policy_improves_a_report(10, 300);
}

#[test]
#[ignore = "deep"]
fn no_stricter_policy_improves_the_tiers_of_many_reports() {
    check_that_no_stricter_policy_improves_a_report(25, 1_200);
}
