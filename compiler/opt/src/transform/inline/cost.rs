//! What inlining a call costs and saves. A call on a GPU is expensive: registers and arguments go through memory of the thread, and nothing is known
//! across it; so much is inlined that a limit is there only against growth without end.

use warpsmith_ir::{Callee, Function, Inlining, Instruction, InstructionId, Symbols, Value};

use crate::{address, analysis::callgraph::CallGraph, intrinsics};

/// How freely to inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// Only what asks for it.
    OnlyAlways,
    /// What is not larger than this.
    UpTo {
        /// Instructions of a callee, after what is saved.
        callee: usize,
        /// Instructions of a caller that has grown.
        caller: usize,
    },
}

/// What an argument saves that the callee can look into.
const CONSTANT_ARGUMENT: usize = 10;
const LOCAL_ARGUMENT: usize = 30;

/// Bytes of variables that a function which calls itself may get with a callee: the stack of a thread has 1,024 if the program does not ask for more.
const MOST_VARIABLES: u64 = 128;

impl Policy {
    pub(super) fn of_level(level: u8) -> Policy {
        match level {
            0 => Policy::OnlyAlways,
            1 => Policy::UpTo {
                callee: 100,
                caller: 10_000,
            },
            2 => Policy::UpTo {
                callee: 600,
                caller: 30_000,
            },
            _ => Policy::UpTo {
                callee: 1_000,
                caller: 50_000,
            },
        }
    }

    /// Whether to inline a call, and how much the caller grows.
    pub(super) fn accepts(
        self,
        symbols: &Symbols,
        graph: &CallGraph,
        caller: &Function,
        caller_size: usize,
        call: InstructionId,
        callee: &Function,
    ) -> Option<usize> {
        let declaration = &symbols.functions[callee.id()];
        let at_call = caller
            .instruction(call)
            .as_call()?
            .attributes
            .as_ref()
            .map(|attributes| attributes.inlining);
        let inlining = match at_call {
            Some(inlining) if inlining != Inlining::Default => inlining,
            _ => declaration.attributes.inlining,
        };
        // A copy would call the function again, and its variables take room in the frame all the time: the stack would grow with each copy.
        if calls_itself(graph, callee) {
            return None;
        }
        let size = size(callee);
        match (inlining, self) {
            (Inlining::Always, _) => return Some(size),
            (Inlining::Never, _) | (_, Policy::OnlyAlways) => return None,
            (Inlining::Default | Inlining::Hint, _) => {}
        }
        let Policy::UpTo {
            callee: limit,
            caller: caller_limit,
        } = self
        else {
            return None;
        };
        if declaration.attributes.optnone || declaration.attributes.noreturn || declaration.attributes.cold {
            return None;
        }
        // Each round of the recursion would have room for its variables, those that call nothing from then on too.
        if graph.is_recursive(caller.id()) && variables(callee) > MOST_VARIABLES {
            return None;
        }
        // Nothing is left of a local function that has one call; but a program that becomes one large function takes long.
        let is_last = graph.is_only_call(symbols, callee.id());
        if is_last {
            return (size <= 2 * limit && caller_size + size <= caller_limit).then_some(size);
        }
        let limit = if inlining == Inlining::Hint { 2 * limit } else { limit };
        let saved = saved(caller, call);
        (size.saturating_sub(saved) <= limit && caller_size + size <= caller_limit).then_some(size)
    }
}

/// Whether a function still calls itself, over others too.
fn calls_itself(graph: &CallGraph, function: &Function) -> bool {
    function
        .all_instructions()
        .any(|id| match function.instruction(id).as_call().map(|call| &call.callee) {
            Some(Callee::Function(callee)) => graph.are_together(function.id(), *callee),
            Some(_) | None => false,
        })
}

/// Bytes of the variables that a function has in its frame.
fn variables(function: &Function) -> u64 {
    let each = function.all_instructions().map(|id| match function.instruction(id) {
        Instruction::Alloca { ty, count, .. } => {
            let count = address::constant_int(function, *count).and_then(|count| u64::try_from(count).ok());
            function.context().size(*ty).saturating_mul(count.unwrap_or(1))
        }
        _ => 0,
    });
    each.fold(0, u64::saturating_add)
}

/// The instructions of a function that become some in the machine.
pub(super) fn size(function: &Function) -> usize {
    function
        .all_instructions()
        .filter(|&id| {
            let instruction = function.instruction(id);
            !instruction.is_phi()
                && !intrinsics::is_marker(instruction)
                && !matches!(
                    instruction,
                    Instruction::Alloca { .. } | Instruction::Branch { .. } | Instruction::Freeze { .. }
                )
        })
        .count()
}

fn saved(caller: &Function, call: InstructionId) -> usize {
    let Some(call) = caller.instruction(call).as_call() else {
        return 0;
    };
    let of_argument = |&value: &Value| match value {
        Value::Constant(_) => CONSTANT_ARGUMENT,
        Value::Instruction(_) if caller.type_of(value).is_pointer() => {
            let base = address::underlying(caller, value);
            match caller.definition(base) {
                Some(Instruction::Alloca { .. }) => LOCAL_ARGUMENT,
                _ => 1,
            }
        }
        _ => 1,
    };
    call.arguments.iter().map(of_argument).sum::<usize>() + 5
}
