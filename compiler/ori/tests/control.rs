//! Control flow, barriers, and what the lanes of a warp do together.

mod support;

use support::{START, TARGETS, agree_body, agree_on, two_by_64};

#[test]
fn branches_by_index() {
    agree_body(
        "and.b32 %r10, %r4, 3; mov.u32 %r11, 0;
        targets: .branchtargets A, B, C;
        setp.lt.u32 %p1, %r10, 3;
        @%p1 brx.idx %r10, targets;
        mov.u32 %r11, 9; bra END;
        A: mov.u32 %r11, 1; bra END;
        B: mov.u32 %r11, 2; bra END;
        C: mov.u32 %r11, 3;
        END: st.global.u32 [%d5], %r11;",
    );
}

#[test]
fn shuffles() {
    agree_body(
        "shfl.sync.idx.b32 %r10, %r5, 3, 31, -1; shfl.sync.up.b32 %r11|%p1, %r5, 1, 0, 0xffffffff; @%p1 add.u32 %r11, %r11, 100;
        shfl.sync.down.b32 %r12, %r5, 5, 0x1f1f, -1; shfl.sync.bfly.b32 %r13, %r5, 16, 31, -1;
        st.global.v4.u32 [%d5], {%r10, %r11, %r12, %r13};",
    );
}

#[test]
fn votes_and_matches() {
    agree_body(
        "and.b32 %r10, %r4, 5; setp.eq.u32 %p1, %r10, 5; setp.lt.u32 %p2, %r4, 99;
        vote.sync.ballot.b32 %r11, %p1, -1; vote.sync.all.pred %p3, %p2, -1; vote.sync.any.pred %p4, !%p2, -1; vote.sync.uni.pred %p5, !%p2, -1;
        mov.u32 %r12, 0; @%p3 add.u32 %r12, %r12, 1; @%p4 add.u32 %r12, %r12, 2; @%p5 add.u32 %r12, %r12, 4;
        match.any.sync.b32 %r13, %r10, -1; match.all.sync.b64 %r14|%p6, %d1, -1; @%p6 add.u32 %r12, %r12, 8;
        match.all.sync.b32 %r15|%p7, %r10, -1; @%p7 add.u32 %r12, %r12, 16; add.u32 %r14, %r14, %r15;
        st.global.v4.u32 [%d5], {%r11, %r12, %r13, %r14};",
    );
}

#[test]
fn lanes_apart() {
    // The odd lanes vote on their own.
    agree_body(
        "and.b32 %r10, %r4, 1; setp.eq.u32 %p1, %r10, 1; mov.u32 %r11, 0; mov.u32 %r12, 0; and.b32 %r13, %r4, 4; setp.ne.u32 %p2, %r13, 0;
        @!%p1 bra END;
        vote.sync.ballot.b32 %r11, %p2, 0xaaaaaaaa; shfl.sync.idx.b32 %r12, %r5, 7, 31, 0xaaaaaaaa;
        END: st.global.v2.u32 [%d5], {%r11, %r12};",
    );
}

#[test]
fn barriers() {
    agree_body(
        ".shared .align 4 .b32 cells[64];
        shl.b32 %r10, %r4, 2; mov.u32 %r11, cells; add.u32 %r11, %r11, %r10; st.shared.u32 [%r11], %r5;
        mov.u32 %r20, 3; mov.u32 %r21, 64; bar.sync %r20, %r21; bar.sync 2, %r21; bar.sync %r20; barrier.sync 1, 64;
        xor.b32 %r12, %r10, 252; mov.u32 %r13, cells; add.u32 %r13, %r13, %r12; ld.shared.u32 %r14, [%r13];
        setp.lt.u32 %p1, %r4, 10; bar.red.popc.u32 %r15, 1, %p1; bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 1, 64, %p1;
        mov.u32 %r16, 0; @%p2 add.u32 %r16, %r16, 1; @%p3 add.u32 %r16, %r16, 2;
        st.global.v4.u32 [%d5], {%r14, %r15, %r16, %r4};",
    );
}

#[test]
fn reductions_over_a_warp() {
    let body = format!(
        "{START}
        redux.sync.add.s32 %r10, %r5, -1; redux.sync.max.u32 %r11, %r5, -1; redux.sync.min.s32 %r12, %r5, -1; redux.sync.xor.b32 %r13, %r5, -1;
        st.global.v4.u32 [%d5], {{%r10, %r11, %r12, %r13}}; ret;"
    );
    agree_on(&TARGETS[1..], "", &body, &two_by_64());
}
