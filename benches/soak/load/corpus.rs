//! Stores, searches, uses and deletes corpora.

use gsar_client::v1;
use gsar_client::v1::put_evidence_request::Part;
use tonic::Code;

use super::{CallResult, Caller};
use crate::cases::{Case, evidence, item, request};
use crate::faults::schedule::FaultKind;
use crate::identity::Principal;
use crate::invariants::acknowledged::report_id;
use crate::invariants::answers;
use crate::left_data::StoredCorpus;

struct Corpus {
    owner: Principal,
    home: usize,
    id: String,
    key: u64,
    time_to_live: Option<std::time::Duration>,
}

const TIME_TO_LIVE: std::time::Duration = std::time::Duration::from_secs(120);

impl Caller {
    /// Stores a corpus and uses it. One in eight is left for the final checks, and another one in sixteen is left to
    /// expire.
    pub(super) async fn store_and_search(&mut self) {
        let (owner, home) = self.draw();
        let (key, began) = (self.world.new_key(), self.world.phases.now());
        let fate = self.random.u32(..16);
        let time_to_live = (fate == 0).then_some(TIME_TO_LIVE);
        let corpus = Corpus { owner, home, id: format!("corpus-{key}"), key, time_to_live };
        if !self.put(&corpus).await {
            return;
        }
        if fate > 0 {
            for _ in 0..self.random.usize(1..4) {
                self.search(&corpus).await;
            }
            self.evaluate_with(&corpus).await;
        }
        if fate > 2 {
            return self.delete(&corpus).await;
        }
        let now = self.world.phases.now();
        let faults = self.world.phases.affecting(began, now);
        let is_set = faults.iter().any(|what| matches!(what, FaultKind::SetClock(_)));
        // The corpus expires according to its server's clock, which a fault can change.
        if time_to_live.is_some() && is_set && !self.world.is_shared() {
            return;
        }
        let expires = time_to_live.map(|time_to_live| now + time_to_live);
        let Corpus { owner, home, id: corpus_id, key, .. } = corpus;
        self.world.left_data().corpora.push(StoredCorpus { owner, home, corpus_id, key, expires });
    }

    /// Returns `true` if the corpus was acknowledged before the run ended.
    async fn put(&mut self, corpus: &Corpus) -> bool {
        while !self.world.is_over() {
            let time_to_live =
                corpus.time_to_live.and_then(|time_to_live| time_to_live.try_into().ok());
            let head = v1::CorpusHead { corpus_id: corpus.id.clone(), time_to_live };
            let filler: String =
                (0..200).map(|line| format!("line {line} of {}\n", corpus.id)).collect();
            let items = [("settings", evidence(corpus.key)), ("log", filler)];
            let items = items.map(|(id, text)| Part::Item(item(id, &text)));
            let parts = std::iter::once(Part::Corpus(head)).chain(items);
            let messages = parts.map(|part| v1::PutEvidenceRequest { part: Some(part) });
            let server = self.server(corpus.home);
            let result = self
                .call("PutEvidence", server, &corpus.owner, async |client| {
                    client.put_evidence(messages).await
                })
                .await;
            match result {
                CallResult::Answered(_) => {
                    self.world.count("PutEvidence acknowledged");
                    return true;
                }
                CallResult::Refused(refusal) => {
                    self.unexpected_refusal(&format!("PutEvidence of {}", corpus.id), &refusal);
                    return false;
                }
                CallResult::Failed => self.back_off().await,
            }
        }
        false
    }

    async fn search(&mut self, corpus: &Corpus) {
        let request = search(&corpus.id, corpus.key);
        let server = self.server(corpus.home);
        let result = self
            .call("Search", server, &corpus.owner, async |client| client.search(request).await)
            .await;
        match result {
            CallResult::Answered(found) => {
                self.world.check(answers::search(&corpus.id, corpus.key, &found));
            }
            CallResult::Refused(refusal) => {
                let found = format!("{}: {:?} {}", corpus.id, refusal.code, refusal.one_line());
                self.world.record_violation("corpora", found);
            }
            CallResult::Failed => self.back_off().await,
        }
    }

    async fn evaluate_with(&mut self, corpus: &Corpus) {
        let key = self.world.new_key();
        self.world.acknowledged().register(key, corpus.owner.name, corpus.home);
        let mut request = request(Case::True, corpus.key);
        request.evidence.clear();
        request.corpus_id.clone_from(&corpus.id);
        request.idempotency_key = report_id(key);
        if let Some(report) = &mut request.report {
            report.id = report_id(key);
        }
        request.options =
            Some(v1::EvaluateOptions { judge: "rules/2".to_owned(), ..Default::default() });
        while !self.world.is_over() {
            let sent = request.clone();
            let server = self.server(corpus.home);
            let result = self
                .call("Evaluate by corpus", server, &corpus.owner, async |client| {
                    client.evaluate(sent).await
                })
                .await;
            match result {
                CallResult::Answered(answer) => return self.check_answer(key, Case::True, &answer),
                CallResult::Refused(refusal) => {
                    return self
                        .unexpected_refusal(&format!("Evaluate by {}", corpus.id), &refusal);
                }
                CallResult::Failed => self.back_off().await,
            }
        }
    }

    async fn delete(&mut self, corpus: &Corpus) {
        let mut may_be_gone = false;
        while !self.world.is_over() {
            let id = corpus.id.clone();
            let server = self.server(corpus.home);
            let result = self
                .call("DeleteCorpus", server, &corpus.owner, async |client| {
                    client.delete_corpus(&id).await
                })
                .await;
            match result {
                CallResult::Answered(_) => break,
                CallResult::Refused(refusal) if may_be_gone && refusal.code == Code::NotFound => {
                    break;
                }
                CallResult::Refused(refusal) => {
                    let found = format!(
                        "deleting {}: {:?} {}",
                        corpus.id,
                        refusal.code,
                        refusal.one_line()
                    );
                    return self.world.record_violation("corpora", found);
                }
                CallResult::Failed => {
                    may_be_gone = true;
                    self.back_off().await;
                }
            }
        }
        if self.world.is_over() {
            return;
        }
        self.world.count("DeleteCorpus acknowledged");
        let request = search(&corpus.id, corpus.key);
        let server = self.server(corpus.home);
        let result = self
            .call("Search", server, &corpus.owner, async |client| client.search(request).await)
            .await;
        self.expect_refusal(&format!("a search in deleted {}", corpus.id), result, Code::NotFound);
    }
}

pub(crate) fn search(corpus_id: &str, number: u64) -> v1::SearchRequest {
    v1::SearchRequest {
        corpus_id: corpus_id.to_owned(),
        query: format!("connection pool size of db-{number}"),
        ..Default::default()
    }
}
