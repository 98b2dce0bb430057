//! The `warpsmith` binary; everything is in the library.

use std::process::ExitCode;

/// Memory that is given back to the allocator in one piece at the start. glibc's takes from it that so large pieces come and go: from then on it hands out
/// and takes back what is smaller without asking the system, and keeps twice as much when it is free. Each page that the system gives anew costs as much as a
/// thousand instructions, and a compile lets its memory grow and shrink many times.
const PIECE: usize = 16 << 20;

/// musl's own allocator takes twice the time of a whole compile; this one is glibc's forebear, in Rust.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(PIECE)));
    let arguments: Vec<_> = std::env::args_os().collect();
    let mut out = std::io::stdout().lock();
    // Not locked: a thread that panics says so there, and would wait for this one, which waits for it.
    let mut errors = std::io::stderr();
    ExitCode::from(warpsmith_driver::run_on(
        &arguments,
        &mut out,
        &mut errors,
        warpsmith_driver::Screen::StandardError,
    ))
}
