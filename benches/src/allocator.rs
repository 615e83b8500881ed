//! The allocator that every measured program links, the same as in `gsar-server`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
