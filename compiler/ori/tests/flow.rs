//! Control flow: clean-up of branches, predication, convergence barriers. What the phases make of the smallest input, and that compiled kernels do what the
//! interpreter does, whichever way their threads go.

mod support;

use support::{START, agree_body, agree_on, two_by_64, words};
use warpsmith_ori::phase::Options;

/// The body of a kernel after a phase, on sm_90; `None` stands for the last phase.
fn after(phase: &str, body: &str) -> String {
    after_without(&[], phase, body)
}

/// The same where some phases do not run.
fn after_without(off: &[&str], phase: &str, body: &str) -> String {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let sm = "sm_90".parse().expect("a known target");
    let mut found = String::new();
    let mut observe = |event: warpsmith_ori::phase::Event<'_>| {
        if event.phase.is_some_and(|row| row.name == phase) {
            found = event.function.to_string();
        }
    };
    let options = Options {
        off: off.iter().map(|name| (*name).to_string()).collect(),
        ..Options::default()
    };
    warpsmith_ori::compile_observed(&parsed.module, sm, &options, &mut observe).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(!found.is_empty(), "no phase {phase}");
    found
}

/// The numbers of the barriers that are armed in the words of a kernel on sm_90, in order.
fn armed(body: &str) -> Vec<u64> {
    armed_with("", body)
}

/// The same of a kernel with directives.
fn armed_with(directives: &str, body: &str) -> Vec<u64> {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {directives} {{\n{START}\n{body}\nret;\n}}\n"
    );
    let parsed = warpsmith_ptx::parse(text.as_bytes());
    let sm: warpsmith_target::Sm = "sm_90".parse().expect("a known target");
    let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{}", e[0]));
    let cubin = warpsmith_cubin::Cubin::read(&cubin.write()).expect("the cubin reads back");
    let (section, _) = cubin.functions().next().expect("a function");
    let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
    let words = words.map(|word| {
        let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
        warpsmith_sass::Instruction::decode(sm.isa(), word).expect("our words decode")
    });
    words
        .filter(|word| word.opcode() == warpsmith_sass::Opcode::Bssy)
        .filter_map(|word| word.field(warpsmith_sass::FieldName::Bd))
        .collect()
}

/// The barriers that are waited for in a text, each as often as in it.
fn waits(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| line.contains("BSYNC"));
    lines.filter_map(|line| line.split("Bd=").nth(1)).collect()
}

