//! The emulator of machine code.

use warpsmith_emu::{
    Device, Launch, Options,
    sass::{load, run},
};

use super::support::cubin;

/// Name, body of a loop. R0 is the thread, R2 and R4 are addresses in global memory, contiguous and 16 bytes apart, R6 and R7 the same in shared
/// memory.
const KERNELS: [(&str, &[&str]); 12] = [
    (
        "integers",
        &[
            "IADD3 R20, R20, R21, RZ",
            "LOP3.LUT R21, R21, R20, RZ, 0x3c, !PT",
            "IMAD R22, R20, R21, RZ",
            "SHF.R.U32.HI R23, RZ, 0x3, R22",
            "IMAD R20, R23, R21, R20",
        ],
    ),
    (
        "floats",
        &[
            "FFMA R24, R24, R25, R26",
            "FADD R25, R25, R24",
            "FMUL R26, R26, R25",
            "FFMA R27, R24, R25, R27",
        ],
    ),
    ("shared", &["LDS R20, [R6]", "IADD3 R21, R21, R20, RZ", "STS [R6], R21"]),
    (
        "global",
        &["LDG.E R20, [R2.64]", "IADD3 R21, R21, R20, RZ", "STG.E [R2.64], R21"],
    ),
    ("flushing", &["FFMA.FTZ R24, R24, R25, R26", "FADD.FTZ R25, R25, R24"]),
    (
        "converting",
        &[
            "I2F R24, R0",
            "F2I.TRUNC.NTZ R20, R24",
            "FMNMX R25, R25, R24, !PT",
            "FSETP.GT.AND P1, PT, R24, R25, PT",
        ],
    ),
    (
        "doubles",
        &["DFMA R28, R28, R30, R32", "DADD R30, R30, R28", "DMUL R32, R32, R30"],
    ),
    (
        "halves",
        &["HFMA2 R20, R34, R35, R36", "HADD2 R37, R20, R34", "HMUL2 R38, R37, R34"],
    ),
    ("vectors", &["LDG.E.128 R40, [R4.64]", "STG.E.64 [R4.64], R40"]),
    (
        "scattered",
        &[
            "LDG.E R20, [R4.64]",
            "LDS R21, [R7]",
            "STS [R7], R20",
            "STG.E [R4.64], R21",
        ],
    ),
    (
        "atomics",
        &["RED.E.ADD.STRONG.GPU [R8.64], R0", "ATOMS.ADD R20, [R6], R0"],
    ),
    (
        "divergent",
        &[
            "LOP3.LUT R20, R0, 0x1, RZ, 0xc0, !PT",
            "ISETP.NE.AND P1, PT, R20, RZ, PT",
            "BSSY B0, JOIN",
            "@P1 BRA ODD",
            "IADD3 R21, R21, 0x1, RZ",
            "BRA MEET",
            "ODD: IADD3 R21, R21, 0x2, RZ",
            "MEET: BSYNC B0",
            "JOIN: IADD3 R22, R22, R21, RZ",
        ],
    ),
];

/// Lines with the addresses of labels in place of their names.
fn resolved(lines: Vec<String>) -> Vec<String> {
    let mut labels = Vec::new();
    let mut plain = Vec::new();
    for (index, line) in lines.into_iter().enumerate() {
        match line.split_once(": ") {
            Some((label, rest)) => {
                labels.push((label.to_string(), format!("{:#x}", 16 * index)));
                plain.push(rest.to_string());
            }
            None => plain.push(line),
        }
    }
    for line in &mut plain {
        for (label, address) in &labels {
            if let Some(start) = line.strip_suffix(label.as_str()) {
                *line = format!("{start}{address}");
            }
        }
    }
    plain
}

/// The kernel around a body: what it needs, and a loop of 20,000 turns.
fn kernel(body: &[&str], out: u64) -> Vec<String> {
    let setup = [
        "S2R R0, SR_TID.X".to_string(),
        format!("MOV R8, {:#x}", out as u32),
        format!("MOV R9, {:#x}", out >> 32),
        "IMAD.WIDE.U32 R2, R0, 0x4, R8".to_string(),
        "IMAD.WIDE.U32 R4, R0, 0x10, R8".to_string(),
        "IMAD R6, R0, 0x4, RZ".to_string(),
        "IMAD R7, R0, 0x10, RZ".to_string(),
        "MOV R20, R0".to_string(),
        "MOV R21, 0x30003001".to_string(),
        "MOV R24, 0x3f800001".to_string(),
        "MOV R25, 0x3f000000".to_string(),
        "MOV R26, 0x3e800000".to_string(),
        "MOV R27, 0x3f800000".to_string(),
        "MOV R28, 0x1".to_string(),
        "MOV R29, 0x3ff00000".to_string(),
        "MOV R31, 0x3fe00000".to_string(),
        "MOV R33, 0x3fd00000".to_string(),
        "MOV R34, 0x30003001".to_string(),
        "MOV R35, 0x3c003c01".to_string(),
        "MOV R36, 0x2c002c01".to_string(),
        "MOV R10, 0x4e20".to_string(),
    ];
    let mut lines = setup.to_vec();
    for (index, line) in body.iter().enumerate() {
        lines.push(if index == 0 {
            format!("LOOP: {line}")
        } else {
            line.to_string()
        });
    }
    let end = [
        "IADD3 R10, R10, -0x1, RZ",
        "ISETP.NE.AND P0, PT, R10, RZ, PT",
        "@P0 BRA LOOP",
        "STG.E [R2.64], R20",
        "EXIT",
    ];
    lines.extend(end.map(ToString::to_string));
    resolved(lines)
}

/// Runs all kernels.
pub(crate) fn measure(options: &Options) {
    for (name, body) in KERNELS {
        let mut device = Device::new();
        let out = device.allocate(4096, 4);
        let loaded = match load(&mut device, &cubin("sm_80", &kernel(body, out))) {
            Ok(loaded) => loaded,
            Err(fault) => return println!("{fault}"),
        };
        let launch = Launch {
            grid: [4, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 4096,
            ..Launch::of("k")
        };
        super::timed(name, || {
            run(&mut device, &loaded, &launch, options)
                .map(|report| report.instructions)
                .map_err(|failure| failure.to_string())
        });
    }
}
