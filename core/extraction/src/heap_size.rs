//! Estimates the heap memory of collections in bytes.

use std::borrow::Cow;

/// The overhead of an allocation, in bytes.
const ALLOCATION: usize = 16;
/// The overhead of a map entry, in bytes.
pub(crate) const MAP_ENTRY: usize = 32;

pub(crate) fn texts_size(texts: &Vec<Cow<'_, str>>) -> usize {
    let slots = match texts.capacity() {
        0 => 0,
        slots => ALLOCATION + slots * size_of::<Cow<'_, str>>(),
    };
    slots + texts.iter().map(text_size).sum::<usize>()
}

#[expect(clippy::ptr_arg, reason = "a borrowed text takes no heap memory")]
pub(crate) fn text_size(text: &Cow<'_, str>) -> usize {
    match text {
        Cow::Borrowed(_) => 0,
        Cow::Owned(text) => allocation_size(text.capacity()),
    }
}

pub(crate) const fn allocation_size(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { ALLOCATION + bytes }
}
