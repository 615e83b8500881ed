//! The versioned JSON form of a judgement in a store. The cost of calls is omitted, because a cached answer costs nothing.

use std::ops::Range;

use gsar_core::evidence::{Citation, EvidenceId, Target};
use gsar_core::fixed::Millionths;
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim, Role};
use serde::{Deserialize, Serialize};

use super::words::word;
use crate::judge::{Judgement, ModelCall, Notice};

/// Incremented whenever an older text would be misread; texts of other versions are ignored.
const VERSION: u32 = 4;

#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    judged: Vec<WrittenJudgedClaim>,
    considered: Vec<Vec<String>>,
    score: Option<u32>,
    explanation: String,
    gaps: Vec<String>,
    contradictions: Vec<String>,
    calls: Vec<WrittenCall>,
    notices: Vec<WrittenNotice>,
}

#[derive(Serialize, Deserialize)]
struct WrittenClaim {
    id: String,
    text: String,
    span: Option<Range<usize>>,
}

#[derive(Serialize, Deserialize)]
struct WrittenJudgedClaim {
    claim: WrittenClaim,
    class: String,
    evidence_type: String,
    role: String,
    citations: Vec<WrittenCitation>,
    note: String,
    rules: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct WrittenCitation {
    target: WrittenTarget,
    quote: String,
    bytes: Option<Range<usize>>,
}

#[derive(Serialize, Deserialize)]
enum WrittenTarget {
    Evidence { id: String, field_path: String },
    Claim(String),
}

#[derive(Serialize, Deserialize)]
struct WrittenCall {
    purpose: String,
    model: String,
    prompt: String,
    rung: String,
    fixes: Vec<String>,
    answer: String,
}

#[derive(Serialize, Deserialize)]
struct WrittenNotice {
    code: String,
    sentence: String,
}

/// Serializes a judgement. Abstentions are not cached, so [`Judgement::abstained`] is omitted.
///
/// # Errors
/// An error from serializing.
pub(super) fn write(judgement: &Judgement) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Written {
        version: VERSION,
        judged: judgement.judged.iter().map(WrittenJudgedClaim::of).collect(),
        considered: judgement.considered.clone(),
        score: judgement.score.map(Millionths::get),
        explanation: judgement.explanation.clone(),
        gaps: judgement.gaps.clone(),
        contradictions: judgement.contradictions.clone(),
        calls: judgement.calls.iter().map(WrittenCall::of).collect(),
        notices: judgement.notices.iter().map(WrittenNotice::of).collect(),
    })
}

/// Deserializes a judgement; `None` if the text is invalid or of another version.
pub(in crate::judge) fn read(text: &[u8]) -> Option<Judgement> {
    let written: Written = serde_json::from_slice(text).ok()?;
    if written.version != VERSION {
        return None;
    }
    let calls: Option<Vec<ModelCall>> = written.calls.into_iter().map(WrittenCall::read).collect();
    Some(Judgement {
        judged: written.judged.into_iter().map(WrittenJudgedClaim::read).collect::<Option<_>>()?,
        votes: Vec::new(),
        considered: written.considered,
        score: written.score.map(Millionths::new),
        explanation: written.explanation,
        gaps: written.gaps,
        contradictions: written.contradictions,
        abstained: None,
        calls: calls?,
        notices: written.notices.into_iter().map(WrittenNotice::read).collect::<Option<_>>()?,
    })
}

impl WrittenClaim {
    fn of(claim: &Claim) -> Self {
        Self {
            id: claim.id.as_str().to_owned(),
            text: claim.text.clone(),
            span: claim.span.clone(),
        }
    }

    fn read(self) -> Option<Claim> {
        Some(Claim { id: ClaimId::new(self.id).ok()?, text: self.text, span: self.span })
    }
}

