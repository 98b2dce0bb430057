//! Addresses: computing them, and what stands between the brackets of an access.

use std::fmt;

use warpsmith_ir::{AddressSpace, InstructionId, Type, Value};

use crate::function::{Lowering, Place as ParameterPlace, Upper, emit};
use crate::global::symbolic;
use crate::needed::{Address, Term, constant_gep, extended, gep_terms, narrow_term};
use crate::register::{Class, Operand, Register};

/// What the offset of an address is added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A register, or a constant address.
    Operand(Operand),
    /// A variable, a parameter or the frame.
    Symbol(String),
}

/// A place in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it starts.
    pub(crate) base: Base,
    /// Bytes beyond it.
    pub(crate) offset: i64,
    /// The state space.
    pub(crate) space: AddressSpace,
}

impl Place {
    /// The place some bytes further.
    pub(crate) fn plus(&self, bytes: u64) -> Place {
        Place {
            base: self.base.clone(),
            offset: self.offset.wrapping_add(bytes as i64),
            space: self.space,
        }
    }
}

/// What stands between the brackets.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            Base::Operand(Operand::Integer(_, value)) => write!(f, "{}", value.wrapping_add(self.offset)),
            Base::Operand(operand) => write!(f, "{operand}"),
            Base::Symbol(name) => f.write_str(name),
        }?;
        match (&self.base, self.offset) {
            (Base::Operand(Operand::Integer(..)), _) | (_, 0) => Ok(()),
            // PTX wants the sign of a negative offset after the plus.
            (_, offset) => write!(f, "+{offset}"),
        }
    }
}

