//! Formats evaluations. The last line is the decision.

use gsar_client::text::{one_line, truncate_end, width};
use gsar_core::Policy;
use gsar_proto::v1;

use super::page::{BOLD, DIM, Page, count, listed, styled};
use super::{claims, labels, safety, score, verdict};

/// The context of an evaluated report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportContext<'a> {
    pub(crate) report: Option<&'a v1::Report>,
    /// Used to find the line of a quote.
    pub(crate) evidence: &'a [v1::EvidenceItem],
    pub(crate) policy: Option<&'a Policy>,
    /// `true` if the record outlives the command.
    pub(crate) is_recorded: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) columns: usize,
    /// The classes to show, where `None` stands for undecided claims. Empty means all.
    pub(crate) only: Vec<Option<v1::ClaimClass>>,
    pub(crate) explain: Explain,
}

impl View {
    pub(crate) fn includes(&self, claim: &v1::JudgedClaim) -> bool {
        let decided_class = claim.undecided.is_none().then(|| claim.class());
        let is_class_selected = self.only.is_empty() || self.only.contains(&decided_class);
        let is_claim_selected = match &self.explain {
            Explain::Claim(id) => *id == claim.id,
            Explain::Briefly | Explain::All => true,
        };
        is_class_selected && is_claim_selected
    }
}

/// The level of detail of claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Explain {
    /// The deciding evidence only.
    Briefly,
    /// Full details of every claim.
    All,
    /// Full details of one claim.
    Claim(String),
}

impl Explain {
    /// Returns `true` if the claim is shown in full detail.
    pub(crate) fn is_detailed(&self, claim: &v1::JudgedClaim) -> bool {
        match self {
            Self::Briefly => false,
            Self::All => true,
            Self::Claim(id) => *id == claim.id,
        }
    }

    pub(super) fn is_brief(&self) -> bool {
        *self == Self::Briefly
    }
}

/// The number of uncovered sentences and gaps without `--explain`.
const MAX_LISTED: usize = 5;

pub(crate) fn evaluation(
    answer: &v1::EvaluateResponse,
    context: &ReportContext<'_>,
    view: &View,
) -> String {
    let mut page = Page::new(view.columns);
    write_header(&mut page, answer, context);
    claims::write_claims(&mut page, answer, context, view);
    page.add_gap();
    write_uncovered(&mut page, answer, context, view);
    score::write_table(&mut page, answer, context.policy);
    write_reasons(&mut page, answer, context);
    write_corrections(&mut page, answer, view);
    safety::write_sections(&mut page, answer);
    write_remarks(&mut page, answer, view);
    write_certificate(&mut page, answer);
    if context.is_recorded && !answer.evaluation_id.is_empty() {
        page.add_labelled("record", &answer.evaluation_id);
    }
    page.add_gap();
    verdict::write_line(&mut page, answer);
    page.into_text()
}

/// Formats judged claims without a score or a decision.
pub(crate) fn statements(
    answer: &v1::EvaluateResponse,
    context: &ReportContext<'_>,
    view: &View,
) -> String {
    let mut page = Page::new(view.columns);
    claims::write_claims(&mut page, answer, context, view);
    write_corrections(&mut page, answer, view);
    write_remarks(&mut page, answer, view);
    page.into_text()
}

fn write_header(page: &mut Page, answer: &v1::EvaluateResponse, context: &ReportContext<'_>) {
    let id = context.report.map(|report| one_line(&report.id)).filter(|id| !id.is_empty());
    let id = id.unwrap_or_else(|| "report".to_owned());
    let mut facts = vec![count(answer.claims.len().try_into().unwrap_or(u64::MAX), "claim")];
    facts.extend(judges(answer));
    facts.extend(policy_name(answer).map(|name| format!("policy {name}")));
    let id = truncate_end(&id, 40);
    let facts = facts.join(" · ");
    let room = page.columns().saturating_sub(width(&id) + 3);
    page.add_line(&format!("{}   {}", styled(BOLD, &id), styled(DIM, &truncate_end(&facts, room))));
    if let Some(items) = items(answer) {
        page.add_line(&styled(DIM, &truncate_end(&items, page.columns())));
    }
    page.add_gap();
}

