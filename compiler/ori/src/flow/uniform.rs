//! Uniform registers: values that are the same in all threads of a warp, computed once for the warp by the uniform datapath.
//!
//! A value moves if what computes it has a uniform counterpart whose operands have moved too or are constants, and if each of its readers takes a uniform
//! register in its place. A uniform register is the warp's: it is written only where all threads of the warp are together, and not at all in functions in
//! which threads may come apart by other ways than branches, or be let past a convergence barrier early.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};
use warpsmith_target::Isa;

use super::{
    shape::{End, Shape},
    uniform_pressure,
    varying::{Varying, special},
};
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
    select::{Request, Source, Value},
};

/// Moves values to uniform registers, on generations on which ptxas does so (observed, ptxas 13.0.88: from sm_90 on).
pub(crate) fn uniform_registers(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let old = matches!(function.isa(), Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89);
    if old || !function.kernel {
        return Ok(());
    }
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    let order: Vec<usize> = (0..shape.nodes.len()).collect();
    let flow = shape.flow();
    let loose = |opcode: Opcode| matches!(opcode, Opcode::Yield | Opcode::Nanosleep | Opcode::Warpsync);
    let is_loose =
        shape.nodes.iter().flat_map(|node| &node.code).any(|instruction| {
            loose(instruction.base.opcode()) || instruction.base.flow() == warpsmith_sass::Flow::Call
        });
    if !flow.irreducible && !is_loose {
        let varying = Varying::of(function, &shape, &flow);
        // Threads that end do so while the others go on: behind such a branch threads count as apart.
        let mut apart = varying.apart.clone();
        for &node in &flow.order {
            let next = &flow.successors[node];
            if varying.parts[node] && next.iter().any(|to| flow.only_ends(node, *to)) {
                let mut work = next.to_vec();
                while let Some(to) = work.pop() {
                    if !std::mem::replace(&mut apart[to], true) {
                        work.extend(&flow.successors[to]);
                    }
                }
            }
        }
        Mover {
            function,
            context,
            twins: FxHashMap::default(),
        }
        .run(&mut shape, &flow.order, &varying, &apart);
    }
    shape.write(function, &order);
    Ok(())
}

struct Mover<'a> {
    function: &'a mut Function,
    context: &'a Context<'a>,
    /// The uniform register of each general one that moves.
    twins: FxHashMap<Register, Register>,
}

/// A node and the index of an instruction in it.
type Place = (usize, usize);

