//! Columns of tensor memory are allocated and freed in units of 32: `tcgen05.alloc`, `tcgen05.dealloc`, `tcgen05.relinquish_alloc_permit`.
//!
//! The machine keeps a mask of units of the multiprocessor and finds free ones in it; what belongs to the CTA is written down in the system's part of its
//! shared memory, in the partition below, as code of ptxas has it (observed, ptxas 13.0.88). The system sets the partition up when a CTA starts, if the
//! cubin says so (`EIATTR_AT_ENTRY_FRAGMENTS`). In a pair of CTAs the even one allocates for both: it sends the number of the first unit to the odd one's
//! shared memory, and the barrier objects of both keep them in step.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    steps::{A, B, LEFT, RIGHT, logic, number, permute, plus, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, Word},
};

/// The partition `__nv_reservedSMEM_tcgen05_partition` in a CTA's shared memory.
mod partition {
    /// Barrier object: the other CTA of the pair has come so far.
    pub(super) const BARRIER: u64 = 0x48;
    /// Parity of the phase of it that is waited for next.
    pub(super) const PARITY: u64 = 0x50;
    /// Mask of units that are allocated.
    pub(super) const UNITS: u64 = 0x54;
    /// Mask of the first units of allocations.
    pub(super) const STARTS: u64 = 0x58;
    /// A byte that is not zero once the CTA allocates no more.
    pub(super) const RELINQUISHED: u64 = 0x5c;
}

/// Logarithm of the columns of a unit.
const UNIT: u32 = 5;
/// Virtual resources that a CTA gives back when it allocates no more.
const PERMIT: u64 = 0x80;

