//! Builds the input of a second look: statements with excerpts of the cited items.

mod location;

use std::collections::BTreeMap;

use crate::claim::{Claim, JudgedClaim};
use crate::context::{Excerpt, Ranges, quantifies};
use crate::evidence::{Citation, Content, EvidenceId, EvidenceItem, Target};
use crate::policy::SecondLook;
use crate::second_look::needs_second_look;
use crate::verify::EvidenceSet;
use location::{Location, locate};

/// The maximum number of statements per sheet. It keeps the reader's answers short.
const MAX_STATEMENTS: usize = 40;

/// The cost of adding a quote with its context, in budget units.
const UNITS_FOR_QUOTE: usize = 16 << 10;

/// A statement and its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The claim.
    pub claim: Claim,
    /// The heading above the claim in the report; may be empty.
    pub heading: String,
    /// The text before the claim in the report; may be empty.
    pub preceding_text: String,
    /// The quotes with the ids of their items.
    pub quotes: Vec<(EvidenceId, String)>,
}

/// The input of one call to the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The statements, in report order.
    pub statements: Vec<Statement>,
    /// The distinct cited items. Long items are reduced to excerpts, which are not marked as exhaustive.
    pub evidence: Vec<EvidenceItem>,
}

/// Builds sheets for the claims that need a second look. Each sheet contains about `max_bytes` of evidence.
#[must_use]
pub fn sheets<'c>(
    mode: SecondLook,
    judged: impl IntoIterator<Item = &'c JudgedClaim>,
    report: &str,
    evidence: &EvidenceSet<'_>,
    max_bytes: usize,
) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    let mut builder = SheetBuilder {
        report,
        evidence,
        max_bytes,
        statements: Vec::new(),
        excerpts: BTreeMap::new(),
    };
    for judged in judged.into_iter().filter(|judged| needs_second_look(mode, judged)) {
        if !builder.add(judged) {
            sheets.extend(builder.finish());
            builder.add(judged);
        }
    }
    sheets.extend(builder.finish());
    sheets
}

struct SheetBuilder<'e, 's> {
    report: &'s str,
    evidence: &'s EvidenceSet<'e>,
    max_bytes: usize,
    statements: Vec<Statement>,
    /// The excerpts by the position of their items. They are cached across sheets.
    excerpts: BTreeMap<usize, Excerpt<'e>>,
}

impl SheetBuilder<'_, '_> {
    /// Adds a claim with its quotes. Returns `false` if the claim does not fit. On an empty sheet, quotes that do not
    /// fit are dropped instead.
    fn add(&mut self, judged: &JudgedClaim) -> bool {
        if self.statements.len() == MAX_STATEMENTS {
            return false;
        }
        let needs_whole_items = quantifies(&judged.claim.text);
        let quotes = match self.quotes(judged, needs_whole_items, false) {
            Some(quotes) => quotes,
            None if !self.statements.is_empty() => return false,
            None => self.quotes(judged, false, true).unwrap_or_default(),
        };
        if !quotes.is_empty() {
            let location = judged.claim.span.as_ref().map(|span| locate(self.report, span));
            let Location { heading, preceding_text } = location.unwrap_or_default();
            self.statements.push(Statement {
                claim: judged.claim.clone(),
                heading,
                preceding_text,
                quotes,
            });
        }
        true
    }

    /// Adds a claim's citations and returns its quotes, or `None` if they do not fit. If `may_drop` is `true`, adds
    /// only the quotes that fit, but at least one.
    fn quotes(
        &mut self,
        judged: &JudgedClaim,
        add_whole_items: bool,
        may_drop: bool,
    ) -> Option<Vec<(EvidenceId, String)>> {
        let mut previous_ranges: Vec<(usize, Ranges)> = Vec::new();
        let mut quotes = Vec::new();
        for citation in &judged.citations {
            let Target::Evidence { id, .. } = &citation.target else { continue };
            let Some(position) = self.evidence.position(id) else { continue };
            let Some(item) = self.evidence.items().get(position) else { continue };
            if !self.evidence.spend(UNITS_FOR_QUOTE) {
                break;
            }
            let excerpt = self.excerpts.entry(position).or_insert_with(|| Excerpt::new(item));
            previous_ranges.push((position, excerpt.clone_ranges()));
            match &citation.bytes {
                Some(bytes) => excerpt.add_quote(bytes.clone()),
                None => excerpt.add_whole(),
            }
            if add_whole_items {
                excerpt.add_whole();
            }
            let is_first_quote = quotes.is_empty();
            if self.bytes() > self.max_bytes && !(may_drop && is_first_quote) {
                let retained = if may_drop { previous_ranges.len() - 1 } else { 0 };
                previous_ranges
                    .drain(retained..)
                    .rev()
                    .for_each(|(position, ranges)| self.restore(position, ranges));
                return may_drop.then_some(quotes);
            }
            quotes.push((id.clone(), quoted_text(citation, item)));
        }
        Some(quotes)
    }

