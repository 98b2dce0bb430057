//! What looks at other lanes.

use crate::support::lanes;

/// R2 is the lane, P0 holds in lanes 0 to 9, P1 in even lanes.
const START: [&str; 4] = [
    "S2R R2, SR_LANEID",
    "ISETP.LT.AND P0, PT, R2, 0xa, PT",
    "LOP3.LUT P1, RZ, R2, 0x1, RZ, 0xc0, !PT",
    "PLOP3.LUT P1, PT, P1, PT, PT, 0x8, 0x0",
];

fn after<const N: usize>(sm: &str, more: &[&str], registers: [u8; N]) -> [[u32; 32]; N] {
    lanes(sm, &[&START, more].concat(), registers)
}

#[test]
fn votes() {
    for sm in ["sm_75", "sm_120"] {
        let more = [
            "VOTE.ANY R3, P2, P0",
            "@P1 VOTE.ALL R4, P3, P0",
            "@P0 VOTE.EQ R5, P4, P0",
            "VOTEU.ANY UR4, UP0, P1",
            "MOV R6, UR4",
            "P2R R7, PR, RZ, 0x1c",
        ];
        let [any, all, equal, uniform, bits] = after(sm, &more, [3, 4, 5, 6, 7]);
        assert_eq!(any, [0x3ff; 32]);
        assert_eq!((all[0], all[1]), (0x155, 0));
        assert_eq!((equal[0], equal[10]), (0x3ff, 0));
        assert_eq!(uniform, [0x5555_5555; 32]);
        assert_eq!((bits[0], bits[10], bits[11]), (0x14, 0x4, 0x4));
    }
}

#[test]
fn shuffles() {
    for sm in ["sm_75", "sm_90"] {
        let more = [
            "SHFL.UP P2, R3, R2, 0x2, RZ",
            "SHFL.DOWN P3, R4, R2, 0x3, 0x1f",
            "SHFL.BFLY P4, R5, R2, 0x1, 0x1f",
            "SHFL.IDX P5, R6, R2, 0x9, 0x1807",
            "P2R R7, PR, RZ, 0x3c",
        ];
        let [up, down, butterfly, index, bits] = after(sm, &more, [3, 4, 5, 6, 7]);
        assert_eq!((up[0], up[1], up[2], up[31]), (0, 1, 0, 29));
        assert_eq!((down[0], down[28], down[29]), (3, 31, 29));
        assert_eq!((butterfly[0], butterfly[1]), (1, 0));
        // Segments of eight lanes.
        assert_eq!((index[0], index[9], index[31]), (1, 9, 25));
        assert_eq!((bits[0] & 0xc, bits[2] & 0xc, bits[29] & 0xc), (8, 0xc, 4));
        assert!(bits.iter().all(|bits| bits & 0x30 == 0x30));
    }
}

#[test]
fn matches() {
    let more = [
        "SHF.R.U32.HI R3, RZ, 0x3, R2",
        "MATCH.ANY R4, R3",
        "MATCH.ALL P2, R5, R3",
        "MOV R6, RZ",
        "@P0 MATCH.ALL P3, R6, RZ",
        "P2R R7, PR, RZ, 0xc",
    ];
    let [any, all, equal, bits] = after("sm_80", &more, [4, 5, 6, 7]);
    assert_eq!((any[0], any[9], any[31]), (0xff, 0xff00, 0xff00_0000));
    assert_eq!(all, [0; 32]);
    assert_eq!((equal[0], equal[10]), (0x3ff, 0));
    assert_eq!((bits[0], bits[10]), (8, 0));
}

#[test]
fn reductions() {
    let more = [
        "REDUX.SUM UR4, R2",
        "@P0 REDUX.MAX UR5, R2",
        "IADD3 R3, PT, PT, -R2, RZ, RZ",
        "REDUX.MIN.S32 UR6, R3",
        "REDUX.MIN UR7, R3",
        "REDUX.OR UR8, R2",
        "REDUX UR9, R3",
        "REDUX.XOR UR10, R2",
        "CREDUX.MAX.S32 UR11, R3",
        "MOV R4, UR4",
        "MOV R5, UR5",
        "MOV R6, UR6",
        "MOV R7, UR7",
        "MOV R8, UR8",
        "MOV R9, UR9",
        "MOV R10, UR10",
        "MOV R11, UR11",
    ];
    let rows = after("sm_100", &more, [4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(rows.map(|row| row[7]), [496, 9, 0xffff_ffe1, 0, 31, 0, 0, 0]);
}

#[test]
fn float_reductions() {
    let more = [
        "MOV R3, 0x3f800000",
        "@P0 MOV R3, 0xc0000000",
        "CREDUX.MAX.F32 UR4, R3",
        "CREDUX.MAXABS.F32 UR5, R3",
        "CREDUX.MIN.F32 UR6, R3",
        "@P0 MOV R3, 0x7fc00001",
        "CREDUX.MIN.F32 UR7, R3",
        "CREDUX.MIN.F32.NAN UR8, R3",
        "MOV R4, UR4",
        "MOV R5, UR5",
        "MOV R6, UR6",
        "MOV R7, UR7",
        "MOV R8, UR8",
    ];
    let rows = after("sm_100", &more, [4, 5, 6, 7, 8]);
    assert_eq!(
        rows.map(|row| row[0]),
        [0x3f80_0000, 0x4000_0000, 0xc000_0000, 0x3f80_0000, 0x7fff_ffff]
    );
}

#[test]
fn a_lane_is_chosen() {
    let more = [
        "MOV R3, RZ",
        "@!P0 ELECT P2, UR4, PT",
        "MOV R3, UR4",
        "P2R R4, PR, RZ, 0x4",
    ];
    let [leader, bits] = after("sm_90", &more, [3, 4]);
    assert_eq!(leader, [10; 32]);
    assert_eq!((bits[9], bits[10], bits[11]), (0, 4, 0));
}

#[test]
fn a_uniform_register_takes_the_first_lane() {
    let more = [
        "SHF.R.U32.HI R3, RZ, 0x3, R2",
        "@!P0 R2UR P2, UR4, R3",
        "@!P0 R2UR.OR P2, UR5, R2",
        "MOV R4, UR4",
        "MOV R5, UR5",
        "P2R R6, PR, RZ, 0x4",
    ];
    let [first, second, bits] = after("sm_90", &more, [4, 5, 6]);
    assert_eq!((first, second), ([1; 32], [10; 32]));
    // Lane 10 alone has both values; lanes 0 to 9 took no part.
    assert_eq!((bits[0], bits[10], bits[11], bits[31]), (0, 0, 4, 4));
}
