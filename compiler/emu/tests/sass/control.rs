//! Divergence, convergence, calls.

use warpsmith_emu::FaultKind;

use crate::program::{Run, each_thread};

#[test]
fn a_barrier_converges_both_sides_of_a_branch() {
    // In the odd side another barrier of the same register is armed: threads that run apart do not share it.
    let text = each_thread(
        "BSSY B0, JOIN
        LOP3.LUT R1, R0, 0x1, RZ, 0xc0, !PT
        ISETP.NE.U32.AND P0, PT, R1, RZ, PT
        @P0 BRA ODD
        MOV R2, 0x10
        BRA MEET
        ODD:
        BMOV.32.CLEAR R6, B0
        BSSY B0, INNER
        ISETP.EQ.U32.AND P1, PT, R0, 0x3, PT
        @P1 BRA THREE
        MOV R2, 0x20
        BRA INNER
        THREE:
        MOV R2, 0x30
        INNER:
        BSYNC B0
        BMOV.32 B0, R6
        MEET:
        BSYNC B0
        JOIN:
        NOP",
    );
    let words = Run::of("sm_75", &text).words();
    assert_eq!(words[..6], [0x10, 0x20, 0x10, 0x30, 0x10, 0x20]);
}

#[test]
fn a_thread_leaves_a_barrier_that_another_has_saved() {
    // Thread 1 leaves B6 while the others have it in a register; they must not wait for it.
    let text = each_thread(
        "BSSY B6, JOIN
        ISETP.EQ.U32.AND P0, PT, R0, 0x1, PT
        @P0 BRA OUT
        BMOV.32.CLEAR R6, B6
        WARPSYNC 0xfffffffd
        BMOV.32 B6, R6
        MOV R2, 0x1
        BSYNC B6
        BRA JOIN
        OUT:
        BREAK B6
        MOV R2, 0x2
        JOIN:
        NOP",
    );
    let words = Run::of("sm_75", &text).words();
    assert_eq!(words[..3], [1, 2, 1]);
}

#[test]
fn lanes_of_a_quad_help_wherever_they_are() {
    // Threads 4, 6 and 7 write what thread 5 has them write; they wait elsewhere.
    let text = each_thread(
        "BSSY B0, JOIN
        MOV R2, 0x1
        ISETP.NE.U32.AND P0, PT, R0, 0x5, PT
        @P0 BRA MEET
        BMOV.32 B15, MACTIVE
        BMOV.32.PQUAD MACTIVE, B15
        MOV R2, 0x7
        BMOV.32 MACTIVE, B15
        IADD3 R2, R2, 0x2, RZ
        MEET:
        BSYNC B0
        JOIN:
        NOP",
    );
    let words = Run::of("sm_75", &text).words();
    assert_eq!(words[..10], [1, 1, 1, 1, 7, 9, 7, 7, 1, 1]);
}

#[test]
fn exits_do_not_keep_others_waiting() {
    let text = each_thread(
        "MOV R2, 0x5
        BSSY B0, JOIN
        ISETP.LT.U32.AND P0, PT, R0, 0x4, PT
        @P0 EXIT
        BSYNC B0
        JOIN:
        WARPSYNC 0xffffffff",
    );
    let words = Run::of("sm_75", &text).words();
    assert_eq!(words[3..5], [0, 5]);
}

#[test]
fn before_sm_100_no_barrier_is_firm() {
    // Threads 0 and 1 wait for all; the others are at the end of the branch, go on and end.
    let text = each_thread(
        "MOV R2, 0x3
        BSSY B0, JOIN
        ISETP.GE.U32.AND P0, PT, R0, 0x2, PT
        @P0 BRA MEET
        MOV R2, 0x5
        WARPSYNC 0xffffffff
        IADD3 R2, R2, 0x2, RZ
        MEET:
        BSYNC B0
        JOIN:
        NOP",
    );
    let words = Run::of("sm_75", &text).words();
    assert_eq!(words[..4], [7, 7, 3, 3]);
}

#[test]
fn waiting_for_lanes_that_do_not_come_is_a_fault() {
    let text = each_thread(
        "ISETP.EQ.U32.AND P0, PT, R0, 0x1, PT
        @P0 BRA OUT
        WARPSYNC 0xffffffff
        BRA DONE
        OUT:
        BAR.SYNC 0x0",
    );
    let message = Run::of("sm_75", &text).fault();
    assert!(message.contains("waits for lanes 0xffffffff"), "{message}");
}

#[test]
fn lanes_that_take_a_lock_one_after_the_other() {
    // A spin lock between the lanes of a warp: each group runs in its turn.
    let text = each_thread(
        "MOV R8, 0x0
        SPIN:
        MOV R9, 0x0
        MOV R10, 0x1
        ATOMS.CAS R11, [RZ], R9, R10
        ISETP.NE.U32.AND P0, PT, R11, RZ, PT
        @P0 BRA SPIN
        LDS.U R12, [0x4]
        IADD3 R12, R12, 0x1, RZ
        STS [0x4], R12
        MOV R2, R12
        ATOMS.EXCH RZ, [RZ], RZ",
    );
    let mut words = Run::of("sm_75", &text).words();
    words.sort_unstable();
    assert_eq!(words, (1..=32).collect::<Vec<u32>>());
}

