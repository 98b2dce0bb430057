//! Integers of any width.

mod arithmetic;

use std::fmt;

use smallvec::{SmallVec, smallvec};

/// The bits of an integer of a given width. Sign is a matter of the operation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer {
    bits: u32,
    /// Least significant first; as many as the width needs; the bits beyond the width are 0.
    words: SmallVec<[u64; 2]>,
}

impl Integer {
    /// The low bits of a number.
    pub fn new(bits: u32, value: u128) -> Integer {
        let mut words: SmallVec<[u64; 2]> = smallvec![value as u64];
        if bits > 64 {
            words.push((value >> 64) as u64);
            words.resize(bits.div_ceil(64) as usize, 0);
        }
        Integer { bits, words }.masked()
    }

    /// The low bits of a signed number, extended by its sign.
    pub fn signed(bits: u32, value: i128) -> Integer {
        let mut words: SmallVec<[u64; 2]> = smallvec![value as u64];
        if bits > 64 {
            words.push((value >> 64) as u64);
            words.resize(bits.div_ceil(64) as usize, if value < 0 { u64::MAX } else { 0 });
        }
        Integer { bits, words }.masked()
    }

    /// From words, least significant first. Missing ones are 0, bits beyond the width are dropped.
    pub fn from_words(bits: u32, words: &[u64]) -> Integer {
        let mut words = SmallVec::from_slice(words);
        words.resize(bits.div_ceil(64).max(1) as usize, 0);
        Integer { bits, words }.masked()
    }

    /// A decimal number, perhaps after a minus; `None` if it is none or does not fit, read as signed or unsigned.
    pub fn from_decimal(bits: u32, text: &str) -> Option<Integer> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        // A decimal digit takes less than 4 bits; a number longer than its width allows is refused before it is worked out.
        let digits = digits.trim_start_matches('0');
        if digits.len() > bits as usize / 3 + 2
            || !digits.bytes().all(|byte| byte.is_ascii_digit())
            || text.len() == usize::from(negative)
        {
            return None;
        }
        let mut words: SmallVec<[u64; 2]> = smallvec![0; digits.len() / 16 + 1];
        for digit in digits.bytes() {
            let mut carry = u128::from(digit - b'0');
            for word in &mut words {
                let wide = u128::from(*word) * 10 + carry;
                *word = wide as u64;
                carry = wide >> 64;
            }
        }
        let magnitude = Integer::from_words((words.len() as u32 * 64).max(bits + 1), &words);
        let fits = magnitude.significant_bits() <= bits;
        let value = magnitude.truncate(bits);
        if !negative {
            return fits.then_some(value);
        }
        let value = value.negated();
        (fits && (value.is_negative() || value.is_zero())).then_some(value)
    }

    /// How many bits are left without leading zeros.
    pub fn significant_bits(&self) -> u32 {
        let index = self.words.iter().rposition(|&word| word != 0);
        index.map_or(0, |index| index as u32 * 64 + (64 - self.words[index].leading_zeros()))
    }

    /// 0 - the number.
    #[must_use]
    pub fn negated(&self) -> Integer {
        let mut carry = true;
        let mut words = self.words.clone();
        for word in &mut words {
            let (sum, overflow) = (!*word).overflowing_add(u64::from(carry));
            *word = sum;
            carry = overflow;
        }
        Integer { bits: self.bits, words }.masked()
    }

    /// 0 of a width.
    pub fn zero(bits: u32) -> Integer {
        Integer::new(bits, 0)
    }

    /// All bits set.
    pub fn ones(bits: u32) -> Integer {
        Integer::signed(bits, -1)
    }

    fn masked(mut self) -> Integer {
        let rest = self.bits % 64;
        if rest != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << rest) - 1;
        }
        self
    }

    /// The width in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The words, least significant first; bits beyond the width are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The number read as unsigned, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.words[1..].iter().all(|&word| word == 0).then(|| self.words[0])
    }

    /// The number read as unsigned, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        let high = self.words.get(1).copied().unwrap_or(0);
        let fits = self.words.len() <= 2 || self.words[2..].iter().all(|&word| word == 0);
        fits.then(|| u128::from(high) << 64 | u128::from(self.words[0]))
    }

    /// The number read as signed, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }

    /// The number read as signed, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        if self.bits <= 128 {
            let unused = 128 - self.bits;
            return Some((self.to_u128()? << unused) as i128 >> unused);
        }
        let wide = self.sign_extend(128 * self.bits.div_ceil(128));
        let low = (u128::from(wide.words[1]) << 64 | u128::from(wide.words[0])) as i128;
        let filling = if low < 0 { u64::MAX } else { 0 };
        wide.words[2..].iter().all(|&word| word == filling).then_some(low)
    }

    /// The lowest 64 bits.
    pub fn low_u64(&self) -> u64 {
        self.words[0]
    }

    /// Whether all bits are 0.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// Whether exactly one bit is 1.
    pub fn is_power_of_two(&self) -> bool {
        self.words.iter().map(|word| word.count_ones()).sum::<u32>() == 1
    }

    /// The bit of an index; false beyond the width.
    pub fn bit(&self, index: u32) -> bool {
        self.words
            .get((index / 64) as usize)
            .is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The highest bit.
    pub fn is_negative(&self) -> bool {
        self.bits > 0 && self.bit(self.bits - 1)
    }

    /// The lowest bits.
    pub fn truncate(&self, bits: u32) -> Integer {
        Integer::from_words(
            bits,
            &self.words[..self.words.len().min(bits.div_ceil(64).max(1) as usize)],
        )
    }

    /// Wider, filled with 0; narrower drops bits.
    pub fn zero_extend(&self, bits: u32) -> Integer {
        if bits < self.bits {
            self.truncate(bits)
        } else {
            Integer::from_words(bits, &self.words)
        }
    }

    /// Wider, filled with the highest bit; narrower drops bits.
    pub fn sign_extend(&self, bits: u32) -> Integer {
        if bits <= self.bits || !self.is_negative() {
            return self.zero_extend(bits);
        }
        let mut words = self.words.clone();
        if !self.bits.is_multiple_of(64)
            && let Some(last) = words.last_mut()
        {
            *last |= u64::MAX << (self.bits % 64);
        }
        words.resize(bits.div_ceil(64) as usize, u64::MAX);
        Integer { bits, words }.masked()
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "i{} {}", self.bits, self)
    }
}

/// Decimal, signed (as LLVM writes constants).
impl fmt::Display for Integer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.to_i128() {
            return write!(formatter, "{value}");
        }
        // Beyond 128 bits: hexadecimal of the bits, in LLVM's notation for that.
        write!(formatter, "u0x")?;
        let mut digits = self.words.iter().rev().skip_while(|&&word| word == 0);
        if let Some(first) = digits.next() {
            write!(formatter, "{first:X}")?;
        }
        digits.try_for_each(|word| write!(formatter, "{word:016X}"))
    }
}