/// The opcodes of branches, ends and barriers in a text, with `@` for a guard.
fn flow_of(text: &str) -> Vec<String> {
    let wanted = ["BRA", "EXIT", "BSSY", "BSYNC", "YIELD"];
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let (guard, opcode) = if first.starts_with('@') {
            ("@", words.next()?)
        } else {
            ("", first)
        };
        let opcode = opcode.split('.').next()?;
        wanted.contains(&opcode).then(|| format!("{guard}{opcode}"))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn threads_end_at_the_branch_to_an_end() {
    let body = "setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE; st.global.u32 [%d5], %r5; DONE:";
    assert_eq!(flow_of(&after("OriBranchOpt", body)), ["@EXIT", "EXIT"]);
    agree_body(body);
}

#[test]
fn empty_blocks_and_chains_vanish() {
    let body = "bra A; A: bra B; B: mov.u32 %r10, 1; bra C; C: st.global.u32 [%d5], %r10;";
    assert_eq!(flow_of(&after("OriBranchOpt", body)), ["EXIT"]);
    agree_body(body);
}

/// Blocks that become empty late: the branch around them stayed, with both ways to one place, and threads parted there unseen, so that what they do together
/// lost its `WARPSYNC`.
#[test]
fn a_branch_around_nothing_is_none_however_late_that_is_known() {
    let body = "setp.lt.s32 %p1, %r4, 1; @!%p1 bra A; mov.u32 %r10, 0; setp.ge.s32 %p2, %r10, 1; @%p2 bra B; mov.u32 %r10, 0; B: A:
        match.all.sync.b32 %r7|%p3, 0, -1; st.global.u32 [%d5], %r7;";
    let text = after_without(&["OptimizeNestedCondBranches"], "LateExpandSyncInstructions", body);
    assert_eq!(flow_of(&text), ["EXIT"]);
    agree_body(body);
}

#[test]
fn a_branch_on_what_is_decided_is_none() {
    let body = "setp.ge.u32 %p1, %r5, 7; mov.u32 %r10, 0;
        @%p1 bra A; bra B; A: @!%p1 bra C; add.u32 %r10, %r10, 3; bra C; B: @%p1 bra C; add.u32 %r10, %r10, 5;
        C: st.global.u32 [%d5], %r10;";
    assert_eq!(flow_of(&after("OriBranchOpt", body)), ["@BRA", "BRA", "EXIT"]);
    agree_body(body);
}

#[test]
fn equal_ends_of_two_ways_are_run_once() {
    let body = "setp.ge.u32 %p1, %r5, 7; mov.u32 %r11, 8; @%p1 bra A; mov.u32 %r10, 3; add.u32 %r11, %r11, %r10; st.global.u32 [%d5], %r11; bra C;
        A: mov.u32 %r10, 5; add.u32 %r11, %r11, %r10; st.global.u32 [%d5], %r11;
        C: st.global.u32 [%d5+4], %r10;";
    let text = after("OriBranchOpt", body);
    assert_eq!(text.matches("STG").count(), 2, "{text}");
    agree_body(body);
}

#[test]
fn short_ways_are_guarded() {
    let body =
        "setp.ge.u32 %p1, %r5, 7; mov.u32 %r10, 1; @%p1 bra A; st.global.u32 [%d5+4], %r5; mov.u32 %r10, 3; bra C;
        A: add.u32 %r12, %r5, 9; mul.lo.u32 %r10, %r12, %r12;
        C: st.global.u32 [%d5], %r10;";
    let text = after("LateExpandSyncInstructions", body);
    assert_eq!(flow_of(&text), ["EXIT"], "{text}");
    agree_body(body);
}

/// A way with a load is guarded where it is longer, too: its loads are under way together with what comes after it.
#[test]
fn longer_ways_with_a_load_are_guarded() {
    let sums = |many: usize| {
        (0..many)
            .map(|_| "mad.lo.u32 %r13, %r13, %r13, %r10;")
            .collect::<String>()
    };
    let way = |many: usize, last: &str| {
        format!(
            "setp.lt.u32 %p1, %r4, 7; @%p1 bra L; mov.u32 %r13, %r4; {} {last} L: st.global.u32 [%d5+4], %r10;",
            sums(many)
        )
    };
    let branches = |body: &str| after("OriDoPredication", body).matches("BRA").count();
    assert_eq!(
        branches(&way(9, "ld.global.u32 %r10, [%d6]; st.global.u32 [%d5], %r13;")),
        0
    );
    assert_eq!(branches(&way(9, "st.global.u32 [%d5], %r13;")), 1);
    assert_eq!(
        branches(&way(14, "ld.global.u32 %r10, [%d6]; st.global.u32 [%d5], %r13;")),
        1
    );
}

#[test]
fn loads_of_a_way_stay_guarded() {
    // Threads that do not take the way must not touch memory there.
    let body = "setp.ge.u32 %p1, %r5, 7; mov.u32 %r10, 1; mov.u64 %d10, %d6; @%p1 mov.u64 %d10, 16; @%p1 bra C;
        ld.global.u32 %r11, [%d10]; add.u32 %r10, %r11, 3;
        C: st.global.u32 [%d5], %r10;";
    let text = after("LateExpandSyncInstructions", body);
    assert_eq!(flow_of(&text), ["EXIT"], "{text}");
    agree_body(body);
}

#[test]
fn nested_short_ways_are_guarded_by_conjunctions() {
    let body = "setp.lt.u32 %p1, %r4, 40; mov.u32 %r10, 1; @!%p1 bra C;
        and.b32 %r11, %r4, 1; setp.eq.u32 %p2, %r11, 0; @!%p2 bra B; add.u32 %r10, %r10, 5; st.global.u32 [%d5+8], %r10; B: add.u32 %r10, %r10, 1;
        C: st.global.u32 [%d5], %r10;";
    agree_body(body);
}

#[test]
fn a_variable_of_one_way_keeps_its_value_round_the_loop() {
    // %r11 is touched on the guarded way alone, and counts there.
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0;
        L: and.b32 %r13, %r12, 1; and.b32 %r14, %r4, 1; setp.eq.u32 %p1, %r13, %r14; @!%p1 bra N;
        add.u32 %r11, %r11, 3; add.u32 %r10, %r10, %r11;
        N: add.u32 %r12, %r12, 1; setp.lt.u32 %p2, %r12, 9; @%p2 bra L;
        st.global.u32 [%d5], %r10;";
    agree_body(body);
}

#[test]
fn branches_that_a_warp_takes_together_have_no_barrier() {
    let long = "add.u32 %r10, %r10, %r4; xor.b32 %r10, %r10, %r5; ".repeat(6);
    let body = format!(
        "setp.ge.u32 %p1, %r2, %r1; mov.u32 %r10, %r4; @%p1 bra A; {long} bra C; A: xor.b32 %r10, %r10, 99; {long} xor.b32 %r10, %r10, 3; C: st.global.u32 [%d5], %r10;"
    );
    let text = after("LateExpandSyncInstructions", &body);
    assert_eq!(flow_of(&text), ["@BRA", "BRA", "EXIT"], "{text}");
    agree_body(&body);
    // The same on the thread's number parts the warp.
    let body = body.replace("setp.ge.u32 %p1, %r2, %r1", "setp.ge.u32 %p1, %r4, 5");
    let text = after("LateExpandSyncInstructions", &body);
    assert_eq!(flow_of(&text), ["BSSY", "@BRA", "BRA", "BSYNC", "EXIT"], "{text}");
    agree_body(&body);
}

#[test]
fn a_loop_counted_alike_has_no_barrier() {
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 1;
        L: mad.lo.u32 %r11, %r11, 3, %r4; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r1; @%p1 bra L;
        st.global.u32 [%d5], %r11;";
    let text = after("LateExpandSyncInstructions", body);
    assert_eq!(flow_of(&text), ["@BRA", "EXIT"], "{text}");
    agree_body(body);
}

#[test]
fn what_is_counted_where_threads_leave_differs() {
    // The counter is the same in all threads that still go round, and yet differs behind the loop: the branch there parts threads.
    let long = "add.u32 %r12, %r12, %r4; xor.b32 %r12, %r12, %r5; ".repeat(6);
    let body = format!(
        "mov.u32 %r10, 0; and.b32 %r11, %r4, 7; mov.u32 %r12, %r4;
        L: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r11; @%p1 bra L;
        setp.gt.u32 %p2, %r10, 3; @%p2 bra B; {long} bra C; B: xor.b32 %r12, %r12, 77; {long} xor.b32 %r12, %r12, 3;
        C: shfl.sync.bfly.b32 %r13, %r12, 1, 31, -1; add.u32 %r13, %r13, %r10; st.global.u32 [%d5], %r13;"
    );
    let text = after("LateExpandSyncInstructions", &body);
    assert_eq!(text.matches("BSSY").count(), 2, "{text}");
    agree_body(&body);
}

#[test]
fn a_way_out_of_two_loops() {
    let body = "mov.u32 %r10, 0; mov.u32 %r20, 0;
        O: mov.u32 %r11, 0;
        I: add.u32 %r20, %r20, 1; mad.lo.u32 %r12, %r10, 5, %r11; setp.gt.u32 %p1, %r12, %r4; @%p1 bra X;
        add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 5; @%p2 bra I;
        add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 6; @%p3 bra O;
        add.u32 %r20, %r20, 100;
        X: shfl.sync.bfly.b32 %r13, %r20, 1, 31, -1; st.global.v2.u32 [%d5], {%r20, %r13};";
    agree_body(body);
}

#[test]
fn threads_that_end_in_a_loop_leave_the_others() {
    let body = "mov.u32 %r10, 0; mov.u32 %r20, 0;
        L: add.u32 %r10, %r10, 1; setp.eq.u32 %p1, %r10, %r4; @%p1 bra E;
        and.b32 %r11, %r4, 3; setp.lt.u32 %p2, %r11, 2; @%p2 bra A; add.u32 %r20, %r20, 7; mul.lo.u32 %r20, %r20, %r20; st.global.u32 [%d5+4], %r20; st.global.u32 [%d5+8], %r10; add.u32 %r20, %r20, 1; xor.b32 %r20, %r20, 1; add.u32 %r20, %r20, 4; xor.b32 %r20, %r20, 55;
        A: setp.lt.u32 %p3, %r10, 20; @%p3 bra L;
        bar.sync 0; st.global.u32 [%d5], %r20; ret;
        E: st.global.u32 [%d5+12], %r10; ret;";
    agree_body(body);
}

#[test]
fn conditions_one_after_the_other_meet_once() {
    let long = "add.u32 %r12, %r12, %r4; xor.b32 %r12, %r12, %r5; ".repeat(6);
    let body = format!(
        "mov.u32 %r12, 5; setp.gt.u32 %p1, %r4, 3; setp.lt.u32 %p2, %r4, 30; @!%p1 bra E; add.u32 %r14, %r4, 9; st.global.u32 [%d5+4], %r14; @!%p2 bra E; {long} E: shfl.sync.bfly.b32 %r13, %r12, 1, 31, -1; st.global.u32 [%d5], %r13;"
    );
    let text = after("LateExpandSyncInstructions", &body);
    assert_eq!(flow_of(&text), ["BSSY", "@BRA", "@BRA", "BSYNC", "EXIT"], "{text}");
    agree_body(&body);
}

#[test]
fn a_cycle_with_two_entries() {
    let body = "mov.u32 %r10, 0; and.b32 %r11, %r4, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra B;
        A: add.u32 %r10, %r10, 3;
        B: add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r4; @%p2 bra A;
        st.global.u32 [%d5], %r10;";
    agree_body(body);
}

#[test]
fn a_lock_that_each_thread_takes() {
    // The thread that has the lock must get on while the others wait for it.
    let body = "mov.u32 %r10, 0; add.u64 %d10, %d1, 4000; add.u64 %d11, %d1, 4004;
        L: atom.global.cas.b32 %r11, [%d10], 0, 1; setp.ne.u32 %p1, %r11, 0; @%p1 bra M;
        ld.volatile.global.u32 %r12, [%d11]; add.u32 %r12, %r12, 1; st.volatile.global.u32 [%d11], %r12; membar.gl;
        atom.global.exch.b32 %r13, [%d10], 0; mov.u32 %r10, 1;
        M: setp.eq.u32 %p2, %r10, 0; @%p2 bra L;
        bar.sync 0;";
    agree_body(body);
}

#[test]
fn a_loop_of_a_few_rounds_is_written_out() {
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 1;
        L: mad.lo.u32 %r11, %r11, 3, %r10; add.u32 %r10, %r10, 2; setp.lt.s32 %p1, %r10, 9; @%p1 bra L;
        add.u32 %r11, %r11, %r10; st.global.u32 [%d5], %r11;";
    let text = after("OriLoopUnrolling", body);
    assert_eq!(flow_of(&text), ["EXIT"], "{text}");
    assert_eq!(text.matches("ISETP").count(), 5, "{text}");
    agree_body(body);
}

#[test]
fn loops_that_count_down_or_never_end_as_counted() {
    for (start, step, compare) in [
        (7, -1, "ne.s32 %p1, %r10, 0"),
        (5, -2, "gt.s32 %p1, %r10, -3"),
        (0, 3, "lt.u32 %p1, %r10, 1"),
        (-4, 1, "lt.s32 %p1, %r10, 2"),
    ] {
        let body = format!(
            "mov.u32 %r10, {start}; mov.u32 %r11, 1; mov.u32 %r12, 0;
            L: mad.lo.u32 %r11, %r11, 3, %r10; add.s32 %r10, %r10, {step}; add.u32 %r12, %r12, 1; setp.gt.u32 %p2, %r12, 50; @%p2 bra X;
            setp.{compare}; @%p1 bra L;
            X: add.u32 %r11, %r11, %r10; st.global.u32 [%d5], %r11;"
        );
        agree_body(&body);
        agree_body(&body.replace("@%p2 bra X;", ""));
    }
}

#[test]
fn nounroll_keeps_a_loop() {
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 1;
        L: .pragma \"nounroll\";
        mad.lo.u32 %r11, %r11, 3, %r10; add.u32 %r10, %r10, 2; setp.lt.s32 %p1, %r10, 9; @%p1 bra L;
        st.global.u32 [%d5], %r11;";
    let text = after("OriLoopUnrolling", body);
    assert_eq!(flow_of(&text), ["@BRA", "EXIT"], "{text}");
    agree_body(body);
}

#[test]
fn what_a_warp_has_in_common_goes_to_uniform_registers() {
    let body = "setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE; xor.b32 %r10, %r2, %r5; st.global.u32 [%d5], %r10; DONE:";
    let text = after("ConvertToUniformReg", body);
    assert!(text.contains("S2UR UR0, SR_CTAID.X"), "{text}");
    agree_body(body);
}

/// The carry goes where the sum goes; where a thread's own sum goes on from it, both stay.
#[test]
fn sums_of_two_words_go_to_uniform_registers() {
    // The address of a prefetch.
    let wanted = "shl.b32 %r20, %r2, 4; cvt.u64.u32 %d20, %r20; sub.u64 %d21, %d2, %d20; add.u64 %d21, %d21, %d20;
        cp.async.bulk.prefetch.L2.global [%d21], 16;";
    let mixed = format!(
        "{wanted} not.b32 %r10, %r1; add.cc.u32 %r11, %r10, %r3; addc.u32 %r12, %r4, 7;
        st.global.u32 [%d5], %r11; st.global.u32 [%d5+4], %r12;"
    );
    let targets = ["sm_90", "sm_100", "sm_103", "sm_120"];
    for (body, uniform, own) in [(wanted, 2, 0), (&mixed, 2, 1)] {
        let text = after("ConvertToUniformReg", body);
        let count = |mnemonic: &str| text.lines().filter(|line| line.trim().starts_with(mnemonic)).count();
        assert_eq!((count("UIADD3.X"), count("IADD3.X")), (uniform, own), "{text}");
        agree_on(&targets, "", &format!("{START}\n{body}\nret;"), &support::two_by_64());
    }
    // Where threads are apart a carry stays with them, and the sum with it; of its operands one may be uniform.
    let apart = format!("setp.ne.u32 %p1, %r4, 0; @%p1 bra over; {wanted} over: st.global.u32 [%d5], %r4;");
    agree_on(&targets, "", &format!("{START}\n{apart}\nret;"), &support::two_by_64());
}

#[test]
fn a_thread_that_was_elected_parts_from_nobody() {
    // Each thread for itself leaves the loop when it likes: a barrier, and the others may run meanwhile.
    let spin = "L: atom.global.add.u32 %r10, [%d6], 1; setp.lt.u32 %p2, %r10, %r1; @%p2 bra L; over: st.global.u32 [%d5], %r4;";
    let each = after(
        "LateExpandSyncInstructions",
        &format!("setp.gt.u32 %p1, %r4, 7; @%p1 bra over; {spin}"),
    );
    assert!(each.contains("YIELD"), "{each}");
    // One alone does not: the barrier around the loop is that of those who wait for it.
    let one = after(
        "LateExpandSyncInstructions",
        &format!("elect.sync _|%p1, -1; @!%p1 bra over; {spin}"),
    );
    assert!(!one.contains("YIELD"), "{one}");
    assert_eq!(one.matches("BSSY").count(), 1, "{one}");
}

#[test]
fn uniform_values_in_and_around_ways_that_part() {
    // Counters of uniform loops, values of ways that only some threads take, and what is read behind them.
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r20, 1;
        L: shl.b32 %r12, %r2, 4; add.u32 %r13, %r12, %r10; and.b32 %r14, %r4, %r13; setp.ne.u32 %p1, %r14, 0; @%p1 bra A;
        mad.lo.u32 %r15, %r2, 7, %r1; xor.b32 %r20, %r20, %r15; add.u32 %r20, %r20, %r4; mul.lo.u32 %r20, %r20, 5; st.global.u32 [%d5+4], %r20;
        mad.lo.u32 %r20, %r20, %r20, %r13; xor.b32 %r20, %r20, %r12; add.u32 %r20, %r20, %r15; mul.lo.u32 %r20, %r20, 3; add.u32 %r20, %r20, %r1;
        A: add.u32 %r11, %r11, %r13; add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r1; @%p2 bra L;
        add.u32 %r11, %r11, %r20; st.global.u32 [%d5], %r11;";
    agree_body(body);
}

#[test]
fn adjacent_loads_of_shared_memory_become_one() {
    let body = ".shared .align 16 .b32 cells[256];
        mov.u32 %r10, cells; shl.b32 %r11, %r4, 4; add.u32 %r12, %r10, %r11;
        st.shared.u32 [%r12], %r5; st.shared.u32 [%r12+4], %r4; st.shared.u32 [%r12+8], %r2; st.shared.u32 [%r12+12], %r3;
        bar.sync 0; xor.b32 %r13, %r11, 1008; add.u32 %r14, %r10, %r13;
        ld.shared.u32 %r20, [%r14+4]; ld.shared.u32 %r21, [%r14]; ld.shared.u32 %r22, [%r14+12]; ld.shared.u32 %r23, [%r14+8];
        mad.lo.u32 %r24, %r20, 3, %r21; mad.lo.u32 %r24, %r24, 5, %r22; mad.lo.u32 %r24, %r24, 7, %r23;
        st.global.v2.u32 [%d5], {%r24, %r23};";
    agree_body(body);
    let masked = body.replace("xor.b32 %r13, %r11, 1008", "sub.u32 %r13, 1008, %r11");
    agree_body(&masked);
    let text = after("LateVectorization", &masked);
    assert_eq!(text.matches("LDS.128").count(), 1, "{text}");
    assert_eq!(text.matches("LDS").count(), 1, "{text}");
    // Addresses that are not known to be aligned keep their loads; so do loads with a store between them.
    let unknown = masked.replace("shl.b32 %r11, %r4, 4", "mul.lo.u32 %r11, %r4, 12");
    assert_eq!(after("LateVectorization", &unknown).matches("LDS").count(), 4);
    let stored = masked.replace("ld.shared.u32 %r22", "st.shared.u32 [%r14+8], 5; ld.shared.u32 %r22");
    let text = after("LateVectorization", &stored);
    assert_eq!(
        (text.matches("LDS.64").count(), text.matches("LDS").count()),
        (2, 2),
        "{text}"
    );
    agree_body(&stored);
}

#[test]
fn threads_meet_after_each_loop_though_the_last_one_is_left_by_ending() {
    // Three loops of different numbers of rounds, the last of which is left by a branch to the end.
    let body = "and.b32 %r10, %r5, 3; mov.u32 %r11, 0;
        A: add.u32 %r11, %r11, 3; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 5; @%p1 bra A;
        and.b32 %r10, %r5, 7;
        B: add.u32 %r11, %r11, %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 9; @%p1 bra B;
        and.b32 %r10, %r5, 1;
        C: st.global.u32 [%d5], %r11; add.u32 %r11, %r11, 7; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @!%p1 bra D; bra C;
        D:";
    let text = after("LateExpandSyncInstructions", body);
    assert_eq!(text.matches("BSSY").count(), 3, "{text}");
    assert_eq!(text.matches("BSYNC").count(), 3, "{text}");
    assert_eq!(text.matches("BREAK").count(), 0, "{text}");
    agree_body(body);
}

#[test]
fn a_loop_whose_copies_vanish_goes_round_with_one_branch() {
    let body = "mov.u32 %r10, 0; mov.u32 %r11, 0;
        A: add.u32 %r12, %r10, 1; add.u32 %r13, %r11, %r12; st.global.u32 [%d5], %r13;
        setp.lt.u32 %p1, %r12, %r1; @!%p1 bra D; mov.u32 %r10, %r12; mov.u32 %r11, %r13; bra A;
        D: st.global.u32 [%d5+4], %r13;";
    assert_eq!(flow_of(&after("OptimizeHotColdFlow", body)), ["@BRA", "EXIT"]);
    agree_body(body);
}

/// A loop in which most threads come to `J`, by three ways, and some leave before.
fn near_join(way: &str) -> String {
    let long =
        "add.u32 %r20, %r20, %r11; mul.lo.u32 %r20, %r20, 5; xor.b32 %r20, %r20, %r10; st.global.u32 [%d5+4], %r20; "
            .repeat(3);
    format!(
        "mov.u32 %r10, 0; mov.u32 %r20, %r4;
        L: and.b32 %r11, %r20, 3; setp.ne.u32 %p1, %r11, 0; @%p1 bra J;
        st.global.u32 [%d5+8], %r10; shr.u32 %r12, %r20, 2; and.b32 %r11, %r12, 3; st.global.u32 [%d5+12], %r11; setp.ne.u32 %p2, %r11, 0; @%p2 bra J;
        st.global.u32 [%d5+12], %r10; add.u32 %r11, %r4, %r10; st.global.u32 [%d5+8], %r11; setp.gt.u32 %p3, %r11, 12; @%p3 bra W;
        J: {long} add.u32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 9; @%p4 bra L; add.u32 %r20, %r20, 100; bra X;
        W: {way}
        X: shfl.sync.bfly.b32 %r13, %r20, 1, 31, -1; st.global.v2.u32 [%d5], {{%r20, %r13}};"
    )
}

#[test]
fn threads_meet_at_a_join_though_some_leave_for_one_farther_on() {
    let body = near_join("add.u32 %r20, %r20, 7;");
    let text = after("LateExpandSyncInstructions", &body);
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("BSSY"), count("BSYNC"), count("BREAK")), (2, 2, 1), "{text}");
    agree_body(&body);
}