impl Lowering<'_> {
    /// The place that a pointer points to, in the form that an access wants.
    pub(crate) fn place(&mut self, pointer: Value) -> Place {
        let Address { root, offset } = self.needed.address(self.body, pointer);
        let mut place = self.root_place(root);
        place.offset = place.offset.wrapping_add(offset);
        if i32::try_from(place.offset).is_err() {
            let sum = self.place_address(&place);
            place.base = Base::Operand(sum.into());
            place.offset = 0;
        }
        place
    }

    fn root_place(&mut self, root: Value) -> Place {
        let space = self.type_of(root).address_space().unwrap_or(AddressSpace::GENERIC);
        match root {
            Value::Instruction(id) => {
                if let Some(offset) = self.frame.place(id) {
                    let base = Base::Symbol(self.frame_name());
                    return Place {
                        base,
                        offset: offset as i64,
                        space: AddressSpace::LOCAL,
                    };
                }
            }
            Value::Argument(number) => match self.places.get(number as usize) {
                Some(ParameterPlace::Parameter(name)) => {
                    return Place {
                        base: Base::Symbol(name.clone()),
                        offset: 0,
                        space: AddressSpace::PARAMETER,
                    };
                }
                Some(ParameterPlace::Frame(offset)) => {
                    let base = Base::Symbol(self.frame_name());
                    return Place {
                        base,
                        offset: *offset as i64,
                        space: AddressSpace::LOCAL,
                    };
                }
                Some(ParameterPlace::Registers) | None => {}
            },
            Value::Constant(id) => {
                if let Some(symbol) = symbolic(self.scope, id)
                    && symbol.space != AddressSpace::GENERIC
                {
                    return Place {
                        base: Base::Symbol(symbol.name),
                        offset: symbol.offset,
                        space: symbol.space,
                    };
                }
            }
        }
        let operand = self.operand(root);
        // Instructions take constant addresses for nothing but local memory.
        let operand = if space == AddressSpace::LOCAL {
            operand
        } else {
            self.in_register(operand).into()
        };
        Place {
            base: Base::Operand(operand),
            offset: 0,
            space: self.space_of_root(root, space),
        }
    }

    /// The state space of a pointer in a register: addresses within a parameter that a kernel only reads are in parameter space, whatever their type says.
    fn space_of_root(&self, root: Value, space: AddressSpace) -> AddressSpace {
        let mut value = root;
        while let Some(id) = value.as_instruction()
            && let warpsmith_ir::Instruction::Gep { base, .. } = self.body.instruction(id)
        {
            value = *base;
        }
        match value {
            Value::Argument(number)
                if matches!(self.places.get(number as usize), Some(ParameterPlace::Parameter(_))) =>
            {
                AddressSpace::PARAMETER
            }
            _ => space,
        }
    }

    /// The address of a place, in a register, within its state space.
    pub(crate) fn place_address(&mut self, place: &Place) -> Register {
        match &place.base {
            Base::Operand(operand) if place.offset == 0 && operand.class() == Class::B64 => self.in_register(*operand),
            Base::Operand(operand) => {
                // Addresses in shared memory may have 32 bits.
                let operand = self.widen(*operand, operand.class().bits(), false, Upper::Zeros, Class::B64);
                let operand = self.in_register(operand);
                let result = self.register(Class::B64);
                emit!(self, "add.s64 {result}, {operand}, {}", place.offset);
                result
            }
            Base::Symbol(_) => {
                let result = self.register(Class::B64);
                emit!(self, "mov.u64 {result}, {place}");
                result
            }
        }
    }

    /// An address inside of an object.
    pub(crate) fn lower_gep(&mut self, id: InstructionId, source: Type, base: Value, indices: &[Value]) {
        let ty = self.body.result_type(id);
        if ty.is_vector() || self.type_of(base).is_vector() {
            self.unsupported("a vector of addresses");
            let zeros = self.zeros(ty);
            self.define(id, zeros);
            return;
        }
        if ty == Type::Pointer(AddressSpace::TENSOR) {
            self.unsupported("an address computation in tensor memory");
            let zeros = self.zeros(ty);
            self.define(id, zeros);
            return;
        }
        if self.needed.is_narrow(id) {
            return self.lower_narrow_gep(id, source, base, indices);
        }
        let mut sum = self.gep_base(base, ty);
        if let Some((_, offset)) = constant_gep(self.body, id) {
            let result = self.add_offset(sum, offset);
            self.define_one(id, result);
            return;
        }
        let (offset, terms) = gep_terms(self.body, source, indices);
        for term in terms {
            sum = self.add_term(sum, term.index, term.scale);
        }
        if !self.needed.is_address_only(id) {
            sum = self.add_offset(sum, offset);
        }
        self.define_one(id, sum);
    }

    /// The operand that an address computation adds to; for memory of the frame its address.
    fn gep_base(&mut self, base: Value, ty: Type) -> Operand {
        if let Value::Instruction(id) = base
            && let Some(offset) = self.frame.place(id)
        {
            let space = ty.address_space().unwrap_or(AddressSpace::GENERIC);
            return self.frame_address(offset, space).into();
        }
        self.operand(base)
    }

    fn add_offset(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        if let Some(value) = base.integer() {
            return Operand::Integer(Class::B64, value.wrapping_add(offset));
        }
        let result = self.register(Class::B64);
        emit!(self, "add.s64 {result}, {base}, {offset}");
        result.into()
    }

    /// `base + index * scale`, the index as signed.
    fn add_term(&mut self, base: Operand, index: Value, scale: u64) -> Operand {
        if scale == 0 {
            return base;
        }
        // One instruction of the machine extends and adds. Products it takes in by itself, with addresses from constant memory too.
        if let Some((extension, 1)) = narrow_term(self.body, &Term { index, scale })
            && extension.signed
            && let Operand::Register(_) = base
        {
            let operand = self.operand(extension.operand);
            let result = self.register(Class::B64);
            emit!(self, "mad.wide.s32 {result}, {operand}, 1, {base}");
            return result.into();
        }
        let product = self.scaled(index, scale);
        if base.integer() == Some(0) {
            return product;
        }
        let result = self.register(Class::B64);
        emit!(self, "add.s64 {result}, {base}, {product}");
        result.into()
    }

    /// `index * scale` in 64 bits; once for each block.
    fn scaled(&mut self, index: Value, scale: u64) -> Operand {
        if let Some(register) = self.scaled_indices.get(&(index, scale)) {
            return (*register).into();
        }
        let result = self.compute_scaled(index, scale);
        if let Operand::Register(register) = result {
            self.scaled_indices.insert((index, scale), register);
        }
        result
    }

    fn compute_scaled(&mut self, index: Value, scale: u64) -> Operand {
        if let Some((extension, scale)) = narrow_term(self.body, &Term { index, scale })
            && scale > 1
        {
            let operand = self.operand(extension.operand);
            let kind = if extension.signed { 's' } else { 'u' };
            let result = self.register(Class::B64);
            emit!(self, "mul.wide.{kind}32 {result}, {operand}, {scale}");
            return result.into();
        }
        let (narrow, signed) = match extended(self.body, index) {
            Some(extension) if extension.bits == 32 => (Some(extension.operand), extension.signed),
            _ if self.type_of(index) == Type::I32 => (Some(index), true),
            _ => (None, true),
        };
        let result = self.register(Class::B64);
        if let Some(narrow) = narrow {
            let operand = self.operand(narrow);
            let kind = if signed { 's' } else { 'u' };
            match scale {
                1 => emit!(self, "cvt.{kind}64.{kind}32 {result}, {operand}"),
                _ if scale < 1 << 31 => emit!(self, "mul.wide.{kind}32 {result}, {operand}, {scale}"),
                _ => {
                    let wide = self.register(Class::B64);
                    emit!(self, "cvt.{kind}64.{kind}32 {wide}, {operand}");
                    emit!(self, "mul.lo.s64 {result}, {wide}, {}", scale as i64);
                }
            }
            return result.into();
        }
        let operand = self.index64(index);
        match scale {
            1 => return operand,
            _ if scale.is_power_of_two() => emit!(self, "shl.b64 {result}, {operand}, {}", scale.trailing_zeros()),
            _ => emit!(self, "mul.lo.s64 {result}, {operand}, {}", scale as i64),
        }
        result.into()
    }

    /// An index of any width as 64 bits, signed.
    fn index64(&mut self, index: Value) -> Operand {
        // What `extended` sees through may not have been written.
        if let Some(extension) = extended(self.body, index) {
            let operand = self.operand(extension.operand);
            let upper = self.upper_of(extension.operand);
            return self.widen(operand, extension.bits, extension.signed, upper, Class::B64);
        }
        let operand = self.operand(index);
        let Type::Int(bits) = self.type_of(index) else {
            return operand;
        };
        match bits {
            64 => operand,
            1..64 => {
                let upper = self.upper_of(index);
                self.widen(operand, bits, true, upper, Class::B64)
            }
            // The low word of a wide one.
            _ => operand,
        }
    }
}
