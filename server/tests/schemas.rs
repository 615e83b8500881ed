//! Data of every schema that there ever was opens in this version and is served, and data of a later one is refused and
//! left as it is. `fixtures/schemas` has a database of each schema as SQL; `make.rs` wrote it and writes those that are missing.

mod make;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::support::chat_models::{self, Models};
use crate::support::{self, Running, Wanted};
use gsar_proto::v1;
use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, EmbeddingsWanted, Problems};
use rusqlite::Connection;
use tonic::Code;
use tonic_types::StatusExt as _;

/// Schemas of the ledger; the first two were those of version 0.1.
const LEDGERS: std::ops::RangeInclusive<usize> = 1..=8;
/// Schemas of a corpus.
const CORPORA: std::ops::RangeInclusive<usize> = 1..=2;
/// Schemas of cached judgements and budgets.
const JUDGEMENTS: std::ops::RangeInclusive<usize> = 1..=2;

fn fixture(name: &str, version: usize) -> PathBuf {
    make::folder().join(format!("{name}-{version}.sql"))
}

/// Makes the database of a fixture.
fn load(name: &str, version: usize, file: &Path) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let sql = std::fs::read_to_string(fixture(name, version)).unwrap();
    let connection = Connection::open(file).unwrap();
    connection.execute_batch(&sql).unwrap();
    let mut faults = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(!faults.exists([]).unwrap(), "{name}-{version}.sql refers to what is not there");
}

fn schema_of(file: &Path) -> usize {
    let connection = Connection::open(file).unwrap();
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    usize::try_from(version).unwrap()
}

/// A server on a ledger as a schema had it.
async fn on_ledger(version: usize) -> Running {
    Wanted::default()
        .start(|config| load("ledger", version, &config.data_dir.join("ledger.sqlite3")))
        .await
}

async fn listed(server: &Running) -> Vec<v1::EvaluationSummary> {
    let list = v1::ListEvaluationsRequest::default();
    server.ledger().list_evaluations(list).await.unwrap().into_inner().evaluations
}

async fn shown(server: &Running, id: &str) -> v1::GetEvaluationResponse {
    let get = v1::GetEvaluationRequest { evaluation_id: id.to_owned(), redact: false };
    server.ledger().get_evaluation(get).await.unwrap().into_inner()
}

async fn exported(server: &Running) -> usize {
    let kinds = vec![v1::ExportKind::Partitions.into()];
    let export = v1::ExportRequest { kinds, ..Default::default() };
    let mut stream = server.ledger().export(export).await.unwrap().into_inner();
    let mut records = 0;
    while let Some(response) = stream.message().await.unwrap() {
        records += response.records.len();
    }
    records
}

async fn rescored(server: &Running, id: &str) -> v1::RescoreResponse {
    let rescore = v1::RescoreRequest { evaluation_id: id.to_owned(), ..Default::default() };
    server.grounding().rescore(rescore).await.unwrap().into_inner()
}

#[tokio::test]
async fn a_ledger_of_every_schema_is_listed_shown_exported_and_decided_anew() {
    for version in LEDGERS {
        let server = on_ledger(version).await;
        let listed = listed(&server).await;
        let owned = listed.iter().filter(|summary| summary.principal == "rca-agent").count();
        // Schema 7 brought owners.
        assert_eq!(owned, usize::from(version >= 7), "schema {version}");
        assert_eq!(listed.len(), 3 + owned, "schema {version}");
        assert_eq!(exported(&server).await, 3 + owned, "schema {version}");
        for summary in &listed {
            let id = &summary.evaluation_id;
            let shown = shown(&server, id).await;
            let evaluation = shown.evaluation.unwrap();
            assert_eq!(&evaluation.evaluation_id, id, "schema {version}");
            let was = evaluation.decision.unwrap().tier();
            assert_eq!(summary.tier(), was, "schema {version}");
            let answer = rescored(&server, id).await;
            let now = answer.decision.unwrap().tier();
            // Contents of evidence are kept since schema 3: before, not everything can be verified anew, which is said.
            assert!(
                version < 3 && !answer.not_rescored.is_empty() || now == was,
                "{version}: {id}"
            );
        }
        let file = server.folder.path().join("data/ledger.sqlite3");
        assert_eq!(schema_of(&file), *LEDGERS.end());
    }
}

fn of_nobody(mut listed: Vec<v1::EvaluationSummary>) -> Vec<v1::EvaluationSummary> {
    listed.retain(|summary| summary.principal.is_empty());
    listed
}

#[tokio::test]
async fn what_came_with_a_schema_is_there_from_then_on() {
    let latest = on_ledger(*LEDGERS.end()).await;
    for version in 3..=*LEDGERS.end() {
        let server = on_ledger(version).await;
        let evaluations = of_nobody(listed(&server).await);
        assert_eq!(evaluations, of_nobody(listed(&latest).await), "schema {version}");
        for summary in &evaluations {
            let id = &summary.evaluation_id;
            let mut expected = shown(&latest, id).await;
            if version < 5 {
                expected.grades.clear();
            }
            assert_eq!(shown(&server, id).await, expected, "schema {version}");
            let item = v1::GetEvaluationEvidenceRequest {
                evaluation_id: id.clone(),
                evidence_id: "pool".to_owned(),
            };
            let whole = server.ledger().get_evaluation_evidence(item).await.unwrap().into_inner();
            assert_eq!(whole.item, Some(make::pool()), "schema {version}");
        }
        let again = server.grounding().evaluate(make::keyed()).await.unwrap().into_inner();
        assert!(evaluations.iter().any(|kept| kept.evaluation_id == again.evaluation_id));
        if version >= 4 {
            let wanted = v1::GetInvestigationRequest {
                investigation_id: make::INVESTIGATION.to_owned(),
                with_events: true,
            };
            let stands = server.investigations().get_investigation(wanted.clone()).await.unwrap();
            let expected = latest.investigations().get_investigation(wanted).await.unwrap();
            assert_eq!(stands.into_inner(), expected.into_inner(), "schema {version}");
        }
        if version >= 5 {
            let graded = shown(&server, &again.evaluation_id).await.grades;
            assert_eq!(graded.len(), 1, "schema {version}");
        }
    }
}