#[test]
fn threads_at_a_loose_barrier_go_on_where_all_others_wait_for_them() {
    // Lane 0 waits for the others, which wait for it at the end of the branch.
    let text = "S2R R0, SR_TID.X
        ISETP.NE.AND P0, PT, R0, RZ, PT
        BSSY B0, END
        @P0 BRA END
        WARPSYNC.ALL
        LDC.64 R4, c[0x0][0x380]
        MOV R2, 0x1
        STG.E desc[UR60][R4.64], R2
        END:
        BSYNC B0
        EXIT";
    assert_eq!(Run::of("sm_100", text).words()[0], 1);
    let firm = text
        .replace("BSSY B0", "BSSY.RECONVERGENT B0")
        .replace("BSYNC B0", "BSYNC.RECONVERGENT B0");
    let fault = Run::of("sm_100", &firm).go().expect_err("a deadlock");
    assert_eq!(fault.kind, FaultKind::BarrierDivergence);
}

#[test]
fn a_collective_section_is_executed_by_threads_from_two_places() {
    // Lane 0 comes from one place and lanes 1 to 31 from another; each goes on at its own.
    let text = "S2R R0, SR_TID.X
        MOV R15, 0xffffffff
        ISETP.EQ.U32.AND P0, PT, R0, RZ, PT
        UMOV UR4, 0xffffffff
        @P0 BRA ONE
        BRA.DIV UR4, SLOW
        MOV R2, 0x77
        BRA STORE
        SLOW:
        WARPSYNC.COLLECTIVE R15, FIRST
        IADD3 R3, R0, 0x100, RZ
        ENDCOLLECTIVE
        FIRST:
        IADD3 R2, R3, 0x1000, RZ
        BRA STORE
        ONE:
        WARPSYNC.COLLECTIVE R15, SECOND
        IADD3 R3, R0, 0x100, RZ
        ENDCOLLECTIVE
        SECOND:
        IADD3 R2, R3, 0x2000, RZ
        STORE:
        LDC.64 R4, c[0x0][0x210]
        IMAD.WIDE R4, R0, 0x4, R4
        STG.E [R4], R2
        EXIT";
    let words = Run::of("sm_90", text).words();
    assert_eq!(words[..3], [0x2100, 0x1101, 0x1102]);
}

#[test]
fn calls_return_by_registers() {
    let text = each_thread(
        "MOV R2, 0x1
        LEPC R6
        IADD3 R20, R6, 0x50, RZ
        MOV R21, R7
        CALL.REL.NOINC DOUBLE
        NOP
        IADD3 R2, R2, 0x5, RZ
        BRA DONE
        DOUBLE:
        IADD3 R2, R2, R2, RZ
        RET.ABS.NODEC R20 0x0",
    );
    // LEPC is the third instruction, so that 0x50 after it is the addition of 5.
    assert_eq!(Run::of("sm_75", &text).words()[0], 7);
}

#[test]
fn an_indirect_branch_goes_to_each_threads_own_target() {
    let text = each_thread(
        "LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT
        IMAD R6, R6, 0x20, RZ
        MOV R7, 0x0
        BRX R6 0x0
        MOV R2, 0x1
        BRA DONE
        MOV R2, 0x2
        BRA DONE",
    );
    assert_eq!(Run::of("sm_75", &text).words()[..4], [1, 2, 1, 2]);
}

#[test]
fn votes_at_barriers() {
    let text = each_thread(
        "ISETP.LT.U32.AND P0, PT, R0, 0x5, PT
        BAR.RED.POPC 0x1, P0
        B2R.RESULT R6
        BAR.RED.AND 0x0, P0
        B2R.RESULT RZ, P1
        BAR.RED.OR 0x0, P0
        B2R.RESULT RZ, P2
        MOV R2, R6
        @P1 IADD3 R2, R2, 0x100, RZ
        @P2 IADD3 R2, R2, 0x200, RZ",
    );
    assert_eq!(
        Run {
            block: 64,
            words: &[0; 64],
            ..Run::of("sm_75", &text)
        }
        .words()[63],
        0x205
    );
}

#[test]
fn number_and_count_of_a_barrier_in_one_register() {
    // Barrier 3 for 64 threads; the third warp does not take part.
    let text = each_thread(
        "ISETP.GE.U32.AND P0, PT, R0, 0x40, PT
        @P0 BRA DONE
        MOV R6, 0x400003
        BAR.SYNC R6, R6
        MOV R2, 0x9",
    );
    let words = Run {
        block: 96,
        words: &[0; 96],
        ..Run::of("sm_75", &text)
    }
    .words();
    assert_eq!((words[63], words[64]), (9, 0));
}

#[test]
fn traps_end_the_launch() {
    let message = Run::of("sm_80", "BPT.TRAP 0x1\nEXIT").fault();
    assert_eq!(message, "the code ends the launch by a trap");
}

#[test]
fn a_thread_that_leaves_a_barrier_goes_on_once() {
    let text = each_thread(
        "MOV R2, 0x0
        BSSY B0, JOIN
        IADD3 R2, R2, 0x1, RZ
        ISETP.LT.U32.AND P0, PT, R0, 0x4, PT
        @P0 BREAK B0
        @P0 BRA JOIN
        BSYNC B0
        JOIN:
        NOP",
    );
    assert_eq!(Run::of("sm_75", &text).words(), [1; 32]);
}

#[test]
fn threads_of_a_warp_that_name_different_lanes_wait_with_their_own() {
    // The lower half waits for lanes 0 to 15, the upper for 16 to 31, at one instruction.
    let text = each_thread(
        "LOP3.LUT R1, R0, 0x10, RZ, 0xc0, !PT
        MOV R3, 0xffff
        SHF.L.U32 R3, R3, R1, RZ
        WARPSYNC R3
        MOV R2, R1",
    );
    let words = Run::of("sm_75", &text).words();
    assert_eq!((words[15], words[16]), (0, 16));
}
