//! Runs declared checks as child processes, with a timeout and bounded output.

use std::io::{self, PipeReader, Read};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gsar_core::check::{CheckDeclaration, CheckRun};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;

/// The maximum size of the recorded output in bytes. The middle of a longer output is omitted.
const MAX_OUTPUT: usize = 256 << 10;
/// The time to wait for the end of the output after the check exits, since a descendant can keep the pipe open.
const PIPE_GRACE: Duration = Duration::from_secs(1);

/// Runs checks in a directory, optionally in a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckRunner {
    /// The working directory, which defaults to the current one.
    pub directory: Option<PathBuf>,
    /// The sandbox command and its arguments; the check's command is appended to them. Empty means no sandbox.
    pub sandbox: Vec<String>,
}

impl CheckRunner {
    /// Runs a check until it exits or times out, then kills its process group. Fails if the check cannot be started.
    pub async fn run(&self, declaration: &CheckDeclaration) -> io::Result<CheckRun> {
        let mut words = self.sandbox.iter().chain(declaration.command());
        let program = words.next().map(String::as_str).unwrap_or_default();
        let (reader, writer) = io::pipe()?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        command.process_group(0).kill_on_drop(true);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        // Closes our copies of the write end, which would keep the pipe open.
        drop(command);
        let output = Arc::new(Mutex::new(Output::default()));
        let shared_output = Arc::clone(&output);
        let reader_task = tokio::task::spawn_blocking(move || read_output(reader, &shared_output));

        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let timeout = Duration::from_secs(declaration.timeout_seconds().into());
        let wait_result = tokio::time::timeout(timeout, child.wait()).await;
        if let Some(group) = group {
            // Fails if the group no longer exists.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let exit_status = match wait_result {
            Ok(status) => status?.code(),
            Err(_) => {
                child.wait().await?;
                None
            }
        };
        let _ = tokio::time::timeout(PIPE_GRACE, reader_task).await;
        let output = output.lock().unwrap_or_else(PoisonError::into_inner).text();
        Ok(CheckRun { declaration: declaration.clone(), exit_status, output })
    }
}

/// The first and the last bytes of an output.
#[derive(Debug, Default)]
struct Output {
    head: Vec<u8>,
    tail: Vec<u8>,
    omitted: usize,
}

impl Output {
    const HALF: usize = MAX_OUTPUT / 2;

    fn append(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(Self::HALF - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        // Removing the excess in large batches avoids moving the tail for each chunk.
        if self.tail.len() > 2 * Self::HALF {
            let excess = self.tail.len() - Self::HALF;
            self.tail.drain(..excess);
            self.omitted += excess;
        }
    }

    fn text(&self) -> String {
        let excess = self.tail.len().saturating_sub(Self::HALF);
        let tail = self.tail.get(excess..).unwrap_or_default();
        let omitted = self.omitted + excess;
        if omitted == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(tail));
        format!("{head}\n[{omitted} bytes omitted]\n{tail}")
    }
}

fn read_output(mut reader: PipeReader, output: &Mutex<Output>) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
                output.append(buffer.get(..count).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::check::PassCondition;
    use gsar_core::evidence::VerificationResult;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, pidfd_open};

    fn shell(script: &str, timeout_seconds: u32) -> CheckDeclaration {
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        let pass = PassCondition { contains: "ok".to_owned(), ..PassCondition::default() };
        CheckDeclaration::new("probe".to_owned(), command, timeout_seconds, pass).unwrap()
    }

    async fn run(script: &str) -> CheckRun {
        CheckRunner::default().run(&shell(script, 60)).await.unwrap()
    }

    /// Returns `true` if the process exits within a minute, even if it is not reaped.
    fn exits_within_a_minute(pid: Pid) -> bool {
        // Fails if the process is already reaped.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
        let minute = Timespec { tv_sec: 60, tv_nsec: 0 };
        poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&minute)).unwrap() == 1
    }

    #[tokio::test]
    async fn records_exit_status_and_both_streams() {
        let passed = run("echo ok; echo aside >&2").await;
        assert_eq!((passed.exit_status, passed.output.as_str()), (Some(0), "ok\naside\n"));
        assert_eq!(passed.result(), VerificationResult::Passed);
        let failed = run("echo ok; exit 3").await;
        assert_eq!((failed.exit_status, failed.result()), (Some(3), VerificationResult::Failed));
        let killed = run("echo ok; kill -9 $$").await;
        assert_eq!((killed.exit_status, killed.result()), (None, VerificationResult::Failed));
    }

    #[tokio::test]
    async fn timeout_kills_descendants() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let runner =
            CheckRunner { directory: Some(folder.path().to_owned()), ..CheckRunner::default() };
        let endless = shell("echo ok; sleep 600 & echo $! > pid; wait", 1);
        let killed = runner.run(&endless).await.unwrap();
        assert_eq!((killed.exit_status, killed.output.as_str()), (None, "ok\n"));
        let pid: i32 = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        assert!(exits_within_a_minute(Pid::from_raw(pid).unwrap()));
    }

    #[tokio::test]
    async fn background_process_does_not_delay_the_result() {
        let check_run = run("sleep 600 & echo ok").await;
        assert_eq!((check_run.exit_status, check_run.output.as_str()), (Some(0), "ok\n"));
    }

    #[tokio::test]
    async fn sandbox_precedes_the_command() {
        let runner = CheckRunner {
            sandbox: ["env", "WHERE=inside"].map(str::to_owned).to_vec(),
            ..CheckRunner::default()
        };
        let check_run = runner.run(&shell("echo ok $WHERE", 60)).await.unwrap();
        assert_eq!(check_run.output, "ok inside\n");
        let runner = CheckRunner { sandbox: vec!["/nowhere/sandbox".to_owned()], ..runner };
        assert_eq!(runner.run(&shell("", 60)).await.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn long_output_is_truncated_in_the_middle() {
        let check_run = run("echo first; yes word | head -c 3000000; echo last ok").await;
        assert!(check_run.output.len() < MAX_OUTPUT + 100, "{}", check_run.output.len());
        assert!(
            check_run.output.starts_with("first\nword\n")
                && check_run.output.ends_with("last ok\n")
        );
        let written_bytes = "first\n".len() + 3_000_000 + "last ok\n".len();
        assert!(
            check_run
                .output
                .contains(&format!("\n[{} bytes omitted]\n", written_bytes - MAX_OUTPUT))
        );
    }
}
