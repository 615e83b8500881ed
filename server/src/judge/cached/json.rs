//! The serialized form of a judgement in a store. It contains no costs, since a cached answer costs
//! nothing.

use std::ops::Range;

use gsar_core::evidence::{Citation, EvidenceId, Target};
use gsar_core::fixed_point::Millionths;
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim, Role};
use serde::{Deserialize, Serialize};

use super::intern::intern;
use crate::judge::{Judgement, ModelCall, Notice};

/// The version of the serialized form. It is incremented whenever older texts would be misread. Texts with a
/// different version are ignored.
const VERSION: u32 = 4;

#[derive(Serialize, Deserialize)]
struct JudgementJson {
    version: u32,
    judged: Vec<JudgedClaimJson>,
    considered: Vec<Vec<String>>,
    score: Option<u32>,
    explanation: String,
    gaps: Vec<String>,
    contradictions: Vec<String>,
    calls: Vec<CallJson>,
    notices: Vec<NoticeJson>,
}

#[derive(Serialize, Deserialize)]
struct ClaimJson {
    id: String,
    text: String,
    span: Option<Range<usize>>,
}

#[derive(Serialize, Deserialize)]
struct JudgedClaimJson {
    claim: ClaimJson,
    class: String,
    evidence_type: String,
    role: String,
    citations: Vec<CitationJson>,
    note: String,
    rules: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct CitationJson {
    target: TargetJson,
    quote: String,
    bytes: Option<Range<usize>>,
}

#[derive(Serialize, Deserialize)]
enum TargetJson {
    Evidence { id: String, field_path: String },
    Claim(String),
}

#[derive(Serialize, Deserialize)]
struct CallJson {
    purpose: String,
    model: String,
    prompt: String,
    rung: String,
    fixes: Vec<String>,
    answer: String,
}

#[derive(Serialize, Deserialize)]
struct NoticeJson {
    code: String,
    sentence: String,
}

/// Serializes a judgement. [`Judgement::abstained`] is omitted, since abstentions are not cached.
///
/// # Errors
/// Returns an error if serialization fails.
pub(super) fn to_json(judgement: &Judgement) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&JudgementJson {
        version: VERSION,
        judged: judgement.judged.iter().map(JudgedClaimJson::new).collect(),
        considered: judgement.considered.clone(),
        score: judgement.score.map(Millionths::get),
        explanation: judgement.explanation.clone(),
        gaps: judgement.gaps.clone(),
        contradictions: judgement.contradictions.clone(),
        calls: judgement.calls.iter().map(CallJson::new).collect(),
        notices: judgement.notices.iter().map(NoticeJson::new).collect(),
    })
}

pub(in crate::judge) fn from_json(text: &[u8]) -> Option<Judgement> {
    let json: JudgementJson = serde_json::from_slice(text).ok()?;
    if json.version != VERSION {
        return None;
    }
    let calls: Option<Vec<ModelCall>> = json.calls.into_iter().map(CallJson::into_value).collect();
    Some(Judgement {
        judged: json.judged.into_iter().map(JudgedClaimJson::into_value).collect::<Option<_>>()?,
        votes: Vec::new(),
        considered: json.considered,
        score: json.score.map(Millionths::new),
        explanation: json.explanation,
        gaps: json.gaps,
        contradictions: json.contradictions,
        abstained: None,
        calls: calls?,
        notices: json.notices.into_iter().map(NoticeJson::into_value).collect::<Option<_>>()?,
    })
}

impl ClaimJson {
    fn new(claim: &Claim) -> Self {
        Self {
            id: claim.id.as_str().to_owned(),
            text: claim.text.clone(),
            span: claim.span.clone(),
        }
    }

    fn into_value(self) -> Option<Claim> {
        Some(Claim { id: ClaimId::new(self.id).ok()?, text: self.text, span: self.span })
    }
}

impl JudgedClaimJson {
    fn new(verdict: &JudgedClaim) -> Self {
        Self {
            claim: ClaimJson::new(&verdict.claim),
            class: verdict.class.name().to_owned(),
            evidence_type: verdict.evidence_type.name().to_owned(),
            role: verdict.role.name().to_owned(),
            citations: verdict.citations.iter().map(CitationJson::new).collect(),
            note: verdict.note.clone(),
            rules: verdict.rules.clone(),
        }
    }

    fn into_value(self) -> Option<JudgedClaim> {
        Some(JudgedClaim {
            claim: self.claim.into_value()?,
            class: Class::from_name(&self.class)?,
            evidence_type: EvidenceType::from_name(&self.evidence_type)?,
            role: Role::from_name(&self.role)?,
            citations: self
                .citations
                .into_iter()
                .map(CitationJson::into_value)
                .collect::<Option<_>>()?,
            note: self.note,
            rules: self.rules,
            undecided: None,
        })
    }
}

