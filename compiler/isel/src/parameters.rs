//! Parameters: loaded at the start, or left where they are.

use warpsmith_ir::{AddressSpace, CastOp, Instruction, Intrinsic, Type, Value};

use crate::address::{Base, Place as Address};
use crate::function::{Lowering, Place, emit};
use crate::memory::Kind;
use crate::needed::constant_gep;
use crate::parts::Scalar;
use crate::register::{Class, Operand, Parts};
use crate::signature::{attributes_of, is_passed, passing};

impl Lowering<'_> {
    /// Brings the parameters that are used into registers, and copies those whose memory is written or given away.
    pub(crate) fn lower_parameters(&mut self) {
        let types: Vec<Type> = self.body.parameters().to_vec();
        for (number, &ty) in types.iter().enumerate() {
            let value = Value::Argument(number as u32);
            if self.body.is_unused(value) {
                continue;
            }
            let name = format!("{}_param_{number}", self.name);
            let attributes = attributes_of(&self.declaration.parameters, number).clone();
            if let Some(object) = attributes.byval {
                let align = if attributes.align == 0 {
                    self.context.alignment(object)
                } else {
                    attributes.align
                };
                self.lower_byval(number, object, align, name, attributes.grid_constant);
                continue;
            }
            if !self.declaration.is_kernel() && !is_passed(passing(self.context, ty, &attributes)) {
                continue;
            }
            let parts = self.flatten(ty);
            let align = self.context.alignment(ty).max(attributes.stack_align);
            let place = Address {
                base: Base::Symbol(name),
                offset: 0,
                space: AddressSpace::PARAMETER,
            };
            self.arguments[number] = self.load_parts(&parts, &place, align, &Kind::parameter());
        }
    }

    fn lower_byval(&mut self, number: usize, object: Type, align: u32, name: String, grid_constant: bool) {
        let value = Value::Argument(number as u32);
        let kernel = self.declaration.is_kernel();
        let at_constants = self.is_only_read(value, false, 0);
        if at_constants || kernel && self.is_only_read(value, true, 0) {
            self.places[number] = Place::Parameter(name.clone());
            if !at_constants {
                let register = self.register(Class::B64);
                emit!(self, "mov.b64 {register}, {name}");
                self.arguments[number] = Parts::from_iter([Operand::Register(register)]);
            }
            return;
        }
        if kernel && grid_constant {
            let (address, generic) = (self.register(Class::B64), self.register(Class::B64));
            emit!(self, "mov.b64 {address}, {name}");
            emit!(self, "cvta.param.u64 {generic}, {address}");
            self.arguments[number] = Parts::from_iter([Operand::Register(generic)]);
            return;
        }
        let size = self.context.size(object);
        let offset = self.reserve(size, align);
        self.places[number] = Place::Frame(offset);
        self.copy_from_parameter(&name, size, align, offset);
        let register = self.frame_address(offset, AddressSpace::GENERIC);
        self.arguments[number] = Parts::from_iter([Operand::Register(register)]);
    }

    /// Copies a parameter into the frame.
    fn copy_from_parameter(&mut self, name: &str, size: u64, align: u32, offset: u64) {
        let from = Address {
            base: Base::Symbol(name.to_owned()),
            offset: 0,
            space: AddressSpace::PARAMETER,
        };
        let frame = self.frame_name();
        let to = Address {
            base: Base::Symbol(frame),
            offset: offset as i64,
            space: AddressSpace::LOCAL,
        };
        self.copy_unrolled(&to, align, &from, align, size, &Kind::default());
    }

    /// Whether the memory of a parameter is only loaded from (or copied from), at offsets known when compiling unless `variable` ones will do.
    fn is_only_read(&self, pointer: Value, variable: bool, depth: u32) -> bool {
        depth < 16
            && self
                .body
                .users(pointer)
                .into_iter()
                .all(|user| match self.body.instruction(user) {
                    Instruction::Load { access, .. } => access.is_simple(),
                    Instruction::Gep { base, .. } => {
                        *base == pointer
                            && (variable
                                || constant_gep(self.body, user)
                                    .is_some_and(|(_, offset)| i32::try_from(offset).is_ok()))
                            && self.is_only_read(Value::Instruction(user), variable, depth + 1)
                    }
                    // Generic addresses of parameters have other loads: only casts that accesses see through.
                    Instruction::Cast {
                        op: CastOp::AddrSpaceCast,
                        ..
                    } => !variable && self.is_only_read(Value::Instruction(user), variable, depth + 1),
                    Instruction::Call(call) => {
                        !variable
                            && matches!(call.intrinsic(), Some(Intrinsic::Memcpy))
                            && call.arguments.first() != Some(&pointer)
                            && call
                                .arguments
                                .get(2)
                                .is_some_and(|length| length.as_constant().is_some())
                    }
                    _ => false,
                })
    }

    /// The parts of a parameter.
    pub(crate) fn argument(&mut self, number: u32) -> Parts {
        let parts = self.arguments.get(number as usize).cloned().unwrap_or_default();
        if parts.is_empty() {
            let ty = self.type_of(Value::Argument(number));
            return self.zeros(ty);
        }
        parts
    }
}

/// The bytes of a scalar in memory.
pub(crate) fn bytes(scalar: Scalar) -> u64 {
    u64::from(scalar.bits().div_ceil(8))
}
