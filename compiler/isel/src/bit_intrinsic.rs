//! Intrinsics on integers of any width: counting, reversing, shifting through, saturating, detecting overflow.

use warpsmith_ir::{BinaryOp, Call, InstructionId, IntPredicate, Type};

use crate::function::{Lowering, Upper, emit};
use crate::register::{Class, Operand, Parts};
use crate::value::{low_mask, sign_extend};

/// An integer intrinsic with operands of one type.
type Operation<'m> = fn(&mut Lowering<'m>, &str, u32, &[Operand]) -> Parts;

impl<'m> Lowering<'m> {
    /// An intrinsic of this family, `short` its name without `llvm.`. Whether it is one.
    pub(crate) fn lower_bit_intrinsic(&mut self, id: InstructionId, call: &Call, short: &str) -> bool {
        let (count, operation): (usize, Operation<'m>) = match short {
            "ctpop" => (1, Self::count_ones),
            "ctlz" => (1, Self::count_leading_zeros),
            "cttz" => (1, Self::count_trailing_zeros),
            "bswap" => (1, Self::swap_bytes),
            "bitreverse" => (1, Self::reverse_bits),
            "abs" => (1, Self::absolute),
            "smin" | "smax" | "umin" | "umax" => (2, Self::extremum),
            "fshl" | "fshr" => (3, Self::funnel_shift),
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => (2, Self::saturating),
            "uadd.with.overflow" | "usub.with.overflow" | "sadd.with.overflow" | "ssub.with.overflow"
            | "umul.with.overflow" | "smul.with.overflow" => (2, Self::with_overflow),
            "fptosi.sat" | "fptoui.sat" => {
                self.lower_saturating_conversion(id, call, short);
                return true;
            }
            "lrint" | "llrint" => {
                self.lower_rounding_conversion(id, call);
                return true;
            }
            "is.fpclass" => {
                self.lower_class_test(id, call);
                return true;
            }
            _ => return false,
        };
        if call.arguments.len() < count {
            return false;
        }
        let ty = self.type_of(call.arguments[0]);
        let arguments: Vec<Parts> = call.arguments[..count]
            .iter()
            .map(|&argument| self.parts(argument))
            .collect();
        let Type::Int(bits) = self.context.scalar(ty) else {
            return false;
        };
        if bits > 64 {
            let result = self.wide_intrinsic(short, bits, &arguments);
            self.define(id, result);
            return true;
        }
        let lanes: Vec<Parts> = (0..arguments[0].len())
            .map(|lane| {
                let operands: Vec<Operand> = arguments.iter().map(|argument| argument[lane]).collect();
                operation(self, short, bits, &operands)
            })
            .collect();
        // Results of two members have the members of all lanes side by side.
        let members = lanes.first().map_or(1, |lane| lane.len());
        let result = (0..members)
            .flat_map(|member| lanes.iter().map(move |lane| lane[member]))
            .collect();
        self.define(id, result);
        true
    }

    /// A unary instruction on 32 or 64 bits.
    fn unary(&mut self, mnemonic: &str, class: Class, operand: Operand) -> Operand {
        let result = self.register(class);
        let operand = self.in_register(operand);
        emit!(self, "{mnemonic} {result}, {operand}");
        result.into()
    }

    fn binary(&mut self, mnemonic: &str, class: Class, left: Operand, right: Operand) -> Operand {
        let result = self.register(class);
        emit!(self, "{mnemonic} {result}, {left}, {right}");
        result.into()
    }

    /// The value in 32 or 64 bits, zeros above.
    fn machine_word(&mut self, bits: u32, operand: Operand) -> (Operand, u32) {
        if bits <= 32 {
            (self.as_u32(operand, bits, Upper::Unknown), 32)
        } else {
            (self.zero_extended(operand, bits, Upper::Unknown), 64)
        }
    }

