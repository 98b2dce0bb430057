//! Products of matrices, with operands of which only a few elements are not zero.
//!
//! Lane 4 g + t holds row g of A (and g + 8 in other registers), column g of B, and columns 2 t and 2 t + 1 of row g of C and D (the PTX manual,
//! matrix fragments of `mma`).

use warpsmith_emu::FaultKind;

use crate::{
    program::Run,
    support::{Lanes, attempt, lanes},
};

/// Lines before a product: P1 in lane 5 only (group 1, place 1), and registers R4 to R27 zero.
fn prepared(lines: &[&str]) -> Vec<String> {
    let mut code = vec![
        "S2R R3, SR_TID.X".to_string(),
        "ISETP.EQ.U32.AND P1, PT, R3, 0x5, PT".to_string(),
    ];
    code.extend((4..28).map(|register| format!("MOV R{register}, RZ")));
    code.extend(lines.iter().map(ToString::to_string));
    code
}

/// What lines leave in R20 to R23.
fn result(sm: &str, lines: &[&str]) -> [Lanes; 4] {
    let code = prepared(lines);
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    lanes(sm, &code, [20, 21, 22, 23])
}

/// Zero but for these lanes.
fn only<const N: usize>(values: [(usize, u32); N]) -> Lanes {
    let mut out = [0; 32];
    for (lane, value) in values {
        out[lane] = value;
    }
    out
}

/// One row of A that is not zero times a B that is: every lane has the same word of B.
fn row_times_all(column_pairs: [u32; 2]) -> [Lanes; 2] {
    column_pairs.map(|value| only([(4, value), (5, value), (6, value), (7, value)]))
}

const ZERO: Lanes = [0; 32];

#[test]
fn half_precision() {
    // Row 1, k 2 and 3 are 1 and 2; row 9 has 4 at k 10. B is 0.5 and 3 at even and odd k.
    let operands = [
        "@P1 MOV R4, 0x40003c00",
        "@P1 MOV R7, 0x00004400",
        "MOV R8, 0x42003800",
        "MOV R9, 0x42003800",
    ];
    let run = |sm, line| result(sm, &[&operands[..], &[line]].concat());
    let [low, _] = row_times_all([0x40d0_0000, 0]);
    let [high, _] = row_times_all([0x4000_0000, 0]);
    for sm in ["sm_80", "sm_90", "sm_120"] {
        assert_eq!(
            run(sm, "HMMA.16816.F32 R20, R4, R8, RZ"),
            [low, low, high, high],
            "{sm}"
        );
    }
    // 6.5 and 2 of f16.
    let [low, high] = row_times_all([0x4680_4680, 0x4000_4000]);
    assert_eq!(run("sm_80", "HMMA.16816.F16 R20, R4, R8, RZ"), [low, high, ZERO, ZERO]);
    // Only k 0 to 7: R5 has rows 8 to 15.
    let [low, _] = row_times_all([0x40d0_0000, 0]);
    assert_eq!(run("sm_75", "HMMA.1688.F32 R20, R4, R8, RZ"), [low, low, ZERO, ZERO]);
}

#[test]
fn accumulators_are_added() {
    let lines = [
        "MOV R20, 0x3f800000",
        "@P1 MOV R4, 0x3c00",
        "MOV R8, 0x3c00",
        "HMMA.1688.F32 R20, R4, R8, R20",
    ];
    let mut expected = [0x3f80_0000; 32];
    expected[4..8].fill(0x4000_0000);
    for sm in ["sm_75", "sm_89", "sm_100"] {
        assert_eq!(result(sm, &lines)[0], expected, "{sm}");
    }
}

