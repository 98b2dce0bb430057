//! Sums, products and extremes.

use crate::support::{one, with, words};

/// The generations: one of each that encodes differently.
const EARLY: [&str; 3] = ["sm_75", "sm_80", "sm_90"];
const LATE: [&str; 2] = ["sm_100", "sm_120"];

#[test]
fn a_sum_of_three_carries_into_two_predicates() {
    let all = 0xffff_ffff;
    for sm in EARLY {
        let sum = "IADD3 R0, P0, P1, R2, R3, R4";
        assert_eq!(one(sm, sum, [1, 2, 3, 0, 0, 0]), (6, 0));
        assert_eq!(one(sm, sum, [all, 1, 0, 0, 0, 0]), (0, 1));
        assert_eq!(one(sm, sum, [all, all, all, 0, 0, 0]), (0xffff_fffd, 3));
    }
    for sm in LATE {
        let sum = "IADD3 R0, P0, P1, R2, R3, R4";
        assert_eq!(one(sm, sum, [all, all, 2, 0, 0, 0]), (0, 3));
        assert_eq!(one(sm, sum, [all, all, 1, 0, 0, 0]), (0xffff_ffff, 1));
    }
}

#[test]
fn a_subtraction_carries_where_it_does_not_borrow() {
    // Also where zero is subtracted, whose complement and one give the carry alone.
    for sm in EARLY {
        let line = "IADD3 R0, P0, R2, -R3, RZ";
        assert_eq!(one(sm, line, [5, 3, 0, 0, 0, 0]), (2, 3));
        assert_eq!(one(sm, line, [3, 5, 0, 0, 0, 0]), (0xffff_fffe, 2));
        assert_eq!(one(sm, line, [0, 0, 0, 0, 0, 0]), (0, 3));
        let both = "IADD3 R0, P0, P1, R2, -R3, -R4";
        assert_eq!(one(sm, both, [7, 0, 0, 0, 0, 0]), (7, 3));
        assert_eq!(one(sm, both, [7, 8, 0, 0, 0, 0]), (0xffff_ffff, 1));
        assert_eq!(one(sm, both, [1, 2, 0xffff_ffff, 0, 0, 0]), (0, 1));
    }
}