/// Formats the evidence items: `4 items: alert.json, pods.json and 2 more`.
fn items(answer: &v1::EvaluateResponse) -> Option<String> {
    const MAX_NAMED: usize = 5;
    let items = &answer.provenance.as_ref()?.evidence;
    let item_count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let names = listed(items.iter().map(|item| item.evidence_id.as_str()), MAX_NAMED);
    (item_count > 0).then(|| format!("{}: {names}", count(item_count, "item")))
}

/// Lists the judges, with the result of those that did not judge.
pub(crate) fn judges(answer: &v1::EvaluateResponse) -> Option<String> {
    let links = &answer.provenance.as_ref()?.judges;
    let judges = links.iter().map(|link| match link.result.as_str() {
        "judged" => one_line(&link.judge),
        result => format!("{} {}", one_line(&link.judge), one_line(result)),
    });
    Some(judges.collect::<Vec<_>>().join(", ")).filter(|judges| !judges.is_empty())
}

/// Returns the name of the applied policy and the start of its digest.
pub(crate) fn policy_name(answer: &v1::EvaluateResponse) -> Option<String> {
    let policy = answer.provenance.as_ref()?.policy.as_ref()?;
    let digest: String = policy.digest.chars().take(6).collect();
    let overridden = if policy.overridden { " with overrides" } else { "" };
    Some(one_line(&format!("{}{overridden} {digest}", policy.name)))
}

fn write_uncovered(
    page: &mut Page,
    answer: &v1::EvaluateResponse,
    context: &ReportContext<'_>,
    view: &View,
) {
    let Some(coverage) = answer.coverage.as_ref().filter(|coverage| !coverage.uncovered.is_empty())
    else {
        return;
    };
    let share = format!(
        "claims cover {} of {}; not covered:",
        coverage.covered,
        count(coverage.sentences.into(), "sentence")
    );
    page.add_labelled("uncovered", &share);
    let synthesis = context.report.map_or("", |report| report.synthesis.as_str());
    let sentences: Vec<&str> =
        coverage.uncovered.iter().filter_map(|range| slice(synthesis, range)).collect();
    let max = if view.explain.is_brief() { MAX_LISTED } else { usize::MAX };
    for sentence in sentences.iter().take(max) {
        page.add_labelled("", &format!("“{}”", one_line(sentence)));
    }
    let further = coverage.uncovered.len().saturating_sub(sentences.len().min(max));
    if further > 0 {
        page.add_labelled("", &format!("and {further} more"));
    }
}

fn slice<'t>(text: &'t str, range: &v1::ByteRange) -> Option<&'t str> {
    text.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

fn write_reasons(page: &mut Page, answer: &v1::EvaluateResponse, context: &ReportContext<'_>) {
    let Some(decision) = verdict::computed_decision(answer) else { return };
    for (index, reason) in decision.reasons.iter().enumerate() {
        let label = if index == 0 { "why" } else { "" };
        page.add_labelled(label, &reason.sentence);
        if reason.code == "NO_EVIDENCE" && context.evidence.is_empty() {
            page.add_labelled("", "pass evidence with --evidence PATH");
        }
    }
    let links = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
    for answer in links.filter_map(labels::unreadable_answer) {
        page.add_labelled("", &answer);
    }
    if !decision.affected_specialists.is_empty() {
        let specialists = decision.affected_specialists.iter().map(String::as_str);
        page.add_labelled("specialists", &listed(specialists, MAX_LISTED));
    }
    if !decision.not_applicable.is_empty() {
        let guards = decision.not_applicable.join(", ");
        page.add_labelled("not checked", &format!("{guards}: not applicable"));
    }
}

