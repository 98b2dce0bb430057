//! Random damage to everything that is read: instruction words, instruction text, cubins, listings. A finding is a panic, a hang, or a
//! word that does not come back; the seed and the round repeat it.

use crate::{Random, random_instruction};
use std::time::{Duration, Instant};
use warpsmith_cubin::Cubin;
use warpsmith_listing::{ListingOptions, Style, assemble, disassemble};
use warpsmith_sass::{Instruction, PlainText, parse};
use warpsmith_target::Isa;

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
}

impl Target {
    /// Every target with its name on the command line.
    pub const ALL: [(&str, Target); 4] = [
        ("words", Target::Words),
        ("text", Target::Text),
        ("cubins", Target::Cubins),
        ("listings", Target::Listings),
    ];
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
