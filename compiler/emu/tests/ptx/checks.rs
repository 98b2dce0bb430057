//! What is looked for on demand, several faults of a run, and what a failed run still tells.

use crate::support::{fault, kernel, loaded, module};
use warpsmith_emu::ptx::{Device, Failure, FaultKind, Launch, Options, run};

/// The failure of a kernel on 8 words.
fn failure(body: &str, shape: (u32, u32), options: &Options) -> Failure {
    let mut device = Device::new();
    let loaded = loaded(&mut device, &module(&kernel(&format!("{body} ret;"))));
    let out = device.allocate(32, 256);
    let launch = Launch {
        grid: [shape.0, 1, 1],
        block: [shape.1, 1, 1],
        arguments: vec![out.to_le_bytes().to_vec()],
        ..Launch::of("k")
    };
    run(&mut device, &loaded, &launch, options).unwrap_err()
}

fn races() -> Options {
    Options {
        check_races: true,
        ..Options::default()
    }
}

#[test]
fn a_race_in_shared_memory_names_both_threads_and_lines() {
    let body = "
.shared .b32 s; mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 5; setp.eq.u32 %p2, %r0, 40;
@%p1 st.shared.u32 [s], 1;
@%p2 st.shared.u32 [s], 2;
ret;";
    let fault = fault(&kernel(body), (1, 64), &races());
    let other = fault.other.clone().unwrap();
    let mut found = [(fault.thread, fault.line), (other.thread, other.line)];
    found.sort();
    assert_eq!(found, [(Some([5, 0, 0]), Some(10)), (Some([40, 0, 0]), Some(11))]);
    assert_eq!((fault.kind, other.message.as_str()), (FaultKind::Race, "a write"));
    assert!(
        fault
            .message
            .contains("writes what another warp wrote, at shared address 0x0"),
        "{fault}"
    );
}

#[test]
fn ctas_race_in_global_memory() {
    let body = "mov.u32 %r0, %ctaid.x; st.global.u32 [%d0], %r0;";
    let found = failure(body, (2, 1), &races()).fault;
    let other = found.other.unwrap();
    assert_eq!((found.kind, other.kind), (FaultKind::Race, FaultKind::Race));
    assert_eq!(found.cta.unwrap()[0] + other.cta.unwrap()[0], 1);
    assert!(
        found.message.contains("writes what another CTA wrote"),
        "{}",
        found.message
    );
}