impl Lowering<'_> {
    /// Lets one thread of the warp do it.
    fn by_one(&mut self, step: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        self.unless_guarded(|this| {
            let chosen = this.elected()?;
            let others = this.open_branch(Test::from(chosen).opposite())?;
            step(this)?;
            this.close_branch(others);
            Ok(())
        })
    }

    /// The window of the CTA in the cluster's shared memory, where the partition is.
    fn own_window(&mut self) -> Lowered<Register> {
        self.shared_window()?.ok_or(UNSUPPORTED)
    }

    fn load_word(&mut self, base: Word, offset: u64, size: &'static str) -> Lowered<Register> {
        let to = self.temporary(1);
        let request = Request::new(O::Lds).form("R_A").to(to).at(F::Ra, base);
        self.emit_bare(request.number(F::Offset, offset).text(F::Size, size))?;
        Ok(to)
    }

    fn store_word(&mut self, base: Word, offset: u64, value: Register, size: &'static str) -> Lowered {
        let request = Request::new(O::Sts).form("A_R").at(F::Ra, base).at(F::Rb, value);
        self.emit_bare(request.number(F::Offset, offset).text(F::Size, size))
    }

    fn change_word(&mut self, base: Word, offset: u64, operation: &'static str, value: Register) -> Lowered {
        let unused = self.temporary(1);
        let request = Request::new(O::Atoms).form("R_A_R").to(unused).at(F::Ra, base);
        let request = request.number(F::Offset, offset).at(F::Rb, value);
        self.emit_bare(request.text(F::Operation, operation))
    }

    /// A misuse that the program cannot go on from.
    fn stop(&mut self) -> Lowered {
        self.emit_bare(
            Request::new(O::Bpt)
                .form("none_trap")
                .text(F::Action, "TRAP")
                .number(F::Number, 1),
        )
    }

    pub(super) fn relinquish_columns(&mut self) -> Lowered {
        let window = self.own_window()?;
        self.by_one(|this| {
            this.emit_bare(
                Request::new(O::Uvirtcount)
                    .form("DEALLOC.SMPOOL.I")
                    .number(F::Imm, PERMIT),
            )?;
            let one = this.copied(number(1))?;
            this.store_word(window.into(), partition::RELINQUISHED, one, "U8")
        })
    }

    pub(super) fn allocate_columns(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(to), columns] = operands else {
            return Err(UNSUPPORTED);
        };
        let window = self.own_window()?;
        let pair = variant.has(M::CtaGroup2);
        self.by_one(|this| {
            let (base, offset) = this.shared_place(variant, to)?;
            let place = (base, offset as u64 & 0xff_ffff);
            let relinquished = this.load_word(window.into(), partition::RELINQUISHED, "U8")?;
            let none = this.compare_words(Cmp::Ne, true, relinquished, Value::Zero, Combine::And, Test::ALWAYS)?;
            let may = this.open_branch(Test::from(none).opposite())?;
            let nowhere = this.copied(number(u32::MAX))?;
            this.store_word(place.0, place.1, nowhere, "")?;
            this.stop()?;
            this.close_branch(may);
            let units = match columns {
                Operand::Integer(columns, _) => number(*columns as u32 >> UNIT),
                columns => {
                    let columns = this.source(Some(columns), Type::U32)?;
                    this.step(shift(Value::Zero, number(UNIT), columns, RIGHT))?.into()
                }
            };
            match pair {
                true => this.allocate_for_pair(window, place, units),
                false => {
                    let unit = this.find_units(units, false)?;
                    this.note_units(window, place, unit, units)
                }
            }
        })
    }

    /// Takes free units of the multiprocessor, of both of a pair; waits until there are as many. Gives the first.
    fn find_units(&mut self, units: Source, pair: bool) -> Lowered<Register> {
        let wanted = self.copied(units)?;
        let again = self.new_block();
        let count = self.in_uniform(&[wanted.into()])?;
        let found = self.function.register(RegisterClass::UniformGpr, 1);
        let done = self.function.register(RegisterClass::UniformPredicate, 1);
        // As ptxas has it before each: a bound that is never exceeded.
        self.emit_bare(
            Request::new(O::Depbar)
                .form("LE.SB_I")
                .number(F::Scoreboard, 0)
                .number(F::Imm, 0x36),
        )?;
        self.emit_bare(
            Request::new(O::Utcatomsws)
                .form("FIND_AND_SET.UP_UR_UR")
                .to(found)
                .sets(F::UPu, done)
                .at(F::URb, count)
                .flag(F::TwoCta, pair)
                .flag(F::Align, true),
        )?;
        let one = self.in_uniform(&[number(1)])?;
        let success = self.function.register(RegisterClass::UniformGpr, 1);
        self.emit_bare(
            Request::new(O::Usel)
                .form("UR_UR_UR_UP")
                .to(success)
                .at(F::URa, one)
                .when(F::UPp, done),
        )?;
        let success = self.copy_of_uniform(success)?;
        let unit = self.copy_of_uniform(found)?;
        let failed = self.compare_words(Cmp::Eq, true, success, Value::Zero, Combine::And, Test::ALWAYS)?;
        self.emit_bare(Request::new(O::Bra).form("L").target(again).guarded(failed))?;
        self.new_block();
        Ok(unit)
    }

    fn copy_of_uniform(&mut self, register: Register) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).form("R_UR").to(to).at(F::URb, register))?;
        Ok(to)
    }

    /// Tells the program the first column, and the partition the units.
    fn note_units(&mut self, window: Register, place: (Word, u64), unit: Register, units: Source) -> Lowered {
        let column = self.step(shift(unit, number(UNIT), Value::Zero, LEFT))?;
        self.store_word(place.0, place.1, column, "")?;
        let (mask, start) = self.masks(unit, units)?;
        self.change_word(window.into(), partition::UNITS, "OR", mask)?;
        self.change_word(window.into(), partition::STARTS, "OR", start)
    }

    /// The units as a mask, and the first of them.
    fn masks(&mut self, unit: Register, units: Source) -> Lowered<(Register, Register)> {
        let (one, units) = (self.copied(number(1))?, self.copied(units)?);
        let end = self.step(shift(one, units, Value::Zero, LEFT))?;
        let low = self.step(plus(end, number(u32::MAX)))?;
        let mask = self.step(shift(low, unit, Value::Zero, LEFT))?;
        Ok((mask, self.step(shift(one, unit, Value::Zero, LEFT))?))
    }

    fn allocate_for_pair(&mut self, window: Register, place: (Word, u64), units: Source) -> Lowered {
        let rank = self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_CgaCtaId"))?;
        let odd = self.step(logic(rank, number(1), Value::Zero, A & B))?;
        let peer = self.step(logic(rank, number(1), Value::Zero, A ^ B))?;
        let own = self.step(plus(window, number(partition::BARRIER as u32)))?;
        let other = self.step(permute(peer, 0x0654, own))?;
        let is_odd = self.compare_words(Cmp::Ne, true, odd, Value::Zero, Combine::And, Test::ALWAYS)?;
        let follows = self.open_branch(is_odd.into())?;
        // The even one: it finds units and, once the other has taken those before, sends them.
        let unit = self.find_units(units, true)?;
        self.wait_for_peer(window)?;
        let bytes = self.copied(number(4))?;
        self.synchronise(other.into(), 0, "RED", "", Some(bytes))?;
        let both = self.temporary(2);
        let target = self.step(plus(place.0, number(place.1 as u32)))?;
        self.emit_bare(permute(peer, 0x0654, target).to(both.word(0)))?;
        self.emit_bare(Request::new(O::Mov).to(both.word(1)).from(other))?;
        self.emit_bare(Request::new(O::Stas).form("A64U_R").at(F::Ra, both).at(F::Rb, unit))?;
        self.note_units(window, place, unit, units)?;
        self.pass_phase(window)?;
        let end = self.open_branch(Test::ALWAYS)?;
        self.close_branch(follows);
        // The odd one: it takes the number that was sent.
        self.wait_for_peer(window)?;
        let unit = self.load_word(place.0, place.1, "")?;
        self.note_units(window, place, unit, units)?;
        self.synchronise(other.into(), 0, "RED", "A1T0", None)?;
        self.pass_phase(window)?;
        self.close_branch(end);
        Ok(())
    }

    /// Waits for the phase of the CTA's own barrier object that comes next.
    fn wait_for_peer(&mut self, window: Register) -> Lowered {
        let parity = self.load_word(window.into(), partition::PARITY, "")?;
        let phase = self.step(shift(parity, number(31), Value::Zero, LEFT))?;
        let again = self.new_block();
        let over = self.predicate();
        self.emit_bare(
            Request::new(O::Syncs)
                .form("TRANS64.P_AU_R")
                .text(F::Action, "PHASECHK")
                .flag(F::Trywait, true)
                .sets(F::Pu, over)
                .at(F::Ra, window)
                .number(F::Offset, partition::BARRIER)
                .at(F::Rb, phase),
        )?;
        let not = Test::from(over).opposite();
        self.emit_bare(Request::new(O::Bra).form("L").target(again).guarded(not))?;
        self.new_block();
        Ok(())
    }

    fn pass_phase(&mut self, window: Register) -> Lowered {
        let one = self.copied(number(1))?;
        self.change_word(window.into(), partition::PARITY, "XOR", one)
    }

    pub(super) fn free_columns(&mut self, operands: &[Operand]) -> Lowered {
        let [address, columns] = operands else {
            return Err(UNSUPPORTED);
        };
        let window = self.own_window()?;
        self.by_one(|this| {
            let address = this.source(Some(address), Type::U32)?;
            let columns = match columns {
                Operand::Integer(columns, _) => number(*columns as u32 >> UNIT),
                columns => {
                    let columns = this.source(Some(columns), Type::U32)?;
                    this.step(shift(Value::Zero, number(UNIT), columns, RIGHT))?.into()
                }
            };
            let column = this.step(logic(address, number(0xffff), Value::Zero, A & B))?;
            let unit = this.step(shift(Value::Zero, number(UNIT), column, RIGHT))?;
            let (mask, start) = this.masks(unit, columns)?;
            this.stop_unless_all(window, partition::UNITS, mask)?;
            this.stop_unless_all(window, partition::STARTS, start)?;
            let rest = this.step(logic(mask, Value::Zero, Value::Zero, !A & 0xff))?;
            let others = this.step(logic(start, Value::Zero, Value::Zero, !A & 0xff))?;
            let kept = this.in_uniform(&[rest.into()])?;
            this.emit_bare(
                Request::new(O::Utcatomsws)
                    .form("UR_UR")
                    .at(F::URb, kept)
                    .text(F::Combine, "AND"),
            )?;
            this.change_word(window.into(), partition::UNITS, "AND", rest)?;
            this.change_word(window.into(), partition::STARTS, "AND", others)
        })
    }

    /// Stops where a mask of the partition lacks some of these bits.
    fn stop_unless_all(&mut self, window: Register, offset: u64, bits: Register) -> Lowered {
        let held = self.load_word(window.into(), offset, "")?;
        let both = self.step(logic(held, bits, Value::Zero, A & B))?;
        let all = self.compare_words(Cmp::Eq, true, both, bits, Combine::And, Test::ALWAYS)?;
        let fine = self.open_branch(all.into())?;
        self.stop()?;
        self.close_branch(fine);
        Ok(())
    }
}
