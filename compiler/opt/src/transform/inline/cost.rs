//! What inlining a call costs and saves. A call on a GPU is expensive: registers and arguments go through memory of the thread, and nothing is known
//! across it; so much is inlined that a limit is there only against growth without end.

use warpsmith_ir::{Function, Inlining, Instruction, InstructionId, Symbols, Value};

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