    /// A 32-bit count as an integer of `bits`.
    fn count_of(&mut self, count: Operand, bits: u32) -> Parts {
        let class = Class::of_integer(bits);
        Parts::from_iter([match class {
            Class::B64 => self.widen(count, 32, false, Upper::Zeros, class),
            Class::B32 => count,
            _ => self.narrow(count, bits),
        }])
    }

    fn count_ones(&mut self, _: &str, bits: u32, operands: &[Operand]) -> Parts {
        let (word, size) = self.machine_word(bits, operands[0]);
        let count = self.unary(&format!("popc.b{size}"), Class::B32, word);
        self.count_of(count, bits)
    }

    fn count_leading_zeros(&mut self, _: &str, bits: u32, operands: &[Operand]) -> Parts {
        let (word, size) = self.machine_word(bits, operands[0]);
        let mut count = self.unary(&format!("clz.b{size}"), Class::B32, word);
        if bits != size {
            let extra = Operand::Integer(Class::B32, i64::from(size - bits));
            count = self.binary("sub.s32", Class::B32, count, extra);
        }
        self.count_of(count, bits)
    }

    fn count_trailing_zeros(&mut self, _: &str, bits: u32, operands: &[Operand]) -> Parts {
        let (mut word, size) = self.machine_word(bits, operands[0]);
        let class = word.class();
        if bits != size {
            // A bit above the integer's stops the count where all of its bits are zero.
            let stop = Operand::Integer(class, sign_extend(1 << bits, size));
            word = self.binary(&format!("or.b{size}"), class, word, stop);
        }
        let reversed = self.unary(&format!("brev.b{size}"), class, word);
        let count = self.unary(&format!("clz.b{size}"), Class::B32, reversed);
        self.count_of(count, bits)
    }

    fn reverse_bits(&mut self, _: &str, bits: u32, operands: &[Operand]) -> Parts {
        let (word, size) = self.machine_word(bits, operands[0]);
        let mut reversed = self.unary(&format!("brev.b{size}"), word.class(), word);
        if bits != size {
            let shift = Operand::Integer(Class::B32, i64::from(size - bits));
            reversed = self.binary(&format!("shr.u{size}"), word.class(), reversed, shift);
        }
        Parts::from_iter([self.narrow(reversed, bits)])
    }

    fn swap_bytes(&mut self, _: &str, bits: u32, operands: &[Operand]) -> Parts {
        let (word, _) = self.machine_word(bits, operands[0]);
        if bits <= 32 {
            // The bytes of the integer from the highest down; then zeros, of the second operand.
            let selector = match bits {
                16 => "0x4401",
                24 => "0x4012",
                _ => "0x0123",
            };
            let swapped = self.permuted(word, selector);
            return Parts::from_iter([self.narrow(swapped, bits)]);
        }
        let word = self.in_register(word);
        let (low, high) = (self.register(Class::B32), self.register(Class::B32));
        emit!(self, "mov.b64 {{{low}, {high}}}, {word}");
        let (new_high, new_low) = (
            self.permuted(low.into(), "0x0123"),
            self.permuted(high.into(), "0x0123"),
        );
        let swapped = self.register(Class::B64);
        emit!(self, "mov.b64 {swapped}, {{{new_low}, {new_high}}}");
        if bits == 64 {
            return Parts::from_iter([swapped.into()]);
        }
        let shift = Operand::Integer(Class::B32, i64::from(64 - bits));
        Parts::from_iter([self.binary("shr.u64", Class::B64, swapped.into(), shift)])
    }

    fn permuted(&mut self, word: Operand, selector: &str) -> Operand {
        let result = self.register(Class::B32);
        emit!(self, "prmt.b32 {result}, {word}, 0, {selector}");
        result.into()
    }

    fn absolute(&mut self, _: &str, bits: u32, operands: &[Operand]) -> Parts {
        if bits == 1 {
            return Parts::from_iter([operands[0]]);
        }
        let operand = self.sign_extended(operands[0], bits, Upper::Unknown);
        let class = operand.class();
        Parts::from_iter([self.unary(&format!("abs.s{}", class.bits()), class, operand)])
    }

