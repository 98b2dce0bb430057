//! Scheduling: the order of instructions, stall counts, scoreboards and reuse flags of compiled kernels.

mod support;

use support::{TARGETS, agree_on, two_by_64, words};
use warpsmith_sass::{Flow, Instruction, Latency, hazard::check_paths};

const TWO_LOADS: &str = "
    .reg .u64 %d<4>; .reg .u32 %r<8>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    ld.global.u32 %r0, [%d1];
    mul.lo.u32 %r2, %r0, 77;
    ld.global.u32 %r1, [%d1+64];
    add.u32 %r3, %r2, %r1;
    st.global.u32 [%d0], %r3;
    ret;";

const LOOP: &str = "
    .reg .u64 %d<6>; .reg .u32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r0, 0; mov.u32 %r1, 0;
    ld.global.u32 %r2, [%d1];
L:
    add.u32 %r1, %r1, %r2;
    ld.global.u32 %r2, [%d1+4];
    add.s64 %d1, %d1, 4;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p0, %r0, 9;
    @%p0 bra L;
    st.global.u32 [%d0], %r1;
    ret;";

/// A load whose result is used on both sides of a branch.
const BRANCH: &str = "
    .reg .u64 %d<4>; .reg .u32 %r<8>; .reg .pred %p<2>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; ld.param.u32 %r4, [n];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; add.s64 %d0, %d0, %d2;
    ld.global.u32 %r0, [%d1];
    setp.gt.u32 %p0, %r1, 17;
    @%p0 bra L;
    mad.lo.u32 %r2, %r0, 3, %r4;
    bra.uni M;
L:
    xor.b32 %r2, %r0, 0x1234;
    st.global.u32 [%d0+512], %r2;
M:
    st.global.u32 [%d0], %r2;
    ret;";

/// A sum of fixed latency whose block ends with two branches; it is used at once where the first leads.
const TWO_BRANCHES: &str = "
    .reg .u64 %d<6>; .reg .u32 %r<8>; .reg .f64 %f<4>; .reg .pred %p<4>;
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
    cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 8; add.s64 %d1, %d1, %d2; add.s64 %d0, %d0, %d2;
    ld.global.f64 %f0, [%d1];
    mov.u32 %r2, 0;
L:
    add.u32 %r2, %r2, 1;
    setp.gt.u32 %p0, %r2, %r1;
    setp.lt.u32 %p1, %r2, 9;
    add.f64 %f0, %f0, %f0;
    @%p0 bra A;
    @%p1 bra L;
    bra.uni B;
A:
    mov.b64 %d3, %f0;
    xor.b64 %d3, %d3, 1;
    st.global.u64 [%d0], %d3;
    ret;
B:
    st.global.f64 [%d0], %f0;
    ret;";

fn is_load(instruction: &Instruction) -> bool {
    instruction.mnemonic() == "LDG"
}

#[test]
fn results_agree_with_the_interpreter() {
    for body in [TWO_LOADS, LOOP, BRANCH, TWO_BRANCHES] {
        agree_on(&TARGETS, "", body, &two_by_64());
    }
}

#[test]
fn no_way_through_the_code_has_a_hazard() {
    for target in TARGETS {
        for level in 0..=3 {
            for body in [TWO_LOADS, LOOP, BRANCH, TWO_BRANCHES] {
                let found = check_paths(&words(target, level, body), &[]);
                assert!(found.is_empty(), "{target} -O{level}: {:?}", found.first());
            }
        }
    }
}

#[test]
fn loads_that_do_not_depend_on_each_other_are_in_flight_together() {
    let code = words("sm_90", 3, TWO_LOADS);
    let loads: Vec<usize> = (0..code.len()).filter(|at| is_load(&code[*at])).collect();
    let [first, second] = loads[..] else {
        panic!("two loads: {code:?}")
    };
    let scoreboard = code[first].control().write_scoreboard.expect("a load has a scoreboard");
    let waited = code[first + 1..=second]
        .iter()
        .any(|i| i.control().wait_mask >> scoreboard & 1 != 0);
    assert!(!waited, "{code:?}");
}

#[test]
fn a_load_is_still_in_flight_behind_the_end_of_its_block() {
    let code = words("sm_90", 1, BRANCH);
    let load = code.iter().position(is_load).expect("a load");
    let branch = load
        + code[load..]
            .iter()
            .position(|i| i.flow() == Flow::Branch)
            .expect("a branch");
    let scoreboard = code[load].control().write_scoreboard.expect("a load has a scoreboard");
    let waited = code[load + 1..=branch]
        .iter()
        .any(|i| i.control().wait_mask >> scoreboard & 1 != 0);
    assert!(!waited, "{code:?}");
}

#[test]
fn without_optimisation_every_result_is_waited_for_at_once() {
    for target in TARGETS {
        let code = words(target, 0, BRANCH);
        for (at, instruction) in code.iter().enumerate() {
            if instruction.timing().latency != Latency::Scoreboard {
                continue;
            }
            let scoreboard = instruction.control().write_scoreboard.expect("it has a scoreboard");
            let next = &code[at + 1];
            assert!(next.control().wait_mask >> scoreboard & 1 != 0, "{target}: {next}");
        }
    }
}

#[test]
fn operands_that_are_read_again_at_once_are_reused() {
    // The factors of eight products are in pairs: some stand side by side in any order.
    let body = "
        .reg .u64 %d<4>; .reg .f32 %f<16>;
        ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
        cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;
        ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];
        mul.f32 %f4, %f0, %f1; mul.f32 %f5, %f0, %f2; mul.f32 %f6, %f0, %f3;
        st.global.f32 [%d0], %f4; st.global.f32 [%d0+4], %f5; st.global.f32 [%d0+8], %f6;
        ret;";
    let code = words("sm_90", 3, body);
    let flagged: Vec<&Instruction> = code
        .iter()
        .filter(|i| i.form().control.reuse_flags() != 0 && i.control().keep_issuing && i.control().reuse != 0)
        .collect();
    assert!(!flagged.is_empty(), "{code:?}");
    for instruction in flagged {
        assert!((1..=11).contains(&instruction.control().stall), "{instruction}");
    }
    agree_on(&TARGETS, "", body, &two_by_64());
}

#[test]
fn equal_input_gives_equal_code() {
    let words_of = || {
        words("sm_80", 3, BRANCH)
            .iter()
            .map(Instruction::word)
            .collect::<Vec<_>>()
    };
    assert_eq!(words_of(), words_of());
}
