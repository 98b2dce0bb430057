//! Branches, switches, returns, and the copies that phis mean.

use rustc_hash::FxHashSet;
use warpsmith_ir::{BinaryOp, BlockId, Case, Extension, Instruction, InstructionId, IntPredicate, Type, Value};

use crate::address::{Base, Place};
use crate::copies::sequentialise;
use crate::function::{Lowering, emit};
use crate::memory::Kind;
use crate::register::{Class, Operand, Parts, Register};
use crate::signature::{self, Passing};

/// From how many cases on a table is tried.
const TABLE_CASES: usize = 5;

impl Lowering<'_> {
    /// Whether the edge between two blocks has copies.
    fn has_copies(&self, target: BlockId) -> bool {
        self.body.phis(target).any(|phi| self.needed.contains(phi))
    }

    /// Writes the copies that the phis of `target` mean for control from `source`.
    fn copy_to_phis(&mut self, source: BlockId, target: BlockId) {
        let mut copies: Vec<(Register, Operand)> = Vec::new();
        let phis: Vec<InstructionId> = self
            .body
            .phis(target)
            .filter(|&phi| self.needed.contains(phi))
            .collect();
        for phi in phis {
            let Instruction::Phi { incoming, .. } = self.body.instruction(phi) else {
                continue;
            };
            let Some((_, value)) = incoming.iter().find(|(block, _)| *block == source) else {
                continue;
            };
            if self.is_undefined(*value) {
                continue;
            }
            let values = self.parts(*value);
            let destinations = self.values[phi.index()].clone();
            for (destination, value) in destinations.into_iter().zip(values) {
                if let Operand::Register(destination) = destination {
                    copies.push((destination, value));
                }
            }
        }
        let registers = &mut self.registers;
        let ordered = sequentialise(&copies, |like| registers.make(like.class));
        for (destination, source) in ordered {
            self.copy(destination, source);
        }
    }

    fn is_undefined(&self, value: Value) -> bool {
        value.as_constant().is_some_and(|constant| {
            matches!(
                self.context.constant(constant),
                warpsmith_ir::Constant::Undef(_) | warpsmith_ir::Constant::Poison(_)
            )
        })
    }

    /// Goes to a block, unless it is written next.
    fn go_to(&mut self, target: BlockId) {
        if self.next_block != Some(target) {
            let label = self.label(target);
            emit!(self, "bra.uni {label}");
        }
    }

    /// A branch to one block.
    pub(crate) fn lower_branch(&mut self, block: BlockId, target: BlockId) {
        self.copy_to_phis(block, target);
        self.go_to(target);
    }

    /// A branch to one of two blocks.
    pub(crate) fn lower_conditional_branch(
        &mut self,
        block: BlockId,
        condition: Value,
        on_true: BlockId,
        on_false: BlockId,
    ) {
        let condition = self.operand(condition);
        if let Some(known) = condition.integer() {
            return self.lower_branch(block, if known & 1 != 0 { on_true } else { on_false });
        }
        if on_true == on_false {
            return self.lower_branch(block, on_true);
        }
        match (self.has_copies(on_true), self.has_copies(on_false)) {
            (false, false) if self.next_block == Some(on_true) => {
                let label = self.label(on_false);
                emit!(self, "@!{condition} bra {label}");
            }
            (false, true) if self.can_copy_before(on_false, on_true, condition) => {
                self.copy_to_phis(block, on_false);
                let label = self.label(on_false);
                emit!(self, "@!{condition} bra {label}");
                self.go_to(on_true);
            }
            (false, _) => {
                let label = self.label(on_true);
                emit!(self, "@{condition} bra {label}");
                self.lower_branch(block, on_false);
            }
            (true, false) if self.can_copy_before(on_true, on_false, condition) => {
                self.copy_to_phis(block, on_true);
                let label = self.label(on_true);
                emit!(self, "@{condition} bra {label}");
                self.go_to(on_false);
            }
            (true, false) => {
                let label = self.label(on_false);
                emit!(self, "@!{condition} bra {label}");
                self.lower_branch(block, on_true);
            }
            (true, true) => {
                let edge = self.new_label();
                emit!(self, "@{condition} bra {edge}");
                self.copy_to_phis(block, on_false);
                let label = self.label(on_false);
                emit!(self, "bra.uni {label}");
                self.place_label(&edge);
                self.symbols_in_registers.clear();
                self.lower_branch(block, on_true);
            }
        }
    }

    /// Whether the copies for the way back to a loop's head can be made before the branch, so that one branch is enough: what the phis were before is neither
    /// asked by the branch nor needed on the other way.
    fn can_copy_before(&mut self, back: BlockId, other: BlockId, condition: Operand) -> bool {
        if !self.is_lowered(back) {
            return false;
        }
        let phis: Vec<InstructionId> = self.body.phis(back).filter(|&phi| self.needed.contains(phi)).collect();
        let asks = |phi: &InstructionId| self.values[phi.index()].contains(&condition);
        !phis.iter().any(asks) && phis.iter().all(|&phi| !self.may_live_into(phi, back, other))
    }

    /// Whether the register of a phi may be read at or behind the head of another block: walked back from its readers to where it is made.
    fn may_live_into(&mut self, phi: InstructionId, made: BlockId, block: BlockId) -> bool {
        /// Blocks that are looked at; where there are more, the register is taken to be read.
        const MOST: usize = 1024;
        let body = self.body;
        let mut work: Vec<BlockId> = Vec::new();
        let mut values = vec![phi];
        let mut next = 0;
        while let Some(&value) = values.get(next) {
            next += 1;
            for user in body.users(Value::Instruction(value)) {
                match body.instruction(user) {
                    Instruction::Phi { incoming, .. } => work.extend(
                        (incoming.iter())
                            .filter(|(_, used)| *used == Value::Instruction(value))
                            .map(|(from, _)| *from),
                    ),
                    _ => {
                        work.extend(body.block_of(user));
                        if self.may_stand_for(user, phi) && !values.contains(&user) {
                            values.push(user);
                        }
                    }
                }
            }
            if values.len() > MOST {
                return true;
            }
        }
        let predecessors = self.predecessors.get_or_insert_with(|| body.predecessors());
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        while let Some(at) = work.pop() {
            if at == made || !seen.insert(at) {
                continue;
            }
            if at == block || seen.len() == MOST {
                return true;
            }
            work.extend_from_slice(predecessors.of(at));
        }
        false
    }

    /// Whether who uses a result may read the registers of a phi in place of it: the result is in the same registers, or is what its readers take in.
    fn may_stand_for(&self, id: InstructionId, phi: InstructionId) -> bool {
        let own = &self.values[id.index()];
        let shares = own.iter().any(|part| self.values[phi.index()].contains(part));
        shares
            || own.is_empty()
            || match self.body.instruction(id) {
                Instruction::Binary { op, .. } => !matches!(op, BinaryOp::Add | BinaryOp::Sub),
                Instruction::Gep { .. }
                | Instruction::Cast { .. }
                | Instruction::FNeg { .. }
                | Instruction::Freeze { .. } => true,
                _ => false,
            }
    }

    /// A branch by an integer.
    pub(crate) fn lower_switch(&mut self, block: BlockId, value: Value, default: BlockId, cases: &[Case]) {
        let bits = self.type_of(value).int_bits().unwrap_or(64);
        if bits > 64 {
            return self.lower_wide_switch(block, value, bits, default, cases);
        }
        if bits == 1 {
            return self.lower_switch_of_truth(block, value, default, cases);
        }
        let upper = self.upper_of(value);
        let operand = self.operand(value);
        let operand = self.zero_extended(operand, bits, upper);
        let mut labels = EdgeLabels::default();
        let mut sorted: Vec<(u64, String)> = Vec::new();
        for case in cases {
            let value = case.value.low_u64() & crate::value::low_mask(bits) as u64;
            sorted.push((value, labels.of(self, case.target)));
        }
        sorted.sort_unstable();
        let default = labels.of(self, default);
        if let Some(known) = operand.integer() {
            let found = sorted
                .iter()
                .find(|(value, _)| *value == known as u64)
                .map_or(&default, |(_, label)| label);
            emit!(self, "bra.uni {found}");
        } else if !self.switch_by_table(operand, &sorted, &default) {
            self.switch_by_comparison(operand, &sorted, &default);
        }
        self.place_edges(block, labels);
    }

    /// What lies on the way to the targets of a switch.
    fn place_edges(&mut self, block: BlockId, labels: EdgeLabels) {
        for (target, label) in labels.edges {
            self.place_label(&label);
            self.symbols_in_registers.clear();
            self.copy_to_phis(block, target);
            let label = self.label(target);
            emit!(self, "bra.uni {label}");
        }
    }

    /// A branch by an integer of several words: one case after the other.
    fn lower_wide_switch(&mut self, block: BlockId, value: Value, bits: u32, default: BlockId, cases: &[Case]) {
        let parts = self.parts(value);
        let mut labels = EdgeLabels::default();
        for case in cases {
            let words: Parts = (0..parts.len())
                .map(|word| case.value.words().get(word).copied().unwrap_or(0))
                .map(|word| Operand::Integer(Class::B64, word as i64))
                .collect();
            let found = self.wide_compare(IntPredicate::Eq, bits, &parts, &words);
            let label = labels.of(self, case.target);
            let found = self.in_register(found);
            emit!(self, "@{found} bra {label}");
        }
        let default = labels.of(self, default);
        emit!(self, "bra.uni {default}");
        self.place_edges(block, labels);
    }

    fn lower_switch_of_truth(&mut self, block: BlockId, value: Value, default: BlockId, cases: &[Case]) {
        let target = |bit: bool| {
            cases
                .iter()
                .find(|case| case.value.is_zero() != bit)
                .map_or(default, |case| case.target)
        };
        self.lower_conditional_branch(block, value, target(true), target(false));
    }

    /// A jump through a table of labels, where the cases are many and dense.
    fn switch_by_table(&mut self, operand: Operand, cases: &[(u64, String)], default: &str) -> bool {
        let (Some((first, _)), Some((last, _))) = (cases.first(), cases.last()) else {
            return false;
        };
        let span = last - first;
        if cases.len() < TABLE_CASES || span / 3 >= cases.len() as u64 {
            return false;
        }
        let class = operand.class();
        let size = class.bits();
        let index = if *first == 0 {
            operand
        } else {
            let index = self.register(class);
            emit!(
                self,
                "sub.s{size} {index}, {operand}, {}",
                crate::value::sign_extend(*first, size)
            );
            index.into()
        };
        let outside = self.register(Class::Predicate);
        emit!(self, "setp.gt.u{size} {outside}, {index}, {span}");
        emit!(self, "@{outside} bra {default}");
        let index = self.as_u32(index, size, crate::function::Upper::Unknown);
        let mut labels: Vec<&str> = vec![default; span as usize + 1];
        for (value, label) in cases {
            labels[(value - first) as usize] = label;
        }
        let table = self.new_label();
        self.text
            .push_str(&format!("{table}: .branchtargets\n\t\t{};\n", labels.join(",\n\t\t")));
        emit!(self, "brx.idx {index}, {table}");
        true
    }

    /// A binary search.
    fn switch_by_comparison(&mut self, operand: Operand, cases: &[(u64, String)], default: &str) {
        let size = operand.class().bits();
        if cases.len() <= 3 {
            for (value, label) in cases {
                let found = self.register(Class::Predicate);
                emit!(
                    self,
                    "setp.eq.b{size} {found}, {operand}, {}",
                    crate::value::sign_extend(*value, size)
                );
                emit!(self, "@{found} bra {label}");
            }
            emit!(self, "bra.uni {default}");
            return;
        }
        let (lower, upper) = cases.split_at(cases.len() / 2);
        let below = self.register(Class::Predicate);
        let middle = self.new_label();
        emit!(self, "setp.lt.u{size} {below}, {operand}, {}", upper[0].0);
        emit!(self, "@{below} bra {middle}");
        self.switch_by_comparison(operand, upper, default);
        self.place_label(&middle);
        self.switch_by_comparison(operand, lower, default);
    }

    /// Back to the caller.
    pub(crate) fn lower_return(&mut self, value: Option<Value>) {
        if let Some(value) = value
            && !self.declaration.is_kernel()
        {
            let data = self.context.function_data(self.declaration.ty);
            let attributes = self.declaration.result_attributes.clone();
            if let Some(passing) = signature::result_passing(self.context, data, &attributes) {
                let base = Base::Symbol(signature::RESULT.to_owned());
                let place = Place {
                    base,
                    offset: 0,
                    space: warpsmith_ir::AddressSpace::PARAMETER,
                };
                self.store_passed(value, passing, attributes.extension, &place);
            }
        }
        emit!(self, "ret");
    }

    /// Stores a value into a parameter or result as its passing says.
    pub(crate) fn store_passed(&mut self, value: Value, passing: Passing, extension: Extension, place: &Place) {
        let ty = self.type_of(value);
        match (passing, ty) {
            (Passing::Scalar { bits }, Type::Int(width)) => {
                let operand = self.operand(value);
                let upper = self.upper_of(value);
                let class = Class::of_integer(bits);
                let operand = if width == bits {
                    operand
                } else {
                    self.widen(operand, width, extension == Extension::Sign, upper, class)
                };
                emit!(self, "st.param.b{bits} [{place}], {operand}");
            }
            _ => {
                let align = match passing {
                    Passing::Bytes { align, .. } => align,
                    Passing::Scalar { bits } => bits / 8,
                };
                let parts = self.flatten(ty);
                let values = self.parts(value);
                self.store_parts(&parts, &values, place, align, &Kind::parameter());
            }
        }
    }

    /// Where control does not get.
    pub(crate) fn lower_unreachable(&mut self, id: InstructionId) {
        let after_trap = self.body.previous(id).is_some_and(|previous| {
            self.body
                .instruction(previous)
                .intrinsic()
                .is_some_and(|intrinsic| intrinsic.is_noreturn())
        });
        if !after_trap {
            emit!(self, "trap");
        }
        emit!(self, "exit");
    }
}

/// The labels that a switch goes to: of blocks, or of the copies on the way to them.
#[derive(Default)]
struct EdgeLabels {
    edges: Vec<(BlockId, String)>,
}

impl EdgeLabels {
    fn of(&mut self, lowering: &mut Lowering<'_>, target: BlockId) -> String {
        if !lowering.has_copies(target) {
            return lowering.label(target);
        }
        if let Some((_, label)) = self.edges.iter().find(|(block, _)| *block == target) {
            return label.clone();
        }
        let label = lowering.new_label();
        self.edges.push((target, label.clone()));
        label
    }
}