    fn extremum(&mut self, name: &str, bits: u32, operands: &[Operand]) -> Parts {
        let signed = name.starts_with('s');
        if bits == 1 {
            // True is 1 unsigned and -1 signed.
            let all = signed == (name == "smax");
            let both = self.binary_parts(
                if all { BinaryOp::And } else { BinaryOp::Or },
                Type::BOOL,
                &Parts::from_iter([operands[0]]),
                &Parts::from_iter([operands[1]]),
            );
            return both;
        }
        let (left, right) = self.extended_pair(signed, bits, operands);
        let class = left.class();
        let kind = if signed { 's' } else { 'u' };
        Parts::from_iter([self.binary(&format!("{}.{kind}{}", &name[1..], class.bits()), class, left, right)])
    }

    fn extended_pair(&mut self, signed: bool, bits: u32, operands: &[Operand]) -> (Operand, Operand) {
        if signed {
            (
                self.sign_extended(operands[0], bits, Upper::Unknown),
                self.sign_extended(operands[1], bits, Upper::Unknown),
            )
        } else {
            (
                self.zero_extended(operands[0], bits, Upper::Unknown),
                self.zero_extended(operands[1], bits, Upper::Unknown),
            )
        }
    }

    /// The upper half of `left:right << amount`, or the lower of `left:right >> amount`, the amount modulo the width.
    fn funnel_shift(&mut self, name: &str, bits: u32, operands: &[Operand]) -> Parts {
        let [left, right, amount] = operands[..] else {
            return Parts::new();
        };
        let to_left = name == "fshl";
        if bits == 32 {
            let result = self.register(Class::B32);
            let direction = if to_left { 'l' } else { 'r' };
            emit!(self, "shf.{direction}.wrap.b32 {result}, {right}, {left}, {amount}");
            return Parts::from_iter([result.into()]);
        }
        if bits == 1 {
            // Any amount is a multiple of the width.
            return Parts::from_iter([if to_left { left } else { right }]);
        }
        let amount = self.as_u32(amount, bits, Upper::Unknown);
        let amount = match amount.integer() {
            Some(value) => Operand::Integer(Class::B32, i64::from(value as u32 % bits)),
            None if bits.is_power_of_two() => self.binary(
                "and.b32",
                Class::B32,
                amount,
                Operand::Integer(Class::B32, i64::from(bits - 1)),
            ),
            None => self.binary(
                "rem.u32",
                Class::B32,
                amount,
                Operand::Integer(Class::B32, i64::from(bits)),
            ),
        };
        if bits == 64
            && let Some(amount) = amount.integer()
        {
            // To the right by an amount is to the left by the rest, and by nothing is the lower half itself.
            let result = match (to_left, amount as u32) {
                (true, 0) => left,
                (false, 0) => right,
                (true, amount) => self.funnel_by_constant(left, right, amount),
                (false, amount) => self.funnel_by_constant(left, right, 64 - amount),
            };
            return Parts::from_iter([result]);
        }
        let rest = match amount.integer() {
            Some(value) => Operand::Integer(Class::B32, i64::from(bits) - value),
            None => self.binary(
                "sub.s32",
                Class::B32,
                Operand::Integer(Class::B32, i64::from(bits)),
                amount,
            ),
        };
        // PTX clamps shifts: by the full width nothing is left.
        let right = self.zero_extended(right, bits, Upper::Unknown);
        let class = left.class();
        let size = class.bits();
        let (up, down) = if to_left { (amount, rest) } else { (rest, amount) };
        let high = self.binary(&format!("shl.b{size}"), class, left, up);
        let low = self.binary(&format!("shr.u{size}"), class, right, down);
        Parts::from_iter([self.binary(&format!("or.b{size}"), class, high, low)])
    }

