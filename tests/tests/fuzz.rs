//! A quarter of a minute of each fuzzer at most. `cargo run --release -p warpsmith-tests --bin fuzz -- TARGET SECONDS` goes on for longer.

use std::time::Duration;
use warpsmith_tests::fuzz::{Target, run};

const TIME: Duration = Duration::from_secs(15);

#[test]
fn words() {
    assert!(run(Target::Words, 1, 20_000, TIME) > 0);
}

#[test]
fn text() {
    assert!(run(Target::Text, 1, 500_000, TIME) > 0);
}

#[test]
fn cubins() {
    assert!(run(Target::Cubins, 1, 50_000, TIME) > 0);
}

#[test]
fn listings() {
    assert!(run(Target::Listings, 1, 50_000, TIME) > 0);
}

#[test]
fn ptx() {
    assert!(warpsmith_tests::ptx_agreement::fuzz::run(1, 0, TIME).texts > 0);
}

#[test]
fn kernels() {
    assert!(run(Target::Kernels, 1, 20_000, TIME) > 0);
}
