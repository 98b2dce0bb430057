//! Bits of integers that are known, and what operations make of them.
//!
//! [`Bits`] is a value in the three-valued logic of each bit, for widths up to 128. Every function gives a result that holds for all values that
//! its operands may have; the tests try all of them at small widths.

/// The bits of an integer that are known to be zero or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    /// Width in bits, from 1 to 128.
    pub width: u32,
    /// Bits that are zero. Bits above the width are clear.
    pub zero: u128,
    /// Bits that are one.
    pub one: u128,
}

/// All bits of a width set.
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The number that bits of a width stand for in two's complement.
pub const fn signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - if width > 128 { 128 } else { width };
    if unused == 128 {
        return 0;
    }
    ((bits << unused) as i128) >> unused
}

impl Bits {
    /// Nothing is known.
    pub const fn unknown(width: u32) -> Bits {
        Bits { width, zero: 0, one: 0 }
    }

    /// A constant.
    pub const fn constant(width: u32, value: u128) -> Bits {
        Bits {
            width,
            zero: !value & mask(width),
            one: value & mask(width),
        }
    }

    /// At most this number, unsigned.
    pub const fn at_most(width: u32, most: u128) -> Bits {
        let used = 128 - (most & mask(width)).leading_zeros();
        Bits {
            width,
            zero: mask(width) & !mask_or_zero(used),
            one: 0,
        }
    }

    /// From one number to another, unsigned: the leading bits in which they agree.
    pub fn between(width: u32, least: u128, most: u128) -> Bits {
        let differ = least ^ most;
        let free = mask_or_zero(128 - differ.leading_zeros());
        Bits {
            width,
            zero: !most & !free & mask(width),
            one: most & !free & mask(width),
        }
    }

    /// The value, if all bits are known.
    pub const fn value(self) -> Option<u128> {
        if self.zero | self.one == mask(self.width) {
            Some(self.one)
        } else {
            None
        }
    }

    /// Whether the knowledge contradicts itself: the value is never computed.
    pub const fn is_contradiction(self) -> bool {
        self.zero & self.one != 0
    }

    /// The least number, unsigned.
    pub const fn least(self) -> u128 {
        self.one
    }

    /// The greatest number, unsigned.
    pub const fn greatest(self) -> u128 {
        !self.zero & mask(self.width)
    }

    /// The least number in two's complement.
    pub const fn signed_least(self) -> i128 {
        let sign = 1 << (self.width - 1);
        let bits = if self.zero & sign != 0 {
            self.one
        } else {
            self.one | sign
        };
        signed(self.width, bits)
    }

    /// The greatest number in two's complement.
    pub const fn signed_greatest(self) -> i128 {
        let sign = 1 << (self.width - 1);
        let all = self.greatest();
        signed(self.width, if self.one & sign != 0 { all } else { all & !sign })
    }

    /// Whether the sign bit is zero.
    pub const fn is_non_negative(self) -> bool {
        self.zero >> (self.width - 1) & 1 != 0
    }

    /// Whether the sign bit is one.
    pub const fn is_negative(self) -> bool {
        self.one >> (self.width - 1) & 1 != 0
    }

    /// How many low bits are zero for sure.
    pub const fn trailing_zeros(self) -> u32 {
        let count = (!self.zero).trailing_zeros();
        if count > self.width { self.width } else { count }
    }

    /// How many high bits are zero for sure.
    pub const fn leading_zeros(self) -> u32 {
        let unknown = !self.zero & mask(self.width);
        unknown.leading_zeros() - (128 - self.width)
    }

    /// How many high bits are the same as the sign for sure, the sign itself counted: at least 1.
    pub const fn sign_bits(self) -> u32 {
        let ones = !(self.one | !mask(self.width));
        let leading_ones = ones.leading_zeros() - (128 - self.width);
        let zeros = self.leading_zeros();
        let most = if zeros > leading_ones { zeros } else { leading_ones };
        if most == 0 { 1 } else { most }
    }

    /// What holds for either of two values.
    #[must_use]
    pub const fn either(self, other: Bits) -> Bits {
        Bits {
            width: self.width,
            zero: self.zero & other.zero,
            one: self.one & other.one,
        }
    }

    /// What holds if both are known of one value.
    #[must_use]
    pub const fn both(self, other: Bits) -> Bits {
        Bits {
            width: self.width,
            zero: self.zero | other.zero,
            one: self.one | other.one,
        }
    }

