//! Running lines of machine code and looking at the registers that they leave.

use warpsmith_cubin::{
    Content, Cubin, FileType, Section, SectionFlags, SectionType, Symbol, SymbolBinding, SymbolOther, SymbolSection,
    SymbolType,
};
use warpsmith_emu::{
    Device, Launch, Options,
    sass::{load, run},
};
use warpsmith_sass::{PlainText, parse};
use warpsmith_target::Sm;

/// One word for each lane.
pub(crate) type Lanes = [u32; 32];

/// A cubin with the kernel `k` of these lines, which take no parameters and go on one after the other.
pub(crate) fn cubin(sm: &str, lines: &[String]) -> Cubin {
    let sm: Sm = sm.parse().expect("an SM");
    let mut bytes = Vec::new();
    for line in lines {
        let context = PlainText {
            address: bytes.len() as u64,
        };
        let instruction = parse(sm.isa(), line, &context).unwrap_or_else(|error| panic!("{line}: {error}"));
        bytes.extend(instruction.word().to_le_bytes());
    }
    let mut cubin = Cubin::new(sm, FileType::Executable);
    let size = bytes.len() as u64;
    let mut text = Section::new(
        ".text.k",
        SectionType::PROGBITS,
        SectionFlags::ALLOC | SectionFlags::EXECINSTR,
    );
    text.alignment = 128;
    text.content = Content::Bytes(bytes);
    let section = cubin.add_section(text);
    cubin.add_symbol(Symbol {
        name: "k".to_string(),
        name_offset: None,
        binding: SymbolBinding::GLOBAL,
        symbol_type: SymbolType::FUNC,
        other: SymbolOther(0x10),
        section: SymbolSection::Section(section),
        value: 0,
        size,
    });
    cubin.finish();
    cubin
}

/// Runs lines in one warp, or in `launch`'s; the registers of its first warp at the end. R240 to R247 are used.
pub(crate) fn attempt(sm: &str, lines: &[&str], registers: &[u8], launch: Launch) -> Result<Vec<Lanes>, String> {
    attempt_on(&mut Device::new(), sm, lines, registers, launch)
}

/// The same, on a device.
pub(crate) fn attempt_on(
    device: &mut Device,
    sm: &str,
    lines: &[&str],
    registers: &[u8],
    launch: Launch,
) -> Result<Vec<Lanes>, String> {
    let out = device.allocate(128 * registers.len() as u64, 256);
    let store = match sm {
        "sm_75" => "STG.E.SYS [R242",
        "sm_80" | "sm_86" | "sm_89" => "STG.E [R242.64",
        _ => "STG.E desc[UR60][R242.64",
    };
    let mut code: Vec<String> = lines.iter().map(ToString::to_string).collect();
    code.extend([
        "S2R R240, SR_TID.X".to_string(),
        "ISETP.GT.U32.AND P0, PT, R240, 0x1f, PT".to_string(),
        "@P0 EXIT".to_string(),
        format!("MOV R244, {:#x}", out as u32),
        format!("MOV R245, {:#x}", out >> 32),
        "IMAD.WIDE.U32 R242, R240, 0x4, R244".to_string(),
    ]);
    for (index, register) in registers.iter().enumerate() {
        let offset = match index {
            0 => String::new(),
            _ => format!("+{:#x}", 128 * index),
        };
        code.push(format!("{store}{offset}], R{register}"));
    }
    code.push("EXIT".to_string());
    let loaded = load(device, &cubin(sm, &code)).map_err(|fault| fault.to_string())?;
    run(device, &loaded, &launch, &Options::default()).map_err(|failure| failure.to_string())?;
    let bytes = device
        .read(out, 128 * registers.len() as u64)
        .map_err(|fault| fault.to_string())?;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let rows = bytes.chunks_exact(128);
    Ok(rows
        .map(|row| std::array::from_fn(|lane| word(&row[4 * lane..])))
        .collect())
}

/// The registers that lines leave in the lanes of a warp.
pub(crate) fn lanes<const N: usize>(sm: &str, lines: &[&str], registers: [u8; N]) -> [Lanes; N] {
    let launch = Launch {
        block: [32, 1, 1],
        ..Launch::of("k")
    };
    match attempt(sm, lines, &registers, launch) {
        Ok(rows) => rows.try_into().expect("as many rows as registers"),
        Err(text) => panic!("{sm}: {text}"),
    }
}

/// The registers that lines leave, which are the same in all lanes.
pub(crate) fn words<const N: usize>(sm: &str, lines: &[&str], registers: [u8; N]) -> [u32; N] {
    lanes(sm, lines, registers).map(|row| {
        assert!(row.iter().all(|word| *word == row[0]), "{row:x?}");
        row[0]
    })
}

/// Lines that set registers to words, and more lines.
pub(crate) fn with(registers: &[(u8, u32)], lines: &[&str]) -> Vec<String> {
    let moves = registers
        .iter()
        .map(|(register, word)| format!("MOV R{register}, {word:#x}"));
    moves.chain(lines.iter().map(ToString::to_string)).collect()
}

/// What one line leaves in R0 and R1, and in P0 and P1 as bits 0 and 1, of R2 to R7 set to these words. P0 is false before and P1 true.
pub(crate) fn one(sm: &str, line: &str, inputs: [u32; 6]) -> (u64, u32) {
    let registers: Vec<(u8, u32)> = (2..).zip(inputs).collect();
    let code = with(
        &registers,
        &[
            "MOV R0, RZ",
            "MOV R1, RZ",
            "ISETP.NE.AND P0, PT, RZ, RZ, PT",
            "ISETP.EQ.AND P1, PT, RZ, RZ, PT",
            line,
            "P2R R8, PR, RZ, 0x3",
        ],
    );
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    let [low, high, predicates] = words(sm, &code, [0, 1, 8]);
    (u64::from(high) << 32 | u64::from(low), predicates)
}
