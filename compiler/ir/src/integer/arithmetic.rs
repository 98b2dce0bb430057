//! Arithmetic modulo 2^width, and its overflows.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::Integer;

impl Integer {
    fn zip(&self, other: &Integer, combine: impl Fn(u64, u64) -> u64) -> Integer {
        let words = self
            .words
            .iter()
            .zip(&other.words)
            .map(|(&a, &b)| combine(a, b))
            .collect();
        Integer { bits: self.bits, words }.masked()
    }

    /// The bits that both have.
    #[must_use]
    pub fn and(&self, other: &Integer) -> Integer {
        self.zip(other, |a, b| a & b)
    }

    /// The bits that either has.
    #[must_use]
    pub fn or(&self, other: &Integer) -> Integer {
        self.zip(other, |a, b| a | b)
    }

    /// The bits that one has.
    #[must_use]
    pub fn xor(&self, other: &Integer) -> Integer {
        self.zip(other, |a, b| a ^ b)
    }

    /// All bits inverted.
    #[must_use]
    pub fn inverted(&self) -> Integer {
        self.zip(self, |a, _| !a)
    }

    /// The sum.
    #[must_use]
    pub fn add(&self, other: &Integer) -> Integer {
        let mut carry = false;
        let mut words = self.words.clone();
        for (word, &addend) in words.iter_mut().zip(&other.words) {
            let (sum, first) = word.overflowing_add(addend);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            carry = first || second;
        }
        Integer { bits: self.bits, words }.masked()
    }

    /// The difference.
    #[must_use]
    pub fn sub(&self, other: &Integer) -> Integer {
        self.add(&other.negated())
    }

    /// The product.
    #[must_use]
    pub fn mul(&self, other: &Integer) -> Integer {
        let length = self.words.len();
        let mut words: SmallVec<[u64; 2]> = SmallVec::from_elem(0, length);
        for (low, &a) in self.words.iter().enumerate() {
            let mut carry = 0u128;
            for (high, &b) in other.words[..length - low].iter().enumerate() {
                let wide = u128::from(a) * u128::from(b) + u128::from(words[low + high]) + carry;
                words[low + high] = wide as u64;
                carry = wide >> 64;
            }
        }
        Integer { bits: self.bits, words }.masked()
    }

    /// Quotient and remainder, both numbers read as unsigned; `None` if the divisor is 0.
    pub fn divide_unsigned(&self, divisor: &Integer) -> Option<(Integer, Integer)> {
        if divisor.is_zero() {
            return None;
        }
        if let (Some(a), Some(b)) = (self.to_u128(), divisor.to_u128()) {
            return Some((Integer::new(self.bits, a / b), Integer::new(self.bits, a % b)));
        }
        // Bit by bit; the remainder has one bit more than the divisor before it is subtracted.
        let divisor = divisor.zero_extend(self.bits + 1);
        let mut remainder = Integer::zero(self.bits + 1);
        let mut quotient = Integer::zero(self.bits);
        for index in (0..self.bits).rev() {
            remainder = remainder.shift_left(1);
            remainder.words[0] |= u64::from(self.bit(index));
            if remainder.compare_unsigned(&divisor) != Ordering::Less {
                remainder = remainder.sub(&divisor);
                quotient.words[(index / 64) as usize] |= 1 << (index % 64);
            }
        }
        Some((quotient, remainder.truncate(self.bits)))
    }

    /// Quotient rounded toward zero and remainder with the sign of the dividend; `None` if the divisor is 0 or the quotient overflows.
    pub fn divide_signed(&self, divisor: &Integer) -> Option<(Integer, Integer)> {
        let (negative, opposite) = (self.is_negative(), self.is_negative() != divisor.is_negative());
        let (quotient, remainder) = self.magnitude().divide_unsigned(&divisor.magnitude())?;
        if !opposite && quotient.is_negative() {
            return None;
        }
        let quotient = if opposite { quotient.negated() } else { quotient };
        Some((quotient, if negative { remainder.negated() } else { remainder }))
    }

    /// The number without its sign, to be read as unsigned.
    #[must_use]
    pub fn magnitude(&self) -> Integer {
        if self.is_negative() {
            self.negated()
        } else {
            self.clone()
        }
    }

    /// Moved to higher bits; 0 if by the width or more.
    #[must_use]
    pub fn shift_left(&self, amount: u32) -> Integer {
        if amount >= self.bits {
            return Integer::zero(self.bits);
        }
        let (skip, rest) = ((amount / 64) as usize, amount % 64);
        let word = |index: usize| index.checked_sub(skip).map_or(0, |index| self.words[index]);
        let below = |index: usize| index.checked_sub(skip + 1).map_or(0, |index| self.words[index]);
        let words = (0..self.words.len()).map(|index| {
            if rest == 0 {
                word(index)
            } else {
                word(index) << rest | below(index) >> (64 - rest)
            }
        });
        Integer {
            bits: self.bits,
            words: words.collect(),
        }
        .masked()
    }

