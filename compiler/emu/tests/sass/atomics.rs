//! Atomic operations and mbarriers.

use crate::{
    program::{Run, each_thread},
    support::{attempt_on, with},
};
use warpsmith_emu::{Device, Launch};

/// The buffer after one thread has executed these lines on a word of it, whose address is in R4; R2 is stored in the next word.
fn one(words: &[u32], body: &str) -> Vec<u32> {
    let text = format!(
        "MOV R4, c[0x0][0x160]
        MOV R5, c[0x0][0x164]
        {body}
        STG.E.SYS [R4+0x10], R2
        EXIT"
    );
    Run {
        block: 1,
        words,
        ..Run::of("sm_75", &text)
    }
    .words()
}

#[test]
fn integers() {
    let after = |old: u32, operand: u32, operation: &str| {
        let body = format!("MOV R6, {operand:#x}\nATOMG.E.{operation}.STRONG.GPU PT, R2, [R4], R6");
        let words = one(&[old, 0, 0, 0, 0], &body);
        assert_eq!(words[4], old, "{operation}");
        words[0]
    };
    assert_eq!(after(5, 0xffff_fffe, "ADD"), 3);
    assert_eq!(after(5, 0xffff_fffe, "MIN"), 5);
    assert_eq!(after(5, 0xffff_fffe, "MIN.S32"), 0xffff_fffe);
    assert_eq!(after(5, 0xffff_fffe, "MAX"), 0xffff_fffe);
    assert_eq!(after(5, 0xffff_fffe, "MAX.S32"), 5);
    assert_eq!((after(5, 5, "INC"), after(4, 5, "INC")), (0, 5));
    assert_eq!((after(0, 5, "DEC"), after(9, 5, "DEC"), after(3, 5, "DEC")), (5, 5, 2));
    assert_eq!(
        (after(12, 10, "AND"), after(12, 10, "OR"), after(12, 10, "XOR")),
        (8, 14, 6)
    );
    assert_eq!(after(12, 10, "EXCH"), 10);
}

#[test]
fn floats() {
    // 1.5 + 2.25; subnormals are flushed.
    let body = "MOV R6, 0x40100000\nATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R2, [R4], R6";
    assert_eq!(one(&[0x3fc0_0000, 0, 0, 0, 0], body)[0], 0x4070_0000);
    assert_eq!(
        one(&[0x0000_0001, 0, 0, 0, 0], &body.replace("0x40100000", "0x1"))[0],
        0
    );
    // Two halves: 1 + 2 and -1 + 1.
    let body = "MOV R6, 0x3c004000\nATOMG.E.ADD.F16x2.RN.STRONG.GPU PT, R2, [R4], R6";
    assert_eq!(one(&[0xbc00_3c00, 0, 0, 0, 0], body)[0], 0x0000_4200);
    // 1.0 + 0.5 in double precision.
    let body = "MOV R6, 0x0\nMOV R7, 0x3fe00000\nATOMG.E.ADD.F64.RN.STRONG.GPU PT, R2, [R4], R6";
    assert_eq!(one(&[0, 0x3ff0_0000, 0, 0, 0], body)[1], 0x3ff8_0000);
}

#[test]
fn compare_and_swap() {
    let body = "MOV R6, 0x7\nMOV R7, 0x9\nATOMG.E.CAS.STRONG.GPU PT, R2, [R4], R6, R7";
    assert_eq!(one(&[7, 0, 0, 0, 0], body), [9, 0, 0, 0, 7]);
    assert_eq!(one(&[8, 0, 0, 0, 0], body), [8, 0, 0, 0, 8]);
    // In shared memory, with the outcome as a number.
    let body = "MOV R6, 0x0\nMOV R7, 0x9\nSTS [0x20], R6\nATOMS.CAST.SPIN R2, [0x20], R6, R7\nLDS.U R8, [0x20]\nSTG.E.SYS [R4], R8";
    assert_eq!(one(&[0; 5], body), [9, 0, 0, 0, 1]);
}

#[test]
fn a_sum_of_floats_in_shared_memory_is_left_to_other_code() {
    // The generic address of shared memory is in constant bank 0 at 0x18.
    let text = each_thread(
        "MOV R4, c[0x0][0x18]
        MOV R5, c[0x0][0x1c]
        MOV R2, 0x1
        MOV R6, 0x3f800000
        ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R7, [R4], R6
        @P0 MOV R2, 0x2",
    );
    assert_eq!(Run::of("sm_75", &text).words()[0], 1);
}

#[test]
fn all_lanes_of_an_atomic_take_effect() {
    let text = each_thread(
        "MOV R6, 0x2
        ATOMS.ADD R7, [RZ], R6
        LDS.U R2, [RZ]",
    );
    assert_eq!(Run::of("sm_75", &text).words(), [64; 32]);
}

