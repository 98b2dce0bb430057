//! The frame of a function: memory of `alloca` and of copies of parameters, in one `.local` array.

use std::fmt::Write as _;

use warpsmith_ir::{AddressSpace, Instruction, InstructionId, Type, Value};

use crate::function::{Lowering, emit};
use crate::needed::{ArgumentUse, argument_use};
use crate::register::{Class, Operand, Register};

/// Memory of the function's own.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    size: u64,
    align: u32,
    /// The register with its address in local space, if something needs it.
    local: Option<Register>,
    /// The register with its generic address, if something needs it.
    generic: Option<Register>,
    /// Where the memory of an `alloca` is.
    places: rustc_hash::FxHashMap<InstructionId, u64>,
}

impl Frame {
    /// Where the memory of an `alloca` is, once it is lowered; `None` for those of a size known only at run time.
    pub(crate) fn place(&self, id: InstructionId) -> Option<u64> {
        self.places.get(&id).copied()
    }

    /// Where the memory of every `alloca` is.
    pub(crate) fn into_places(self) -> rustc_hash::FxHashMap<InstructionId, u64> {
        self.places
    }
}

impl Lowering<'_> {
    /// Memory in the frame: its offset.
    pub(crate) fn reserve(&mut self, size: u64, align: u32) -> u64 {
        let align = align.max(1);
        let mask = u64::from(align) - 1;
        let offset = self.frame.size.saturating_add(mask) & !mask;
        self.frame.size = offset.saturating_add(size.max(1));
        self.frame.align = self.frame.align.max(align);
        offset
    }

    /// The name of the frame.
    pub(crate) fn frame_name(&self) -> String {
        format!("__local_depot{}", self.body.id().index())
    }

    /// The address of memory in the frame, in local or generic space.
    pub(crate) fn frame_address(&mut self, offset: u64, space: AddressSpace) -> Register {
        let local = match self.frame.local {
            Some(register) => register,
            None => *self.frame.local.insert(self.registers.make(Class::B64)),
        };
        let base = if space == AddressSpace::LOCAL {
            local
        } else {
            match self.frame.generic {
                Some(register) => register,
                None => *self.frame.generic.insert(self.registers.make(Class::B64)),
            }
        };
        if offset == 0 {
            return base;
        }
        let result = self.register(Class::B64);
        emit!(self, "add.u64 {result}, {base}, {offset}");
        result
    }

    /// Declares the frame and computes the addresses that are needed.
    pub(crate) fn frame_prologue(&mut self) -> String {
        let mut text = String::new();
        if self.frame.size == 0 {
            return text;
        }
        let name = self.frame_name();
        let _ = writeln!(
            text,
            "\t.local .align {} .b8 {name}[{}];",
            self.frame.align, self.frame.size
        );
        if let Some(local) = self.frame.local {
            let _ = writeln!(text, "\tmov.u64 {local}, {name};");
            if let Some(generic) = self.frame.generic {
                let _ = writeln!(text, "\tcvta.local.u64 {generic}, {local};");
            }
        }
        text
    }

    /// Memory of a number of elements.
    pub(crate) fn lower_alloca(&mut self, id: InstructionId, ty: Type, count: Value, align: u32) {
        let size = self.context.size(ty);
        let align = align.max(self.context.alignment(ty));
        let space = self
            .body
            .result_type(id)
            .address_space()
            .unwrap_or(AddressSpace::GENERIC);
        let elements = self.operand(count);
        let in_entry = self.body.block_of(id) == self.body.entry();
        if let Some(elements) = elements.integer().filter(|&elements| in_entry && elements >= 0) {
            let offset = self.reserve(size.saturating_mul(elements as u64), align);
            self.frame.places.insert(id, offset);
            if self.used_as_address_value(id) {
                let register = self.frame_address(offset, space);
                self.define_one(id, register);
            } else {
                // Accesses name the frame and the offset; nothing reads this register.
                self.define_one(id, Operand::Integer(Class::B64, offset as i64));
            }
            return;
        }
        let bits = self.scalar_of(count).map_or(32, |scalar| scalar.bits());
        let upper = self.upper_of(count);
        let elements = self.zero_extended(elements, bits, upper);
        let wide = self.register(Class::B64);
        match elements.class() {
            Class::B64 => self.copy(wide, elements),
            class => emit!(self, "cvt.u64.u{} {wide}, {elements}", class.bits()),
        }
        let bytes = self.register(Class::B64);
        emit!(self, "mul.lo.s64 {bytes}, {wide}, {size}");
        let local = self.register(Class::B64);
        emit!(self, "alloca.u64 {local}, {bytes}, {align}");
        if space == AddressSpace::LOCAL {
            self.define_one(id, local);
            return;
        }
        let result = self.register(Class::B64);
        emit!(self, "cvta.local.u64 {result}, {local}");
        self.define_one(id, result);
    }

    /// Whether anything but an access of known offset reads the address of an `alloca`.
    fn used_as_address_value(&self, id: InstructionId) -> bool {
        let this = Value::Instruction(id);
        let symbols = &self.scope.module.symbols;
        self.body
            .users(this)
            .into_iter()
            .any(|user| match self.body.instruction(user) {
                // Their addresses start from the frame themselves.
                Instruction::Load { .. } | Instruction::Gep { .. } => false,
                Instruction::Store { value, .. } | Instruction::AtomicRmw { value, .. } => *value == this,
                Instruction::CompareExchange { expected, new, .. } => *expected == this || *new == this,
                Instruction::Cast { .. } => self.needed.contains(user),
                Instruction::Call(call) => {
                    let mut arguments = call.arguments.iter().enumerate();
                    arguments.any(|(number, &argument)| {
                        argument == this && argument_use(symbols, call, number) == ArgumentUse::Value
                    })
                }
                _ => true,
            })
    }
}