    /// Bitwise and.
    #[must_use]
    pub const fn and(self, other: Bits) -> Bits {
        Bits {
            width: self.width,
            zero: self.zero | other.zero,
            one: self.one & other.one,
        }
    }

    /// Bitwise or.
    #[must_use]
    pub const fn or(self, other: Bits) -> Bits {
        Bits {
            width: self.width,
            zero: self.zero & other.zero,
            one: self.one | other.one,
        }
    }

    /// Bitwise exclusive or.
    #[must_use]
    pub const fn xor(self, other: Bits) -> Bits {
        Bits {
            width: self.width,
            zero: self.zero & other.zero | self.one & other.one,
            one: self.zero & other.one | self.one & other.zero,
        }
    }

    /// All bits turned.
    #[must_use]
    pub const fn not(self) -> Bits {
        Bits {
            width: self.width,
            zero: self.one,
            one: self.zero,
        }
    }

    /// The sum of two and a carry of 0 or 1.
    #[must_use]
    fn add_carry(self, other: Bits, carry: u128) -> Bits {
        let all = mask(self.width);
        let most = self.greatest().wrapping_add(other.greatest()).wrapping_add(carry) & all;
        let least = self.one.wrapping_add(other.one).wrapping_add(carry) & all;
        // A carry into a bit is known where the extreme sums agree with their operands on it.
        let carry_zero = !(most ^ self.zero ^ other.zero);
        let carry_one = least ^ self.one ^ other.one;
        let known = (self.zero | self.one) & (other.zero | other.one) & (carry_zero | carry_one) & all;
        Bits {
            width: self.width,
            zero: !most & known & all,
            one: least & known,
        }
    }

    /// Sum modulo two to the width.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "an operation of integers, as all here")]
    pub fn add(self, other: Bits) -> Bits {
        self.add_carry(other, 0)
    }

    /// Difference modulo two to the width.
    #[must_use]
    pub fn subtract(self, other: Bits) -> Bits {
        self.add_carry(other.not(), 1)
    }

    /// The low bits of the product.
    #[must_use]
    pub fn multiply(self, other: Bits) -> Bits {
        if let (Some(a), Some(b)) = (self.value(), other.value()) {
            return Bits::constant(self.width, a.wrapping_mul(b));
        }
        let low_zeros = (self.trailing_zeros() + other.trailing_zeros()).min(self.width);
        let mut result = Bits::unknown(self.width);
        result.zero |= mask_or_zero(low_zeros);
        if let Some(most) = self
            .greatest()
            .checked_mul(other.greatest())
            .filter(|&most| most <= mask(self.width))
        {
            result = result.both(Bits::at_most(self.width, most));
        }
        result
    }

    /// Unsigned quotient.
    #[must_use]
    pub fn divide(self, other: Bits) -> Bits {
        if let (Some(a), Some(b)) = (self.value(), other.value())
            && b != 0
        {
            return Bits::constant(self.width, a / b);
        }
        Bits::at_most(self.width, self.greatest() / other.least().max(1))
    }

    /// Unsigned remainder.
    #[must_use]
    pub fn remainder(self, other: Bits) -> Bits {
        if let Some(divisor) = other.value()
            && divisor.is_power_of_two()
        {
            return self.and(Bits::constant(self.width, divisor - 1));
        }
        let most = self.greatest().min(other.greatest().saturating_sub(1));
        Bits::at_most(self.width, most)
    }

    fn shifted(self, amount: Bits, by: impl Fn(Bits, u32) -> Bits) -> Bits {
        // Every amount that the known bits allow; larger ones have no defined result.
        let (least, most) = (amount.least(), amount.greatest().min(u128::from(self.width) - 1));
        let mut result: Option<Bits> = None;
        for count in least..=most {
            if count & amount.zero != 0 || amount.one & !count != 0 {
                continue;
            }
            let one = by(self, count as u32);
            result = Some(result.map_or(one, |all| all.either(one)));
            if result.is_some_and(|all| all.zero | all.one == 0) {
                break;
            }
        }
        result.unwrap_or(Bits::unknown(self.width))
    }

    /// Shift left.
    #[must_use]
    pub fn shift_left(self, amount: Bits) -> Bits {
        self.shifted(amount, |bits, count| Bits {
            zero: (bits.zero << count | mask_or_zero(count)) & mask(bits.width),
            one: bits.one << count & mask(bits.width),
            ..bits
        })
    }

