//! Tensor memory: loads, stores, and waits for them (`tcgen05.ld`, `tcgen05.st`, `tcgen05.wait`). (Which instruction: observed, ptxas 13.0.88.)
//!
//! All threads of a warp do these together, with one address, which stands in a uniform register. A load writes a tuple of as many consecutive registers as
//! it has. Loads are waited for where their results are used, and all of them where the program waits: the machine has no instruction for that, an
//! instruction without effect carries the wait. Stores end at a fence.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O, RegisterClass};

use super::{Lowered, Lowering, UNSUPPORTED, steps::number, steps::plus};
use crate::{
    ir::Register,
    select::{Request, Source, Value},
};

/// How PTX and SASS name the shapes of loads and stores, the second with the halves of `.16x32bx2`, and registers for each repetition.
#[rustfmt::skip]
const SHAPES: [(M, &[&str], u8); 5] = [
    (M::N32x32b,   &[""],                                        1),
    (M::N16x64b,   &["16dp64bit"],                               1),
    (M::N16x128b,  &["16dp128bit"],                              2),
    (M::N16x256b,  &["16dp256bit"],                              4),
    (M::N16x32bx2, &["16dp32bit_t0_t15", "16dp32bit_t16_t31"],   1),
];

/// How PTX and SASS name the repetitions.
#[rustfmt::skip]
const COUNTS: [(M, &str, u8); 8] = [
    (M::X1,  "",    1), (M::X2,  "x2",  2),  (M::X4,  "x4",  4),  (M::X8,   "x8",   8),
    (M::X16, "x16", 16), (M::X32, "x32", 32), (M::X64, "x64", 64), (M::X128, "x128", 128),
];

/// A load or store as the variant says it.
#[derive(Clone, Copy)]
struct Access {
    /// For each instruction, its shape.
    shapes: &'static [&'static str],
    count: &'static str,
    registers: u8,
    /// `.pack::16b`, `.unpack::16b`
    halves: bool,
}

impl Access {
    fn of(variant: &Variant) -> Option<Access> {
        let (_, shapes, each) = SHAPES.iter().find(|shape| variant.has(shape.0))?;
        let (_, text, count) = COUNTS.iter().find(|count| variant.has(count.0))?;
        Some(Access {
            shapes,
            count: text,
            registers: each.checked_mul(*count).filter(|count| *count <= 128)?,
            halves: variant.has(M::Pack16b) || variant.has(M::Unpack16b),
        })
    }

    fn described(&self, request: Request, shape: &'static str) -> Request {
        request.text(F::Shape, shape).text(F::Count, self.count)
    }
}

