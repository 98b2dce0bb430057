//! Against arbitrary-precision integers and the bit-by-bit definitions, on edges and random values.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    Carried, Direction, Integer, NOT_FOUND, Part, Permutation, Range, S16, S32, S64, U16, U32, U64, absolute, add,
    add_carry, add_carry_saturating, bit_mask, carryless_multiply_add, count_leading_zeros, count_ones, divide, extend,
    extract_field, find_bit, find_nth_set, funnel_shift, insert_field, lop3, maximum, minimum, multiply, multiply_add,
    multiply_add_carry, multiply24, negate, permute, remainder, reverse, shift_left, shift_right, subtract,
    subtract_carry, subtract_carry_saturating, sum_of_absolute_difference,
};
use crate::integer::samples::{Samples, count};

const KINDS: [Integer; 6] = [U16, S16, U32, S32, U64, S64];
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    7,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

fn two_to(exponent: u32) -> BigInt {
    BigInt::one() << exponent
}

/// The number that the bits stand for.
fn number(kind: Integer, bits: u64) -> BigInt {
    let unsigned = BigInt::from(bits) % two_to(kind.width);
    if kind.signed && unsigned >= two_to(kind.width - 1) {
        unsigned - two_to(kind.width)
    } else {
        unsigned
    }
}

fn wrapped(width: u32, number: &BigInt) -> u64 {
    let modulus = two_to(width);
    let rest = ((number % &modulus) + &modulus) % &modulus;
    rest.to_u64().expect("at most 64 bits")
}

fn saturated(kind: Integer, number: &BigInt) -> u64 {
    let (least, greatest) = if kind.signed {
        (-two_to(kind.width - 1), two_to(kind.width - 1) - 1)
    } else {
        (BigInt::zero(), two_to(kind.width) - 1)
    };
    wrapped(kind.width, &number.clone().max(least).min(greatest))
}

fn high(kind: Integer, product: &BigInt) -> u64 {
    wrapped(kind.width, &(product >> kind.width))
}

/// Every pair of edges, then random triples, for every type.
fn for_operands(mut check: impl FnMut(Integer, u64, u64, u64)) {
    let mut samples = Samples::new(3);
    for kind in KINDS {
        for a in EDGES {
            for b in EDGES {
                check(kind, a, b, samples.mixed());
            }
        }
        for _ in 0..count(4_000) {
            check(kind, samples.mixed(), samples.mixed(), samples.mixed());
        }
    }
}

#[test]
fn sums_and_products() {
    for_operands(|kind, a, b, c| {
        let (x, y, z) = (number(kind, a), number(kind, b), number(kind, c));
        let width = kind.width;
        let product = &x * &y;
        assert_eq!(add(kind, a, b, false), wrapped(width, &(&x + &y)));
        assert_eq!(add(kind, a, b, true), saturated(kind, &(&x + &y)));
        assert_eq!(subtract(kind, a, b, false), wrapped(width, &(&x - &y)));
        assert_eq!(subtract(kind, a, b, true), saturated(kind, &(&x - &y)));
        assert_eq!(multiply(kind, Part::Low, a, b), wrapped(width, &product));
        assert_eq!(multiply(kind, Part::High, a, b), high(kind, &product));
        assert_eq!(
            multiply_add(kind, Part::Low, a, b, c, false),
            wrapped(width, &(&product + &z))
        );
        let sum = number(kind, high(kind, &product)) + &z;
        assert_eq!(multiply_add(kind, Part::High, a, b, c, true), saturated(kind, &sum));
        if width <= 32 {
            let wide = Integer {
                width: 2 * width,
                ..kind
            };
            assert_eq!(multiply(kind, Part::Wide, a, b), wrapped(2 * width, &product));
            assert_eq!(
                multiply_add(kind, Part::Wide, a, b, c, false),
                wrapped(2 * width, &(&product + number(wide, c)))
            );
        }
        assert_eq!(
            sum_of_absolute_difference(kind, a, b, c),
            wrapped(width, &((&x - &y).abs() + &z))
        );
        assert_eq!(absolute(kind, a), wrapped(width, &x.abs()));
        assert_eq!(negate(kind, a), wrapped(width, &-&x));
        assert_eq!(minimum(kind, a, b, false), wrapped(width, &x.clone().min(y.clone())));
        let clamped = x.clone().max(y.clone()).max(BigInt::zero());
        assert_eq!(maximum(kind, a, b, true), wrapped(width, &clamped));
    });
}

