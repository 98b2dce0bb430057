//! What runs once for the warp needs no thread to be alone with it.
//!
//! A copy by the tensor memory accelerator and a product in tensor memory are instructions of the warp, whose operands are uniform registers. Programs let one
//! elected thread come to them. Where their operands are the same in all threads, the whole warp may as well: the branch and the convergence barrier around them
//! go, and a vote says whether any thread would have come (observed, ptxas 13.0.88). What else is computed there is run by all, what else has an effect is guarded.
//! Behind this, operands are computed where they have to stand.

use warpsmith_sass::{Access, FieldName as F, Flow, GuardKind, Opcode as O, RegisterClass};

use super::{
    clean, idempotent, layout, lone,
    predicate::{self, Homes},
    shape::{End, Shape, opposite},
    varying::Varying,
};
use crate::{
    graph::ControlFlow,
    ir::{Function, Guard, Instruction, Register},
    optimise::{remove_dead, values::Values},
    phase::Context,
    select::{Request, Test},
};

/// The most instructions that warps run for nothing of which no thread would have come.
const MOST: usize = 24;

/// The most values of the one thread that are brought to uniform registers under its guard: with more of them it had better be alone.
const MOST_OWN: usize = 2;

/// Lets whole warps issue what is theirs.
pub(crate) fn issue_once(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    if !function.kernel || !code.any(is_of_warp) {
        return Ok(());
    }
    idempotent::start_once(function, context)?;
    let flow = ControlFlow::of(function);
    let values = Values::with(function, &flow);
    let lone = lone::lone_blocks(function, &flow, &values);
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    if !lone.contains(&true) && !code.any(idempotent::is_start) {
        return Ok(());
    }
    let sizes: Vec<usize> = function.blocks.iter().map(|block| block.code.len()).collect();
    let elects: Vec<bool> = (0..sizes.len())
        .map(|block| lone::ends_with_election(function, &values, block))
        .collect();
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    let flow = shape.flow();
    let varying = Varying::of(function, &shape, &flow);
    let homes = Homes::of(function, &shape);
    let entries = shape.entries();
    let mut changed = false;
    for &node in flow.order.iter().filter(|_| !flow.irreducible) {
        // Nodes of blocks that were one.
        let is_whole = |node: usize| {
            let length = shape.nodes[node].code.len();
            sizes.get(node).is_some_and(|size| *size - length <= 1)
        };
        let End::Branch(branch) = &shape.nodes[node].end else {
            continue;
        };
        let (taken, other) = (branch.taken, branch.other);
        let Some(guard) = branch.condition().filter(|_| is_whole(node) && taken != other) else {
            continue;
        };
        let leads_to = |from: usize, to: usize| matches!(shape.nodes[from].end, End::Jump(at) if at == to);
        let alone = |side: usize| {
            let once = lone.get(side) == Some(&true) || idempotent::starts_alike(&varying, &shape.nodes[side].code);
            once && entries[side] == 1 && is_whole(side)
        };
        let (side, on, guard) = match () {
            () if alone(taken) && leads_to(taken, other) => (taken, other, guard),
            () if alone(other) && leads_to(other, taken) => (other, taken, opposite(guard)),
            () => continue,
        };
        // Threads that are apart would write the uniform registers of each other.
        let together = !varying.apart[node] || shape.nodes[node].code.iter().any(lone::is_wait_of_all);
        if !together || lone[node] {
            continue;
        }
        let all_come = elects[node];
        let Some(mut code) = Side {
            function,
            varying: &varying,
            homes: &homes,
        }
        .of_warp(&shape, side, guard, all_come) else {
            continue;
        };
        if !context.fuel.take() {
            break;
        }
        if !all_come {
            let any = function.register(RegisterClass::UniformPredicate, 1);
            let test = Test {
                register: Some(guard.register),
                negated: guard.negated,
            };
            let vote = Request::new(O::Voteu).form("UP_P").text(F::Mode, "ANY");
            let vote = vote.sets(F::UPu, any).when(F::Pp, test);
            let Some(vote) = context.selector.build(function, &vote) else {
                continue;
            };
            for instruction in code.iter_mut().filter(|instruction| is_of_warp(instruction)) {
                instruction.guard = Some(Guard {
                    register: any,
                    negated: false,
                });
            }
            code.insert(0, vote);
        }
        shape.nodes[side].code.clear();
        shape.nodes[side].end = End::Stop;
        shape.nodes[node].code.append(&mut code);
        shape.nodes[node].end = End::Jump(on);
        changed = true;
    }
    if changed {
        clean::clean(&mut shape, context.fuel);
    }
    layout::place(shape, function);
    if changed {
        remove_dead(function, context)?;
    }
    Ok(())
}

