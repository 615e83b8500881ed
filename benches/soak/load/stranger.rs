//! This module tries what must not be possible: calls of nobody, calls without the right, and looks at what others keep.

use gsar_client::v1;
use tonic::Code;

use super::{Asked, Caller, search};
use crate::cases::{Case, request};
use crate::identity::{Principal, READER, STRANGER, WORKERS};
use crate::invariants::acknowledged::Entry;
use crate::invariants::privacy;

impl Caller {
    /// One of them.
    pub(super) async fn trespass(&mut self) {
        match self.random.u32(..7) {
            0 => self.call_as_nobody().await,
            1 => self.call_without_the_right().await,
            2 => self.read_of_another().await,
            3 => self.search_of_another().await,
            4 => self.investigation_of_another().await,
            5 => self.list_evaluations().await,
            _ => self.list_corpora().await,
        }
    }

    async fn call_as_nobody(&mut self) {
        let server = self.random.usize(..self.world.sidecars.len());
        let request = request(Case::True, 1);
        let asked = self
            .ask("as nobody", server, &STRANGER, async |client| client.evaluate(request).await)
            .await;
        self.must_be_refused("a stranger's Evaluate", asked, Code::Unauthenticated);
    }

    async fn call_without_the_right(&mut self) {
        let server = self.random.usize(..self.world.sidecars.len());
        let request = request(Case::True, 1);
        let asked = self
            .ask("without the right", server, &READER, async |client| {
                client.evaluate(request).await
            })
            .await;
        self.must_be_refused("a reader's Evaluate", asked, Code::PermissionDenied);
    }

    async fn read_of_another(&mut self) {
        let number = self.random.usize(..);
        let found = self.world.acknowledged().any(number);
        let Some((_, Entry { owner, server, evaluation_id: id, .. })) = found else { return };
        let (server, Some(other)) = (self.server(server), another(owner)) else { return };
        let asked = self
            .ask("of another", server, other, async |client| client.evaluation(&id).await)
            .await;
        let what = format!("{owner}'s {id}, read by {}", other.name);
        self.must_be_refused(&what, asked, Code::NotFound);
    }

    async fn search_of_another(&mut self) {
        let number = self.random.usize(..);
        let Some(corpus) = at(&self.world.kept().corpora, number) else { return };
        let owner = corpus.owner.name;
        let (server, Some(other)) = (self.server(corpus.home), another(owner)) else { return };
        for name in [corpus.corpus_id.clone(), format!("{owner}@{}", corpus.corpus_id)] {
            let request = search(&name, corpus.key);
            let asked = self
                .ask("of another", server, other, async |client| client.search(request).await)
                .await;
            let what = format!("{owner}'s {name}, searched by {}", other.name);
            self.must_be_refused(&what, asked, Code::NotFound);
        }
    }

    async fn investigation_of_another(&mut self) {
        let number = self.random.usize(..);
        let Some(kept) = at(&self.world.kept().investigations, number) else { return };
        let (owner, id) = (kept.owner.name, kept.investigation_id);
        let (server, Some(other)) = (self.server(kept.home), another(owner)) else { return };
        let request =
            v1::GetInvestigationRequest { investigation_id: id.clone(), ..Default::default() };
        let asked = self
            .ask("of another", server, other, async |client| {
                client.get_investigation(request).await
            })
            .await;
        let what = format!("{owner}'s investigation {id}, read by {}", other.name);
        self.must_be_refused(&what, asked, Code::NotFound);
    }

    async fn list_evaluations(&mut self) {
        let (reader, home) = self.draw();
        let server = self.server(home);
        let list = v1::ListEvaluationsRequest { page_size: 20, ..Default::default() };
        let asked = self
            .ask("ListEvaluations", server, &reader, async |client| {
                client.list_evaluations(list).await
            })
            .await;
        match asked {
            Asked::Answered(page) => {
                self.world.check(privacy::evaluations(reader.name, &page));
            }
            Asked::Refused(refusal) => self.not_called_for("ListEvaluations", &refusal),
            Asked::Failed => {}
        }
    }

    async fn list_corpora(&mut self) {
        let (reader, server) = self.draw();
        let list = v1::ListCorporaRequest { page_size: 500, ..Default::default() };
        let asked = self
            .ask("ListCorpora", server, &reader, async |client| client.list_corpora(list).await)
            .await;
        match asked {
            Asked::Answered(page) => {
                let checked = {
                    let kept = self.world.kept();
                    let of_others = kept.corpora.iter().filter(|corpus| corpus.owner != reader);
                    let names = of_others.map(|corpus| corpus.corpus_id.as_str());
                    privacy::corpora(reader.name, &page, names)
                };
                self.world.check(checked);
            }
            Asked::Refused(refusal) => self.not_called_for("ListCorpora", &refusal),
            Asked::Failed => {}
        }
    }
}

/// A worker who is somebody else.
fn another(owner: &str) -> Option<&'static Principal> {
    WORKERS.iter().find(|worker| worker.name != owner)
}

/// One of several by a number of any size.
fn at<T: Clone>(all: &[T], number: usize) -> Option<T> {
    all.get(number.checked_rem(all.len())?).cloned()
}