#[test]
fn long_sums_and_differences_are_exact() {
    for sm in ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] {
        let (pu, x) = if sm == "sm_100" || sm == "sm_120" {
            ("P0, PT", "PT, PT, ")
        } else {
            ("P0", "")
        };
        let (a, b) = (0x1_0000_0000_u64, 1_u64);
        let inputs = [
            (2, a as u32),
            (3, (a >> 32) as u32),
            (4, b as u32),
            (5, (b >> 32) as u32),
        ];
        let lines = [
            format!("IADD3 R0, {pu}, R2, -R4, RZ"),
            format!("IADD3.X R1, {x}R3, ~R5, RZ, P0, !PT"),
            format!("IADD3 R6, {pu}, R0, R4, RZ"),
            format!("IADD3.X R7, {x}R1, R5, RZ, P0, !PT"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let code = with(&inputs, &lines);
        let code: Vec<&str> = code.iter().map(String::as_str).collect();
        assert_eq!(words(sm, &code, [0, 1, 6, 7]), [0xffff_ffff, 0, 0, 1], "{sm}");
    }
}

#[test]
fn carries_in_are_added_twice() {
    let lines = [
        "MOV R2, 0x5",
        "ISETP.EQ.AND P0, PT, RZ, RZ, PT",
        "IADD3.X R0, R2, RZ, RZ, P0, P0",
        "IADD3.X R1, P1, P2, ~R2, 0x5, RZ, P0, !P0",
        "P2R R3, PR, RZ, 0x6",
    ];
    // !5 + 5 + 1 = 2^32
    assert_eq!(words("sm_80", &lines, [0, 1, 3]), [7, 0, 2]);
}

#[test]
fn sums_of_64_bits() {
    let pairs = [0, 1, 1, 0, 2, 0];
    assert_eq!(one("sm_120", "IADD.64 R0, P0, R2, -R4", pairs), (0xffff_ffff, 3));
    assert_eq!(
        one("sm_120", "IADD.64 R0, P0, R4, -R2", pairs),
        (0xffff_ffff_0000_0001, 2)
    );
    assert_eq!(one("sm_120", "IADD.64 R0, P0, R4, -0x1", pairs), (0, 3));
    assert_eq!(one("sm_120", "IADD.64.X R0, P0, R4, R6, P1", pairs), (4, 2));
}

#[test]
fn products() {
    let inputs = [0xffff_ffff, 3, 10, 7, 0, 0];
    for sm in ["sm_75", "sm_86", "sm_90", "sm_100", "sm_120"] {
        assert_eq!(one(sm, "IMAD R0, R2, R3, R4", inputs).0, 7);
        assert_eq!(one(sm, "IMAD R0, R2, R3, -R4", inputs).0, 0xffff_fff3);
        // -1 * 3 + (7 << 32 | 10), or (2^32 - 1) * 3 and the same.
        assert_eq!(one(sm, "IMAD.WIDE R0, R2, R3, R4", inputs).0, 0x7_0000_0007);
        assert_eq!(one(sm, "IMAD.WIDE.U32 R0, R2, R3, R4", inputs).0, 0xa_0000_0007);
        assert_eq!(one(sm, "IMAD.HI R0, R2, R3, R4", inputs).0, 7);
        assert_eq!(one(sm, "IMAD.HI.U32 R0, R2, R3, R4", inputs).0, 10);
        assert_eq!(one(sm, "IMAD.X R0, R3, R3, R4, P1", inputs).0, 20);
        assert_eq!(one(sm, "IMAD.X R0, R3, R3, ~R4, P1", inputs).0, 0xffff_ffff);
    }
}

#[test]
fn the_carry_of_a_wide_product() {
    let all = 0xffff_ffff;
    let line = "IMAD.WIDE.U32 R0, P0, R2, R3, R4";
    // (2^32 - 1)^2 = 2^64 - 2^33 + 1
    assert_eq!(one("sm_80", line, [all, all, 0xffff_fffe, 1, 0, 0]), (u64::MAX, 2));
    assert_eq!(one("sm_80", line, [all, all, 0xffff_ffff, 1, 0, 0]), (0, 3));
    let line = "IMAD.WIDE.U32.X R0, P0, R2, R3, R4, P1";
    assert_eq!(one("sm_80", line, [all, all, 0xffff_fffe, 1, 0, 0]), (0, 3));
}

#[test]
fn scaled_sums() {
    let inputs = [0x8000_0001, 0x10, 0x3, 0, 0, 0];
    for sm in ["sm_75", "sm_90", "sm_120"] {
        assert_eq!(one(sm, "LEA R0, R2, R3, 0x2", inputs).0, 0x14);
        assert_eq!(one(sm, "LEA R0, P0, R2, -R3, 0x2", [4, 16, 0, 0, 0, 0]), (0, 3));
        assert_eq!(
            one(sm, "LEA R0, P0, R2, -R3, 0x2", [4, 17, 0, 0, 0, 0]),
            (0xffff_ffff, 2)
        );
        assert_eq!(one(sm, "LEA R0, P0, -R2, R3, 0x2", [4, 16, 0, 0, 0, 0]), (0, 3));
        assert_eq!(one(sm, "LEA R0, P0, -R2, R3, 0x2", [0, 16, 0, 0, 0, 0]), (16, 3));
        // The high word of 3:80000001 << 2 is e.
        assert_eq!(one(sm, "LEA.HI R0, R2, R3, R4, 0x2", inputs).0, 0x1e);
        assert_eq!(one(sm, "LEA.HI.X R0, R2, R3, R4, 0x2, P1", inputs).0, 0x1f);
        assert_eq!(one(sm, "LEA.HI.X R0, R2, R3, R4, 0x0, P1", inputs).0, 0x14);
        assert_eq!(one(sm, "LEA.HI R0, R2, R3, R4, 0x0", inputs).0, 0x13);
        // That of the sign-extended number is fffffffe.
        assert_eq!(one(sm, "LEA.HI.SX32 R0, R2, R3, 0x2", inputs).0, 0xe);
        assert_eq!(one(sm, "LEA.HI.SX32 R0, R2, R3, 0x0", inputs).0, 0xf);
        assert_eq!(one(sm, "LEA.HI.X.SX32 R0, R2, R3, 0x2, P1", inputs).0, 0xf);
        // A number as the high word: that of f:80000001 << 2 is 3e, and of ff67863:80000001 << 19 c31c0000.
        assert_eq!(one(sm, "LEA.HI R0, R2, R3, 0xf, 0x2", inputs).0, 0x4e);
        assert_eq!(one(sm, "LEA.HI R0, R2, R3, 0xff67863, 0x13", inputs).0, 0xc31c_0010);
        assert_eq!(one(sm, "LEA.HI R0, R2, R3, 0xf, 0x0", inputs).0, 0x1f);
        assert_eq!(one(sm, "LEA.HI.X R0, R2, R3, 0xf, 0x2, P1", inputs).0, 0x4f);
        // The high word is inverted after the shift.
        assert_eq!(one(sm, "LEA.HI.X R0, ~R2, R3, R4, 0x2, P1", inputs).0, 0x2);
    }
}

#[test]
fn extremes() {
    let inputs = [0xffff_ffff, 1, 0, 0, 0, 0];
    for sm in ["sm_75", "sm_80", "sm_89"] {
        assert_eq!(one(sm, "IMNMX R0, R2, R3, PT", inputs).0, 0xffff_ffff);
        assert_eq!(one(sm, "IMNMX R0, R2, R3, !PT", inputs).0, 1);
        assert_eq!(one(sm, "IMNMX.U32 R0, R2, R3, PT", inputs).0, 1);
        assert_eq!(one(sm, "IMNMX.U32 R0, R2, R3, P0", inputs).0, 0xffff_ffff);
        assert_eq!(one(sm, "IMNMX.U32 R0, R2, R3, P1", inputs).0, 1);
    }
    assert_eq!(one("sm_90", "VIMNMX R0, R2, R3, !PT", inputs).0, 1);
    assert_eq!(one("sm_90", "VIMNMX.RELU R0, R2, R3, PT", inputs).0, 0);
    assert_eq!(one("sm_90", "VIMNMX3 R0, R2, R3, R4, PT", [3, 5, 1, 0, 0, 0]).0, 1);
    assert_eq!(one("sm_90", "VIADDMNMX R0, R2, -R3, R4, !PT", [3, 5, 1, 0, 0, 0]).0, 1);
    assert_eq!(one("sm_90", "VIADDMNMX.U32 R0, R2, R3, R4, !PT", inputs).0, 0);
    let halves = [0x8000_0005, 0x0001_0005, 0, 0, 0, 0];
    // The low halves are equal, the high half is that of the other: whether the first is chosen.
    assert_eq!(
        one("sm_90", "VIMNMX.S16x2 R0, P0, P1, R2, R3, !PT", halves),
        (0x1_0005, 1)
    );
    assert_eq!(
        one("sm_90", "VIMNMX.S16x2 R0, P0, P1, R2, R3, PT", halves),
        (0x8000_0005, 3)
    );
    assert_eq!(one("sm_120", "VIMNMX.U8x4 R0, R2, R3, !PT", halves).0, 0x8001_0005);
    let pairs = [0, 0xffff_ffff, 1, 0, 0, 0];
    assert_eq!(
        one("sm_120", "IMNMX.S64 PT, PT, R0, R2, R4, PT, !PT", pairs).0,
        0xffff_ffff_0000_0000
    );
    assert_eq!(one("sm_120", "IMNMX.U64 PT, PT, R0, R2, R4, PT, !PT", pairs).0, 1);
    assert_eq!(
        one("sm_120", "IMNMX.U64 PT, PT, R0, R2, R4, !PT, !PT", pairs).0,
        0xffff_ffff_0000_0000
    );
}

#[test]
fn packed_and_saturating_sums() {
    let inputs = [0x7fff_ffff, 1, 0x8000_0000, 0, 0, 0];
    assert_eq!(one("sm_120", "VIADD.S32.ISAT R0, R2, R3", inputs).0, 0x7fff_ffff);
    assert_eq!(one("sm_120", "VIADD.S32.ISAT R0, R4, -R3", inputs).0, 0x8000_0000);
    // 0 - (-2^31)
    assert_eq!(one("sm_120", "VIADD.S32.ISAT R0, R5, -R4", inputs).0, 0x7fff_ffff);
    assert_eq!(
        one("sm_90", "VIADD.16x2 R0, R2, R3", [0x0001_ffff, 0x0002_0001, 0, 0, 0, 0]).0,
        0x0003_0000
    );
    assert_eq!(
        one(
            "sm_120",
            "VIADD.U8x4 R0, R2, -R3",
            [0x0001_0203, 0x0102_0304, 0, 0, 0, 0]
        )
        .0,
        0xffff_ffff
    );
}

#[test]
fn dot_products_and_differences() {
    let inputs = [0xff02_0304, 0x0201_0101, 5, 0, 0, 0];
    for sm in ["sm_75", "sm_100"] {
        // 255 * 2 + 2 + 3 + 4 + 5, and with -1 in place of 255
        assert_eq!(one(sm, "IDP.4A.U8.U8 R0, R2, R3, R4", inputs).0, 524);
        assert_eq!(one(sm, "IDP.4A.S8.U8 R0, R2, R3, R4", inputs).0, 12);
        // halves ff02 and 0304 with bytes 1, 1 (low) or 1, 2 (high)
        assert_eq!(one(sm, "IDP.2A.LO.U16.U8 R0, R2, R3, R4", inputs).0, 0xff02 + 0x304 + 5);
        assert_eq!(
            one(sm, "IDP.2A.HI.S16.S8 R0, R2, R3, R4", inputs).0,
            (0x304 - 2 * 0xfe + 5)
        );
        assert_eq!(one(sm, "VABSDIFF R0, R2, R3, R4", [0xffff_fffe, 1, 5, 0, 0, 0]).0, 8);
        assert_eq!(
            one(sm, "VABSDIFF.U32 R0, R2, R3, R4", [0xffff_fffe, 1, 5, 0, 0, 0]).0,
            2
        );
        assert_eq!(one(sm, "VABSDIFF4.U8 R0, R2, R3, R4", inputs).0, 0xfd01_0203);
        assert_eq!(
            one(sm, "VABSDIFF4.U8.ACC R0, R2, R3, R4", inputs).0,
            0xfd + 1 + 2 + 3 + 5
        );
        assert_eq!(one(sm, "VABSDIFF4.ACC R0, R2, R3, R4", inputs).0, 3 + 1 + 2 + 3 + 5);
        assert_eq!(one(sm, "IABS R0, R2", [0x8000_0000, 0, 0, 0, 0, 0]).0, 0x8000_0000);
        assert_eq!(one(sm, "IABS R0, R2", [0xffff_fff0, 0, 0, 0, 0, 0]).0, 0x10);
    }
}
