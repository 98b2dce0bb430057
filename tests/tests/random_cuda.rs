//! Random CUDA C++ programs at several levels, in the interpreter and as machine code. More of them: `cargo xtask random cuda run`.

use warpsmith_tests::{
    cuda_differential::campaign::{Plan, run},
    generate_cuda::Features,
};

#[test]
fn levels_do_not_change_what_programs_leave() {
    let report = run(&Plan {
        count: 5,
        jobs: 2,
        features: Features {
            size: 4,
            ..Features::default()
        },
        ..Plan::default()
    });
    assert!(report.findings.is_empty() && report.refusals.is_empty(), "{report}");
}
