//! Parses check declarations: name, command line and pass condition.

use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

/// A check: its name, command line and pass condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckDeclaration {
    name: String,
    command: Vec<String>,
    timeout_seconds: u32,
    pass: PassCondition,
}

/// The exit status and output required for a run to pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassCondition {
    /// The required exit status.
    pub exit_status: i32,
    /// A text that the output must contain; ignored if empty.
    pub contains: String,
    /// A text that the output must not contain; ignored if empty.
    pub lacks: String,
}

/// An invalid check declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct CheckError {
    /// The field, such as `check[0].command`.
    pub field: String,
    /// The problem and how to fix it.
    pub message: String,
}

impl CheckError {
    fn new(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.to_owned(), message: message.into() }
    }
}

impl CheckDeclaration {
    /// The maximum length of a name, in bytes.
    pub const MAX_NAME: usize = 100;
    /// The maximum length of the command line and of each text in the pass condition, in bytes.
    pub const MAX_TEXT: usize = 4_096;
    /// The maximum timeout: one hour.
    pub const MAX_TIMEOUT_SECONDS: u32 = 3_600;
    /// The default timeout.
    pub const TIMEOUT_SECONDS: u32 = 60;

    /// Creates a check. The field in an error is relative to the check.
    pub fn new(
        name: String,
        command: Vec<String>,
        timeout_seconds: u32,
        pass: PassCondition,
    ) -> Result<Self, CheckError> {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.len() > Self::MAX_NAME || !name.chars().all(is_legal) {
            let max = Self::MAX_NAME;
            let message = format!(
                "invalid name `{name}`; expected 1 to {max} letters, digits, `-`, `_` or `.`"
            );
            return Err(CheckError::new("name", message));
        }
        let length: usize = command.iter().map(|argument| argument.len() + 1).sum();
        let has_program = command.first().is_some_and(|program| !program.is_empty());
        let has_nul = command.iter().any(|argument| argument.contains('\0'));
        if !has_program || has_nul || length > Self::MAX_TEXT {
            let max = Self::MAX_TEXT;
            let message = format!(
                "invalid command line; give the program and its arguments as a list of at most {max} bytes, without NUL"
            );
            return Err(CheckError::new("command", message));
        }
        if !(1..=Self::MAX_TIMEOUT_SECONDS).contains(&timeout_seconds) {
            let max = Self::MAX_TIMEOUT_SECONDS;
            let message = format!("`{timeout_seconds}` is out of range; expected 1 to {max}");
            return Err(CheckError::new("timeout_seconds", message));
        }
        for (field, text) in [("pass.contains", &pass.contains), ("pass.lacks", &pass.lacks)] {
            if text.len() > Self::MAX_TEXT {
                let message = format!("is too long; give at most {} bytes", Self::MAX_TEXT);
                return Err(CheckError::new(field, message));
            }
        }
        Ok(Self { name, command, timeout_seconds, pass })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program and its arguments.
    #[must_use]
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// The timeout in seconds, from 1 to [`Self::MAX_TIMEOUT_SECONDS`].
    #[must_use]
    pub const fn timeout_seconds(&self) -> u32 {
        self.timeout_seconds
    }

    /// The condition under which a run passes.
    #[must_use]
    pub const fn pass(&self) -> &PassCondition {
        &self.pass
    }

    /// The BLAKE3 digest of the declaration, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        blake3::hash(self.document().to_string().as_bytes()).to_hex().to_string()
    }

    pub(super) fn document(&self) -> Value {
        let PassCondition { exit_status, contains, lacks } = &self.pass;
        json!({
            "command": self.command,
            "name": self.name,
            "pass": { "contains": contains, "exit_status": exit_status, "lacks": lacks },
            "timeout_seconds": self.timeout_seconds,
        })
    }

