//! Special registers, and what the driver puts into constant bank 0.

use warpsmith_emu::Launch;

use crate::support::attempt;

fn launch() -> Launch {
    Launch {
        grid: [1, 1, 1],
        block: [16, 4, 1],
        dynamic_shared: 256,
        ..Launch::of("k")
    }
}

#[test]
fn threads_know_themselves() {
    for sm in ["sm_75", "sm_90", "sm_120"] {
        let lines = [
            "S2R R0, SR_TID.X",
            "S2R R1, SR_TID.Y",
            "S2R R2, SR_LANEID",
            "S2R R3, SR_VIRTID",
            "S2R R4, SR_LTMASK",
            "S2R R5, SR_GEMASK",
            // Only the first warp stores, by lane.
            "SHF.R.U32.HI R6, RZ, 0x8, R3",
            "ISETP.NE.AND P1, PT, R6, RZ, PT",
            "@P1 EXIT",
        ];
        let rows = attempt(sm, &lines, &[0, 1, 2, 3, 4, 5], launch()).unwrap();
        // SR_TID.X is the place to store at: lanes 16 to 31 (y = 1) come last.
        assert_eq!(rows[1][3], 1);
        assert_eq!(rows[2][3], 19);
        assert_eq!(rows[3][3], 0);
        assert_eq!(rows[4][3], 0x7_ffff);
        assert_eq!(rows[5][3], 0xfff8_0000);
    }
}

#[test]
fn the_driver_tells_the_launch() {
    // Threads of the CTA, dynamic and reserved shared memory, multiprocessors.
    for (sm, load, offsets) in [
        ("sm_75", "MOV", [0x0, 0x4, 0x2c, 0x10c]),
        ("sm_86", "MOV", [0x0, 0x4, 0x2c, 0x10c]),
        ("sm_90", "LDC", [0x0, 0x4, 0x2c, 0x10c]),
        ("sm_100", "LDC", [0x360, 0x364, 0x2ac, 0x2d0]),
        ("sm_120", "LDC", [0x360, 0x364, 0x2ac, 0x2d0]),
    ] {
        let lines: Vec<String> = offsets
            .iter()
            .enumerate()
            .map(|(register, offset)| format!("{load} R{register}, c[0x0][{offset:#x}]"))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let rows = attempt(sm, &lines, &[0, 1, 2, 3], launch()).unwrap();
        let found: Vec<u32> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(found, [16, 4, 256, 132], "{sm}");
    }
}

#[test]
fn clusters_are_in_the_constant_bank() {
    let offsets = [0x140, 0x144, 0x148, 0x14c, 0x150, 0x154, 0x15c, 0x160, 0x188];
    let lines: Vec<String> = offsets
        .iter()
        .enumerate()
        .map(|(register, offset)| format!("LDC R{register}, c[0x0][{offset:#x}]"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let launch = Launch {
        grid: [4, 6, 1],
        block: [32, 1, 1],
        cluster: [2, 3, 1],
        ..Launch::of("k")
    };
    let rows = attempt("sm_90", &lines, &[0, 1, 2, 3, 4, 5, 6, 7, 8], launch).unwrap();
    let found: Vec<u32> = rows.iter().map(|row| row[0]).collect();
    // Half, and a third rounded up, as f32.
    assert_eq!(found, [1, 2, 3, 1, 0x3f00_0000, 0x3eaa_aaab, 2, 2, 6]);
}