    fn bytes(&self) -> usize {
        const OVERHEAD: usize = 8;
        let ranges = self.excerpts.values().flat_map(Excerpt::ranges);
        let (count, bytes) = ranges
            .fold((0, 0), |(count, bytes), range| (count + 1, bytes + range.len() + OVERHEAD));
        // If the budget is exceeded here, no more quotes are added.
        self.evidence.spend(count);
        bytes
    }

    fn restore(&mut self, position: usize, ranges: Ranges) {
        if let Some(excerpt) = self.excerpts.get_mut(&position) {
            excerpt.replace(ranges);
        }
    }

    fn finish(&mut self) -> Option<Sheet> {
        let statements = core::mem::take(&mut self.statements);
        let excerpts = self.excerpts.values_mut().filter(|excerpt| !excerpt.is_empty());
        let evidence = excerpts.map(|excerpt| {
            let item = excerpt.item();
            let content = Content::Text(excerpt.render());
            let exhaustive = item.exhaustive && excerpt.is_whole();
            excerpt.replace(Ranges::new());
            EvidenceItem { content, exhaustive, ..without_content(item) }
        });
        let sheet = Sheet { evidence: evidence.collect(), statements };
        (!sheet.statements.is_empty()).then_some(sheet)
    }
}

/// Returns a citation's quote, or the whole quoted span if the quote contains an ellipsis.
fn quoted_text(citation: &Citation, item: &EvidenceItem) -> String {
    const MAX_SPAN: usize = 4 << 10;
    let is_elided = citation.quote.contains('…') || citation.quote.contains("...");
    let span = citation.bytes.clone().filter(|bytes| is_elided && bytes.len() <= MAX_SPAN);
    let span = span.and_then(|bytes| item.content.as_str().get(bytes));
    span.unwrap_or(&citation.quote).to_owned()
}

