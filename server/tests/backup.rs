//! Tests `gsar-server backup`, both while the server is running and after it was killed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::support::corpora::{put, search};
use crate::support::process::Process;
use crate::support::small_disk::SmallDisk;
use crate::support::{connect, item, request};
use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use tempfile::TempDir;
use tonic::transport::Channel;

const CONFIG: &str = "[judges]\nchain = [\"rules/2\"]\n[evidence]\nembeddings = \"off\"\n";

fn backup_command(data_dir: &Path, to: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsar-server"));
    command.env_clear().arg("backup").arg("--data-dir").arg(data_dir).arg("--to").arg(to);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn back_up(data_dir: &Path, to: &Path) -> Output {
    backup_command(data_dir, to).output().unwrap()
}

fn output_text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat()
}

async fn channel(folder: &Path) -> Channel {
    connect(&folder.join("gsar.sock")).await
}

fn request_with_key(key: usize) -> v1::EvaluateRequest {
    let mut request = request();
    request.idempotency_key = format!("key-{key}");
    request.evidence.push(item("more", &format!("order {key} was paid").repeat(40)));
    request
}

async fn evaluate(channel: Channel, request: v1::EvaluateRequest) -> v1::EvaluateResponse {
    GroundingServiceClient::new(channel).evaluate(request).await.unwrap().into_inner()
}

async fn read_evaluation(channel: &Channel, evaluation_id: &str) -> v1::GetEvaluationResponse {
    let query = v1::GetEvaluationRequest { evaluation_id: evaluation_id.to_owned(), redact: false };
    LedgerServiceClient::new(channel.clone()).get_evaluation(query).await.unwrap().into_inner()
}

async fn put_evidence(channel: &Channel, corpus: &str, text: &str) {
    let mut evidence = EvidenceServiceClient::new(channel.clone());
    evidence.put_evidence(put(corpus, [item("app-log", text)])).await.unwrap();
}

async fn search_texts(channel: &Channel, corpus: &str, query: &str) -> Vec<String> {
    let search = search(corpus, query);
    let results = EvidenceServiceClient::new(channel.clone()).search(search).await.unwrap();
    results.into_inner().hits.into_iter().map(|hit| hit.text).collect()
}

async fn create_data_of_killed_server() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::with_config(folder.path(), CONFIG);
    let channel = channel(folder.path()).await;
    evaluate(channel.clone(), request_with_key(0)).await;
    put_evidence(&channel, "inc-7", "pod checkout-1 was OOMKilled").await;
    drop(process);
    let data = folder.path().join("data");
    (folder, data)
}

fn copy_folder(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap().success());
}

struct Load {
    recorded: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    callers: Vec<tokio::task::JoinHandle<()>>,
}

impl Load {
    fn start(channel: &Channel, first_key: usize) -> Self {
        let next = Arc::new(AtomicUsize::new(first_key));
        let (recorded, stop) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let caller = |_| {
            let (channel, next) = (channel.clone(), Arc::clone(&next));
            let (recorded, stop) = (Arc::clone(&recorded), Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    let key = next.fetch_add(1, Ordering::SeqCst);
                    evaluate(channel.clone(), request_with_key(key)).await;
                    recorded.fetch_add(1, Ordering::SeqCst);
                }
            })
        };
        let callers = (0..4).map(caller).collect();
        Self { recorded, stop, callers }
    }

    fn recorded(&self) -> usize {
        self.recorded.load(Ordering::SeqCst)
    }

    async fn stop(self) {
        self.stop.store(true, Ordering::SeqCst);
        for caller in self.callers {
            caller.await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_under_load_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::with_config(folder.path(), CONFIG);
    let channel = channel(folder.path()).await;
    put_evidence(&channel, "inc-7", "pod checkout-1 was OOMKilled").await;
    let mut earlier_answers = Vec::new();
    for key in 0..20 {
        earlier_answers.push(evaluate(channel.clone(), request_with_key(key)).await);
    }
    let load = Load::start(&channel, earlier_answers.len());
    let mut attempt = 0;
    let backup = loop {
        attempt += 1;
        let (data, to) = (folder.path().join("data"), folder.path().join(format!("b{attempt}")));
        let recorded = load.recorded();
        let output = tokio::task::spawn_blocking({
            let to = to.clone();
            move || back_up(&data, &to)
        });
        let output = output.await.unwrap();
        assert!(output.status.success(), "{}", output_text(&output));
        // Repeat the backup until enough evaluations were recorded while it ran.
        if load.recorded() > recorded + 4 || attempt == 20 {
            assert!(load.recorded() > recorded, "nothing was recorded during the backup");
            break to;
        }
    };
    load.stop().await;
    let mut records = Vec::new();
    for answer in &earlier_answers {
        records.push(read_evaluation(&channel, &answer.evaluation_id).await);
    }
    drop(process);

    let output = Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&backup)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", output_text(&output));

    let restored = tempfile::tempdir().unwrap();
    copy_folder(&backup, &restored.path().join("data"));
    let _process = Process::with_config(restored.path(), CONFIG);
    let channel = self::channel(restored.path()).await;
    for (key, (answer, record)) in earlier_answers.iter().zip(records).enumerate() {
        assert_eq!(read_evaluation(&channel, &answer.evaluation_id).await, record);
        let repeated = evaluate(channel.clone(), request_with_key(key)).await;
        assert_eq!(repeated.evaluation_id, answer.evaluation_id, "key-{key}");
    }
    let hits = search_texts(&channel, "inc-7", "OOMKilled").await;
    assert_eq!(hits, ["pod checkout-1 was OOMKilled"]);
    evaluate(channel, request_with_key(1_000_000)).await;
}

