//! Asynchronous copies and barrier objects.

mod support;

use support::{START, agree_on, two_by_64, words};

const FROM_80: [&str; 8] = [
    "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];
const FROM_90: [&str; 5] = ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"];

fn on(targets: &[&str], body: &str) {
    agree_on(targets, "", &format!("{START}\n{body}\nret;"), &two_by_64());
}

#[test]
fn copies_of_every_size() {
    for copy in [
        "cp.async.ca.shared.global [%r11], [%d6], 4; cp.async.ca.shared.global [%r11+8], [%d6+8], 8",
        "cp.async.cg.shared.global [%r11], [%d6], 16",
        "cp.async.cg.shared.global.L2::128B [%r11], [%d6], 16, %r12",
        "cp.async.ca.shared.global [%r11], [%d6], 16, 7",
        "cp.async.ca.shared.global [%r11], [%d6], 8, 0",
        "cp.async.ca.shared.global [%r11], [%d6], 16, %p1",
        "selp.u32 %r13, 16, 0, %p1; cp.async.cg.shared.global [%r11], [%d6], 16, %r13",
        "selp.u32 %r13, 0, 8, %p1; cp.async.ca.shared.global [%r11], [%d6], 8, %r13",
        "mov.u32 %r13, 16; @%p1 mov.u32 %r13, 4; cp.async.ca.shared.global [%r11], [%d6], 16, %r13",
    ] {
        on(
            &FROM_80,
            &format!(
                ".shared .align 16 .b8 m[1024]; shl.b32 %r10, %r4, 4; mov.u32 %r11, m; add.u32 %r11, %r11, %r10;
                and.b32 %r12, %r4, 15; setp.lt.u32 %p1, %r12, 5; st.shared.v4.u32 [%r11], {{%r4, %r4, %r4, %r4}};
                {copy}; cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;
                ld.shared.v4.u32 {{%r20, %r21, %r22, %r23}}, [%r11]; st.global.v4.u32 [%d5], {{%r20, %r21, %r22, %r23}};"
            ),
        );
    }
}

/// What is copied whole or not at all needs nobody to count what is missing.
#[test]
fn copies_of_all_or_nothing_fill_nothing_up() {
    let fills = |size: &str| {
        let body = format!(
            "{START} .shared .align 16 .b8 m[1024]; mov.u32 %r11, m; setp.lt.u32 %p1, %r4, 5; {size}
            cp.async.cg.shared.global [%r11], [%d6], 16, %r13; cp.async.wait_all; ret;"
        );
        let code = words("sm_90", 3, &body);
        let copy = code
            .iter()
            .find(|one| one.mnemonic() == "LDGSTS")
            .unwrap_or_else(|| panic!("a copy: {code:?}"));
        copy.to_string().contains("ZFILL")
    };
    assert!(!fills("selp.u32 %r13, 16, 0, %p1;"));
    assert!(!fills("mov.u32 %r13, 16;"));
    assert!(fills("selp.u32 %r13, 16, 4, %p1;"));
    assert!(fills("selp.u32 %r13, 8, 0, %p1;"));
    assert!(fills("selp.u32 %r13, 16, 0, %p1; @%p1 mov.u32 %r13, 4;"));
}

#[test]
fn barrier_objects() {
    let wait = "again: mbarrier.test_wait.shared.b64 %p2, [b], %d10; @!%p2 bra again;";
    for arrival in [
        "mbarrier.arrive.shared.b64 %d10, [b]",
        "mbarrier.arrive_drop.shared.b64 %d10, [b]",
    ] {
        on(
            &FROM_80,
            &format!(
                ".shared .align 8 .b64 b; .shared .align 4 .b32 m[64]; setp.eq.u32 %p1, %r4, 0;
                @%p1 mbarrier.init.shared.b64 [b], 64; bar.sync 0;
                mov.u32 %r10, m; shl.b32 %r11, %r4, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r5;
                {arrival}; {wait}
                xor.b32 %r13, %r11, 252; add.u32 %r13, %r13, %r10; ld.shared.u32 %r14, [%r13]; bar.sync 0;
                @%p1 mbarrier.inval.shared.b64 [b]; st.global.u32 [%d5], %r14;"
            ),
        );
    }
}

#[test]
fn barriers_by_parity_and_transactions() {
    on(
        &FROM_90,
        ".shared .align 8 .b64 b; setp.eq.u32 %p1, %r4, 0; @%p1 mbarrier.init.shared.b64 [b], 64; bar.sync 0;
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], 16; @!%p1 mbarrier.arrive.shared.b64 _, [b];
        @%p1 mbarrier.complete_tx.relaxed.cta.shared.b64 [b], 16;
        again: mbarrier.try_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra again;
        mbarrier.test_wait.parity.shared.b64 %p3, [b], 1; selp.u32 %r10, 1, 2, %p3; st.global.u32 [%d5], %r10;",
    );
}

