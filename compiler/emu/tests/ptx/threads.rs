//! Several host threads.

use crate::support::{attempt, kernel, module};
use warpsmith_emu::ptx::{FaultKind, Options};

fn on(threads: usize) -> Options {
    Options {
        threads,
        step_budget: 50_000_000,
        ..Options::default()
    }
}

/// The words that a kernel leaves of zeros, and the report.
fn run(body: &str, count: usize, shape: (u32, u32), threads: usize) -> (Vec<u32>, warpsmith_emu::ptx::Report) {
    match attempt(
        &module(&kernel(&format!("{body} ret;"))),
        &vec![0; count],
        shape,
        &on(threads),
    ) {
        Ok(outcome) => outcome,
        Err(fault) => panic!("{fault}"),
    }
}

#[test]
fn results_and_figures_are_those_of_one_thread() {
    let body = "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0; mul.wide.u32 %d1, %r2, 4;
        add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r2; red.global.add.u32 [%d0], 1;";
    let (words, report) = run(body, 64 * 64, (64, 64), 1);
    for threads in [2, 3, 0, 1000] {
        let (found, figures) = run(body, 64 * 64, (64, 64), threads);
        assert_eq!(found[1..], words[1..]);
        assert_eq!(figures, report);
    }
    assert_eq!(words[1..], (1..64 * 64).collect::<Vec<u32>>());
}

#[test]
fn atomics_and_bytes_of_one_word_are_not_lost() {
    // Every thread of every CTA counts; every CTA writes a byte of its own.
    let body =
        "red.global.add.u32 [%d0], 1; atom.global.add.u64 %d1, [%d0+8], 1; mov.u32 %r0, %ctaid.x; cvt.u64.u32 %d2, %r0;
        add.u64 %d2, %d0, %d2; mov.u32 %r2, 500;
        again: st.global.u8 [%d2+16], %r0; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra again;";
    let (words, _) = run(body, 8, (16, 64), 4);
    assert_eq!(words[..4], [1024, 0, 1024, 0]);
    assert_eq!(words[4..], [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c]);
}

#[test]
fn ctas_that_wait_for_each_other_meet() {
    // A barrier of the whole grid, twice, and a lock.
    let body = "mov.u32 %r5, 2;
round: red.release.gpu.global.add.u32 [%d0], 1; mul.lo.u32 %r6, %r5, 40; sub.u32 %r6, 120, %r6;
meet: ld.acquire.gpu.global.u32 %r1, [%d0]; setp.lt.u32 %p1, %r1, %r6; @%p1 bra meet;
sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra round;
lock: atom.acquire.gpu.global.cas.b32 %r1, [%d0+4], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra lock;
ld.global.u32 %r2, [%d0+8]; add.u32 %r2, %r2, 1; st.global.u32 [%d0+8], %r2;
st.release.gpu.global.u32 [%d0+4], 0;";
    for threads in [1, 2, 4] {
        let (words, _) = run(body, 3, (40, 1), threads);
        assert_eq!(words, [80, 0, 40], "{threads} threads");
    }
}

#[test]
fn the_first_fault_in_order_of_ctas_ends_the_run() {
    let text = module(&kernel(
        "mov.u32 %r0, %ctaid.x; setp.ge.u32 %p1, %r0, 3; @%p1 trap; ret;",
    ));
    let fault = attempt(&text, &[0], (4, 1), &on(4)).unwrap_err();
    assert_eq!((fault.kind, fault.cta), (FaultKind::Trap, Some([3, 0, 0])));
    let endless = module(&kernel("loop: bra loop;"));
    let fault = attempt(
        &endless,
        &[0],
        (8, 1),
        &Options {
            step_budget: 10_000,
            ..on(4)
        },
    )
    .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Budget);
}

#[test]
fn printing_is_in_order_of_ctas() {
    let text = module(
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
         .global .align 1 .b8 f[4] = {37, 117, 10, 0};
         .visible .entry k(.param .u64 out) {
             .reg .b64 %d<3>; .reg .b32 %r<2>; .local .align 4 .b32 v;
             mov.u32 %r0, %ctaid.x; st.local.u32 [v], %r0;
             mov.u64 %d0, f; cvta.global.u64 %d0, %d0; mov.u64 %d1, v; cvta.local.u64 %d1, %d1;
             { .param .b64 p; .param .b64 q; .param .b32 r;
               st.param.b64 [p], %d0; st.param.b64 [q], %d1; call.uni (r), vprintf, (p, q); }
             ret;
         }",
    );
    for threads in [1, 4] {
        let (_, report) = attempt(&text, &[0], (12, 1), &on(threads)).unwrap();
        assert_eq!(report.printed, (0..12).map(|n| format!("{n}\n")).collect::<String>());
    }
}

#[test]
fn turns_without_a_whole_instruction_are_no_deadlock() {
    // Loops apart in one warp that give way to each other: a turn may end between the steps of one instruction.
    let loop_of = |name: &str, next: &str| {
        format!(
            "{name}: mov.b64 {{%r3, %r4}}, %d0; mov.b64 %d3, {{%r4, %r3}}; mov.b64 {{%r3, %r4}}, %d3; mov.b64 %d3, {{%r4, %r3}};
             ld.volatile.global.u32 %r5, [%d0]; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra {name}; bra.uni {next};"
        )
    };
    let body = format!(
        "mov.u32 %r0, %tid.x; setp.ne.u32 %p1, %r0, 0; mov.u32 %r2, 8000; @%p1 bra other; {} {} done: ret;",
        loop_of("again", "done"),
        loop_of("other", "done"),
    );
    for seed in 0..12 {
        let options = Options { seed, ..on(1) };
        if let Err(fault) = attempt(&module(&kernel(&body)), &[0; 4], (1, 2), &options) {
            panic!("seed {seed}: {fault}");
        }
    }
}
