//! Against the manual's definitions, written out for arbitrary-precision integers, on random operands and modifiers.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::{
    Lanes, Multiply, Operation, Packed, Scalar, Secondary, Select, multiply_add, packed, packed_compare, scalar,
    scalar_compare, shift,
};
use crate::integer::samples::{Samples, count};
use crate::integer::{Comparison, Range};

const OPERATIONS: [Operation; 6] = [
    Operation::Add,
    Operation::Subtract,
    Operation::AbsoluteDifference,
    Operation::Minimum,
    Operation::Maximum,
    Operation::Average,
];
const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

fn pick<T: Copy>(samples: &mut Samples, from: &[T]) -> T {
    from[(samples.next() % from.len() as u64) as usize]
}

fn flag(samples: &mut Samples) -> bool {
    samples.next() & 1 == 1
}

fn select(samples: &mut Samples) -> Select {
    let index = (samples.next() & 3) as u8;
    pick(samples, &[Select::Word, Select::Byte(index), Select::Half(index & 1)])
}

/// The width of a part and the bytes below it.
fn place(select: Select) -> (u32, u32) {
    match select {
        Select::Word => (32, 0),
        Select::Byte(index) => (8, u32::from(index)),
        Select::Half(index) => (16, 2 * u32::from(index)),
    }
}

fn number(bits: u64, width: u32, signed: bool) -> BigInt {
    let range = BigInt::from(1u64 << width);
    let unsigned = BigInt::from(bits) % &range;
    if signed && bits >> (width - 1) & 1 == 1 {
        unsigned - range
    } else {
        unsigned
    }
}

fn read(select: Select, register: u32, signed: bool) -> BigInt {
    let (width, byte) = place(select);
    number(u64::from(register) >> (8 * byte), width, signed)
}

fn low32(number: &BigInt) -> u32 {
    let range = BigInt::from(1u64 << 32);
    (((number % &range) + &range) % &range).to_u32().expect("32 bits")
}

fn clamped(number: BigInt, width: u32, signed: bool) -> BigInt {
    let half = BigInt::from(1u64 << (width - 1));
    let (least, greatest) = if signed {
        (-&half, half - 1)
    } else {
        (0.into(), half * 2 - 1)
    };
    number.max(least).min(greatest)
}

fn applied(operation: Operation, a: BigInt, b: BigInt) -> BigInt {
    match operation {
        Operation::Add => a + b,
        Operation::Subtract => a - b,
        Operation::AbsoluteDifference => (a - b).abs(),
        Operation::Minimum => a.min(b),
        Operation::Maximum => a.max(b),
        Operation::Average => {
            let sum = a + b;
            if sum.is_negative() {
                sum >> 1u32
            } else {
                (sum + 1) >> 1u32
            }
        }
    }
}

/// Saturation, the secondary operation and the merge of the manual.
fn finished(form: &Scalar, result: BigInt, c: u32) -> u32 {
    let destination = match form.secondary {
        Secondary::Merge(select) => select,
        _ => Select::Word,
    };
    let (width, byte) = place(destination);
    let result = if form.saturate {
        clamped(result, width, form.signed)
    } else {
        result
    };
    let word = |bits: u32| number(u64::from(bits), 32, form.signed);
    match form.secondary {
        Secondary::Merge(_) => {
            let mut bytes = c.to_le_bytes();
            for index in 0..width / 8 {
                bytes[(byte + index) as usize] = low32(&result).to_le_bytes()[index as usize];
            }
            u32::from_le_bytes(bytes)
        }
        Secondary::Add => low32(&(result + word(c))),
        Secondary::Minimum => low32(&word(low32(&result)).min(word(c))),
        Secondary::Maximum => low32(&word(low32(&result)).max(word(c))),
    }
}

#[test]
fn scalar_forms() {
    let mut samples = Samples::new(21);
    for _ in 0..count(20_000) {
        let destination = select(&mut samples);
        let form = Scalar {
            signed: flag(&mut samples),
            operands_signed: [flag(&mut samples), flag(&mut samples)],
            selects: [select(&mut samples), select(&mut samples)],
            saturate: flag(&mut samples),
            secondary: pick(
                &mut samples,
                &[
                    Secondary::Merge(destination),
                    Secondary::Add,
                    Secondary::Minimum,
                    Secondary::Maximum,
                ],
            ),
        };
        let [a, b, c] = [0; 3].map(|_| samples.mixed() as u32);
        let x = read(form.selects[0], a, form.operands_signed[0]);
        let y = read(form.selects[1], b, form.operands_signed[1]);
        let operation = pick(&mut samples, &OPERATIONS);
        assert_eq!(
            scalar(operation, form, a, b, c),
            finished(&form, applied(operation, x.clone(), y.clone()), c),
            "{operation:?} {form:?} {a:#x} {b:#x} {c:#x}"
        );
        let comparison = pick(&mut samples, &COMPARISONS);
        let held = BigInt::from(u32::from(comparison.holds(&x, &y)));
        assert_eq!(scalar_compare(comparison, form, a, b, c), finished(&form, held, c));

        let amount = read(form.selects[1], b, false);
        for (range, amount) in [
            (Range::Clamp, amount.clone().min(32.into())),
            (Range::Wrap, amount % 32),
        ] {
            let amount = amount.to_u32().expect("at most 32");
            let wide = (&x << amount) & BigInt::from((1u64 << 34) - 1);
            let intermediate = number(wide.to_u64().expect("34 bits"), 34, true);
            assert_eq!(shift(false, range, form, a, b, c), finished(&form, intermediate, c));
            assert_eq!(shift(true, range, form, a, b, c), finished(&form, &x >> amount, c));
        }
    }
}

