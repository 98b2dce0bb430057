//! Logic, shifts, bits and moves.

use crate::support::{lanes, one};

#[test]
fn truth_tables() {
    let inputs = [0xf0, 0xcc, 0xaa, 0, 0, 0];
    for sm in ["sm_75", "sm_120"] {
        for table in [0xc0_u64, 0x96, 0xe8, 0x1b, 0x07] {
            let line = format!("LOP3.LUT R0, R2, R3, R4, {table:#x}, !PT");
            let upper = if table & 1 != 0 { 0xffff_ff00 } else { 0 };
            assert_eq!(one(sm, &line, inputs).0, table | upper);
        }
        // The predicate: the result is not zero, or the one read.
        assert_eq!(one(sm, "LOP3.LUT P0, R0, R2, R3, RZ, 0xc0, !PT", inputs), (0xc0, 3));
        assert_eq!(one(sm, "LOP3.LUT P1, R0, R2, 0xf, RZ, 0xc0, !PT", inputs), (0, 0));
        assert_eq!(one(sm, "LOP3.LUT P1, R0, R2, 0xf, RZ, 0xc0, P1", inputs), (0, 2));
        assert_eq!(one(sm, "LOP3.LUT.PAND P0, R0, R2, R3, RZ, 0xc0, P0", inputs), (0xc0, 2));
    }
}

#[test]
fn shifts() {
    // low 87654321, high fedcba98
    let inputs = [0x8765_4321, 0xfedc_ba98, 8, 40, 32, 0];
    let expected = [
        ("SHF.L.U32 R0, R2, R4, R3", 0x6543_2100),
        ("SHF.L.U32 R0, R2, R5, R3", 0),
        ("SHF.L.U32.HI R0, R2, R4, R3", 0xdcba_9887),
        ("SHF.L.U32.HI R0, R2, R5, R3", 0x8765_4321),
        ("SHF.L.W.U32.HI R0, R2, R5, R3", 0xdcba_9887),
        ("SHF.L.W.U32 R0, R2, R6, R3", 0x8765_4321),
        ("SHF.L.U64.HI R0, R2, R5, R3", 0x6543_2100),
        ("SHF.L.U64.HI R0, R2, 0x8, R3", 0xdcba_9887),
        ("SHF.R.U32.HI R0, RZ, R4, R3", 0x00fe_dcba),
        ("SHF.R.S32.HI R0, RZ, R4, R3", 0xfffe_dcba),
        ("SHF.R.S32.HI R0, RZ, R5, R3", 0xffff_ffff),
        ("SHF.R.U32.HI R0, RZ, R5, R3", 0),
        ("SHF.R.S32.HI R0, RZ, 0x1f, R3", 0xffff_ffff),
        ("SHF.R.U32 R0, R2, R4, R3", 0x9887_6543),
        ("SHF.R.U32 R0, R2, R5, R3", 0xfedc_ba98),
        ("SHF.R.W.U32 R0, R2, R5, R3", 0x9887_6543),
        ("SHF.R.U64 R0, R2, R5, R3", 0x00fe_dcba),
        ("SHF.R.S64 R0, R2, R5, R3", 0xfffe_dcba),
        ("SHF.R.U64 R0, R2, 0x8, R3", 0x9887_6543),
    ];
    for sm in ["sm_75", "sm_90", "sm_120"] {
        for (line, result) in expected {
            assert_eq!(one(sm, line, inputs).0, result, "{sm} {line}");
        }
    }
}

#[test]
fn bytes_are_permuted() {
    let inputs = [0x8322_1100, 0x7766_5544, 2, 0, 0, 0];
    let expected = [
        ("PRMT R0, R2, 0x7b04, R3", 0x77ff_0044),
        ("PRMT R0, R2, 0x9910, R3", 0x0000_1100),
        ("PRMT.F4E R0, R2, R4, R3", 0x5544_8322),
        ("PRMT.B4E R0, R2, 0x1, R3", 0x6677_0011),
        ("PRMT.RC8 R0, R2, R4, R3", 0x2222_2222),
        ("PRMT.RC16 R0, R2, 0x1, R3", 0x8322_8322),
        ("PRMT.ECL R0, R2, R4, R3", 0x8322_2222),
        ("PRMT.ECR R0, R2, R4, R3", 0x2222_1100),
    ];
    for sm in ["sm_75", "sm_100"] {
        for (line, result) in expected {
            assert_eq!(one(sm, line, inputs).0, result, "{sm} {line}");
        }
    }
}

