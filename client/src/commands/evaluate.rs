//! `gsar evaluate`: reports in, decisions out.

use std::collections::HashMap;

use futures_util::StreamExt as _;
use gsar_client::Client;
use gsar_core::policy::Policy;
use gsar_core::preset;
use gsar_proto::v1;

use super::{check_explained, classes, explain, is_json, note, print, print_json, requests};
use crate::arguments::Evaluate;
use crate::failure::Failure;
use crate::human::{Scene, View, errors, evaluation};
use crate::session::{Server, with_client};
use crate::status::Status;
use crate::terminal::Terminal;

/// How many reports are evaluated at once; answers come in the order of the reports.
const IN_FLIGHT: usize = 8;

pub(super) async fn run(arguments: &Evaluate, terminal: &Terminal) -> Result<Status, Failure> {
    let (requests, notes) = requests::of_reports(arguments)?;
    for left_out in notes {
        note(&left_out);
    }
    let view = View {
        columns: terminal.columns,
        only: classes(&arguments.only),
        explain: explain(arguments.explain.as_deref()),
    };
    with_client(&arguments.connection, async |client, server| {
        let is_kept = server == Server::Running || arguments.connection.data_dir.is_some();
        let mut shown = Shown { client: &client, policies: HashMap::new(), first: true, is_kept };
        let mut status = Status::Proceed;
        let mut answers = futures_util::stream::iter(requests)
            .map(|request| {
                let client = client.clone();
                async move { (client.evaluate(request.clone()).await, request) }
            })
            .buffered(IN_FLIGHT);
        let mut refused = None;
        // The status tells the decision also where nobody reads on, as in `gsar evaluate … | head -1`.
        let mut is_read = true;
        while let Some((answer, request)) = answers.next().await {
            match answer {
                Err(error) => {
                    // One report that is refused does not keep the others from their answers.
                    if let Some(earlier) = refused.replace(Failure::from(error)) {
                        report(&earlier);
                    }
                    status = status.max(Status::Error);
                }
                Ok(answer) => {
                    status = status.max(Status::of(&answer));
                    if !is_read {
                        continue;
                    }
                    let printed = if is_json(arguments.output) {
                        print_json(&answer)
                    } else {
                        check_explained(&view.explain, &answer.claims)?;
                        shown.print(&answer, &request, &view).await
                    };
                    match printed {
                        Err(failure) if failure.is_closed_pipe() => is_read = false,
                        printed => printed?,
                    }
                }
            }
        }
        match refused {
            Some(failure) => Err(failure),
            None => Ok(status),
        }
    })
    .await
}

fn report(failure: &Failure) {
    use std::io::Write as _;
    let _ = writeln!(anstream::stderr(), "{}", errors::shown(failure));
}

/// What printing answers for people needs.
struct Shown<'c> {
    client: &'c Client,
    policies: HashMap<String, Option<Policy>>,
    first: bool,
    is_kept: bool,
}

impl Shown<'_> {
    async fn print(
        &mut self,
        answer: &v1::EvaluateResponse,
        request: &v1::EvaluateRequest,
        view: &View,
    ) -> Result<(), Failure> {
        let policy = self.policy(answer).await;
        let scene = Scene {
            report: request.report.as_ref(),
            evidence: &request.evidence,
            policy: policy.as_ref(),
            is_kept: self.is_kept,
        };
        let gap = if std::mem::take(&mut self.first) { "" } else { "\n\n" };
        print(&format!("{gap}{}", evaluation(answer, &scene, view)))
    }

    /// The policy that an answer names, when it is exactly the one that was applied.
    async fn policy(&mut self, answer: &v1::EvaluateResponse) -> Option<Policy> {
        let applied = answer.provenance.as_ref()?.policy.as_ref()?;
        let is_applied = |policy: &Policy| policy.digest().to_string() == applied.digest;
        if let Some(preset) =
            gsar_core::Preset::from_name(&applied.name).map(preset).filter(is_applied)
        {
            return Some(preset);
        }
        if applied.overridden {
            return None;
        }
        if !self.policies.contains_key(&applied.name) {
            let answer = self.client.policy(&applied.name).await.ok();
            let policy = answer.and_then(|answer| Policy::from_toml(&answer.toml).ok());
            self.policies.insert(applied.name.clone(), policy);
        }
        self.policies.get(&applied.name).cloned().flatten().filter(is_applied)
    }
}
