//! Operand values: edges in every combination of the first two operands, then random bits, numbers of moderate size, and a mixture.

use crate::Random;

/// Threads that a case is run with.
pub const THREADS: usize = 1024;
/// Threads with edge values.
const EDGES: usize = 512;
/// Threads before the moderate ones.
const RANDOM: usize = 704;
/// Threads before the mixture.
const MODERATE: usize = 896;

/// How the bits of an operand are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An integer of so many bits.
    Integer(u32),
    /// `f16`, or several packed in 32 bits.
    Half,
    /// `bf16`, the same.
    Bfloat,
    /// `f32` and `tf32`
    Single,
    /// `f64`
    Double,
    /// Bytes, each a small floating-point number.
    Bytes,
}

/// Integers at which something changes, as signed numbers that are cut to the width.
const INTEGERS: [u64; 22] = [
    0,
    1,
    u64::MAX,
    2,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x5555_5555_5555_5555,
    0xffff_ffff_ffff_fffe,
    0x0102_0384_0506_0708,
];

/// Zeros, smallest and largest subnormal and normal numbers, ones and neighbours, halves, powers of two where conversions saturate or round, infinities,
/// quiet and signalling NaNs.
const HALVES: [u64; 20] = [
    0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x3e00, 0x4100, 0x7bff, 0xfbff,
    0x7c00, 0xfc00, 0x7e00, 0x7d01, 0x5bff,
];
const BFLOATS: [u64; 20] = [
    0, 0x8000, 1, 0x807f, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00, 0x3fc0, 0x4020, 0x7f7f, 0xff7f,
    0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x4f00,
];
const SINGLES: [u64; 30] = [
    0,
    0x8000_0000,
    1,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xffc1_2345,
    0x3300_0000,
    0x3380_0000,
    0x4b7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x5f00_0000,
    0x477f_f000,
    0x3f80_8000,
    0x3880_0000,
    0x4049_0fdb,
];
const DOUBLES: [u64; 28] = [
    0,
    1 << 63,
    1,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0xfff8_1234_5678_9abc,
    0x3690_0000_0000_0000,
    0x36a0_0000_0000_0000,
    0x3810_0000_0000_0000,
    0x3ff0_0000_1000_0000,
    0x3ff0_0000_3000_0000,
    0x47ef_ffff_f000_0000,
    0x41df_ffff_ffe0_0000,
    0x43e0_0000_0000_0000,
    0x4330_0000_0000_0001,
    0x40ef_fe00_0000_0000,
];

/// The 128 bits of operand `slot` (of those read, in order) in each thread.
pub fn operand(meaning: Meaning, slot: usize, seed: u64) -> Vec<u128> {
    let mut random = Random::new(seed.wrapping_mul(31).wrapping_add(slot as u64 + 1));
    // The first outputs of the generator are close for close seeds.
    (0..8).for_each(|_| {
        let _ = random.next_u64();
    });
    (0..THREADS)
        .map(|thread| {
            let edge = |random: &mut Random, count: usize| match slot {
                0 => thread % count,
                1 => thread / count % count,
                _ => random.below(count as u64) as usize,
            };
            let kind = match thread {
                ..EDGES => 0,
                EDGES..RANDOM => 1,
                RANDOM..MODERATE => 2,
                _ => random.below(3),
            };
            match kind {
                0 => edge_value(meaning, &mut random, edge),
                1 => random.next_u128(),
                _ => moderate(meaning, &mut random),
            }
        })
        .collect()
}

fn edge_value(meaning: Meaning, random: &mut Random, index: impl Fn(&mut Random, usize) -> usize) -> u128 {
    let high = |random: &mut Random| u128::from(INTEGERS[random.below(INTEGERS.len() as u64) as usize]) << 64;
    let mut packed = |table: &[u64]| {
        let first = index(random, table.len());
        let second = random.below(table.len() as u64) as usize;
        u128::from(table[second] << 16 | table[first])
    };
    match meaning {
        Meaning::Integer(bits) => {
            // Those of the width come up evenly.
            let count = match bits {
                ..=16 => 13,
                17..=32 => 16,
                _ => INTEGERS.len(),
            };
            u128::from(INTEGERS[index(random, count)]) | high(random)
        }
        Meaning::Half => packed(&HALVES),
        Meaning::Bfloat => packed(&BFLOATS),
        Meaning::Single => u128::from(SINGLES[index(random, SINGLES.len())]),
        Meaning::Double => u128::from(DOUBLES[index(random, DOUBLES.len())]),
        Meaning::Bytes => u128::from(random.next_u64() as u32 & 0x8f8f_8f8f),
    }
}