fn without_content(item: &EvidenceItem) -> EvidenceItem {
    EvidenceItem {
        id: item.id.clone(),
        kind: item.kind,
        lane: item.lane,
        tool: item.tool.clone(),
        query: item.query.clone(),
        content: Content::Text(String::new()),
        collected_at: item.collected_at,
        exhaustive: item.exhaustive,
        attested: item.attested,
        step_id: item.step_id.clone(),
        specialist_id: item.specialist_id.clone(),
        verification_result: item.verification_result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Class, EvidenceType, Role};
    use crate::testing::tool;

    fn item(id: &str, content: String) -> EvidenceItem {
        EvidenceItem { exhaustive: true, ..tool(id, &content) }
    }

    fn judged_claim(id: &str, text: &str, quotes: &[(&EvidenceItem, &str)]) -> JudgedClaim {
        let citation = |(item, quote): &(&EvidenceItem, &str)| {
            let start = item.content.as_str().find(quote);
            Citation {
                bytes: start.map(|start| start..start + quote.len()),
                ..Citation::new(item.id.clone(), *quote)
            }
        };
        let id = crate::ids::ClaimId::new(id).unwrap();
        let claim = Claim::new(id, text);
        JudgedClaim {
            citations: quotes.iter().map(citation).collect(),
            ..JudgedClaim::new(claim, Class::Grounded, EvidenceType::ToolMatch)
        }
    }

    fn log(lines: usize) -> String {
        (0..lines).map(|n| format!("14:{:02}:{:02} worker-{n} done\n", n / 60, n % 60)).collect()
    }

    const BUDGET: usize = 24 << 10;

    #[test]
    fn an_item_is_shown_once_with_its_quotes() {
        let items = [item("e1", log(2_000)), item("e2", "pool full".to_owned())];
        let claims = [
            judged_claim("c1", "worker-7 was done.", &[(&items[0], "worker-7 done")]),
            judged_claim("c2", "worker-900 was done.", &[(&items[0], "worker-900 done")]),
            judged_claim("c3", "The pool was full.", &[(&items[1], "pool full")]),
        ];
        let sheets = sheets(SecondLook::All, &claims, "", &EvidenceSet::new(&items), BUDGET);
        assert_eq!(sheets.len(), 1);
        let [first, second] = sheets[0].evidence.as_slice() else { panic!("{sheets:?}") };
        let content = first.content.as_str();
        assert!(content.contains("worker-7 done") && content.contains("worker-900 done"));
        assert!(!content.contains("worker-400 done") && !first.exhaustive);
        assert!(second.exhaustive, "short items are shown as a whole");
        assert_eq!(sheets[0].statements.len(), 3);
    }

    #[test]
    fn a_quantified_statement_gets_the_whole_item() {
        let items = [item("e1", log(400)), item("e2", log(500)), item("e3", log(600))];
        let claim = judged_claim("c1", "All workers were done.", &[(&items[0], "worker-7 done")]);
        let evidence = EvidenceSet::new(&items);
        let result = sheets(SecondLook::All, [&claim], "", &evidence, BUDGET);
        assert!(result[0].evidence[0].exhaustive);
        let quotes: Vec<_> = items.iter().map(|item| (item, "worker-7 done")).collect();
        let claim = judged_claim("c1", "All workers were done.", &quotes);
        let result = sheets(SecondLook::All, [&claim], "", &evidence, BUDGET);
        assert_eq!(
            (result.len(), result[0].statements[0].quotes.len()),
            (1, 3),
            "no quote is lost"
        );
    }

    #[test]
    fn sheets_stay_within_the_size_limit_and_omit_no_claim() {
        let items: Vec<EvidenceItem> = (0..30).map(|n| item(&format!("e{n}"), log(60))).collect();
        let claims: Vec<JudgedClaim> = items
            .iter()
            .enumerate()
            .map(|(n, item)| {
                judged_claim(&format!("c{n}"), "worker-7 done", &[(item, "worker-7 done")])
            })
            .collect();
        let sheets = sheets(SecondLook::All, &claims, "", &EvidenceSet::new(&items), 4_096);
        assert!(sheets.len() > 3);
        let selected: Vec<&str> = sheets
            .iter()
            .flat_map(|sheet| &sheet.statements)
            .map(|statement| statement.claim.id.as_str())
            .collect();
        let submitted: Vec<&str> = claims.iter().map(|claim| claim.claim.id.as_str()).collect();
        assert_eq!(selected, submitted);
        for sheet in &sheets {
            let bytes: usize = sheet.evidence.iter().map(|item| item.content.as_str().len()).sum();
            assert!(bytes <= 4_096, "{bytes}");
        }
    }

    #[test]
    fn an_elided_quote_is_shown_with_its_whole_span() {
        let items = [item("e1", "the pool was not full at noon".to_owned())];
        let mut claim =
            judged_claim("c1", "The pool was full.", &[(&items[0], "the pool was not full")]);
        claim.citations[0].quote = "the pool … full".to_owned();
        let sheets = sheets(SecondLook::All, [&claim], "", &EvidenceSet::new(&items), BUDGET);
        assert_eq!(sheets[0].statements[0].quotes[0].1, "the pool was not full");
    }

    #[test]
    fn headline_mode_selects_only_headline_claims() {
        let items = [item("e1", "pool full".to_owned())];
        let mut cause = judged_claim("c1", "The pool was full.", &[(&items[0], "pool full")]);
        let other = JudgedClaim { role: Role::Observation, ..cause.clone() };
        cause.role = Role::RootCause;
        let evidence = EvidenceSet::new(&items);
        let selected = |mode, claim| sheets(mode, [claim], "", &evidence, BUDGET).len();
        assert_eq!(selected(SecondLook::Headline, &cause), 1);
        assert_eq!(selected(SecondLook::Headline, &other), 0);
        assert_eq!(selected(SecondLook::Off, &cause), 0);
        let ungrounded = JudgedClaim { class: Class::Ungrounded, ..cause.clone() };
        assert_eq!(selected(SecondLook::All, &ungrounded), 0);
    }
}
