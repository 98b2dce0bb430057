use warpsmith_target::Isa;

use super::check_paths;
use crate::{Control, Instruction, PlainText, parse};

fn messages(isa: Isa, lines: &[(&str, Control)]) -> Vec<String> {
    let code: Vec<Instruction> = lines
        .iter()
        .enumerate()
        .map(|(at, (text, control))| {
            // `#2` stands for the third line.
            let text = match text.split_once('#') {
                Some((before, line)) => {
                    let line: u32 = line.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
                    format!("{before}{:#x}", 16 * line)
                }
                None => (*text).to_string(),
            };
            let place = PlainText {
                address: 16 * at as u64,
            };
            let parsed = parse(isa, &text, &place);
            let parsed = parsed.unwrap_or_else(|error| panic!("{text}: {error}"));
            parsed.with_control(*control)
        })
        .collect();
    let found = check_paths(&code, &[]).into_iter();
    found.map(|(index, hazard)| format!("{index}: {hazard}")).collect()
}

fn stall(stall: u8) -> Control {
    Control { stall, ..Control::NONE }
}

fn sets(write_scoreboard: u8) -> Control {
    Control {
        write_scoreboard: Some(write_scoreboard),
        stall: 2,
        ..Control::NONE
    }
}

fn waits(wait_mask: u8) -> Control {
    Control {
        wait_mask,
        stall: 4,
        ..Control::NONE
    }
}

#[test]
fn a_load_must_be_waited_for_on_both_sides_of_a_branch() {
    let lines = |taken| {
        [
            ("LDG.E R0, [R2.64]", sets(1)),
            ("@P0 BRA #4", stall(5)),
            ("FADD R1, R0, R0", waits(2)),
            ("EXIT", stall(5)),
            ("FADD R4, R0, R0", waits(taken)),
            ("EXIT", stall(5)),
        ]
    };
    assert!(messages(Isa::Sm80, &lines(2)).is_empty());
    let found = messages(Isa::Sm80, &lines(0));
    assert!(
        found.len() == 1 && found[0].starts_with("4: R0 is read while `LDG.E"),
        "{found:?}"
    );
}

#[test]
fn a_loop_comes_back_with_what_is_in_flight() {
    let lines = |mask| {
        [
            ("MOV R0, RZ", stall(6)),
            ("FADD R1, R0, R0", waits(mask)),
            ("LDG.E R0, [R2.64]", sets(3)),
            ("@P0 BRA #1", stall(5)),
            ("EXIT", stall(5)),
        ]
    };
    assert!(messages(Isa::Sm80, &lines(8)).is_empty());
    let found = messages(Isa::Sm80, &lines(0));
    assert!(
        found.len() == 1 && found[0].starts_with("1: R0 is read while"),
        "{found:?}"
    );
}

#[test]
fn distances_hold_over_a_branch() {
    let lines = |stall_before| {
        [
            ("ISETP.GE.AND P0, PT, R2, R3, PT", stall(stall_before)),
            ("@P1 BRA #3", stall(5)),
            ("NOP", stall(1)),
            ("@P0 FADD R0, R1, R2", stall(4)),
            ("EXIT", stall(5)),
        ]
    };
    assert!(messages(Isa::Sm90, &lines(8)).is_empty());
    assert_eq!(
        messages(Isa::Sm90, &lines(7)),
        ["3: P0 is read 12 cycles after `ISETP.GE.AND P0, PT, R2, R3, PT`, which writes it; 13 are necessary"]
    );
}

#[test]
fn opposite_guards_do_not_meet_until_the_predicate_changes() {
    let plain = [
        ("@P0 FADD R0, R1, R1", stall(1)),
        ("@!P0 FADD R2, R0, R0", stall(4)),
        ("EXIT", stall(5)),
    ];
    assert!(messages(Isa::Sm80, &plain).is_empty());
    let changed = [
        ("@P0 LDG.E R0, [R2.64]", sets(0)),
        ("ISETP.GE.AND P0, PT, R2, R3, PT", stall(13)),
        ("@!P0 FADD R4, R0, R0", stall(4)),
        ("EXIT", stall(5)),
    ];
    let found = messages(Isa::Sm80, &changed);
    assert!(
        found.len() == 1 && found[0].starts_with("2: R0 is read while"),
        "{found:?}"
    );
}

