//! Atomic operations: native where the machine has them, else loops of compare-and-swap.

use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, Operand},
    table::{Opcode, Type, TypeKind},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, Stop, UNSUPPORTED,
    half::format,
    memory::{Scope, Space, Strength, ordered, says, scope_of, space_of},
    operand::is_signed,
    steps::{LEFT, RIGHT, logic, number, select, shift},
    variables::unsupported,
    words,
};
use crate::{
    ir::{BlockId, Register},
    select::{Request, Source, Test, Value, Word},
};

/// Truth tables of `LOP3` over its first two operands.
const AND: u32 = 0xc0;
const OR: u32 = 0xfc;
const XOR: u32 = 0x3c;

/// An atomic operation on one element.
#[derive(Clone, Copy, Debug)]
struct Update {
    /// As SASS writes it; `CAS` for compare and swap.
    name: &'static str,
    of: Type,
    /// The old value goes here.
    result: Register,
    /// Whether anybody wants it.
    wanted: bool,
    value: Register,
    /// For compare and swap: the new value; `value` is what is compared.
    new: Option<Register>,
    scope: Scope,
}

impl Update {
    fn is_float(&self) -> bool {
        matches!(self.of.kind(), TypeKind::Float | TypeKind::Packed)
    }

    /// Whether shared memory has it.
    fn is_native_in_shared(&self) -> bool {
        let bits = self.of.bits();
        !self.is_float() && (bits == 32 || (matches!(bits, 64 | 128) && matches!(self.name, "EXCH" | "CAS")))
    }
}

