//! `gsar ledger`: lists, shows, deletes and grades recorded evaluations.

use std::collections::BTreeSet;

use gsar_core::policy::Policy;
use gsar_proto::v1;
use gsar_proto::v1::evidence_item::Content;

use super::{
    check_explained, check_redacted, class, evaluation_id, explain, export, instant, is_json,
    print, print_json, print_raw, require_records, rescore, shown_classes,
};
use crate::arguments::{Call, Connection, Grade, Ledger, Tier};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{
    Contents, ReportContext, View, evaluation, evaluation_page, evaluations, grades, labels,
};
use crate::session::with_client;
use crate::terminal::Terminal;

const PAGE_SIZE: u32 = 1000;

pub(super) async fn run(arguments: &Ledger, terminal: &Terminal) -> Result<Status, Failure> {
    match arguments {
        Ledger::List {
            tier,
            report,
            investigation,
            policy,
            judge,
            from,
            before,
            unproven,
            graded,
            not_graded,
            limit,
            call,
        } => {
            let graded = match (graded, not_graded) {
                (true, _) => v1::GradedFilter::Graded,
                (false, true) => v1::GradedFilter::NotGraded,
                (false, false) => v1::GradedFilter::Unspecified,
            };
            let request = v1::ListEvaluationsRequest {
                graded: graded.into(),
                tier: tier.map_or(v1::Tier::Unspecified, to_wire).into(),
                report_id: report.clone().unwrap_or_default(),
                investigation_id: investigation.clone().unwrap_or_default(),
                policy: policy.clone().unwrap_or_default(),
                judge: judge.clone().unwrap_or_default(),
                evaluated_from: from.map(instant),
                evaluated_before: before.map(instant),
                unproven_only: *unproven,
                ..Default::default()
            };
            list(request, *limit, call).await
        }
        Ledger::Show { id, evidence: Some(item), call, .. } => show_evidence(id, item, call).await,
        Ledger::Show { id, html: true, unredacted, call, .. } => {
            show_page(id, *unredacted, &call.connection).await
        }
        Ledger::Rescore(arguments) => rescore::run(arguments, terminal).await,
        Ledger::Grade(arguments) => grade(arguments).await,
        Ledger::Export(arguments) => export::run(arguments).await,
        Ledger::Delete { ids, connection } => delete(ids, connection).await,
        Ledger::Show { id, explain: claim, only, call, .. } => {
            let view = View {
                columns: terminal.columns,
                only: shown_classes(only),
                explain: explain(claim.as_deref()),
            };
            show(id, &view, call).await
        }
    }
}

async fn list(
    mut request: v1::ListEvaluationsRequest,
    limit: u32,
    call: &Call,
) -> Result<Status, Failure> {
    require_records(&call.connection, "record to read")?;
    with_client(&call.connection, async |client, _| {
        let mut remaining = limit;
        while remaining > 0 {
            request.page_size = remaining.min(PAGE_SIZE);
            let page = client.list_evaluations(request.clone()).await?;
            remaining =
                remaining.saturating_sub(page.evaluations.len().try_into().unwrap_or(u32::MAX));
            if is_json(call.output) {
                for summary in &page.evaluations {
                    print_json(summary)?;
                }
            } else {
                print(&evaluations(&page.evaluations))?;
            }
            if page.next_page_token.is_empty() || page.evaluations.is_empty() {
                break;
            }
            request.page_token = page.next_page_token;
        }
        Ok(Status::Proceed)
    })
    .await
}

async fn show(id: &str, view: &View, call: &Call) -> Result<Status, Failure> {
    require_records(&call.connection, "record to read")?;
    with_client(&call.connection, async |client, _| {
        let record = client.evaluation(&evaluation_id::expand(&client, id).await?).await?;
        if is_json(call.output) {
            print_json(&record)?;
            return Ok(Status::Proceed);
        }
        let answer = record.evaluation.unwrap_or_default();
        check_explained(&view.explain, &answer.claims)?;
        let policy = Policy::from_toml(&record.policy_toml).ok();
        let context = ReportContext {
            report: record.report.as_ref(),
            evidence: &[],
            policy: policy.as_ref(),
            is_recorded: true,
        };
        print(&grades(&record.grades))?;
        print(&evaluation(&answer, &context, view))?;
        Ok(Status::Proceed)
    })
    .await
}

