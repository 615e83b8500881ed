//! The table `[tls]`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Problems;
use super::values::Listen;

/// The TLS files for `grpcs://` listeners. They are reloaded on SIGHUP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// A PEM file with the server's certificate, followed by its intermediate certificates.
    pub certificate: Option<PathBuf>,
    /// A PEM file with the certificate's private key.
    pub key: Option<PathBuf>,
    /// A PEM file with certificate authorities. If given, clients need a certificate that one of them
    /// signed.
    pub client_ca: Option<PathBuf>,
}

impl Tls {
    pub(crate) fn check(&self, listen: &[Listen], problems: &mut Problems) {
        if problems.has_errors_at(&["tls"]) {
            return;
        }
        let tls_listener = listen.iter().find(|listen| matches!(listen, Listen::Tls(_)));
        let files = [
            ("certificate", &self.certificate, "the server's certificate"),
            ("key", &self.key, "the private key of the certificate"),
            ("client_ca", &self.client_ca, ""),
        ];
        for (key, file, content) in files {
            match (tls_listener, file) {
                (Some(listen), None) if key != "client_ca" => {
                    let description = format!(
                        "is missing, but {listen} in listen requires it; name the PEM file that contains {content}"
                    );
                    problems.add(&["tls", key], description);
                }
                (None, Some(file)) if !problems.has_errors_at(&["listen"]) => {
                    let description = format!(
                        "{} is set, but no address in listen begins with grpcs://; add one such as \
                         grpcs://0.0.0.0:4317, or remove it",
                        file.display()
                    );
                    problems.add(&["tls", key], description);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_of(listen: &str, tls: &Tls) -> String {
        let mut problems = Problems::default();
        tls.check(&[listen.parse().unwrap()], &mut problems);
        problems.to_string()
    }

    #[test]
    fn reports_missing_and_unused_files() {
        let file = |name: &str| Some(PathBuf::from(name));
        let complete_tls = Tls { certificate: file("c"), key: file("k"), client_ca: None };
        assert!(problems_of("grpcs://127.0.0.1:1", &complete_tls).contains("0 problems"));
        let problems = problems_of("grpcs://127.0.0.1:1", &Tls::default());
        for words in
            ["2 problems", "tls.certificate: is missing, but grpcs://127.0.0.1:1", "tls.key: "]
        {
            assert!(problems.contains(words), "expected {words:?} in: {problems}");
        }
        let unused_ca = Tls { client_ca: file("ca"), ..Tls::default() };
        let problems = problems_of("grpc://127.0.0.1:1", &unused_ca);
        assert!(problems.contains("tls.client_ca: ca is set, but no address"), "{problems}");
    }
}
