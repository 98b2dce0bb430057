//! Attributes of functions, found from their bodies: what they do to memory, whether they return, whether threads must run them together, whether they call
//! themselves. Callees come before callers, so that what is known of the ones helps with the others.

use warpsmith_ir::{
    AddressSpace, Call, Callee, Function, FunctionAttributes, FunctionId, Instruction, InstructionId, MemoryEffects,
    Module, Symbols, Value,
};

use crate::{
    analysis::{alias::Aliases, callgraph::CallGraph, effects, flow::Flow},
    pipeline::Run,
};

/// The pass.
pub(crate) fn run(module: &mut Module, run: &Run<'_>) -> bool {
    let graph = CallGraph::new(module);
    let mut changed = false;
    for group in graph.groups() {
        let found = Found::of(module, &graph, group);
        let Some(found) = found else { continue };
        for &id in group {
            let attributes = &module.symbols.functions[id].attributes;
            let better = found.added_to(attributes);
            if better != *attributes && run.take_fuel() {
                module.symbols.functions[id].attributes = better;
                changed = true;
            }
        }
    }
    changed
}

/// What holds of all functions of a group that call each other.
struct Found {
    memory: MemoryEffects,
    convergent: bool,
    returns: bool,
    recursive: bool,
}

impl Found {
    /// `None` where a body is not known, or not the one that will run.
    fn of(module: &Module, graph: &CallGraph, group: &[FunctionId]) -> Option<Found> {
        let symbols = &module.symbols;
        let recursive = group.iter().any(|&id| graph.is_recursive(id));
        let mut found = Found {
            memory: MemoryEffects::NONE,
            convergent: false,
            returns: !recursive,
            recursive,
        };
        for &id in group {
            let declaration = &symbols.functions[id];
            let body = module.body(id)?;
            body.entry()?;
            if declaration.linkage.is_interposable() || declaration.attributes.optnone || declaration.is_kernel() {
                return None;
            }
            found.add_body(symbols, body, group);
        }
        Some(found)
    }

    fn add_body(&mut self, symbols: &Symbols, body: &Function, group: &[FunctionId]) {
        let flow = Flow::new(body);
        // Loops may go round for ever.
        self.returns &= flow.loops(&flow.dominators()).is_empty();
        let aliases = Aliases::new(symbols);
        for id in body.all_instructions() {
            match body.instruction(id) {
                Instruction::Call(call) => self.add_call(symbols, body, &aliases, call, group),
                Instruction::IndirectBranch { .. } | Instruction::Unreachable => self.returns = false,
                _ => self.memory = self.memory.union(of_access(symbols, body, &aliases, id)),
            }
        }
    }

    fn add_call(
        &mut self,
        symbols: &Symbols,
        body: &Function,
        aliases: &Aliases<'_>,
        call: &Call,
        group: &[FunctionId],
    ) {
        // What those of the group do is counted with their own bodies.
        let is_own = matches!(call.callee, Callee::Function(callee) if group.contains(&callee));
        let effects = effects::of_call(symbols, call);
        if is_own {
            // Through pointers of its own it may reach what for the caller is other memory.
            let passes = call.arguments.iter().any(|&value| body.type_of(value).is_pointer());
            if passes {
                self.memory = MemoryEffects::ANY;
            }
            return;
        }
        self.convergent |= effects.convergent;
        self.returns &= effects.returns;
        let [arguments, inaccessible, other] = effects.memory.parts();
        let mut own = MemoryEffects::from_parts(0, inaccessible, other);
        if arguments != 0 {
            for &pointer in call.arguments.iter().filter(|&&value| body.type_of(value).is_pointer()) {
                own = own.union(through(body, aliases, pointer, arguments));
            }
        }
        self.memory = self.memory.union(own);
    }

    fn added_to(&self, attributes: &FunctionAttributes) -> FunctionAttributes {
        let mut better = attributes.clone();
        better.memory = better.memory.intersection(self.memory);
        better.convergent &= self.convergent;
        better.willreturn |= self.returns;
        better.norecurse |= !self.recursive;
        better
    }
}

/// What an instruction that is no call does to memory that is seen from outside of the function.
fn of_access(symbols: &Symbols, body: &Function, aliases: &Aliases<'_>, id: InstructionId) -> MemoryEffects {
    let effects = effects::memory(symbols, body, id);
    match body.instruction(id) {
        Instruction::Load { pointer, access } if access.is_simple() => {
            // What is fixed while the function runs may change between two calls of it; constant memory does not.
            if aliases.space(body, *pointer) == Some(AddressSpace::CONSTANT) {
                return MemoryEffects::NONE;
            }
            through(body, aliases, *pointer, 1)
        }
        Instruction::Store { pointer, access, .. } if access.is_simple() => through(body, aliases, *pointer, 2),
        _ => effects,
    }
}

/// Accesses (1 read, 2 write) through a pointer: of none but this call if it is to a variable whose address goes nowhere, of an argument's memory if it is
/// computed from that.
fn through(body: &Function, aliases: &Aliases<'_>, pointer: Value, accesses: u8) -> MemoryEffects {
    if aliases.is_private(body, pointer) {
        return MemoryEffects::NONE;
    }
    match aliases.base(body, pointer) {
        Value::Argument(_) => MemoryEffects::from_parts(accesses, 0, 0),
        Value::Instruction(_) | Value::Constant(_) => MemoryEffects::from_parts(0, 0, accesses),
    }
}