/// Numbers whose products and sums stay in range: the exponents are near one.
fn moderate(meaning: Meaning, random: &mut Random) -> u128 {
    let bits = random.next_u64();
    let halves = |mask: u64, base: u64| {
        ((bits & mask) + base)
            | (((bits >> 16 & mask) + base) << 16)
            | (bits >> 20 & 0x8000)
            | (bits >> 8 & 0x8000_0000)
    };
    u128::from(match meaning {
        Meaning::Integer(width) => bits & 0x3ff | (bits >> 32 & 1).wrapping_neg() << width.min(63).saturating_sub(6),
        // Mantissas that are often short, so that sums are exact and ties occur.
        Meaning::Half => halves(0x1fc0, 0x2c00),
        Meaning::Bfloat => halves(0x03fe, 0x3d80),
        Meaning::Single => ((bits & 0x03ff_ff00) + 0x3e00_0000) | (bits >> 8 & 0x8000_0000),
        Meaning::Double => ((bits & 0x007f_ffff_ffff_fff0) + 0x3fc0_0000_0000_0000) | (bits << 60 & 1 << 63),
        Meaning::Bytes => bits & 0xbfbf_bfbf,
    })
}

/// How an operand of a register type is meant in an instruction.
pub fn meaning(register: &str, instruction: &str) -> Meaning {
    let has = |part: &str| instruction.contains(part);
    match register {
        "f16" | "f16x2" => match has("e4m3") || has("e5m2") || has("e2m1") || has("e3m2") || has("e2m3") {
            true => Meaning::Bytes,
            false => Meaning::Half,
        },
        "f32" => Meaning::Single,
        "f64" => Meaning::Double,
        "b16" | "b32" if has("e4m3") || has("e5m2") || has("e2m1") || has("e3m2") || has("e2m3") || has("ue8m0") => {
            Meaning::Bytes
        }
        "b16" | "u16" | "b32" if has(".bf16") => Meaning::Bfloat,
        "b16" | "b32" if has(".f16") => Meaning::Half,
        "b32" if has("tf32") || has(".f32") => Meaning::Single,
        "b64" if has(".f64") => Meaning::Double,
        "b64" if has(".f32") => Meaning::Single,
        _ => Meaning::Integer(width(register)),
    }
}

/// Bits of a register type.
pub fn width(register: &str) -> u32 {
    match register {
        "pred" => 1,
        "f16x2" => 32,
        _ => register
            .trim_start_matches(|c: char| c.is_alphabetic())
            .parse()
            .unwrap_or(32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_come_in_every_combination() {
        let [a, b] = [0, 1].map(|slot| operand(Meaning::Integer(32), slot, 7));
        let pair = |x: u32, y: u32| (0..EDGES).any(|t| a[t] as u32 == x && b[t] as u32 == y);
        assert!(pair(0, 0) && pair(u32::MAX, 1) && pair(0x8000_0000, u32::MAX) && pair(32, 0x7fff_ffff));
        let [a, b] = [0, 1].map(|slot| operand(Meaning::Half, slot, 7));
        let pair = |x: u16, y: u16| (0..EDGES).any(|t| a[t] as u16 == x && b[t] as u16 == y);
        assert!(pair(0x7c00, 0x8000) && pair(0x7d01, 0x7e00));
    }

    #[test]
    fn the_same_seed_gives_the_same_values() {
        assert_eq!(operand(Meaning::Double, 2, 1), operand(Meaning::Double, 2, 1));
        assert_ne!(operand(Meaning::Double, 2, 1), operand(Meaning::Double, 2, 2));
    }
}
