//! A few seconds of each fuzzer. `cargo run --release -p warpsmith-tests --bin fuzz -- TARGET SECONDS` goes on for longer.

use std::time::Duration;
use warpsmith_tests::fuzz::{Target, run};

const TIME: Duration = Duration::from_secs(10);

#[test]
fn words() {
    assert!(run(Target::Words, 1, 2_000, TIME) > 0);
}

#[test]
fn text() {
    assert!(run(Target::Text, 1, 20_000, TIME) > 0);
}

#[test]
fn cubins() {
    assert!(run(Target::Cubins, 1, 3_000, TIME) > 0);
}

#[test]
fn listings() {
    assert!(run(Target::Listings, 1, 1_000, TIME) > 0);
}