#[test]
fn other_formats() {
    let run = |sm, a: u32, b: u32, line: &str| {
        let (a, b) = (format!("@P1 MOV R4, {a:#x}"), format!("MOV R8, {b:#x}"));
        result(sm, &[&a, &b, line])[0][4]
    };
    // 1.5 · 2.
    let three = 0x4040_0000;
    assert_eq!(
        run("sm_80", 0x3fc0, 0x4000, "HMMA.1688.F32.BF16 R20, R4, R8, RZ"),
        three
    );
    assert_eq!(
        run("sm_80", 0x3fc0_0000, 0x4000_0000, "HMMA.1684.F32.TF32 R20, R4, R8, RZ"),
        three
    );
    assert_eq!(
        run("sm_80", 0x3fc0_0000, 0x4000_0000, "HMMA.1688.F32.TF32 R20, R4, R8, RZ"),
        three
    );
    assert_eq!(
        run("sm_89", 0x3c, 0x40, "QMMA.16832.F32.E4M3.E5M2 R20, R4.ROW, R8.COL, RZ"),
        three
    );
    assert_eq!(
        run("sm_120", 0x3c, 0x40, "QMMA.16832.F32.E4M3.E5M2 R20, R4, R8, RZ"),
        three
    );
    // Four-bit elements are in bits 5 to 2 of their byte.
    assert_eq!(
        run("sm_120", 0x3 << 2, 0x4 << 2, "QMMA.16832.F32.E2M1.E2M1 R20, R4, R8, RZ"),
        three
    );
}

#[test]
fn integers() {
    let run = |sm, a: u32, b: u32, c: u32, line: &str| {
        let moves = [
            format!("@P1 MOV R4, {a:#x}"),
            format!("MOV R8, {b:#x}"),
            format!("MOV R20, {c:#x}"),
        ];
        result(sm, &[&moves[0], &moves[1], &moves[2], line])[0][5]
    };
    // -1 · 255 - 2 · 3, and with unsigned a.
    let (a, b) = (0xfeff, 0x03ff);
    let expected = (-255_i32 - 6) as u32;
    assert_eq!(
        run("sm_75", a, b, 0, "IMMA.8816.S8.U8 R20, R4.ROW, R8.COL, R20"),
        expected
    );
    assert_eq!(
        run("sm_120", a, b, 0, "IMMA.16832.S8.U8 R20, R4.ROW, R8.COL, R20"),
        expected
    );
    let unsigned = 255 * 255 + 254 * 3;
    assert_eq!(
        run("sm_80", a, b, 0, "IMMA.16816.U8.U8 R20, R4.ROW, R8.COL, R20"),
        unsigned
    );
    // Four bits: -1 · 15 + 3 · 2.
    let four = (-15_i32 + 6) as u32;
    assert_eq!(
        run("sm_80", 0x3f, 0x2f, 0, "IMMA.8832.S4.U4 R20, R4.ROW, R8.COL, R20"),
        four
    );
    assert_eq!(
        run("sm_80", 0x3f, 0x2f, 0, "IMMA.16864.S4.U4 R20, R4.ROW, R8.COL, R20"),
        four
    );
    let line = "IMMA.8816.U8.U8.SAT R20, R4.ROW, R8.COL, R20";
    assert_eq!(run("sm_75", 1, 1, 0x7fff_ffff, line), 0x7fff_ffff);
    assert_eq!(run("sm_75", 1, 1, 0x7fff_ffff, &line.replace(".SAT", "")), 0x8000_0000);
    // Bits: 3 of 0xf and 0x15 are the other's, 2 are common; the other words of B differ from zero A in 3.
    let line = "BMMA.88128.AND.POPC R20, R4.ROW, R8.COL, R20";
    assert_eq!(run("sm_80", 0xf, 0x15, 7, line), 7 + 2);
    assert_eq!(run("sm_80", 0xf, 0x15, 7, &line.replace("AND", "XOR")), 7 + 3 + 3 * 3);
}

#[test]
fn doubles() {
    // Row 1, k 1: 1.5; B is 2, and the accumulator 1.
    let lines = [
        "@P1 MOV R5, 0x3ff80000",
        "MOV R9, 0x40000000",
        "MOV R21, 0x3ff00000",
        "MOV R23, 0x3ff00000",
    ];
    let mut expected = [0x3ff0_0000; 32];
    expected[4..8].fill(0x4010_0000);
    for (sm, line) in [
        ("sm_80", "DMMA.884 R20, R4, R8, R20"),
        ("sm_90", "DMMA.8x8x4 R20, R4, R8, R20"),
        ("sm_100", "DMMA.8x8x4 R20, R4, R8, R20"),
    ] {
        let found = result(sm, &[&lines[..], &[line]].concat());
        assert_eq!(found, [ZERO, expected, ZERO, expected], "{sm}");
    }
    let code = prepared(&[&lines[..], &["DMMA.16x8x4 R20, R4, R8, RZ"]].concat());
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    let tall: [Lanes; 2] = lanes("sm_90", &code, [21, 25]);
    assert_eq!(tall, [row_times_all([0x4008_0000, 0])[0], ZERO]);
    // 1 + 2^-60, rounded up.
    let round = ["@P1 MOV R5, 0x3ff00000", "MOV R9, 0x3c300000", "MOV R21, 0x3ff00000"];
    let found = result("sm_80", &[&round[..], &["DMMA.884.RP R20, R4, R8, R20"]].concat());
    assert_eq!(found[0], row_times_all([1, 0])[0]);
}