#[test]
fn quotients() {
    for_operands(|kind, a, b, _| {
        let (x, y) = (number(kind, a), number(kind, b));
        if y.is_zero() {
            let ones = wrapped(kind.width, &BigInt::from(-1));
            assert_eq!((divide(kind, a, b), remainder(kind, a, b)), (ones, ones));
        } else {
            // BigInt's division is toward zero, too.
            assert_eq!(divide(kind, a, b), wrapped(kind.width, &(&x / &y)));
            assert_eq!(remainder(kind, a, b), wrapped(kind.width, &(&x % &y)));
        }
    });
}

#[test]
fn products_of_24_bits() {
    for_operands(|kind, a, b, _| {
        if kind.width != 32 {
            return;
        }
        let low = Integer { width: 24, ..kind };
        let product = number(low, a) * number(low, b);
        assert_eq!(multiply24(kind, Part::Low, a, b), wrapped(32, &product));
        assert_eq!(multiply24(kind, Part::High, a, b), wrapped(32, &(&product >> 16u32)));
    });
}

#[test]
fn carries_and_borrows() {
    let mut samples = Samples::new(4);
    for_operands(|kind, a, b, c| {
        let carry = samples.next() & 1 == 1;
        let plain = Integer::unsigned(kind.width);
        let (x, y, z) = (number(plain, a), number(plain, b), number(plain, c));
        let carried = |exact: BigInt| Carried {
            value: wrapped(kind.width, &exact),
            carry: exact.is_negative() || exact >= two_to(kind.width),
        };
        let one = BigInt::from(u32::from(carry));
        assert_eq!(add_carry(kind, a, b, carry), carried(&x + &y + &one));
        let difference = carried(&x - &y - 1 + &one);
        assert_eq!(
            subtract_carry(kind, a, b, carry),
            Carried {
                carry: !difference.carry,
                ..difference
            }
        );
        let product = number(kind, a) * number(kind, b);
        assert_eq!(
            multiply_add_carry(kind, Part::Low, a, b, c, carry),
            carried(BigInt::from(wrapped(kind.width, &product)) + &z + &one)
        );
        assert_eq!(
            multiply_add_carry(kind, Part::High, a, b, c, carry),
            carried(BigInt::from(high(kind, &product)) + &z + &one)
        );
        let (x, y) = (number(kind, a), number(kind, b));
        assert_eq!(
            add_carry_saturating(kind, a, b, carry),
            saturated(kind, &(&x + &y + &one))
        );
        assert_eq!(
            subtract_carry_saturating(kind, a, b, carry),
            saturated(kind, &(x - y - 1 + one))
        );
    });
}

fn bit(value: u64, position: u32) -> bool {
    position < 64 && value >> position & 1 == 1
}

fn from_bits(width: u32, at: impl Fn(u32) -> bool) -> u64 {
    (0..width).map(|i| u64::from(at(i)) << i).sum()
}