    /// Sums and differences that stay at the ends of the range.
    fn saturating(&mut self, name: &str, bits: u32, operands: &[Operand]) -> Parts {
        let class = Class::of_integer(bits);
        let size = class.bits();
        let (signed, add) = (name.starts_with('s'), name.contains("add"));
        if bits == 1 {
            // Unsigned 1 + 1 is 1 and 0 - 1 is 0; as signed values (0 and -1) the sum saturates alike.
            let not = if add {
                operands[1]
            } else {
                self.predicate_not(operands[1])
            };
            return Parts::from_iter([if add {
                self.predicate_or(operands[0], not)
            } else {
                self.predicate_and(operands[0], not)
            }]);
        }
        if signed && bits == 32 {
            let name = if add { "add" } else { "sub" };
            return Parts::from_iter([self.binary(&format!("{name}.sat.s32"), class, operands[0], operands[1])]);
        }
        let parts = self.with_overflow(
            if add {
                if signed { "sadd" } else { "uadd" }
            } else if signed {
                "ssub"
            } else {
                "usub"
            },
            bits,
            operands,
        );
        let limit = if !signed {
            Operand::Integer(
                class,
                if add {
                    sign_extend(low_mask(bits) as u64, size)
                } else {
                    0
                },
            )
        } else {
            // The sign of the left operand says which end it was: all its bits with the greatest number exchanged.
            let left = self.sign_extended(operands[0], bits, Upper::Unknown);
            let sign = self.binary(
                &format!("shr.s{size}"),
                class,
                left,
                Operand::Integer(Class::B32, i64::from(size - 1)),
            );
            self.binary(
                &format!("xor.b{size}"),
                class,
                sign,
                Operand::Integer(class, low_mask(bits - 1)),
            )
        };
        Parts::from_iter([self.select_part(parts[1], limit, parts[0])])
    }

    /// An operation and whether its result is out of range.
    fn with_overflow(&mut self, name: &str, bits: u32, operands: &[Operand]) -> Parts {
        let class = Class::of_integer(bits);
        let size = class.bits();
        let signed = name.starts_with('s');
        let op = &name[1..4];
        if bits == 1 {
            return self.overflow_of_truth(op, signed, operands);
        }
        let (left, right) = self.extended_pair(signed, bits, operands);
        let kind = if signed { 's' } else { 'u' };
        let mnemonic = if op == "mul" {
            "mul.lo".to_owned()
        } else {
            op.to_owned()
        };
        // The product of two narrow integers may need a wider register.
        if op == "mul" && bits != size && bits * 2 > size {
            let wide = if bits <= 32 { Class::B64 } else { Class::B128 };
            if wide == Class::B128 {
                self.unsupported(format_args!("the overflow of a product of {bits} bits"));
                return Parts::from_iter([left, Operand::Integer(Class::Predicate, 0)]);
            }
            let (left, right) = (
                self.widen(left, size, signed, Upper::Unknown, wide),
                self.widen(right, size, signed, Upper::Unknown, wide),
            );
            let product = self.binary("mul.lo.s64", wide, left, right);
            let out = self.out_of_range(signed, bits, product);
            return Parts::from_iter([self.narrow(product, size), out]);
        }
        let result = self.binary(
            &format!("{mnemonic}.{}{size}", if op == "mul" { kind } else { 's' }),
            class,
            left,
            right,
        );
        if bits != size {
            let out = match (op, signed) {
                ("sub", false) => {
                    self.compare_integers(IntPredicate::Ult, size, (left, Upper::Unknown), (right, Upper::Unknown))
                }
                _ => self.out_of_range(signed, bits, result),
            };
            return Parts::from_iter([result, out]);
        }
        let out = match (op, signed) {
            ("add", false) => self.compare_integers(
                IntPredicate::Ult,
                bits,
                (result, Upper::Unknown),
                (left, Upper::Unknown),
            ),
            ("sub", false) => {
                self.compare_integers(IntPredicate::Ult, bits, (left, Upper::Unknown), (right, Upper::Unknown))
            }
            ("mul", _) => {
                let high = self.binary(&format!("mul.hi.{kind}{size}"), class, left, right);
                let expected = if signed {
                    let last = Operand::Integer(Class::B32, i64::from(size - 1));
                    self.binary(&format!("shr.s{size}"), class, result, last)
                } else {
                    Operand::Integer(class, 0)
                };
                self.compare_integers(
                    IntPredicate::Ne,
                    bits,
                    (high, Upper::Unknown),
                    (expected, Upper::Unknown),
                )
            }
            _ => {
                // Signs: of a sum both operands differ from the result; of a difference the left from both.
                let other = if op == "add" { right } else { result };
                let (first, second) = if op == "add" { (left, result) } else { (left, right) };
                let a = self.binary(&format!("xor.b{size}"), class, first, second);
                let b = if op == "add" {
                    self.binary(&format!("xor.b{size}"), class, other, result)
                } else {
                    self.binary(&format!("xor.b{size}"), class, left, other)
                };
                let both = self.binary(&format!("and.b{size}"), class, a, b);
                self.compare_integers(
                    IntPredicate::Slt,
                    bits,
                    (both, Upper::Unknown),
                    (Operand::Integer(class, 0), Upper::Unknown),
                )
            }
        };
        Parts::from_iter([result, out])
    }

