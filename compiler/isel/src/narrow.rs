//! Shared memory is smaller than 4 GiB, and its addresses begin at zero: where an address in it is used for nothing but accesses, 32 bits of it do. They cost half.

use warpsmith_ir::{AddressSpace, BinaryOp, CastOp, Function, Instruction, InstructionId, Type, Value};

use crate::function::{Lowering, Upper, emit};
use crate::global::symbolic;
use crate::needed::{constant_gep, constant_index, gep_terms};
use crate::register::{Class, Operand, Register};

/// How deep an index is taken apart.
const DEPTH: u32 = 6;

/// Whether an address computation in shared memory is used for nothing but accesses, itself or by way of others of its kind.
pub(crate) fn is_narrow(body: &Function, id: InstructionId) -> bool {
    matches!(body.instruction(id), Instruction::Gep { .. })
        && body.result_type(id) == Type::Pointer(AddressSpace::SHARED)
        && used_narrow(body, id, 0)
}

fn used_narrow(body: &Function, id: InstructionId, depth: u32) -> bool {
    let this = Value::Instruction(id);
    depth < DEPTH
        && body.users(this).into_iter().all(|user| match body.instruction(user) {
            Instruction::Load { .. } => true,
            Instruction::Store { value, .. } | Instruction::AtomicRmw { value, .. } => *value != this,
            Instruction::CompareExchange { expected, new, .. } => *expected != this && *new != this,
            Instruction::Gep { .. } => {
                body.result_type(user) == Type::Pointer(AddressSpace::SHARED) && used_narrow(body, user, depth + 1)
            }
            _ => false,
        })
}

/// The low 32 bits of an index, as what they are computed from.
pub(crate) enum Low {
    /// A constant.
    Constant(i64),
    /// A value of 32 bits.
    Word(Value),
    /// A value of another width, of which the low bits are taken.
    Other(Value),
    /// An operation on 32 bits instead of 64.
    Operation(BinaryOp, Box<Low>, Box<Low>),
}

impl Low {
    /// Takes an index apart.
    pub(crate) fn of(body: &Function, value: Value) -> Low {
        Low::within(body, value, 0)
    }

    fn within(body: &Function, value: Value, depth: u32) -> Low {
        if let Some(constant) = constant_index(body.context(), value) {
            return Low::Constant(constant);
        }
        if body.type_of(value) == Type::I32 {
            return Low::Word(value);
        }
        let Some(id) = value.as_instruction().filter(|_| body.type_of(value) == Type::I64) else {
            return Low::Other(value);
        };
        match body.instruction(id) {
            Instruction::Cast {
                op: CastOp::SExt | CastOp::ZExt,
                operand,
                ..
            } if body.type_of(*operand) == Type::I32 => Low::Word(*operand),
            // With a constant it is cheap enough to be computed once more.
            Instruction::Binary { op, left, right, .. }
                if depth < DEPTH && (body.use_count(value) == 1 || right.as_constant().is_some()) =>
            {
                let fits = match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And => true,
                    BinaryOp::Shl => {
                        constant_index(body.context(), *right).is_some_and(|amount| (0..32).contains(&amount))
                    }
                    _ => false,
                };
                if !fits {
                    return Low::Other(value);
                }
                let (left, right) = (
                    Low::within(body, *left, depth + 1),
                    Low::within(body, *right, depth + 1),
                );
                if left.has_word() || right.has_word() {
                    Low::Operation(*op, Box::new(left), Box::new(right))
                } else {
                    Low::Other(value)
                }
            }
            _ => Low::Other(value),
        }
    }

    fn has_word(&self) -> bool {
        match self {
            Low::Word(_) => true,
            Low::Constant(_) | Low::Other(_) => false,
            Low::Operation(_, left, right) => left.has_word() || right.has_word(),
        }
    }

    /// Calls `read` with the values that it is computed from.
    pub(crate) fn for_each_value(&self, read: &mut dyn FnMut(Value)) {
        match self {
            Low::Constant(_) => {}
            Low::Word(value) | Low::Other(value) => read(*value),
            Low::Operation(_, left, right) => {
                left.for_each_value(read);
                right.for_each_value(read);
            }
        }
    }
}

