//! A quarter of a minute of each fuzzer at most. `cargo xtask fuzz TARGET SECONDS` goes on for longer.

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

/// A second or so of each reader as a user calls it: `cargo xtask fuzz readers ROUNDS` goes on for longer.
#[test]
fn readers() {
    use warpsmith_tests::fuzz::{readers::Reader, watch::watched};
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-readers");
    for (name, reader) in Reader::ALL {
        let rounds = match reader {
            Reader::Cuda | Reader::Ir | Reader::Ptx => 20,
            Reader::Cubin
            | Reader::Fatbin
            | Reader::Listing
            | Reader::LaunchFile
            | Reader::Npy
            | Reader::CommandLine => 60,
        };
        let outcome = watched(
            std::path::Path::new(env!("CARGO_BIN_EXE_xtask")),
            name,
            1,
            0..rounds,
            &folder,
        );
        assert_eq!((outcome.executions, outcome.findings), (rounds, Vec::new()), "{name}");
    }
    let _ = std::fs::remove_dir_all(folder);
}
