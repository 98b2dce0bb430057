//! Asynchronous copies of threads: `cp.async`, its groups, and what waits for them. (Which instruction: observed, ptxas 13.0.88.)

use rustc_hash::FxHashMap;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Body, Module, Operand},
    table::{Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Space, says},
    once::written_once,
    steps::{A, B, logic, number, plus},
    variables::unsupported,
};
use crate::select::{Request, Test, Value, Word, negated};
use warpsmith_sass::tables::{Cmp, Combine};

/// The registers that hold one number of bytes or 0, with that number: a move of it, or a choice between it and 0, is all that writes them. Triton masks
/// copies so, and ptxas then copies everything or nothing.
pub(super) fn whole_or_nothing(module: &Module, body: &Body) -> FxHashMap<u32, u64> {
    written_once(module, body, |opcode, operands| match (opcode, operands) {
        (Opcode::Mov, [_, Operand::Integer(bytes, _)]) => Some(*bytes),
        (Opcode::Selp, [_, Operand::Integer(bytes, _), Operand::Integer(0, _), _])
        | (Opcode::Selp, [_, Operand::Integer(0, _), Operand::Integer(bytes, _), _]) => Some(*bytes),
        _ => None,
    })
}

impl Lowering<'_> {
    /// Copies that go on while the thread does, and barriers that count them.
    pub(super) fn asynchronous(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::CpAsync => self.copy_asynchronously(variant, operands),
            Opcode::CpAsyncCommitGroup => self.emit(Request::new(O::Ldgdepbar).form("none")),
            Opcode::CpAsyncWaitGroup => match operands {
                [Operand::Integer(count, _)] => self.wait_for_groups(*count),
                _ => Err(UNSUPPORTED),
            },
            Opcode::CpAsyncWaitAll => self
                .emit(Request::new(O::Ldgdepbar).form("none"))
                .and_then(|()| self.wait_for_groups(0)),
            Opcode::CpAsyncMbarrierArrive => self.arrive_after_copies(variant, operands),
            _ => return self.mbarrier(variant, operands),
        })
    }

    /// Groups end in order: the scoreboard counts those that are not done.
    pub(super) fn wait_for_groups(&mut self, count: u64) -> Lowered {
        // More than the field holds are never in flight.
        let count = count.min(63);
        self.emit(
            Request::new(O::Depbar)
                .form("LE.SB_I")
                .number(F::Scoreboard, 0)
                .number(F::Imm, count),
        )
    }

    /// `cp.async [a], [b], size{, bytes to read or predicate to read nothing}`
    fn copy_asynchronously(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [
            Operand::Address(to),
            Operand::Address(from),
            Operand::Integer(size, _),
            more @ ..,
        ] = operands
        else {
            return Err(UNSUPPORTED);
        };
        let size = *size as u32;
        let hint = usize::from(says(variant, "L2::cache_hint"));
        let more = more.get(..more.len().saturating_sub(hint)).unwrap_or(&[]);
        let to = self.locate(Space::Shared, to)?;
        let (to, to_offset) = self.near(to, 1 << 19)?;
        let mut from = self.locate(Space::Global, from)?;
        let mut fills = false;
        let mut reads = Test::ALWAYS;
        match more {
            [] => {}
            [Operand::Integer(bytes, _)] => match *bytes as u32 {
                0 => reads = Test::NEVER,
                bytes if bytes < size => {
                    // The machine reads from an address up to the next that is a multiple of the size.
                    from.1 += i64::from(size - bytes);
                    fills = true;
                }
                _ => {}
            },
            [operand] if self.is_predicate(operand) => reads = self.test(Some(operand))?.opposite(),
            [Operand::Register(register)] if self.whole_or_nothing.get(&register.0) == Some(&u64::from(size)) => {
                let bytes = self.source(more.first(), Type::U32)?;
                reads = self
                    .compare_words(Cmp::Ne, true, bytes, Value::Zero, Combine::And, Test::ALWAYS)?
                    .into();
            }
            [operand] => {
                let bytes = self.source(Some(operand), Type::U32)?;
                let missing = self.step(plus(number(size), negated(bytes)))?;
                let missing = self.step(logic(missing, number(size - 1), Value::Zero, A & B))?;
                let (base, offset) = from;
                let high = Word {
                    word: base.word + 1,
                    ..base
                };
                let sum = self.temporary(2);
                self.add_pairs(sum, [base.into(), high.into()], [missing.into(), Value::Zero.into()])?;
                from = (sum.word(0), offset);
                let some = self.compare_words(Cmp::Ne, true, bytes, Value::Zero, Combine::And, Test::ALWAYS)?;
                reads = some.into();
                fills = true;
            }
            _ => return Err(UNSUPPORTED),
        }
        let (from, from_offset) = self.near(from, 1 << 11)?;
        let descriptor = self.descriptor()?.ok_or(UNSUPPORTED)?;
        let old = self.function.isa() < Isa::Sm90;
        let request = Request::new(O::Ldgsts)
            .form(if old { "E.A_A64" } else { "E.A_D" })
            .at(F::Rd, to)
            .number(F::SharedOffset, to_offset as u64 & 0xf_ffff)
            .at(F::Ra, from)
            .number(F::Offset, from_offset as u64 & 0xfff)
            .at(F::URc, descriptor)
            .text(F::Bypass, if says(variant, "cg") { "BYPASS" } else { "" })
            .text(
                F::Size,
                match size {
                    4 => "",
                    8 => "64",
                    16 => "128",
                    _ => return Err(UNSUPPORTED),
                },
            )
            .flag(F::Zfill, fills)
            .when(F::Pp, reads);
        self.emit(request)
    }

    fn is_predicate(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Not(_) => true,
            Operand::Register(register) => {
                let of = self.numbers.index(*register).and_then(|index| self.types.get(index));
                of == Some(&Type::Pred)
            }
            _ => false,
        }
    }

    /// An address whose offset is within limits: else the sum in a register. Of two words, if the base has two.
    pub(super) fn near(&mut self, (base, offset): (Word, i64), limit: i64) -> Lowered<(Word, i64)> {
        if (-limit..limit).contains(&offset) {
            return Ok((base, offset));
        }
        let wide = self.function.info(base.register).words > base.word + 1;
        if !wide {
            let sum = self.step(plus(base, number(offset as u32)))?;
            return Ok((sum.word(0), 0));
        }
        let sum = self.temporary(2);
        let high = Word {
            word: base.word + 1,
            ..base
        };
        self.add_wide(sum, base.into(), high.into(), offset)?;
        Ok((sum.word(0), 0))
    }

    /// `cp.async.mbarrier.arrive`: without `.noinc` the arrival is one more that is expected.
    fn arrive_after_copies(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(address)] = operands else {
            return Err(UNSUPPORTED);
        };
        let (place, offset) = self.barrier_place(variant, address)?;
        let keeps = says(variant, "noinc");
        let arrival = Request::new(O::Arrives)
            .form("AU")
            .at(F::Ra, place)
            .number(F::Offset, offset as u64)
            .text(F::Ldgstsbar, "LDGSTSBAR")
            .text(F::Size, "64");
        if self.function.isa() < Isa::Sm90 {
            if !keeps {
                let one = self.copied(number(u32::MAX))?;
                let unused = self.temporary(1);
                self.emit(
                    Request::new(O::Atoms)
                        .form("R_A_R")
                        .to(unused)
                        .at(F::Ra, place)
                        .number(F::Offset, (offset + 4) as u64)
                        .at(F::Rb, one)
                        .text(F::Operation, "ADD")
                        .text(F::Type, "S32"),
                )?;
            }
            return self.emit(arrival);
        }
        if !keeps {
            // One transaction more is expected; the arrival completes it.
            self.synchronise(place, offset, "RED", "A0T1", None)?;
        }
        self.emit(arrival.text(F::Counter, if keeps { "ARVCNT" } else { "TRANSCNT" }))
    }

    /// Where a barrier object is.
    pub(super) fn barrier_place(
        &mut self,
        variant: &Variant,
        address: &warpsmith_ptx::module::Address,
    ) -> Lowered<(Word, i64)> {
        if says(variant, "shared::cluster") {
            return self.locate(Space::Cluster, address);
        }
        if variant.slot("state").is_some() || variant.slot("ss").is_some() {
            return self.locate(Space::Shared, address);
        }
        match self.function.has_clusters() {
            // The low word of a generic address is the address in the window.
            true => self.generic_in_shared(address),
            false if address.offset == 0 || self.function.constants().shared_window.is_some() => {
                self.generic_in_shared(address)
            }
            false => unsupported("a generic address"),
        }
    }
}
