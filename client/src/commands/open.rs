//! `gsar open`: opens the console in a browser.

use std::fmt::Write as _;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use http::Uri;

use super::print;
use crate::arguments::Open;
use crate::exit_status::Status;
use crate::failure::Failure;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// An opener that runs longer than this is the browser itself.
const OPENER_TIMEOUT: Duration = Duration::from_secs(3);
/// The program that opens a URL in the user's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

pub(super) fn run(arguments: &Open) -> Result<Status, Failure> {
    let console = parse_console_url(&arguments.console)?;
    let address = page_url(&console, arguments.id.as_deref());
    if !arguments.print {
        check_reachable(&console)?;
    }
    print(&format!("{address}\n"))?;
    if arguments.print || open_browser(&address) {
        return Ok(Status::Proceed);
    }
    Err(Failure::Usage(format!(
        "{OPENER} failed to open a browser\n  open the URL above yourself, or pass --print"
    )))
}

/// Parses the console's URL. The path defaults to `/console`, and a trailing `/` is removed.
fn parse_console_url(url: &str) -> Result<Uri, Failure> {
    let invalid_url = || {
        Failure::Usage(format!(
            "--console (or GSAR_CONSOLE): invalid URL {url:?}\n  expected a URL such as http://127.0.0.1:4319/console/"
        ))
    };
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic()) && !url.contains(['?', '#']);
    let uri: Uri =
        if is_plain { url.parse().map_err(|_| invalid_url())? } else { return Err(invalid_url()) };
    let host = uri.host().filter(|host| !host.is_empty());
    let (Some(scheme @ ("http" | "https")), Some(_)) = (uri.scheme_str(), host) else {
        return Err(invalid_url());
    };
    let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    // Credentials would be stored in the history of the shell and the browser.
    if authority.contains('@') {
        return Err(invalid_url());
    }
    let path = match uri.path().trim_end_matches('/') {
        "" => "/console",
        path => path,
    };
    format!("{scheme}://{authority}{path}").parse().map_err(|_| invalid_url())
}

/// Returns the URL of an evaluation, or of the list of evaluations.
fn page_url(console: &Uri, id: Option<&str>) -> String {
    let id = id.map(|id| format!("/{}", percent_encode(id))).unwrap_or_default();
    format!("{console}/#/evaluations{id}")
}

fn percent_encode(id: &str) -> String {
    let mut encoded = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => {
                // Writing to a String cannot fail.
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

/// Fails if the console is unreachable.
fn check_reachable(console: &Uri) -> Result<(), Failure> {
    let host = console.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_tls = console.scheme_str() == Some("https");
    let port = console.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
    let is_reachable = (host, port).to_socket_addrs().is_ok_and(|mut addresses| {
        addresses.any(|address| TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_ok())
    });
    match is_reachable {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "no console is responding at {console}/\n  start gsar-server with gateway.address and gateway.console = true, or specify another console with --console"
        ))),
    }
}

/// Starts the opener, detached from the terminal. Returns `false` if it fails.
fn open_browser(address: &str) -> bool {
    let opened = Command::new(OPENER)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    opened.is_ok_and(|mut opener| !has_failed(&mut opener))
}

fn has_failed(opener: &mut Child) -> bool {
    let started_at = Instant::now();
    while started_at.elapsed() < OPENER_TIMEOUT {
        match opener.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Ok(Some(status)) => return !status.success(),
            Err(_) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str, id: Option<&str>) -> Result<String, String> {
        parse_console_url(url)
            .map(|console| page_url(&console, id))
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn accepts_http_urls_and_encodes_ids() {
        let list = "http://127.0.0.1:4319/console/#/evaluations";
        for url in
            ["http://127.0.0.1:4319", "http://127.0.0.1:4319/", "HTTP://127.0.0.1:4319/console/"]
        {
            assert_eq!(address(url, None).as_deref(), Ok(list), "{url}");
        }
        let hostile = "a/../b?c#d é\n$(x)";
        let expected = format!("{list}/a%2F..%2Fb%3Fc%23d%20%C3%A9%0A%24%28x%29");
        assert_eq!(address("http://127.0.0.1:4319/console", Some(hostile)), Ok(expected));
        let proxied = address("https://[::1]/team/gsar/", Some("0197"));
        assert_eq!(proxied.as_deref(), Ok("https://[::1]/team/gsar/#/evaluations/0197"));
        for invalid in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "-x",
            "",
            "127.0.0.1:4319",
            "http://",
            "http://a/?b",
            "http://a/#b",
            "http://a b/",
            "http://a/\u{202e}",
            "http://ada:secret@a/",
        ] {
            assert!(address(invalid, None).is_err(), "{invalid}");
        }
    }

    #[test]
    fn unreachable_console_is_reported_with_a_fix() {
        // The listener is dropped, so nothing listens on the port.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let console = parse_console_url(&format!("http://127.0.0.1:{port}")).unwrap();
        let message = check_reachable(&console).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!(
                "no console is responding at http://127.0.0.1:{port}/console/"
            ))
        );
        assert!(message.contains("gateway.console = true") && message.contains("--console"));
    }
}