#[test]
fn multiply_add_forms() {
    let mut samples = Samples::new(22);
    for _ in 0..count(20_000) {
        let negation = samples.next() % 4;
        let form = Multiply {
            operands_signed: [flag(&mut samples), flag(&mut samples)],
            selects: [select(&mut samples), select(&mut samples)],
            negate_product: negation == 1,
            negate_addend: negation == 2,
            plus_one: negation == 3,
            shift: pick(&mut samples, &[0, 7, 15]),
            saturate: flag(&mut samples),
        };
        let [a, b, c] = [0; 3].map(|_| samples.mixed() as u32);
        let signed = form.operands_signed[0] || form.operands_signed[1] || negation == 1 || negation == 2;
        let product =
            read(form.selects[0], a, form.operands_signed[0]) * read(form.selects[1], b, form.operands_signed[1]);
        let third = |bits: u32| number(u64::from(bits), 32, signed);
        let sum = match negation {
            0 => product + third(c),
            1 => third(c) - product,
            2 => product + third(!c) + 1,
            _ => product + third(c) + 1,
        };
        let result = sum >> form.shift;
        let result = if form.saturate {
            clamped(result, 32, signed)
        } else {
            result
        };
        assert_eq!(
            multiply_add(form, a, b, c),
            low32(&result),
            "{form:?} {a:#x} {b:#x} {c:#x}"
        );
    }
}

#[test]
fn packed_forms() {
    let mut samples = Samples::new(23);
    for _ in 0..count(20_000) {
        let (lanes, lane_count) = pick(&mut samples, &[(Lanes::Two, 2usize), (Lanes::Four, 4)]);
        let accumulate = flag(&mut samples);
        let mut choose = || [0; 4].map(|_| (samples.next() % (2 * lane_count as u64)) as u8);
        let form = Packed {
            selects: [choose(), choose()],
            signed: flag(&mut samples),
            operands_signed: [flag(&mut samples), flag(&mut samples)],
            saturate: !accumulate && flag(&mut samples),
            mask: (samples.next() & 0xf) as u8,
            accumulate,
            lanes,
        };
        let [a, b, c] = [0; 3].map(|_| samples.mixed() as u32);
        let operation = pick(&mut samples, &OPERATIONS);
        let comparison = pick(&mut samples, &COMPARISONS);
        let width = 32 / lane_count as u32;
        let operand = |which: usize, lane: usize| {
            let chosen = usize::from(form.selects[which][lane]);
            let (register, index) = if chosen < lane_count {
                (a, chosen)
            } else {
                (b, chosen - lane_count)
            };
            number(
                u64::from(register) >> (index as u32 * width),
                width,
                form.operands_signed[which],
            )
        };
        let combined = |compute: &dyn Fn(BigInt, BigInt) -> BigInt| {
            let mut sum = BigInt::from(c);
            let mut merged = 0u64;
            for lane in 0..lane_count {
                let result = compute(operand(0, lane), operand(1, lane));
                let result = if form.saturate {
                    clamped(result, width, form.signed)
                } else {
                    result
                };
                let kept = form.mask >> lane & 1 == 0;
                let shift = lane as u32 * width;
                let bits = if kept { c >> shift } else { low32(&result) };
                merged |= (u64::from(bits) % (1 << width)) << shift;
                sum += if kept { BigInt::from(0) } else { result };
            }
            if accumulate { low32(&sum) } else { merged as u32 }
        };
        assert_eq!(
            packed(operation, form, a, b, c),
            combined(&|x, y| applied(operation, x, y)),
            "{operation:?} {form:?} {a:#x} {b:#x} {c:#x}"
        );
        let compared = combined(&|x, y| u32::from(comparison.holds(&x, &y)).into());
        assert_eq!(packed_compare(comparison, form, a, b, c), compared);
    }
}