    pub(super) fn from_document(document: &Value) -> Result<Self, CheckError> {
        let text = |pointer: &str| match document.pointer(pointer) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(CheckError::new(&field(pointer), "is not a string; give one in quotes")),
        };
        let integer = |pointer: &str, default: i32| match document.pointer(pointer) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => to_i32(value).ok_or_else(|| {
                let message = "is not a 32-bit integer; give one, such as 0";
                CheckError::new(&field(pointer), message)
            }),
        };
        if document.pointer("/pass").is_some_and(|pass| !pass.is_null() && !pass.is_object()) {
            let message = "is not a table; give one with exit_status, contains and lacks";
            return Err(CheckError::new("pass", message));
        }
        let arguments = document.pointer("/command").and_then(Value::as_array);
        let arguments = arguments.map(Vec::as_slice).unwrap_or_default();
        let command = arguments.iter().map(|argument| argument.as_str().map(str::to_owned));
        let timeout = document.pointer("/timeout_seconds").filter(|value| !value.is_null());
        let timeout = match timeout {
            Some(_) => u32::try_from(integer("/timeout_seconds", 0)?).unwrap_or(0),
            None => Self::TIMEOUT_SECONDS,
        };
        Self::new(
            text("/name")?,
            command.collect::<Option<_>>().unwrap_or_default(),
            timeout,
            PassCondition {
                exit_status: integer("/pass/exit_status", 0)?,
                contains: text("/pass/contains")?,
                lacks: text("/pass/lacks")?,
            },
        )
    }
}

pub(super) fn to_i32(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|number| i32::try_from(number).ok())
}

fn field(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

/// Parses a file of checks. Each `[[check]]` table has a `name`, a `command`, and optionally `timeout_seconds`
/// (default 60), `pass.exit_status` (default 0), `pass.contains` and `pass.lacks`.
///
/// # Errors
/// Returns [`CheckError`] for the first invalid field.
pub fn checks_from_toml(text: &str) -> Result<Vec<CheckDeclaration>, CheckError> {
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
        CheckError::new(&format!("line {line}"), error.message())
    })?;
    let mut checks: Vec<CheckDeclaration> = Vec::new();
    for (key, value) in document.get_ref() {
        let (key, DeValue::Array(tables)) = (key.get_ref(), value.get_ref()) else {
            return Err(unknown_key(key.get_ref()));
        };
        if key != "check" {
            return Err(unknown_key(key));
        }
        for (index, table) in tables.iter().enumerate() {
            let path = format!("check[{index}]");
            let document = check_document(&path, table.get_ref())?;
            let check = CheckDeclaration::from_document(&document).map_err(|error| CheckError {
                field: format!("{path}.{}", error.field),
                ..error
            })?;
            if checks.iter().any(|other| other.name == check.name) {
                let message = format!("duplicate name `{}`; give each check its own", check.name);
                return Err(CheckError::new(&format!("{path}.name"), message));
            }
            checks.push(check);
        }
    }
    if checks.is_empty() {
        return Err(CheckError::new("check", "is missing; declare one in a table [[check]]"));
    }
    Ok(checks)
}

fn unknown_key(key: &str) -> CheckError {
    CheckError::new(
        key,
        "unknown key; expected [[check]] tables with name, command, timeout_seconds and pass",
    )
}

/// Converts a table to JSON. Rejects unknown keys.
fn check_document(path: &str, table: &DeValue<'_>) -> Result<Value, CheckError> {
    const KEYS: [&str; 4] = ["name", "command", "timeout_seconds", "pass"];
    const PASS_KEYS: [&str; 3] = ["exit_status", "contains", "lacks"];
    let document = to_json(table);
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flat_map(|table| table.keys().cloned()).collect()
    };
    let pass = document.pointer("/pass").map(keys).unwrap_or_default();
    let unknown_check_key = keys(&document).into_iter().find(|key| !KEYS.contains(&key.as_str()));
    let unknown_pass_key = pass.into_iter().find(|key| !PASS_KEYS.contains(&key.as_str()));
    match unknown_check_key.or(unknown_pass_key.map(|key| format!("pass.{key}"))) {
        Some(key) => {
            let expected_keys =
                [KEYS.join(", "), PASS_KEYS.map(|key| format!("pass.{key}")).join(", ")];
            let message = format!("unknown key; expected one of {}", expected_keys.join(", "));
            Err(CheckError::new(&format!("{path}.{key}"), message))
        }
        None => Ok(document),
    }
}

fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        // An overflowing integer becomes a string, so that validation rejects it.
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::String(number.as_str().to_owned()), Value::from),
        DeValue::Boolean(switch) => Value::Bool(*switch),
        DeValue::Array(values) => values.iter().map(|value| to_json(value.get_ref())).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), to_json(value.get_ref())))
            .collect(),
        DeValue::Float(_) | DeValue::Datetime(_) => Value::Array(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_file_of_checks() {
        let checks = checks_from_toml(
            "[[check]]\nname = \"cart-serves\"\ncommand = [\"curl\", \"-fsS\", \"http://cart/health\"]\n\
             timeout_seconds = 5\n[check.pass]\ncontains = \"ok\"\n[[check]]\nname = \"true\"\ncommand = [\"true\"]",
        );
        let checks = checks.unwrap();
        let [cart, other] = checks.as_slice() else { panic!("{checks:?}") };
        assert_eq!(
            (cart.name(), cart.command().len(), cart.timeout_seconds()),
            ("cart-serves", 3, 5)
        );
        assert_eq!(cart.pass(), &PassCondition { contains: "ok".to_owned(), ..Default::default() });
        assert_eq!((other.timeout_seconds(), other.pass().exit_status), (60, 0));
        assert_ne!(cart.digest(), other.digest());
        assert_eq!(CheckDeclaration::from_document(&cart.document()).unwrap(), *cart);
    }

    #[test]
    fn every_part_of_a_declaration_changes_its_digest() {
        let digest = |text: &str| checks_from_toml(text).unwrap().remove(0).digest();
        let declared = "[[check]]\nname = \"a\"\ncommand = [\"b\", \"c\"]\n";
        let changed = [
            declared.replace("\"a\"", "\"aa\""),
            declared.replace("\"b\", \"c\"", "\"b c\""),
            format!("{declared}timeout_seconds = 61"),
            format!("{declared}pass = {{ exit_status = 1 }}"),
            format!("{declared}pass = {{ contains = \"x\" }}"),
            format!("{declared}pass = {{ lacks = \"x\" }}"),
        ];
        let digests: Vec<String> = changed.iter().map(|text| digest(text)).collect();
        for (index, changed_digest) in digests.iter().enumerate() {
            assert_ne!(*changed_digest, digest(declared), "{}", changed[index]);
            assert!(!digests[..index].contains(changed_digest));
        }
        assert_eq!(digest(&format!("{declared}timeout_seconds = 60")), digest(declared));
    }

    #[test]
    fn errors_name_the_invalid_field() {
        let declaration = "[[check]]\nname = \"a\"\ncommand = [\"b\"]\n";
        for (text, field) in [
            (String::new(), "check"),
            ("[[check]\n".to_owned(), "line 1"),
            ("checks = 1".to_owned(), "checks"),
            ("[[check]]\ncommand = [\"b\"]".to_owned(), "check[0].name"),
            ("[[check]]\nname = \"a b\"\ncommand = [\"b\"]".to_owned(), "check[0].name"),
            ("[[check]]\nname = \"a\"".to_owned(), "check[0].command"),
            ("[[check]]\nname = \"a\"\ncommand = \"b\"".to_owned(), "check[0].command"),
            ("[[check]]\nname = \"a\"\ncommand = [1]".to_owned(), "check[0].command"),
            ("[[check]]\nname = \"a\"\ncommand = [\"\"]".to_owned(), "check[0].command"),
            (format!("{declaration}timeout = 1"), "check[0].timeout"),
            (format!("{declaration}timeout_seconds = 0"), "check[0].timeout_seconds"),
            (format!("{declaration}timeout_seconds = 0.5"), "check[0].timeout_seconds"),
            (format!("{declaration}timeout_seconds = -1"), "check[0].timeout_seconds"),
            (
                format!("{declaration}timeout_seconds = 99999999999999999999"),
                "check[0].timeout_seconds",
            ),
            (format!("{declaration}pass = \"PASS\""), "check[0].pass"),
            (
                format!("{declaration}pass = {{ exit_status = 4294967296 }}"),
                "check[0].pass.exit_status",
            ),
            (format!("{declaration}pass = {{ status = 1 }}"), "check[0].pass.status"),
            (format!("{declaration}pass = {{ contains = 1 }}"), "check[0].pass.contains"),
            (format!("{declaration}{declaration}"), "check[1].name"),
        ] {
            assert_eq!(checks_from_toml(&text).unwrap_err().field, field, "{text}");
        }
    }
}