#[test]
fn bit_searches() {
    for_operands(|kind, a, _, _| {
        let width = kind.width;
        let sign = kind.signed && bit(a, width - 1);
        let highest = |wanted: bool| (0..width).rev().find(|&i| bit(a, i) == wanted);
        assert_eq!(count_ones(kind, a), (0..width).filter(|&i| bit(a, i)).count() as u32);
        assert_eq!(
            count_leading_zeros(kind, a),
            highest(true).map_or(width, |i| width - 1 - i)
        );
        assert_eq!(find_bit(kind, a, false), highest(!sign).unwrap_or(NOT_FOUND));
        assert_eq!(
            find_bit(kind, a, true),
            highest(!sign).map_or(NOT_FOUND, |i| width - 1 - i)
        );
        assert_eq!(reverse(kind, a), from_bits(width, |i| bit(a, width - 1 - i)));
    });
}

#[test]
fn fields() {
    let mut samples = Samples::new(5);
    for_operands(|kind, a, b, _| {
        if kind.width < 32 {
            return;
        }
        let (position, length) = (samples.amount(), samples.amount());
        let documented = |operand: u32| {
            if kind.width == 32 {
                operand & 0xff
            } else {
                operand.min(1000)
            }
        };
        let (pos, len, msb) = (documented(position), documented(length), kind.width - 1);
        let sign = kind.signed && len != 0 && bit(a, (pos + len - 1).min(msb));
        let extracted = from_bits(kind.width, |i| {
            if i < len && pos + i <= msb {
                bit(a, pos + i)
            } else {
                sign
            }
        });
        assert_eq!(
            extract_field(kind, a, position, length),
            extracted,
            "{a:#x} {pos} {len}"
        );
        let inserted = from_bits(kind.width, |i| {
            if i >= pos && i - pos < len {
                bit(a, i - pos)
            } else {
                bit(b, i)
            }
        });
        assert_eq!(
            insert_field(kind, a, b, position, length),
            inserted,
            "{a:#x} {b:#x} {pos} {len}"
        );
    });
}

/// The manual's definition of `bmsk`.
fn bit_mask_defined(a: u32, b: u32, range: Range) -> u32 {
    let ones_from = |bit: u32| if bit < 32 { u32::MAX << bit } else { 0 };
    let (a1, b1) = (a & 31, b & 31);
    let clamp = range == Range::Clamp;
    let mask0 = if clamp && a >= 32 { 0 } else { ones_from(a1) };
    let overflow = a1 + b1 >= 32 || clamp && (a >= 32 || b >= 32);
    let mask1 = match (overflow, b1) {
        (true, _) => 0,
        (false, 0) => u32::MAX,
        (false, _) => ones_from(a1 + b1),
    };
    mask0 & !mask1
}

/// The manual's definition of `clmad`.
fn carryless_defined(a: u64, b: u64, c: u64, high: bool) -> u64 {
    from_bits(64, |i| {
        let place = if high { i + 64 } else { i };
        let ones = (0..64).filter(|at| (*at..*at + 64).contains(&place) && bit(a, *at) && bit(b, place - at));
        (ones.count() % 2 == 1) != bit(c, i)
    })
}

#[test]
fn products_without_carries() {
    let mut samples = Samples::new(9);
    for _ in 0..1000 {
        let (a, b, c) = (samples.next(), samples.next(), samples.next());
        assert_eq!(
            carryless_multiply_add(Part::Low, a, b, c),
            carryless_defined(a, b, c, false)
        );
        assert_eq!(
            carryless_multiply_add(Part::High, a, b, c),
            carryless_defined(a, b, c, true)
        );
    }
}

#[test]
fn masks_and_extensions() {
    let mut samples = Samples::new(6);
    for a in 0..70 {
        for b in 0..70 {
            for range in [Range::Clamp, Range::Wrap] {
                let expected = bit_mask_defined(a, b, range);
                assert_eq!(bit_mask(a, b, range), expected, "{a} {b} {range:?}");
                let value = samples.next() as u32;
                let whole = range == Range::Clamp && b >= 32;
                let width = b & 31;
                for kind in [U32, S32] {
                    let sign = kind.signed && width != 0 && bit(u64::from(value), width - 1);
                    let extended = from_bits(32, |i| {
                        if whole || i < width {
                            bit(u64::from(value), i)
                        } else {
                            sign
                        }
                    });
                    assert_eq!(u64::from(extend(kind, value, b, range)), extended);
                }
            }
        }
    }
}