#[test]
fn an_mbarrier_of_sm_90_counts_arrivals_and_bytes() {
    // Two arrivals and 16 bytes: 2^20 - 2, shifted left by 1 and by 11.
    let text = "MOV R9, 0xffffe
        UMOV UR4, 0x1ffffc
        UMOV UR5, 0x7ffff000
        UMOV UR6, 0x400
        SYNCS.EXCH.64 URZ, [UR6], UR4
        MOV R3, 0x400
        MOV R6, 0x10
        SYNCS.ARRIVE.TRANS64 R10, [R3+URZ], R6
        SYNCS.PHASECHK.TRANS64 P0, [R3+URZ], R11
        SYNCS.ARRIVE.TRANS64.A1T0 R12, [R3+URZ], RZ
        SYNCS.PHASECHK.TRANS64 P1, [R3+URZ], R11
        SYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [R3+URZ], R6
        SYNCS.PHASECHK.TRANS64 P2, [R3+URZ], R11
        MOV R2, 0x0
        @P0 IADD3 R2, R2, 0x1, RZ
        @P1 IADD3 R2, R2, 0x2, RZ
        @P2 IADD3 R2, R2, 0x4, RZ
        LDC.64 R4, c[0x0][0x210]
        STG.E [R4], R2
        STG.E [R4+0x4], R11
        STG.E [R4+0x8], R13
        LDS R14, [0x404]
        STG.E [R4+0xc], R14
        EXIT";
    let words = Run {
        block: 1,
        ..Run::of("sm_90", text)
    }
    .words();
    // The phase ends with the bytes; states before the arrivals have 2 and 1 missing; then phase 1 with 2 missing.
    assert_eq!(words[0], 4);
    assert_eq!(words[1] >> 11, 0xffffe);
    assert_eq!(words[2] >> 11, 0xfffff);
    assert_eq!(words[3], 0xffff_f000);
}

#[test]
fn an_mbarrier_is_initialised_where_nothing_was_written() {
    let run = |text| {
        let run = Run {
            block: 1,
            ..Run::of("sm_90", text)
        };
        run.go_checked().map(drop).map_err(|fault| fault.to_string())
    };
    let initialise = "UMOV UR4, 0x1ffffc
        UMOV UR5, 0x7ffff000
        UMOV UR6, 0x400
        SYNCS.EXCH.64 URZ, [UR6], UR4
        LDS R14, [0x404]
        EXIT";
    assert_eq!(run(initialise), Ok(()));
    // What was there is nobody's: who asks for it is told.
    let exchange = initialise.replace("URZ", "UR8");
    let fault = run(&exchange).expect_err("a read of nothing");
    assert!(
        fault.contains("offset 0x400 of shared memory were never written"),
        "{fault}"
    );
}

#[test]
fn an_mbarrier_of_sm_80_turns_its_phase() {
    // Two arrivals: 2^30 - 2 and 2^31 - 2.
    let text = "MOV R2, 0x3ffffffe
        MOV R3, 0x7ffffffe
        STS.64 [RZ], R2
        ATOMS.ARRIVE.64 R6, [URZ]
        ATOMS.ARRIVE.64 R8, [URZ]
        LDS.64 R10, [RZ]
        MOV R4, c[0x0][0x160]
        MOV R5, c[0x0][0x164]
        STG.E [R4], R7
        STG.E [R4+0x4], R9
        STG.E [R4+0x8], R11
        EXIT";
    let words = Run {
        block: 1,
        ..Run::of("sm_80", text)
    }
    .words();
    assert_eq!(words[..3], [0x7fff_fffe, 0x7fff_ffff, 0xffff_fffe]);
}

#[test]
fn sums_of_eight_bits_over_copies() {
    // 16 + 1 + 1, -448, 1 + 0.5 + 0.5 and 0 in e4m3: 17 is halfway between 16 and 18, which halves can tell apart. The largest of each.
    for (operation, expected) in [
        ("ADD", 0x40_fe58),
        ("HPADD", 0x40_fe59),
        ("MAX", 0x38_0058),
        ("MIN", 0x30_fe38),
    ] {
        let mut device = Device::new();
        let copies = [0x38_fe58_u32, 0x30_0038, 0x30_0038].map(|word| {
            let copy = device.allocate(16, 16);
            device.write(copy, &word.to_le_bytes()).unwrap();
            copy
        });
        let many = device.create_multicast(&copies, 16).unwrap();
        let line = format!("LDGMC.E.{operation}.E4M3x4.RN.STRONG.SYS R4, [R2.64+URZ]");
        let code = with(&[(2, many as u32), (3, (many >> 32) as u32)], &[&line]);
        let code: Vec<&str> = code.iter().map(String::as_str).collect();
        let launch = Launch {
            block: [32, 1, 1],
            ..Launch::of("k")
        };
        let rows = attempt_on(&mut device, "sm_100", &code, &[4], launch).unwrap();
        assert_eq!(rows[0][7], expected, "{operation}");
    }
}
