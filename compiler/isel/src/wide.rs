//! Integers of more than 64 bits, as words of 64 from the lowest on. Sums, logic and comparisons of any width; products, shifts and quotients up to 128 bits.

use warpsmith_ir::{BinaryOp, IntPredicate};

use crate::function::{Lowering, Upper, emit};
use crate::helper::Helper;
use crate::register::{Class, Operand, Parts, Register};

impl Lowering<'_> {
    /// An operation on wide integers.
    pub(crate) fn wide_binary(&mut self, op: BinaryOp, bits: u32, left: &Parts, right: &Parts) -> Parts {
        match op {
            BinaryOp::Add => self.wide_carry("add", left, right),
            BinaryOp::Sub => self.wide_carry("sub", left, right),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let pairs: Vec<_> = left.iter().copied().zip(right.iter().copied()).collect();
                pairs
                    .into_iter()
                    .map(|(a, b)| match (op, a.integer(), b.integer()) {
                        (BinaryOp::Or | BinaryOp::Xor, Some(0), _) | (BinaryOp::And, Some(-1), _) => b,
                        (BinaryOp::Or | BinaryOp::Xor, _, Some(0)) | (BinaryOp::And, _, Some(-1)) => a,
                        (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => Operand::Integer(Class::B64, 0),
                        _ => self.integer_binary(op, 64, (a, Upper::Unknown), (b, Upper::Unknown)).0,
                    })
                    .collect()
            }
            _ if bits > 128 => {
                self.unsupported(format_args!("{} of integers of {bits} bits", op.text()));
                left.clone()
            }
            BinaryOp::Mul => self.wide_product(left, right),
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let left = match op {
                    BinaryOp::Shl => left.clone(),
                    _ => self.wide_extended(left, bits, op == BinaryOp::AShr),
                };
                let right = self.wide_extended(right, bits, false);
                let amount = self.as_u32(right[0], 64, Upper::Unknown);
                self.wide_shift(op, &left, amount)
            }
            _ => {
                let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
                let left = self.wide_extended(left, bits, signed);
                let right = self.wide_extended(right, bits, signed);
                self.wide_quotient(op, &left, &right)
            }
        }
    }

    /// A wide integer whose last word is extended to 64 bits.
    pub(crate) fn wide_extended(&mut self, words: &Parts, bits: u32, signed: bool) -> Parts {
        let rest = bits % 64;
        let mut words = words.clone();
        if rest != 0
            && let Some(last) = words.last_mut()
        {
            *last = if signed {
                self.sign_extended(*last, rest, Upper::Unknown)
            } else {
                self.zero_extended(*last, rest, Upper::Unknown)
            };
        }
        words
    }

    fn wide_carry(&mut self, name: &str, left: &Parts, right: &Parts) -> Parts {
        let count = left.len();
        let mut result = Parts::new();
        for (number, (a, b)) in left.iter().zip(right).enumerate() {
            let word = self.register(Class::B64);
            let carried = if number == 0 { "" } else { "c" };
            let carry = if number + 1 == count { "" } else { ".cc" };
            emit!(self, "{name}{carried}{carry}.u64 {word}, {a}, {b}");
            result.push(word.into());
        }
        result
    }

    fn wide_product(&mut self, left: &Parts, right: &Parts) -> Parts {
        let ([a0, a1], [b0, b1]) = (&left[..], &right[..]) else {
            return left.clone();
        };
        let words: [Register; 4] = std::array::from_fn(|_| self.register(Class::B64));
        let [low, high, cross, sum] = words;
        emit!(self, "mul.lo.u64 {low}, {a0}, {b0}");
        emit!(self, "mul.hi.u64 {high}, {a0}, {b0}");
        emit!(self, "mad.lo.u64 {cross}, {a0}, {b1}, {high}");
        emit!(self, "mad.lo.u64 {sum}, {a1}, {b0}, {cross}");
        Parts::from_iter([low.into(), sum.into()])
    }

    /// A shift of two words. PTX clamps amounts: a shift by 64 and more gives zero, or the sign; so do the amounts that are negative where the
    /// other word's bits do not get here.
    fn wide_shift(&mut self, op: BinaryOp, words: &Parts, amount: Operand) -> Parts {
        let [low, high] = words[..] else { return words.clone() };
        if let Some(amount) = amount.integer().filter(|amount| (0..128).contains(amount)) {
            return self.wide_shift_by(op, (low, high), amount);
        }
        // The word that loses bits, and the one that gets them.
        let (from, to) = if op == BinaryOp::Shl { (low, high) } else { (high, low) };
        let (towards, back) = match op {
            BinaryOp::Shl => ("shl.b64", "shr.u64"),
            _ => ("shr.u64", "shl.b64"),
        };
        let rest = self.register(Class::B32);
        emit!(self, "sub.s32 {rest}, 64, {amount}");
        let beyond = self.register(Class::B32);
        emit!(self, "sub.s32 {beyond}, {amount}, 64");
        let shifted: [Register; 5] = std::array::from_fn(|_| self.register(Class::B64));
        let [own, crossed, near, far, emptied] = shifted;
        emit!(self, "{towards} {own}, {to}, {amount}");
        emit!(self, "{back} {crossed}, {from}, {rest}");
        emit!(self, "or.b64 {near}, {own}, {crossed}");
        let arrived = self.register(Class::B64);
        if op == BinaryOp::AShr {
            let is_far = self.register(Class::Predicate);
            emit!(self, "shr.s64 {far}, {from}, {beyond}");
            emit!(self, "setp.gt.u32 {is_far}, {amount}, 63");
            emit!(self, "selp.b64 {arrived}, {far}, {near}, {is_far}");
            emit!(self, "shr.s64 {emptied}, {from}, {amount}");
        } else {
            emit!(self, "{towards} {far}, {from}, {beyond}");
            emit!(self, "or.b64 {arrived}, {near}, {far}");
            emit!(self, "{towards} {emptied}, {from}, {amount}");
        }
        let (emptied, arrived) = (Operand::from(emptied), Operand::from(arrived));
        Parts::from_iter(if op == BinaryOp::Shl {
            [emptied, arrived]
        } else {
            [arrived, emptied]
        })
    }

    /// A shift of two words by a constant: by 64 and more, words change places.
    fn wide_shift_by(&mut self, op: BinaryOp, (low, high): (Operand, Operand), amount: i64) -> Parts {
        let zero = Operand::Integer(Class::B64, 0);
        let (from, to) = if op == BinaryOp::Shl { (low, high) } else { (high, low) };
        let (towards, back) = match op {
            BinaryOp::Shl => ("shl.b64", "shr.u64"),
            _ => ("shr.u64", "shl.b64"),
        };
        let own = if op == BinaryOp::AShr { "shr.s64" } else { towards };
        let (arrived, emptied) = if amount == 0 {
            (to, from)
        } else if amount < 64 {
            let kept = self.wide_shifted(towards, to, amount);
            let crossed = self.wide_shifted(back, from, 64 - amount);
            let joined = self.register(Class::B64);
            emit!(self, "or.b64 {joined}, {kept}, {crossed}");
            (joined.into(), self.wide_shifted(own, from, amount))
        } else {
            let emptied = if op == BinaryOp::AShr {
                self.wide_shifted(own, from, 63)
            } else {
                zero
            };
            (self.wide_shifted(own, from, amount - 64), emptied)
        };
        Parts::from_iter(if op == BinaryOp::Shl {
            [emptied, arrived]
        } else {
            [arrived, emptied]
        })
    }

    fn wide_shifted(&mut self, mnemonic: &str, word: Operand, amount: i64) -> Operand {
        if amount == 0 {
            return word;
        }
        let result = self.register(Class::B64);
        emit!(self, "{mnemonic} {result}, {word}, {amount}");
        result.into()
    }

    /// A quotient or remainder by a helper function, which is unsigned: signs are taken off before and put on after.
    fn wide_quotient(&mut self, op: BinaryOp, left: &Parts, right: &Parts) -> Parts {
        self.helpers.push(Helper::DivideWide);
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let remainder = matches!(op, BinaryOp::URem | BinaryOp::SRem);
        if !signed {
            return self.call_divide(left, right, remainder);
        }
        let (dividend, dividend_sign) = self.wide_absolute(left);
        let (divisor, divisor_sign) = self.wide_absolute(right);
        let result = self.call_divide(&dividend, &divisor, remainder);
        // The remainder has the sign of the dividend.
        let sign = if remainder {
            dividend_sign
        } else {
            let sign = self.register(Class::B64);
            emit!(self, "xor.b64 {sign}, {dividend_sign}, {divisor_sign}");
            sign
        };
        self.wide_apply_sign(&result, sign)
    }

    /// The absolute value, and all bits the sign.
    pub(crate) fn wide_absolute(&mut self, words: &Parts) -> (Parts, Register) {
        let sign = self.register(Class::B64);
        let last = words.last().copied().unwrap_or(Operand::Integer(Class::B64, 0));
        emit!(self, "shr.s64 {sign}, {last}, 63");
        (self.wide_apply_sign(words, sign), sign)
    }

    /// `(words ^ sign) - sign`: the negative if all bits of `sign` are set.
    pub(crate) fn wide_apply_sign(&mut self, words: &Parts, sign: Register) -> Parts {
        let flipped: Parts = words
            .iter()
            .map(|word| {
                let flipped = self.registers.make(Class::B64);
                emit!(self, "xor.b64 {flipped}, {word}, {sign}");
                Operand::from(flipped)
            })
            .collect();
        let signs: Parts = words.iter().map(|_| Operand::from(sign)).collect();
        self.wide_carry("sub", &flipped, &signs)
    }

    fn call_divide(&mut self, left: &Parts, right: &Parts, remainder: bool) -> Parts {
        let (low, high) = (self.register(Class::B64), self.register(Class::B64));
        let offset = if remainder { 16 } else { 0 };
        emit_block(self, |lowering| {
            emit!(lowering, ".param .align 16 .b8 param0[16]");
            emit!(lowering, "st.param.v2.u64 [param0], {{{}, {}}}", left[0], left[1]);
            emit!(lowering, ".param .align 16 .b8 param1[16]");
            emit!(lowering, "st.param.v2.u64 [param1], {{{}, {}}}", right[0], right[1]);
            emit!(lowering, ".param .align 16 .b8 retval0[32]");
            emit!(
                lowering,
                "call.uni (retval0), {}, (param0, param1)",
                Helper::DivideWide.name()
            );
            emit!(lowering, "ld.param.v2.u64 {{{low}, {high}}}, [retval0+{offset}]");
        });
        Parts::from_iter([low.into(), high.into()])
    }

    /// A comparison of wide integers.
    pub(crate) fn wide_compare(&mut self, predicate: IntPredicate, bits: u32, left: &Parts, right: &Parts) -> Operand {
        let left = self.wide_extended(left, bits, predicate.is_signed());
        let right = self.wide_extended(right, bits, predicate.is_signed());
        let result = self.register(Class::Predicate);
        if predicate.is_equality() {
            let mut difference: Option<Register> = None;
            for (a, b) in left.iter().zip(&right) {
                let word = self.register(Class::B64);
                emit!(self, "xor.b64 {word}, {a}, {b}");
                difference = Some(match difference {
                    None => word,
                    Some(other) => {
                        let joined = self.register(Class::B64);
                        emit!(self, "or.b64 {joined}, {other}, {word}");
                        joined
                    }
                });
            }
            if let Some(difference) = difference {
                emit!(self, "setp.{}.s64 {result}, {difference}, 0", predicate.text());
            }
            return result.into();
        }
        // From the lowest word up: a higher word decides unless it is equal.
        let strict = match predicate {
            IntPredicate::Ugt | IntPredicate::Uge => "gt.u64",
            IntPredicate::Sgt | IntPredicate::Sge => "gt.s64",
            IntPredicate::Slt | IntPredicate::Sle => "lt.s64",
            _ => "lt.u64",
        };
        let unsigned_strict = strict.replace('s', "u");
        let unsigned_full = match predicate {
            IntPredicate::Uge | IntPredicate::Sge => "ge.u64",
            IntPredicate::Ule | IntPredicate::Sle => "le.u64",
            _ => unsigned_strict.as_str(),
        };
        let count = left.len();
        let mut decided: Option<Register> = None;
        for (number, (a, b)) in left.iter().zip(&right).enumerate() {
            let word = self.register(Class::Predicate);
            let Some(lower) = decided else {
                emit!(self, "setp.{unsigned_full} {word}, {a}, {b}");
                decided = Some(word);
                continue;
            };
            let strict = if number + 1 == count {
                strict
            } else {
                unsigned_strict.as_str()
            };
            emit!(self, "setp.{strict} {word}, {a}, {b}");
            let (equal, both, joined) = (
                self.register(Class::Predicate),
                self.register(Class::Predicate),
                self.register(Class::Predicate),
            );
            emit!(self, "setp.eq.s64 {equal}, {a}, {b}");
            emit!(self, "and.pred {both}, {equal}, {lower}");
            emit!(self, "or.pred {joined}, {word}, {both}");
            decided = Some(joined);
        }
        decided.map_or(Operand::from(result), Operand::from)
    }
}

/// Writes lines within `{` and `}`.
pub(crate) fn emit_block<'m>(lowering: &mut Lowering<'m>, body: impl FnOnce(&mut Lowering<'m>)) {
    lowering.text.push_str("\t{\n");
    body(lowering);
    lowering.text.push_str("\t}\n");
}
