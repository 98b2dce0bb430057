//! Constants as operands, and integers with their upper bits in order.

use warpsmith_ir::{AddressSpace, Constant, ConstantExpression, ConstantId, Type, Value};

use crate::function::{Lowering, Upper, emit, zero};
use crate::global::{Symbolic, symbolic};
use crate::parts::{Scalar, scalar};
use crate::register::{Class, Operand, Parts, Register};

impl Lowering<'_> {
    /// The parts of a constant. Addresses of symbols get a register.
    pub(crate) fn constant(&mut self, id: ConstantId) -> Parts {
        let context = self.context;
        let ty = context.constant_type(id);
        match context.constant(id) {
            Constant::Int(value) => {
                let parts = self.flatten(ty);
                let words = value.words();
                parts
                    .iter()
                    .enumerate()
                    .map(|(number, part)| {
                        let word = words.get(number).copied().unwrap_or(0);
                        Operand::Integer(part.class, sign_extend(word, part.scalar.bits()))
                    })
                    .collect()
            }
            Constant::Float { ty, bits } => Parts::from_iter([float_operand(*ty, *bits)]),
            Constant::Null(_) => Parts::from_iter([zero(scalar(ty).map_or(Class::B64, Scalar::class))]),
            Constant::Zero(_) | Constant::Undef(_) | Constant::Poison(_) => self.zeros(ty),
            Constant::Aggregate { elements, .. } => self.aggregate_constant(ty, elements),
            Constant::Bytes { bytes, .. } => bytes
                .iter()
                .map(|&byte| Operand::Integer(Class::B16, i64::from(byte as i8)))
                .collect(),
            Constant::Global { .. } | Constant::Function(_) | Constant::Alias { .. } | Constant::Expression(_) => {
                self.address_constant(id)
            }
            Constant::Block { .. } => {
                self.unsupported("the address of a block");
                self.zeros(ty)
            }
            Constant::Metadata(_) | Constant::NoToken => Parts::new(),
        }
    }

    fn aggregate_constant(&mut self, ty: Type, elements: &[ConstantId]) -> Parts {
        let packed = match ty {
            Type::Vector(vector) => {
                let data = self.context.vector_parts(vector);
                crate::parts::is_packed(data.element, data.length)
            }
            _ => false,
        };
        let parts: Parts = elements.iter().flat_map(|&element| self.constant(element)).collect();
        if !packed {
            return parts;
        }
        parts
            .chunks(2)
            .map(|pair| match pair {
                [Operand::Integer(_, low), Operand::Integer(_, high)] => {
                    let bits = (*low as u16 as u32) | (*high as u16 as u32) << 16;
                    Operand::Integer(Class::B32, i64::from(bits as i32))
                }
                [low, high] => {
                    let pair = self.register(Class::B32);
                    let (low, high) = (self.in_register(*low), self.in_register(*high));
                    emit!(self, "mov.b32 {pair}, {{{low}, {high}}}");
                    Operand::Register(pair)
                }
                _ => zero(Class::B32),
            })
            .collect()
    }

    /// The address that a constant is, in a register.
    fn address_constant(&mut self, id: ConstantId) -> Parts {
        if let Some(register) = self.symbols_in_registers.get(&id) {
            return Parts::from_iter([Operand::Register(*register)]);
        }
        let parts = match symbolic(self.scope, id) {
            Some(symbol) => Parts::from_iter([Operand::Register(self.symbol_address(&symbol))]),
            None => self.computed_constant(id),
        };
        if let [Operand::Register(register)] = parts[..] {
            self.symbols_in_registers.insert(id, register);
        }
        parts
    }

    /// The address of a symbol in a register.
    pub(crate) fn symbol_address(&mut self, symbol: &Symbolic) -> Register {
        let register = self.register(Class::B64);
        let Symbolic { name, offset, .. } = symbol;
        match offset {
            0 => emit!(self, "mov.u64 {register}, {name}"),
            _ => emit!(self, "mov.u64 {register}, {name}+{offset}"),
        }
        if !symbol.generic {
            return register;
        }
        let generic = self.register(Class::B64);
        emit!(self, "cvta{}.u64 {generic}, {register}", space_suffix(symbol.space));
        generic
    }

    /// A constant expression computed at run time.
    fn computed_constant(&mut self, id: ConstantId) -> Parts {
        let ty = self.context.constant_type(id);
        let Constant::Expression(expression) = self.context.constant(id) else {
            return self.zeros(ty);
        };
        match expression.clone() {
            ConstantExpression::Cast { op, operand, .. } => {
                let from = self.context.constant_type(operand);
                let parts = self.constant(operand);
                self.cast_parts(op, from, ty, &parts, Upper::Unknown).0
            }
            ConstantExpression::Binary { op, left, right } => {
                let (left, right) = (self.constant(left), self.constant(right));
                self.binary_parts(op, ty, &left, &right)
            }
            ConstantExpression::Gep {
                source, base, indices, ..
            } => {
                let Some(offset) = crate::global::constant_offset(self.context, source, &indices) else {
                    self.unsupported("a constant address with an index that is no number");
                    return self.zeros(ty);
                };
                let base = self.constant(base);
                let result = self.register(Class::B64);
                let base = base.first().copied().unwrap_or(zero(Class::B64));
                emit!(self, "add.s64 {result}, {base}, {offset}");
                Parts::from_iter([Operand::Register(result)])
            }
        }
    }

    /// What is known of the upper bits of a value's register.
    pub(crate) fn upper_of(&self, value: Value) -> Upper {
        match value {
            Value::Instruction(id) => self.upper[id.index()],
            // Loaded by `ld.param.u8` and the like.
            Value::Argument(_) => Upper::Zeros,
            Value::Constant(_) => Upper::Unknown,
        }
    }

    /// An integer of `bits` with zeros above them in its register.
    pub(crate) fn zero_extended(&mut self, operand: Operand, bits: u32, upper: Upper) -> Operand {
        let class = operand.class();
        if class == Class::Predicate || bits >= class.bits() {
            return operand;
        }
        if let Operand::Integer(class, value) = operand {
            return Operand::Integer(class, value & low_mask(bits));
        }
        if upper == Upper::Zeros {
            return operand;
        }
        let result = self.register(class);
        emit!(
            self,
            "and.{} {result}, {operand}, {}",
            class.bits_type(),
            low_mask(bits)
        );
        result.into()
    }

    /// An integer of `bits` with copies of its sign above them in its register.
    pub(crate) fn sign_extended(&mut self, operand: Operand, bits: u32, upper: Upper) -> Operand {
        let class = operand.class();
        if class == Class::Predicate || bits >= class.bits() || upper == Upper::Signs {
            return operand;
        }
        if let Operand::Integer(class, value) = operand {
            return Operand::Integer(class, sign_extend(value as u64, bits));
        }
        let result = self.register(class);
        let size = class.bits();
        match bits {
            8 | 16 | 32 => emit!(self, "cvt.s{size}.s{bits} {result}, {operand}"),
            _ => {
                let shift = size - bits;
                let raised = self.register(class);
                emit!(self, "shl.b{size} {raised}, {operand}, {shift}");
                emit!(self, "shr.s{size} {result}, {raised}, {shift}");
            }
        }
        result.into()
    }

    /// A 32-bit register or constant with the unsigned value of an integer of any width up to 64; larger values lose their upper bits.
    pub(crate) fn as_u32(&mut self, operand: Operand, bits: u32, upper: Upper) -> Operand {
        if let Some(value) = operand.integer() {
            return Operand::Integer(Class::B32, i64::from((value & low_mask(bits)) as u32 as i32));
        }
        match operand.class() {
            Class::Predicate => {
                let result = self.register(Class::B32);
                emit!(self, "selp.u32 {result}, 1, 0, {operand}");
                result.into()
            }
            Class::B16 => {
                let operand = self.zero_extended(operand, bits, upper);
                let result = self.register(Class::B32);
                emit!(self, "cvt.u32.u16 {result}, {operand}");
                result.into()
            }
            Class::B64 => {
                let operand = self.zero_extended(operand, bits, upper);
                let result = self.register(Class::B32);
                emit!(self, "cvt.u32.u64 {result}, {operand}");
                result.into()
            }
            _ => self.zero_extended(operand, bits, upper),
        }
    }
}

/// `value` with the bit below `bits` copied to all above.
pub(crate) fn sign_extend(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// The lowest `bits` set.
pub(crate) fn low_mask(bits: u32) -> i64 {
    if bits >= 64 { -1 } else { ((1u64 << bits) - 1) as i64 }
}

/// A float constant as an operand: halves are integers in 16-bit registers.
pub(crate) fn float_operand(ty: Type, bits: u64) -> Operand {
    match ty {
        Type::Float => Operand::Single(bits as u32),
        Type::Double => Operand::Double(bits),
        _ => Operand::Integer(Class::B16, i64::from(bits as u16 as i16)),
    }
}

/// `.global` and so on; nothing for generic addresses.
pub(crate) fn space_suffix(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::GLOBAL => ".global",
        AddressSpace::SHARED => ".shared",
        AddressSpace::CONSTANT => ".const",
        AddressSpace::LOCAL => ".local",
        AddressSpace::SHARED_CLUSTER => ".shared::cluster",
        AddressSpace::PARAMETER => ".param",
        _ => "",
    }
}
