//! Fuzzes a reader for longer than the tests do: `fuzz words|text|cubins|listings|kernels|ptx [SECONDS [SEED [FIRST_ROUND]]]`; a round of `words` is 1,000
//! words. Only `ptx` takes the round to begin with.

use std::time::Duration;
use warpsmith_tests::{
    fuzz::{Target, run},
    ptx_agreement::fuzz as ptx,
};

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let target = Target::ALL.into_iter().find(|(n, _)| *n == name);
    if target.is_none() && name != "ptx" {
        eprintln!("usage: fuzz words|text|cubins|listings|kernels|ptx [SECONDS [SEED [FIRST_ROUND]]]");
        std::process::exit(2);
    }
    let mut number = |default| args.next().map_or(default, |a| a.parse().expect("a number"));
    let (seconds, seed, first) = (number(60), number(1), number(0));
    let time = Duration::from_secs(seconds);
    let Some((_, target)) = target else {
        let done = ptx::run(seed, first, time);
        println!(
            "ptx: {} texts, {} bytes, in {seconds} s from seed {seed}, nothing found; deepest nesting {}, longest token {} bytes, slowest text {:?}",
            done.texts, done.bytes, done.deepest, done.longest, done.slowest
        );
        return;
    };
    let rounds = run(target, seed, u64::MAX, time);
    println!("{name}: {rounds} rounds in {seconds} s from seed {seed}, nothing found");
}