#[tokio::test]
async fn backup_rejects_unusable_targets_and_empty_data_folders() {
    let (folder, data) = create_data_of_killed_server().await;
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    std::fs::create_dir(folder.path().join("other.partial")).unwrap();
    let empty = tempfile::tempdir().unwrap();
    for (data_dir, to, reason) in [
        (&data, folder.path().to_owned(), "already exists"),
        (&data, file.clone(), "already exists"),
        (&data, folder.path().join("not-mounted/backup"), "is not a folder; create it, or mount"),
        (&data, file.join("backup"), "is not a folder"),
        (&data, data.join("evidence/backup"), "is inside data_dir"),
        (&data, folder.path().join("other"), "other.partial is needed"),
        (&empty.path().to_owned(), folder.path().join("new"), "contains no database"),
    ] {
        let output = back_up(data_dir, &to);
        let output_text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{output_text}");
        let field = if data_dir == &data { "--to " } else { "data_dir " };
        assert!(
            output_text.contains(&format!("error: {field}")) && output_text.contains(reason),
            "{output_text}"
        );
        let existed = to == file || to == folder.path();
        assert_eq!(to.exists(), existed, "{}", to.display());
    }
    assert!(!folder.path().join("new.partial").exists());
}

#[tokio::test]
async fn failed_backup_leaves_no_files_on_a_full_disk() {
    let (folder, data) = create_data_of_killed_server().await;
    let mounted = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(mounted.path()) else { return };
    let filler = disk.0.join("filler");
    std::fs::write(&filler, vec![0; (4 << 20) - (64 << 10)]).unwrap();
    let to = disk.0.join("backup");
    let output = back_up(&data, &to);
    let message = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("--to ") && message.contains("full"), "{message}");
    assert!(message.contains("free space there"), "{message}");
    let remaining_files: Vec<_> =
        disk.0.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(remaining_files, [filler.as_path()]);
    std::fs::remove_file(filler).unwrap();
    assert!(back_up(&data, &to).status.success());
    drop(folder);
}

/// Locks a database exclusively, so that all readers have to wait.
fn lock_exclusively(database: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE").unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    connection
}

fn wait_for_file(file: &Path, backup: &mut Child) {
    while !file.is_file() {
        assert!(backup.try_wait().unwrap().is_none(), "the backup exited before it was killed");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn backup_removes_the_partial_files_of_a_killed_backup() {
    let (folder, data) = create_data_of_killed_server().await;
    let corpus = data.join("evidence/inc-7/corpus.sqlite3");
    let locked_corpus = lock_exclusively(&corpus);
    let (to, partial) = (folder.path().join("backup"), folder.path().join("backup.partial"));
    let mut killed = backup_command(&data, &to).spawn().unwrap();
    wait_for_file(&partial.join("ledger.sqlite3"), &mut killed);
    let concurrent = back_up(&data, &to);
    assert!(
        output_text(&concurrent)
            .contains(&format!("process {} already backs up to it", killed.id()))
    );
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(partial.exists() && !to.exists());

    drop(locked_corpus);
    std::fs::write(partial.join("stray"), "x").unwrap();
    let output = back_up(&data, &to);
    assert!(output.status.success(), "{}", output_text(&output));
    assert!(!partial.exists());
    let mut names: Vec<_> = to
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["SHA256SUMS", "evidence", "ledger.sqlite3"]);
}

#[tokio::test]
async fn backup_skips_damaged_corpora_but_fails_if_the_ledger_is_damaged() {
    let (folder, data) = create_data_of_killed_server().await;
    let damage = |name: &str| {
        std::fs::write(data.join(name), "no database ".repeat(99)).unwrap();
        // The write-ahead log that the killed server left behind contains a copy of every page.
        std::fs::remove_file(data.join(format!("{name}-wal"))).unwrap();
    };
    damage("evidence/inc-7/corpus.sqlite3");
    let to = folder.path().join("backup");
    let output = back_up(&data, &to);
    assert_eq!(output.status.code(), Some(1));
    let text = output_text(&output);
    assert!(text.contains("left out: evidence/inc-7/corpus.sqlite3 is damaged"), "{text}");
    assert!(to.join("ledger.sqlite3").is_file() && !to.join("evidence").exists());

    damage("ledger.sqlite3");
    let second_target = folder.path().join("again");
    let output = back_up(&data, &second_target);
    assert_eq!(output.status.code(), Some(1));
    let text = output_text(&output);
    assert!(text.contains("ledger.sqlite3 is damaged") && text.contains("nothing was"), "{text}");
    assert!(!second_target.exists() && !folder.path().join("again.partial").exists());
}

#[tokio::test]
async fn backup_refers_to_pg_dump_if_the_storage_is_postgresql() {
    let (folder, data) = create_data_of_killed_server().await;
    let to = folder.path().join("backup");
    let url = "postgres://gsar:secret@db.example/gsar?sslmode=require";
    let output = backup_command(&data, &to).env("GSAR_STORAGE__URL", url).output().unwrap();
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("pg_dump") && text.contains("postgres://gsar:***@db.example"), "{text}");
    assert!(!text.contains("secret") && !to.exists(), "{text}");
}

#[tokio::test]
async fn backup_marks_corpora_to_be_embedded_again() {
    let (folder, data) = create_data_of_killed_server().await;
    let corpus = "evidence/inc-7/corpus.sqlite3";
    let original = rusqlite::Connection::open(data.join(corpus)).unwrap();
    original.execute("UPDATE corpus SET embedded_by = 'model'", []).unwrap();
    let to = folder.path().join("backup");
    assert!(back_up(&data, &to).status.success());
    let copy = rusqlite::Connection::open(to.join(corpus)).unwrap();
    let sql = "SELECT embedded_by IS NULL FROM corpus";
    let is_marked: bool = copy.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(is_marked);
}