#[test]
fn a_counted_wait_leaves_the_later_ones() {
    let lines = |count: &'static str| {
        [
            ("LDG.E R0, [R2.64]", sets(0)),
            ("LDG.E R1, [R2.64+0x4]", sets(0)),
            (count, stall(4)),
            ("FADD R4, R0, R0", stall(4)),
            ("EXIT", stall(5)),
        ]
    };
    assert!(messages(Isa::Sm80, &lines("DEPBAR.LE SB0, 0x1")).is_empty());
    let found = messages(Isa::Sm80, &lines("DEPBAR.LE SB0, 0x2"));
    assert!(
        found.len() == 1 && found[0].starts_with("3: R0 is read while"),
        "{found:?}"
    );
}

#[test]
fn sums_of_a_product_are_untouched_until_its_group_is_waited_for() {
    let lines = |left: &'static str, second: &'static str| {
        [
            ("WARPGROUP.ARRIVE", stall(6)),
            ("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24", stall(3)),
            ("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0", stall(3)),
            ("HGMMA.64x8x16.F32 R28, R32, gdesc[UR4], R28, gsb0", stall(3)),
            (left, stall(3)),
            (second, stall(4)),
            ("EXIT", stall(5)),
        ]
    };
    let found = |left, second| messages(Isa::Sm90, &lines(left, second));
    assert_eq!(found("WARPGROUP.DEPBAR.LE gsb0, 0x1", "FADD R0, R24, R25"), [""; 0]);
    assert_eq!(found("WARPGROUP.DEPBAR.LE gsb0, 0x0", "FADD R28, R28, R25"), [""; 0]);
    assert_eq!(found("WARPGROUP.DEPBAR.LE gsb0, 0x1", "FADD R0, R32, R33"), [""; 0]);
    let early = found("WARPGROUP.DEPBAR.LE gsb0, 0x2", "FADD R0, R24, R25");
    assert!(
        early.len() == 1 && early[0].starts_with("5: R24 is read while `HGMMA"),
        "{early:?}"
    );
    let early = found("WARPGROUP.DEPBAR.LE gsb0, 0x1", "FADD R32, R24, R25");
    assert!(
        early.len() == 1 && early[0].starts_with("5: R32 is written while `HGMMA"),
        "{early:?}"
    );
    let other = "HGMMA.64x8x16.F32 R40, R28, gdesc[UR4], R40";
    let early = found("WARPGROUP.DEPBAR.LE gsb0, 0x1", other);
    assert!(
        early.len() == 1 && early[0].starts_with("5: R28 is used by a product"),
        "{early:?}"
    );
}

#[test]
fn no_group_is_open_at_an_arrival() {
    let lines = |first: &'static str| {
        [
            ("WARPGROUP.ARRIVE", stall(6)),
            (first, stall(4)),
            ("WARPGROUP.ARRIVE", stall(6)),
            ("HGMMA.64x8x16.F32 R28, R36, gdesc[UR4], R28, gsb0", stall(3)),
            ("WARPGROUP.DEPBAR.LE gsb0, 0x0", stall(2)),
            ("EXIT", stall(5)),
        ]
    };
    let found = |first| messages(Isa::Sm90, &lines(first));
    assert_eq!(found("HGMMA.64x8x16.F32 R24, R32, gdesc[UR4], R24, gsb0"), [""; 0]);
    let found = found("HGMMA.64x8x16.F32 R24, R32, gdesc[UR4], R24");
    assert!(
        found.len() == 1 && found[0].ends_with("is in a group that is open at an arrival"),
        "{found:?}"
    );
}

#[test]
fn a_product_of_the_last_round_is_in_flight() {
    let lines = |left: &'static str| {
        [
            ("FADD R0, R24, R25", stall(4)),
            ("WARPGROUP.ARRIVE", stall(6)),
            ("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0", stall(3)),
            (left, stall(3)),
            ("@P0 BRA #0", stall(5)),
            ("EXIT", stall(5)),
        ]
    };
    assert_eq!(messages(Isa::Sm90, &lines("WARPGROUP.DEPBAR.LE gsb0, 0x0")), [""; 0]);
    let found = messages(Isa::Sm90, &lines("WARPGROUP.DEPBAR.LE gsb0, 0x1"));
    assert!(
        found.len() == 1 && found[0].starts_with("0: R24 is read while"),
        "{found:?}"
    );
}

#[test]
fn the_reuse_cache_does_not_follow_a_write() {
    let reuse = |reuse| Control {
        reuse,
        stall: 4,
        ..Control::NONE
    };
    let lines = |flags| {
        [
            ("FADD R0, R0, R1", reuse(flags)),
            ("FADD R2, R0, R1", stall(4)),
            ("EXIT", stall(5)),
        ]
    };
    assert!(messages(Isa::Sm80, &lines(0)).is_empty());
    assert_eq!(
        messages(Isa::Sm80, &lines(1)),
        ["1: R0 comes from the reuse cache after it was written"]
    );
}