#[test]
fn a_barrier_that_threads_have_left_stays_that_of_the_others() {
    // On the way of those who leave, a branch parts them again.
    let long = "mul.lo.u32 %r20, %r20, 5; xor.b32 %r20, %r20, %r10; st.global.u32 [%d5+8], %r20; ".repeat(6);
    let way = format!(
        "and.b32 %r14, %r4, 1; setp.eq.u32 %p5, %r14, 0; @%p5 bra V; {long} V: add.u32 %r20, %r20, 7; st.global.u32 [%d5+12], %r20;"
    );
    let body = near_join(&way);
    let text = after("LateExpandSyncInstructions", &body);
    assert_eq!(text.matches("BSSY").count(), 3, "{text}");
    agree_body(&body);
    let mut armed = armed(&body);
    assert_eq!(armed.len(), 3);
    armed.sort_unstable();
    armed.dedup();
    assert_eq!(armed.len(), 3, "a register is armed twice");
}

#[test]
fn threads_that_others_wait_for_farther_on_meet_nobody_else_before() {
    // To `B` come threads from `A`, which those at `C` wait for, and others, which they do not know of.
    let long =
        "mul.lo.u32 %r20, %r20, 5; xor.b32 %r20, %r20, %r10; st.global.u32 [%d5+8], %r20; add.u32 %r20, %r20, %r4; ";
    let body = format!(
        "and.b32 %r10, %r4, 1; setp.eq.u32 %p1, %r10, 0; and.b32 %r11, %r4, 2; setp.eq.u32 %p2, %r11, 0; mov.u32 %r20, %r4;
        @!%p2 bra A; {long} {long} @!%p1 bra B; st.global.u32 [%d5+12], %r20; bra D;
        A: st.global.u32 [%d5+4], %r20; {long} @%p1 bra C;
        B: {long} {long} {long}
        C: {long} {long}
        D: st.global.u32 [%d5], %r20;"
    );
    agree_body(&body);
}

