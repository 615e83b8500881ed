//! What a chat model is asked and answers.

use gsar_proto::v1;

/// A verdict as a model writes it: of each claim its id, class, and the label and words of the item it quotes, if any.
pub fn verdict(claims: &[(&str, &str, &str, &str)]) -> String {
    let claims: Vec<serde_json::Value> = claims
        .iter()
        .map(|(id, class, label, quote)| {
            let citations = match *quote {
                "" => serde_json::json!([]),
                quote => serde_json::json!([{"evidence": label, "field_path": null, "quote": quote}]),
            };
            let note = "as quoted";
            serde_json::json!({"id": id, "class": class, "type": "tool_match", "citations": citations, "note": note})
        })
        .collect();
    serde_json::json!({
        "claims": claims, "score": 0.9, "explanation": "two claims", "gaps": [], "contradictions": [], "abstain": null
    })
    .to_string()
}

/// A request with these claims, which asks anew.
pub fn request(claims: &[(&str, &str)], evidence: Vec<v1::EvidenceItem>) -> v1::EvaluateRequest {
    let claims: Vec<v1::Claim> = claims
        .iter()
        .map(|(id, text)| v1::Claim {
            id: (*id).to_owned(),
            text: (*text).to_owned(),
            ..Default::default()
        })
        .collect();
    v1::EvaluateRequest {
        report: Some(v1::Report { id: "r1".to_owned(), claims, ..Default::default() }),
        evidence,
        policy: "reference".to_owned(),
        options: Some(v1::EvaluateOptions { bypass_cache: true, ..Default::default() }),
        ..Default::default()
    }
}