impl Mover<'_> {
    fn run(&mut self, shape: &mut Shape, order: &[usize], varying: &Varying, apart: &[bool]) {
        let mut writes: FxHashMap<Register, u32> = FxHashMap::default();
        for instruction in shape.nodes.iter().flat_map(|node| &node.code) {
            for register in written(instruction) {
                *writes.entry(register).or_default() += 1;
            }
        }
        let mut places: Vec<Place> = Vec::new();
        let mut definitions: FxHashMap<Register, Place> = FxHashMap::default();
        for &node in order {
            for (index, instruction) in shape.nodes[node].code.iter().enumerate() {
                let Some(register) = self.movable(instruction).filter(|_| !apart[node]) else {
                    continue;
                };
                if writes.get(&register) == Some(&1) && !varying.differs(register, 0, 1) && self.context.fuel.take() {
                    let twin = self.function.register(RegisterClass::UniformGpr, 1);
                    self.twins.insert(register, twin);
                    definitions.insert(register, (node, index));
                }
            }
        }
        for &node in order {
            for (index, instruction) in shape.nodes[node].code.iter().enumerate() {
                if instruction
                    .touches()
                    .any(|touch| self.twins.contains_key(&touch.register))
                {
                    places.push((node, index));
                }
            }
            if let End::Branch(branch) = &shape.nodes[node].end {
                for touch in branch.instruction.touches() {
                    self.twins.remove(&touch.register);
                }
            }
        }
        self.settle(shape, &places, &definitions);
        // Where too many are live at a time, some stay, and with them what cannot go without them.
        loop {
            let stays = uniform_pressure::excess(shape, order, self.twins.keys().copied());
            if stays.is_empty() {
                break;
            }
            stays.iter().for_each(|register| {
                self.twins.remove(register);
            });
            self.settle(shape, &places, &definitions);
        }
        for (node, index) in places {
            if let Some(moved) = self.moved(&shape.nodes[node].code[index]) {
                shape.nodes[node].code[index] = moved;
            }
        }
    }

    /// What cannot be written with its operands moved keeps them where they were, until all can.
    fn settle(&mut self, shape: &Shape, places: &[Place], definitions: &FxHashMap<Register, Place>) {
        let mut changed = true;
        while changed && !self.twins.is_empty() {
            changed = false;
            for &(node, index) in places {
                let instruction = &shape.nodes[node].code[index];
                if self.moved(instruction).is_some() {
                    continue;
                }
                let touched: Vec<Register> = instruction
                    .touches()
                    .map(|touch| touch.register)
                    .filter(|register| self.twins.contains_key(register))
                    .collect();
                // A result first: then the operands may be fine.
                let result = touched
                    .iter()
                    .copied()
                    .find(|register| definitions.get(register) == Some(&(node, index)));
                // Of two uniform operands one stays, rather not the one that is loaded: a load to a general register costs the same.
                let is_load = |register: &&Register| {
                    let place = definitions.get(register);
                    place.is_some_and(|(node, index)| shape.nodes[*node].code[*index].base.opcode() == Opcode::Ldc)
                };
                let victim = result.or_else(|| touched.iter().find(is_load).or(touched.first()).copied());
                changed |= victim.is_some_and(|victim| self.twins.remove(&victim).is_some());
            }
        }
    }

    /// The register that an instruction gives and that may move.
    fn movable(&self, instruction: &Instruction) -> Option<Register> {
        let opcode = counterpart(instruction.base.opcode(), self.function.isa())?;
        let mut results = written(instruction);
        let register = results.next().filter(|_| results.next().is_none())?;
        let info = self.function.info(register);
        let general = info.class == RegisterClass::Gpr && info.words == 1 && info.fixed.is_none();
        // A shift or sum of nothing but constants is the constant folder's.
        let has_input = instruction.base.opcode() != opcode;
        (general && has_input && instruction.guard.is_none() && instruction.reference.is_none()).then_some(register)
    }

    /// The instruction with its moved registers; itself where it has none. `None`: there is no such instruction.
    fn moved(&self, instruction: &Instruction) -> Option<Instruction> {
        let twin = |register: Register| self.twins.get(&register).copied();
        if instruction.touches().all(|touch| twin(touch.register).is_none()) {
            return Some(instruction.clone());
        }
        let selector = self.context.selector;
        let result = written(instruction).find_map(twin);
        match (instruction.base.opcode(), result) {
            (Opcode::S2r, Some(result)) => {
                let request = Request::new(Opcode::S2ur).form("UR_S").to(result);
                let request = request.text(FieldName::SpecialRegister, special(instruction)?);
                return selector.replacement(self.function, instruction, &request);
            }
            // A value that is the same in all threads needs no thread to give it.
            (Opcode::R2ur, _) if instruction.base.form().name == "UR_R" && instruction.operands.len() == 2 => {
                if instruction.guard.is_some() {
                    return None;
                }
                let operand = |field: FieldName| instruction.operands.iter().find(|operand| operand.field == field);
                let (to, from) = (operand(FieldName::URd)?, operand(FieldName::Ra)?);
                let request = Request::new(Opcode::Umov).form("UR_UR");
                let request = request.to(to.register.word(to.word));
                let request = request.at(FieldName::URb, twin(from.register)?);
                return selector.replacement(self.function, instruction, &request);
            }
            (Opcode::Ldc, Some(result)) => {
                if instruction.base.form().name != "R_C" || instruction.operands.len() != 1 {
                    return None;
                }
                let size = crate::select::printed(&instruction.base, FieldName::Size);
                let opcode = counterpart(Opcode::Ldc, self.function.isa())?;
                let request = Request::new(opcode)
                    .form("UR_C")
                    .to(result)
                    .number(FieldName::Bank, instruction.base.field(FieldName::Bank)?)
                    .number(FieldName::Offset, instruction.base.field(FieldName::Offset)?);
                return (size.is_empty() && same_scale(instruction, opcode))
                    .then(|| selector.replacement(self.function, instruction, &request))?;
            }
            _ => {}
        }
        if !instruction.base.memory().is_empty() || instruction.base.flow() != warpsmith_sass::Flow::None {
            return None;
        }
        let mut request = Request::of(instruction)?;
        let mut moved = 0;
        for source in request.sources_mut() {
            if let Value::Register(word) = source.value {
                match twin(word.register) {
                    Some(register) => {
                        source.value = register.into();
                        moved += 1;
                    }
                    // The uniform datapath reads no general registers.
                    None if result.is_some() => return None,
                    None => {}
                }
            }
        }
        if let Some(result) = result {
            // Sums that go on from a carry, halves of products: not these.
            if !matches!(request.literals(), "" | "LUT") {
                return None;
            }
            if !request.written_predicates().is_empty()
                || request.tests().iter().any(|(_, test)| test.register.is_some())
            {
                return None;
            }
            let opcode = counterpart(instruction.base.opcode(), self.function.isa())?;
            let request = request.uniform(opcode).to(result);
            return selector.replacement(self.function, instruction, &request);
        }
        // Other instructions take one uniform register.
        if moved != 1 {
            return None;
        }
        selector.replacement(self.function, instruction, &request).or_else(|| {
            let sources = request.sources().to_vec();
            orders(instruction.base.opcode(), &sources).iter().find_map(|order| {
                let turned: Option<Vec<_>> = order.iter().map(|index| sources.get(*index).copied()).collect();
                let request = request.clone().with_sources(&turned?);
                selector.replacement(self.function, instruction, &request)
            })
        })
    }
}