#[test]
fn equal_ends_of_some_ways_are_one() {
    // Two of three ways to C end alike.
    let end = "st.global.u32 [%d5+4], %r10; mul.lo.u32 %r11, %r10, %r5; st.global.u32 [%d5+8], %r11; xor.b32 %r11, %r11, %r10; st.global.u32 [%d5+12], %r11;";
    let body = format!(
        "mov.u32 %r11, 8; setp.ge.u32 %p1, %r5, 7; setp.ge.u32 %p2, %r4, 20; @%p1 bra A; mov.u32 %r10, 3; {end} bra C;
        A: @%p2 bra B; ld.global.u32 %r10, [%d6]; {end} bra C;
        B: st.global.u32 [%d5+4], %r4;
        C: st.global.u32 [%d5], %r11;"
    );
    let text = after("MergeEquivalentConditionalFlow", &body);
    assert_eq!(text.matches("STG").count(), 5, "{text}");
    agree_body(&body);
}

/// Threads that come into a region from the side have not armed its barrier, and must not be with those that have before its wait.
#[test]
fn ways_into_a_region_from_the_side() {
    agree_body(
        "and.b32 %r10, %r4, 1; setp.eq.u32 %p1, %r10, 0; and.b32 %r11, %r4, 2; setp.eq.u32 %p2, %r11, 0; mov.u32 %r12, 0;
        @!%p2 bra L2; ld.global.u32 %r13, [%d6+8]; add.u32 %r12, %r12, %r13; @%p1 bra L3; add.u32 %r12, %r12, 7;
        L2: @%p1 bra L4; ld.global.u32 %r14, [%d6+16]; mad.lo.u32 %r12, %r12, 3, %r14; ld.global.u32 %r15, [%d6+20]; xor.b32 %r12, %r12, %r15;
        mul.lo.u32 %r12, %r12, %r14;
        L4: ld.global.u32 %r16, [%d6+24]; add.u32 %r12, %r12, %r16; st.volatile.global.u32 [%d5+4], %r12;
        L3: ld.global.u32 %r18, [%d6+28]; mad.lo.u32 %r12, %r12, 5, %r18; shr.u32 %r19, %r12, 3; xor.b32 %r12, %r12, %r19; mul.lo.u32 %r12, %r12, %r18;
        st.global.u32 [%d5], %r12;",
    );
}

