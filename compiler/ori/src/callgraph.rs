//! The call graph of compiled functions: what a kernel takes with all that it may call.

use rustc_hash::FxHashMap;
use warpsmith_ptx::module::Module;
use warpsmith_sass::Flow;

use crate::{convention, lower::plan::functions_in_data, object::Compiled};

/// Bytes for a function that takes more of the stack as it runs: how much is not known. It is what the driver gives a thread by itself.
const MOVING_STACK: u32 = 1024;

/// Whom a function calls.
#[derive(Clone, Debug, Default)]
struct Calls {
    /// Functions of the module.
    direct: Vec<usize>,
    /// Whether it calls anything.
    any: bool,
    /// Whether it calls what a register says.
    indirect: bool,
}

/// What a function takes with all that it may call.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    registers: u32,
    barriers: u8,
    /// Bytes of stack; of calls that come back to a function on the way, its frame counts once.
    stack: u32,
}

struct Graph<'c> {
    compiled: &'c [Compiled],
    calls: Vec<Calls>,
    /// Functions whose address something holds.
    taken: Vec<usize>,
    /// Bytes of stack, once they are known.
    stack: Vec<Option<u32>>,
    open: Vec<bool>,
}

/// Gives each kernel the registers, barriers and stack of all that it may call.
pub(crate) fn settle(compiled: &mut [Compiled], module: &Module) {
    let needs: Vec<Needs> = {
        let mut graph = Graph::of(compiled, module);
        (0..compiled.len()).map(|index| graph.needs(index)).collect()
    };
    for (compiled, needs) in compiled.iter_mut().zip(needs) {
        compiled.stack_bytes = needs.stack;
        compiled.function.barriers = needs.barriers;
        if compiled.function.kernel {
            compiled.registers = needs.registers;
        }
    }
}

impl<'c> Graph<'c> {
    fn of(compiled: &'c [Compiled], module: &Module) -> Graph<'c> {
        let names: FxHashMap<&str, usize> = compiled
            .iter()
            .enumerate()
            .map(|(index, compiled)| (compiled.function.name.as_str(), index))
            .collect();
        let mut taken: Vec<usize> = functions_in_data(module)
            .iter()
            .filter_map(|id| module.functions.get(id.0 as usize))
            .filter_map(|function| names.get(module.names.get(function.name)).copied())
            .collect();
        let mut all = Vec::new();
        for caller in compiled {
            let mut calls = Calls::default();
            for word in &caller.code.words {
                if word.flow() == Flow::Call {
                    calls.any = true;
                    calls.indirect |= word.form().name != DIRECT;
                }
            }
            for (index, reference) in &caller.code.references {
                let Some(callee) = names.get(reference.symbol.as_str()) else {
                    continue;
                };
                let word = caller.code.words.get(*index);
                if word.is_some_and(|word| word.flow() == Flow::Call) {
                    calls.direct.push(*callee);
                } else if reference.addend == 0 {
                    taken.push(*callee);
                }
            }
            calls.direct.sort_unstable();
            calls.direct.dedup();
            all.push(calls);
        }
        taken.sort_unstable();
        taken.dedup();
        Graph {
            compiled,
            calls: all,
            taken,
            stack: vec![None; compiled.len()],
            open: vec![false; compiled.len()],
        }
    }

    fn needs(&mut self, root: usize) -> Needs {
        let mut needs = Needs {
            stack: self.stack(root),
            ..Needs::default()
        };
        let mut seen = vec![false; self.compiled.len()];
        let mut work = vec![root];
        while let Some(index) = work.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let own = &self.compiled[index];
            needs.registers = needs.registers.max(own.registers);
            needs.barriers = needs.barriers.max(own.function.barriers);
            if self.calls[index].any {
                needs.registers = needs.registers.max(convention::LEAST_REGISTERS);
            }
            work.extend(self.callees(index));
        }
        needs
    }

    /// The deepest chain of calls; the walk keeps its own stack, since chains may be long.
    fn stack(&mut self, root: usize) -> u32 {
        let mut work = vec![root];
        while let Some(&index) = work.last() {
            if self.stack[index].is_some() {
                work.pop();
                continue;
            }
            let callees = self.callees(index);
            if !std::mem::replace(&mut self.open[index], true) {
                let unknown = |callee: &&usize| self.stack[**callee].is_none() && !self.open[**callee];
                work.extend(callees.iter().filter(unknown));
                continue;
            }
            let frame = |callee: usize| {
                let function = &self.compiled[callee].function;
                let moving = if function.frame.is_some() { MOVING_STACK } else { 0 };
                function.frame_bytes.saturating_add(moving)
            };
            let below = callees
                .iter()
                .map(|callee| self.stack[*callee].unwrap_or(frame(*callee)));
            let bytes = frame(index).saturating_add(below.max().unwrap_or(0));
            self.stack[index] = Some(bytes);
            work.pop();
        }
        self.stack[root].unwrap_or(0)
    }

    fn callees(&self, index: usize) -> Vec<usize> {
        let mut callees = self.calls[index].direct.clone();
        if self.calls[index].indirect {
            callees.extend(&self.taken);
        }
        callees
    }
}

/// The form of a call of a function that is named.
const DIRECT: &str = "ABS.I";
