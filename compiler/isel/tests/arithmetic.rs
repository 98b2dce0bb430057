//! Integers of every width, conversions and comparisons, against Rust's arithmetic on 128 bits.

#[allow(dead_code)]
mod support;

use support::compute;
use warpsmith_ir::{BinaryOp, Builder, CastOp, IntPredicate, Intrinsic, Type, Value};

const WIDTHS: [u32; 10] = [2, 7, 8, 16, 24, 32, 33, 64, 96, 128];

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

fn signed(bits: u32, value: u128) -> i128 {
    ((value << (128 - bits)) as i128) >> (128 - bits)
}

/// Values at the edges of a width, and some between.
fn samples(bits: u32) -> Vec<u128> {
    let ones = mask(bits);
    let mut samples = vec![
        0,
        1,
        2,
        3,
        ones,
        ones - 1,
        ones >> 1,
        (ones >> 1) + 1,
        0xDEAD_BEEF_CAFE_F00D_0123_4567_89AB_CDEF & ones,
    ];
    samples.sort_unstable();
    samples.dedup();
    samples
}

fn expected(op: BinaryOp, bits: u32, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    Some(
        mask(bits)
            & match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::UDiv => a.checked_div(b)?,
                BinaryOp::URem => a.checked_rem(b)?,
                BinaryOp::SDiv | BinaryOp::SRem if b == 0 || sb == -1 && a == 1 << (bits - 1) => return None,
                BinaryOp::SDiv => (sa / sb) as u128,
                BinaryOp::SRem => (sa % sb) as u128,
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b >= u128::from(bits) => return None,
                BinaryOp::Shl => a << b,
                BinaryOp::LShr => a >> b,
                BinaryOp::AShr => (sa >> b) as u128,
                _ => return None,
            },
    )
}

#[test]
fn binary_operations_of_every_width() {
    use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    for bits in WIDTHS {
        let ty = Type::Int(bits);
        let mut values = samples(bits);
        values.extend([u128::from(bits) - 1, u128::from(bits) / 2]);
        for op in [Add, Sub, Mul, And, Or, Xor, UDiv, URem, SDiv, SRem, Shl, LShr, AShr] {
            // All pairs in one kernel: a sum of what is wrong would hide nothing, since each has its own slot.
            let pairs: Vec<(u128, u128)> = values
                .iter()
                .flat_map(|&a| values.iter().map(move |&b| (a, b)))
                .filter(|&(a, b)| expected(op, bits, a, b).is_some())
                .collect();
            let operands: Vec<(Type, u128)> = pairs.iter().flat_map(|&(a, b)| [(ty, a), (ty, b)]).collect();
            let results = support::run_with(
                |_| (),
                &operands,
                |build, _, (), values| {
                    values
                        .chunks(2)
                        .map(|pair| build.binary(op, pair[0], pair[1]))
                        .collect()
                },
            );
            for ((a, b), result) in pairs.into_iter().zip(results) {
                assert_eq!(
                    Some(result & mask(bits)),
                    expected(op, bits, a, b),
                    "{op} i{bits} {a:#x}, {b:#x}"
                );
            }
        }
    }
}

#[test]
fn comparisons_of_every_width() {
    for bits in WIDTHS {
        let values = samples(bits);
        let pairs: Vec<(u128, u128)> = values
            .iter()
            .flat_map(|&a| values.iter().map(move |&b| (a, b)))
            .collect();
        let operands: Vec<(Type, u128)> = pairs
            .iter()
            .flat_map(|&(a, b)| [(Type::Int(bits), a), (Type::Int(bits), b)])
            .collect();
        for &predicate in IntPredicate::ALL {
            let results = support::run_with(
                |_| (),
                &operands,
                |build, _, (), values| {
                    values
                        .chunks(2)
                        .map(|pair| {
                            let truth = build.icmp(predicate, pair[0], pair[1]);
                            build.cast(CastOp::ZExt, truth, Type::I8)
                        })
                        .collect()
                },
            );
            for ((a, b), result) in pairs.iter().copied().zip(results) {
                let (sa, sb) = (signed(bits, a), signed(bits, b));
                let expected = match predicate {
                    IntPredicate::Eq => a == b,
                    IntPredicate::Ne => a != b,
                    IntPredicate::Ugt => a > b,
                    IntPredicate::Uge => a >= b,
                    IntPredicate::Ult => a < b,
                    IntPredicate::Ule => a <= b,
                    IntPredicate::Sgt => sa > sb,
                    IntPredicate::Sge => sa >= sb,
                    IntPredicate::Slt => sa < sb,
                    IntPredicate::Sle => sa <= sb,
                };
                assert_eq!(result, u128::from(expected), "{predicate} i{bits} {a:#x}, {b:#x}");
            }
        }
    }
}