/// Threads that come to a join by leaving another barrier wait for those of the join where all of them do: from a place of their own they would go on apart, and
/// what the warp computes once behind it would be computed twice.
#[test]
fn a_barrier_is_waited_for_in_one_place() {
    let body = "and.b32 %r10, %r4, 1; setp.eq.u32 %p3, %r10, 0; and.b32 %r11, %r4, 2; setp.eq.u32 %p2, %r11, 0; mov.u32 %r20, %r4;
        @%p3 bra L1; ld.global.u32 %r21, [%d6]; st.global.u32 [%d5+8], %r21; @%p2 bra L1; bra L4;
        L1: mul.lo.u32 %r20, %r20, 5; xor.b32 %r20, %r20, %r10; st.volatile.global.u32 [%d5+4], %r20; add.u32 %r20, %r20, %r4;
        mul.lo.u32 %r20, %r20, 7; xor.b32 %r20, %r20, %r11; st.volatile.global.u32 [%d5+4], %r20; add.u32 %r20, %r20, %r5;
        L4: shl.b32 %r12, %r1, 3; neg.s32 %r13, %r12; mad.lo.u32 %r20, %r20, %r13, %r4; st.global.u32 [%d5], %r20;";
    let text = after("LateExpandSyncInstructions", body);
    let found = waits(&text);
    let mut once = found.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!((found.len(), once.len()), (2, 2), "{text}");
    agree_body(body);
}

