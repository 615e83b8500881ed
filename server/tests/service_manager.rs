//! Tests socket activation and notifications to the service manager.

use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::process::Process;
use crate::support::{self, health, request};
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use hyper_util::rt::TokioIo;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::health_check_response::ServingStatus;

fn receive(socket: &UnixDatagram) -> Vec<String> {
    let mut buffer = [0; 4096];
    let length = socket.recv(&mut buffer).unwrap();
    String::from_utf8(buffer[..length].to_vec()).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn notifies_of_readiness_reloads_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let manager = UnixDatagram::bind(folder.path().join("notify")).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let socket = folder.path().join("gsar.sock");
    let mut process = Process::spawn(
        Command::new(env!("CARGO_BIN_EXE_gsar-server"))
            .env_clear()
            .env("NOTIFY_SOCKET", folder.path().join("notify"))
            .arg("--listen")
            .arg(format!("unix://{}", socket.display()))
            .arg("--data-dir")
            .arg(folder.path().join("data")),
    );

    assert_eq!(receive(&manager), ["READY=1", "STATUS=serving"]);
    assert_eq!(health(support::connect(&socket).await, "").await, ServingStatus::Serving);

    process.signal(rustix::process::Signal::HUP);
    let reloading = receive(&manager);
    assert_eq!(reloading[0], "RELOADING=1");
    let since = reloading[1].strip_prefix("MONOTONIC_USEC=").unwrap();
    assert!(since.parse::<u64>().unwrap() > 0, "{reloading:?}");
    assert_eq!(receive(&manager), ["READY=1", "STATUS=serving"]);

    process.signal(rustix::process::Signal::TERM);
    assert_eq!(receive(&manager), ["STOPPING=1", "STATUS=draining"]);
    assert!(process.wait().success());
}

/// Returns a command that passes two sockets to the server as file descriptors 3 and 4.
fn pass_descriptors(
    first: impl Into<OwnedFd>,
    second: impl Into<OwnedFd>,
    folder: &Path,
) -> Command {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg("exec 3<&0 4<&1 0</dev/null 1>&2; LISTEN_FDS=2 LISTEN_PID=$$ exec \"$0\" \"$@\"")
        .arg(env!("CARGO_BIN_EXE_gsar-server"))
        .arg("--data-dir")
        .arg(folder.join("data"))
        .stdin(Stdio::from(first.into()))
        .stdout(Stdio::from(second.into()))
        .env_clear();
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn passed_sockets_are_served_and_left_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gsar.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    // A caller that connects early is served once the server is ready.
    let early_call = UnixStream::connect(&path).unwrap();
    let early_call = tokio::spawn(async move {
        GroundingServiceClient::new(connect_over(early_call).await).evaluate(request()).await
    });

    let mut command = pass_descriptors(unix, tcp, folder.path());
    command.arg("--listen").arg(format!("grpc://{address}"));
    command.arg("--listen").arg(format!("unix://{}", path.display()));
    let mut process = Process::spawn(&mut command);
    // The command's copies of the sockets would keep accepting connections.
    drop(command);
    process.log_line("ready");
    early_call.await.unwrap().unwrap();
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let channel = channel.connect().await.unwrap();
    GroundingServiceClient::new(channel).evaluate(request()).await.unwrap();

    process.signal(rustix::process::Signal::TERM);
    assert!(process.wait().success());
    assert!(path.exists(), "the service manager owns the socket file, so it must remain");
}

async fn connect_over(stream: UnixStream) -> Channel {
    stream.set_nonblocking(true).unwrap();
    let mut stream = Some(TokioIo::new(tokio::net::UnixStream::from_std(stream).unwrap()));
    let connector = tower::service_fn(move |_| {
        std::future::ready(
            stream.take().ok_or_else(|| std::io::Error::other("the connection was closed")),
        )
    });
    Endpoint::from_static("http://early").connect_with_connector(connector).await.unwrap()
}

#[test]
fn rejects_an_unused_passed_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gsar.sock");
    let (unix, tcp) =
        (UnixListener::bind(&path).unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = tcp.local_addr().unwrap();
    let mut command = pass_descriptors(unix, tcp, folder.path());
    command.arg("--listen").arg(format!("unix://{}", path.display()));
    let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr
            .contains(&format!("error: LISTEN_FDS: grpc://{address} was passed but is not among")),
        "{stderr}"
    );
}

#[test]
fn rejects_a_passed_descriptor_that_does_not_listen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gsar.sock");
    let unix = UnixListener::bind(path).unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut command = pass_descriptors(unix, udp, folder.path());
    let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("error: LISTEN_FDS: descriptor 3 + 1:"), "{stderr}");
}
