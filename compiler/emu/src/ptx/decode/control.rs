//! Branches, calls and what ends a thread.

use smallvec::SmallVec;
use warpsmith_ptx::{
    instruction::Variant,
    module::{FunctionId, LabelKind, Operand, VariableId},
    table::Type,
};

use super::{Decoded, Decoder, O, Unsupported};
use crate::children;
use crate::ptx::{
    code::{Call, Callee, Code, Op, Passed, System, Test},
    layout::size,
};

/// Turns label numbers into step numbers.
pub(super) fn resolve_targets(code: &mut Code, places: &[u32]) {
    let end = code.steps.len() as u32 - 1;
    let place = |label: u32| {
        places
            .get(label as usize)
            .copied()
            .filter(|place| *place != u32::MAX)
            .unwrap_or(end)
    };
    for index in 0..code.steps.len() {
        match &mut code.steps[index].op {
            Op::Branch { target } => *target = place(*target),
            Op::BranchIndexed { list, count, .. } => {
                for entry in &mut code.lists[*list as usize..(*list + *count) as usize] {
                    *entry = place(*entry);
                }
            }
            _ => {}
        }
    }
}

impl Decoder<'_> {
    /// Control flow.
    pub(super) fn control(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        let op = match variant.opcode {
            O::Bra => return Some(self.branch(operands)),
            O::BrxIdx => return Some(self.branch_indexed(operands)),
            O::Call => return Some(self.call(operands)),
            O::Ret => Op::Return,
            O::Exit => Op::Exit,
            O::Trap => Op::Trap,
            O::Brkpt => Op::Breakpoint,
            O::Nanosleep => Op::Yield,
            O::Pmevent | O::PmeventMask | O::SetmaxnregInc | O::SetmaxnregDec => Op::Nothing,
            _ => return None,
        };
        self.push(op);
        Some(Ok(()))
    }

    fn branch(&mut self, operands: &[Operand]) -> Decoded {
        let [Operand::Label(label)] = operands else {
            return Err(Unsupported);
        };
        self.push(Op::Branch { target: label.0 });
        Ok(())
    }

    fn branch_indexed(&mut self, operands: &[Operand]) -> Decoded {
        let [index, Operand::Label(label)] = operands else {
            return Err(Unsupported);
        };
        let LabelKind::BranchTargets(targets) = &self.body.labels[label.0 as usize].kind else {
            return Err(Unsupported);
        };
        let index = self.value(index, Type::U32)?;
        let list = self.code.lists.len() as u32;
        self.code.lists.extend(targets.iter().map(|target| target.0));
        self.push(Op::BranchIndexed {
            index,
            list,
            count: targets.len() as u32,
        });
        Ok(())
    }

    /// `call (results), function, (arguments), prototype`: each part but the function may be absent.
    fn call(&mut self, operands: &[Operand]) -> Decoded {
        let (results, rest) = match operands {
            [Operand::List(range), rest @ ..] => (self.nested(*range), rest),
            rest => (Vec::new(), rest),
        };
        let [target, rest @ ..] = rest else {
            return Err(Unsupported);
        };
        let (arguments, rest) = match rest {
            [Operand::List(range), rest @ ..] => (self.nested(*range), rest),
            rest => (Vec::new(), rest),
        };
        let (callee, formal) = match *target {
            Operand::Function(id) => self.direct(id),
            _ => {
                let formal = self.prototype(rest);
                (Callee::Indirect(self.value(target, Type::U64)?), formal)
            }
        };
        let mut passed = SmallVec::new();
        for (index, argument) in arguments.iter().enumerate() {
            passed.push(self.passed(argument, formal.1.get(index).copied())?);
        }
        let mut taken = SmallVec::new();
        for (index, result) in results.iter().enumerate() {
            taken.push(self.passed(result, formal.0.get(index).copied())?);
        }
        let call = self.code.calls.len() as u32;
        self.code.calls.push(Call {
            callee,
            arguments: passed,
            results: taken,
        });
        self.push(Op::Call { call });
        Ok(())
    }

    /// A function called by name, with its results and parameters.
    fn direct(&self, id: FunctionId) -> (Callee, (Vec<VariableId>, Vec<VariableId>)) {
        let id = self.layout.alias(id);
        let function = &self.module.functions[id.0 as usize];
        let formal = (function.returns.clone(), function.parameters.clone());
        let system = match self.module.names.get(function.name) {
            "vprintf" => Some(System::Printf),
            "malloc" => Some(System::Malloc),
            "free" => Some(System::Free),
            "__assertfail" => Some(System::AssertFail),
            children::CALL => Some(System::Launch),
            _ => None,
        };
        match system {
            Some(system) if function.body.is_none() => (Callee::System(system), formal),
            _ => (Callee::Function(id.0), formal),
        }
    }

    fn prototype(&self, rest: &[Operand]) -> (Vec<VariableId>, Vec<VariableId>) {
        let [Operand::Label(label)] = rest else {
            return Default::default();
        };
        match &self.body.labels[label.0 as usize].kind {
            LabelKind::Prototype(prototype) => (prototype.returns.clone(), prototype.parameters.clone()),
            LabelKind::CallTargets(targets) => match targets.first() {
                Some(id) => {
                    let function = &self.module.functions[id.0 as usize];
                    (function.returns.clone(), function.parameters.clone())
                }
                None => Default::default(),
            },
            LabelKind::Place(_) | LabelKind::BranchTargets(_) => Default::default(),
        }
    }

    fn passed(&mut self, operand: &Operand, formal: Option<VariableId>) -> Result<Passed, Unsupported> {
        let module = self.module;
        let formal = formal.map(|id| &module.variables[id.0 as usize]);
        match *operand {
            Operand::Sink => Ok(Passed::Nothing),
            Operand::Variable(id, 0) if formal.is_none_or(|f| f.space != warpsmith_ptx::module::Space::Register) => {
                let bytes = size(&module.variables[id.0 as usize]) as u32;
                if self.function.kernel && self.layout.location(id).is_some() {
                    return Err(Unsupported);
                }
                Ok(Passed::Frame {
                    offset: self.frame_offset(id),
                    bytes,
                })
            }
            Operand::Register(register) if matches!(self.home(register)?, super::Home::Predicate(_)) => {
                let test: Test = self.test(operand)?;
                Ok(Passed::Predicate(test))
            }
            _ => {
                let of = formal.map_or(Type::B64, |formal| formal.element);
                let bytes = formal.map_or(self.width(operand, of) / 8, |formal| size(formal) as u32);
                let source = self.value(operand, of)?;
                Ok(Passed::Value { source, bytes })
            }
        }
    }
}