impl Lowering<'_> {
    /// An address in shared memory by its low 32 bits.
    pub(crate) fn lower_narrow_gep(&mut self, id: InstructionId, source: Type, base: Value, indices: &[Value]) {
        let mut sum = self.narrow_base(base);
        if let Some((_, offset)) = constant_gep(self.body, id) {
            let result = self.add_narrow(sum, offset);
            return self.define_one(id, result);
        }
        let (offset, terms) = gep_terms(self.body, source, indices);
        for term in terms {
            sum = self.add_narrow_term(sum, term.index, term.scale);
        }
        if !self.needed.is_address_only(id) {
            sum = self.add_narrow(sum, offset);
        }
        self.define_one(id, sum);
    }

    fn narrow_base(&mut self, base: Value) -> Operand {
        if let Some(constant) = base.as_constant()
            && let Some(symbol) = symbolic(self.scope, constant)
            && symbol.space == AddressSpace::SHARED
            && !symbol.generic
        {
            if let Some(register) = self.narrow_symbols.get(&constant) {
                return (*register).into();
            }
            let register = self.register(Class::B32);
            match symbol.offset {
                0 => emit!(self, "mov.u32 {register}, {}", symbol.name),
                offset => emit!(self, "mov.u32 {register}, {}+{offset}", symbol.name),
            }
            self.narrow_symbols.insert(constant, register);
            return register.into();
        }
        let operand = self.operand(base);
        self.narrow(operand, 32)
    }

    fn add_narrow(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        let result = self.register(Class::B32);
        emit!(self, "add.s32 {result}, {base}, {}", offset as i32);
        result.into()
    }

    fn add_narrow_term(&mut self, base: Operand, index: Value, scale: u64) -> Operand {
        if scale == 0 {
            return base;
        }
        let product = match self.narrow_scaled.get(&(index, scale)) {
            Some(register) => *register,
            None => {
                let product = self.narrow_product(index, scale);
                self.narrow_scaled.insert((index, scale), product);
                product
            }
        };
        let result = self.register(Class::B32);
        emit!(self, "add.s32 {result}, {base}, {product}");
        result.into()
    }

    fn narrow_product(&mut self, index: Value, scale: u64) -> Register {
        let low = Low::of(self.body, index);
        let index = self.low_bits(&low);
        let index = self.in_register(index);
        if scale == 1 {
            return index;
        }
        let result = self.register(Class::B32);
        if scale.is_power_of_two() {
            emit!(self, "shl.b32 {result}, {index}, {}", scale.trailing_zeros());
        } else {
            emit!(self, "mul.lo.s32 {result}, {index}, {}", scale as i32);
        }
        result
    }

    fn low_bits(&mut self, low: &Low) -> Operand {
        match low {
            Low::Constant(value) => Operand::Integer(Class::B32, i64::from(*value as i32)),
            Low::Word(value) => self.operand(*value),
            Low::Other(value) => {
                let operand = self.operand(*value);
                match self.type_of(*value) {
                    Type::Int(bits @ 1..=32) => {
                        let upper = self.upper_of(*value);
                        self.widen(operand, bits, true, upper, Class::B32)
                    }
                    Type::Int(bits @ 33..64) => {
                        let upper = self.upper_of(*value);
                        let operand = self.sign_extended(operand, bits, upper);
                        self.narrow(operand, 32)
                    }
                    _ => self.narrow(operand, 32),
                }
            }
            Low::Operation(op, left, right) => {
                let (left, right) = (self.low_bits(left), self.low_bits(right));
                self.integer_binary(*op, 32, (left, Upper::Unknown), (right, Upper::Unknown))
                    .0
            }
        }
    }
}
