//! Random programs through the interpreter and through the back end's code in the emulator. More of them: `cargo xtask random ptx run`.

use warpsmith_tests::{
    differential::campaign::{Plan, run},
    generate::Features,
};

#[test]
fn compiled_programs_do_what_the_interpreter_does() {
    let report = run(&Plan {
        count: 60,
        each: 2,
        jobs: 2,
        ..Plan::default()
    });
    assert!(report.findings.is_empty() && report.undefined.is_empty(), "{report}");
}

#[test]
fn options_do_not_change_results() {
    let report = run(&Plan {
        first: 1_000,
        count: 12,
        each: 1,
        jobs: 2,
        variants: true,
        features: Features {
            calls: false,
            ..Features::default()
        },
        ..Plan::default()
    });
    assert!(report.findings.is_empty() && report.undefined.is_empty(), "{report}");
}
