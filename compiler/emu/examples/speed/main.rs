//! Measures warp instructions per second on a few kinds of kernels: of PTX in the interpreter, and of machine code in the emulator.
//!
//! An argument is the number of host threads, 1 without it.

mod emulator;
mod interpreter;
#[allow(dead_code)]
#[path = "../../tests/sass/support.rs"]
mod support;

use std::time::Instant;

use warpsmith_emu::Options;

/// Runs a kernel and prints the speed.
fn timed(name: &str, run: impl FnOnce() -> Result<u64, String>) {
    let start = Instant::now();
    match run() {
        Ok(instructions) => {
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{name:10} {:6.1} million warp instructions per second",
                instructions as f64 / seconds / 1e6
            );
        }
        Err(text) => println!("{name:10} {text}"),
    }
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|number| number.parse().ok());
    let options = Options {
        threads: threads.unwrap_or(1),
        ..Options::default()
    };
    println!("PTX");
    interpreter::measure(&options);
    println!("machine code");
    emulator::measure(&options);
}
