//! Builds records and requests, and reads all pages of a list.

use std::num::NonZeroUsize;

use gsar_server::ledger::{
    Content, Cursor, InvestigationStart, Ledger, NewEvent, NewGrade, NewGrades, Page, PageRequest,
    Record, Recorded, Reports, Selection, StoredEvaluation, Summary,
};

pub(crate) fn record(number: u32) -> Record {
    Record {
        evaluation_id: format!("evaluation-{number:06}"),
        evaluated_at_micros: 1_790_000_000_000_000 + i64::from(number),
        report_id: format!("report-{}", number % 7),
        investigation_id: format!("investigation-{}", number % 3),
        policy: ["reference", "strict"][number as usize % 2].to_owned(),
        judge: "rules/2".to_owned(),
        outcome: 1,
        tier: i32::try_from(number % 4).unwrap() + 1,
        score: (!number.is_multiple_of(5)).then_some((u64::from(number), 1000)),
        claims: number,
        grounded: (!number.is_multiple_of(5)).then_some(number - number % 3),
        in_shadow: number % 4 == 1,
        fell_back: number % 7 == 2,
        idempotency_key: None,
        request_digest: digest(&number.to_be_bytes()),
        report: vec![1; 100],
        response: number.to_be_bytes().repeat(100),
        evidence: vec![3; 200],
        contents: Vec::new(),
        policy_toml: "name = \"reference\"\n".into(),
        event: None,
    }
}

pub(crate) fn digest(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

pub(crate) fn record_with_key(number: u32, key: &str, body: u32) -> Record {
    let request_digest = digest(&body.to_be_bytes());
    Record { idempotency_key: Some(key.to_owned()), request_digest, ..record(number) }
}

pub(crate) fn with_contents(number: u32, contents: &[&str]) -> Record {
    let evidence = contents.iter().flat_map(|text| digest(text.as_bytes())).collect();
    let contents =
        contents.iter().map(|text| Content::new(digest(text.as_bytes()), text)).collect();
    Record { evidence, contents, ..record(number) }
}

pub(crate) fn summary(record: &Record) -> Summary {
    Summary {
        owner: String::new(),
        evaluation_id: record.evaluation_id.clone(),
        evaluated_at_micros: record.evaluated_at_micros,
        report_id: record.report_id.clone(),
        investigation_id: record.investigation_id.clone(),
        policy: record.policy.clone(),
        judge: record.judge.clone(),
        outcome: record.outcome,
        tier: record.tier,
        score: record.score,
        claims: record.claims,
        grounded: record.grounded,
        in_shadow: record.in_shadow,
        fell_back: record.fell_back,
    }
}

pub(crate) fn stored_evaluation(record: Record) -> StoredEvaluation {
    StoredEvaluation {
        summary: summary(&record),
        idempotency_key: record.idempotency_key,
        request_digest: record.request_digest,
        report: record.report,
        response: record.response,
        evidence: record.evidence,
        policy_toml: record.policy_toml.as_ref().to_owned(),
        grades: Vec::new(),
    }
}

pub(crate) fn grades(number: u32, grader: &str, subjects: &[(&str, i32)]) -> NewGrades {
    let grade = |(claim_id, verdict): &(&str, i32)| NewGrade {
        claim_id: (*claim_id).to_owned(),
        verdict: *verdict,
        note: format!("by {grader}"),
    };
    NewGrades {
        evaluation_id: record(number).evaluation_id,
        grader: grader.to_owned(),
        graded_at_micros: i64::from(number),
        grades: subjects.iter().map(grade).collect(),
    }
}

pub(crate) fn start(id: &str) -> InvestigationStart {
    InvestigationStart {
        investigation_id: id.to_owned(),
        started_at_micros: 1_790_000_000_000_000,
        start: id.as_bytes().to_vec(),
        policy_toml: "name = \"strict\"\n".to_owned(),
    }
}

pub(crate) fn event(id: &str, step: u32, body: &str) -> NewEvent {
    NewEvent {
        investigation_id: id.to_owned(),
        step,
        request_digest: digest(body.as_bytes()),
        event: body.as_bytes().to_vec(),
    }
}

pub(crate) async fn record_all(ledger: &dyn Ledger, records: impl IntoIterator<Item = Record>) {
    for record in records {
        assert_eq!(ledger.record(record).await, Ok(Recorded::New));
    }
}

pub(crate) fn first_page(cursor: Cursor, limit: usize) -> PageRequest {
    let limit = NonZeroUsize::new(limit).unwrap();
    PageRequest { selection: Selection::default(), cursor, limit }
}

pub(crate) async fn read_entries(ledger: &dyn Ledger, request: &PageRequest) -> Vec<String> {
    let (mut ids, mut request) = (Vec::new(), request.clone());
    loop {
        let Page { evaluations, next } =
            ledger.entries(request.clone(), Reports::Omit).await.unwrap();
        ids.extend(evaluations.into_iter().map(|entry| entry.summary.evaluation_id));
        match next {
            Some(next) => request.cursor = next,
            None => return ids,
        }
    }
}

pub(crate) async fn list_ids(ledger: &dyn Ledger, request: &PageRequest) -> Vec<String> {
    let (mut ids, mut request) = (Vec::new(), request.clone());
    loop {
        let Page { evaluations, next } = ledger.list(request.clone()).await.unwrap();
        ids.extend(evaluations.into_iter().map(|evaluation| evaluation.evaluation_id));
        match next {
            Some(next) => request.cursor = next,
            None => return ids,
        }
    }
}
