//! Reports panics on standard error. Shows only literal messages, because formatted messages may contain
//! text from reports or evidence.

use std::any::Any;
use std::panic::{PanicHookInfo, set_hook};

/// Installs the process-wide panic hook.
#[expect(clippy::print_stderr, reason = "a panic may occur before logging starts, or inside it")]
pub fn install_hook() {
    set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let location =
            panic.location().map_or_else(|| "an unknown location".to_owned(), ToString::to_string);
        eprintln!("panic at {location}: {}", payload_str(panic.payload()));
    }));
}

/// Returns the message of a panic if it is a literal, and a placeholder otherwise.
#[must_use]
pub fn payload_str(payload: &(dyn Any + Send)) -> &'static str {
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .unwrap_or("message not shown, since it may contain text from a caller")
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn hides_formatted_messages() {
        let text = "evidé".to_owned();
        let formatted = catch_unwind(|| text.split_at(5).0.len()).unwrap_err();
        assert!(formatted.downcast_ref::<String>().is_some_and(|message| message.contains("evid")));
        assert!(!payload_str(formatted.as_ref()).contains("evid"));
        let literal = catch_unwind(|| panic!("a literal")).unwrap_err();
        assert_eq!(payload_str(literal.as_ref()), "a literal");
    }
}
