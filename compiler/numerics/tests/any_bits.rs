//! Every function on any 64 bits, in every format and mode: no panic, and no bit set outside the format.

mod reference;

use reference::{Random, cases};
use warpsmith_numerics::convert::{
    Integer, Modifiers as Conversion, float_to_float, float_to_integer, integer_to_float, pair, repack,
    round_to_integral, stochastic_quad, to_tf32,
};
use warpsmith_numerics::float::{
    Clamp, MinMax, Modifiers, abs, add, add_mixed, copysign, div, fma, fma_mixed, max3, min, mul, neg, rcp, sqrt, sub,
};
use warpsmith_numerics::format::{ALL, F32, Format};
use warpsmith_numerics::round::{Overflow, Rounding};

fn rounding(random: &mut Random) -> Rounding {
    match random.below(6) {
        0 => Rounding::NearestEven,
        1 => Rounding::TowardZero,
        2 => Rounding::TowardNegative,
        3 => Rounding::TowardPositive,
        4 => Rounding::NearestAway,
        _ => {
            let bits = 1 + random.below(32) as u32;
            Rounding::Stochastic {
                random: (random.bits() & ((1 << bits) - 1)) as u32,
                bits,
            }
        }
    }
}

fn clamp(random: &mut Random) -> Clamp {
    [Clamp::None, Clamp::Saturate, Clamp::Relu][random.below(3)]
}

#[test]
fn arithmetic() {
    let mut random = Random::new(31);
    for case in 0..cases(20_000) {
        let format = ALL[case % ALL.len()];
        let [a, b, c] = [(); 3].map(|()| {
            if random.below(2) == 0 {
                random.bits()
            } else {
                random.operand(format)
            }
        });
        let mode = rounding(&mut random);
        let [ftz, nan, magnitude, oob] = [(); 4].map(|()| random.below(2) == 0);
        let modifiers = Modifiers {
            rounding: mode,
            ftz,
            clamp: clamp(&mut random),
            oob,
        };
        let order = MinMax {
            ftz,
            nan,
            abs: magnitude,
            xorsign: magnitude,
        };
        let results = [
            add(format, modifiers, a, b),
            sub(format, modifiers, a, b),
            mul(format, modifiers, a, b),
            fma(format, modifiers, a, b, c),
            div(format, modifiers, a, b),
            rcp(format, modifiers, a),
            sqrt(format, modifiers, a),
            min(format, order, a, b),
            max3(format, order, a, b, c),
            abs(format, ftz, a),
            neg(format, ftz, a),
            copysign(format, a, b),
        ];
        for (index, result) in results.into_iter().enumerate() {
            assert_eq!(
                result & !format.mask(),
                0,
                "{} {modifiers:?} {index} of {a:x} {b:x} {c:x}",
                format.name
            );
        }
        let mixed = [
            add_mixed(format, modifiers, a, b),
            fma_mixed(format, modifiers, a, b, c),
        ];
        assert!(mixed.into_iter().all(|result| result <= F32.mask()));
    }
}

/// The bits that a packed value of `count` elements may have.
fn packed_mask(format: Format, count: u32) -> u64 {
    let stride = if format.width() <= 4 {
        4
    } else {
        format.width().next_multiple_of(8)
    };
    (0..count).fold(0, |mask, index| {
        mask | format.mask().checked_shl(index * stride).unwrap_or(0)
    })
}

#[test]
fn conversions() {
    let mut random = Random::new(32);
    for _ in 0..cases(20_000) {
        let [from, to] = [(); 2].map(|()| ALL[random.below(ALL.len())]);
        let [a, b] = [(); 2].map(|()| {
            if random.below(2) == 0 {
                random.bits()
            } else {
                random.operand(from)
            }
        });
        let modifiers = Conversion {
            rounding: rounding(&mut random),
            ftz: random.below(2) == 0,
            clamp: clamp(&mut random),
            overflow: [Overflow::Infinity, Overflow::LargestFinite][random.below(2)],
        };
        let integer = Integer {
            bits: 2 + random.below(63) as u32,
            signed: random.below(2) == 0,
        };
        let context = || format!("{} from {} {modifiers:?} of {a:x}", to.name, from.name);
        assert_eq!(float_to_float(from, to, modifiers, a) & !to.mask(), 0, "{}", context());
        assert_eq!(round_to_integral(from, modifiers, a) & !from.mask(), 0, "{}", context());
        assert_eq!(
            integer_to_float(integer, to, modifiers, a) & !to.mask(),
            0,
            "{}",
            context()
        );
        let result = float_to_integer(from, integer, modifiers.rounding, modifiers.ftz, a);
        assert_eq!(result & !(u64::MAX >> (64 - integer.bits)), 0, "{}", context());
        assert!(to_tf32(modifiers, a) <= F32.mask());
        if to.width() <= 16 {
            assert_eq!(pair(to, modifiers, a, b) & !packed_mask(to, 2), 0, "{}", context());
        }
        if from.width() <= 16 && to.width() <= 16 {
            assert_eq!(repack(from, to, modifiers, a) & !packed_mask(to, 2), 0, "{}", context());
        }
        if to.width() <= 8 {
            let packed = stochastic_quad(to, modifiers, [a, b, !a, !b], a as u32);
            assert_eq!(packed & !packed_mask(to, 4), 0, "{}", context());
        }
    }
}
