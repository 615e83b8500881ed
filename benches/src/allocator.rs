//! The allocator for all benchmarks, the same as in `gsar-server`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