    fn overflow_of_truth(&mut self, op: &str, signed: bool, operands: &[Operand]) -> Parts {
        let (left, right) = (operands[0], operands[1]);
        let both = self.predicate_and(left, right);
        match op {
            "mul" => Parts::from_iter([
                both,
                if signed {
                    both
                } else {
                    Operand::Integer(Class::Predicate, 0)
                },
            ]),
            "add" => Parts::from_iter([self.predicate_xor(left, right), both]),
            _ => {
                let result = self.predicate_xor(left, right);
                let not = self.predicate_not(left);
                Parts::from_iter([result, self.predicate_and(not, right)])
            }
        }
    }

    /// Whether a value in a wider register is outside of the range of `bits`.
    fn out_of_range(&mut self, signed: bool, bits: u32, value: Operand) -> Operand {
        let size = value.class().bits();
        let inside = if signed {
            self.sign_extended(value, bits, Upper::Unknown)
        } else {
            self.zero_extended(value, bits, Upper::Unknown)
        };
        self.compare_integers(
            IntPredicate::Ne,
            size,
            (value, Upper::Unknown),
            (inside, Upper::Unknown),
        )
    }

    /// The same for integers of more than 64 bits, where it is made of operations on words.
    fn wide_intrinsic(&mut self, name: &str, bits: u32, arguments: &[Parts]) -> Parts {
        let ty = Type::Int(bits);
        match name {
            "ctpop" => {
                let words = self.wide_extended(&arguments[0], bits, false);
                let counts: Vec<Operand> = words
                    .iter()
                    .map(|word| self.unary("popc.b64", Class::B32, *word))
                    .collect();
                let sum = counts
                    .into_iter()
                    .reduce(|a, b| self.binary("add.s32", Class::B32, a, b));
                self.wide_count(sum, bits)
            }
            "bswap" | "bitreverse" if bits.is_multiple_of(64) => {
                let words: Parts = arguments[0].iter().rev().copied().collect();
                words
                    .into_iter()
                    .map(|word| {
                        if name == "bswap" {
                            self.swap_bytes(name, 64, &[word])[0]
                        } else {
                            self.reverse_bits(name, 64, &[word])[0]
                        }
                    })
                    .collect()
            }
            "ctlz" | "cttz" if bits == 128 => {
                let (first, second) = if name == "ctlz" { (1, 0) } else { (0, 1) };
                let count = |lowering: &mut Self, word: Operand| {
                    if name == "ctlz" {
                        lowering.count_leading_zeros(name, 64, &[word])[0]
                    } else {
                        lowering.count_trailing_zeros(name, 64, &[word])[0]
                    }
                };
                let near = count(self, arguments[0][first]);
                let far = count(self, arguments[0][second]);
                let beyond = self.binary("add.s64", Class::B64, far, Operand::Integer(Class::B64, 64));
                let zero = Operand::Integer(Class::B64, 0);
                let empty = self.compare_integers(
                    IntPredicate::Eq,
                    64,
                    (arguments[0][first], Upper::Unknown),
                    (zero, Upper::Unknown),
                );
                Parts::from_iter([self.select_part(empty, beyond, near), zero])
            }
            "abs" => {
                let words = self.wide_extended(&arguments[0], bits, true);
                self.wide_absolute(&words).0
            }
            "smin" | "smax" | "umin" | "umax" => {
                let predicate = match name {
                    "smin" => IntPredicate::Slt,
                    "smax" => IntPredicate::Sgt,
                    "umin" => IntPredicate::Ult,
                    _ => IntPredicate::Ugt,
                };
                let keep = self.wide_compare(predicate, bits, &arguments[0], &arguments[1]);
                arguments[0]
                    .iter()
                    .zip(&arguments[1])
                    .map(|(a, b)| self.select_part(keep, *a, *b))
                    .collect()
            }
            "uadd.with.overflow" | "usub.with.overflow" if bits == 128 => {
                let op = if name.starts_with("uadd") {
                    BinaryOp::Add
                } else {
                    BinaryOp::Sub
                };
                let mut result = self.wide_binary(op, bits, &arguments[0], &arguments[1]);
                let out = if op == BinaryOp::Add {
                    self.wide_compare(IntPredicate::Ult, bits, &result, &arguments[0])
                } else {
                    self.wide_compare(IntPredicate::Ult, bits, &arguments[0], &arguments[1])
                };
                result.push(out);
                result
            }
            "fshl" | "fshr" if bits == 128 => {
                let amount = self.binary(
                    "and.b64",
                    Class::B64,
                    arguments[2][0],
                    Operand::Integer(Class::B64, 127),
                );
                let rest = self.binary("sub.s64", Class::B64, Operand::Integer(Class::B64, 128), amount);
                let zero = Operand::Integer(Class::B64, 0);
                let (up, down) = if name == "fshl" { (amount, rest) } else { (rest, amount) };
                let high = self.wide_binary(BinaryOp::Shl, bits, &arguments[0], &Parts::from_iter([up, zero]));
                let low = self.wide_binary(BinaryOp::LShr, bits, &arguments[1], &Parts::from_iter([down, zero]));
                self.wide_binary(BinaryOp::Or, bits, &high, &low)
            }
            _ => {
                self.unsupported(format_args!("the intrinsic llvm.{name} of integers of {bits} bits"));
                self.zeros(ty)
            }
        }
    }