#[test]
fn conversions_between_widths() {
    let widths = [1, 2, 7, 8, 16, 24, 32, 33, 64, 96, 128];
    for from in widths {
        for to in widths {
            for value in if from == 1 { vec![0, 1] } else { samples(from) } {
                let ops: &[CastOp] = match from.cmp(&to) {
                    std::cmp::Ordering::Less => &[CastOp::ZExt, CastOp::SExt],
                    std::cmp::Ordering::Equal => continue,
                    std::cmp::Ordering::Greater => &[CastOp::Trunc],
                };
                for &op in ops {
                    let expected = match op {
                        CastOp::SExt => signed(from, value) as u128 & mask(to),
                        _ => value & mask(to),
                    };
                    let result = compute(&[(Type::Int(from), value)], |build, values| {
                        build.cast(op, values[0], Type::Int(to))
                    });
                    assert_eq!(result & mask(to), expected, "{op} i{from} {value:#x} to i{to}");
                }
            }
        }
    }
}

/// An intrinsic of one integer type on all pairs of samples.
fn check_pairs(intrinsic: Intrinsic, widths: &[u32], expected: impl Fn(u32, u128, u128) -> u128) {
    for &bits in widths {
        let ty = Type::Int(bits);
        let values = samples(bits);
        let pairs: Vec<(u128, u128)> = values
            .iter()
            .flat_map(|&a| values.iter().map(move |&b| (a, b)))
            .collect();
        let operands: Vec<(Type, u128)> = pairs.iter().flat_map(|&(a, b)| [(ty, a), (ty, b)]).collect();
        let results = support::run_with(
            |_| (),
            &operands,
            |build, _, (), values| {
                values
                    .chunks(2)
                    .map(|pair| build.intrinsic(intrinsic, &[ty], pair))
                    .collect()
            },
        );
        for ((a, b), result) in pairs.into_iter().zip(results) {
            assert_eq!(
                result & mask(bits),
                expected(bits, a, b) & mask(bits),
                "{intrinsic:?} i{bits} {a:#x}, {b:#x}"
            );
        }
    }
}

