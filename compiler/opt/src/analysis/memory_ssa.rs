//! States of memory as values: each instruction that may write makes a new one, joins of control flow merge them.
//!
//! A query walks from the state that an access sees up to the one that last may have written its location.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Function, InstructionId, Symbols, Value};

use super::{
    alias::{Aliases, Location},
    dominators::{Dominators, FrontierMemory},
    effects,
    flow::{Flow, node},
};

/// A state of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(u32);

impl State {
    /// Memory as the function finds it.
    pub const ENTRY: State = State(0);
}

/// What makes a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// The start of the function.
    Entry,
    /// An instruction that may write, and the state before it.
    Instruction(InstructionId, State),
    /// A join: the states at the ends of the predecessors.
    Phi(BlockId, SmallVec<[(BlockId, State); 2]>),
}

/// The states of a function.
#[derive(Clone, Debug, Default)]
pub struct MemorySsa {
    definitions: Vec<Definition>,
    /// By instruction: the state that it sees, for those that access memory.
    seen: FxHashMap<InstructionId, State>,
    /// By block index: the state at its end.
    ends: Vec<State>,
}

/// Steps of a walk.
const MOST_STEPS: u32 = 128;

impl MemorySsa {
    /// The states of a function as it is now.
    pub fn new(function: &Function, symbols: &Symbols, flow: &Flow, dominators: &Dominators) -> MemorySsa {
        let mut ssa = MemorySsa {
            definitions: vec![Definition::Entry],
            seen: FxHashMap::default(),
            ends: vec![State::ENTRY; function.block_limit()],
        };
        let mut writers: Vec<u32> = Vec::new();
        for block in flow.order() {
            if function
                .instructions(block)
                .any(|id| effects::may_write(symbols, function, id))
            {
                writers.push(node(block));
            }
        }
        let mut phis: FxHashMap<BlockId, State> = FxHashMap::default();
        let mut memory = FrontierMemory::new(flow.graph.len());
        for join in dominators.iterated_frontier(&flow.graph, &writers, &mut memory, |_| true) {
            if let Some(block) = flow.block(join) {
                phis.insert(block, ssa.add(Definition::Phi(block, SmallVec::new())));
            }
        }
        for &at in dominators.preorder() {
            let Some(block) = flow.block(at) else { continue };
            let mut state = match (
                phis.get(&block),
                dominators.parent(at).and_then(|above| flow.block(above)),
            ) {
                (Some(&phi), _) => phi,
                (None, Some(above)) => ssa.ends[above.index()],
                (None, None) => State::ENTRY,
            };
            for id in function.instructions(block) {
                let effects = effects::memory(symbols, function, id);
                if effects.is_none() {
                    continue;
                }
                ssa.seen.insert(id, state);
                if effects.may_write() {
                    state = ssa.add(Definition::Instruction(id, state));
                }
            }
            ssa.ends[block.index()] = state;
        }
        for (&block, &phi) in &phis {
            let incoming = flow
                .predecessors(block)
                .map(|from| (from, ssa.ends[from.index()]))
                .collect();
            ssa.definitions[phi.0 as usize] = Definition::Phi(block, incoming);
        }
        ssa
    }

    fn add(&mut self, definition: Definition) -> State {
        self.definitions.push(definition);
        State(self.definitions.len() as u32 - 1)
    }

    /// What makes a state.
    pub fn definition(&self, state: State) -> &Definition {
        &self.definitions[state.0 as usize]
    }

    /// The state that an instruction sees that accesses memory.
    pub fn seen_by(&self, id: InstructionId) -> Option<State> {
        self.seen.get(&id).copied()
    }

    /// The state at the end of a block.
    pub fn at_end(&self, block: BlockId) -> State {
        self.ends[block.index()]
    }

    /// The last state at or above `from` that may differ in a location from the one before it.
    pub fn clobber(
        &self,
        function: &Function,
        dominators: &Dominators,
        aliases: &Aliases<'_>,
        location: &Location,
        from: State,
    ) -> State {
        if aliases.is_invariant(function, location.pointer) {
            return State::ENTRY;
        }
        let mut walk = Walk {
            ssa: self,
            function,
            dominators,
            aliases,
            open: SmallVec::new(),
            steps: MOST_STEPS,
        };
        walk.up(*location, from).unwrap_or(from)
    }
}

/// A walk up from a state.
struct Walk<'w> {
    ssa: &'w MemorySsa,
    function: &'w Function,
    dominators: &'w Dominators,
    aliases: &'w Aliases<'w>,
    /// Phis that are being walked.
    open: SmallVec<[State; 4]>,
    steps: u32,
}

impl Walk<'_> {
    /// Whether a value is the same whenever control comes to a block, until it next comes to where the value is made.
    fn is_fixed_at(&self, value: Value, block: BlockId) -> bool {
        match value {
            Value::Instruction(id) => self
                .function
                .block_of(id)
                .is_some_and(|made| made != block && self.dominators.dominates(node(made), node(block))),
            Value::Argument(_) | Value::Constant(_) => true,
        }
    }

    /// A location as it is before a join: an address that is made further down may have been another one in the round before, so that only the object
    /// that it is in is known, if even that.
    fn before(&self, location: Location, block: BlockId) -> Option<Location> {
        if self.is_fixed_at(location.pointer, block) {
            return Some(location);
        }
        let pointer = self.aliases.base(self.function, location.pointer);
        self.is_fixed_at(pointer, block).then_some(Location {
            pointer,
            size: None,
            ..location
        })
    }

    /// `None`: a phi that is being walked already was reached.
    fn up(&mut self, location: Location, from: State) -> Option<State> {
        let mut state = from;
        loop {
            if self.open.contains(&state) {
                return None;
            }
            if self.steps == 0 {
                return Some(state);
            }
            self.steps -= 1;
            match self.ssa.definition(state) {
                Definition::Entry => return Some(state),
                Definition::Instruction(id, above) => {
                    // Instructions that were removed meanwhile wrote nothing that matters.
                    let is_there = self.function.block_of(*id).is_some();
                    if is_there && self.aliases.touches(self.function, *id, &location).writes {
                        return Some(state);
                    }
                    state = *above;
                }
                Definition::Phi(block, incoming) => {
                    let Some(location) = self.before(location, *block) else {
                        return Some(state);
                    };
                    return Some(self.through(location, state, incoming).unwrap_or(state));
                }
            }
        }
    }

    /// The state that all ways into a join have, if it is one: it then dominates the join.
    fn through(&mut self, location: Location, phi: State, incoming: &[(BlockId, State)]) -> Option<State> {
        if self.open.len() >= 4 {
            return None;
        }
        self.open.push(phi);
        let mut common: Option<State> = None;
        for &(_, end) in incoming {
            match self.up(location, end) {
                Some(found) if common.is_some_and(|common| common != found) => {
                    common = None;
                    break;
                }
                Some(found) => common = Some(found),
                None => {}
            }
        }
        self.open.pop();
        common.filter(|_| self.steps > 0)
    }
}
