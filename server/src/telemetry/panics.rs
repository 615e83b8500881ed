//! This module says on standard error that something panicked, and where. What a panic says is shown only where it stands so in
//! the program: one that is put together may hold text of a report or of evidence, as that about a cut inside a letter does.

use std::any::Any;
use std::panic::{PanicHookInfo, set_hook};

/// Has panics of this process written so.
#[expect(clippy::print_stderr, reason = "a panic may come before there are logs, or from them")]
pub fn show_places() {
    set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let place = panic.location().map_or_else(|| "nowhere".to_owned(), ToString::to_string);
        eprintln!("panic at {place}: {}", said(panic.payload()));
    }));
}

/// What a panic says, where that is no text of a caller.
#[must_use]
pub fn said(payload: &(dyn Any + Send)) -> &'static str {
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .unwrap_or("its message may hold text of a caller, and is not shown")
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_message_that_was_put_together_is_not_shown() {
        let text = "evidé".to_owned();
        let cut = catch_unwind(|| text.split_at(5).0.len()).unwrap_err();
        assert!(cut.downcast_ref::<String>().is_some_and(|message| message.contains("evid")));
        assert!(!said(cut.as_ref()).contains("evid"));
        let literal = catch_unwind(|| panic!("a literal")).unwrap_err();
        assert_eq!(said(literal.as_ref()), "a literal");
    }
}