/// Orders of the operands that give the same result.
fn orders(opcode: Opcode, sources: &[Source]) -> &'static [&'static [usize]] {
    match opcode {
        Opcode::Iadd3 => &[&[1, 0, 2], &[0, 2, 1], &[2, 0, 1], &[1, 2, 0], &[2, 1, 0]],
        Opcode::Imad => &[&[1, 0, 2]],
        Opcode::Lop3 => match sources.get(3).map(|source| source.value) {
            // The table stays if the first operand, bit 2 of its index, and the second, bit 1, change places.
            Some(Value::Immediate(table)) if (table >> 2 ^ table >> 4) & 3 == 0 => &[&[1, 0, 2, 3]],
            _ => &[],
        },
        _ => &[],
    }
}

/// Whether the offset of a constant has the same unit in both instructions.
fn same_scale(load: &Instruction, opcode: Opcode) -> bool {
    let scale = |form: &warpsmith_sass::Form| match form.field(FieldName::Offset).map(|field| &field.kind) {
        Some(warpsmith_sass::FieldKind::Unsigned { scale, .. } | warpsmith_sass::FieldKind::Signed { scale, .. }) => {
            Some((*scale).max(1))
        }
        _ => None,
    };
    let other = warpsmith_sass::forms(load.base.isa()).find(|form| form.opcode == opcode && form.name == "UR_C");
    other.is_some_and(|other| scale(other).is_some() && scale(other) == scale(load.base.form()))
}

/// The instruction of the uniform datapath that does the same.
fn counterpart(opcode: Opcode, isa: Isa) -> Option<Opcode> {
    Some(match opcode {
        Opcode::S2r => Opcode::S2ur,
        Opcode::Ldc if isa == Isa::Sm90 => Opcode::Uldc,
        Opcode::Ldc => Opcode::Ldcu,
        Opcode::Iadd3 => Opcode::Uiadd3,
        Opcode::Imad => Opcode::Uimad,
        Opcode::Lop3 => Opcode::Ulop3,
        Opcode::Shf => Opcode::Ushf,
        Opcode::Lea => Opcode::Ulea,
        _ => return None,
    })
}

/// Whether the pass writes such instructions.
pub(crate) fn is_counterpart(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::S2ur
            | Opcode::Uldc
            | Opcode::Ldcu
            | Opcode::Uiadd3
            | Opcode::Uimad
            | Opcode::Ulop3
            | Opcode::Ushf
            | Opcode::Ulea
    )
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Register> + '_ {
    let writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    writes.map(|touch| touch.register)
}
