//! `gsar open`: the console in the person's browser. It makes no call: whether anything answers at the address is all it asks.

use std::fmt::Write as _;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use http::Uri;

use super::print;
use crate::arguments::Open;
use crate::failure::Failure;
use crate::status::Status;

/// How long the address may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// A program that still runs by then is the browser.
const UNTIL_OPEN: Duration = Duration::from_secs(3);
/// What opens an address with the program that the person chose for it.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

pub(super) fn run(arguments: &Open) -> Result<Status, Failure> {
    let console = console(&arguments.console)?;
    let address = page(&console, arguments.id.as_deref());
    if !arguments.print {
        check_served(&console)?;
    }
    print(&format!("{address}\n"))?;
    if arguments.print || is_opened(&address) {
        return Ok(Status::Proceed);
    }
    Err(Failure::Usage(format!(
        "{OPENER} opens no browser here\n  open the address above yourself, or print it alone with --print"
    )))
}

/// The address of the console as one of the web, without a `/` at its end; that of a host alone is where a server has it.
fn console(given: &str) -> Result<Uri, Failure> {
    let refused = || {
        Failure::Usage(format!(
            "--console (or GSAR_CONSOLE): {given:?} is no address of a console\n  give one such as http://127.0.0.1:4319/console/"
        ))
    };
    let is_plain = given.bytes().all(|byte| byte.is_ascii_graphic()) && !given.contains(['?', '#']);
    let uri: Uri =
        if is_plain { given.parse().map_err(|_| refused())? } else { return Err(refused()) };
    let host = uri.host().filter(|host| !host.is_empty());
    let (Some(scheme @ ("http" | "https")), Some(_)) = (uri.scheme_str(), host) else {
        return Err(refused());
    };
    let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    // A name and a password would stand in the history of the shell and of the browser.
    if authority.contains('@') {
        return Err(refused());
    }
    let path = match uri.path().trim_end_matches('/') {
        "" => "/console",
        path => path,
    };
    format!("{scheme}://{authority}{path}").parse().map_err(|_| refused())
}

/// The page of an evaluation, or the list of them.
fn page(console: &Uri, id: Option<&str>) -> String {
    let id = id.map(|id| format!("/{}", encoded(id))).unwrap_or_default();
    format!("{console}/#/evaluations{id}")
}

/// An id as it stands in an address (RFC 3986, what is not unreserved as its bytes).
fn encoded(id: &str) -> String {
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

/// Whether anything answers there, so that nobody waits before an empty window.
fn check_served(console: &Uri) -> Result<(), Failure> {
    let host = console.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_tls = console.scheme_str() == Some("https");
    let port = console.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
    let answers = (host, port).to_socket_addrs().is_ok_and(|mut addresses| {
        addresses.any(|address| TcpStream::connect_timeout(&address, PATIENCE).is_ok())
    });
    match answers {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "no console answers at {console}/\n  start gsar-server with gateway.address and gateway.console = true, or name another with --console"
        ))),
    }
}

/// Whether the browser opens; one that goes on is left to itself, apart from what is typed here.
fn is_opened(address: &str) -> bool {
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
    let begin = Instant::now();
    while begin.elapsed() < UNTIL_OPEN {
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

    fn address(given: &str, id: Option<&str>) -> Result<String, String> {
        console(given).map(|console| page(&console, id)).map_err(|refused| refused.to_string())
    }

    #[test]
    fn an_address_is_of_the_web_and_an_id_stays_one() {
        let list = "http://127.0.0.1:4319/console/#/evaluations";
        for given in
            ["http://127.0.0.1:4319", "http://127.0.0.1:4319/", "HTTP://127.0.0.1:4319/console/"]
        {
            assert_eq!(address(given, None).as_deref(), Ok(list), "{given}");
        }
        let hostile = "a/../b?c#d é\n$(x)";
        let wanted = format!("{list}/a%2F..%2Fb%3Fc%23d%20%C3%A9%0A%24%28x%29");
        assert_eq!(address("http://127.0.0.1:4319/console", Some(hostile)), Ok(wanted));
        let proxied = address("https://[::1]/team/gsar/", Some("0197"));
        assert_eq!(proxied.as_deref(), Ok("https://[::1]/team/gsar/#/evaluations/0197"));
        for wrong in [
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
            assert!(address(wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_where_nothing_answers_is_named_with_the_fix() {
        // Bound and closed again, so that nothing listens there.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let silent = console(&format!("http://127.0.0.1:{port}")).unwrap();
        let refused = check_served(&silent).unwrap_err().to_string();
        assert!(
            refused.starts_with(&format!("no console answers at http://127.0.0.1:{port}/console/"))
        );
        assert!(refused.contains("gateway.console = true") && refused.contains("--console"));
    }
}