#[test]
fn nth_set_bits() {
    let mut samples = Samples::new(7);
    for _ in 0..count(3_000) {
        let (mask, base) = (samples.next() as u32, samples.next() as u32 & 31);
        let offset = (samples.next() % 41) as i32 - 20;
        let mut expected = NOT_FOUND;
        let mut left = offset.abs().max(1);
        let mut position = base as i32;
        while (0..32).contains(&position) {
            if mask >> position & 1 == 1 {
                left -= 1;
                if left == 0 {
                    expected = position as u32;
                    break;
                }
            }
            if offset == 0 {
                break;
            }
            position += offset.signum();
        }
        assert_eq!(find_nth_set(mask, base, offset), expected, "{mask:#x} {base} {offset}");
    }
    assert_eq!(find_nth_set(u32::MAX, 32, 1), NOT_FOUND);
}

#[test]
fn shifts() {
    let mut samples = Samples::new(8);
    for_operands(|kind, a, b, _| {
        let amount = samples.amount();
        let width = kind.width;
        let sign = kind.signed && bit(a, width - 1);
        let left = from_bits(width, |i| i >= amount && bit(a, i - amount));
        let right = from_bits(width, |i| match i.checked_add(amount) {
            Some(from) if from < width => bit(a, from),
            _ => sign,
        });
        assert_eq!(
            (shift_left(kind, a, amount), shift_right(kind, a, amount)),
            (left, right),
            "{amount}"
        );
        if width == 32 {
            let both = (b & 0xffff_ffff) << 32 | (a & 0xffff_ffff);
            for (range, n) in [(Range::Clamp, amount.min(32)), (Range::Wrap, amount % 32)] {
                let shift = |direction| u64::from(funnel_shift(a as u32, b as u32, amount, direction, range));
                assert_eq!(shift(Direction::Right), from_bits(32, |i| bit(both, i + n)));
                assert_eq!(shift(Direction::Left), from_bits(32, |i| bit(both, i + 32 - n)));
            }
        }
    });
}

#[test]
fn every_logic_function() {
    let mut samples = Samples::new(9);
    for table in 0..=255u8 {
        let [a, b, c] = [0; 3].map(|_| samples.next() as u32);
        let expected = from_bits(32, |i| {
            let row = [c, b, a].map(|x| x >> i & 1);
            table >> (row[0] + 2 * row[1] + 4 * row[2]) & 1 == 1
        });
        assert_eq!(u64::from(lop3(a, b, c, table)), expected);
    }
}

#[test]
fn special_permutations() {
    // Bytes 3 to 0 of the result for the four values of the control, as the manual lists them.
    let table = [
        (Permutation::ForwardExtract, [0x3210, 0x4321, 0x5432, 0x6543]),
        (Permutation::BackwardExtract, [0x5670, 0x6701, 0x7012, 0x0123]),
        (Permutation::ReplicateByte, [0x0000, 0x1111, 0x2222, 0x3333]),
        (Permutation::EdgeClampLeft, [0x3210, 0x3211, 0x3222, 0x3333]),
        (Permutation::EdgeClampRight, [0x0000, 0x1110, 0x2210, 0x3210]),
        (Permutation::ReplicateHalf, [0x1010, 0x3232, 0x1010, 0x3232]),
    ];
    for (mode, selections) in table {
        for (control, selection) in (0..).zip(selections) {
            let expected = permute(0x4433_2211, 0x8877_6655, selection, Permutation::Generic);
            assert_eq!(
                permute(0x4433_2211, 0x8877_6655, control + 4, mode),
                expected,
                "{mode:?} {control}"
            );
        }
    }
}