#[test]
fn saturating_sums_and_extrema() {
    let widths = [7, 8, 16, 24, 32, 33, 64];
    let limits = |bits: u32| (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    check_pairs(Intrinsic::UaddSat, &widths, |bits, a, b| (a + b).min(mask(bits)));
    check_pairs(Intrinsic::UsubSat, &widths, |_, a, b| a.saturating_sub(b));
    check_pairs(Intrinsic::SaddSat, &widths, |bits, a, b| {
        (signed(bits, a) + signed(bits, b)).clamp(limits(bits).0, limits(bits).1) as u128
    });
    check_pairs(Intrinsic::SsubSat, &widths, |bits, a, b| {
        (signed(bits, a) - signed(bits, b)).clamp(limits(bits).0, limits(bits).1) as u128
    });
    let widths = [7, 8, 16, 24, 32, 33, 64, 128];
    check_pairs(Intrinsic::Umin, &widths, |_, a, b| a.min(b));
    check_pairs(Intrinsic::Umax, &widths, |_, a, b| a.max(b));
    check_pairs(Intrinsic::Smin, &widths, |bits, a, b| {
        signed(bits, a).min(signed(bits, b)) as u128
    });
    check_pairs(Intrinsic::Smax, &widths, |bits, a, b| {
        signed(bits, a).max(signed(bits, b)) as u128
    });
}

#[test]
fn overflow_is_detected() {
    let check = |intrinsic: Intrinsic, widths: &[u32], exact: fn(i128, i128) -> i128, is_signed: bool| {
        for &bits in widths {
            let ty = Type::Int(bits);
            let values = samples(bits);
            let pairs: Vec<(u128, u128)> = values
                .iter()
                .flat_map(|&a| values.iter().map(move |&b| (a, b)))
                .collect();
            let operands: Vec<(Type, u128)> = pairs.iter().flat_map(|&(a, b)| [(ty, a), (ty, b)]).collect();
            let results = support::run_with(
                |_| (),
                &operands,
                |build, _, (), values| {
                    values
                        .chunks(2)
                        .flat_map(|pair| {
                            let both = build.intrinsic(intrinsic, &[ty], pair);
                            let out = build.extract_value(both, &[1]);
                            [build.extract_value(both, &[0]), build.cast(CastOp::ZExt, out, Type::I8)]
                        })
                        .collect()
                },
            );
            for ((a, b), result) in pairs.into_iter().zip(results.chunks(2)) {
                let value = |x: u128| if is_signed { signed(bits, x) } else { x as i128 };
                let exact = exact(value(a), value(b));
                assert_eq!(
                    result[0] & mask(bits),
                    exact as u128 & mask(bits),
                    "{intrinsic:?} i{bits} {a:#x}, {b:#x}"
                );
                let overflow = value(exact as u128 & mask(bits)) != exact;
                assert_eq!(result[1], u128::from(overflow), "{intrinsic:?} i{bits} {a:#x}, {b:#x}");
            }
        }
    };
    let widths = [7, 8, 16, 24, 32, 33, 63];
    check(Intrinsic::UaddWithOverflow, &widths, |a, b| a + b, false);
    check(Intrinsic::UsubWithOverflow, &widths, |a, b| a - b, false);
    check(Intrinsic::SaddWithOverflow, &widths, |a, b| a + b, true);
    check(Intrinsic::SsubWithOverflow, &widths, |a, b| a - b, true);
    check(Intrinsic::UmulWithOverflow, &[7, 8, 16, 24, 32], |a, b| a * b, false);
    check(Intrinsic::SmulWithOverflow, &[7, 8, 16, 24, 32], |a, b| a * b, true);
    check(Intrinsic::SmulWithOverflow, &[64], |a, b| a.wrapping_mul(b), true);
}

/// The optimiser makes `llvm.abs` of integers of any width.
#[test]
fn absolute_values() {
    for bits in [7u32, 8, 16, 24, 32, 33, 63, 64, 65, 80, 96, 127, 128] {
        for value in samples(bits) {
            let result = compute(&[(Type::Int(bits), value)], |build, values| {
                let flag = build.bool(false);
                build.intrinsic(Intrinsic::Abs, &[Type::Int(bits)], &[values[0], flag])
            });
            let expected = signed(bits, value).wrapping_abs() as u128 & mask(bits);
            assert_eq!(result & mask(bits), expected, "i{bits} {value:#x}");
        }
    }
}

#[test]
fn counting_reversing_and_funnels() {
    let one = |intrinsic: Intrinsic, bits: u32, value: u128| {
        compute(
            &[(Type::Int(bits), value)],
            |build: &mut Builder<'_>, values: &[Value]| {
                let flag = build.bool(false);
                let counts_zeros = matches!(intrinsic, Intrinsic::Ctlz | Intrinsic::Cttz);
                let arguments = if counts_zeros {
                    vec![values[0], flag]
                } else {
                    vec![values[0]]
                };
                build.intrinsic(intrinsic, &[Type::Int(bits)], &arguments)
            },
        ) & mask(bits)
    };
    for bits in [7u32, 8, 16, 24, 32, 33, 64, 128] {
        for value in samples(bits) {
            let at = format!("i{bits} {value:#x}");
            assert_eq!(
                one(Intrinsic::Ctpop, bits, value),
                u128::from(value.count_ones()) & mask(bits),
                "ctpop {at}"
            );
            let leading = u128::from(value.leading_zeros() - (128 - bits));
            assert_eq!(one(Intrinsic::Ctlz, bits, value), leading & mask(bits), "ctlz {at}");
            let trailing = u128::from(value.trailing_zeros().min(bits));
            assert_eq!(one(Intrinsic::Cttz, bits, value), trailing & mask(bits), "cttz {at}");
            assert_eq!(
                one(Intrinsic::Bitreverse, bits, value),
                value.reverse_bits() >> (128 - bits),
                "bitreverse {at}"
            );
            if bits.is_multiple_of(16) {
                assert_eq!(
                    one(Intrinsic::Bswap, bits, value),
                    value.swap_bytes() >> (128 - bits),
                    "bswap {at}"
                );
            }
        }
    }
    for bits in [7u32, 8, 16, 24, 32, 64, 128] {
        for amount in [0, 1, bits - 1, bits, bits + 3] {
            let amount = u128::from(amount) & mask(bits);
            let (a, b) = (
                samples(bits)[samples(bits).len() - 2],
                0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321 & mask(bits),
            );
            let shift = (amount % u128::from(bits)) as u32;
            let operands = [(Type::Int(bits), a), (Type::Int(bits), b), (Type::Int(bits), amount)];
            for (intrinsic, expected) in [
                (
                    Intrinsic::Fshl,
                    if shift == 0 {
                        a
                    } else {
                        a << shift | b >> (bits - shift)
                    },
                ),
                (
                    Intrinsic::Fshr,
                    if shift == 0 {
                        b
                    } else {
                        a << (bits - shift) | b >> shift
                    },
                ),
            ] {
                let result = compute(&operands, |build, values| {
                    build.intrinsic(intrinsic, &[Type::Int(bits)], values)
                });
                assert_eq!(
                    result & mask(bits),
                    expected & mask(bits),
                    "{intrinsic:?} i{bits} by {amount}"
                );
            }
        }
    }
}