    /// Moved to lower bits, filled with 0; 0 if by the width or more.
    #[must_use]
    pub fn shift_right(&self, amount: u32) -> Integer {
        if amount >= self.bits {
            return Integer::zero(self.bits);
        }
        let (skip, rest) = ((amount / 64) as usize, amount % 64);
        let word = |index: usize| self.words.get(index + skip).copied().unwrap_or(0);
        let above = |index: usize| self.words.get(index + skip + 1).copied().unwrap_or(0);
        let words = (0..self.words.len()).map(|index| {
            if rest == 0 {
                word(index)
            } else {
                word(index) >> rest | above(index) << (64 - rest)
            }
        });
        Integer {
            bits: self.bits,
            words: words.collect(),
        }
    }

    /// Moved to lower bits, filled with the highest; all of that if by the width or more.
    #[must_use]
    pub fn shift_right_signed(&self, amount: u32) -> Integer {
        if self.is_negative() {
            self.inverted().shift_right(amount).inverted()
        } else {
            self.shift_right(amount)
        }
    }

    /// The order of the numbers read as unsigned.
    pub fn compare_unsigned(&self, other: &Integer) -> Ordering {
        self.words.iter().rev().cmp(other.words.iter().rev())
    }

    /// The order of the numbers read as signed.
    pub fn compare_signed(&self, other: &Integer) -> Ordering {
        other
            .is_negative()
            .cmp(&self.is_negative())
            .then_with(|| self.compare_unsigned(other))
    }

    /// How many bits are 1.
    pub fn count_ones(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// How many bits are 0 above the highest 1.
    pub fn leading_zeros(&self) -> u32 {
        self.bits - self.significant_bits()
    }

    /// How many bits are 0 below the lowest 1; the width if there is none.
    pub fn trailing_zeros(&self) -> u32 {
        let index = self.words.iter().position(|&word| word != 0);
        index.map_or(self.bits, |index| {
            index as u32 * 64 + self.words[index].trailing_zeros()
        })
    }

    /// The bits in the opposite order.
    #[must_use]
    pub fn reversed(&self) -> Integer {
        let bits = (0..self.bits).filter(|&index| self.bit(index));
        bits.fold(Integer::zero(self.bits), |mut result, index| {
            let place = self.bits - 1 - index;
            result.words[(place / 64) as usize] |= 1 << (place % 64);
            result
        })
    }

    /// The bytes from the lowest on; the last one filled with 0.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.bits.div_ceil(8) as usize).collect()
    }

    /// From bytes, the lowest first; bits beyond the width are dropped.
    pub fn from_bytes(bits: u32, bytes: &[u8]) -> Integer {
        let words: SmallVec<[u64; 2]> = bytes
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
            .collect();
        Integer::from_words(bits, &words)
    }
}

#[cfg(test)]
mod tests {
    use super::Integer;

    #[test]
    fn wide_arithmetic_agrees_with_itself() {
        let a = Integer::from_words(200, &[0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 7, 0x55]);
        let b = Integer::from_words(200, &[0xffff_ffff_0000_0001, 3, 0, 0]);
        let Some((quotient, remainder)) = a.divide_unsigned(&b) else {
            panic!("b is not 0")
        };
        assert_eq!(quotient.mul(&b).add(&remainder), a);
        assert_eq!(a.shift_left(77).shift_right(77), a.truncate(123).zero_extend(200));
        assert_eq!(a.reversed().reversed(), a);
        assert_eq!(Integer::from_bytes(200, &a.to_bytes()), a);
    }

    #[test]
    fn signed_division_rounds_toward_zero_and_refuses_overflow() {
        let number = |value| Integer::signed(8, value);
        assert_eq!(number(-7).divide_signed(&number(2)), Some((number(-3), number(-1))));
        assert_eq!(number(-128).divide_signed(&number(-1)), None);
        assert_eq!(number(5).divide_signed(&number(0)), None);
    }

    #[test]
    fn decimals_are_read_as_signed_or_unsigned() {
        assert_eq!(Integer::from_decimal(8, "255"), Some(Integer::ones(8)));
        assert_eq!(Integer::from_decimal(8, "-128"), Some(Integer::signed(8, -128)));
        assert_eq!(Integer::from_decimal(8, "-129"), None);
        assert_eq!(Integer::from_decimal(8, "256"), None);
        let wide = "340282366920938463463374607431768211456";
        assert_eq!(
            Integer::from_decimal(129, wide),
            Some(Integer::from_words(129, &[0, 0, 1]))
        );
    }
}
