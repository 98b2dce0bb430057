//! Conversions.

use warpsmith_ir::{AddressSpace, CastOp, InstructionId, Type, Value};

use crate::function::{Lowering, Upper, emit, zero};
use crate::needed::upper_half;
use crate::parts::{Scalar, scalar};
use crate::register::{Class, Operand, Parts, Register};
use crate::value::space_suffix;

impl Lowering<'_> {
    /// A conversion.
    pub(crate) fn lower_cast(&mut self, id: InstructionId, op: CastOp, operand: Value) {
        // The load that it extends has done it.
        if !self.values[id.index()].is_empty() {
            return;
        }
        let (from, to) = (self.type_of(operand), self.body.result_type(id));
        if let Some(whole) = upper_half(self.body, id) {
            let whole = self.operand(whole);
            let whole = self.in_register(whole);
            let size = whole.class.bits();
            let half = Class::of_integer(size / 2);
            let (low, high) = (self.register(half), self.register(half));
            emit!(self, "mov.b{size} {{{low}, {high}}}, {whole}");
            return self.define_one(id, high);
        }
        let parts = self.parts(operand);
        let (result, upper) = self.cast_parts(op, from, to, &parts, self.upper_of(operand));
        self.upper[id.index()] = upper;
        self.define(id, result);
    }

    /// A conversion by parts, with what is known of the upper bits of operand and result.
    pub(crate) fn cast_parts(
        &mut self,
        op: CastOp,
        from: Type,
        to: Type,
        parts: &Parts,
        upper: Upper,
    ) -> (Parts, Upper) {
        if op == CastOp::BitCast {
            return (self.bitcast(from, to, parts), Upper::Unknown);
        }
        if let (Type::Vector(source), Type::Vector(target)) = (from, to) {
            let (source, target) = (
                self.context.vector_parts(source).element,
                self.context.vector_parts(target).element,
            );
            if let Some(pairs) = self.round_to_pairs(op, source, target, parts) {
                return (pairs, Upper::Unknown);
            }
            let elements = self.elements(from, parts);
            let lanes: Vec<Parts> = elements
                .iter()
                .map(|lane| self.cast_parts(op, source, target, lane, Upper::Unknown).0)
                .collect();
            return (self.assemble(to, &lanes), Upper::Unknown);
        }
        match op {
            CastOp::Trunc => (self.truncate(to, parts), Upper::Unknown),
            CastOp::ZExt | CastOp::SExt => self.extend(op == CastOp::SExt, from, to, parts, upper),
            CastOp::FPTrunc | CastOp::FPExt => (self.resize_float(from, to, parts[0]), Upper::Unknown),
            CastOp::FPToSI | CastOp::FPToUI => (
                self.float_to_integer(op == CastOp::FPToSI, from, to, parts[0]),
                Upper::Unknown,
            ),
            CastOp::SIToFP | CastOp::UIToFP => (
                self.integer_to_float(op == CastOp::SIToFP, from, to, parts, upper),
                Upper::Unknown,
            ),
            CastOp::PtrToInt => {
                let bits = to.int_bits().unwrap_or(64);
                if bits > 64 {
                    return self.extend(false, Type::I64, to, parts, upper);
                }
                let class = parts[0].class();
                let operand = if bits > class.bits() {
                    self.widen(parts[0], class.bits(), false, upper, Class::of_integer(bits))
                } else {
                    self.narrow(parts[0], bits)
                };
                (Parts::from_iter([operand]), Upper::Unknown)
            }
            CastOp::IntToPtr => {
                let bits = from.int_bits().unwrap_or(64).min(64);
                let class = scalar(to).map_or(Class::B64, Scalar::class);
                let operand = if bits < class.bits() || bits < parts[0].class().bits() && bits < 64 {
                    self.widen(parts[0], bits, false, upper, class)
                } else {
                    self.narrow(parts[0], class.bits())
                };
                (Parts::from_iter([operand]), Upper::Unknown)
            }
            CastOp::AddrSpaceCast => (self.cast_space(from, to, parts[0]), Upper::Unknown),
            CastOp::BitCast => (parts.clone(), Upper::Unknown),
        }
    }

    fn truncate(&mut self, to: Type, parts: &Parts) -> Parts {
        let bits = to.int_bits().unwrap_or(64);
        if bits <= 64 {
            return Parts::from_iter([self.narrow(parts[0], bits)]);
        }
        parts[..bits.div_ceil(64) as usize].into()
    }

    fn extend(&mut self, signed: bool, from: Type, to: Type, parts: &Parts, upper: Upper) -> (Parts, Upper) {
        let (Some(narrow), Some(bits)) = (from.int_bits(), to.int_bits()) else {
            return (parts.clone(), upper);
        };
        let known = if signed { Upper::Signs } else { Upper::Zeros };
        if bits <= 64 {
            return (
                Parts::from_iter([self.widen(parts[0], narrow, signed, upper, Class::of_integer(bits))]),
                known,
            );
        }
        let mut words = if narrow <= 64 {
            Parts::from_iter([self.widen(parts[0], narrow, signed, upper, Class::B64)])
        } else {
            self.wide_extended(parts, narrow, signed)
        };
        let fill = match words.last() {
            Some(&last) if signed => {
                let fill = self.register(Class::B64);
                let last = self.in_register(last);
                emit!(self, "shr.s64 {fill}, {last}, 63");
                fill.into()
            }
            _ => zero(Class::B64),
        };
        words.resize(bits.div_ceil(64) as usize, fill);
        (words, Upper::Unknown)
    }

    /// A change of the size of a float.
    pub(crate) fn resize_float(&mut self, from: Type, to: Type, operand: Operand) -> Parts {
        let ftz = self.mode.ftz();
        let result = match (from, to) {
            (Type::Half | Type::BFloat, Type::Float) => {
                let kind = if from == Type::Half {
                    Scalar::Half
                } else {
                    Scalar::BFloat
                };
                self.promoted(kind, operand)
            }
            (Type::Float, Type::Half | Type::BFloat) => {
                let kind = if to == Type::Half { Scalar::Half } else { Scalar::BFloat };
                self.demoted(kind, operand)
            }
            (Type::BFloat, Type::Double) => {
                let single = self.promoted(Scalar::BFloat, operand);
                return self.resize_float(Type::Float, to, single);
            }
            (Type::Half, Type::Double) => self.convert("cvt.f64.f16", Class::F64, operand),
            (Type::Float, Type::Double) => self.convert(&format!("cvt{ftz}.f64.f32"), Class::F64, operand),
            (Type::Double, Type::Float) => self.convert(&format!("cvt.rn{ftz}.f32.f64"), Class::F32, operand),
            (Type::Double, Type::Half) => self.convert("cvt.rn.f16.f64", Class::B16, operand),
            (Type::Double, Type::BFloat) => self.double_to_bfloat(operand),
            _ => operand,
        };
        Parts::from_iter([result])
    }

    fn convert(&mut self, mnemonic: &str, class: Class, operand: Operand) -> Operand {
        let operand = self.in_register(operand);
        let result = self.register(class);
        emit!(self, "{mnemonic} {result}, {operand}");
        result.into()
    }

    /// A double rounded once to bfloat16: first to a single towards odd, which keeps whether anything was lost.
    fn double_to_bfloat(&mut self, operand: Operand) -> Operand {
        let operand = self.in_register(operand);
        let (single, sticky) = (self.register(Class::F32), self.register(Class::F32));
        let back = self.register(Class::F64);
        let inexact = self.register(Class::Predicate);
        let bits: [Register; 3] = std::array::from_fn(|_| self.register(Class::B32));
        let [plain, odd, chosen] = bits;
        emit!(self, "cvt.rz.f32.f64 {single}, {operand}");
        emit!(self, "cvt.f64.f32 {back}, {single}");
        emit!(self, "setp.ne.f64 {inexact}, {back}, {operand}");
        emit!(self, "mov.b32 {plain}, {single}");
        emit!(self, "or.b32 {odd}, {plain}, 1");
        emit!(self, "selp.b32 {chosen}, {odd}, {plain}, {inexact}");
        emit!(self, "mov.b32 {sticky}, {chosen}");
        self.demoted(Scalar::BFloat, sticky.into())
    }

    /// Two singles rounded to a pair by one instruction, where the target has it.
    fn round_to_pairs(&mut self, op: CastOp, from: Type, to: Type, parts: &Parts) -> Option<Parts> {
        let ty = match to {
            Type::Half => "f16x2",
            Type::BFloat => "bf16x2",
            _ => return None,
        };
        if op != CastOp::FPTrunc || from != Type::Float || self.scope.target < 80 || !parts.len().is_multiple_of(2) {
            return None;
        }
        let pairs = parts.chunks(2).map(|pair| {
            let result = self.register(Class::B32);
            // The first source goes to the upper half.
            emit!(self, "cvt.rn.{ty}.f32 {result}, {}, {}", pair[1], pair[0]);
            result.into()
        });
        Some(pairs.collect())
    }

    fn float_to_integer(&mut self, signed: bool, from: Type, to: Type, operand: Operand) -> Parts {
        let bits = to.int_bits().unwrap_or(64);
        if bits > 128 {
            self.unsupported("a conversion of a float to an integer of more than 128 bits");
            return self.zeros(to);
        } else if bits > 64 {
            return self.float_to_wide(signed, from, operand);
        }
        let (operand, source) = match from {
            Type::BFloat => (self.promoted(Scalar::BFloat, operand), "f32"),
            Type::Half => (operand, "f16"),
            Type::Double => (operand, "f64"),
            _ => (operand, "f32"),
        };
        let operand = self.in_register(operand);
        let class = if bits == 1 { Class::B16 } else { Class::of_integer(bits) };
        let ftz = if source == "f32" { self.mode.ftz() } else { "" };
        let kind = if signed { 's' } else { 'u' };
        let result = self.register(class);
        emit!(self, "cvt.rzi{ftz}.{kind}{}.{source} {result}, {operand}", class.bits());
        let result = if bits == 1 {
            self.low_bit(result.into())
        } else {
            result.into()
        };
        Parts::from_iter([result])
    }

    fn integer_to_float(&mut self, signed: bool, from: Type, to: Type, parts: &Parts, upper: Upper) -> Parts {
        let bits = from.int_bits().unwrap_or(64);
        if bits > 128 {
            self.unsupported("a conversion of an integer of more than 128 bits to a float");
            return self.zeros(to);
        } else if bits > 64 {
            return self.wide_to_float(signed, bits, to, parts);
        }
        let target = match to {
            Type::Half => "f16",
            Type::Double => "f64",
            // Through single precision, rounded twice only where the integer has more than 24 bits.
            _ => "f32",
        };
        let class = scalar(to).map_or(Class::F32, Scalar::class);
        let kind = if signed { 's' } else { 'u' };
        let (operand, size) = match bits {
            1 => (self.widen(parts[0], 1, signed, upper, Class::B32), 32),
            8 => (self.in_register(parts[0]).into(), 8),
            _ => {
                let extended = self.widen(parts[0], bits, signed, upper, Class::of_integer(bits));
                (extended, extended.class().bits())
            }
        };
        let operand = self.in_register(operand);
        let result = self.register(if to == Type::BFloat { Class::F32 } else { class });
        emit!(self, "cvt.rn.{target}.{kind}{size} {result}, {operand}");
        let result = if to == Type::BFloat {
            self.demoted(Scalar::BFloat, result.into())
        } else {
            result.into()
        };
        Parts::from_iter([result])
    }

    /// A conversion between generic addresses and those of a state space.
    fn cast_space(&mut self, from: Type, to: Type, operand: Operand) -> Parts {
        let (source, target) = (
            from.address_space().unwrap_or(AddressSpace::GENERIC),
            to.address_space().unwrap_or(AddressSpace::GENERIC),
        );
        let result = match (source, target) {
            _ if source == target => operand,
            (AddressSpace::GENERIC, _) => {
                let operand = self.in_register(operand);
                let result = self.register(Class::B64);
                emit!(self, "cvta.to{}.u64 {result}, {operand}", space_suffix(target));
                result.into()
            }
            (_, AddressSpace::GENERIC) => {
                let operand = self.in_register(operand);
                let result = self.register(Class::B64);
                emit!(self, "cvta{}.u64 {result}, {operand}", space_suffix(source));
                result.into()
            }
            // A block's own shared memory is part of the cluster's, at the same addresses.
            (AddressSpace::SHARED, AddressSpace::SHARED_CLUSTER) => operand,
            _ => {
                self.unsupported(format_args!("a cast from address space {} to {}", source.0, target.0));
                operand
            }
        };
        Parts::from_iter([result])
    }
}
