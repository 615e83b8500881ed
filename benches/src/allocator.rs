//! This module sets the allocator of every measured program, the same as in `gsar-server`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
