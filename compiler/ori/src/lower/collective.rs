//! What the lanes of a warp do together.
//!
//! The lanes of the mask come together first (`WARPSYNC`); others may run along with them, so what they say is masked out.

use rustc_hash::FxHashSet;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Body, Module, Operand},
    table::{Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::says,
    once::written_once,
    operand::{first_type, is_signed},
    words,
};
use crate::{
    ir::Register,
    select::{Request, Test, Value},
};

/// Every lane.
const ALL: u64 = 0xffff_ffff;

/// The registers that hold the mask of every lane: a move of it is all that writes them. Assembly in C++ and Triton name masks by registers.
pub(super) fn whole_masks(module: &Module, body: &Body) -> FxHashSet<u32> {
    let masks = written_once(module, body, |opcode, operands| match (opcode, operands) {
        (Opcode::Mov, [_, Operand::Integer(bits, _)]) if bits & ALL == ALL => Some(()),
        _ => None,
    });
    masks.into_keys().collect()
}

impl Lowering<'_> {
    /// Shuffles, votes, matches, reductions over a warp.
    pub(super) fn collectives(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::BarWarp => self.wait_for(operands.first(), true).map(|_| ()),
            Opcode::Shfl => self.shuffle(variant, operands),
            Opcode::Vote => self.vote(variant, operands),
            Opcode::Match => self.match_lanes(variant, operands),
            Opcode::Activemask => self.active(operands),
            Opcode::Redux => self.reduce(variant, operands),
            Opcode::Elect => self.elect(operands),
            _ => return None,
        })
    }

    /// The lanes of a mask come together. Gives the mask unless it is that of all lanes.
    fn gather(&mut self, mask: Option<&Operand>) -> Lowered<Option<Register>> {
        self.wait_for(mask, false)
    }

    /// [`Lowering::gather`]; `ordering`: the lanes then see what any of them wrote before.
    fn wait_for(&mut self, mask: Option<&Operand>, ordering: bool) -> Lowered<Option<Register>> {
        let isa = self.function.isa();
        let is_whole = match mask {
            Some(Operand::Integer(bits, _)) => bits & ALL == ALL,
            Some(Operand::Register(register)) => self.whole_masks.contains(&register.0),
            _ => false,
        };
        if is_whole {
            let request = Request::new(O::Warpsync).ordering(ordering);
            self.emit(if isa < Isa::Sm90 {
                request.form("I").number(F::Imm, ALL)
            } else {
                request.form("ALL.none")
            })?;
            return Ok(None);
        }
        let mask = self.in_register(mask, Type::U32)?;
        let field = if isa < Isa::Sm90 { F::Rb } else { F::Ra };
        self.emit(Request::new(O::Warpsync).form("R").at(field, mask).ordering(ordering))?;
        Ok(Some(mask))
    }

    fn shuffle(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (to, p) = match operands.first() {
            Some(Operand::Pair(range)) => {
                let pair = self.list(*range).to_vec();
                (pair.first().copied(), pair.get(1).copied())
            }
            operand => (operand.copied(), None),
        };
        if says(variant, "sync") || operands.len() > 4 {
            self.gather(operands.get(4))?;
        }
        let mode = ["idx", "up", "down", "bfly"]
            .iter()
            .zip(["IDX", "UP", "DOWN", "BFLY"])
            .find(|(name, _)| says(variant, name));
        let (_, mode) = mode.ok_or(UNSUPPORTED)?;
        let a = self.in_register(operands.get(1), Type::B32)?;
        let (b, c) = (
            self.source(operands.get(2), Type::B32)?,
            self.source(operands.get(3), Type::B32)?,
        );
        let mut request = Request::new(O::Shfl).from(a).from(b).from(c).text(F::Mode, mode);
        if !matches!(to, Some(Operand::Sink)) {
            request = request.to(self.destination(to.as_ref())?);
        }
        if let Some(p) = p.filter(|p| !matches!(p, Operand::Sink)) {
            request = request.sets(F::Pu, self.destination(Some(&p))?);
        }
        self.emit(request)
    }

    /// The lanes in which a predicate holds, of those of the mask.
    fn ballot(&mut self, test: Test, mask: Option<Register>) -> Lowered<Register> {
        let lanes = self.temporary(1);
        self.emit(
            Request::new(O::Vote)
                .form("P_P")
                .to(lanes)
                .text(F::Mode, "ANY")
                .when(F::Pp, test),
        )?;
        let Some(mask) = mask else { return Ok(lanes) };
        let masked = self.temporary(1);
        self.both(masked, lanes, mask)?;
        Ok(masked)
    }

    fn both(&mut self, to: Register, a: Register, b: Register) -> Lowered {
        self.emit(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(to)
                .from(a)
                .from(b)
                .from(Value::Zero)
                .from(Value::Immediate(0xc0)),
        )
    }

    /// A comparison of words into a predicate of the program, under the guard.
    pub(super) fn decide(
        &mut self,
        p: Register,
        cmp: Cmp,
        a: Register,
        b: impl Into<Value>,
        combine: Combine,
        with: Test,
    ) -> Lowered {
        self.emit(
            Request::new(O::Isetp)
                .sets(F::Pu, p)
                .from(a)
                .from(b.into())
                .with(cmp)
                .with(combine)
                .flag(F::U32, true)
                .when(F::Pp, with),
        )
    }

    fn vote(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let test = self.test(operands.get(1))?;
        let mask = match operands.get(2) {
            Some(mask) => self.gather(Some(mask))?,
            None => None,
        };
        let to = self.destination(operands.first())?;
        let yes = self.ballot(test, mask)?;
        if says(variant, "ballot") {
            return self.emit(Request::new(O::Mov).to(to).from(yes));
        }
        if says(variant, "any") {
            return self.decide(to, Cmp::Ne, yes, Value::Zero, Combine::And, Test::ALWAYS);
        }
        let there = self.ballot(Test::ALWAYS, mask)?;
        if says(variant, "all") {
            return self.decide(to, Cmp::Eq, yes, there, Combine::And, Test::ALWAYS);
        }
        let none = self.compare_words(Cmp::Eq, true, yes, Value::Zero, Combine::And, Test::ALWAYS)?;
        self.decide(to, Cmp::Eq, yes, there, Combine::Or, none.into())
    }

    fn match_lanes(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let value = self.in_register(operands.get(1), of)?;
        let mask = self.gather(operands.get(2))?;
        let lanes = self.temporary(1);
        self.emit(
            Request::new(O::Match)
                .form("ANY.R_R")
                .to(lanes)
                .at(F::Ra, value)
                .flag(F::U64, words(of) == 2),
        )?;
        let equal = match mask {
            Some(mask) => {
                let masked = self.temporary(1);
                self.both(masked, lanes, mask)?;
                masked
            }
            None => lanes,
        };
        let (to, p) = match operands.first() {
            Some(Operand::Pair(range)) => {
                let pair = self.list(*range).to_vec();
                (pair.first().copied(), pair.get(1).copied())
            }
            operand => (operand.copied(), None),
        };
        if says(variant, "any") {
            let to = self.destination(to.as_ref())?;
            return self.emit(Request::new(O::Mov).to(to).from(equal));
        }
        // All lanes agree if as many hold this value as there are.
        let there = self.ballot(Test::ALWAYS, mask)?;
        let agree = self.compare_words(Cmp::Eq, true, equal, there, Combine::And, Test::ALWAYS)?;
        if let Some(p) = p.filter(|p| !matches!(p, Operand::Sink)) {
            let p = self.destination(Some(&p))?;
            self.decide(p, Cmp::Eq, equal, there, Combine::And, Test::ALWAYS)?;
        }
        if matches!(to, Some(Operand::Sink)) {
            return Ok(());
        }
        let to = self.destination(to.as_ref())?;
        self.emit(
            Request::new(O::Sel)
                .to(to)
                .from(there)
                .from(Value::Zero)
                .when(F::Pp, agree),
        )
    }

    fn active(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let lanes = self.ballot(Test::ALWAYS, None)?;
        self.emit(Request::new(O::Mov).to(to).from(lanes))
    }

    fn reduce(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let a = self.in_register(operands.get(1), of)?;
        if let Some(mask) = self.gather(operands.get(2))? {
            return self.reduce_some(variant, operands, a, mask);
        }
        let extreme = says(variant, "min") || says(variant, "max");
        let name = [
            ("add", "SUM"),
            ("min", "MIN"),
            ("max", "MAX"),
            ("and", ""),
            ("or", "OR"),
            ("xor", "XOR"),
        ]
        .iter()
        .find(|(name, _)| says(variant, name));
        let (_, name) = name.ok_or(UNSUPPORTED)?;
        let to = self.destination(operands.first())?;
        let uniform = self.function.register(RegisterClass::UniformGpr, 1);
        // Extremes have another instruction on some (observed, ptxas 13.0.88).
        let other = extreme && matches!(self.function.isa(), Isa::Sm100 | Isa::Sm103);
        let single = match (says(variant, "max"), says(variant, "abs")) {
            (false, false) => "MIN",
            (false, true) => "MINABS",
            (true, false) => "MAX",
            (true, true) => "MAXABS",
        };
        let name = if of == Type::F32 { single } else { name };
        let request = if of == Type::F32 {
            let request = Request::new(O::Credux).text(F::Type, "F32");
            request.flag(F::Nan, says(variant, "NaN"))
        } else if other {
            let kind = if is_signed(of) { "S32" } else { "" };
            Request::new(O::Credux).text(F::Type, kind)
        } else {
            Request::new(O::Redux).flag(F::S32, is_signed(of))
        };
        self.emit(request.form("UR_R").to(uniform).at(F::Ra, a).text(F::Operation, name))?;
        self.emit(Request::new(O::Mov).form("R_UR").to(to).at(F::URb, uniform))
    }

    /// `redux` over some lanes: others may run along with them, so the values are fetched one by one.
    fn reduce_some(&mut self, variant: &Variant, operands: &[Operand], a: Register, mask: Register) -> Lowered {
        let of = first_type(variant)?;
        let names = variant.modifiers.iter().flatten().map(|modifier| modifier.name());
        let name = { names }
            .find(|name| ["add", "min", "max", "and", "or", "xor"].contains(name))
            .ok_or(UNSUPPORTED)?;
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let (left, sum) = (self.temporary(1), self.temporary(1));
        self.emit_bare(Request::new(O::Mov).to(left).from(mask))?;
        let start = match name {
            "add" | "or" | "xor" => Value::Zero,
            "and" => Value::Immediate(u32::MAX),
            // The thread's own value is one of them.
            _ => a.into(),
        };
        self.emit_bare(if says(variant, "abs") {
            super::steps::logic(start, Value::Immediate(0x7fff_ffff), Value::Zero, 0xc0).to(sum)
        } else {
            Request::new(O::Mov).to(sum).from(start)
        })?;
        let again = self.new_block();
        // The highest lane that is left.
        let lane = self.step(Request::new(O::Flo).from(left).flag(F::U32, true))?;
        let value = self.temporary(1);
        self.emit_bare(
            Request::new(O::Shfl)
                .to(value)
                .from(a)
                .from(lane)
                .from(Value::Immediate(31))
                .text(F::Mode, "IDX"),
        )?;
        let next = match name {
            "add" => super::steps::plus(sum, value),
            "min" | "max" if of == Type::F32 => {
                let value: crate::select::Source = match says(variant, "abs") {
                    true => crate::select::absolute(value),
                    false => value.into(),
                };
                let choice = if name == "min" { Test::ALWAYS } else { Test::NEVER };
                let next = Request::new(O::Fmnmx).from(sum).from(value).when(F::Pp, choice);
                next.flag(F::Nan, says(variant, "NaN"))
            }
            "min" | "max" => {
                let cmp = if name == "min" { Cmp::Lt } else { Cmp::Gt };
                let takes = self.compare_words(cmp, !is_signed(of), value, sum, Combine::And, Test::ALWAYS)?;
                super::steps::select(takes, value, sum)
            }
            "and" => super::steps::logic(sum, value, Value::Zero, 0xc0),
            "or" => super::steps::logic(sum, value, Value::Zero, 0xfc),
            _ => super::steps::logic(sum, value, Value::Zero, 0x3c),
        };
        self.emit_bare(next.to(sum))?;
        let one = self.copied(Value::Immediate(1))?;
        let bit = self.step(super::steps::shift(one, lane, Value::Zero, super::steps::LEFT))?;
        self.emit_bare(super::steps::logic(left, bit, Value::Zero, 0x30).to(left))?;
        let more = self.compare_words(Cmp::Ne, true, left, Value::Zero, Combine::And, Test::ALWAYS)?;
        self.emit_bare(Request::new(O::Bra).form("L").target(again).guarded(more))?;
        self.new_block();
        let to = self.destination(operands.first())?;
        self.emit_bare(Request::new(O::Mov).to(to).from(sum))?;
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// The lowest lane of a mask is the one.
    fn elect_some(&mut self, pair: &[Operand], mask: Register) -> Lowered {
        let minus = self.step(super::steps::plus(Value::Zero, crate::select::negated(mask)))?;
        let lowest = self.step(super::steps::logic(mask, minus, Value::Zero, 0xc0))?;
        let lane = self.step(Request::new(O::Flo).from(lowest).flag(F::U32, true))?;
        let own = self.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_LANEID"))?;
        let p = self.destination(pair.get(1))?;
        self.decide(p, Cmp::Eq, own, lane, Combine::And, Test::ALWAYS)?;
        match pair.first() {
            Some(Operand::Sink) | None => Ok(()),
            to => {
                let to = self.destination(to)?;
                self.emit(Request::new(O::Mov).to(to).from(lane))
            }
        }
    }

    fn elect(&mut self, operands: &[Operand]) -> Lowered {
        let Some(Operand::Pair(range)) = operands.first() else {
            return Err(UNSUPPORTED);
        };
        let pair = self.list(*range).to_vec();
        if let Some(mask) = self.gather(operands.get(1))? {
            return self.elect_some(&pair, mask);
        }
        let p = self.destination(pair.get(1))?;
        let election = Request::new(O::Elect)
            .form("P_UR_P")
            .sets(F::Pu, p)
            .when(F::Pp, Test::ALWAYS);
        match pair.first() {
            Some(Operand::Sink) | None => self.emit(election),
            to => {
                let uniform = self.function.register(RegisterClass::UniformGpr, 1);
                self.emit(election.to(uniform))?;
                let to = self.destination(to)?;
                self.emit(Request::new(O::Mov).form("R_UR").to(to).at(F::URb, uniform))
            }
        }
    }
}