#[test]
fn copies_arrive_at_barriers() {
    for kind in ["", ".noinc"] {
        let count = if kind.is_empty() { 64 } else { 128 };
        on(
            &FROM_80,
            &format!(
                ".shared .align 8 .b64 b; .shared .align 16 .b8 m[1024]; setp.eq.u32 %p1, %r4, 0;
                @%p1 mbarrier.init.shared.b64 [b], {count}; bar.sync 0; shl.b32 %r10, %r4, 4; mov.u32 %r11, m; add.u32 %r11, %r11, %r10;
                cp.async.cg.shared.global [%r11], [%d6], 16; cp.async.mbarrier.arrive{kind}.shared.b64 [b];
                mbarrier.arrive.shared.b64 %d10, [b]; again: mbarrier.test_wait.shared.b64 %p2, [b], %d10; @!%p2 bra again;
                ld.shared.v4.u32 {{%r20, %r21, %r22, %r23}}, [%r11]; st.global.v4.u32 [%d5], {{%r20, %r21, %r22, %r23}};"
            ),
        );
    }
}

/// A ring of barrier objects: so many rounds as memory says, the same for all threads, in each of which they wait for one another's arrivals.
const RING: &str = ".shared .align 8 .b64 b[4]; .shared .align 4 .b32 c; mov.u32 %r10, b; setp.eq.u32 %p1, %r4, 0;
    @%p1 mbarrier.init.shared.b64 [b], 64; @%p1 mbarrier.init.shared.b64 [b+8], 64; @%p1 mbarrier.init.shared.b64 [b+16], 64;
    @%p1 mbarrier.init.shared.b64 [b+24], 64; @%p1 st.shared.u32 [c], 0; bar.sync 0;
    ld.global.u32 %r11, [%d2]; and.b32 %r11, %r11, 3; add.u32 %r11, %r11, 6; shr.u32 %r17, %r4, 5;
    mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r15, 0;
    ROUND: shl.b32 %r16, %r12, 3; add.u32 %r16, %r16, %r10; mbarrier.arrive.shared.b64 _, [%r16];
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r16], %r13; @%p2 bra DONE; bra WAIT;
    DONE: shfl.sync.idx.b32 %r18, %r17, 0, 31, -1; mad.lo.u32 %r15, %r15, 3, %r18; add.u32 %r15, %r15, %r12;
    elect.sync %r19|%p3, -1; @%p3 red.shared.add.u32 [c], %r16; bar.sync 0; ld.shared.u32 %r21, [c]; sub.u32 %r21, %r21, %r10;
    xor.b32 %r15, %r15, %r21; bar.sync 0; @%p1 st.shared.u32 [c], 0; bar.sync 0;
    add.u32 %r12, %r12, 1; setp.eq.u32 %p4, %r12, 4; selp.b32 %r20, 1, 0, %p4; selp.b32 %r12, 0, %r12, %p4; xor.b32 %r13, %r13, %r20;
    add.u32 %r14, %r14, 1; setp.lt.u32 %p5, %r14, %r11; @%p5 bra ROUND;
    st.global.u32 [%d5], %r15; st.global.u32 [%d5+4], %r14;";

#[test]
fn a_ring_of_barrier_objects() {
    // The address of the variables differs between interpreter and machine code: twice of it is taken off the sum of two warps, once above and once here.
    let body = RING.replace(
        "sub.u32 %r21, %r21, %r10;",
        "sub.u32 %r21, %r21, %r10; sub.u32 %r21, %r21, %r10;",
    );
    on(&FROM_90, &body);
}

/// Threads of a warp that wait for one barrier object together go on together: no `YIELD`, no `WARPSYNC`, as
/// ptxas has it.
#[test]
fn waits_that_all_threads_of_a_warp_leave_together() {
    use warpsmith_sass::Opcode;
    for target in FROM_90 {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n{START}\n{RING}\nret;\n}}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let sm: warpsmith_target::Sm = target.parse().expect("a known target");
        let cubin =
            warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|errors| panic!("{target}: {}", errors[0]));
        let cubin = warpsmith_cubin::Cubin::read(&cubin.write()).expect("the cubin reads back");
        let (section, _) = cubin.functions().next().expect("a function");
        let mut asked = 0;
        for word in cubin.section_bytes(section).unwrap_or_default().chunks_exact(16) {
            let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
            let instruction = warpsmith_sass::Instruction::decode(sm.isa(), word).expect("our words decode");
            let apart = matches!(instruction.opcode(), Opcode::Yield | Opcode::Warpsync);
            assert!(!apart, "{target}: {instruction}");
            if instruction.to_string().contains("PHASECHK") {
                asked += 1;
            }
        }
        assert!(asked > 0, "{target}");
    }
}