impl Lowering<'_> {
    /// `atom` and `red`.
    pub(super) fn atomics(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        match variant.opcode {
            Opcode::Atom => Some(self.atomic(variant, operands.first(), operands.get(1..).unwrap_or(&[]))),
            Opcode::Red | Opcode::MultimemRed => Some(self.atomic(variant, None, operands)),
            _ => None,
        }
    }

    /// `[a], b{, c}`
    pub(super) fn atomic(&mut self, variant: &Variant, result: Option<&Operand>, operands: &[Operand]) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let name = operation(variant)?;
        let Some(Operand::Address(address)) = operands.first() else {
            return unsupported("this address");
        };
        if let Some(Operand::Vector(range)) = operands.get(1) {
            let values = self.parts(*range).to_vec();
            return self.vector_atomic(variant, name, result, address, &values);
        }
        let hint = usize::from(says(variant, "L2::cache_hint"));
        if operands.len() != 2 + usize::from(name == "CAS") + hint
            || matches!(operands.get(1), Some(Operand::Vector(_)))
        {
            return unsupported("a vector");
        }
        if of.bits() == 16 && matches!(name, "ADD" | "CAS") {
            return self.half_word_atomic(variant, name, result, operands);
        }
        let is_wide = of.bits() == 128 && matches!(name, "EXCH" | "CAS");
        if of.bits() < 32 || of.bits() > 64 && !is_wide {
            return unsupported("this type");
        }
        let space = space_of(variant)?;
        let update = Update {
            name,
            of,
            result: self.temporary(words(of)),
            wanted: result.is_some_and(|operand| !matches!(operand, Operand::Sink)),
            value: self.in_register(operands.get(1), of)?,
            new: match name {
                "CAS" => Some(self.in_register(operands.get(2), of)?),
                _ => None,
            },
            scope: scope_of(variant).unwrap_or(Scope::Gpu),
        };
        // The order of what is not said is relaxed.
        if ["release", "acq_rel"].iter().any(|order| says(variant, order)) {
            self.fence("ALL", update.scope)?;
        }
        self.update(space, address, &update)?;
        if ["acquire", "acq_rel"].iter().any(|order| says(variant, order)) {
            self.invalidate(update.scope)?;
        }
        let Some(result) = result.filter(|operand| !matches!(operand, Operand::Sink)) else {
            return Ok(());
        };
        let to = self.destination(Some(result))?;
        for word in 0..words(of).min(self.function.info(to).words) {
            self.emit(Request::new(O::Mov).to(to.word(word)).from(update.result.word(word)))?;
        }
        Ok(())
    }

    /// Several elements at once, each by itself atomic: in global memory, from sm_90 on.
    fn vector_atomic(
        &mut self,
        variant: &Variant,
        name: &'static str,
        result: Option<&Operand>,
        address: &Address,
        values: &[Operand],
    ) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let (space, isa) = (space_of(variant)?, self.function.isa());
        let scope = scope_of(variant).unwrap_or(Scope::Gpu);
        let kind = match (of, values.len()) {
            (Type::F32, 2) => "F32x2.FTZ.RN",
            (Type::F32, 4) => "F32x4.FTZ.RN",
            (Type::F16, 2) => "F16x2.RN",
            (Type::F16, 4) | (Type::F16x2, 2) => "F16x4.RN",
            (Type::F16, 8) | (Type::F16x2, 4) => "F16x8.RN",
            (Type::Bf16, 2) => "BF16x2.RN",
            (Type::Bf16, 4) | (Type::Bf16x2, 2) => "BF16x4.RN",
            (Type::Bf16, 8) | (Type::Bf16x2, 4) => "BF16x8.RN",
            _ => return unsupported("a vector"),
        };
        let known = match space {
            Space::Global => true,
            Space::Generic => false,
            _ => return unsupported("a vector in this space"),
        };
        let data = self.packed(values, of)?;
        let (base, offset) = self.locate(space, address)?;
        let descriptor = self.descriptor()?.ok_or(UNSUPPORTED)?;
        if ["release", "acq_rel"].iter().any(|order| says(variant, order)) {
            self.fence("ALL", scope)?;
        }
        let result = result.filter(|operand| !matches!(operand, Operand::Sink));
        let words = self.function.info(data).words;
        let old = self.temporary(words);
        let request = match (known, result.is_some()) {
            (true, false) => Request::new(O::Redg).form("D_R_f16x2rn"),
            (true, true) => Request::new(O::Atomg).form("P_R_D_R_f16x2rn").to(old),
            (false, _) => Request::new(O::Atom).form("P_R_D_R_f16x2rn").to(old),
        };
        let request = request
            .at(F::Ra, base)
            .number(F::Offset, offset as u64)
            .at(F::URc, descriptor)
            .at(F::Rb, data)
            .text(F::Address64, "E")
            .text(F::Operation, name)
            .text(F::Type, kind);
        self.emit(ordered(request, isa, Strength::Strong(scope)))?;
        if ["acquire", "acq_rel"].iter().any(|order| says(variant, order)) {
            self.invalidate(scope)?;
        }
        match result {
            Some(result) => {
                let targets = self.elements(Some(result))?;
                self.scatter(&targets, of, old)
            }
            None => Ok(()),
        }
    }

    /// Sums and swaps of 16 bits: a loop that swaps the word around them.
    fn half_word_atomic(
        &mut self,
        variant: &Variant,
        name: &'static str,
        result: Option<&Operand>,
        operands: &[Operand],
    ) -> Lowered {
        let of = variant.types().last().ok_or(UNSUPPORTED)?;
        let Some(Operand::Address(address)) = operands.first() else {
            return unsupported("this address");
        };
        let (space, scope) = (space_of(variant)?, scope_of(variant).unwrap_or(Scope::Gpu));
        let value = self.in_register(operands.get(1), of)?;
        let other = match name {
            "CAS" => Some(self.in_register(operands.get(2), of)?),
            _ => None,
        };
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        if ["release", "acq_rel"].iter().any(|order| says(variant, order)) {
            self.fence("ALL", scope)?;
        }
        let (base, offset) = match space {
            Space::Cluster => self.cluster_place(address)?,
            Space::Global | Space::Shared | Space::Generic => self.locate(space, address)?,
            Space::Local | Space::Constant | Space::Parameter => return Err(UNSUPPORTED),
        };
        let space = if space == Space::Cluster { Space::Generic } else { space };
        // The word, and how far its half is from the lowest bit.
        let place = self.temporary(2);
        let high: Source = if space == Space::Shared {
            Value::Zero.into()
        } else {
            let word = base.word + 1;
            Word { word, ..base }.into()
        };
        self.add_wide(place, base.into(), high, offset)?;
        let shift_by = self.step(logic(place, number(2), Value::Zero, 0xc0))?;
        let shift_by = self.step(shift(shift_by, number(3), Value::Zero, LEFT))?;
        self.emit(logic(place, number(!3), Value::Zero, 0xc0).to(place.word(0)))?;
        let ones = self.copied(number(0xffff))?;
        let mask = self.step(shift(ones, shift_by, Value::Zero, LEFT))?;
        let old = self.temporary(1);
        let load = self.access_at(space, (place.word(0), 0), true, Strength::Strong(scope))?;
        self.emit(load.to(old))?;
        let start = self.new_block();
        let half = self.step(shift(Value::Zero, shift_by, old, RIGHT))?;
        let half = self.step(logic(half, number(0xffff), Value::Zero, 0xc0))?;
        let new = match other {
            Some(other) => {
                let wanted = self.step(logic(value, number(0xffff), Value::Zero, 0xc0))?;
                let same = self.compare_words(Cmp::Eq, true, half, wanted, Combine::And, Test::ALWAYS)?;
                self.step(select(same, other, half))?
            }
            None => {
                let sum = Request::new(O::Hadd2).from(half).from(value);
                self.step(sum.text(F::Type, format(of)))?
            }
        };
        let moved = self.step(shift(new, shift_by, Value::Zero, LEFT))?;
        // The bits of the mask from the new, the others from the old.
        let whole = self.step(logic(moved, old, mask, 0xe4))?;
        let update = Update {
            name: "CAS",
            of: Type::B32,
            result: self.temporary(1),
            wanted: true,
            value: old,
            new: Some(whole),
            scope,
        };
        match space {
            Space::Shared => self.shared_update((place.word(0), 0), &update)?,
            _ => self.global_update(space == Space::Global, (place.word(0), 0), &update)?,
        }
        let differs = self.compare_words(Cmp::Ne, true, update.result, old, Combine::And, Test::ALWAYS)?;
        self.emit(Request::new(O::Mov).to(old).from(update.result))?;
        self.emit_bare(Request::new(O::Bra).form("L").target(start).guarded(differs))?;
        self.new_block();
        if ["acquire", "acq_rel"].iter().any(|order| says(variant, order)) {
            self.invalidate(scope)?;
        }
        if let Some(result) = result.filter(|operand| !matches!(operand, Operand::Sink)) {
            let to = self.destination(Some(result))?;
            self.emit(Request::new(O::Mov).to(to.word(0)).from(half))?;
        }
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    fn update(&mut self, space: Space, address: &Address, update: &Update) -> Lowered {
        match space {
            Space::Global => {
                let place = self.locate(space, address)?;
                self.global_update(true, place, update)
            }
            Space::Shared => {
                let place = self.locate(space, address)?;
                self.shared_update(place, update)
            }
            Space::Generic if update.is_native_in_shared() && update.of.bits() != 64 => {
                let place = self.locate(space, address)?;
                self.global_update(false, place, update)
            }
            Space::Generic => self.generic_update(address, update),
            Space::Cluster if update.is_native_in_shared() => {
                let place = self.cluster_place(address)?;
                self.global_update(false, place, update)
            }
            Space::Cluster => unsupported("shared memory of another CTA"),
            Space::Local | Space::Constant | Space::Parameter => Err(UNSUPPORTED),
        }
    }

    /// What shared memory does not have is done apart where the address is one of shared memory.
    fn generic_update(&mut self, address: &Address, update: &Update) -> Lowered {
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let (base, offset) = self.locate(Space::Generic, address)?;
        let full = self.temporary(2);
        let high = Word {
            word: base.word + 1,
            ..base
        };
        self.add_wide(full, base.into(), high.into(), offset)?;
        let shared = self.predicate();
        self.emit(
            Request::new(O::Qspc)
                .form("P_R_A")
                .sets(F::Pu, shared)
                .at(F::Ra, full)
                .text(F::Address64, "E")
                .text(F::Space, "S"),
        )?;
        let to_shared = self.open_branch(shared.into())?;
        self.global_update(true, (full.word(0), 0), update)?;
        let to_end = self.open_branch(Test::ALWAYS)?;
        self.close_branch(to_shared);
        let place = self.change_space(Space::Shared, false, [full.word(0).into(), full.word(1).into()])?;
        self.shared_update((place.word(0), 0), update)?;
        self.close_branch(to_end);
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// A word goes to global memory at once, seen by all of the scope; what was there is not wanted.
    pub(super) fn exchange_word(&mut self, place: (Word, i64), value: Register, scope: Scope) -> Lowered {
        let update = Update {
            name: "EXCH",
            of: Type::B32,
            result: self.temporary(1),
            wanted: false,
            value,
            new: None,
            scope,
        };
        self.global_update(true, place, &update)
    }

    /// In global memory, or by a generic address (`known` false).
    fn global_update(&mut self, known: bool, (base, offset): (Word, i64), update: &Update) -> Lowered {
        let isa = self.function.isa();
        let strength = Strength::Strong(update.scope);
        let finish = |request: Request| {
            ordered(
                request
                    .at(F::Ra, base)
                    .number(F::Offset, offset as u64)
                    .text(F::Address64, "E"),
                isa,
                strength,
            )
            .text(F::Type, type_text(update))
        };
        let returning = if known { O::Atomg } else { O::Atom };
        if let Some(new) = update.new {
            let request = Request::new(returning).form("CAS.P_R_A_R_R").to(update.result);
            return self.emit(finish(request.at(F::Rb, update.value).at(F::Rc, new)));
        }
        let descriptor = self.descriptor()?;
        let reduces = known && !update.wanted && update.name != "EXCH";
        let opcode = match (reduces, isa >= Isa::Sm90) {
            (false, _) => returning,
            (true, false) => O::Red,
            (true, true) => O::Redg,
        };
        let form = match (isa, reduces, update.is_float()) {
            (Isa::Sm75, false, _) => "P_R_A_R_ordering",
            (Isa::Sm75, true, _) => "A_R",
            (Isa::Sm80 | Isa::Sm86 | Isa::Sm89, false, _) => "P_R_D_R_e",
            (Isa::Sm80 | Isa::Sm86 | Isa::Sm89, true, _) => "D_R",
            (_, false, false) => "P_R_D_R_s32",
            (_, true, false) => "D_R_s32",
            (_, false, true) => "P_R_D_R_f16x2rn",
            (_, true, true) => "D_R_f16x2rn",
        };
        let mut request = Request::new(opcode)
            .form(form)
            .at(F::Rb, update.value)
            .text(F::Operation, update.name);
        if !reduces {
            request = request.to(update.result);
        }
        if let Some(descriptor) = descriptor {
            request = request.at(F::URc, descriptor);
        }
        self.emit(finish(request))
    }

    fn shared_update(&mut self, (base, offset): (Word, i64), update: &Update) -> Lowered {
        if !update.is_native_in_shared() {
            return self.swap_loop((base, offset), update);
        }
        let request = Request::new(O::Atoms)
            .to(update.result)
            .at(F::Ra, base)
            .number(F::Offset, offset as u64)
            .at(F::Rb, update.value)
            .text(F::Type, type_text(update));
        self.emit(match update.new {
            Some(new) => request.form("CAS.R_A_R_R").at(F::Rc, new),
            None => request.form("R_A_R").text(F::Operation, update.name),
        })
    }

    /// In shared memory: loads, computes, and swaps if nobody was faster.
    fn swap_loop(&mut self, (base, offset): (Word, i64), update: &Update) -> Lowered {
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let of = update.of;
        let wide = words(of) == 2;
        let offset = offset as u64;
        let old = update.result;
        self.emit(
            Request::new(O::Lds)
                .form("R_A")
                .to(old)
                .at(F::Ra, base)
                .number(F::Offset, offset)
                .text(F::Size, if wide { "64" } else { "" })
                .flag(F::Unsigned, self.function.isa() == Isa::Sm75),
        )?;
        let start = self.new_block();
        let new = self.combined(update, old)?;
        let found = self.temporary(words(of));
        self.emit(
            Request::new(O::Atoms)
                .form("CAS.R_A_R_R")
                .to(found)
                .at(F::Ra, base)
                .number(F::Offset, offset)
                .at(F::Rb, old)
                .at(F::Rc, new)
                .text(F::Type, if wide { "64" } else { "" }),
        )?;
        let mut differs = self.compare_words(Cmp::Ne, true, found.word(0), old.word(0), Combine::And, Test::ALWAYS)?;
        if wide {
            differs = self.compare_words(Cmp::Ne, true, found.word(1), old.word(1), Combine::Or, differs.into())?;
        }
        for word in 0..words(of) {
            self.emit(Request::new(O::Mov).to(old.word(word)).from(found.word(word)))?;
        }
        self.emit_bare(Request::new(O::Bra).form("L").target(start).guarded(differs))?;
        self.new_block();
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// `old op value`
    fn combined(&mut self, update: &Update, old: Register) -> Lowered<Register> {
        let (of, value) = (update.of, update.value);
        let to = self.temporary(words(of));
        match (update.name, of) {
            ("ADD", Type::F32) => self.emit(Request::new(O::Fadd).to(to).from(old).from(value))?,
            ("ADD", Type::F16x2 | Type::Bf16x2) => {
                let sum = Request::new(O::Hadd2).to(to).from(old).from(value);
                self.emit(sum.text(F::Type, format(of)))?;
            }
            ("ADD", Type::F64) => self.emit(Request::new(O::Dadd).to(to).from(old).from(value))?,
            ("ADD", _) if !update.is_float() && of.bits() == 64 => {
                let pair = |register: Register| [register.word(0).into(), register.word(1).into()];
                self.add_pairs(to, pair(old), pair(value))?;
            }
            ("MIN" | "MAX", _) if !update.is_float() && of.bits() == 64 => {
                let (less, signed) = (update.name == "MIN", is_signed(of));
                let keeps = self.ordered_before(old, value, !less, signed)?;
                for word in 0..2 {
                    self.emit(
                        Request::new(O::Sel)
                            .to(to.word(word))
                            .from(old.word(word))
                            .from(value.word(word))
                            .when(F::Pp, keeps),
                    )?;
                }
            }
            ("AND" | "OR" | "XOR", _) if !update.is_float() => {
                let table = match update.name {
                    "AND" => AND,
                    "OR" => OR,
                    _ => XOR,
                };
                for word in 0..words(of) {
                    self.emit(
                        Request::new(O::Lop3)
                            .literal("LUT")
                            .to(to.word(word))
                            .from(old.word(word))
                            .from(value.word(word))
                            .from(Value::Zero)
                            .from(Value::Immediate(table)),
                    )?;
                }
            }
            _ => return unsupported("this type in shared memory"),
        }
        Ok(to)
    }

    /// Whether `a < b` of 64 bits (`a > b` where `greater`).
    fn ordered_before(&mut self, a: Register, b: Register, greater: bool, signed: bool) -> Lowered<Register> {
        let cmp = if greater { Cmp::Gt } else { Cmp::Lt };
        let low = self.compare_words(cmp, true, a.word(0), b.word(0), Combine::And, Test::ALWAYS)?;
        let equal = self.compare_words(Cmp::Eq, true, a.word(1), b.word(1), Combine::And, low.into())?;
        self.compare_words(cmp, !signed, a.word(1), b.word(1), Combine::Or, equal.into())
    }

    /// A comparison of two words, combined with a predicate.
    pub(super) fn compare_words(
        &mut self,
        cmp: Cmp,
        is_unsigned: bool,
        a: impl Into<Source>,
        b: impl Into<Source>,
        combine: Combine,
        with: Test,
    ) -> Lowered<Register> {
        let p = self.predicate();
        self.emit_bare(
            Request::new(O::Isetp)
                .sets(F::Pu, p)
                .from(a)
                .from(b)
                .with(cmp)
                .with(combine)
                .flag(F::U32, is_unsigned)
                .when(F::Pp, with),
        )?;
        Ok(p)
    }

    /// Where the instruction has a guard: a branch around what follows, which then needs none.
    pub(super) fn skip_unless_guarded(&mut self) -> Lowered<Option<(usize, usize)>> {
        let guard = std::mem::replace(&mut self.guard, Test::ALWAYS);
        match guard.register {
            Some(_) => Ok(Some(self.open_branch(guard.opposite())?)),
            None => Ok(None),
        }
    }

    /// A branch to a place that is not known yet; a new block follows.
    pub(super) fn open_branch(&mut self, test: Test) -> Lowered<(usize, usize)> {
        let request = Request::new(O::Bra).form("L").target(BlockId(0));
        self.emit_bare(if test == Test::ALWAYS {
            request
        } else {
            request.guarded(test)
        })?;
        let block = self.block.0 as usize;
        let index = self.function.blocks[block].code.len() - 1;
        self.new_block();
        Ok((block, index))
    }

    /// The place that a branch goes to: here.
    pub(super) fn close_branch(&mut self, (block, index): (usize, usize)) {
        let here = self.new_block();
        let code = self.function.blocks.get_mut(block).map(|block| &mut block.code);
        if let Some(branch) = code.and_then(|code| code.get_mut(index)) {
            branch.target = Some(here);
        }
    }
}

/// The operation, as SASS writes it.
fn operation(variant: &Variant) -> Lowered<&'static str> {
    let names = variant.modifiers.iter().flatten().filter_map(|modifier| {
        Some(match modifier.name() {
            "add" => "ADD",
            "min" => "MIN",
            "max" => "MAX",
            "inc" => "INC",
            "dec" => "DEC",
            "and" => "AND",
            "or" => "OR",
            "xor" => "XOR",
            "exch" => "EXCH",
            "cas" => "CAS",
            _ => return None,
        })
    });
    { names }.next().ok_or(Stop::Unsupported(None))
}

/// The type modifier.
fn type_text(update: &Update) -> &'static str {
    let ordered = matches!(update.name, "MIN" | "MAX");
    match (update.of, update.of.bits()) {
        (Type::F32, _) => "F32.FTZ.RN",
        (Type::F64, _) => "F64.RN",
        (Type::F16x2, _) => "F16x2.RN",
        (Type::Bf16x2, _) => "BF16x2.RN",
        (of, 64) if ordered && is_signed(of) => "S64",
        (_, 128) => "128",
        (_, 64) => "64",
        (of, _) if ordered && is_signed(of) => "S32",
        _ => "",
    }
}
