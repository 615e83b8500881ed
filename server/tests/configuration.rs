//! Tests that a server with an invalid configuration names every faulty key, binds no address, and exits with status 2.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::process::Process;
use crate::support::tls::Authority;

/// Invalid configurations, each with the expected beginnings of the error lines. `DIR` stands for the test's folder.
const INVALID_CONFIGURATIONS: &[(&str, &[&str])] = &[
    ("colour = 1", &["colour: unknown key"]),
    ("listen = []", &["listen: is empty"]),
    ("listen = [\"grpc://localhost:1\"]", &["listen.0: `grpc://localhost:1` has no IP address"]),
    ("admin = \"here\"", &["admin: `here` has no IP address and port"]),
    (
        "[limits]\nclaims = 0\ntext = true",
        &["limits.text: bool true is not allowed", "limits.claims: 0"],
    ),
    ("[limits]\ndefault_deadline = \"9m\"", &["limits.default_deadline: 9m is above"]),
    ("[log]\nlevel = \"verbose\"", &["log.level: unknown log level `verbose`"]),
    ("[log]\nformat = \"xml\"", &["log.format: `xml` is not allowed"]),
    ("[policies]\ndefault = \"night\"", &["policies.default: unknown policy `night`"]),
    ("[policies]\ndir = \"DIR/none\"", &["policies.dir: DIR/none: "]),
    (
        "[policies]\ndir = \"DIR/policies\"",
        &["policies.dir: DIR/policies/a.toml: ", "policies.dir: DIR/policies/b.toml: "],
    ),
    (
        "[storage]\nurl = \"mysql://h/d\"",
        &["storage.url: is not a PostgreSQL address; use postgres://"],
    ),
    ("[storage]\nurl = \"postgres://ada@/d\"", &["storage.url: has no host"]),
    (
        "[storage]\nurl = \"postgres://ada:x@db/d\"\npassword_file = \"DIR/none\"\nconnections = 0\ntimeout = \"1ms\"",
        &[
            "storage.connections: 0 is out of range",
            "storage.timeout: is below 100ms",
            "storage.password_file: is set in addition to a password",
            "storage: storage.password_file DIR/none: ",
        ],
    ),
    ("[storage]\nca = \"DIR/ca\"", &["storage.ca: has no effect without storage.url"]),
    (
        "[storage]\nurl = \"postgres://ada@db/d\"\nca = \"DIR/policies/a.toml\"",
        &["storage: storage.ca DIR/policies/a.toml: contains no certificate"],
    ),
    (
        "[storage]\nurl = \"postgres:///d?host=/run\"\nca = \"DIR/ca\"\n[ledger]\nmax_size = \"1GiB\"",
        &[
            "storage.ca: has no effect without TLS",
            "ledger.max_size: does not work with a shared database",
        ],
    ),
    ("[judges]\nchain = []", &["judges.chain: is empty"]),
    (
        "[judges]\nchain = [\"rules/9\"]",
        &["judges.chain: unknown judge `rules/9`; expected one of local/1, rules/2"],
    ),
    ("[judges]\nchain = [\"opnai:gpt\"]", &["judges.chain: unknown judge `opnai:gpt`"]),
    (
        "[judges]\nchain = [\"panel:scripted\"]",
        &["judges.chain: judges.panels.scripted does not exist"],
    ),
    (
        "[judges]\nchain = [\"panel:scripted\"]\n[judges.panels.scripted]\nmembers = [{ judge = \"rules/2\", refutes = true }]",
        &[
            "judges.panels.scripted.members: no member acts as a judge",
            "judges.panels.scripted.members: rules/2 cannot refute",
        ],
    ),
    (
        "[judges.panels.scripted]\nmembers = [{ weight = 1 }]",
        &["judges.panels.scripted.members.0.judge: is missing"],
    ),
    (
        "[judges.panels.scripted]\nmembers = [{ judge = \"rules/2\" }]",
        &["judges.panels.scripted: is not in judges.chain"],
    ),
    (
        "[judges.models.\"ollama:m\"]\nsamples = 2",
        &["judges.models.\"ollama:m\": is not in judges.chain"],
    ),
    (
        "[judges]\nchain = [\"openai:m\"]",
        &[
            "judges.models.\"openai:m\".key_env: openai requires an API key: set key_file or OPENAI_API_KEY",
        ],
    ),
    (
        "[judges]\nchain = [\"openai:m\"]\n[judges.models.\"openai:m\"]\nkey_file = \"DIR/none\"",
        &["judges.models.\"openai:m\".key_file: DIR/none: "],
    ),
    (
        "[judges]\nchain = [\"oci:m\"]\n[judges.models.\"oci:m\"]\nkey_file = \"DIR/key\"",
        &["judges.models.\"oci:m\".base_url: "],
    ),
    (
        "[judges]\nchain = [\"ollama:a.b\"]\n[judges.models.\"ollama:a.b\"]\ntimeout = \"3h\"\nattempts = 11\nmax_concurrent = 0\n\
         samples = 0\nmax_output_tokens = 0\nhedge_after = \"4h\"\nmax_evidence = 0\nstructured_output = \"off\"\nbase_url = \"ftp://x\"\n\
         prompt = \"DIR/none\"\nrefute_prompt = \"DIR/key\"\ninput_price = 1",
        &[
            "judges.models.\"ollama:a.b\".timeout: 3h is not allowed; expected 1ms to 1h",
            "judges.models.\"ollama:a.b\".attempts: 11 is not allowed; expected 1 to 10",
            "judges.models.\"ollama:a.b\".max_concurrent: 0 is not allowed; expected 1 to 10000",
            "judges.models.\"ollama:a.b\".samples: 0 is not allowed; expected 1 to 10",
            "judges.models.\"ollama:a.b\".max_output_tokens: 0 is not allowed",
            "judges.models.\"ollama:a.b\".hedge_after: 4h is not allowed; expected 1ms to 3h",
            "judges.models.\"ollama:a.b\".max_evidence: 0 allows nothing",
            "judges.models.\"ollama:a.b\".structured_output: is not supported for ollama",
            "judges.models.\"ollama:a.b\".base_url: the scheme is neither http nor https",
            "judges.models.\"ollama:a.b\".prompt: DIR/none: ",
            "judges.models.\"ollama:a.b\".refute_prompt: DIR/key: ",
            "judges.models.\"ollama:a.b\".output_price: is missing",
        ],
    ),
    (
        "[judges]\nchain = [\"ollama:m\"]\n[judges.models.\"ollama:m\"]\ntimeout = 0",
        &["judges.models.\"ollama:m\".timeout: "],
    ),
    (
        "[judges]\nchain = [\"ollama:m\"]\ndaily_budget = 5",
        &["judges.models.\"ollama:m\".input_price: is missing"],
    ),
    (
        "[judges]\nchain = [\"ollama:m\"]\n[ledger]\nenabled = false",
        &["ledger.enabled: is false, but chat models need"],
    ),
    (
        "[judges.hidden]\nTICKET = \"T-(\"\nlower = \"x\"",
        &["judges.hidden.TICKET: ", "judges.hidden.lower: "],
    ),
    (
        "[ledger]\nmax_size = \"4KiB\"\nmax_age = \"1ms\"",
        &["ledger.max_size: ", "ledger.max_age: "],
    ),
    ("[evidence]\nmodel = \"DIR/key\"", &["evidence.model: DIR/key is not a folder"]),
    ("[evidence]\nonnxruntime = \"DIR/none\"", &["evidence.onnxruntime: DIR/none is not a file"]),
    (
        "[evidence]\nembeddings = \"required\"\nmodel = \"DIR/policies\"",
        &["evidence.embeddings: is required: "],
    ),
    (
        "[evidence]\nembeddings = \"always\"",
        &["evidence.embeddings: `always` is not allowed; use one of auto, required, off"],
    ),
    ("data_dir = \"DIR/key\"", &["data_dir: data directory DIR/key: DIR/key is a file"]),
    ("data_dir = \"DIR/damaged\"", &["data_dir: DIR/damaged/ledger.sqlite3 is damaged"]),
    (
        "listen = [\"grpcs://localhost:1\"]",
        &[
            "listen.0: `grpcs://localhost:1` has no IP address and port; write grpcs://127.0.0.1:4317",
        ],
    ),
    (
        "listen = [\"grpcs://127.0.0.1:1\"]",
        &["tls.certificate: is missing, but grpcs://127.0.0.1:1", "tls.key: is missing"],
    ),
    (
        "[tls]\ncertificate = \"DIR/server.pem\"\nkey = \"DIR/server.key\"",
        &["tls.certificate: DIR/server.pem is set", "tls.key: DIR/server.key is set"],
    ),
    (
        "listen = [\"grpcs://127.0.0.1:1\"]\n[tls]\ncertificate = \"DIR/none\"\nkey = \"DIR/key\"\nclient_ca = \"DIR/key\"",
        &[
            "tls.certificate: DIR/none: No such file",
            "tls.key: DIR/key: contains no private key",
            "tls.client_ca: DIR/key: contains no certificate",
        ],
    ),
    (
        "listen = [\"grpcs://127.0.0.1:1\"]\n[tls]\ncertificate = \"DIR/server.pem\"\nkey = \"DIR/other.key\"",
        &["tls.key: DIR/other.key: is not the key of the first certificate in DIR/server.pem"],
    ),
    (
        "listen = [\"grpcs://127.0.0.1:1\"]\n[tls]\ncertificate = \"DIR/broken.pem\"\nkey = \"DIR/server.pem\"",
        &[
            "tls.certificate: DIR/broken.pem: invalid PEM",
            "tls.key: DIR/server.pem: contains no private key",
        ],
    ),
    (
        "[tls]\ncert = \"x\"",
        &["tls.cert: unknown key; expected one of certificate, key, client_ca"],
    ),
    (
        "data_dir = \"DIR/key\"\n[policies]\ndefault = \"x\"\n[judges]\nchain = [\"x\"]\n[log]\nlevel = \"x\"\n[evidence]\nmodel = \"DIR/none\"",
        &["log.level: ", "policies.default: ", "judges.chain: ", "evidence.model: ", "data_dir: "],
    ),
];

