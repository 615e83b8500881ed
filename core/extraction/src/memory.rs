//! This module estimates the bytes that collections take of the heap. It allocates nothing.

use std::borrow::Cow;

/// The overhead of an allocation, in bytes.
const ALLOCATION: usize = 16;
/// The overhead of a map entry, in bytes.
pub(crate) const MAP_ENTRY: usize = 32;

/// The heap bytes of texts.
pub(crate) fn of_texts(texts: &Vec<Cow<'_, str>>) -> usize {
    let slots = match texts.capacity() {
        0 => 0,
        slots => ALLOCATION + slots * size_of::<Cow<'_, str>>(),
    };
    slots + texts.iter().map(owned).sum::<usize>()
}

/// The heap bytes of a text.
#[expect(clippy::ptr_arg, reason = "a borrowed text takes nothing")]
pub(crate) fn owned(text: &Cow<'_, str>) -> usize {
    match text {
        Cow::Borrowed(_) => 0,
        Cow::Owned(text) => of_bytes(text.capacity()),
    }
}

/// The heap bytes of that many bytes.
pub(crate) const fn of_bytes(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { ALLOCATION + bytes }
}
