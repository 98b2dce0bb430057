//! Measures warp instructions per second on a few kinds of kernels: of PTX in the interpreter, and of machine code in the emulator.
//!
//! An argument is the number of host threads, 1 without it. Where the host tells it (Linux), the speed for each second of processor time is printed, too,
//! which does not depend on what else runs.

mod emulator;
mod interpreter;
#[allow(dead_code)]
#[path = "../../tests/sass/support.rs"]
mod support;

use std::time::Instant;

use warpsmith_emu::Options;

/// Runs a kernel and prints the speed.
fn timed(name: &str, run: impl FnOnce() -> Result<u64, String>) {
    let (start, spent) = (Instant::now(), processor_seconds());
    match run() {
        Ok(instructions) => {
            let seconds = start.elapsed().as_secs_f64();
            let millions = instructions as f64 / 1e6;
            let busy = match (spent, processor_seconds()) {
                (Some(before), Some(after)) if after > before => format!("{:6.1}", millions / (after - before)),
                _ => "     -".to_string(),
            };
            println!(
                "{name:10} {:6.1} million warp instructions a second, {busy} a second of processor time",
                millions / seconds
            );
        }
        Err(text) => println!("{name:10} {text}"),
    }
}

/// The processor time of all threads so far, from `/proc/self/stat`: fields 14 and 15, in hundredths of a second (proc(5)).
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields = text.rsplit_once(") ")?.1.split(' ');
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
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