/// Names from the source code that must not appear in error messages.
const INTERNAL_NAMES: &[&str] = &[
    "first_byte_timeout",
    "total_timeout",
    "max_waiting",
    "retry.",
    "untagged",
    "usize",
    "struct ",
];

fn run(folder: &Path, toml: &str, arguments: &[&str]) -> Output {
    let config = folder.join("gsar.toml");
    let dir = folder.display().to_string();
    let toml = toml.replace("DIR", &dir);
    let default_line =
        |key: &str, line: String| if toml.contains(key) { String::new() } else { line };
    let listen = default_line("listen =", format!("listen = [\"unix://{dir}/run/gsar.sock\"]\n"));
    let data = default_line("data_dir =", format!("data_dir = \"{dir}/data\"\n"));
    std::fs::write(&config, format!("{listen}{data}{toml}\n")).unwrap();
    Command::new(env!("CARGO_BIN_EXE_gsar-server"))
        .env_clear()
        .arg("--config")
        .arg(&config)
        .args(arguments)
        .output()
        .unwrap()
}

fn prepare_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("key"), "secret").unwrap();
    std::fs::create_dir(path("policies")).unwrap();
    std::fs::write(path("policies/a.toml"), "name = \"a\"\ntau_proceed = 7").unwrap();
    std::fs::write(path("policies/b.toml"), "name = ").unwrap();
    let authority = Authority::new("the authority");
    authority.sign().write(folder.path(), "server");
    authority.sign().write(folder.path(), "other");
    std::fs::write(path("broken.pem"), "-----BEGIN CERTIFICATE-----\nMII").unwrap();
    std::fs::create_dir(path("damaged")).unwrap();
    std::fs::write(path("damaged/ledger.sqlite3"), "no database".repeat(100)).unwrap();
    folder
}

