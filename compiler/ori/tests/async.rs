//! Asynchronous copies and barrier objects.

mod support;

use support::{START, agree_on, two_by_64};

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
