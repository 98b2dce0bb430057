//! If-conversion: short ways that only some threads take become guarded instructions.
//!
//! A node that ends in a branch takes in one or both of the nodes that the branch leads to, where these have no other way in and lead to one place. What has an
//! effect or may fault is guarded. What only computes a value for the way itself is not: it is run for nothing in threads that did not go there, but the
//! register then does not seem to hold something from before.

use warpsmith_sass::{Access, FieldKind, FieldName, Flow, GuardKind, MemoryEffect, MemorySpace, Opcode, RegisterClass};

use super::{
    clean,
    shape::{End, Shape, opposite},
    varying::Varying,
};
use crate::{
    ir::{Function, Guard, Instruction, Operand, Register, Touch},
    phase::Context,
};

/// The most instructions of one way where threads of a warp may part at the branch (observed, ptxas 13.0.88).
const PARTING: usize = 7;
/// The most where they all take the same way, and the branch costs little (observed, ptxas 13.0.88).
const TOGETHER: usize = 5;

/// So many more where one of them is a load: guarded, it is under way together with what comes after it.
const LOADING: usize = 6;

/// Converts what is short enough, from the inside out.
pub(crate) fn predication(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    for _ in 0..4 {
        let flow = shape.flow();
        let varying = Varying::of(function, &shape, &flow);
        // Threads that end on leaving a loop would be looked for in each round.
        let in_loop = |node: usize| flow.innermost[node].is_some();
        let homes = Homes::of(function, &shape);
        let entries = shape.entries();
        let mut changed = false;
        for &node in flow.order.iter().rev() {
            let limit = if varying.parts[node] { PARTING } else { TOGETHER };
            let converted = convert(
                function,
                &mut shape,
                node,
                &entries,
                &homes,
                (limit, !in_loop(node)),
                context,
            );
            changed |= converted.is_some();
            for register in converted.into_iter().flatten() {
                function.registers[register.0 as usize].fleeting = true;
            }
        }
        if !changed {
            break;
        }
        clean::clean(&mut shape, context.fuel);
    }
    super::layout::place(shape, function);
    Ok(())
}

/// The node in which each register is touched, if it is one.
pub(super) struct Homes(Vec<Home>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Nowhere,
    Node(u32),
    Several,
}

impl Homes {
    pub(super) fn of(function: &Function, shape: &Shape) -> Homes {
        let mut homes = vec![Home::Nowhere; function.registers.len()];
        for (index, node) in shape.nodes.iter().enumerate() {
            let branch = node.branch();
            for instruction in node.code.iter().chain(branch) {
                for register in instruction.touches().map(|touch| touch.register) {
                    let home = &mut homes[register.0 as usize];
                    *home = match *home {
                        Home::Nowhere => Home::Node(index as u32),
                        Home::Node(node) if node as usize == index => *home,
                        Home::Node(_) | Home::Several => Home::Several,
                    };
                }
            }
        }
        Homes(homes)
    }

    pub(super) fn is_only_in(&self, register: Register, node: usize) -> bool {
        self.0.get(register.0 as usize) == Some(&Home::Node(node as u32))
    }
}

/// Where a way leads after its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To a node.
    On(usize),
    /// Its threads end.
    Ends,
}

/// Whether some of the code reads memory.
fn loads(code: &[Instruction]) -> bool {
    let mut memory = code.iter().flat_map(|instruction| instruction.base.memory());
    memory.any(|access| access.effect == MemoryEffect::Read && access.space != MemorySpace::Constant)
}