    fn wide_count(&mut self, count: Option<Operand>, bits: u32) -> Parts {
        let count = count.unwrap_or(Operand::Integer(Class::B32, 0));
        let mut words = Parts::from_iter([self.widen(count, 32, false, Upper::Zeros, Class::B64)]);
        words.resize(bits.div_ceil(64) as usize, Operand::Integer(Class::B64, 0));
        words
    }

    /// Float to integer with the ends of the range for what is out of it: what PTX's conversion does.
    fn lower_saturating_conversion(&mut self, id: InstructionId, call: &Call, name: &str) {
        let ty = self.body.result_type(id);
        let (from, Some(bits)) = (self.type_of(call.arguments[0]), ty.int_bits()) else {
            return self.unsupported(format_args!("llvm.{name} of vectors"));
        };
        if !matches!(bits, 8 | 16 | 32 | 64) {
            return self.unsupported(format_args!("llvm.{name} to {bits} bits"));
        }
        let kind = if name == "fptosi.sat" { 's' } else { 'u' };
        let operand = self.operand(call.arguments[0]);
        let (operand, source) = match from {
            Type::BFloat => (self.promoted(crate::parts::Scalar::BFloat, operand), "f32"),
            Type::Half => (operand, "f16"),
            Type::Double => (operand, "f64"),
            _ => (operand, "f32"),
        };
        let operand = self.in_register(operand);
        let ftz = if source == "f32" { self.mode.ftz() } else { "" };
        let result = self.define_register(id);
        emit!(self, "cvt.rzi{ftz}.{kind}{bits}.{source} {result}, {operand}");
    }

