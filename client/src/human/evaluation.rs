//! Formats evaluations. The last line is the decision.

use gsar_client::text::{one_line, truncate_end, width};
use gsar_core::Policy;
use gsar_proto::v1;

use super::page::{BOLD, DIM, Page, count, listed, styled};
use super::{claims, labels, safety, score, verdict};

/// The context of an evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scene<'a> {
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
    pub(crate) fn shows(&self, claim: &v1::JudgedClaim) -> bool {
        let decided = claim.undecided.is_none().then(|| claim.class());
        let class = self.only.is_empty() || self.only.contains(&decided);
        let selected = match &self.explain {
            Explain::Claim(id) => *id == claim.id,
            Explain::Briefly | Explain::All => true,
        };
        class && selected
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

pub(crate) fn evaluation(answer: &v1::EvaluateResponse, scene: &Scene<'_>, view: &View) -> String {
    let mut page = Page::new(view.columns);
    header(&mut page, answer, scene);
    claims::list(&mut page, answer, scene, view);
    page.gap();
    uncovered(&mut page, answer, scene, view);
    score::table(&mut page, answer, scene.policy);
    reasons(&mut page, answer, scene);
    corrections(&mut page, answer, view);
    safety::sections(&mut page, answer);
    remarks(&mut page, answer, view);
    certificate(&mut page, answer);
    if scene.is_recorded && !answer.evaluation_id.is_empty() {
        page.labelled("record", &answer.evaluation_id);
    }
    page.gap();
    verdict::line(&mut page, answer);
    page.into_text()
}

/// Formats judged claims without a score or a decision.
pub(crate) fn statements(answer: &v1::EvaluateResponse, scene: &Scene<'_>, view: &View) -> String {
    let mut page = Page::new(view.columns);
    claims::list(&mut page, answer, scene, view);
    corrections(&mut page, answer, view);
    remarks(&mut page, answer, view);
    page.into_text()
}

fn header(page: &mut Page, answer: &v1::EvaluateResponse, scene: &Scene<'_>) {
    let id = scene.report.map(|report| one_line(&report.id)).filter(|id| !id.is_empty());
    let id = id.unwrap_or_else(|| "report".to_owned());
    let mut facts = vec![count(answer.claims.len().try_into().unwrap_or(u64::MAX), "claim")];
    facts.extend(judges(answer));
    facts.extend(policy_name(answer).map(|name| format!("policy {name}")));
    let id = truncate_end(&id, 40);
    let facts = facts.join(" · ");
    let room = page.columns().saturating_sub(width(&id) + 3);
    page.line(&format!("{}   {}", styled(BOLD, &id), styled(DIM, &truncate_end(&facts, room))));
    if let Some(items) = items(answer) {
        page.line(&styled(DIM, &truncate_end(&items, page.columns())));
    }
    page.gap();
}

/// Formats the evidence items: `4 items: alert.json, pods.json and 2 more`.
fn items(answer: &v1::EvaluateResponse) -> Option<String> {
    const MAX_NAMED: usize = 5;
    let items = &answer.provenance.as_ref()?.evidence;
    let number = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let names = listed(items.iter().map(|item| item.evidence_id.as_str()), MAX_NAMED);
    (number > 0).then(|| format!("{}: {names}", count(number, "item")))
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

fn uncovered(page: &mut Page, answer: &v1::EvaluateResponse, scene: &Scene<'_>, view: &View) {
    let Some(coverage) = answer.coverage.as_ref().filter(|coverage| !coverage.uncovered.is_empty())
    else {
        return;
    };
    let share = format!(
        "claims cover {} of {}; not covered:",
        coverage.covered,
        count(coverage.sentences.into(), "sentence")
    );
    page.labelled("uncovered", &share);
    let synthesis = scene.report.map_or("", |report| report.synthesis.as_str());
    let sentences: Vec<&str> =
        coverage.uncovered.iter().filter_map(|range| part(synthesis, range)).collect();
    let max = if view.explain.is_brief() { MAX_LISTED } else { usize::MAX };
    for sentence in sentences.iter().take(max) {
        page.labelled("", &format!("“{}”", one_line(sentence)));
    }
    let more = coverage.uncovered.len().saturating_sub(sentences.len().min(max));
    if more > 0 {
        page.labelled("", &format!("and {more} more"));
    }
}

fn part<'t>(text: &'t str, range: &v1::ByteRange) -> Option<&'t str> {
    text.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

fn reasons(page: &mut Page, answer: &v1::EvaluateResponse, scene: &Scene<'_>) {
    let Some(decision) = verdict::decided(answer) else { return };
    for (number, reason) in decision.reasons.iter().enumerate() {
        let label = if number == 0 { "why" } else { "" };
        page.labelled(label, &reason.sentence);
        if reason.code == "NO_EVIDENCE" && scene.evidence.is_empty() {
            page.labelled("", "pass evidence with --evidence PATH");
        }
    }
    let links = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
    for answer in links.filter_map(labels::unreadable_answer) {
        page.labelled("", &answer);
    }
    if !decision.affected_specialists.is_empty() {
        let specialists = decision.affected_specialists.iter().map(String::as_str);
        page.labelled("specialists", &listed(specialists, MAX_LISTED));
    }
    if !decision.not_applicable.is_empty() {
        let guards = decision.not_applicable.join(", ");
        page.labelled("not checked", &format!("{guards}: not applicable"));
    }
}

fn corrections(page: &mut Page, answer: &v1::EvaluateResponse, view: &View) {
    let mut label = "verified";
    for correction in &answer.corrections {
        let id = truncate_end(&one_line(&correction.claim_id), 12).into_owned();
        let changed = labels::correction(correction);
        let code =
            if view.explain.is_brief() { String::new() } else { format!(" ({})", correction.code) };
        let text = format!("{id} {changed}: {}{code}", correction.sentence);
        page.labelled(label, &text);
        label = "";
    }
}

fn remarks(page: &mut Page, answer: &v1::EvaluateResponse, view: &View) {
    let is_brief = view.explain.is_brief();
    let gaps = answer.gaps.iter().map(String::as_str);
    sentences(page, "missed", gaps.take(if is_brief { MAX_LISTED } else { usize::MAX }));
    if !is_brief {
        sentences(page, "conflicts", answer.contradictions.iter().map(String::as_str));
    }
    let open = answer.verification_reasons.iter().map(|reason| reason.sentence.as_str());
    sentences(page, "open", open);
    let warnings = answer.warnings.iter().map(|warning| warning.sentence.as_str());
    sentences(page, "warning", warnings);
    if is_brief {
        return;
    }
    let estimate = answer.judge_score.map(|estimate| {
        format!("self-estimate {}, not used in the decision", labels::number(estimate))
    });
    let texts = [Some(answer.explanation.as_str()), estimate.as_deref()];
    sentences(page, "judge", texts.into_iter().flatten().filter(|text| !text.is_empty()));
    score::margins(page, answer);
}

fn certificate(page: &mut Page, answer: &v1::EvaluateResponse) {
    if let Some(says) = certified(answer) {
        page.labelled("certified", &says);
    }
}

/// Formats the policy's certificate, if any: the risk, or why it does not cover this answer.
pub(super) fn certified(answer: &v1::EvaluateResponse) -> Option<String> {
    let found = answer.provenance.as_ref()?.policy.as_ref()?.certificate.as_ref()?;
    Some(match found.mismatch.as_str() {
        "" => format!(
            "at most {} % of the reports that proceed are wrong, with {} % confidence, certified on {} graded reports",
            labels::number(found.risk * 100.0),
            labels::number(found.confidence * 100.0),
            found.rows
        ),
        mismatch => format!("does not cover this answer: {}", one_line(mismatch)),
    })
}

fn sentences<'a>(page: &mut Page, label: &str, sentences: impl Iterator<Item = &'a str>) {
    for (number, sentence) in sentences.enumerate() {
        page.labelled(if number == 0 { label } else { "" }, sentence);
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
            super::certificate(&mut page, &answer);
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
        super::certificate(&mut page, &v1::EvaluateResponse::default());
        assert_eq!(page.into_text(), "");
    }
}