#[test]
fn a_region_that_threads_enter_from_the_side_is_armed_where_all_come_by() {
    // S is reached from both sides of a branch that all threads take alike, by branches at which they part.
    let store = |at: u32| {
        format!("mul.lo.u32 %r20, %r20, 5; xor.b32 %r20, %r20, %r10; st.volatile.global.u32 [%d5+{at}], %r20;")
    };
    let (one, two, three) = (store(4).repeat(3), store(8).repeat(3), store(12).repeat(3));
    let body = format!(
        "and.b32 %r10, %r4, 1; setp.eq.u32 %p3, %r10, 0; setp.gt.u32 %p1, %r1, 13; mov.u32 %r20, %r4;
        @%p1 bra B; {one} @%p3 bra X; bra S; B: {two} @%p3 bra Y;
        S: {three} bra J; X: {two} bra J; Y: {one} J: st.global.u32 [%d5], %r20;"
    );
    let text = after("LateExpandSyncInstructions", &body);
    assert_eq!((text.matches("BSSY").count(), waits(&text).len()), (1, 1), "{text}");
    agree_body(&body);
}

#[test]
fn branches_on_one_predicate_with_sums_between_are_one() {
    let body = "setp.gt.u32 %p1, %r4, 13; mov.u32 %r10, 5;
        @!%p1 bra A; st.global.u32 [%d5], %r4; A: add.u32 %r11, %r10, %r4; shl.b32 %r12, %r11, 2;
        @!%p1 bra B; st.global.u32 [%d5+4], %r12; B: xor.b32 %r13, %r12, %r11;
        @!%p1 bra C; st.global.u32 [%d5+8], %r13; C:
        st.global.u32 [%d5+12], %r13;";
    assert_eq!(after("OriBranchOpt", body).matches(" BRA ").count(), 1);
    agree_body(body);
    // What the guarded part reads or writes stays behind it, and what decides may change.
    let changes = "setp.gt.u32 %p1, %r4, 13; mov.u32 %r10, 5;
        @!%p1 bra A; add.u32 %r10, %r10, 9; st.global.u32 [%d5], %r10; A: add.u32 %r11, %r10, %r4;
        @!%p1 bra B; st.global.u32 [%d5+4], %r11; B: setp.gt.u32 %p1, %r11, 40;
        @!%p1 bra C; st.global.u32 [%d5+8], %r11; add.u32 %r10, %r10, 1; C: mov.u32 %r11, 3;
        @%p1 bra D; st.global.u32 [%d5+8], %r11; D:
        st.global.u32 [%d5+12], %r10;";
    agree_body(changes);
}

