//! Inlining: bottom-up over the call graph, so that callees are as small as they get before their callers look at them.
//!
//! The functions of a level call only functions of lower levels (or each other: recursion is left alone), so that a level is worked on in parallel.

mod body;
mod cost;
mod scopes;

use warpsmith_ir::{Callee, Function, FunctionId, Instruction, InstructionId, Module, Symbols};

use crate::{
    analysis::callgraph::CallGraph,
    pipeline::{self, Run, Unit},
};

/// Inlines calls of functions that ask for it always, and nothing else.
pub(crate) fn run_always(module: &mut Module, run: &Run<'_>) -> bool {
    bottom_up(module, run, cost::Policy::OnlyAlways, &[])
}

/// Inlines what pays, and simplifies each function before its callers are looked at.
pub(crate) fn run(module: &mut Module, run: &Run<'_>) -> bool {
    bottom_up(
        module,
        run,
        cost::Policy::of_level(run.options.level),
        pipeline::SIMPLIFICATION,
    )
}

fn bottom_up(module: &mut Module, run: &Run<'_>, policy: cost::Policy, cleanup: &[&str]) -> bool {
    let graph = CallGraph::new(module);
    let mut changed = false;
    for level in graph.levels() {
        let mut taken: Vec<Function> = level.iter().filter_map(|&id| module.bodies[id].take()).collect();
        let symbols = &module.symbols;
        let bodies = &module.bodies;
        let unit = run.unit(symbols);
        let work = |function: &mut Function| {
            if symbols.functions[function.id()].attributes.optnone && policy != cost::Policy::OnlyAlways {
                return false;
            }
            let get = |id: FunctionId| bodies.get(id).and_then(Option::as_ref);
            let mut changed = inline_calls(function, &unit, &graph, policy, &get);
            changed |= run.passes(function, symbols, cleanup);
            // What was called through an address may be known now.
            for _ in 0..3 {
                if cleanup.is_empty() || !inline_calls(function, &unit, &graph, policy, &get) {
                    break;
                }
                run.passes(function, symbols, cleanup);
            }
            changed
        };
        changed |= run.each(taken.iter_mut().collect(), work);
        for body in taken {
            module.set_body(body);
        }
    }
    changed
}

/// Inlines the calls of a function for which that pays. Calls that come with an inlined body are looked at in the next round, if there is one.
fn inline_calls<'b>(
    function: &mut Function,
    unit: &Unit<'_>,
    graph: &CallGraph,
    policy: cost::Policy,
    get: &dyn Fn(FunctionId) -> Option<&'b Function>,
) -> bool {
    let mut size = cost::size(function);
    let mut changed = false;
    let calls: Vec<(InstructionId, FunctionId)> = calls(function);
    // From the last on, what stands behind each call parts from it: from the first on, all of a long block would move at each call.
    let mut grown = size;
    let mut expected: Vec<InstructionId> = Vec::new();
    for (call, callee) in &calls {
        let body = get(*callee).filter(|body| body::can_inline(unit.symbols, function, *call, body));
        if let Some(body) = body
            && let Some(growth) = policy.accepts(unit.symbols, graph, function, grown, *call, body)
        {
            grown += growth;
            expected.push(*call);
        }
    }
    let mut parted = body::part(function, &expected);
    for (call, callee) in calls {
        let Some(body) = get(callee) else { continue };
        if !body::can_inline(unit.symbols, function, call, body) {
            continue;
        }
        let Some(growth) = policy.accepts(unit.symbols, graph, function, size, call, body) else {
            continue;
        };
        if unit.fuel.take() {
            let after = parted.remove(&call);
            body::inline(function, unit.symbols, call, body, after);
            size += growth;
            changed = true;
        }
    }
    changed
}

/// The direct calls of a function in order.
fn calls(function: &Function) -> Vec<(InstructionId, FunctionId)> {
    function
        .all_instructions()
        .filter_map(|id| match function.instruction(id) {
            Instruction::Call(call) => match call.callee {
                Callee::Function(callee) if callee != function.id() => Some((id, callee)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// Whether a function may be replaced by a different one when linked.
fn is_fixed(symbols: &Symbols, id: FunctionId) -> bool {
    !symbols.functions[id].linkage.is_interposable()
}
