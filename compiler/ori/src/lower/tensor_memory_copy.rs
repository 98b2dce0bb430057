//! Copies from shared to tensor memory, shifts of its rows, and arrivals when what was issued before is done: `tcgen05.cp`, `tcgen05.shift`,
//! `tcgen05.commit`. (Which instruction: observed, ptxas 13.0.88.)
//!
//! These and products are instructions of a thread, while the machine has one of them for a warp, with operands in uniform registers: each thread takes
//! its turn alone.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    steps::{A, B, logic, number, plus},
};
use crate::{
    ir::Register,
    select::{Request, Test, Value},
};

/// The shapes of copies, as SASS names them.
#[rustfmt::skip]
const SHAPES: [(M, Option<M>, &str); 6] = [
    (M::N128x256b, None,                ""),
    (M::N4x256b,   None,                "4dp256bit"),
    (M::N128x128b, None,                "128dp128bit"),
    (M::N64x128b,  Some(M::Warpx20213), "2x64dp128bit_lw02_lw13"),
    (M::N64x128b,  Some(M::Warpx20123), "2x64dp128bit_lw01_lw23"),
    (M::N32x128b,  Some(M::Warpx4),     "4x32dp128bit"),
];

impl Lowering<'_> {
    /// Lets one thread after the other do it, each alone: those that are left elect one, and come together again before the next is elected.
    pub(super) fn one_at_a_time(&mut self, step: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        self.unless_guarded(|this| {
            let start = this.new_block();
            let chosen = this.elected()?;
            let others = this.open_branch(Test::from(chosen).opposite())?;
            step(this)?;
            this.close_branch(others);
            let left = Test::from(chosen).opposite();
            this.emit_bare(Request::new(O::Bra).form("L").target(start).guarded(left))?;
            this.new_block();
            Ok(())
        })
    }

    /// A predicate that holds in one of the threads that are here.
    pub(super) fn elected(&mut self) -> Lowered<Register> {
        let chosen = self.predicate();
        self.emit_bare(
            Request::new(O::Elect)
                .form("P_UR_P")
                .sets(F::Pu, chosen)
                .when(F::Pp, Test::ALWAYS),
        )?;
        Ok(chosen)
    }

    pub(super) fn copy_to_tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [place, description] = operands else {
            return Err(UNSUPPORTED);
        };
        let found = SHAPES
            .iter()
            .find(|(shape, casts, _)| variant.has(*shape) && casts.is_none_or(|casts| variant.has(casts)));
        let (_, _, shape) = found.ok_or(UNSUPPORTED)?;
        let format = if variant.has(M::B4x16P64) {
            "U4x16P64"
        } else if variant.has(M::B6x16P32) {
            "U6x16P32"
        } else {
            ""
        };
        let form = if variant.has(M::CtaGroup2) { "2CTA.T_G" } else { "T_G" };
        self.one_at_a_time(|this| {
            let (base, offset) = this.tensor_place(place)?;
            let words = this.descriptor_words(description)?;
            let request = Request::new(O::Utccp)
                .form(form)
                .at(F::URa, this.in_uniform(&[base])?)
                .number(F::Offset, u64::from(offset as u32))
                .at(F::URb, this.in_uniform(&words)?)
                .text(F::DestinationSpace, "T")
                .text(F::SourceSpace, "S")
                .text(F::Shape, shape)
                .text(F::Decompress, format);
            this.emit_bare(request)
        })
    }

    pub(super) fn shift_tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [place] = operands else { return Err(UNSUPPORTED) };
        let form = if variant.has(M::CtaGroup2) { "2CTA.T" } else { "T" };
        self.one_at_a_time(|this| {
            let (base, offset) = this.tensor_place(place)?;
            let request = Request::new(O::Utcshift)
                .form(form)
                .at(F::URa, this.in_uniform(&[base])?)
                .number(F::Offset, u64::from(offset as u32))
                .text(F::Direction, "DOWN");
            this.emit_bare(request)
        })
    }

    pub(super) fn commit_tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (Some(Operand::Address(address)), rest) = (operands.first(), operands.get(1..).unwrap_or(&[])) else {
            return Err(UNSUPPORTED);
        };
        let form = match variant.has(M::CtaGroup2) {
            true => "2CTA.AU_UR",
            false => "AU_UR",
        };
        self.one_at_a_time(|this| {
            let (base, offset) = this.barrier_place(variant, address)?;
            let place = match offset {
                0 => Value::from(base).into(),
                offset => this.step(plus(base, number(offset as u32)))?.into(),
            };
            let mut request = Request::new(O::Utcbar)
                .form(form)
                .at(F::URa, this.in_uniform(&[place])?);
            if let [mask] = rest {
                let mask = this.source(Some(mask), Type::U16)?;
                let mask = this.step(logic(mask, number(0xffff), Value::Zero, A & B))?;
                let mask = this.in_uniform(&[mask.into()])?;
                request = request.at(F::URc, mask).flag(F::Multicast, true);
            }
            this.emit_bare(request)
        })
    }
}
