//! Barrier objects in shared memory: `mbarrier`.
//!
//! Before sm_90 an object is two words that count up: bits 0 to 30 of the first hold what is expected, the second counts arrivals, and its top bit is the
//! parity of the phase. From sm_90 on `SYNCS` does it. (Which instructions: observed, ptxas 13.0.88.)

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, Operand},
    table::{Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Scope, says},
    steps::{A, B, C, LEFT, RIGHT, logic, number, plus, product, shift},
    variables::unsupported,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, Word, negated},
};

/// The arrivals that an object counts at most, from sm_90 on.
const MOST: u32 = 0x10_0000;

impl Lowering<'_> {
    /// Operations on barrier objects.
    pub(super) fn mbarrier(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        use Opcode as P;
        Some(match variant.opcode {
            P::MbarrierInit => self.with_address(operands, |this, place, rest| match rest {
                [count] => this.start_barrier(variant, place, count),
                _ => Err(UNSUPPORTED),
            }),
            P::MbarrierInval => self.with_address(operands, |this, place, _| this.end_barrier(variant, place)),
            P::MbarrierExpectTx | P::MbarrierCompleteTx => {
                self.with_address(operands, |this, place, rest| match rest {
                    [count] => this.change_transactions(variant, place, count),
                    _ => Err(UNSUPPORTED),
                })
            }
            P::MbarrierArrive | P::MbarrierArriveDrop | P::MbarrierArriveExpectTx | P::MbarrierArriveDropExpectTx => {
                match operands {
                    [state, Operand::Address(place), rest @ ..] => self.arrive(variant, state, place, rest.first()),
                    _ => Err(UNSUPPORTED),
                }
            }
            P::MbarrierTestWait | P::MbarrierTryWait | P::MbarrierTestWaitParity | P::MbarrierTryWaitParity => {
                match operands {
                    [p, Operand::Address(place), phase, ..] => self.test_phase(variant, p, place, phase),
                    _ => Err(UNSUPPORTED),
                }
            }
            P::MbarrierPendingCount => self.pending(operands),
            _ => return None,
        })
    }

    fn with_address(
        &mut self,
        operands: &[Operand],
        step: impl FnOnce(&mut Self, &Address, &[Operand]) -> Lowered,
    ) -> Lowered {
        match operands {
            [Operand::Address(address), rest @ ..] => step(self, address, rest),
            _ => Err(UNSUPPORTED),
        }
    }

    fn is_old(&self) -> bool {
        self.function.isa() < Isa::Sm90
    }

    /// The two words of a new object. A machine operation of sm_90 and later takes them and the address from uniform registers.
    fn start_barrier(&mut self, variant: &Variant, address: &Address, count: &Operand) -> Lowered {
        let place = self.barrier_place(variant, address)?;
        let count = self.source(Some(count), Type::U32)?;
        let words = self.temporary(2);
        if self.is_old() {
            for (word, start) in [(0, 0x4000_0000), (1, 0x8000_0000)] {
                self.emit_bare(plus(number(start), negated(count)).to(words.word(word)))?;
            }
            return self.emit(
                Request::new(O::Sts)
                    .form("A_R")
                    .at(F::Ra, place.0)
                    .number(F::Offset, place.1 as u64)
                    .at(F::Rb, words)
                    .text(F::Size, "64"),
            );
        }
        let left = self.step(plus(number(MOST), negated(count)))?;
        for (word, amount) in [(0, 1), (1, 11)] {
            self.emit_bare(shift(left, number(amount), Value::Zero, LEFT).to(words.word(word)))?;
        }
        // What was stored there before is there before the barrier is. (ptxas leaves the fence out where nothing was stored before.)
        self.emit(Request::new(O::Fence).form("VIEW.ASYNC.S.none"))?;
        self.uniformly(place, words, |this, at, words| {
            this.emit(
                Request::new(O::Syncs)
                    .form("64.UR_AU_UR")
                    .text(F::Action, "EXCH")
                    .at(F::URa, at)
                    .at(F::URb, words),
            )
        })
    }

    /// Once for each address that lanes have, with the address and two words in uniform registers.
    fn uniformly(
        &mut self,
        (place, offset): (Word, i64),
        words: Register,
        step: impl FnOnce(&mut Self, Register, Register) -> Lowered,
    ) -> Lowered {
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let address = self.step(plus(place, number(offset as u32)))?;
        let start = self.new_block();
        let at = self.function.register(RegisterClass::UniformGpr, 1);
        let both = self.function.register(RegisterClass::UniformGpr, 2);
        self.emit(Request::new(O::R2ur).form("UR_R").to(at).at(F::Ra, address))?;
        for word in 0..2 {
            self.emit(
                Request::new(O::R2ur)
                    .form("UR_R")
                    .to(both.word(word))
                    .at(F::Ra, words.word(word)),
            )?;
        }
        step(self, at, both)?;
        let done = self.temporary(1);
        self.emit(Request::new(O::Mov).form("R_UR").to(done).at(F::URb, at))?;
        let others = self.compare_words(Cmp::Ne, true, address, done, Combine::And, Test::ALWAYS)?;
        self.emit_bare(Request::new(O::Bra).form("L").target(start).guarded(others))?;
        self.new_block();
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    fn end_barrier(&mut self, variant: &Variant, address: &Address) -> Lowered {
        if self.is_old() {
            // The memory is free for other use as it is.
            return Ok(());
        }
        let (place, offset) = self.barrier_place(variant, address)?;
        self.emit(
            Request::new(O::Syncs)
                .form("AU")
                .text(F::Action, "CCTL")
                .text(F::Operation, "IV")
                .at(F::Ra, place)
                .number(F::Offset, offset as u64),
        )
    }

    /// `SYNCS.ARRIVE`: what counts, and the number of it, without a result.
    pub(super) fn synchronise(
        &mut self,
        place: Word,
        offset: i64,
        flavor: &'static str,
        count: &'static str,
        amount: Option<Register>,
    ) -> Lowered {
        let unused = self.temporary(2);
        self.arrival(unused, (place, offset), (flavor, false, count), amount)
    }

    fn arrival(
        &mut self,
        to: Register,
        (place, offset): (Word, i64),
        (flavor, leaves, count): (&'static str, bool, &'static str),
        amount: Option<Register>,
    ) -> Lowered {
        let request = Request::new(O::Syncs)
            .form("TRANS64.R_AU_R")
            .to(to)
            .text(F::Action, "ARRIVE")
            .text(F::Flavor, flavor)
            .flag(F::Optout, leaves)
            .text(F::ArriveCount, count)
            .at(F::Ra, place)
            .number(F::Offset, offset as u64);
        self.emit(match amount {
            Some(amount) => request.at(F::Rb, amount),
            None => request,
        })
    }

    fn change_transactions(&mut self, variant: &Variant, address: &Address, count: &Operand) -> Lowered {
        let (place, offset) = self.barrier_place(variant, address)?;
        let count = self.in_register(Some(count), Type::U32)?;
        let kind = if variant.opcode == Opcode::MbarrierExpectTx {
            "A0TR"
        } else {
            "A0TX"
        };
        self.synchronise(place, offset, "RED", kind, Some(count))
    }

    fn arrive(&mut self, variant: &Variant, state: &Operand, address: &Address, count: Option<&Operand>) -> Lowered {
        let leaves = matches!(
            variant.opcode,
            Opcode::MbarrierArriveDrop | Opcode::MbarrierArriveDropExpectTx
        );
        let place = self.barrier_place(variant, address)?;
        let count = match count {
            Some(count) => Some(self.in_register(Some(count), Type::U32)?),
            None => None,
        };
        // The result is a state of two words; where nobody wants it, it goes to registers that nobody reads.
        let to = self.temporary(2);
        if !says(variant, "relaxed") {
            if self.is_old() {
                self.fence("ALL", Scope::Cta)?;
            } else if says(variant, "cluster") {
                self.fence("ALL", Scope::Gpu)?;
            }
        }
        if self.is_old() {
            self.arrive_by_words(variant, to, place, leaves, count)?;
        } else {
            let expects = matches!(
                variant.opcode,
                Opcode::MbarrierArriveExpectTx | Opcode::MbarrierArriveDropExpectTx
            );
            let remote = says(variant, "shared::cluster");
            let flavor = if remote { "RED" } else { "" };
            let kind = match (expects, &count) {
                (true, _) => "",
                (false, None) => "A1T0",
                (false, Some(_)) => "ART0",
            };
            match (says(variant, "noComplete"), count) {
                (true, Some(count)) => self.arrive_together(to, place, leaves, count)?,
                (false, count) => self.arrival(to, place, (flavor, leaves, kind), count)?,
                (true, None) => return unsupported("no count"),
            }
        }
        if *state == Operand::Sink {
            return Ok(());
        }
        let state = self.destination(Some(state))?;
        for word in 0..2 {
            self.emit(Request::new(O::Mov).to(state.word(word)).from(to.word(word)))?;
        }
        Ok(())
    }

    /// `noComplete` from sm_90 on: threads that arrive together get their mask and the state before all of them, from which each makes its own. That wants one
    /// count for all, so that those with the same come one after the other. (Observed, ptxas 13.0.88.)
    fn arrive_together(&mut self, to: Register, place: (Word, i64), leaves: bool, count: Register) -> Lowered {
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let start = self.new_block();
        let one = self.function.register(RegisterClass::UniformGpr, 1);
        self.emit_bare(Request::new(O::R2ur).form("UR_R").to(one).at(F::Ra, count))?;
        let amount = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).form("R_UR").to(amount).at(F::URb, one))?;
        let same: Test = self
            .compare_words(Cmp::Eq, true, count, amount, Combine::And, Test::ALWAYS)?
            .into();
        self.guard = same;
        let common = self.temporary(2);
        self.arrival(common, place, ("TMASK", leaves, "ART0"), Some(amount))?;
        self.emit(Request::new(O::Mov).to(to.word(0)).from(common.word(0)))?;
        // The arrivals of lanes before this one are counted in the state from bit 11 of the upper word on.
        let below = self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_LTMASK"))?;
        let earlier = self.step(logic(common.word(0), below, Value::Zero, A & B))?;
        let earlier = self.step(Request::new(O::Popc).from(earlier))?;
        let unit = self.step(shift(earlier, number(11), Value::Zero, LEFT))?;
        self.emit(product(unit, amount, common.word(1)).to(to.word(1)))?;
        self.guard = Test::ALWAYS;
        self.emit_bare(Request::new(O::Bra).form("L").target(start).guarded(same.opposite()))?;
        self.new_block();
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// Before sm_90.
    fn arrive_by_words(
        &mut self,
        variant: &Variant,
        to: Register,
        (place, offset): (Word, i64),
        leaves: bool,
        count: Option<Register>,
    ) -> Lowered {
        let at = |request: Request, more: i64| request.at(F::Ra, place).number(F::Offset, (offset + more) as u64);
        let add = |count: Register| {
            Request::new(O::Atoms)
                .form("R_A_R")
                .at(F::Rb, count)
                .text(F::Operation, "ADD")
        };
        match (count, says(variant, "noComplete")) {
            (Some(count), true) => {
                if leaves {
                    let unused = self.temporary(1);
                    self.emit(at(add(count), 0).to(unused))?;
                }
                let old = self.temporary(1);
                self.emit(at(add(count), 4).to(old))?;
                self.emit(Request::new(O::Mov).to(to.word(0)).from(Value::Zero))?;
                self.emit(Request::new(O::Mov).to(to.word(1)).from(old))
            }
            (None, false) => {
                if leaves {
                    let one = self.copied(number(1))?;
                    let unused = self.temporary(1);
                    self.emit(at(add(one), 0).to(unused))?;
                }
                let arrive = Request::new(O::Atoms).form("ARRIVE.R_AU").text(F::Type, "64");
                self.emit(at(arrive, 0).to(to))
            }
            _ => unsupported("a count"),
        }
    }

    fn test_phase(&mut self, variant: &Variant, p: &Operand, address: &Address, phase: &Operand) -> Lowered {
        let (place, offset) = self.barrier_place(variant, address)?;
        let parity = matches!(
            variant.opcode,
            Opcode::MbarrierTestWaitParity | Opcode::MbarrierTryWaitParity
        );
        // The parity of the phase in the top bit: the high word of a state has it there.
        let phase: Source = if parity {
            let bit = self.source(Some(phase), Type::U32)?;
            self.step(shift(bit, number(31), Value::Zero, LEFT))?.into()
        } else {
            self.word(Some(phase), Type::U64, 1)?
        };
        let p = self.destination(Some(p))?;
        if self.is_old() {
            let now = self.temporary(1);
            self.emit(
                Request::new(O::Lds)
                    .form("R_A")
                    .to(now)
                    .at(F::Ra, place)
                    .number(F::Offset, (offset + 4) as u64),
            )?;
            let differs = self.step(logic(now, phase, number(0x8000_0000), (A ^ B) & C))?;
            return self.emit(
                Request::new(O::Isetp)
                    .sets(F::Pu, p)
                    .from(differs)
                    .from(Value::Zero)
                    .with(Cmp::Ne)
                    .with(Combine::And)
                    .flag(F::U32, true)
                    .when(F::Pp, Test::ALWAYS),
            );
        }
        let phase = self.held(phase)?;
        let Value::Register(phase) = phase.value else {
            return Err(UNSUPPORTED);
        };
        let tries = matches!(variant.opcode, Opcode::MbarrierTryWait | Opcode::MbarrierTryWaitParity);
        self.emit(
            Request::new(O::Syncs)
                .form("TRANS64.P_AU_R")
                .text(F::Action, "PHASECHK")
                .flag(F::Trywait, tries)
                .sets(F::Pu, p)
                .at(F::Ra, place)
                .number(F::Offset, offset as u64)
                .at(F::Rb, phase),
        )?;
        if says(variant, "cluster") && !says(variant, "relaxed") {
            self.invalidate(Scope::Gpu)?;
        }
        Ok(())
    }

    /// `mbarrier.pending_count`: the arrivals that a state says are missing.
    fn pending(&mut self, operands: &[Operand]) -> Lowered {
        let high = self.word(operands.get(1), Type::U64, 1)?;
        let to = self.destination(operands.first())?;
        if self.is_old() {
            let count = self.step(logic(high, number(0x7fff_ffff), Value::Zero, A & B))?;
            return self.emit(plus(number(0x8000_0000), negated(count)).to(to));
        }
        let count = self.step(shift(Value::Zero, number(11), high, RIGHT))?;
        let count = self.step(logic(count, number(0xf_ffff), Value::Zero, A & B))?;
        self.emit(plus(number(MOST), negated(count)).to(to))
    }
}