/// Lanes that never come to a wait for all end instead, as sloppy reductions have it: they must not wait for those that wait for them.
#[test]
fn threads_that_skip_a_wait_for_all_do_not_wait_for_those_in_it() {
    let more = "add.u32 %r12, %r12, 3; st.volatile.global.u32 [%d5+4], %r12;".repeat(8);
    let body = |behind: &str| {
        format!(
            "{START} ld.global.u32 %r12, [%d6]; setp.gt.u32 %p1, %r4, 30; @%p1 bra over; {more} vote.sync.ballot.b32 %r13, %p1, -1;
            st.volatile.global.u32 [%d5+8], %r13; {more} over: {behind} st.global.u32 [%d5], %r12; ret;"
        )
    };
    let targets = ["sm_90", "sm_100", "sm_103", "sm_120"];
    agree_on(&targets, "", &body(""), &two_by_64());
    // What all threads do together behind the branch they come together for.
    let matrix = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r14}, [%r15]; st.volatile.global.u32 [%d5+12], %r14;";
    let code = words("sm_90", 3, &body(&format!("mov.u32 %r15, 64; {matrix}{matrix}")));
    let text: Vec<String> = code.iter().map(ToString::to_string).collect();
    let at = |name: &str| text.iter().position(|line| line.contains(name)).expect(name);
    assert!(!text.iter().any(|line| line.contains("BSSY")), "{text:#?}");
    assert_eq!(
        text.iter().filter(|line| line.contains("WARPSYNC")).count(),
        2,
        "{text:#?}"
    );
    assert!(
        text[at("VOTE")..at("LDSM")]
            .iter()
            .any(|line| line.contains("WARPSYNC"))
    );
}

