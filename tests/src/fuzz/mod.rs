//! Random damage to everything that is read: instruction words, instruction text, cubins, listings. A finding is a panic, a hang, or a
//! word that does not come back; the seed and the round repeat it. [`readers`] does the same to whole files and command lines.

mod mutate;
pub mod readers;
mod seeds;
pub mod watch;

use crate::{Random, random_instruction};
use std::time::{Duration, Instant};
use warpsmith_cubin::{
    Content, Cubin, FileType, Section, SectionFlags, SectionType, Symbol, SymbolBinding, SymbolOther, SymbolSection,
    SymbolType,
};
use warpsmith_emu::{Device, Launch, Options, sass};
use warpsmith_listing::{ListingOptions, Style, assemble, disassemble};
use warpsmith_sass::{Instruction, PlainText, parse};
use warpsmith_target::{Isa, Sm};

/// What is fuzzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Random 128-bit words, on every generation.
    Words,
    /// Text of random instructions, damaged.
    Text,
    /// The sample cubins, damaged: read, listed in both styles, written.
    Cubins,
    /// The listings of the sample cubins, damaged: assembled.
    Listings,
    /// Kernels of random instructions, and the sample cubins damaged: run in the emulator.
    Kernels,
}

/// Runs rounds of `target` until `time` is over or `rounds` are done, and returns how many there were.
///
/// # Panics
/// On a finding.
pub fn run(target: Target, seed: u64, rounds: u64, time: Duration) -> u64 {
    let samples = crate::sample_cubins();
    let listings: Vec<String> = samples
        .iter()
        .map(|bytes| listing(bytes, Style::Warpsmith).expect("a sample has a listing"))
        .collect();
    let start = Instant::now();
    for round in 0..rounds {
        if round % 16 == 0 && start.elapsed() > time {
            return round;
        }
        let mut random = Random::new(seed ^ round.wrapping_mul(0x9e37_79b9));
        match target {
            Target::Words => (0..1000).for_each(|_| word(random.next_u128())),
            Target::Text => text(&mut random),
            Target::Cubins => {
                let mut bytes = samples[random.below(samples.len() as u64) as usize].clone();
                damage(&mut bytes, &mut random);
                cubin(&bytes);
            }
            Target::Listings => {
                let mut bytes = listings[random.below(listings.len() as u64) as usize]
                    .clone()
                    .into_bytes();
                damage(&mut bytes, &mut random);
                let _ = assemble(&String::from_utf8_lossy(&bytes), "fuzz.sass");
            }
            Target::Kernels if round % 4 == 0 => {
                let mut bytes = samples[random.below(samples.len() as u64) as usize].clone();
                damage(&mut bytes, &mut random);
                if let Ok(cubin) = Cubin::read(&bytes) {
                    emulate(&cubin, &mut random);
                }
            }
            Target::Kernels => kernel(&mut random),
        }
    }
    rounds
}

/// Decoding a word, printing it and decoding it again is stable on every generation.
fn word(word: u128) {
    for &isa in Isa::ALL {
        if let Ok(instruction) = Instruction::decode(isa, word) {
            let again = Instruction::decode(isa, instruction.word()).expect("a decoded word decodes");
            assert_eq!(again.word(), word, "sm_{}", isa.name());
            assert_eq!(again.to_string(), instruction.to_string());
        }
    }
}

fn text(random: &mut Random) {
    let isa = Isa::ALL[random.below(Isa::ALL.len() as u64) as usize];
    let forms: Vec<_> = warpsmith_sass::forms(isa).collect();
    let form = forms[random.below(forms.len() as u64) as usize];
    let Ok(instruction) = Instruction::decode(isa, random_instruction(form, isa, random)) else {
        return;
    };
    let mut bytes = instruction.to_string().into_bytes();
    damage(&mut bytes, random);
    if let Ok(parsed) = parse(isa, &String::from_utf8_lossy(&bytes), &PlainText::default()) {
        word(parsed.word());
    }
}

/// A kernel of random instructions. Branches go where they go; the budget ends it.
fn kernel(random: &mut Random) {
    let target = TARGETS[random.below(TARGETS.len() as u64) as usize];
    let sm: Sm = target.parse().expect("a target");
    let forms: Vec<_> = warpsmith_sass::forms(sm.isa()).collect();
    let mut bytes = Vec::new();
    for _ in 0..random.below(40) + 1 {
        let form = forms[random.below(forms.len() as u64) as usize];
        // Half of the guards are taken away, so that more is executed.
        let always = if random.below(2) == 0 { !(0xf << 12) } else { u128::MAX };
        let word = random_instruction(form, sm.isa(), random) & always | if always == u128::MAX { 0 } else { 7 << 12 };
        bytes.extend(word.to_le_bytes());
    }
    let mut cubin = Cubin::new(sm, FileType::Executable);
    let size = bytes.len() as u64;
    let mut text = Section::new(
        ".text.k",
        SectionType::PROGBITS,
        SectionFlags::ALLOC | SectionFlags::EXECINSTR,
    );
    text.content = Content::Bytes(bytes);
    let section = cubin.add_section(text);
    cubin.add_symbol(Symbol {
        name: "k".to_string(),
        binding: SymbolBinding::GLOBAL,
        symbol_type: SymbolType::FUNC,
        other: SymbolOther(0x10),
        section: SymbolSection::Section(section),
        size,
        ..Symbol::null()
    });
    cubin.finish();
    emulate(&cubin, random);
}

/// A target of each generation.
const TARGETS: [&str; 9] = [
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// Runs every kernel of a cubin for a while. Faults are expected.
fn emulate(cubin: &Cubin, random: &mut Random) {
    let mut device = Device::new();
    let Ok(loaded) = sass::load(&mut device, cubin) else {
        return;
    };
    let data = device.allocate(4096, 256);
    for name in loaded.kernels() {
        let sizes = loaded.parameters(name).unwrap_or_default();
        let argument = |size: &u64| {
            let mut bytes = data.to_le_bytes().to_vec();
            bytes.resize((*size).min(1 << 16) as usize, 0);
            bytes
        };
        let launch = Launch {
            block: [48, 1, 1],
            arguments: sizes.iter().map(argument).collect(),
            ..Launch::of(name)
        };
        let options = Options {
            step_budget: 2000,
            check_hazards: random.below(4) == 0,
            ..Options::default()
        };
        let _ = sass::run(&mut device, &loaded, &launch, &options);
    }
}

fn cubin(bytes: &[u8]) {
    let Ok(cubin) = Cubin::read(bytes) else { return };
    let _ = cubin.write();
    for style in [Style::Nvdisasm, Style::Warpsmith] {
        let _ = listing_of(&cubin, style);
    }
}

fn listing(bytes: &[u8], style: Style) -> Option<String> {
    listing_of(&Cubin::read(bytes).ok()?, style)
}

fn listing_of(cubin: &Cubin, style: Style) -> Option<String> {
    let mut out = Vec::new();
    disassemble(
        cubin,
        &ListingOptions {
            style,
            ..ListingOptions::default()
        },
        &mut out,
    )
    .ok()?;
    String::from_utf8(out).ok()
}

/// Changes, removes, doubles or cuts a few bytes.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(6) + 1 {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(8) {
            0 => bytes[at] = random.next_u64() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = [0, 0xff, 0x7f, 0x80, b'0', b' ', b'\n', b'.'][random.below(8) as usize],
            3 => drop(bytes.remove(at)),
            4 => bytes.insert(at, random.next_u64() as u8),
            5 if random.below(8) == 0 => bytes.truncate(at),
            6 => {
                let end = (at + random.below(64) as usize).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}
