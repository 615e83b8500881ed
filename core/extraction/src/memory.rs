//! This module estimates the bytes that collections take of the heap. It allocates nothing.

use alloc::borrow::Cow;

/// What an allocation takes beside its bytes.
const ALLOCATION: usize = 16;
/// What an entry of a map takes beside its key and its value: a share of a node.
pub(crate) const MAP_ENTRY: usize = 32;

/// The heap bytes of texts.
pub(crate) fn of_texts(texts: &alloc::vec::Vec<Cow<'_, str>>) -> usize {
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
