//! Branches, divergence and convergence, barriers and locks.

use crate::support::{attempt, each, kernel, module, words};
use warpsmith_emu::ptx::Options;

#[test]
fn loops_of_different_length_converge() {
    // 1 + 2 + … + thread, then how many lanes are together.
    let body = "
        mov.u32 %r2, 0; mov.u32 %r1, 0;
      loop:
        setp.ge.u32 %p1, %r2, %r0;
        @%p1 bra done;
        add.u32 %r2, %r2, 1;
        add.u32 %r1, %r1, %r2;
        bra loop;
      done:
        activemask.b32 %r3; popc.b32 %r3, %r3; shl.b32 %r3, %r3, 16; or.b32 %r1, %r1, %r3;";
    let expected: Vec<u32> = (0..32).map(|n| (n * (n + 1) / 2) | (32 << 16)).collect();
    assert_eq!(each(body, 32), expected);
}

#[test]
fn ways_that_stand_out_of_order_meet() {
    // The second way stands behind the end of the kernel.
    let body = "
        and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;
        @%p1 bra even;
        mov.u32 %r1, 100;
      meet:
        activemask.b32 %r3; popc.b32 %r3, %r3; add.u32 %r1, %r1, %r3;
        bra store;
      even:
        mov.u32 %r1, 200;
        bra meet;
      store:";
    assert_eq!(each(body, 4), [204, 104, 204, 104]);
}

#[test]
fn tables_of_targets() {
    let body = "
        and.b32 %r2, %r0, 3;
        table: .branchtargets a, b, c, a;
        brx.idx %r2, table;
      a: mov.u32 %r1, 10; bra done;
      b: mov.u32 %r1, 11; bra done;
      c: mov.u32 %r1, 12;
      done:";
    assert_eq!(each(body, 5), [10, 11, 12, 10, 10]);
}

#[test]
fn a_barrier_orders_warps() {
    // Each thread writes a word of shared memory and reads that of its mirror image in another warp.
    let body = "
        .shared .b32 buffer[128];
        shl.b32 %r2, %r0, 2; mov.u32 %r3, buffer; add.u32 %r4, %r3, %r2;
        st.shared.u32 [%r4], %r0;
        bar.sync 0;
        sub.u32 %r5, 508, %r2; add.u32 %r5, %r3, %r5;
        ld.shared.u32 %r1, [%r5];";
    let expected: Vec<u32> = (0..128).rev().collect();
    assert_eq!(each(body, 128), expected);
}

#[test]
fn barriers_count_and_vote() {
    let body = "
        and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 1;
        bar.red.popc.u32 %r1, 0, %p1;
        bar.red.and.pred %p2, 1, %p1; selp.u32 %r3, 0x100, 0, %p2; or.b32 %r1, %r1, %r3;
        bar.red.or.pred %p3, 2, %p1; selp.u32 %r3, 0x200, 0, %p3; or.b32 %r1, %r1, %r3;";
    assert_eq!(each(body, 64), [0x220; 64]);
}

#[test]
fn producers_arrive_and_consumers_wait() {
    // Warp 1 produces, warp 0 consumes, through a named barrier of 64 threads.
    let body = "
        .shared .b32 value;
        mov.u32 %r1, 0;
        setp.lt.u32 %p1, %r0, 32;
        @%p1 bra consume;
        mov.u32 %r2, 77; st.shared.u32 [value], %r2;
        bar.arrive 3, 64;
        bra done;
      consume:
        bar.sync 3, 64;
        ld.shared.u32 %r1, [value];
      done:";
    let mut expected = vec![77; 32];
    expected.resize(64, 0);
    assert_eq!(each(body, 64), expected);
}

#[test]
fn lanes_of_a_warp_share_a_lock() {
    // Without fairness the lane that holds the lock would never run again.
    let body = "
        .shared .b32 lock; .shared .b32 count;
      again:
        atom.shared.cas.b32 %r2, [lock], 0, 1;
        setp.ne.u32 %p1, %r2, 0;
        @%p1 bra again;
        ld.shared.u32 %r3, [count]; add.u32 %r3, %r3, 1; st.shared.u32 [count], %r3;
        atom.shared.exch.b32 %r2, [lock], 0;
        bar.warp.sync 0xffffffff;
        ld.shared.u32 %r1, [count];";
    assert_eq!(each(body, 32), [32; 32]);
}

#[test]
fn a_cta_may_wait_for_a_later_one() {
    // Each CTA but the last waits for the flag of the next one.
    let text = kernel(
        "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1;
         mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;
         setp.eq.u32 %p1, %r0, %r1;
         @%p1 bra set;
       wait:
         ld.acquire.gpu.global.u32 %r2, [%d1+4];
         setp.eq.u32 %p2, %r2, 0;
         @%p2 bra wait;
       set:
         mov.u32 %r3, 1;
         st.release.gpu.global.u32 [%d1], %r3;
         ret;",
    );
    assert_eq!(words(&text, 160, (160, 64)), [1; 160]);
}

#[test]
fn equal_seeds_give_equal_runs() {
    // The order in which warps draw tickets depends on the seed alone.
    let text = module(&kernel(
        "mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;
         mov.u32 %r3, 0;
       loop:
         atom.global.add.u32 %r1, [%d0+4096], 1;
         add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20; @%p1 bra loop;
         st.global.u32 [%d1], %r1; ret;",
    ));
    let with = |seed| {
        let options = Options {
            seed,
            ..Options::default()
        };
        attempt(&text, &[0; 1025], (1, 1024), &options).unwrap().0
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}