fn write_corrections(page: &mut Page, answer: &v1::EvaluateResponse, view: &View) {
    let mut label = "verified";
    for correction in &answer.corrections {
        let id = truncate_end(&one_line(&correction.claim_id), 12).into_owned();
        let change = labels::correction(correction);
        let code =
            if view.explain.is_brief() { String::new() } else { format!(" ({})", correction.code) };
        let text = format!("{id} {change}: {}{code}", correction.sentence);
        page.add_labelled(label, &text);
        label = "";
    }
}

fn write_remarks(page: &mut Page, answer: &v1::EvaluateResponse, view: &View) {
    let is_brief = view.explain.is_brief();
    let gaps = answer.gaps.iter().map(String::as_str);
    write_sentences(page, "missed", gaps.take(if is_brief { MAX_LISTED } else { usize::MAX }));
    if !is_brief {
        write_sentences(page, "conflicts", answer.contradictions.iter().map(String::as_str));
    }
    let open_points = answer.verification_reasons.iter().map(|reason| reason.sentence.as_str());
    write_sentences(page, "open", open_points);
    let warnings = answer.warnings.iter().map(|warning| warning.sentence.as_str());
    write_sentences(page, "warning", warnings);
    if is_brief {
        return;
    }
    let estimate = answer.judge_score.map(|estimate| {
        format!("self-estimate {}, not used in the decision", labels::number(estimate))
    });
    let texts = [Some(answer.explanation.as_str()), estimate.as_deref()];
    write_sentences(page, "judge", texts.into_iter().flatten().filter(|text| !text.is_empty()));
    score::write_margins(page, answer);
}

fn write_certificate(page: &mut Page, answer: &v1::EvaluateResponse) {
    if let Some(text) = certified(answer) {
        page.add_labelled("certified", &text);
    }
}

/// Formats the policy's certificate, if any: the risk, or why it does not cover this answer.
pub(super) fn certified(answer: &v1::EvaluateResponse) -> Option<String> {
    let certificate = answer.provenance.as_ref()?.policy.as_ref()?.certificate.as_ref()?;
    Some(match certificate.mismatch.as_str() {
        "" => format!(
            "at most {} % of the reports that proceed are wrong, with {} % confidence, certified on {} graded reports",
            labels::number(certificate.risk * 100.0),
            labels::number(certificate.confidence * 100.0),
            certificate.rows
        ),
        mismatch => format!("does not cover this answer: {}", one_line(mismatch)),
    })
}

fn write_sentences<'a>(page: &mut Page, label: &str, sentences: impl Iterator<Item = &'a str>) {
    for (index, sentence) in sentences.enumerate() {
        page.add_labelled(if index == 0 { label } else { "" }, sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_a_certificate_and_its_mismatch() {
        let formatted = |mismatch: &str| {
            let certificate = v1::PolicyCertificate {
                risk: 0.05,
                confidence: 0.95,
                rows: 240,
                mismatch: mismatch.to_owned(),
                ..Default::default()
            };
            let policy = v1::AppliedPolicy { certificate: Some(certificate), ..Default::default() };
            let provenance = v1::Provenance { policy: Some(policy), ..Default::default() };
            let answer =
                v1::EvaluateResponse { provenance: Some(provenance), ..Default::default() };
            let mut page = Page::new(200);
            super::write_certificate(&mut page, &answer);
            anstream::adapter::strip_str(&page.into_text()).to_string()
        };
        assert!(
            formatted("").contains(
                "at most 5 % of the reports that proceed are wrong, with 95 % confidence"
            )
        );
        let other = formatted("it was issued for judge local/1; rules/2 decided");
        assert!(other.contains("does not cover this answer: it was issued for judge local/1"));
        let mut page = Page::new(80);
        super::write_certificate(&mut page, &v1::EvaluateResponse::default());
        assert_eq!(page.into_text(), "");
    }
}