impl WrittenJudgedClaim {
    fn of(judged: &JudgedClaim) -> Self {
        Self {
            claim: WrittenClaim::of(&judged.claim),
            class: judged.class.name().to_owned(),
            evidence_type: judged.evidence_type.name().to_owned(),
            role: judged.role.name().to_owned(),
            citations: judged.citations.iter().map(WrittenCitation::of).collect(),
            note: judged.note.clone(),
            rules: judged.rules.clone(),
        }
    }

    fn read(self) -> Option<JudgedClaim> {
        Some(JudgedClaim {
            claim: self.claim.read()?,
            class: Class::from_name(&self.class)?,
            evidence_type: EvidenceType::from_name(&self.evidence_type)?,
            role: Role::from_name(&self.role)?,
            citations: self
                .citations
                .into_iter()
                .map(WrittenCitation::read)
                .collect::<Option<_>>()?,
            note: self.note,
            rules: self.rules,
            undecided: None,
        })
    }
}

impl WrittenCitation {
    fn of(citation: &Citation) -> Self {
        let target = match &citation.target {
            Target::Evidence { id, field_path } => WrittenTarget::Evidence {
                id: id.as_str().to_owned(),
                field_path: field_path.clone(),
            },
            Target::Claim(id) => WrittenTarget::Claim(id.as_str().to_owned()),
        };
        Self { target, quote: citation.quote.clone(), bytes: citation.bytes.clone() }
    }

    fn read(self) -> Option<Citation> {
        let target = match self.target {
            WrittenTarget::Evidence { id, field_path } => {
                Target::Evidence { id: EvidenceId::new(id).ok()?, field_path }
            }
            WrittenTarget::Claim(id) => Target::Claim(ClaimId::new(id).ok()?),
        };
        Some(Citation { target, quote: self.quote, bytes: self.bytes })
    }
}

impl WrittenCall {
    fn of(call: &ModelCall) -> Self {
        Self {
            purpose: call.purpose.to_owned(),
            model: call.model.clone(),
            prompt: call.prompt.clone(),
            rung: call.rung.to_owned(),
            fixes: call.fixes.iter().map(|&fix| fix.to_owned()).collect(),
            answer: call.answer.clone(),
        }
    }

    fn read(self) -> Option<ModelCall> {
        Some(ModelCall {
            judge: String::new(),
            sample: 0,
            purpose: word(&self.purpose)?,
            model: self.model,
            prompt: self.prompt,
            rung: word(&self.rung)?,
            fixes: self.fixes.iter().map(|fix| word(fix)).collect::<Option<_>>()?,
            input_tokens: 0,
            output_tokens: 0,
            cost_micros: Some(0),
            attempts: 0,
            from_cache: true,
            answer: self.answer,
        })
    }
}

impl WrittenNotice {
    fn of(notice: &Notice) -> Self {
        Self { code: notice.code.to_owned(), sentence: notice.sentence.clone() }
    }

    fn read(self) -> Option<Notice> {
        Some(Notice { code: word(&self.code)?, sentence: self.sentence })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::judge::cached::free_copy;
    use crate::judge::cached::testing::judgement;

    fn seen(judgement: &Judgement) -> String {
        format!("{judgement:?}")
    }

    #[test]
    fn a_judgement_survives_a_round_trip() {
        let judgement = judgement();
        let text = write(&judgement).unwrap();
        assert_eq!(seen(&read(&text).unwrap()), seen(&free_copy(&judgement)));
    }

    #[test]
    fn the_serialized_form_is_stable() {
        let text = String::from_utf8(write(&judgement()).unwrap()).unwrap();
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
    fn rejects_another_version_and_unknown_names() {
        let text = String::from_utf8(write(&judgement()).unwrap()).unwrap();
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
            assert!(read(changed.as_bytes()).is_none(), "{from}");
        }
    }

    proptest! {
        #[test]
        fn rejects_a_truncated_text(cut in 0_usize..1_000) {
            let text = write(&judgement()).unwrap();
            let cut = cut % text.len();
            prop_assert!(read(&text[..cut]).is_none());
        }

        #[test]
        fn rejects_random_bytes(text in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&text).is_none());
        }
    }
}
