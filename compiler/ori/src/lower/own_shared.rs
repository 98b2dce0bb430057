//! Which PTX registers hold addresses of the CTA's own shared memory. Where copies into that of another CTA are another thing, those need no question at run time.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_ptx::{
    module::{Body, Function, Module, Operand, Space, Statement, VariableId},
    table::Opcode,
};

/// What a definition gives.
#[derive(Clone, Debug)]
enum Given {
    /// The address of a shared variable.
    Own,
    /// What these registers hold, if any of them holds such an address: a place beside it is in the same memory.
    Any(SmallVec<[u32; 2]>),
    /// Such an address if all of these registers hold one.
    All(SmallVec<[u32; 2]>),
    /// Anything.
    Unknown,
}

/// The registers of a body all of whose definitions give addresses of shared variables, or of places beside them.
/// Registers that are parameters hold what the caller says: a function that has such has none.
pub(super) fn own_shared(module: &Module, function: &Function, body: &Body) -> FxHashSet<u32> {
    let in_register = |id: &VariableId| module.variables[id.0 as usize].space == Space::Register;
    if function.parameters.iter().any(in_register) {
        return FxHashSet::default();
    }
    let mut definitions: FxHashMap<u32, Vec<Given>> = FxHashMap::default();
    for statement in &body.statements {
        let Statement::Instruction(instruction) = statement else {
            continue;
        };
        let first = instruction.first_operand as usize;
        let operands = body.operands.get(first..first + usize::from(instruction.operand_count));
        let operands = operands.unwrap_or(&[]);
        let opcode = module.variants[instruction.variant.0 as usize].opcode;
        // Results stand first, alone or in a list; every list counts.
        if let Some(Operand::Register(to) | Operand::Component(to, _) | Operand::Selected(to, _)) = operands.first() {
            let given = match operands[0] {
                Operand::Register(_) => given(module, opcode, &operands[1..]),
                _ => Given::Unknown,
            };
            definitions.entry(to.0).or_default().push(given);
        }
        for operand in operands {
            let (Operand::Vector(range) | Operand::Pair(range) | Operand::List(range)) = operand else {
                continue;
            };
            for part in range.first..range.first + u32::from(range.count) {
                if let Some(Operand::Register(to) | Operand::Component(to, _)) = body.operands.get(part as usize) {
                    definitions.entry(to.0).or_default().push(Given::Unknown);
                }
            }
        }
    }
    let mut own: FxHashSet<u32> = definitions.keys().copied().collect();
    loop {
        let holds = |given: &Given| match given {
            Given::Own => true,
            Given::Any(from) => from.iter().any(|from| own.contains(from)),
            Given::All(from) => from.iter().all(|from| own.contains(from)),
            Given::Unknown => false,
        };
        let wrong = definitions.iter().filter(|(_, all)| !all.iter().all(holds));
        let wrong: Vec<u32> = wrong.map(|(to, _)| *to).filter(|to| own.contains(to)).collect();
        if wrong.is_empty() {
            return own;
        }
        wrong.iter().for_each(|to| {
            own.remove(to);
        });
    }
}

/// What an instruction gives to its first operand.
fn given(module: &Module, opcode: Opcode, sources: &[Operand]) -> Given {
    let shared = |operand: &Operand| match operand {
        Operand::Variable(id, _) | Operand::Element(id, _, _) => module.variables[id.0 as usize].space == Space::Shared,
        _ => false,
    };
    if sources.iter().any(shared) && matches!(opcode, Opcode::Mov | Opcode::Add | Opcode::Cvta) {
        return Given::Own;
    }
    let register = |operand: &Operand| match operand {
        Operand::Register(from) => Some(from.0),
        _ => None,
    };
    match opcode {
        Opcode::Mov | Opcode::Cvt | Opcode::Cvta | Opcode::CvtaTo | Opcode::Add => {
            Given::Any(sources.iter().filter_map(register).collect())
        }
        Opcode::Sub => Given::Any(sources.iter().take(1).filter_map(register).collect()),
        Opcode::MadLo | Opcode::MadWide => Given::Any(sources.iter().skip(2).filter_map(register).collect()),
        Opcode::Selp => match sources {
            [Operand::Register(a), Operand::Register(b), ..] => Given::All([a.0, b.0].into_iter().collect()),
            _ => Given::Unknown,
        },
        _ => Given::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::own_shared;

    #[test]
    fn addresses_beside_shared_variables_are_own() {
        let text = ".version 9.0\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u32 n) {
            .reg .b32 %r<10>; .reg .pred %p; .shared .b8 s[64];
            ld.param.u32 %r0, [n]; mov.u32 %r1, s; add.u32 %r2, %r0, %r1; mapa.shared::cluster.u32 %r3, %r1, %r0;
            mov.u32 %r4, %r1; L: add.u32 %r4, %r4, 8; setp.lt.u32 %p, %r4, %r0; @%p bra L;
            selp.b32 %r5, %r1, %r2, %p; selp.b32 %r6, %r1, %r0, %p; add.u32 %r7, %r3, 8; shl.b32 %r8, %r1, 1; ret; }";
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let function = &parsed.module.functions[0];
        let body = function.body.as_ref().expect("a body");
        let mut own: Vec<u32> = own_shared(&parsed.module, function, body).into_iter().collect();
        own.sort_unstable();
        assert_eq!(own, [1, 2, 4, 5]);
    }
}