#[test]
fn sparse() {
    // Row 1 stores 1 (k 2 t = 2) as the second chunk's first element; metadata of 0b1101 put it at the chunk's k 1, that is k 5. B is 1 to 4 at k 4
    // to 7 of each column (places 2 and 3), in steps of 16 columns.
    let lines = [
        "LOP3.LUT R9, R3, 0x3, RZ, 0xc0, !PT",
        "ISETP.EQ.U32.AND P2, PT, R9, 0x2, PT",
        "ISETP.EQ.U32.AND P3, PT, R9, 0x3, PT",
        "MOV R9, RZ",
        "@P1 MOV R4, 0x3c00",
        "@P2 MOV R8, 0x40003c00",
        "@P3 MOV R8, 0x44004200",
        "MOV R10, 0xdddddddd",
    ];
    for sm in ["sm_80", "sm_90", "sm_120"] {
        let found = result(
            sm,
            &[&lines[..], &["HMMA.SP.16816.F32 R20, R4, R8, RZ, R10, 0x0"]].concat(),
        );
        assert_eq!(
            found,
            [
                row_times_all([0x4000_0000, 0])[0],
                row_times_all([0x4000_0000, 0])[0],
                ZERO,
                ZERO
            ],
            "{sm}"
        );
    }
}

#[test]
fn scales() {
    // 1 · 1 with scales 2^1 of A's row 1 (lane 4, byte 1) and 2^2 of all columns of B (byte 1).
    let lines = [
        "@P1 MOV R4, 0x38",
        "MOV R8, 0x38",
        "MOV R10, 0x7f7f807f",
        "MOV R11, 0x7f7f817f",
        "UMOV UR6, 0x9",
        "QMMA.SF.16832.F32.E4M3.E4M3.E8 R20, R4, R8, RZ, R10, R11, UR6",
    ];
    assert_eq!(result("sm_120", &lines)[0], row_times_all([0x4100_0000, 0])[0]);
    // Four-bit elements: 1 · 1 at k 8, with scales 2 and 1.5 of blocks of 16 (ue4m3).
    let lines = [
        "@P1 MOV R4, 0x2",
        "MOV R8, 0x2",
        "MOV R10, 0x40404040",
        "MOV R11, 0x3c3c3c3c",
        "UMOV UR6, URZ",
        "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R20, R4, R8, RZ, R10, R11, UR6",
    ];
    assert_eq!(result("sm_120", &lines)[0], row_times_all([0x4040_0000, 0])[0]);
}

#[test]
fn quads() {
    // Lane 5 is of the second product, row 1 of A by rows: 1 and 2 at k 0 and 1, and 4 at k 3. B by columns has 1, 2, 0, 4 in each.
    let operands = [
        "@P1 MOV R4, 0x40003c00",
        "@P1 MOV R5, 0x44000000",
        "MOV R8, 0x40003c00",
        "MOV R9, 0x44000000",
    ];
    // Row 1 is in lanes 5 and 7 (columns 2 and 3 of four): 1 + 4 + 16 = 21.
    let wide = only([(5, 0x41a8_0000), (7, 0x41a8_0000)]);
    for step in 0..4 {
        let line = format!("HMMA.884.F32.F32.STEP{step} R20, R4.ROW, R8.COL, RZ");
        let expected = if step % 2 == 0 { wide } else { ZERO };
        let found = result("sm_75", &[&operands[..], &[line.as_str()]].concat());
        assert_eq!(found, [expected, expected, ZERO, ZERO], "{step}");
    }
    let narrow = only([(5, 0x4d40_4d40)]);
    let mixed = ["MOV R20, 0x3c003c00", "HMMA.884.F32.F16.STEP2 R22, R4.ROW, R8.COL, R20"];
    let found = result("sm_75", &[&operands[..], &mixed].concat());
    assert_eq!((found[2][5], found[2][4]), (0x41b0_0000, 0x3f80_0000));
    let line = "HMMA.884.F16.F16.STEP1 R20, R4.ROW, R8.COL, RZ";
    let found = result("sm_75", &[&operands[..], &[line]].concat());
    assert_eq!(found, [narrow, narrow, ZERO, ZERO]);
}