#[test]
fn server_names_every_invalid_key_and_exits_with_status_2() {
    let folder = prepare_folder();
    let dir = folder.path().display().to_string();
    for (toml, expected) in INVALID_CONFIGURATIONS {
        for arguments in [&[][..], &["--check"]] {
            let output = run(folder.path(), toml, arguments);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{toml}\n{stderr}");
            let lines: Vec<&str> = stderr.lines().collect();
            for start in *expected {
                let start = format!("  {}", start.replace("DIR", &dir));
                let found = lines.iter().any(|line| line.starts_with(&start));
                assert!(found, "no line begins with `{start}` for\n{toml}\nin\n{stderr}");
            }
            let problems =
                lines.iter().filter(|line| line.starts_with("  ") && line.contains(": "));
            let header = format!("error: configuration: {} problem", expected.len());
            assert!(
                lines.iter().any(|line| line.starts_with(&header)),
                "no line begins with `{header}` for\n{toml}\nin\n{stderr}"
            );
            assert!(problems.count() >= expected.len(), "{stderr}");
            for internal in INTERNAL_NAMES {
                assert!(!stderr.contains(internal), "`{internal}` is in\n{stderr}");
            }
            assert!(!stderr.contains("listening") && !stderr.contains("secret"), "{stderr}");
            assert!(!folder.path().join("run").exists(), "an address was bound: {toml}");
            assert!(!folder.path().join("data").exists(), "a directory was created: {toml}");
        }
    }
}

#[test]
fn configuration_can_be_checked_while_a_server_is_running() {
    let folder = tempfile::tempdir().unwrap();
    let server = Process::start(folder.path());
    let dir = folder.path().display();
    let same_config = format!(
        "listen = [\"unix://{dir}/gsar.sock\"]\ndata_dir = \"{dir}/data\"\n[judges]\nchain = [\"rules/2\"]"
    );
    let output = run(folder.path(), &same_config, &["--check"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "configuration: no problems\n");
    assert!(stderr.is_empty(), "{stderr}");
    assert!(folder.path().join("gsar.sock").exists(), "the running server was affected");
    drop(server);
}

#[test]
fn kubernetes_service_variables_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gsar-server"))
        .env_clear()
        .env("GSAR_DATA_DIR", folder.path().join("data"))
        .env("GSAR_SERVICE_HOST", "10.96.0.7")
        .env("GSAR_SERVICE_PORT", "50051")
        .env("GSAR_SERVICE_PORT_GRPC", "50051")
        .env("GSAR_PORT", "tcp://10.96.0.7:50051")
        .env("GSAR_PORT_50051_TCP", "tcp://10.96.0.7:50051")
        .env("GSAR_PORT_50051_TCP_PROTO", "tcp")
        .env("GSAR_PORT_50051_TCP_PORT", "50051")
        .env("GSAR_PORT_50051_TCP_ADDR", "10.96.0.7")
        .arg("--check")
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let lines: Vec<&str> = stderr.lines().filter(|line| line.contains("Kubernetes")).collect();
    assert_eq!(lines.len(), 1, "{stderr}");
    assert!(
        lines[0].contains("GSAR_PORT_50051_TCP_ADDR") && lines[0].contains("ignoring"),
        "{stderr}"
    );
}