    /// Shift right with zeros.
    #[must_use]
    pub fn shift_right(self, amount: Bits) -> Bits {
        self.shifted(amount, |bits, count| Bits {
            zero: bits.zero >> count | mask(bits.width) & !(mask(bits.width) >> count),
            one: bits.one >> count,
            ..bits
        })
    }

    /// Shift right with copies of the sign.
    #[must_use]
    pub fn shift_right_signed(self, amount: Bits) -> Bits {
        self.shifted(amount, |bits, count| Bits {
            zero: (signed(bits.width, bits.zero) >> count) as u128 & mask(bits.width),
            one: (signed(bits.width, bits.one) >> count) as u128 & mask(bits.width),
            ..bits
        })
    }

    /// The low bits.
    #[must_use]
    pub const fn truncate(self, width: u32) -> Bits {
        Bits {
            width,
            zero: self.zero & mask(width),
            one: self.one & mask(width),
        }
    }

    /// Widened with zeros.
    #[must_use]
    pub const fn zero_extend(self, width: u32) -> Bits {
        Bits {
            width,
            zero: self.zero | mask(width) & !mask(self.width),
            one: self.one,
        }
    }

    /// Widened with copies of the sign.
    #[must_use]
    pub const fn sign_extend(self, width: u32) -> Bits {
        Bits {
            width,
            zero: signed(self.width, self.zero) as u128 & mask(width),
            one: signed(self.width, self.one) as u128 & mask(width),
        }
    }
}

/// So many low bits set, none for zero.
pub const fn mask_or_zero(count: u32) -> u128 {
    if count == 0 { 0 } else { mask(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All knowledge about four bits, with the values that it allows.
    fn all(width: u32) -> Vec<(Bits, Vec<u128>)> {
        let mut list = Vec::new();
        for zero in 0..1 << width {
            for one in 0..1 << width {
                let bits = Bits { width, zero, one };
                if !bits.is_contradiction() {
                    let values = (0..1 << width)
                        .filter(|value| value & zero == 0 && !value & one == 0)
                        .collect();
                    list.push((bits, values));
                }
            }
        }
        list
    }

    fn holds(bits: Bits, value: u128, what: &str) {
        assert!(
            bits.zero & value == 0 && bits.one & !value == 0,
            "{what}: {bits:?} of {value}"
        );
    }

    #[test]
    fn operations_hold_for_all_values() {
        const WIDTH: u32 = 4;
        for (a, values) in all(WIDTH) {
            for (b, others) in all(WIDTH) {
                for &x in &values {
                    for &y in &others {
                        let low = mask(WIDTH);
                        holds(a.add(b), x.wrapping_add(y) & low, "add");
                        holds(a.subtract(b), x.wrapping_sub(y) & low, "subtract");
                        holds(a.multiply(b), x.wrapping_mul(y) & low, "multiply");
                        holds(a.and(b), x & y, "and");
                        holds(a.or(b), x | y, "or");
                        holds(a.xor(b), x ^ y, "xor");
                        if let (Some(quotient), Some(rest)) = (x.checked_div(y), x.checked_rem(y)) {
                            holds(a.divide(b), quotient, "divide");
                            holds(a.remainder(b), rest, "remainder");
                        }
                        if y < 4 {
                            holds(a.shift_left(b), x << y & low, "shift left");
                            holds(a.shift_right(b), x >> y, "shift right");
                            holds(
                                a.shift_right_signed(b),
                                (signed(WIDTH, x) >> y) as u128 & low,
                                "shift right signed",
                            );
                        }
                    }
                }
            }
            for &x in &values {
                holds(a.sign_extend(6), signed(WIDTH, x) as u128 & 63, "sign extend");
                holds(a.zero_extend(6), x, "zero extend");
                assert!(a.least() <= x && x <= a.greatest());
                assert!(a.signed_least() <= signed(WIDTH, x) && signed(WIDTH, x) <= a.signed_greatest());
                assert!(a.sign_bits() <= WIDTH);
            }
        }
    }

    #[test]
    fn sums_of_known_low_bits() {
        let four_times = Bits {
            width: 8,
            zero: 3,
            one: 0,
        };
        assert_eq!(
            four_times.add(Bits::constant(8, 1)),
            Bits {
                width: 8,
                zero: 2,
                one: 1
            }
        );
        assert_eq!(Bits::at_most(32, 1023).leading_zeros(), 22);
        assert_eq!(
            Bits::between(8, 0x40, 0x47),
            Bits {
                width: 8,
                zero: 0xb8,
                one: 0x40
            }
        );
    }
}