async fn show_page(id: &str, unredacted: bool, connection: &Connection) -> Result<Status, Failure> {
    require_records(connection, "record to read")?;
    with_client(connection, async |client, _| {
        let id = &evaluation_id::expand(&client, id).await?;
        if !unredacted {
            let record = client.redacted_evaluation(id).await?;
            check_redacted(record.evaluation.as_ref())?;
            print_raw(&evaluation_page(&record, &Contents::default()))?;
            return Ok(Status::Proceed);
        }
        let record = client.evaluation(id).await?;
        let mut contents = Contents::default();
        for item in cited_item_ids(&record) {
            let item = client.evaluation_evidence(id, &item).await?;
            if let Some(Content::Text(text) | Content::Json(text)) = item.content {
                contents.insert(item.id, text);
            }
        }
        print_raw(&evaluation_page(&record, &contents))?;
        Ok(Status::Proceed)
    })
    .await
}

/// Returns the ids of the cited items that are stored in full.
fn cited_item_ids(record: &v1::GetEvaluationResponse) -> BTreeSet<String> {
    let claims = record.evaluation.iter().flat_map(|evaluation| &evaluation.claims);
    let ids =
        claims.flat_map(|claim| &claim.citations).map(|citation| citation.evidence_id.as_str());
    let ids: BTreeSet<&str> = ids.collect();
    let full_items = record.evidence.iter().filter(|item| item.is_whole);
    full_items.filter(|item| ids.contains(item.id.as_str())).map(|item| item.id.clone()).collect()
}

async fn show_evidence(id: &str, item: &str, call: &Call) -> Result<Status, Failure> {
    require_records(&call.connection, "record to read")?;
    with_client(&call.connection, async |client, _| {
        let id = evaluation_id::expand(&client, id).await?;
        let item = client.evaluation_evidence(&id, item).await?;
        if is_json(call.output) {
            print_json(&item)?;
        } else if let Some(Content::Text(text) | Content::Json(text)) = &item.content {
            print_raw(text)?;
        }
        Ok(Status::Proceed)
    })
    .await
}

async fn delete(ids: &[String], connection: &Connection) -> Result<Status, Failure> {
    require_records(connection, "record to delete")?;
    with_client(connection, async |client, _| {
        for id in ids {
            client.delete_evaluation(id).await?;
        }
        Ok(Status::Proceed)
    })
    .await
}

async fn grade(arguments: &Grade) -> Result<Status, Failure> {
    use v1::grade::Subject;
    require_records(&arguments.connection, "record to grade")?;
    let class = arguments.class.map(class);
    let subject = match (&arguments.claim, class, arguments.tier) {
        (Some(claim), Some(class), _) => {
            Some(Subject::Claim(v1::ClaimGrade { claim_id: claim.clone(), class: class.into() }))
        }
        (_, _, Some(tier)) => Some(Subject::Report(v1::ReportGrade { tier: to_wire(tier).into() })),
        _ => None,
    };
    let grader =
        arguments.grader.clone().filter(|name| !name.is_empty()).unwrap_or_else(current_user);
    with_client(&arguments.connection, async |client, _| {
        let evaluation_id = evaluation_id::expand(&client, &arguments.id).await?;
        let description = match (&arguments.claim, class, arguments.tier) {
            (Some(claim), Some(class), _) => format!("{claim} as {}", labels::class(class).1),
            (_, _, tier) => {
                format!("the report as {}", tier.map_or("", |tier| labels::tier(to_wire(tier)).0))
            }
        };
        let message = format!("graded {description}, by {grader}: evaluation {evaluation_id}\n");
        let grades = vec![v1::Grade { subject, note: arguments.note.clone() }];
        client.grade(v1::GradeRequest { evaluation_id, grader, grades }).await?;
        print(&message)?;
        Ok(Status::Proceed)
    })
    .await
}

fn current_user() -> String {
    let login_name = std::env::var("LOGNAME").ok().filter(|name| !name.is_empty());
    login_name.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}

pub(super) fn to_wire(tier: Tier) -> v1::Tier {
    match tier {
        Tier::Proceed => v1::Tier::Proceed,
        Tier::Regenerate => v1::Tier::Regenerate,
        Tier::Replan => v1::Tier::Replan,
        Tier::Abstain => v1::Tier::Abstain,
    }
}