impl Lowering<'_> {
    /// The instructions of the fifth generation of tensor cores.
    pub(super) fn tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Tcgen05Alloc => self.allocate_columns(variant, operands),
            Opcode::Tcgen05Dealloc => self.free_columns(operands),
            Opcode::Tcgen05RelinquishAllocPermit => self.relinquish_columns(),
            Opcode::Tcgen05Ld => self.unless_guarded(|this| this.load_columns(variant, operands)),
            Opcode::Tcgen05LdRed => self.unless_guarded(|this| this.load_and_reduce_columns(variant, operands)),
            Opcode::Tcgen05St => self.unless_guarded(|this| this.store_columns(variant, operands)),
            Opcode::Tcgen05WaitLd => self.unless_guarded(Self::wait_for_tensor_memory),
            Opcode::Tcgen05WaitSt => self.unless_guarded(|this| {
                this.emit_bare(Request::new(O::Fence).form("VIEW.ASYNC.T.none"))?;
                this.wait_for_tensor_memory()
            }),
            Opcode::Tcgen05Cp => self.copy_to_tensor_memory(variant, operands),
            Opcode::Tcgen05Shift => self.shift_tensor_memory(variant, operands),
            Opcode::Tcgen05Commit => self.commit_tensor_memory(variant, operands),
            Opcode::Tcgen05Mma | Opcode::Tcgen05MmaWs => self.multiply_in_tensor_memory(variant, operands),
            // Accesses to memory keep their order anyway.
            Opcode::Tcgen05FenceBeforeThreadSync | Opcode::Tcgen05FenceAfterThreadSync => Ok(()),
            _ => return None,
        })
    }

    /// What the guard lets pass, as a branch: what follows needs no guard then.
    pub(super) fn unless_guarded(&mut self, step: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        step(self)?;
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// An instruction without effect, which waits for loads from tensor memory and fences of it.
    fn wait_for_tensor_memory(&mut self) -> Lowered {
        self.emit_bare(Request::new(O::Nop).form("none"))
    }

    /// Words in consecutive uniform registers: the same in all threads, or only one thread is here.
    pub(super) fn in_uniform(&mut self, words: &[Source]) -> Lowered<Register> {
        let tuple = self.function.register(RegisterClass::UniformGpr, words.len() as u8);
        for (index, word) in (0_u8..).zip(words) {
            let to = tuple.word(index);
            match word.value {
                Value::Zero | Value::Immediate(_) => {
                    let bits = if let Value::Immediate(bits) = word.value {
                        bits
                    } else {
                        0
                    };
                    let request = Request::new(O::Umov).to(to).from(Value::Immediate(bits));
                    self.emit_bare(request)?;
                }
                Value::Register(_) | Value::Constant(..) => {
                    let held = self.copied(*word)?;
                    self.emit_bare(Request::new(O::R2ur).form("UR_R").to(to).at(F::Ra, held))?;
                }
            }
        }
        Ok(tuple)
    }

    /// An address in tensor memory: a word, and the offset in brackets.
    pub(super) fn tensor_place(&mut self, operand: &Operand) -> Lowered<(Source, i64)> {
        use warpsmith_ptx::module::AddressBase;
        match operand {
            Operand::Address(address) => match address.base {
                AddressBase::Register(register) => Ok((self.home(register).word(0).into(), address.offset)),
                AddressBase::Absolute => Ok((number(address.offset as u32), 0)),
                AddressBase::Variable(_) => super::variables::unsupported("a variable as an address in tensor memory"),
            },
            Operand::Bracket(range) => match self.parts(*range)[..] {
                [inner] => self.tensor_place(&inner),
                _ => Err(UNSUPPORTED),
            },
            other => Ok((self.source(Some(other), Type::U32)?, 0)),
        }
    }

    /// An address in tensor memory as one word.
    pub(super) fn tensor_address(&mut self, operand: &Operand) -> Lowered<Source> {
        let (base, offset) = self.tensor_place(operand)?;
        if offset == 0 {
            return Ok(base);
        }
        Ok(self.step(plus(base, number(offset as u32)))?.into())
    }

    fn load_columns(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (list, place, split) = match operands {
            [list, place] => (list, place, 0),
            [list, place, Operand::Integer(split, _)] => (list, place, *split as i64),
            _ => return Err(UNSUPPORTED),
        };
        let access = Access::of(variant).ok_or(UNSUPPORTED)?;
        let (base, offset) = self.tensor_place(place)?;
        let at = self.in_uniform(&[base])?;
        let data = self.temporary(access.registers);
        for (shape, more) in access.shapes.iter().zip([0, split]) {
            let request = Request::new(O::Ldtm)
                .form("R_T")
                .to(data)
                .at(F::URb, at)
                .number(F::Offset, u64::from((offset + more) as u32))
                .flag(F::Pack16bit, access.halves);
            self.emit_bare(access.described(request, shape))?;
        }
        self.deliver_list(Some(list), Type::B32, data)
    }

    fn load_and_reduce_columns(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (list, result, place, split) = match operands {
            [list, result, place] => (list, result, place, 0),
            [list, result, place, Operand::Integer(split, _)] => (list, result, place, *split as i64),
            _ => return Err(UNSUPPORTED),
        };
        if let Operand::Vector(range) = result
            && range.count != 1
        {
            return super::variables::unsupported("a list of results");
        }
        let access = Access::of(variant).ok_or(UNSUPPORTED)?;
        let of = super::operand::first_type(variant)?;
        let operation = match (variant.has(M::Min), variant.has(M::Abs)) {
            (true, false) => "MIN",
            (true, true) => "MINABS",
            (false, false) => "MAX",
            (false, true) => "MAXABS",
        };
        let kind = match of {
            Type::F32 => "F32",
            Type::S32 => "S32",
            _ => "",
        };
        let (base, offset) = self.tensor_place(place)?;
        let at = self.in_uniform(&[base])?;
        let (data, reduced) = (self.temporary(access.registers), self.temporary(1));
        for (shape, more) in access.shapes.iter().zip([0, split]) {
            let request = Request::new(O::Ldtm)
                .form("STAT.R_R_T")
                .to(data)
                .at(F::Ra, reduced)
                .at(F::URb, at)
                .number(F::Offset, u64::from((offset + more) as u32))
                .text(F::Operation, operation)
                .text(F::Type, kind)
                .flag(F::Nan, variant.has(M::NaN));
            self.emit_bare(access.described(request, shape))?;
        }
        self.deliver_list(Some(list), Type::B32, data)?;
        self.deliver_list(Some(result), Type::B32, reduced)
    }

    fn store_columns(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (place, split, list) = match operands {
            [place, list] => (place, 0, list),
            [place, Operand::Integer(split, _), list] => (place, *split as i64, list),
            _ => return Err(UNSUPPORTED),
        };
        let access = Access::of(variant).ok_or(UNSUPPORTED)?;
        let (base, offset) = self.tensor_place(place)?;
        let at = self.in_uniform(&[base])?;
        let data = self.listed(Some(list), Type::B32)?;
        for (shape, more) in access.shapes.iter().zip([0, split]) {
            let request = Request::new(O::Sttm)
                .form("T_R")
                .at(F::URc, at)
                .at(F::Rb, data)
                .number(F::Offset, u64::from((offset + more) as u32))
                .flag(F::Expand16bit, access.halves);
            self.emit_bare(access.described(request, shape))?;
        }
        Ok(())
    }
}
