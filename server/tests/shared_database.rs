//! Tests several servers that share a PostgreSQL database while servers or the database are killed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::chat_models::{self, Models};
use crate::support::postgres::{Kind, Postgres};
use crate::support::process::Process;
use crate::support::run::run;
use crate::support::tls::Authority;
use crate::support::{TestServer, http, request, rounds};
use gsar_chat_wire::ScriptedReply;
use gsar_proto::v1;
use gsar_server::config::Config;
use rustix::process::Signal;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

const SERVERS: usize = 3;

/// Reads the size of a test from an environment variable. `make shared-database` sets larger sizes than the default.
fn test_size(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

pub(crate) fn configuration(url: &str) -> String {
    format!(
        "[judges]\nchain = [\"rules/2\"]\n[evidence]\nembeddings = \"off\"\n[storage]\nurl = \"{url}\"\n"
    )
}

pub(crate) fn channel(folder: &Path) -> Channel {
    let socket = folder.join("gsar.sock");
    Endpoint::from_shared(format!("unix://{}", socket.display())).unwrap().connect_lazy()
}

async fn evaluate(channel: &Channel, key: &str) -> Result<v1::EvaluateResponse, Status> {
    let request = v1::EvaluateRequest { idempotency_key: key.to_owned(), ..request() };
    chat_models::evaluate(channel, request).await
}

type Acknowledged = BTreeMap<String, Vec<String>>;

/// Repeatedly sends the same evaluation to two servers at once, and to other servers if one is unavailable.
async fn evaluate_repeatedly(
    caller: usize,
    channels: Arc<Vec<Channel>>,
    is_finished: Arc<AtomicBool>,
    answer_count: Arc<watch::Sender<usize>>,
) -> Acknowledged {
    let mut acknowledged = Acknowledged::new();
    for number in 0.. {
        if is_finished.load(Ordering::SeqCst) {
            break;
        }
        let key = format!("{caller}-{number}");
        let (first_id, second_id) = tokio::join!(
            evaluate_until_recorded(&channels, caller + number, &key),
            evaluate_until_recorded(&channels, caller + number + 1, &key)
        );
        acknowledged.insert(key, vec![first_id, second_id]);
        answer_count.send_modify(|count| *count += 1);
    }
    acknowledged
}

fn start_callers(
    count: usize,
    channels: &Arc<Vec<Channel>>,
    is_finished: &Arc<AtomicBool>,
    answer_count: &Arc<watch::Sender<usize>>,
) -> Vec<JoinHandle<Acknowledged>> {
    let start = |caller| {
        let (channels, is_finished) = (Arc::clone(channels), Arc::clone(is_finished));
        tokio::spawn(evaluate_repeatedly(caller, channels, is_finished, Arc::clone(answer_count)))
    };
    (0..count).map(start).collect()
}

/// Returns the id of the evaluation with this key from the first server that answers.
async fn evaluate_until_recorded(channels: &[Channel], first: usize, key: &str) -> String {
    let mut servers = (first..).map(|index| &channels[index % channels.len()]);
    loop {
        match evaluate(servers.next().unwrap(), key).await {
            Ok(answer) => return answer.evaluation_id,
            Err(error) => {
                let is_transient =
                    matches!(error.code(), Code::Unavailable | Code::Unknown | Code::Cancelled);
                assert!(is_transient, "{key}: {error}");
                tokio::task::yield_now().await;
            }
        }
    }
}

async fn await_answers(answer_count: &watch::Sender<usize>, additional: usize) {
    let mut answer_count = answer_count.subscribe();
    let count = *answer_count.borrow() + additional;
    answer_count.wait_for(|current| *current >= count).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killed_servers_lose_and_duplicate_nothing() {
    let Some(postgres) = Postgres::any() else { return };
    let url = postgres.database();
    let folders: Vec<_> = (0..SERVERS).map(|_| tempfile::tempdir().unwrap()).collect();
    let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.path().to_owned()).collect();
    let mut servers: Vec<Process> =
        paths.iter().map(|folder| Process::with_config(folder, &configuration(&url))).collect();
    let channels = Arc::new(paths.iter().map(|folder| channel(folder)).collect::<Vec<_>>());
    let (is_finished, answer_count) =
        (Arc::new(AtomicBool::new(false)), Arc::new(watch::Sender::new(0)));
    let callers =
        start_callers(test_size("GSAR_TEST_CALLERS", 16), &channels, &is_finished, &answer_count);

    let (started_at, minutes) = (Instant::now(), test_size("GSAR_TEST_MINUTES", 0));
    let mut kills = 0;
    while kills < rounds(SERVERS, 2 * SERVERS)
        || started_at.elapsed() < Duration::from_secs(60 * minutes as u64)
    {
        await_answers(&answer_count, 50).await;
        let killed = kills % SERVERS;
        servers[killed].signal(Signal::KILL);
        servers[killed].wait();
        await_answers(&answer_count, 50).await;
        let (folder, toml) = (paths[killed].clone(), configuration(&url));
        servers[killed] = tokio::task::spawn_blocking(move || Process::with_config(&folder, &toml))
            .await
            .unwrap();
        kills += 1;
    }
    is_finished.store(true, Ordering::SeqCst);
    let mut acknowledged = Acknowledged::new();
    for caller in callers {
        acknowledged.extend(caller.await.unwrap());
    }

    for (key, ids) in &acknowledged {
        assert!(ids.iter().all(|id| id == &ids[0]), "{key} was evaluated twice: {ids:?}");
    }
    let stored = postgres.query(&url, "SELECT idempotency_key || ' ' || evaluation_id FROM evaluation_ids JOIN evaluations USING (sequence, evaluated_at_micros, evaluation_id)");
    let stored: BTreeMap<String, String> = stored
        .lines()
        .map(|line| line.split_once(' ').map(|(key, id)| (key.to_owned(), id.to_owned())).unwrap())
        .collect();
    let acknowledged_ids: BTreeMap<String, String> =
        acknowledged.into_iter().map(|(key, mut ids)| (key, ids.swap_remove(0))).collect();
    assert_eq!(stored, acknowledged_ids);
    println!(
        "{} evaluations, each sent to two servers at once; {kills} kills in {:?}",
        stored.len(),
        started_at.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_share_the_budget() {
    const BUDGET: u64 = 100_000;
    let Some(postgres) = Postgres::any() else { return };
    let url = postgres.database();
    let provider = gsar_chat_wire::Server::start().await.unwrap();
    provider.always(ScriptedReply::answer(chat_models::HONEST));
    let mut servers = Vec::new();
    for _ in 0..SERVERS {
        let models = Models::new().with("openai:m", &provider, |model| {
            (model.input_price, model.output_price) = (Some(1_000_000), Some(10_000_000));
            model.max_output_tokens = 1_000;
        });
        let started = models.start(|config| {
            config.storage.url = Some(url.parse().unwrap());
            config.judges.daily_budget = Some(BUDGET);
        });
        servers.push(started.await);
    }
    let calls: Vec<_> = (0..64)
        .map(|caller| {
            let channel = servers[caller % SERVERS].channel.clone();
            tokio::spawn(async move {
                let mut cost = 0;
                loop {
                    let answer =
                        chat_models::evaluate(&channel, chat_models::request_for("openai:m"))
                            .await
                            .unwrap();
                    let links = &answer.provenance.as_ref().unwrap().judges;
                    cost += links
                        .iter()
                        .flat_map(|link| &link.calls)
                        .map(|call| call.cost_micros())
                        .sum::<u64>();
                    match chat_models::codes(&answer)[..] {
                        ["BUDGET_SPENT"] => return cost,
                        [""] => {}
                        ref other => panic!("{other:?}"),
                    }
                }
            })
        })
        .collect();
    let mut cost = 0;
    for call in calls {
        cost += call.await.unwrap();
    }
    while postgres.query(&url, "SELECT count(*) FROM reservations") != "0" {
        tokio::task::yield_now().await;
    }
    assert_eq!(postgres.query(&url, "SELECT sum(micros) FROM spending"), cost.to_string());
    assert!((BUDGET / 2..=BUDGET).contains(&cost), "{cost}");
    println!(
        "{cost} of {BUDGET} millionths of a dollar spent in {} calls",
        provider.counts().requests
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn recovers_from_a_killed_database() {
    let Some(postgres) = Postgres::any() else { return };
    let postgres = Arc::new(postgres);
    let url = postgres.database();
    let change = |config: &mut Config| {
        config.storage.url = Some(url.parse().unwrap());
        config.admin = Some("127.0.0.1:0".parse().unwrap());
    };
    let server = TestServer::with(change).await;
    let channels = Arc::new(vec![server.channel.clone()]);
    let (is_finished, answer_count) =
        (Arc::new(AtomicBool::new(false)), Arc::new(watch::Sender::new(0)));
    let callers = start_callers(8, &channels, &is_finished, &answer_count);
    let mut recoveries = Vec::new();
    for _ in 0..rounds(3, 20) {
        await_answers(&answer_count, 20).await;
        let database = Arc::clone(&postgres);
        tokio::task::spawn_blocking(move || database.kill()).await.unwrap();
        let error = loop {
            if let Err(error) = evaluate(&server.channel, "while it is down").await {
                break error;
            }
        };
        assert_eq!(error.code(), Code::Unavailable, "{error}");
        assert!(error.message().contains("database"), "{error}");
        assert!(readiness(server.admin.unwrap()).await.contains("the ledger rejects records"));
        let database = Arc::clone(&postgres);
        tokio::task::spawn_blocking(move || database.start_and_wait()).await.unwrap();
        let restarted_at = Instant::now();
        await_answers(&answer_count, 1).await;
        recoveries.push(restarted_at.elapsed());
        while readiness(server.admin.unwrap()).await != "ready" {}
    }
    is_finished.store(true, Ordering::SeqCst);
    let mut keys = 0;
    for caller in callers {
        for (key, ids) in caller.await.unwrap() {
            assert_eq!(ids[0], ids[1], "{key} was evaluated twice");
            let sql =
                format!("SELECT evaluation_id FROM evaluation_ids WHERE idempotency_key = '{key}'");
            if keys % 50 == 0 {
                assert_eq!(postgres.query(&url, &sql), ids[0], "{key}");
            }
            keys += 1;
        }
    }
    let count_recorded =
        "SELECT count(*) FROM evaluation_ids WHERE idempotency_key <> 'while it is down'";
    assert_eq!(postgres.query(&url, count_recorded), keys.to_string());
    recoveries.sort();
    println!(
        "{keys} evaluations, {} kills; the first answer came at most {:?} after the database was up",
        recoveries.len(),
        recoveries.last().unwrap()
    );
}

#[test]
fn database_connections_use_verified_tls() {
    // The PostgreSQL 16 wheel is built without TLS.
    let Some(postgres) = Postgres::start(Kind::System) else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = postgres.database();
    postgres
        .query(&url, "CREATE ROLE ada LOGIN PASSWORD 'geheim'; GRANT ALL ON SCHEMA public TO ada");
    let (authority, other_authority) = (Authority::new("authority"), Authority::new("other"));
    let signed = authority.sign();
    let port = postgres.serve_tls(&signed.certificate, &signed.key);
    std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
    std::fs::write(folder.path().join("other.pem"), other_authority.pem()).unwrap();
    std::fs::write(folder.path().join("password"), "geheim\n").unwrap();
    std::fs::write(folder.path().join("wrong"), "falsch").unwrap();
    let database = url.split_once("postgres:///").unwrap().1.split_once('?').unwrap().0;
    let file = |name: &str| folder.path().join(name).display().to_string();
    let check = |host: &str, mode: &str, ca: &str, password: &str| {
        let url = format!("postgres://ada@{host}:{port}/{database}{mode}");
        let ca = if ca.is_empty() { String::new() } else { format!("ca = \"{}\"\n", file(ca)) };
        let toml = format!("{}{ca}password_file = \"{}\"\n", configuration(&url), file(password));
        let (is_valid, text) = run_binary(folder.path(), &toml, &["--check"]);
        assert!(!text.contains("geheim") && !text.contains("falsch"), "{text}");
        (is_valid, text)
    };
    for host in ["localhost", "127.0.0.1"] {
        let (is_valid, text) = check(host, "?sslmode=require", "ca.pem", "password");
        assert!(is_valid, "{text}");
    }
    for (mode, ca, password, reason) in [
        ("?sslmode=require", "other.pem", "password", "invalid peer certificate"),
        ("?sslmode=require", "", "password", "invalid peer certificate"),
        ("?sslmode=require", "ca.pem", "wrong", "password authentication failed"),
        ("?sslmode=disable", "", "password", "no pg_hba.conf entry"),
    ] {
        let (is_valid, text) = check("localhost", mode, ca, password);
        assert!(!is_valid && text.contains(reason), "{mode} {ca} {password}: {text}");
    }
    let (_, text) = check("localhost", "?sslmode=require", "other.pem", "password");
    assert!(text.contains("storage.ca"), "{text}");
}

fn run_binary(folder: &Path, toml: &str, arguments: &[&str]) -> (bool, String) {
    let config = folder.join("once.toml");
    std::fs::write(&config, toml).unwrap();
    let config = config.to_str().unwrap();
    let data = folder.join("data");
    let common_arguments = ["--config", config, "--data-dir", data.to_str().unwrap()];
    let (status, text) = run(&[arguments, &common_arguments[..]].concat(), &[]);
    (status == Some(0), text)
}

#[test]
fn database_errors_omit_the_password() {
    let Some(postgres) = Postgres::any() else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = postgres.database();
    let without_migration = format!("{}migrate = false\n", configuration(&url));
    let (is_valid, text) = run_binary(folder.path(), &without_migration, &["--check"]);
    assert!(!is_valid && text.contains("run gsar-server migrate"), "{text}");
    let (is_valid, text) = run_binary(folder.path(), &without_migration, &[]);
    assert!(!is_valid && text.contains("has no tables yet"), "{text}");
    let (is_valid, text) = run_binary(folder.path(), &without_migration, &["migrate"]);
    assert!(is_valid && text.contains("the schema of this version"), "{text}");
    let (is_valid, text) = run_binary(folder.path(), &without_migration, &["--check"]);
    assert!(is_valid && text.contains("no problems"), "{text}");

    let unreachable = configuration("postgres://ada:geheim@127.0.0.1:9/gsar");
    for arguments in [&["--check"][..], &[], &["migrate"], &["--print-config"]] {
        let (is_valid, text) = run_binary(folder.path(), &unreachable, arguments);
        assert_eq!(is_valid, arguments == ["--print-config"], "{text}");
        assert!(text.contains("postgres://ada:***@127.0.0.1:9/gsar"), "{arguments:?}: {text}");
        assert!(!text.contains("geheim"), "{arguments:?}: {text}");
    }
    let (is_valid, text) = run_binary(folder.path(), &unreachable, &[]);
    assert!(!is_valid && text.contains("Connection refused"), "{text}");
}

async fn readiness(admin: std::net::SocketAddr) -> String {
    http::get(admin, "/readyz").await.1.trim().to_owned()
}
