//! Loads, stores, copies.

use crate::program::{Run, each_thread};

#[test]
fn sizes_and_signs() {
    let text = each_thread(
        "MOV R6, 0x8182f3f4
        STS [0x10], R6
        LDS.S8 R7, [0x11]
        LDS.U8 R8, [0x11]
        LDS.S16 R9, [0x12]
        LDS.U16 R10, [0x12]
        STS.U8 [0x20], R6
        LDS.U R11, [0x20]
        IADD3 R2, R7, R8, RZ
        IADD3 R2, R2, R9, R10
        IADD3 R2, R2, R11, RZ",
    );
    let sum = 0xffff_fff3_u32
        .wrapping_add(0xf3)
        .wrapping_add(0xffff_8182)
        .wrapping_add(0x8182)
        .wrapping_add(0xf4);
    assert_eq!(Run::of("sm_75", &text).words()[0], sum);
}

#[test]
fn half_a_kilobit() {
    let words: Vec<u32> = (0..32).collect();
    let text = "LDC.64 R2, c[0x0][0x380]
        UMOV UR4, 0x0
        UMOV UR5, 0x0
        LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]
        STG.E.ENL2.256 desc[UR4][R2.64+0x40], R8, R4
        EXIT";
    let out = Run {
        block: 1,
        words: &words,
        ..Run::of("sm_100", text)
    }
    .words();
    // Loads name the upper half first, stores the lower: the halves change places.
    assert_eq!(out[16..24], [4, 5, 6, 7, 0, 1, 2, 3]);
}

#[test]
fn faults_say_what_and_where() {
    let text = each_thread("LDS.U R2, [0x800]");
    assert_eq!(
        Run::of("sm_75", &text).fault(),
        "4 bytes at offset 0x800 of shared memory of 2048 bytes"
    );
    let text = each_thread("LDS.64 R2, [0x4]");
    assert_eq!(
        Run::of("sm_75", &text).fault(),
        "8 bytes at 0x4, which is not a multiple of 8"
    );
    let text = each_thread("MOV R4, 0x10\nMOV R5, 0x0\nLDG.E.SYS R2, [R4]");
    assert_eq!(
        Run::of("sm_75", &text).fault(),
        "4 bytes at 0x10: no allocation is at or below this address"
    );
}

#[test]
fn local_memory_by_generic_address() {
    // The generic address of local memory is in constant bank 0 at 0x20; the queries tell the spaces apart.
    let text = each_thread(
        "MOV R4, c[0x0][0x20]
        MOV R5, c[0x0][0x24]
        QSPC.E.L P0, RZ, [R4]
        QSPC.E.G P1, RZ, [R4]
        MOV R6, c[0x0][0x18]
        MOV R7, c[0x0][0x1c]
        QSPC.E.S P2, RZ, [R6]
        MOV R2, 0x0
        @P0 IADD3 R2, R2, 0x1, RZ
        @P1 IADD3 R2, R2, 0x2, RZ
        @P2 IADD3 R2, R2, 0x4, RZ",
    );
    assert_eq!(Run::of("sm_75", &text).words()[0], 5);
}

#[test]
fn copies_fill_with_zeros() {
    // The second copy has 3 of 4 words: its address is one word up. The third has none.
    let words = [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let text = "MOV R4, c[0x0][0x160]
        MOV R5, c[0x0][0x164]
        MOV R8, 0x40
        LDGSTS.E.128 [R8], [R4.64]
        IADD3 R6, R4, 0x4, RZ
        MOV R7, R5
        LDGSTS.E.BYPASS.128.ZFILL [R8+0x10], [R6.64]
        LDGSTS.E.128 [R8+0x20], [R4.64], !PT
        LDGDEPBAR
        DEPBAR.LE SB0, 0x0
        LDS.128 R12, [0x40]
        STG.E.128 [R4], R12
        LDS.128 R12, [0x50]
        STG.E.128 [R4+0x10], R12
        MOV R12, 0x5
        LDS.128 R12, [0x60]
        STG.E.128 [R4+0x20], R12
        EXIT";
    let out = Run {
        block: 1,
        words: &words,
        ..Run::of("sm_80", text)
    }
    .words();
    assert_eq!(out[..12], [1, 2, 3, 4, 1, 2, 3, 0, 0, 0, 0, 0]);
}

#[test]
fn matrices_are_loaded_by_rows_and_by_columns() {
    // Element (r, c) of the matrix is 16 r + c.
    let text = each_thread(
        "SHF.L.U32 R6, R0, 0x2, RZ
        LOP3.LUT R7, R0, 0x3, RZ, 0xc0, !PT
        SHF.L.U32 R7, R7, 0x1, RZ
        SHF.R.U32.HI R8, RZ, 0x2, R0
        IMAD R8, R8, 0x10, R7
        IMAD R9, R8, 0x10000, R8
        IADD3 R9, R9, 0x10000, RZ
        STS [R6], R9
        SHF.L.U32 R10, R0, 0x4, RZ
        LDSM.16.MT88 R11, [R10]
        MOVM.16.MT88 R12, R11
        MOV R2, R11
        ISETP.EQ.U32.AND P0, PT, R9, R12, PT
        @!P0 MOV R2, 0x0",
    );
    let words = Run::of("sm_75", &text).words();
    // Lane 4 r + c has the elements (2 c, r) and (2 c + 1, r).
    assert_eq!(words[0], 0x0010_0000);
    assert_eq!(words[6], 0x0051_0041);
}

#[test]
fn a_cta_has_as_much_shared_memory_as_the_target() {
    let of = |sm, shared| {
        let run = Run {
            shared,
            ..Run::of(sm, "EXIT")
        };
        run.go().map(drop).map_err(|fault| fault.message)
    };
    assert_eq!(of("sm_90", 228 << 10), Ok(()));
    let message =
        "233476 bytes of shared memory with what the system takes, more than the 233472 that a CTA can have on sm_90";
    assert_eq!(of("sm_90", (228 << 10) + 4), Err(message.to_owned()));
    assert_eq!(of("sm_120", 100 << 10), Ok(()));
    assert!(of("sm_120", (100 << 10) + 4).is_err());
}

#[test]
fn shared_memory_of_another_cta() {
    // The rank in the cluster is above bit 24; CTA 0 writes the other's memory.
    let text = "S2R R0, SR_CgaCtaId
        MOV R6, 0x1000400
        MOV R7, 0x1
        MOV R8, 0x2a
        ISETP.EQ.U32.AND P0, PT, R0, RZ, PT
        @P0 ST.E [R6], R8
        UCGABAR_ARV
        UCGABAR_WAIT
        LDS R9, [0x400]
        LDC.64 R4, c[0x0][0x210]
        IMAD.WIDE R4, R0, 0x4, R4
        STG.E [R4], R9
        EXIT";
    let words = Run {
        block: 1,
        grid: 2,
        cluster: 2,
        ..Run::of("sm_90", text)
    }
    .words();
    assert_eq!(words[..2], [0, 0x2a]);
}
