//! Dead functions and variables: what nothing that is seen from outside leads to goes.

use warpsmith_ir::{Callee, Constant, ConstantId, FunctionId, GlobalId, Instruction, Linkage, Module, Value};

use crate::{analysis::callgraph::visit_addresses, pipeline::Run};

/// The pass.
pub(crate) fn run(module: &mut Module, run: &Run<'_>) -> bool {
    let mut marks = Marks {
        functions: vec![false; module.symbols.functions.len()],
        globals: vec![false; module.symbols.globals.len()],
        work: Vec::new(),
    };
    for (id, declaration) in module.functions() {
        let is_defined = module.body(id).is_some();
        if is_defined && (declaration.is_kernel() || !declaration.linkage.is_discardable()) {
            marks.function(id);
        }
    }
    for (id, global) in module.globals() {
        // Declarations stay only where something refers to them, and what the host may set also where nothing does.
        if global.initializer.is_some() && (global.externally_initialized || !global.linkage.is_discardable()) {
            marks.global(id);
        }
        if is_special(&global.name) {
            marks.global(id);
        }
    }
    for (_, alias) in module.symbols.aliases.iter() {
        marks.constant(module, alias.target);
    }
    while let Some(item) = marks.work.pop() {
        marks.follow(module, item);
    }
    let dead_functions: Vec<FunctionId> = module
        .functions()
        .map(|(id, _)| id)
        .filter(|id| !marks.functions[id.index()])
        .collect();
    let dead_globals: Vec<GlobalId> = module
        .globals()
        .map(|(id, _)| id)
        .filter(|id| !marks.globals[id.index()])
        .collect();
    // All at once: what goes may refer to what else goes.
    let has_bodies = dead_functions.iter().any(|id| module.body(*id).is_some());
    let has_any = !(dead_functions.is_empty() && dead_globals.is_empty());
    if !has_any || has_bodies && !run.take_fuel() {
        return false;
    }
    // Bodies first, so that nothing refers to what goes.
    for id in dead_functions {
        module.remove_function(id);
    }
    for id in dead_globals {
        module.symbols.remove_global(id);
    }
    true
}

/// Makes device functions local, if the module is a whole program: only kernels are called from outside. A module without kernels is somebody's library.
pub(crate) fn internalize(module: &mut Module, run: &Run<'_>) -> bool {
    if !run.options.whole_program || !module.functions().any(|(_, declaration)| declaration.is_kernel()) {
        return false;
    }
    let seen: Vec<FunctionId> = module
        .functions()
        .filter(|(id, declaration)| {
            module.body(*id).is_some()
                && !declaration.is_kernel()
                && !declaration.linkage.is_local()
                && !declaration.linkage.is_interposable()
        })
        .map(|(id, _)| id)
        .collect();
    let mut changed = false;
    for id in seen {
        if !run.take_fuel() {
            break;
        }
        module.symbols.functions[id].linkage = Linkage::Internal;
        changed = true;
    }
    changed
}

/// Lists that LLVM keeps for the linker.
fn is_special(name: &str) -> bool {
    matches!(
        name,
        "llvm.used" | "llvm.compiler.used" | "llvm.global_ctors" | "llvm.global_dtors"
    )
}

enum Item {
    Function(FunctionId),
    Global(GlobalId),
}

struct Marks {
    functions: Vec<bool>,
    globals: Vec<bool>,
    work: Vec<Item>,
}

impl Marks {
    fn function(&mut self, id: FunctionId) {
        if !std::mem::replace(&mut self.functions[id.index()], true) {
            self.work.push(Item::Function(id));
        }
    }

    fn global(&mut self, id: GlobalId) {
        if !std::mem::replace(&mut self.globals[id.index()], true) {
            self.work.push(Item::Global(id));
        }
    }

    fn constant(&mut self, module: &Module, id: ConstantId) {
        let context = module.context().clone();
        visit_addresses(&context, id, &mut |constant| match constant {
            Constant::Function(function) | Constant::Block { function, .. } => self.function(*function),
            Constant::Global { global, .. } => self.global(*global),
            _ => {}
        });
    }

    fn follow(&mut self, module: &Module, item: Item) {
        match item {
            Item::Global(id) => {
                if let Some(initializer) = module.symbols.globals[id].initializer {
                    self.constant(module, initializer);
                }
            }
            Item::Function(id) => {
                let Some(body) = module.body(id) else { return };
                for instruction in body.all_instructions() {
                    let instruction = body.instruction(instruction);
                    if let Instruction::Call(call) = instruction
                        && let Callee::Function(callee) = call.callee
                    {
                        self.function(callee);
                    }
                    instruction.for_each_operand(|operand| {
                        if let Value::Constant(constant) = operand {
                            self.constant(module, constant);
                        }
                    });
                }
            }
        }
    }
}
