//! The users of a value in the blocks that a block dominates.

use rustc_hash::FxHashMap;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Value};

use crate::analysis::{dominators::Dominators, flow::node};

/// Values of fewer users are looked at as a whole.
const MANY: usize = 32;

/// The users of values that have many: a chain of comparisons of one value asks for those below each of its branches, which are few.
#[derive(Default)]
pub(super) struct Users {
    ordered: FxHashMap<Value, Ordered>,
}

/// Where a value is used.
struct Ordered {
    /// [`Function::users_version`] when they were ordered.
    version: u32,
    /// When a walk over the dominator tree enters the block of the use, and the user. A phi uses a value in the block that it comes from.
    uses: Vec<(u32, InstructionId)>,
}

impl Users {
    /// What uses the value in the block and those that it dominates, and perhaps more, each once, in the order of their numbers. No instruction that used the
    /// value when it was last asked for may have been moved to another block since.
    pub(super) fn below(
        &mut self,
        function: &Function,
        dominators: &Dominators,
        block: BlockId,
        value: Value,
    ) -> Vec<InstructionId> {
        if function.use_count(value) < MANY && !self.ordered.contains_key(&value) {
            return function.users(value);
        }
        let version = function.users_version(value);
        let ordered = self
            .ordered
            .entry(value)
            .and_modify(|known| {
                if known.version != version {
                    *known = Ordered::new(function, dominators, value);
                }
            })
            .or_insert_with(|| Ordered::new(function, dominators, value));
        let (first, last) = dominators.span(node(block));
        let start = ordered.uses.partition_point(|(at, _)| *at < first);
        let mut found: Vec<InstructionId> = ordered.uses[start..]
            .iter()
            .take_while(|(at, _)| *at <= last)
            .map(|(_, user)| *user)
            .filter(|user| uses(function, *user, value))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Ordered {
    fn new(function: &Function, dominators: &Dominators, value: Value) -> Ordered {
        let mut uses = Vec::new();
        let mut add = |at: BlockId, user| {
            if dominators.is_reached(node(at)) {
                uses.push((dominators.span(node(at)).0, user));
            }
        };
        for user in function.users(value) {
            match function.instruction(user) {
                Instruction::Phi { incoming, .. } => {
                    let from = incoming.iter().filter(|(_, used)| *used == value);
                    from.for_each(|(from, _)| add(*from, user));
                }
                _ => function.block_of(user).into_iter().for_each(|at| add(at, user)),
            }
        }
        uses.sort_unstable();
        Ordered {
            version: function.users_version(value),
            uses,
        }
    }
}

fn uses(function: &Function, user: InstructionId, value: Value) -> bool {
    let mut found = false;
    function
        .instruction(user)
        .for_each_operand(|operand| found |= operand == value);
    found
}
