//! What claims about series must come to.
