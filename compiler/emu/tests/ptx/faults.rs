//! What stops a run, and what the reports say.

use crate::support::{fault, kernel, module};
use warpsmith_emu::ptx::{Device, FaultKind, Launch, Options, load, run};

fn kind(body: &str, threads: u32, options: &Options) -> FaultKind {
    fault(&kernel(&format!("{body} ret;")), (1, threads), options).kind
}

#[test]
fn bad_addresses() {
    let options = Options::default();
    assert_eq!(
        kind("ld.global.u32 %r1, [%d0+32];", 1, &options),
        FaultKind::OutOfBounds
    );
    assert_eq!(
        kind("mov.u64 %d1, 0; st.global.u32 [%d1], 0;", 1, &options),
        FaultKind::OutOfBounds
    );
    assert_eq!(kind("ld.global.u32 %r1, [%d0+2];", 1, &options), FaultKind::Misaligned);
    assert_eq!(
        kind("ld.global.v2.u32 {%r1, %r2}, [%d0+4];", 1, &options),
        FaultKind::Misaligned
    );
    assert_eq!(
        kind(".shared .b32 s[4]; ld.shared.u32 %r1, [s+16];", 1, &options),
        FaultKind::OutOfBounds
    );
}

#[test]
fn a_fault_says_where() {
    let text = kernel(
        "mov.u32 %r0, %tid.x;\n mul.wide.u32 %d1, %r0, 4;\n add.u64 %d1, %d0, %d1;\n st.global.u32 [%d1], %r0;\n ret;",
    );
    let fault = fault(&text, (1, 64), &Options::default());
    let message = fault.to_string();
    assert_eq!((fault.thread, fault.cta), (Some([8, 0, 0]), Some([0; 3])));
    let end = message.split_once("\n  at ").unwrap().1;
    assert_eq!(
        end,
        "st.global.u32, PTX line 11\n  in kernel k\n  CTA (0, 0, 0), thread (8, 0, 0)"
    );
    assert!(
        message.starts_with("out-of-bounds access: write of 4 bytes at global address 0x7f"),
        "{message}"
    );
}

#[test]
fn endless_loops_spend_the_budget() {
    let options = Options {
        step_budget: 10_000,
        ..Options::default()
    };
    let fault = fault(&kernel("loop: bra loop;"), (1, 64), &options);
    assert_eq!(fault.kind, FaultKind::Budget);
    assert!(
        fault
            .to_string()
            .contains("CTA (0, 0, 0) warp 1 lanes 0xffffffff: runs, at bra in k"),
        "{fault}"
    );
}

#[test]
fn threads_that_never_meet() {
    let body =
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 32; @%p1 bra one; bar.sync 1; bra done; one: bar.sync 2; done:";
    let fault = fault(&kernel(&format!("{body} ret;")), (1, 64), &Options::default());
    assert_eq!(fault.kind, FaultKind::BarrierDivergence);
    assert!(
        fault
            .to_string()
            .contains("waits at barrier 2, where 32 of 64 threads are"),
        "{fault}"
    );
}

#[test]
fn lanes_outside_their_own_mask() {
    assert_eq!(
        kind("shfl.sync.idx.b32 %r1, %r0, 0, 31, 2;", 32, &Options::default()),
        FaultKind::Operand
    );
}

#[test]
fn traps_and_unsupported_instructions() {
    assert_eq!(kind("trap;", 1, &Options::default()), FaultKind::Trap);
    // What only ptxas takes: the manual has it with an operation.
    let text = kernel("testp.f32 %p1, %f1;\n ret;");
    let fault = fault(&text, (1, 32), &Options::default());
    assert_eq!(
        (fault.kind, fault.instruction.as_deref(), fault.line),
        (FaultKind::Unsupported, Some("testp.f32"), Some(8))
    );
}

#[test]
fn races() {
    let body = ".shared .b32 s; mov.u32 %r0, %tid.x; st.shared.u32 [s], %r0;";
    let checked = Options {
        check_races: true,
        ..Options::default()
    };
    assert_eq!(kind(body, 64, &checked), FaultKind::Race);
    let ordered = ".shared .b32 s; mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [s], 5; bar.sync 0; ld.shared.u32 %r1, [s]; trap;";
    assert_eq!(kind(ordered, 64, &checked), FaultKind::Trap);
}

#[test]
fn memory_that_was_never_written() {
    let checked = Options {
        check_uninitialised: true,
        ..Options::default()
    };
    assert_eq!(
        kind(".local .b32 l; ld.local.u32 %r1, [l];", 1, &checked),
        FaultKind::Uninitialised
    );
    assert_eq!(
        kind(".shared .b32 s; ld.shared.u32 %r1, [s];", 1, &checked),
        FaultKind::Uninitialised
    );
    assert_eq!(
        kind(
            ".local .b32 l; st.local.u32 [l], 1; ld.local.u32 %r1, [l]; trap;",
            1,
            &checked
        ),
        FaultKind::Trap
    );
}

#[test]
fn launches_that_do_not_fit() {
    let text = module(".visible .entry k(.param .u64 out, .param .u32 n) .reqntid 32 { ret; }");
    let mut device = Device::new();
    let loaded = load(&mut device, &warpsmith_ptx::parse(text.as_bytes()).module).unwrap();
    let mut message = |launch: &Launch| {
        run(&mut device, &loaded, launch, &Options::default())
            .unwrap_err()
            .fault
            .message
    };
    assert_eq!(message(&Launch::of("q")), "the module has no kernel 'q'; it has k");
    let fitting = Launch {
        block: [32, 1, 1],
        arguments: vec![vec![0; 8], vec![0; 4]],
        ..Launch::of("k")
    };
    assert_eq!(
        message(&Launch {
            block: [64, 1, 1],
            ..fitting.clone()
        }),
        "a CTA of (64, 1, 1) threads, but the kernel requires (32, 1, 1)"
    );
    assert_eq!(
        message(&Launch {
            arguments: vec![vec![0; 8]],
            ..fitting.clone()
        }),
        "1 arguments, but the kernel takes 2"
    );
    assert_eq!(
        message(&Launch {
            arguments: vec![vec![0; 8], vec![0; 8]],
            ..fitting
        }),
        "argument 1 has 8 bytes, but the parameter has 4"
    );
}

#[test]
fn a_call_for_which_there_is_no_stack_is_the_callers_fault() {
    // The call stands farther on in the caller than the function that is called is long.
    let before = "add.u32 %r1, %r1, 1;\n".repeat(40);
    let large = ".func large() { .local .b8 frame[500000]; st.local.u8 [frame], 1; ret; }\n";
    let own = ".local .b8 own[524288]; st.local.u8 [own], 1;\n.local .b8 more[65536]; st.local.u8 [more], 1;\n";
    let text = kernel(&format!("{own}{before} call large; ret;")).replacen(
        ".visible .entry",
        &format!("{large}.visible .entry"),
        1,
    );
    let fault = fault(&text, (1, 1), &Options::default());
    assert_eq!((fault.kind, fault.function.as_deref()), (FaultKind::Stack, Some("k")));
}