/// All threads of a warp lie on one side of a place between two warps, if it is known how the CTA lies in warps. (ptxas 13.0.88 has the same barriers.)
#[test]
fn warps_do_not_part_between_two() {
    let more = "add.u32 %r12, %r12, 3; st.volatile.global.u32 [%d5+4], %r12;".repeat(8);
    let count = |directives: &str, test: &str| {
        let body = format!("ld.global.u32 %r12, [%d6]; {test} @%p1 bra over; {more} over: st.global.u32 [%d5], %r12;");
        armed_with(directives, &body).len()
    };
    for test in [
        "gt.u32 %p1, %r4, 31",
        "ge.u32 %p1, %r4, 64",
        "lt.u32 %p1, %r4, 32",
        "le.s32 %p1, %r4, 95",
    ] {
        assert_eq!(count(".reqntid 128", &format!("setp.{test};")), 0, "{test}");
        assert_eq!(count(".maxntid 128", &format!("setp.{test};")), 1, "{test}");
        assert_eq!(count(".reqntid 48, 2", &format!("setp.{test};")), 1, "{test}");
    }
    for test in [
        "gt.u32 %p1, %r4, 30",
        "eq.u32 %p1, %r4, 32",
        "gt.u32 %p1, %r5, 31",
        "gt.or.u32 %p1, %r4, 31, %p2",
    ] {
        let test = format!("setp.eq.u32 %p2, %r12, 5; setp.{test};");
        assert_eq!(count(".reqntid 128", &test), 1, "{test}");
    }
}
