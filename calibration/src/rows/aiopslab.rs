//! Reads an AIOpsLab session file (Chen et al. 2025). The submitted answer becomes the claim, which is grounded if
//! the answer was graded as correct. The environment's responses become the evidence.

use anyhow::{Context as _, Result};
use gsar_core::Class;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Gold, GoldClaim, Item, Row};

#[derive(Deserialize)]
struct Session {
    session_id: String,
    problem_id: String,
    trace: Vec<Message>,
    results: Map<String, Value>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: String,
}

/// Parses a session. Returns `None` for a mitigation problem, or if no answer was submitted or graded.
pub(super) fn row(text: &str) -> Result<Option<Row>> {
    let session: Session = serde_json::from_str(text).context(
        "expected an AIOpsLab session with `session_id`, `problem_id`, `trace` and `results`",
    )?;
    let mut messages = session.trace.iter().enumerate().rev();
    let submission = messages.find_map(|(at, message)| {
        Some((at, submitted(&message.content)?)).filter(|_| message.role == "assistant")
    });
    let (Some((end, answer)), Some(is_right)) = (submission, is_right(&session.results)) else {
        return Ok(None);
    };
    // Use only this part of the name, because the rest of it describes the fault.
    let kind = ["detection", "localization", "analysis"];
    let kind = kind.into_iter().find(|kind| session.problem_id.contains(kind));
    let text = match kind {
        Some("detection") => format!("Asked whether there is a fault, the answer is {answer}."),
        Some("localization") => format!("The faulty components are {answer}."),
        Some(_) => format!("The level and type of the fault are {answer}."),
        None => return Ok(None),
    };
    let outputs = session.trace.iter().take(end).filter(|message| message.role == "env");
    let outputs = (1..).zip(outputs.filter(|message| !message.content.trim().is_empty()));
    let evidence =
        outputs.map(|(number, message)| Item::text(format!("o{number}"), message.content.clone()));
    let gold = Gold(if is_right { Class::Grounded } else { Class::Ungrounded });
    Ok(Some(Row {
        id: session.session_id,
        report: String::new(),
        claims: vec![GoldClaim::unjudged(text, gold)],
        evidence: evidence.collect(),
    }))
}

/// Returns the arguments of a call to `submit`.
fn submitted(action: &str) -> Option<&str> {
    let (_, call) = action.rsplit_once("submit(")?;
    let (answer, _) = call.rsplit_once(')')?;
    Some(answer.trim()).filter(|answer| !answer.is_empty())
}

fn is_right(results: &Map<String, Value>) -> Option<bool> {
    let flag = |key: &str| results.get(key)?.as_bool();
    let detected = || Some(results.get("Detection Accuracy")?.as_str()? == "Correct");
    let analysed = || Some(flag("system_level_correct")? && flag("fault_type_correct")?);
    flag("success").or_else(detected).or_else(analysed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn session(problem: &str, action: &str, results: Value) -> Option<Row> {
        let trace = [
            ("assistant", "Action:\n```\nget_logs(\"shop\", \"geo\")\n```"),
            ("env", "geo: connection refused"),
            ("assistant", action),
            ("env", "SubmissionStatus.VALID_SUBMISSION"),
        ];
        let trace = trace.map(|(role, content)| json!({"role": role, "content": content}));
        let session = json!({"agent": "a", "session_id": "s1", "problem_id": problem, "start_time": 1.0,
            "end_time": 2.0, "trace": trace, "results": results});
        row(&session.to_string()).unwrap()
    }

    #[test]
    fn a_graded_answer_becomes_a_claim() {
        let submit = "```\nsubmit([\"geo\"])\n```";
        let found =
            session("pod_kill_hotel_res-localization-1", submit, json!({"success": true})).unwrap();
        assert_eq!(found.claims[0].text, r#"The faulty components are ["geo"]."#);
        assert_eq!(found.claims[0].gold, Gold(Class::Grounded));
        let texts: Vec<&str> = found.evidence.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, ["geo: connection refused"]);
        let wrong = json!({"Detection Accuracy": "Incorrect", "TTD": 3.0});
        let wrong =
            session("noop_detection_hotel_reservation-1", "submit(\"Yes\")", wrong).unwrap();
        assert_eq!(wrong.claims[0].gold, Gold(Class::Ungrounded));
        let half = json!({"system_level_correct": true, "fault_type_correct": false});
        let half = session("pod_kill-analysis-1", submit, half).unwrap();
        assert_eq!(half.claims[0].gold, Gold(Class::Ungrounded));
        assert!(session("pod_kill-mitigation-1", submit, json!({"success": true})).is_none());
        assert!(session("pod_kill-localization-1", "submit()", json!({"success": true})).is_none());
        assert!(session("pod_kill-localization-1", submit, json!({})).is_none());
        assert!(row("{}").is_err());
    }
}