#[tokio::test]
async fn a_corpus_of_every_schema_is_found_by_search_and_judged_by() {
    for version in CORPORA {
        let corpus = Path::new("evidence/inc-7/corpus.sqlite3");
        let server = Wanted::default()
            .start(|config| load("corpus", version, &config.data_dir.join(corpus)))
            .await;
        let search = v1::SearchRequest {
            corpus_id: "inc-7".to_owned(),
            query: "pool size".to_owned(),
            ..Default::default()
        };
        let found = server.evidence().search(search).await.unwrap().into_inner();
        assert_eq!(found.hits[0].text, make::POOL, "schema {version}");
        let request = v1::EvaluateRequest {
            corpus_id: "inc-7".to_owned(),
            evidence: Vec::new(),
            ..support::request()
        };
        let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
        assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed, "schema {version}");
        let file = server.folder.path().join("data").join(corpus);
        assert_eq!(schema_of(&file), *CORPORA.end());
    }
}

/// Has what was spent on the day of the fixtures spent today, and tomorrow, should that begin meanwhile.
fn spent_today(file: &Path) {
    let connection = Connection::open(file).unwrap();
    let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let today = i64::try_from(today).unwrap();
    connection.execute("UPDATE spending SET day = ?1", [today]).unwrap();
    connection.execute("INSERT INTO spending SELECT day + 1, micros FROM spending", []).unwrap();
}

#[tokio::test]
async fn what_was_spent_counts_in_every_schema() {
    let provider = gsar_chat_wire::Server::start().await.unwrap();
    provider.always(gsar_chat_wire::Play::answer(chat_models::HONEST));
    for version in JUDGEMENTS {
        for (more, code) in [(0, "BUDGET_SPENT"), (1_000_000, "")] {
            let models = Models::new().with("openai:m", &provider, |model| {
                (model.input_price, model.output_price) = (Some(1_000_000), Some(1_000_000));
            });
            let started = models.start(|config| {
                let file = config.data_dir.join("judgements.sqlite3");
                load("judgements", version, &file);
                spent_today(&file);
                config.judges.daily_budget = Some(u64::from(make::SPENT) + more);
            });
            let server = started.await;
            let answer =
                chat_models::evaluate(&server.channel, chat_models::asked("openai:m")).await;
            assert_eq!(chat_models::codes(&answer.unwrap()), [code], "schema {version}");
            let file = server.folder.path().join("data/judgements.sqlite3");
            assert_eq!(schema_of(&file), *JUDGEMENTS.end());
        }
    }
}

fn later(file: &Path) -> Vec<u8> {
    Connection::open(file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    std::fs::read(file).unwrap()
}

#[tokio::test]
async fn a_ledger_and_a_corpus_of_a_later_schema_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.sqlite3");
    load("ledger", *LEDGERS.end(), &file);
    let before = later(&file);
    let mut config = Config { data_dir: folder.path().to_owned(), ..Config::default() };
    config.evidence.embeddings = EmbeddingsWanted::Off;
    config.judges.chain = vec!["rules/2".to_owned()];
    let refused = CheckedConfig::check(config, Vec::new(), Problems::default()).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("data_dir") && said.contains("has schema 99"), "{said}");
    assert!(said.contains("run the server that wrote it"), "{said}");
    assert_eq!(std::fs::read(&file).unwrap(), before);

    let mut before = Vec::new();
    let server = Wanted::default()
        .start(|config| {
            let file = config.data_dir.join("evidence/inc-7/corpus.sqlite3");
            load("corpus", *CORPORA.end(), &file);
            before = later(&file);
        })
        .await;
    let search = v1::SearchRequest {
        corpus_id: "inc-7".to_owned(),
        query: "pool".to_owned(),
        ..Default::default()
    };
    let refused = server.evidence().search(search).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(refused.get_error_details().error_info().unwrap().reason, "EVIDENCE_UNUSABLE");
    let file = server.folder.path().join("data/evidence/inc-7/corpus.sqlite3");
    assert_eq!(std::fs::read(file).unwrap(), before);
}

#[test]
fn every_migration_has_a_fixture_which_is_small() {
    for (name, versions) in [("ledger", LEDGERS), ("corpus", CORPORA), ("judgements", JUDGEMENTS)] {
        assert_eq!(*versions.end(), make::migrations(name).len(), "{name}");
        for version in versions {
            let file = fixture(name, version);
            let bytes = std::fs::metadata(&file).map(|found| found.len()).unwrap_or_default();
            assert!((1..50_000).contains(&bytes), "{}: {bytes}", file.display());
        }
    }
}