fn convert(
    function: &Function,
    shape: &mut Shape,
    node: usize,
    entries: &[u32],
    homes: &Homes,
    (limit, may_end): (usize, bool),
    context: &Context<'_>,
) -> Option<Vec<Register>> {
    let End::Branch(branch) = &shape.nodes[node].end else {
        return None;
    };
    let (taken, other) = (branch.taken, branch.other);
    let guard = branch.condition().filter(|_| taken != other)?;
    if function.info(guard.register).class != RegisterClass::Predicate {
        return None;
    }
    let way = |to: usize| -> Option<Way> {
        let side = &shape.nodes[to];
        let limit = if loads(&side.code) { limit + LOADING } else { limit };
        if entries.get(to) != Some(&1) || shape.pinned[to] || to == node || side.code.len() > limit {
            return None;
        }
        match side.end {
            End::Jump(on) => Some(Way::On(on)),
            End::Stop => {
                let last = side.code.last()?;
                (may_end && last.base.flow() == Flow::Exit && !last.falls_through()).then_some(Way::Ends)
            }
            End::Branch(_) | End::Table(_) => None,
        }
    };
    let (first, second, end) = match (way(taken), way(other)) {
        (Some(Way::On(a)), Some(Way::On(b))) if a == b && a != taken && a != other => {
            (Some(taken), Some(other), End::Jump(a))
        }
        (Some(Way::On(on)), _) if on == other => (Some(taken), None, End::Jump(other)),
        (_, Some(Way::On(on))) if on == taken => (None, Some(other), End::Jump(taken)),
        (Some(Way::Ends), _) => (Some(taken), None, End::Jump(other)),
        (_, Some(Way::Ends)) => (None, Some(other), End::Jump(taken)),
        _ => return None,
    };
    let mut code = Vec::new();
    let mut fleeting = Vec::new();
    for (side, guard) in [(first, guard), (second, opposite(guard))] {
        let Some(side) = side else { continue };
        code.append(&mut guarded(
            function,
            &shape.nodes[side].code,
            side,
            guard,
            homes,
            &mut fleeting,
        )?);
    }
    if !context.fuel.take() {
        return None;
    }
    for side in [first, second].into_iter().flatten() {
        shape.nodes[side].code.clear();
        shape.nodes[side].end = End::Stop;
    }
    shape.nodes[node].code.append(&mut code);
    shape.nodes[node].end = end;
    Some(fleeting)
}

/// The code of a way under a guard. `fleeting` gets the registers of which nothing is needed where the guard keeps them from being written.
fn guarded(
    function: &Function,
    code: &[Instruction],
    node: usize,
    guard: Guard,
    homes: &Homes,
    fleeting: &mut Vec<Register>,
) -> Option<Vec<Instruction>> {
    let own = own_registers(function, code, node, homes);
    let mut result: Vec<Instruction> = Vec::with_capacity(code.len());
    let mut narrowed: Vec<Register> = Vec::new();
    for (index, instruction) in code.iter().enumerate() {
        let last = index + 1 == code.len();
        if !may_be_guarded(function, instruction, last) || writes(instruction, guard.register) {
            return None;
        }
        let mut instruction = instruction.clone();
        match instruction.guard {
            None => {
                let speculates = is_pure(&instruction) && written(&instruction).all(|register| own.contains(&register));
                if !speculates {
                    instruction.guard = Some(guard);
                    let whole = |touch: &Touch| {
                        let is_only = code.iter().filter(|other| writes(other, touch.register)).count() == 1;
                        touch.access == Access::Write && touch.words == function.info(touch.register).words && is_only
                    };
                    let made = instruction.touches().filter(whole).map(|touch| touch.register);
                    fleeting.extend(made.filter(|register| own.contains(register)));
                }
            }
            Some(inner) if inner == guard => {}
            Some(inner) if narrowed.contains(&inner.register) && !inner.negated => {}
            Some(inner) => {
                // The comparison before gives the conjunction of both.
                narrow(&mut result, code, inner, guard, &own)?;
                narrowed.push(inner.register);
            }
        }
        result.push(instruction);
    }
    Some(result)
}

/// Registers that nothing but the way knows, and that it writes as a whole before it reads them.
fn own_registers(function: &Function, code: &[Instruction], node: usize, homes: &Homes) -> Vec<Register> {
    let mut seen: Vec<(Register, u32)> = Vec::new();
    let mut refused: Vec<Register> = Vec::new();
    for instruction in code {
        for touch in instruction.touches().filter(|touch| touch.access != Access::Write) {
            let mask = mask(touch.word, touch.words);
            let known = seen.iter().find(|(register, _)| *register == touch.register);
            if known.is_none_or(|(_, written)| written & mask != mask) {
                refused.push(touch.register);
            }
        }
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            let mask = if instruction.guard.is_none() {
                mask(touch.word, touch.words)
            } else {
                0
            };
            match seen.iter_mut().find(|(register, _)| *register == touch.register) {
                Some((_, written)) => *written |= mask,
                None => seen.push((touch.register, mask)),
            }
        }
    }
    let is_own = |register: &Register| {
        !refused.contains(register)
            && homes.is_only_in(*register, node)
            && matches!(
                function.info(*register).class,
                RegisterClass::Gpr | RegisterClass::Predicate
            )
    };
    seen.into_iter().map(|(register, _)| register).filter(is_own).collect()
}

