//! Fuzzes a reader for longer than the tests do: `fuzz words|text|cubins|listings [SECONDS [SEED]]`; a round of `words` is 1,000 words.

use std::time::Duration;
use warpsmith_tests::fuzz::{Target, run};

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let Some((_, target)) = Target::ALL.into_iter().find(|(n, _)| *n == name) else {
        eprintln!("usage: fuzz words|text|cubins|listings [SECONDS [SEED]]");
        std::process::exit(2);
    };
    let mut number = |default| args.next().map_or(default, |a| a.parse().expect("a number"));
    let (seconds, seed) = (number(60), number(1));
    let rounds = run(target, seed, u64::MAX, Duration::from_secs(seconds));
    println!("{name}: {rounds} rounds in {seconds} s from seed {seed}, nothing found");
}