#[test]
fn bits() {
    let inputs = [0x0000_0100, 0xffff_fffe, 36, 8, 0, 0x1f8];
    let expected = [
        ("FLO.U32 R0, R2", 8),
        ("FLO.U32.SH R0, R2", 23),
        ("FLO.U32 R0, R6", 0xffff_ffff),
        ("FLO.U32.SH R0, R6", 0xffff_ffff),
        ("FLO.U32 R0, ~R3", 0),
        ("FLO R0, R3", 0),
        ("FLO.SH R0, R3", 31),
        ("POPC R0, R3", 31),
        ("POPC R0, ~R3", 1),
        ("BREV R0, R2", 0x0080_0000),
        ("BMSK R0, R4, R5", 0),
        ("BMSK.W R0, R4, R5", 0xff0),
        ("BMSK R0, R5, R4", 0xffff_ff00),
        ("SGXT R0, R7, R5", 0xffff_fff8),
        ("SGXT.U32 R0, R7, R5", 0xf8),
        ("SGXT.U32 R0, R7, R4", 0x1f8),
        ("SGXT.W R0, R7, R4", 0xffff_fff8),
    ];
    for sm in ["sm_75", "sm_120"] {
        for (line, result) in expected {
            assert_eq!(one(sm, line, inputs).0, result, "{sm} {line}");
        }
    }
}

#[test]
fn selections_and_moves() {
    let inputs = [1, 2, 3, 4, 0, 0];
    for sm in ["sm_75", "sm_120"] {
        assert_eq!(one(sm, "SEL R0, R2, R3, P0", inputs).0, 2);
        assert_eq!(one(sm, "SEL R0, R2, R3, P1", inputs).0, 1);
        assert_eq!(one(sm, "@P0 MOV R0, R3", inputs).0, 0);
        assert_eq!(one(sm, "@P1 MOV R0, R3", inputs).0, 2);
    }
    assert_eq!(one("sm_120", "SEL.64 R0, R2, R4, P1", inputs).0, 0x2_0000_0001);
    assert_eq!(
        one("sm_120", "SEL.64 R0, R2, -0x2, P0", inputs).0,
        0xffff_ffff_ffff_fffe
    );
    assert_eq!(one("sm_120", "MOV.64 R0, R4", inputs).0, 0x4_0000_0003);
    assert_eq!(
        one("sm_120", "MOV.64 R0, 0x123456789abcdef0", inputs).0,
        0x1234_5678_9abc_def0
    );
}

#[test]
fn a_move_of_some_lanes_of_each_quad() {
    let [row] = lanes("sm_80", &["MOV R0, 0x1", "MOV R2, 0x7", "MOV R0, R2, 0x6"], [0]);
    assert_eq!(row[..8], [1, 7, 7, 1, 1, 7, 7, 1]);
}

#[test]
fn a_uniform_register_is_kept_in_a_general_one_for_a_while() {
    let lines = [
        "UMOV UR4, 0x1234",
        "MOV.SPILL R1, UR4",
        "UMOV UR4, 0x5",
        "R2UR.FILL UR5, R1",
        "MOV R0, UR5",
        "MOV R2, UR4",
    ];
    let rows = lanes("sm_100", &lines, [0, 1, 2]).map(|row| (row[0], row[31]));
    assert_eq!(rows, [(0x1234, 0x1234), (0x1234, 0x1234), (5, 5)]);
}

#[test]
fn uniform_instructions() {
    let lines = [
        "UMOV UR4, 0x80000001",
        "UMOV UR5, 0x10",
        "UIADD3 UR6, UP0, UR4, -UR5, URZ",
        "UIADD3.X UR7, URZ, URZ, URZ, UP0, !UPT",
        "UIMAD.WIDE.U32 UR8, UR4, UR5, UR6",
        "ULEA UR10, UR4, UR5, 0x2",
        "USHF.R.S32.HI UR11, URZ, 0x1f, UR4",
        "UISETP.GT.U32.AND UP1, UPT, UR4, UR5, UPT",
        "USEL UR12, UR4, UR5, !UP1",
        "UFLO.U32 UR13, UR5",
        "UPOPC UR14, UR4",
        "MOV R0, UR6",
        "MOV R1, UR7",
        "MOV R2, UR8",
        "MOV R3, UR9",
        "MOV R4, UR10",
        "MOV R5, UR11",
        "MOV R6, UR12",
        "MOV R7, UR13",
        "MOV R8, UR14",
    ];
    let rows = lanes("sm_80", &lines, [0, 1, 2, 3, 4, 5, 6, 7, 8]).map(|row| row[31]);
    // 80000001 * 10 + 1_7ffffff1
    assert_eq!(rows, [0x7fff_fff1, 1, 0x8000_0001, 9, 0x14, 0xffff_ffff, 0x10, 4, 2]);
}
