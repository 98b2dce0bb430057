//! Several host threads, and several faults of one run.

use warpsmith_emu::{
    Device, Failure, FaultKind, Launch, Options, Report,
    sass::{load, run},
};

use crate::support::cubin;

/// Runs lines in 64 CTAs of 64 threads, R4 being the address of 1024 zeros; these words afterwards.
fn grid(lines: &[&str], options: &Options) -> (Vec<u32>, Result<Report, Failure>) {
    let mut device = Device::new();
    let out = device.allocate(4096, 256);
    let mut code = vec![
        format!("MOV R4, {:#x}", out as u32),
        format!("MOV R5, {:#x}", out >> 32),
    ];
    code.extend(lines.iter().map(ToString::to_string));
    let loaded = load(&mut device, &cubin("sm_80", &code)).expect("code that loads");
    let launch = Launch {
        grid: [64, 1, 1],
        block: [64, 1, 1],
        ..Launch::of("k")
    };
    let outcome = run(&mut device, &loaded, &launch, options);
    let bytes = device.read(out, 4096).expect("what was allocated");
    let words = bytes.chunks_exact(4);
    let words = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    (words.collect(), outcome)
}

fn on(threads: usize) -> Options {
    Options {
        threads,
        ..Options::default()
    }
}

#[test]
fn atomics_of_several_threads_are_not_lost() {
    let lines = [
        "MOV R6, 0x1",
        "MOV R7, RZ",
        "RED.E.ADD.STRONG.GPU [R4.64], R6",
        "RED.E.ADD.64.STRONG.GPU [R4.64+0x8], R6",
        "S2R R8, SR_CTAID.X",
        "IMAD.WIDE.U32 R10, R8, 0x4, R4",
        "STG.E [R10.64+0x10], R8",
        "EXIT",
    ];
    let (words, report) = grid(&lines, &on(1));
    assert_eq!(words[..4], [64 * 64, 0, 64 * 64, 0]);
    assert_eq!(words[4..68], (0..64).collect::<Vec<u32>>());
    for threads in [2, 0, 1000] {
        assert_eq!(grid(&lines, &on(threads)), (words.clone(), report.clone()));
    }
    let report = report.expect("a run without fault");
    assert_eq!(report.instructions, 2 * 64 * 10);
    assert_eq!(report.thread_instructions, 64 * 64 * 10);
    let opcodes = [("EXIT", 1), ("IMAD", 1), ("MOV", 4), ("RED", 2), ("S2R", 1), ("STG", 1)];
    let found = report.opcodes.iter().map(|(name, count)| (name.as_str(), count / 128));
    assert_eq!(found.collect::<Vec<_>>(), opcodes);
}

#[test]
fn steps_are_counted_as_often_as_they_are_executed() {
    // A loop of three turns, at whose end the turns of a warp may end too.
    let lines = [
        "MOV R6, 0x3",
        "IADD3 R6, R6, -0x1, RZ",
        "ISETP.NE.AND P0, PT, R6, RZ, PT",
        "@P0 BRA 0x30",
        "EXIT",
    ];
    let (_, report) = grid(&lines, &on(1));
    let report = report.expect("a run without fault");
    let found = report.opcodes.iter().map(|(name, count)| (name.as_str(), count / 128));
    let expected = [("BRA", 3), ("EXIT", 1), ("IADD3", 3), ("ISETP", 3), ("MOV", 3)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(report.instructions, 128 * 13);
}

#[test]
fn a_run_reports_several_faults() {
    let lines = [
        "S2R R8, SR_TID.X",
        "IMAD.WIDE.U32 R10, R8, 0x4, R4",
        "LDG.E R6, [R4.64+0x2]",
        "STG.E [R10.64+0xfc0], R8",
        "LDG.E R6, [R4.64+0x1000]",
        "EXIT",
    ];
    let options = Options {
        faults: 3,
        ..Options::default()
    };
    let (words, outcome) = grid(&lines, &options);
    let failure = outcome.expect_err("faults");
    let kinds: Vec<FaultKind> = failure.faults().map(|fault| fault.kind).collect();
    assert_eq!(
        kinds,
        [FaultKind::Misaligned, FaultKind::OutOfBounds, FaultKind::OutOfBounds]
    );
    let at = |fault: &warpsmith_emu::Fault| fault.instruction.clone().unwrap_or_default();
    let places: Vec<String> = failure.faults().map(|fault| at(fault)[..6].to_string()).collect();
    assert_eq!(places, ["0x0040", "0x0050", "0x0060"]);
    // The threads before the end have stored.
    assert_eq!(words[0x3f0..], (0..16).collect::<Vec<u32>>());
    // Only the first without being asked for more.
    let (_, outcome) = grid(&lines, &Options::default());
    let failure = outcome.expect_err("a fault");
    assert_eq!((failure.fault.kind, failure.more.len()), (FaultKind::Misaligned, 0));
}