pub(super) fn mask(word: u8, words: u8) -> u32 {
    (1_u32.checked_shl(words.into()).unwrap_or(0).wrapping_sub(1)) << (word & 31)
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Register> + '_ {
    let writes = instruction.touches().filter(|touch| touch.access != Access::Read);
    writes.map(|touch| touch.register)
}

fn writes(instruction: &Instruction, register: Register) -> bool {
    written(instruction).any(|other| other == register)
}

/// Whether running the instruction for nothing changes nothing.
pub(crate) fn is_pure(instruction: &Instruction) -> bool {
    let info = instruction.base.opcode().info();
    instruction.base.memory().is_empty()
        && !instruction.base.has_side_effects()
        && !info.collective
        && !info.volatile
        && info.implicit.is_empty()
        && instruction.base.opcode() != Opcode::Nop
        && written(instruction).next().is_some()
}

pub(super) fn may_be_guarded(function: &Function, instruction: &Instruction, last: bool) -> bool {
    let info = instruction.base.opcode().info();
    let flow = match info.flow {
        Flow::None => true,
        Flow::Exit => last,
        _ => false,
    };
    let registers = |register: Register| {
        matches!(
            function.info(register).class,
            RegisterClass::Gpr | RegisterClass::Predicate
        )
    };
    flow && instruction.base.form().guard == GuardKind::Predicate
        && !info.collective
        && !info.observable
        && info.implicit.is_empty()
        && instruction.target.is_none()
        && instruction.effects.is_none()
        && instruction.base.opcode() != Opcode::Nop
        && written(instruction).all(registers)
}

/// Makes the comparison in `result` that gives the inner guard give `inner && guard`. Only where the guard is the positive result of a comparison whose other
/// input is true, and nothing but instructions of the way under that guard reads it.
fn narrow(
    result: &mut [Instruction],
    code: &[Instruction],
    inner: Guard,
    guard: Guard,
    own: &[Register],
) -> Option<()> {
    if inner.negated {
        return None;
    }
    let readers_are_guards = code.iter().all(|instruction| {
        let as_operand = instruction
            .touches()
            .any(|touch| touch.register == inner.register && touch.access != Access::Write && touch.field.is_some());
        let as_opposite = instruction.guard == Some(opposite(inner));
        !as_operand && !as_opposite
    });
    let only = code.iter().filter(|i| writes(i, inner.register)).count() == 1;
    let home = own.contains(&inner.register);
    if !readers_are_guards || !only || !home {
        return None;
    }
    let comparison = result.iter_mut().find(|i| writes(i, inner.register))?;
    take_in(comparison, inner, guard)
}

/// Adds the guard to a comparison's inputs.
fn take_in(comparison: &mut Instruction, inner: Guard, guard: Guard) -> Option<()> {
    let opcode = comparison.base.opcode();
    if !matches!(opcode, Opcode::Isetp | Opcode::Fsetp | Opcode::Dsetp) || comparison.guard.is_some() {
        return None;
    }
    let fields = comparison
        .base
        .form()
        .fields
        .iter()
        .filter(|field| field.exists_on(comparison.base.isa()));
    let is_input = |field: &&warpsmith_sass::Field| matches!(&field.kind, FieldKind::Register(r) if r.class == RegisterClass::Predicate && r.access.is_some_and(|a| a.access == Access::Read));
    // A comparison that goes on from one of lower words has another input.
    let single = fields.filter(is_input).count() == 1;
    if !single {
        return None;
    }
    let is_result = |operand: &Operand| operand.field == FieldName::Pu && operand.register == inner.register;
    if !comparison.operands.iter().any(is_result) {
        return None;
    }
    let combine = comparison.base.modifier::<warpsmith_sass::tables::Combine>()?;
    let field = comparison.base.form().field(FieldName::Pp)?;
    let not = field.decoration()?.not?;
    let word = comparison.base.word();
    // The input must be PT, which a conjunction passes on.
    let is_true = comparison.base.field(FieldName::Pp)? == 7 && word >> not & 1 == 0;
    if combine != warpsmith_sass::tables::Combine::And || !is_true {
        return None;
    }
    let mut base = comparison.base.with_field(FieldName::Pp, 0)?;
    if guard.negated {
        base = warpsmith_sass::Instruction::decode(base.isa(), base.word() | 1 << not).ok()?;
    }
    comparison.base = base;
    comparison.operands.push(Operand {
        field: FieldName::Pp,
        register: guard.register,
        word: 0,
    });
    Some(())
}
