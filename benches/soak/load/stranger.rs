//! Makes calls that must be refused: unauthenticated, without permission, or for another principal's data.

use gsar_client::v1;
use tonic::Code;

use super::{CallResult, Caller, search};
use crate::cases::{Case, request};
use crate::identity::{Principal, READER, STRANGER, WORKERS};
use crate::invariants::acknowledged::Entry;
use crate::invariants::privacy;

impl Caller {
    pub(super) async fn trespass(&mut self) {
        match self.random.u32(..7) {
            0 => self.call_as_stranger().await,
            1 => self.call_without_permission().await,
            2 => self.read_evaluation_of_another().await,
            3 => self.search_corpus_of_another().await,
            4 => self.read_investigation_of_another().await,
            5 => self.list_evaluations().await,
            _ => self.list_corpora().await,
        }
    }

    async fn call_as_stranger(&mut self) {
        let server = self.random.usize(..self.world.sidecars.len());
        let request = request(Case::True, 1);
        let result = self
            .call("without credentials", server, &STRANGER, async |client| {
                client.evaluate(request).await
            })
            .await;
        self.expect_refusal("a stranger's Evaluate", result, Code::Unauthenticated);
    }

    async fn call_without_permission(&mut self) {
        let server = self.random.usize(..self.world.sidecars.len());
        let request = request(Case::True, 1);
        let result = self
            .call("without the right", server, &READER, async |client| {
                client.evaluate(request).await
            })
            .await;
        self.expect_refusal("a reader's Evaluate", result, Code::PermissionDenied);
    }

    async fn read_evaluation_of_another(&mut self) {
        let number = self.random.usize(..);
        let found = self.world.acknowledged().pick(number);
        let Some((_, Entry { owner, server, evaluation_id: id, .. })) = found else { return };
        let (server, Some(other)) = (self.server(server), another(owner)) else { return };
        let result = self
            .call("of another", server, other, async |client| client.evaluation(&id).await)
            .await;
        let what = format!("{owner}'s {id}, read by {}", other.name);
        self.expect_refusal(&what, result, Code::NotFound);
    }

    async fn search_corpus_of_another(&mut self) {
        let number = self.random.usize(..);
        let Some(corpus) = pick(&self.world.left_data().corpora, number) else { return };
        let owner = corpus.owner.name;
        let (server, Some(other)) = (self.server(corpus.home), another(owner)) else { return };
        for name in [corpus.corpus_id.clone(), format!("{owner}@{}", corpus.corpus_id)] {
            let request = search(&name, corpus.key);
            let result = self
                .call("of another", server, other, async |client| client.search(request).await)
                .await;
            let what = format!("{owner}'s {name}, searched by {}", other.name);
            self.expect_refusal(&what, result, Code::NotFound);
        }
    }

    async fn read_investigation_of_another(&mut self) {
        let number = self.random.usize(..);
        let Some(investigation) = pick(&self.world.left_data().investigations, number) else {
            return;
        };
        let (owner, id) = (investigation.owner.name, investigation.investigation_id);
        let (server, Some(other)) = (self.server(investigation.home), another(owner)) else {
            return;
        };
        let request =
            v1::GetInvestigationRequest { investigation_id: id.clone(), ..Default::default() };
        let result = self
            .call("of another", server, other, async |client| {
                client.get_investigation(request).await
            })
            .await;
        let what = format!("{owner}'s investigation {id}, read by {}", other.name);
        self.expect_refusal(&what, result, Code::NotFound);
    }

    async fn list_evaluations(&mut self) {
        let (reader, home) = self.draw();
        let server = self.server(home);
        let list = v1::ListEvaluationsRequest { page_size: 20, ..Default::default() };
        let result = self
            .call("ListEvaluations", server, &reader, async |client| {
                client.list_evaluations(list).await
            })
            .await;
        match result {
            CallResult::Answered(page) => {
                self.world.check(privacy::evaluations(reader.name, &page));
            }
            CallResult::Refused(refusal) => self.unexpected_refusal("ListEvaluations", &refusal),
            CallResult::Failed => {}
        }
    }

    async fn list_corpora(&mut self) {
        let (reader, server) = self.draw();
        let list = v1::ListCorporaRequest { page_size: 500, ..Default::default() };
        let result = self
            .call("ListCorpora", server, &reader, async |client| client.list_corpora(list).await)
            .await;
        match result {
            CallResult::Answered(page) => {
                let checked = {
                    let left_data = self.world.left_data();
                    let of_others =
                        left_data.corpora.iter().filter(|corpus| corpus.owner != reader);
                    let names = of_others.map(|corpus| corpus.corpus_id.as_str());
                    privacy::corpora(reader.name, &page, names)
                };
                self.world.check(checked);
            }
            CallResult::Refused(refusal) => self.unexpected_refusal("ListCorpora", &refusal),
            CallResult::Failed => {}
        }
    }
}

fn another(owner: &str) -> Option<&'static Principal> {
    WORKERS.iter().find(|worker| worker.name != owner)
}

fn pick<T: Clone>(all: &[T], number: usize) -> Option<T> {
    all.get(number.checked_rem(all.len())?).cloned()
}
