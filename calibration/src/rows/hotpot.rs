//! Reads HotpotQA questions with distractors (Yang et al. 2018). Each question yields two rows whose claim is the
//! answer: one with all paragraphs, and one without the paragraphs that contain the supporting facts.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use gsar_core::Class;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Gold, GoldClaim, Item, Row};

#[derive(Deserialize)]
struct Question {
    #[serde(rename = "_id")]
    id: String,
    question: String,
    answer: String,
    /// Titles with their sentences.
    context: Vec<(String, Vec<String>)>,
    /// Titles, each with the number of a sentence.
    supporting_facts: Vec<(String, IgnoredAny)>,
}

/// Parses the JSON array of a published file.
pub(super) fn rows(text: &str) -> Result<Vec<Row>> {
    let questions: Vec<Question> = serde_json::from_str(text)
        .context("expected an array of HotpotQA questions with `context` and `supporting_facts`")?;
    Ok(questions
        .into_iter()
        .flat_map(rows_for_question)
        .filter(|row| !row.evidence.is_empty())
        .collect())
}

fn rows_for_question(question: Question) -> [Row; 2] {
    let Question { id, question, answer, context, supporting_facts } = question;
    let decisive: HashSet<&str> =
        supporting_facts.iter().map(|(title, _)| title.as_str()).collect();
    let paragraphs: Vec<(bool, Item)> = (1..)
        .zip(&context)
        .map(|(number, (title, sentences))| {
            let item = Item::titled(format!("p{number}"), Some(title), sentences.concat());
            (decisive.contains(title.as_str()), item)
        })
        .collect();
    let row = |id: String, class, evidence| {
        let text = format!("The answer to the question \"{question}\" is: {answer}.");
        let claims = vec![GoldClaim::unjudged(text, Gold(class))];
        Row { id, report: String::new(), claims, evidence }
    };
    let others = paragraphs.iter().filter(|(is_decisive, _)| !is_decisive);
    let others = others.map(|(_, item)| item.clone()).collect();
    let without = row(format!("{id}/without"), Class::Ungrounded, others);
    let all = paragraphs.into_iter().map(|(_, item)| item).collect();
    [row(id, Class::Grounded, all), without]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_ungrounded_without_its_paragraphs() {
        let text = r#"[{"_id":"5a","question":"Is Ada older than Bo?","answer":"yes","type":"comparison","level":"hard",
            "supporting_facts":[["Ada",0],["Bo",0]],
            "context":[["Ada",["Ada was born in 1815."," She wrote."]],["Cy",["Cy ran."]],["Bo",["Bo was born in 1900."]]]}]"#;
        let rows = rows(text).unwrap();
        let [all, without] = &rows[..] else { panic!("expected two rows") };
        let classes = [all, without].map(|row| row.claims[0].gold.0);
        assert_eq!(classes, [Class::Grounded, Class::Ungrounded]);
        assert_eq!(all.evidence[0].text, "Ada\nAda was born in 1815. She wrote.");
        let left: Vec<&str> = without.evidence.iter().map(|item| item.text.as_str()).collect();
        assert_eq!((all.evidence.len(), left), (3, vec!["Cy\nCy ran."]));
        assert_eq!(
            all.claims[0].text,
            r#"The answer to the question "Is Ada older than Bo?" is: yes."#
        );
        assert!(super::rows("[{}]").is_err());
    }
}