impl CitationJson {
    fn new(citation: &Citation) -> Self {
        let target = match &citation.target {
            Target::Evidence { id, field_path } => {
                TargetJson::Evidence { id: id.as_str().to_owned(), field_path: field_path.clone() }
            }
            Target::Claim(id) => TargetJson::Claim(id.as_str().to_owned()),
        };
        Self { target, quote: citation.quote.clone(), bytes: citation.bytes.clone() }
    }

    fn into_value(self) -> Option<Citation> {
        let target = match self.target {
            TargetJson::Evidence { id, field_path } => {
                Target::Evidence { id: EvidenceId::new(id).ok()?, field_path }
            }
            TargetJson::Claim(id) => Target::Claim(ClaimId::new(id).ok()?),
        };
        Some(Citation { target, quote: self.quote, bytes: self.bytes })
    }
}

impl CallJson {
    fn new(call: &ModelCall) -> Self {
        Self {
            purpose: call.purpose.to_owned(),
            model: call.model.clone(),
            prompt: call.prompt.clone(),
            rung: call.rung.to_owned(),
            fixes: call.fixes.iter().map(|&fix| fix.to_owned()).collect(),
            answer: call.answer.clone(),
        }
    }

    fn into_value(self) -> Option<ModelCall> {
        Some(ModelCall {
            judge: String::new(),
            sample: 0,
            purpose: intern(&self.purpose)?,
            model: self.model,
            prompt: self.prompt,
            rung: intern(&self.rung)?,
            fixes: self.fixes.iter().map(|fix| intern(fix)).collect::<Option<_>>()?,
            input_tokens: 0,
            output_tokens: 0,
            cost_micros: Some(0),
            attempts: 0,
            from_cache: true,
            answer: self.answer,
        })
    }
}

impl NoticeJson {
    fn new(notice: &Notice) -> Self {
        Self { code: notice.code.to_owned(), sentence: notice.sentence.clone() }
    }

    fn into_value(self) -> Option<Notice> {
        Some(Notice { code: intern(&self.code)?, sentence: self.sentence })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::judge::cached::cached_copy;
    use crate::judge::cached::testing::judgement;

    fn debug_text(judgement: &Judgement) -> String {
        format!("{judgement:?}")
    }

    #[test]
    fn a_judgement_survives_a_round_trip() {
        let judgement = judgement();
        let text = to_json(&judgement).unwrap();
        assert_eq!(debug_text(&from_json(&text).unwrap()), debug_text(&cached_copy(&judgement)));
    }

    #[test]
    fn the_serialized_form_is_stable() {
        let text = String::from_utf8(to_json(&judgement()).unwrap()).unwrap();
        let expected = concat!(
            r#"{"version":4,"judged":[{"claim":{"id":"c1","text":"Pods crash.","span":{"start":0,"end":11}},"#,
            r#""class":"grounded","evidence_type":"tool_match","role":"observation","citations":["#,
            r#"{"target":{"Evidence":{"id":"e1","field_path":"/status"}},"quote":"crash","bytes":{"start":5,"end":10}},"#,
            r#"{"target":{"Claim":"c2"},"quote":"","bytes":null}],"note":"It says so.","rules":[]}],"#,
            r#""considered":[["e1"]],"score":900000,"explanation":"One claim.","gaps":["no logs"],"#,
            r#""contradictions":["none"],"calls":[{"purpose":"judge","model":"m-1","prompt":"00ff","rung":"structured","#,
            r#""fixes":["fence"],"answer":"{}"}],"notices":[{"code":"SOME_CODE","sentence":"A sentence."}]}"#,
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn rejects_other_versions_and_unknown_names() {
        let text = String::from_utf8(to_json(&judgement()).unwrap()).unwrap();
        for (from, to) in [
            (r#""version":4"#, r#""version":5"#),
            (r#""grounded""#, r#""proven""#),
            (r#""tool_match""#, r#""guess""#),
            (r#""observation""#, r#""guess""#),
            (r#""id":"c1""#, r#""id":"""#),
            (r#""id":"e1""#, r#""id":"""#),
            (r#""Claim":"c2""#, r#""Claim":"""#),
            (r#""gaps":["no logs"],"#, ""),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(from_json(changed.as_bytes()).is_none(), "{from}");
        }
    }

    proptest! {
        #[test]
        fn rejects_a_truncated_text(cut in 0_usize..1_000) {
            let text = to_json(&judgement()).unwrap();
            let cut = cut % text.len();
            prop_assert!(from_json(&text[..cut]).is_none());
        }

        #[test]
        fn rejects_random_bytes(text in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(from_json(&text).is_none());
        }
    }
}
