//! Conversions between floats and integers of 65 to 128 bits. PTX has none: the integer is moved up until its highest bit is set, what is below 64 bits becomes one
//! bit that says whether anything is there, and the conversion of 64 bits rounds that once.

use warpsmith_ir::{IntPredicate, Type};

use crate::function::{Lowering, Upper, emit};
use crate::parts::Scalar;
use crate::register::{Class, Operand, Parts, Register};

impl Lowering<'_> {
    /// An integer of up to 128 bits as a float.
    pub(crate) fn wide_to_float(&mut self, signed: bool, bits: u32, to: Type, words: &Parts) -> Parts {
        let words = self.wide_extended(words, bits, signed);
        let (magnitude, sign) = match signed {
            true => {
                let (magnitude, sign) = self.wide_absolute(&words);
                (magnitude, Some(sign))
            }
            false => (words, None),
        };
        let result = match to {
            Type::Half => self.magnitude_to_half(&magnitude),
            Type::BFloat => {
                let single = self.magnitude_to_float(&magnitude, Type::BFloat);
                return Parts::from_iter([self.with_sign_of(Type::BFloat, single, sign)]);
            }
            Type::Double => self.magnitude_to_float(&magnitude, Type::Double),
            _ => self.magnitude_to_float(&magnitude, Type::Float),
        };
        Parts::from_iter([self.with_sign_of(to, result, sign)])
    }

    /// Every number from 65,520 on is infinite: what does not fit 64 bits, too.
    fn magnitude_to_half(&mut self, words: &Parts) -> Operand {
        let (low, high) = (words[0], words[1]);
        let fits = self.word_is_zero(high);
        let all = Operand::Integer(Class::B64, -1);
        let clamped = self.select_part(fits, low, all);
        let clamped = self.in_register(clamped);
        let result = self.register(Class::B16);
        emit!(self, "cvt.rn.f16.u64 {result}, {clamped}");
        result.into()
    }

    /// For bfloat16, a single that has been rounded towards odd: it is rounded once more, to the nearest.
    fn magnitude_to_float(&mut self, words: &Parts, to: Type) -> Operand {
        let (top, zeros) = self.moved_up(words);
        // The number is that of the upper 64 bits times 2 to the 64 - zeros.
        let exponent = self.register(Class::B32);
        emit!(self, "sub.s32 {exponent}, 64, {zeros}");
        if to == Type::Double {
            let scale = self.register(Class::B32);
            emit!(self, "add.s32 {scale}, {exponent}, 1023");
            let (wide, bits) = (self.register(Class::B64), self.register(Class::B64));
            emit!(self, "cvt.u64.u32 {wide}, {scale}");
            emit!(self, "shl.b64 {bits}, {wide}, 52");
            let (factor, number, result) = self.three(Class::F64);
            emit!(self, "mov.b64 {factor}, {bits}");
            emit!(self, "cvt.rn.f64.u64 {number}, {top}");
            emit!(self, "mul.rn.f64 {result}, {number}, {factor}");
            return result.into();
        }
        let (scale, bits) = (self.register(Class::B32), self.register(Class::B32));
        emit!(self, "add.s32 {scale}, {exponent}, 127");
        emit!(self, "shl.b32 {bits}, {scale}, 23");
        let (factor, number, result) = self.three(Class::F32);
        emit!(self, "mov.b32 {factor}, {bits}");
        if to == Type::BFloat {
            let odd = self.odd_upper_half(top);
            emit!(self, "cvt.rn.f32.u64 {number}, {odd}");
        } else {
            emit!(self, "cvt.rn.f32.u64 {number}, {top}");
        }
        emit!(self, "mul.rn.f32 {result}, {number}, {factor}");
        result.into()
    }

    fn three(&mut self, class: Class) -> (Register, Register, Register) {
        (self.register(class), self.register(class), self.register(class))
    }

    /// The upper 23 of 64 bits, and below them one that says whether there are others: exactly a single.
    fn odd_upper_half(&mut self, top: Register) -> Register {
        let lower = self.register(Class::B64);
        emit!(self, "and.b64 {lower}, {top}, {}", (1i64 << 41) - 1);
        let empty = self.word_is_zero(lower.into());
        let (zero, one) = (Operand::Integer(Class::B64, 0), Operand::Integer(Class::B64, 1 << 40));
        let sticky = self.select_part(empty, zero, one);
        let (upper, odd) = (self.register(Class::B64), self.register(Class::B64));
        emit!(self, "and.b64 {upper}, {top}, {}", -1i64 << 41);
        emit!(self, "or.b64 {odd}, {upper}, {sticky}");
        odd
    }

    /// The upper word of a number moved up until its highest bit is set, with the lowest bit set where the lower word is not empty; and by how far it was moved.
    fn moved_up(&mut self, words: &Parts) -> (Register, Register) {
        let (low, high) = (self.in_register(words[0]), self.in_register(words[1]));
        let (high_zeros, low_zeros, both) = self.three(Class::B32);
        emit!(self, "clz.b64 {high_zeros}, {high}");
        emit!(self, "clz.b64 {low_zeros}, {low}");
        emit!(self, "add.u32 {both}, {low_zeros}, 64");
        let empty = self.word_is_zero(high.into());
        let (zeros, own) = (self.register(Class::B32), self.register(Class::B32));
        let chosen = self.select_part(empty, both.into(), high_zeros.into());
        emit!(self, "mov.b32 {zeros}, {chosen}");
        // Within a word: the words change places first where the upper one is empty.
        let (first, second) = {
            let zero = Operand::Integer(Class::B64, 0);
            let first = self.select_part(empty, low.into(), high.into());
            let second = self.select_part(empty, zero, low.into());
            (self.in_register(first), self.in_register(second))
        };
        emit!(self, "and.b32 {own}, {zeros}, 63");
        let rest = self.register(Class::B32);
        emit!(self, "sub.u32 {rest}, 64, {own}");
        let (kept, crossed, upper) = self.three(Class::B64);
        let lower = self.register(Class::B64);
        // PTX clamps amounts: a shift by 64 gives zero.
        emit!(self, "shl.b64 {kept}, {first}, {own}");
        emit!(self, "shr.u64 {crossed}, {second}, {rest}");
        emit!(self, "or.b64 {upper}, {kept}, {crossed}");
        emit!(self, "shl.b64 {lower}, {second}, {own}");
        let exact = self.word_is_zero(lower.into());
        let (zero, one) = (Operand::Integer(Class::B64, 0), Operand::Integer(Class::B64, 1));
        let sticky = self.select_part(exact, zero, one);
        let top = self.register(Class::B64);
        emit!(self, "or.b64 {top}, {upper}, {sticky}");
        (top, zeros)
    }

    fn word_is_zero(&mut self, word: Operand) -> Operand {
        let zero = Operand::Integer(Class::B64, 0);
        self.compare_integers(IntPredicate::Eq, 64, (word, Upper::Unknown), (zero, Upper::Unknown))
    }

    /// A float with the sign that an integer had; `sign` has all bits set or none. The float is in the format that the magnitude was made in.
    fn with_sign_of(&mut self, to: Type, magnitude: Operand, sign: Option<Register>) -> Operand {
        let class = magnitude.class();
        let value = match sign {
            None => magnitude,
            Some(sign) => {
                let negative = self.register(Class::Predicate);
                emit!(self, "setp.lt.s64 {negative}, {sign}, 0");
                let (magnitude, result) = (self.in_register(magnitude), self.register(class));
                match class {
                    Class::F64 => {
                        let opposite = self.register(class);
                        emit!(self, "neg.f64 {opposite}, {magnitude}");
                        emit!(self, "selp.f64 {result}, {opposite}, {magnitude}, {negative}");
                    }
                    Class::F32 => {
                        let opposite = self.register(class);
                        emit!(self, "neg.f32 {opposite}, {magnitude}");
                        emit!(self, "selp.f32 {result}, {opposite}, {magnitude}, {negative}");
                    }
                    _ => {
                        let opposite = self.register(class);
                        emit!(self, "xor.b16 {opposite}, {magnitude}, -32768");
                        emit!(self, "selp.b16 {result}, {opposite}, {magnitude}, {negative}");
                    }
                }
                result.into()
            }
        };
        match to {
            Type::BFloat => self.demoted(Scalar::BFloat, value),
            _ => value,
        }
    }

    /// A float as an integer of up to 128 bits, towards zero; what is out of the range of 128 bits becomes its end.
    pub(crate) fn float_to_wide(&mut self, signed: bool, from: Type, operand: Operand) -> Parts {
        // Every other format is exact in double precision.
        let number = match from {
            Type::Double => operand,
            _ => self.resize_float(from, Type::Double, operand)[0],
        };
        let number = self.in_register(number);
        let magnitude = self.register(Class::F64);
        emit!(self, "abs.f64 {magnitude}, {number}");
        let (high, low) = (self.register(Class::B64), self.register(Class::B64));
        let (scaled, whole, rest) = self.three(Class::F64);
        // Conversions take what is out of range to its end: 2 to the 128 and more fill both words.
        emit!(self, "mul.rn.f64 {scaled}, {magnitude}, 0d3BF0000000000000");
        emit!(self, "cvt.rzi.u64.f64 {high}, {scaled}");
        emit!(self, "cvt.rzi.f64.f64 {whole}, {scaled}");
        emit!(self, "fma.rn.f64 {rest}, {whole}, 0dC3F0000000000000, {magnitude}");
        emit!(self, "cvt.rzi.u64.f64 {low}, {rest}");
        let negative = self.register(Class::Predicate);
        emit!(self, "setp.lt.f64 {negative}, {number}, 0d0000000000000000");
        let mut words = Parts::from_iter([low.into(), high.into()]);
        let limit = if signed {
            "0d47E0000000000000"
        } else {
            "0d47F0000000000000"
        };
        let beyond = self.register(Class::Predicate);
        emit!(self, "setp.ge.f64 {beyond}, {magnitude}, {limit}");
        let ends = match signed {
            true => [-1, i64::MAX],
            false => [-1, -1],
        };
        for (word, end) in words.iter_mut().zip(ends) {
            *word = self.select_part(beyond.into(), Operand::Integer(Class::B64, end), *word);
        }
        if signed {
            let sign = self.register(Class::B64);
            emit!(self, "selp.b64 {sign}, -1, 0, {negative}");
            let applied = self.wide_apply_sign(&words, sign);
            // The lowest number is one further from zero than the highest.
            let lowest = [0, i64::MIN];
            let under = self.register(Class::Predicate);
            emit!(self, "and.pred {under}, {beyond}, {negative}");
            words = applied
                .iter()
                .zip(lowest)
                .map(|(word, end)| self.select_part(under.into(), Operand::Integer(Class::B64, end), *word))
                .collect();
        } else {
            let zero = Operand::Integer(Class::B64, 0);
            words = words
                .iter()
                .map(|word| self.select_part(negative.into(), zero, *word))
                .collect();
        }
        words
    }
}