/// Whether an instruction runs once for the warp, whichever of its threads have come.
fn is_of_warp(instruction: &Instruction) -> bool {
    let known = matches!(
        instruction.base.opcode(),
        O::Utmaldg
            | O::Utmastg
            | O::Utmaredg
            | O::Utmapf
            | O::Ublkcp
            | O::Ublkred
            | O::Ublkpf
            | O::Utccp
            | O::Utcbar
            | O::Utcshift
            | O::Utchmma
            | O::Utcimma
            | O::Utcomma
            | O::Utcqmma
    ) || idempotent::is_start(instruction);
    known && instruction.base.form().guard == GuardKind::UniformPredicate
}

/// Code that one thread alone runs.
struct Side<'a> {
    function: &'a Function,
    varying: &'a Varying,
    homes: &'a Homes,
}

impl Side<'_> {
    /// The code of a node as the whole warp runs it; what is a thread's own effect is under the guard. `None`: it cannot.
    fn of_warp(&self, shape: &Shape, node: usize, guard: Guard, all_come: bool) -> Option<Vec<Instruction>> {
        let code = &shape.nodes[node].code;
        if !code.iter().any(is_of_warp) || !all_come && code.len() > MOST {
            return None;
        }
        let mut result = Vec::with_capacity(code.len());
        // Registers that the one thread alone writes.
        let mut own: Vec<Register> = Vec::new();
        let mut left = MOST_OWN;
        for (index, instruction) in code.iter().enumerate() {
            let mut reads = instruction.touches().filter(|touch| touch.access != Access::Write);
            if instruction.guard.is_some()
                || instruction.effects.is_some()
                || reads.any(|touch| own.contains(&touch.register))
                || written(instruction).any(|register| register == guard.register)
            {
                return None;
            }
            let mut instruction = instruction.clone();
            if !is_of_warp(&instruction) && !self.is_of_all(code, index, node) {
                // What the one thread has in a general register is the warp's once it is in a uniform one.
                let brings = instruction.base.opcode() == O::R2ur
                    && written(&instruction).all(|register| self.is_own(code, register, node));
                if brings {
                    left = left.checked_sub(1)?;
                } else {
                    if !predicate::may_be_guarded(self.function, &instruction, false) {
                        return None;
                    }
                    own.extend(written(&instruction));
                }
                instruction.guard = Some(guard);
            }
            result.push(instruction);
        }
        Some(result)
    }

    /// Whether an instruction gives the node alone something, the same in all threads that run it.
    fn is_of_all(&self, code: &[Instruction], index: usize, node: usize) -> bool {
        let instruction = &code[index];
        let opcode = instruction.base.opcode();
        let same = || {
            let mut reads = instruction.touches().filter(|touch| touch.access != Access::Write);
            !reads.any(|touch| self.varying.differs(touch.register, touch.word, touch.words))
        };
        let computes = match opcode {
            // Of threads that have different values another one would give its own.
            O::R2ur | O::Voteu => same(),
            O::Ldc | O::Ldcu | O::Uldc => instruction.base.flow() == Flow::None,
            _ => predicate::is_pure(instruction),
        };
        computes && written(instruction).all(|register| self.is_own(code, register, node))
    }

    /// Whether nothing but a node knows a register, and writes each of its words before it reads it.
    fn is_own(&self, code: &[Instruction], register: Register, node: usize) -> bool {
        let mut known = 0_u32;
        for touch in code
            .iter()
            .flat_map(Instruction::touches)
            .filter(|touch| touch.register == register)
        {
            let mask = predicate::mask(touch.word, touch.words);
            match touch.access {
                Access::Write => known |= mask,
                Access::Read | Access::ReadWrite if known & mask == mask => {}
                Access::Read | Access::ReadWrite => return false,
            }
        }
        self.homes.is_only_in(register, node) && self.function.info(register).fixed.is_none()
    }
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Register> + '_ {
    let writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    writes.map(|touch| touch.register)
}