    fn lower_rounding_conversion(&mut self, id: InstructionId, call: &Call) {
        let bits = self.body.result_type(id).int_bits().unwrap_or(64);
        let source = match self.type_of(call.arguments[0]) {
            Type::Double => "f64",
            Type::Float => "f32",
            _ => return self.unsupported("llvm.lrint of this type"),
        };
        let operand = self.operand_register(call.arguments[0]);
        let result = self.define_register(id);
        emit!(self, "cvt.rni.s{bits}.{source} {result}, {operand}");
    }

    /// `llvm.is.fpclass`: the bits as an integer, compared with where the classes begin.
    fn lower_class_test(&mut self, id: InstructionId, call: &Call) {
        let ty = self.type_of(call.arguments[0]);
        let (class, exponent, fraction) = match ty {
            Type::Half => (Class::B16, 5, 10),
            Type::BFloat => (Class::B16, 8, 7),
            Type::Float => (Class::B32, 8, 23),
            Type::Double => (Class::B64, 11, 52),
            _ => return self.unsupported("llvm.is.fpclass of vectors"),
        };
        let Some(mask) = self.operand(call.arguments[1]).integer() else {
            return self.unsupported("llvm.is.fpclass with classes that are no constant");
        };
        let operand = self.operand(call.arguments[0]);
        let bits = self.retyped(operand, class);
        let size = class.bits();
        let constant = |value: i64| Operand::Integer(class, sign_extend(value as u64, size));
        let magnitude = self.binary(&format!("and.b{size}"), class, bits, constant(low_mask(size - 1)));
        let infinity = ((1i64 << exponent) - 1) << fraction;
        let quiet = infinity | 1 << (fraction - 1);
        let normal = 1i64 << fraction;
        let at_least = |lowering: &mut Self, limit: i64| {
            lowering.compare_integers(
                IntPredicate::Uge,
                size,
                (magnitude, Upper::Unknown),
                (constant(limit), Upper::Unknown),
            )
        };
        let negative = self.compare_integers(
            IntPredicate::Slt,
            size,
            (bits, Upper::Unknown),
            (constant(0), Upper::Unknown),
        );
        // Bounds of the classes by magnitude, and their bits in the mask: positive, negative (the same for NaN).
        let classes = [
            (0, 1, 1 << 6, 1 << 5),
            (1, normal, 1 << 7, 1 << 4),
            (normal, infinity, 1 << 8, 1 << 3),
            (infinity, infinity + 1, 1 << 9, 1 << 2),
            (infinity + 1, quiet, 1, 1),
            (quiet, i64::MAX, 2, 2),
        ];
        let mut result = Operand::Integer(Class::Predicate, 0);
        for (first, end, positive, other) in classes {
            let (plus, minus) = (mask & positive != 0, mask & other != 0);
            if !plus && !minus {
                continue;
            }
            let above = at_least(self, first);
            let mut inside = if end == i64::MAX {
                above
            } else {
                let beyond = at_least(self, end);
                let below = self.predicate_not(beyond);
                self.predicate_and(above, below)
            };
            if plus != minus {
                let sign = if minus { negative } else { self.predicate_not(negative) };
                inside = self.predicate_and(inside, sign);
            }
            result = self.predicate_or(result, inside);
        }
        self.define_one(id, result);
    }
}