#[test]
fn a_flag_orders_ctas() {
    // CTA 0 hands a word over; CTA 1 waits for the flag.
    let body = "
mov.u32 %r0, %ctaid.x; setp.eq.u32 %p1, %r0, 0;
@%p1 st.global.u32 [%d0], 7;
@%p1 st.release.gpu.global.u32 [%d0+4], 1;
@%p1 bra done;
wait: ld.acquire.gpu.global.u32 %r1, [%d0+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;
ld.global.u32 %r2, [%d0]; st.global.u32 [%d0+8], %r2;
done: trap;";
    assert_eq!(failure(body, (2, 1), &races()).fault.kind, FaultKind::Trap);
}

#[test]
fn registers_that_nothing_wrote() {
    let checked = Options {
        check_registers: true,
        ..Options::default()
    };
    let found = failure("add.u32 %r1, %r2, 1;", (1, 1), &checked).fault;
    assert_eq!(
        (found.kind, found.message.as_str()),
        (FaultKind::Uninitialised, "%r2 is read, which was never written")
    );
    // Written by the lanes below 4 alone.
    let body = "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 4; @%p1 mov.u32 %r2, 1; add.u32 %r1, %r2, 1;";
    assert_eq!(failure(body, (1, 32), &checked).fault.thread, Some([4, 0, 0]));
    // Moving is no use of it, but what is moved stays unwritten.
    let moved = failure(
        "mov.u32 %r1, %r2; mov.b64 %d1, {%r1, %r0}; add.u32 %r3, %r1, 1;",
        (1, 1),
        &checked,
    )
    .fault;
    assert!(moved.message.starts_with("%r1 is read"), "{}", moved.message);
    assert_eq!(
        failure("mov.u32 %r1, 1; add.u32 %r1, %r1, 1; trap;", (1, 1), &checked)
            .fault
            .kind,
        FaultKind::Trap
    );
}

/// Of 32-bit operands the low halves of registers count, and a lane that does not execute the division divides by nothing.
#[test]
fn integers_divided_by_zero() {
    let checked = Options {
        check_division: true,
        ..Options::default()
    };
    let own = "mov.u32 %r0, %tid.x; sub.u32 %r1, %r0, 5; setp.lt.u32 %p1, %r0, 5; ";
    for (divided, thread) in [
        ("div.u32 %r2, 7, %r1; trap;", Some([5, 0, 0])),
        ("rem.s32 %r2, 7, %r1; trap;", Some([5, 0, 0])),
        ("cvt.s64.s32 %d1, %r1; div.s64 %d2, %d1, %d1; trap;", Some([5, 0, 0])),
        ("@%p1 div.u32 %r2, 7, %r1; trap;", None),
    ] {
        let fault = failure(&format!("{own}{divided}"), (1, 8), &checked).fault;
        let (kind, message) = (fault.kind, fault.message);
        match thread {
            Some(_) => assert_eq!(
                (kind, message.as_str(), fault.thread),
                (FaultKind::Operand, "integer division by zero", thread)
            ),
            None => assert_eq!(kind, FaultKind::Trap, "{message}"),
        }
    }
}

/// What `body` does that never wrote what it uses, in the words of the fault, and the thread.
fn unwritten(body: &str) -> (String, u32) {
    let checked = Options {
        check_registers: true,
        ..Options::default()
    };
    let fault = failure(body, (1, 32), &checked).fault;
    (fault.message, fault.thread.map_or(0, |thread| thread[0]))
}

#[test]
fn predicates_that_nothing_wrote() {
    let own = "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 6; ";
    for (body, name, thread) in [
        // As guards, of branches and others, where some lanes wrote them.
        ("@%p1 setp.lt.u32 %p2, %r0, 4; @%p2 bra done; done: trap;", "%p2", 6),
        ("@!%p2 mov.u32 %r1, 1; trap;", "%p2", 0),
        // As operands: of comparisons, of logic, of a selection.
        ("setp.lt.and.u32 %p3, %r0, 4, %p2; trap;", "%p2", 0),
        ("and.pred %p3, %p1, %p2; trap;", "%p2", 0),
        ("selp.u32 %r1, 1, 2, %p2; trap;", "%p2", 0),
        // Moved, and negated.
        ("mov.pred %p3, %p2; not.pred %p4, %p3; @%p4 trap; trap;", "%p4", 0),
        // A write that is guarded, in a loop that its lanes leave.
        (
            "mov.u32 %r1, 0; again: add.u32 %r1, %r1, 1; setp.eq.u32 %p3, %r1, %r0; @%p3 setp.eq.u32 %p2, %r1, 3;
setp.lt.u32 %p4, %r1, 8; @%p4 bra again; selp.u32 %r2, 1, 2, %p2; trap;",
            "%p2",
            0,
        ),
    ] {
        let wanted = (format!("{name} is read, which was never written"), thread);
        assert_eq!(unwritten(&format!("{own}{body}")), wanted, "{body}");
    }
    // All of it written, on whichever way.
    let right = "@%p1 setp.lt.u32 %p2, %r0, 4; @!%p1 setp.lt.u32 %p2, %r0, 8; @%p2 mov.u32 %r1, 1; selp.u32 %r2, 1, %r3, %p2; trap;";
    assert!(!unwritten(&format!("{own}{right}")).0.contains("never written"));
}

#[test]
fn copies_of_registers_that_nothing_wrote() {
    for (body, name) in [
        ("mov.u32 %r1, %r2; mov.b32 %r3, %r1; st.global.u32 [%d0], %r3;", "%r3"),
        (
            "setp.eq.u32 %p1, 1, 1; selp.b32 %r3, %r1, 7, %p1; st.global.u32 [%d0], %r3;",
            "%r3",
        ),
        ("mov.b64 %d1, {%r1, %r2}; st.global.u64 [%d0], %d1;", "%d1"),
        // The half that was written may be used, the other not.
        (
            "mov.u32 %r1, 5; mov.b64 %d1, {%r1, %r2}; mov.b64 {%r3, %r4}, %d1; st.global.u32 [%d0], %r3; st.global.u32 [%d0], %r4;",
            "%r4",
        ),
        (
            "mov.u32 %r1, 5; mov.b64 %d1, {%r2, %r1}; mov.b64 {%r3, %r4}, %d1; st.global.u32 [%d0], %r4; st.global.u32 [%d0], %r3;",
            "%r3",
        ),
    ] {
        let wanted = format!("{name} is read, which was never written");
        assert_eq!(unwritten(body).0, wanted, "{body}");
    }
    // What is not chosen is not moved.
    let right = "setp.eq.u32 %p1, 1, 1; selp.b32 %r3, 7, %r1, %p1; st.global.u32 [%d0], %r3; trap;";
    assert!(!unwritten(right).0.contains("never written"));
}

#[test]
fn several_faults_of_one_run() {
    // Lane 8 and above miss the 8 words; the others are stored. Then an address that is odd in every lane.
    let body = "mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;
st.global.u32 [%d1], %r0;
ld.global.u32 %r1, [%d0+2];
atom.global.add.u32 %r1, [%d1+32], 1;
red.global.add.u32 [%d0], 1;";
    let several = |faults| Options {
        faults,
        ..Options::default()
    };
    let kinds = |faults| {
        let failure = failure(body, (1, 16), &several(faults));
        failure
            .faults()
            .map(|fault| (fault.kind, fault.thread.unwrap()[0]))
            .collect::<Vec<_>>()
    };
    let first = (FaultKind::OutOfBounds, 8);
    assert_eq!(kinds(0), [first]);
    assert_eq!(kinds(1), [first]);
    assert_eq!(kinds(2), [first, (FaultKind::Misaligned, 0)]);
    assert_eq!(
        kinds(9),
        [first, (FaultKind::Misaligned, 0), (FaultKind::OutOfBounds, 0)]
    );
    // All the rest was executed.
    let failure = failure(body, (1, 16), &several(9));
    assert_eq!(failure.report.instructions, 9);
}

#[test]
fn a_failed_run_has_its_figures() {
    let failure = failure("mov.u32 %r0, 1; mov.u32 %r1, 2; trap;", (1, 32), &Options::default());
    assert_eq!(failure.fault.kind, FaultKind::Trap);
    assert_eq!(
        (failure.report.instructions, failure.report.thread_instructions),
        (4, 128)
    );
    assert_eq!(failure.report.opcodes[1], ("mov.u32".to_string(), 2));
}
