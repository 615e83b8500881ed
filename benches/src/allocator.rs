//! The allocator of every benchmark program, as in `gsar-server`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
