//! Composes reports from labelled claims without a model, with supported claims only or with overreaching
//! claims (the modes distill and adversarial in arXiv:2604.23366).

use gsar_core::Class;

use super::{Gold, GoldClaim, Item, Mode, Row};
use crate::statistics::Random;

/// Introduces a true claim about another subject.
const ALTERNATIVE: &str = "Another perspective: ";

const MAX_DISTRACTORS: usize = 3;

/// Composes reports. Uses each claim at most once. Deterministic for a given seed.
pub(super) fn compose(rows: Vec<Row>, mode: Mode, seed: u64) -> Vec<Row> {
    let mut random = Random::new(seed);
    let items: Vec<Item> = rows.iter().flat_map(|row| row.evidence.iter().cloned()).collect();
    let mut pools = Pools::of(rows, &mut random);
    let mut reports = Vec::new();
    while let Some(parts) = pools.draw(mode, &mut random) {
        let id = format!("{}-{:05}", mode.name(), reports.len());
        reports.push(report(id, parts, &items, &mut random));
    }
    reports
}

/// Single-claim rows that are not yet in a report.
struct Pools {
    supported: Vec<Row>,
    refuted: Vec<Row>,
    open: Vec<Row>,
}

impl Pools {
    fn of(rows: Vec<Row>, random: &mut Random) -> Self {
        let mut pools = Self { supported: Vec::new(), refuted: Vec::new(), open: Vec::new() };
        let mut single: Vec<Row> = rows.into_iter().filter(|row| row.claims.len() == 1).collect();
        random.shuffle(&mut single);
        for row in single {
            match row.claims.first().map(|claim| claim.gold.0) {
                Some(Class::Grounded) => pools.supported.push(row),
                Some(Class::Contradicted) => pools.refuted.push(row),
                Some(Class::Ungrounded) => pools.open.push(row),
                Some(Class::Complementary) | None => {}
            }
        }
        pools
    }

    /// Draws the rows for the next report, or returns `None` if a pool is too small.
    fn draw(&mut self, mode: Mode, random: &mut Random) -> Option<Vec<Row>> {
        let mut parts = match mode {
            Mode::Single => return None,
            Mode::Distill => take(&mut self.supported, random.between(3, 5))?,
            Mode::Adversarial => {
                let mut parts = take(&mut self.supported, random.between(1, 2))?;
                parts.extend(take(&mut self.open, 1)?);
                parts.extend(take(&mut self.refuted, random.between(1, 2))?);
                if random.percent(50) {
                    parts.extend(take(&mut self.supported, 1)?.into_iter().map(alternative));
                }
                parts
            }
        };
        random.shuffle(&mut parts);
        Some(parts)
    }
}

fn take(pool: &mut Vec<Row>, count: usize) -> Option<Vec<Row>> {
    let from = pool.len().checked_sub(count)?;
    Some(pool.split_off(from))
}

fn alternative(mut row: Row) -> Row {
    for claim in &mut row.claims {
        claim.text.insert_str(0, ALTERNATIVE);
        claim.gold = Gold(Class::Complementary);
        claim.judged = None;
    }
    row
}

fn report(id: String, parts: Vec<Row>, others: &[Item], random: &mut Random) -> Row {
    let mut items: Vec<(Option<usize>, Item)> = Vec::new();
    for (part, row) in parts.iter().enumerate() {
        items.extend(row.evidence.iter().cloned().map(|item| (Some(part), item)));
    }
    for _ in 0..random.between(1, MAX_DISTRACTORS) {
        let other = random.pick(others).cloned();
        let other = other.filter(|other| items.iter().all(|(_, item)| item.text != other.text));
        items.extend(other.map(|item| (None, item)));
    }
    random.shuffle(&mut items);
    let name = |at: usize| format!("e{}", at + 1);
    let new_id = |part: usize, id: &str| {
        let found = items.iter().position(|(of, item)| *of == Some(part) && item.id == id);
        found.map_or_else(|| id.to_owned(), name)
    };
    let mut claims: Vec<GoldClaim> = Vec::new();
    for (part, row) in parts.iter().enumerate() {
        for claim in &row.claims {
            let mut claim = claim.clone();
            for cited in claim.judged.iter_mut().flat_map(|judged| &mut judged.citations) {
                cited.evidence = new_id(part, &cited.evidence);
            }
            claims.push(claim);
        }
    }
    let evidence =
        items.into_iter().enumerate().map(|(at, (_, item))| Item { id: name(at), ..item });
    Row { id, report: String::new(), claims, evidence: evidence.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::{Citation, Judgement};

    fn rows(of_each: usize) -> Vec<Row> {
        let classes = [Class::Grounded, Class::Grounded, Class::Contradicted, Class::Ungrounded];
        let row = |at: usize| {
            let judged = Judgement {
                class: Class::Grounded,
                evidence_type: gsar_core::EvidenceType::ToolMatch,
                citations: vec![Citation {
                    evidence: "s1".to_owned(),
                    field_path: None,
                    quote: format!("text {at}"),
                }],
            };
            let gold = Gold(*classes.get(at % 4).unwrap());
            let text = format!("Claim {at} holds.");
            Row {
                id: format!("r{at}"),
                report: String::new(),
                claims: vec![GoldClaim { text, gold, judged: Some(judged) }],
                evidence: vec![Item::text("s1".to_owned(), format!("text {at}"))],
            }
        };
        (0..of_each * 4).map(row).collect()
    }

    fn count(row: &Row, class: Class) -> usize {
        row.claims.iter().filter(|claim| claim.gold.0 == class).count()
    }

    #[test]
    fn only_adversarial_reports_overreach() {
        let honest = compose(rows(50), Mode::Distill, 1);
        assert!(honest.len() >= 20, "{}", honest.len());
        for row in &honest {
            assert!((3..=5).contains(&row.claims.len()));
            assert_eq!(count(row, Class::Grounded), row.claims.len());
        }
        let adversarial = compose(rows(50), Mode::Adversarial, 1);
        assert!(adversarial.len() >= 25, "{}", adversarial.len());
        for row in &adversarial {
            assert!(count(row, Class::Grounded) >= 1 && count(row, Class::Ungrounded) == 1);
            assert!(count(row, Class::Contradicted) >= 1 && count(row, Class::Complementary) <= 1);
        }
        assert!(adversarial.iter().any(|row| count(row, Class::Complementary) == 1));
        assert_eq!(compose(rows(50), Mode::Adversarial, 1), adversarial);
        assert_ne!(compose(rows(50), Mode::Adversarial, 2), adversarial);
    }

    #[test]
    fn stored_citations_follow_their_items() {
        for row in compose(rows(50), Mode::Adversarial, 3) {
            for claim in row.claims.iter().filter_map(|claim| claim.judged.as_ref()) {
                let cited = &claim.citations[0];
                let item = row.evidence.iter().find(|item| item.id == cited.evidence).unwrap();
                assert_eq!(item.text, cited.quote);
            }
        }
    }
}