#[test]
fn all_lanes_are_needed() {
    let code = prepared(&["@P1 HMMA.1688.F32 R20, R4, R8, RZ"]);
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    let launch = warpsmith_emu::Launch {
        block: [32, 1, 1],
        ..warpsmith_emu::Launch::of("k")
    };
    let message = attempt("sm_75", &code, &[20], launch).err().unwrap_or_default();
    assert!(
        message.contains("lanes 0x20 execute a product of matrices"),
        "{message}"
    );
}

#[test]
fn four_bit_elements_become_bytes() {
    // Lane 5 has elements 8 to 15 of row 1; of bytes, lanes 6 and 7 have four each.
    let code = prepared(&["@P1 MOV R4, 0x87654321", "MOVM.U4TO8.M832 R20, R4"]);
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    let [low, high] = lanes("sm_100", &code, [20, 21]);
    assert_eq!(low, only([(6, 0x0403_0201), (7, 0x0807_0605)]));
    assert_eq!(high, ZERO);
}

/// What each lane has in R20 after lines, before which its 16 bytes of shared memory, whose address is in R9, are all its number.
fn with_shared(lines: &str) -> Vec<u32> {
    let text = format!(
        "S2R R3, SR_TID.X
        SHF.L.U32 R9, R3, 0x4, RZ
        IMAD R4, R3, 0x1010101, RZ
        MOV R5, R4
        MOV R6, R4
        MOV R7, R4
        STS.128 [R9], R4
        {lines}
        LDC.64 R4, c[0x0][0x380]
        IMAD.WIDE R4, R3, 0x4, R4
        STG.E desc[UR60][R4.64], R20
        EXIT"
    );
    Run::of("sm_120", &text).words()
}

#[test]
fn matrices_of_bytes_in_shared_memory() {
    // By columns: lane 4 g + t has rows 4 t to 4 t + 3.
    let square = with_shared("LDSM.8.MT1616 R20, [R9]");
    assert_eq!(square[..4], [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c]);
    // Four bits each: row 3 is 3, 0, 3, 0 …; the second matrix has the rows of lanes 8 to 15.
    let narrow = with_shared("LDSM.U4x16P64TO8.M816.2 R20, [R9]\nMOV R20, R21");
    assert_eq!(narrow[4 * 3], 0x000b_000b);
    // Row 1 of six bits: 0x01010101 is 1, 4, 16, 0 and so on.
    let six = with_shared("LDSM.U6x16P32TO8.M816 R20, [R9]");
    assert_eq!(six[4], 0x0010_0401);
    // Column 0, in the first 16 bytes, takes bytes 0 and 2 of lanes with t = 0: of rows 0 to 7, then of rows 8 to 15.
    let stored = "MOV R10, 0x4030201
        STSM.8.MT168 [R9], R10
        LDS R20, [R9+";
    let half = |offset: &str| with_shared(&format!("{stored}{offset}]"));
    assert_eq!(half("0x4")[..2], [0x0101_0101, 0x0202_0202]);
    assert_eq!(half("0x8")[..2], [0x0303_0303, 0x0404_0404]);
}

/// By such products ptxas and we end groups that have none: what is at the address that they name does not matter.
#[test]
fn a_product_without_a_result_reads_nothing() {
    let run = |text: &str| {
        let run = Run {
            block: 128,
            ..Run::of("sm_90", text)
        };
        run.go_checked().map(drop).map_err(|fault| fault.kind)
    };
    let text = "WARPGROUP.ARRIVE
        HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0
        WARPGROUP.DEPBAR.LE gsb0, 0x0
        EXIT";
    assert_eq!(run(text), Ok(()));
    assert_eq!(run(&text.replace("F16 RZ", "F16 R4")), Err(FaultKind::Uninitialised));
}
