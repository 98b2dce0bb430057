//! Comparisons and logic on predicates.

use crate::support::{one, words};

#[test]
fn comparisons() {
    let inputs = [0xffff_ffff, 1, 0, 0, 0, 0];
    for sm in ["sm_75", "sm_80", "sm_120"] {
        assert_eq!(one(sm, "ISETP.LT.AND P0, P1, R2, R3, PT", inputs).1, 1);
        assert_eq!(one(sm, "ISETP.LT.U32.AND P0, P1, R2, R3, PT", inputs).1, 2);
        assert_eq!(one(sm, "ISETP.EQ.OR P0, PT, R2, R3, P1", inputs).1, 3);
        assert_eq!(one(sm, "ISETP.NE.XOR P0, P1, R2, R3, P1", inputs).1, 2);
        assert_eq!(one(sm, "ISETP.LE.AND P0, P1, R2, R3, !PT", inputs).1, 0);
    }
}

#[test]
fn long_comparisons() {
    // The numbers have the high words R2 and R3; P1 and P0 are what the low words gave.
    for sm in ["sm_75", "sm_80"] {
        for (line, high, expected) in [
            ("ISETP.LT.AND.EX P0, PT, R2, R3, PT, P1", [4, 4], 3),
            ("ISETP.LT.AND.EX P0, PT, R2, R3, PT, P0", [4, 4], 2),
            ("ISETP.LE.AND.EX P0, PT, R2, R3, PT, P1", [5, 4], 2),
            ("ISETP.LE.AND.EX P0, PT, R2, R3, PT, P0", [3, 4], 3),
            ("ISETP.GE.U32.AND.EX P0, PT, R2, R3, PT, P0", [0xffff_ffff, 4], 3),
            ("ISETP.EQ.AND.EX P0, PT, R2, R3, PT, P1", [4, 4], 3),
            ("ISETP.EQ.AND.EX P0, PT, R2, R3, PT, P0", [4, 4], 2),
            ("ISETP.NE.AND.EX P0, PT, R2, R3, PT, P1", [4, 4], 3),
            ("ISETP.NE.AND.EX P0, PT, R2, R3, PT, P0", [4, 4], 2),
            ("ISETP.NE.AND.EX P0, PT, R2, R3, PT, P0", [5, 4], 3),
        ] {
            let inputs = [high[0], high[1], 0, 0, 0, 0];
            assert_eq!(one(sm, line, inputs).1, expected, "{sm} {line}");
        }
    }
    let pairs = [0, 1, 1, 0, 0, 0xffff_ffff];
    assert_eq!(one("sm_120", "ISETP.GT.U64.AND P0, P1, R2, R4, PT", pairs).1, 1);
    assert_eq!(one("sm_120", "ISETP.LT.S64.AND P0, P1, R6, R4, PT", pairs).1, 1);
    assert_eq!(one("sm_120", "ISETP.LT.U64.AND P0, P1, R6, R4, PT", pairs).1, 2);
}

#[test]
fn tables_of_predicates() {
    for sm in ["sm_75", "sm_120"] {
        // P0 is false, P1 true: row 0b011 of (P0, P1, PT), row 0b110 of (P1, P1, P0).
        assert_eq!(one(sm, "PLOP3.LUT P0, P1, P0, P1, PT, 0x8, 0xf7", [0; 6]).1, 1);
        assert_eq!(one(sm, "PLOP3.LUT P0, P1, P1, P1, P0, 0xbf, 0x40", [0; 6]).1, 2);
        assert_eq!(one(sm, "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x8", [0; 6]).1, 3);
    }
    // The sum of two positive numbers is negative.
    let inputs = [1, 2, 0x8000_0000, 0, 0, 0];
    assert_eq!(
        one("sm_90", "PLOP3.LUT P0, PT, R2.SIGN, R3.SIGN, R4.SIGN, 0x2, 0x0", inputs).1,
        3
    );
    assert_eq!(
        one(
            "sm_90",
            "PLOP3.LUT P0, PT, R4.SIGN, R3.SIGN, R2.SIGN, 0x10, 0x0",
            inputs
        )
        .1,
        3
    );
}

#[test]
fn predicates_as_bits() {
    let lines = [
        "MOV R2, 0x2a55",
        "R2P PR, R2.B1, 0x7e",
        "P2R.B2 R3, PR, R2, 0x7e",
        "P2R R4, PR, R2, 0xf",
    ];
    // P1, P3 and P5 are set, P0 is as at the start, clear.
    assert_eq!(words("sm_80", &lines, [3, 4]), [0x2a_2a55, 0x2a5a]);
}
